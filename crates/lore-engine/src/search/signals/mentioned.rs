//! Finds the pages that the best pages mention by name: the answer to a question about a relation of a page is often on
//! the next page.

use std::collections::{HashMap, HashSet};

use lore_ports::{KeyKind, NameQuery, PageNo};
use lore_text::{fold, is_content_word};
use lore_vault::decode;

use crate::context::VaultContext;
use crate::error::Result;
use crate::search::expression::{Prepared, Term, matches};
use crate::search::fuse::Scored;

/// Number of pages whose text is searched for names.
const SOURCES: usize = 3;

/// Maximum bytes of a page that are searched.
const MOST_BYTES: usize = 32 * 1024;

/// Maximum number of names that are looked up for each page.
const MOST_NAMES: usize = 80;

/// Maximum number of words of a name.
const NAME_WORDS: usize = 6;

/// Marks around a word that do not belong to it.
const AROUND: &[char] = &[
    '"', '\'', '“', '”', '‘', '’', '.', ',', ';', ':', '!', '?', '(', ')', '[', ']', '{', '}', '<', '>', '*',
    '_', '#', '|', '-', '–', '—',
];

/// A page that a better page mentions.
pub(super) struct Mentioned {
    pub page: PageNo,
    /// Its name.
    pub name: String,
    /// The score of the page that mentions it, as a share of the best one.
    pub share: f64,
}

/// Finds the pages of a ranking that the first ones mention in lines with words of the query.
pub(super) fn mentioned(
    context: &VaultContext,
    query: &Prepared,
    ranking: &[Scored],
) -> Result<Vec<Mentioned>> {
    let (store, project) = (context.store(), context.project());
    let best = ranking.first().map_or(0.0, |(_, score)| *score);
    if best <= 0.0 {
        return Ok(Vec::new());
    }
    let known: HashSet<PageNo> = ranking.iter().map(|(page, _)| *page).collect();
    let sources: HashMap<PageNo, f64> = ranking.iter().take(SOURCES).copied().collect();
    let numbers: Vec<PageNo> = ranking.iter().take(SOURCES).map(|(page, _)| *page).collect();
    let terms = Term::all(query);
    let mut found: Vec<Mentioned> = Vec::new();
    for source in store.pages(project, &numbers)? {
        let Some(file) = context.vault().read(&source.path, u64::MAX).ok().flatten() else { continue };
        let text = decode(&file.bytes).text;
        let names = names_of(&text[..text.floor_char_boundary(MOST_BYTES)], &terms);
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let share = sources[&source.number] / best;
        for row in store.lookup(project, &NameQuery::Exact(&names))? {
            let is_name = matches!(row.kind, KeyKind::Title | KeyKind::Alias);
            if !is_name || row.page == source.number || !known.contains(&row.page) {
                continue;
            }
            match found.iter_mut().find(|other| other.page == row.page) {
                Some(other) => other.share = other.share.max(share),
                None => found.push(Mentioned { page: row.page, name: row.key, share }),
            }
        }
    }
    Ok(found)
}

/// Returns the names in the lines of a text that contain terms, folded.
fn names_of(text: &str, terms: &[Term]) -> Vec<String> {
    let mut names = Vec::new();
    for line in text.lines().filter(|line| matches(line, terms).0 != 0) {
        add_names(line, &mut names);
        if names.len() >= MOST_NAMES {
            break;
        }
    }
    names.truncate(MOST_NAMES);
    names
}

/// Adds the runs of words that could be a name: the first and the last are capitalized, those between are capitalized or
/// stop words.
fn add_names(line: &str, names: &mut Vec<String>) {
    let words: Vec<&str> = line.split_whitespace().map(core).filter(|word| !word.is_empty()).collect();
    for start in 0..words.len() {
        if !is_capitalized(words[start]) {
            continue;
        }
        for (at, word) in words.iter().enumerate().skip(start).take(NAME_WORDS) {
            if is_capitalized(word) {
                let name = fold(&words[start..=at].join(" "));
                if (at > start || is_content_word(&name)) && !names.contains(&name) {
                    names.push(name);
                }
            } else if is_content_word(&word.to_lowercase()) {
                break;
            }
        }
    }
}

/// Returns a word without the marks around it and without its possessive ending.
fn core(word: &str) -> &str {
    let word = word.trim_matches(AROUND);
    word.strip_suffix("'s").or(word.strip_suffix("’s")).unwrap_or(word)
}

fn is_capitalized(word: &str) -> bool {
    word.starts_with(|letter: char| letter.is_uppercase() || letter.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: &[&str]) {
        let mut names = Vec::new();
        add_names(line, &mut names);
        assert_eq!(names, expected, "{line}");
    }

    #[test]
    fn names_begin_and_end_with_a_capital() {
        check("we met Ada Keller's sister", &["ada", "ada keller", "keller"]);
        check("the University of Bern and more", &["university", "university of bern", "bern"]);
        check("it was [[Quill Press]].", &["quill", "quill press", "press"]);
        check("The end of it", &[]);
        check("nothing here", &[]);
    }
}
