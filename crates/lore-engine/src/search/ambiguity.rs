//! Ambiguity: a name in a query, or a link, that fits several pages. The result names all of them.

use std::collections::{BTreeMap, BTreeSet};

use lore_ports::{Filter, KeyKind, NameQuery, Order, PageNo, PageRow, Window};
use lore_text::{fold, is_content_word};

use super::request::{Mode, SearchRequest};
use super::retrieve::{linked_names, passing};
use super::signals::names_in;
use crate::context::VaultContext;
use crate::error::Result;
use crate::index::{Candidates, names_of};
use crate::lifecycle::{Day, Ties};
use crate::note::Note;

/// Maximum number of pages that a name may fit; a word in the titles of more pages is not a name.
const FITTING: usize = 5;

/// A longer query, in bytes, is a text rather than a question.
const LONG: usize = 1000;

/// Maximum number of words of a title that looks like a name.
const NAME_WORDS: usize = 3;

/// Returns a note for each name in a query that fits several pages.
pub(super) fn notes(context: &VaultContext, request: &SearchRequest) -> Result<Vec<Note>> {
    if request.mode == Mode::Fields || request.text.len() > LONG {
        return Ok(Vec::new());
    }
    let mut fitting: BTreeMap<String, BTreeSet<PageNo>> = BTreeMap::new();
    for link in linked_names(&request.text) {
        let names = names_of(&link);
        let names: Vec<&str> = names.iter().map(String::as_str).filter(|name| !name.is_empty()).collect();
        let rows = context.store().lookup(context.project(), &NameQuery::Exact(&names))?;
        fitting.insert(fold(&link), Candidates::new(&rows, &link).pages().collect());
    }
    if request.mode != Mode::Words {
        let known = whole_names(context, request)?;
        fitting.extend(parts_of_names(context, request, &known)?);
        for (name, known) in known {
            fitting.entry(name).or_default().extend(known.pages);
        }
    }
    let mut notes = Vec::new();
    for (name, pages) in fitting.into_iter().filter(|(_, pages)| (2..=FITTING).contains(&pages.len())) {
        let pages: Vec<PageNo> = pages.into_iter().collect();
        let mut slugs: Vec<String> =
            current(context, request, &pages)?.into_iter().map(|row| row.slug).collect();
        slugs.sort();
        if slugs.len() > 1 {
            notes.push(Note::Remark(format!("{name:?} fits several pages: {}", slugs.join(", "))));
        }
    }
    Ok(notes)
}

/// Returns the pages that hold: two versions of a page are not ambiguous.
fn current(context: &VaultContext, request: &SearchRequest, pages: &[PageNo]) -> Result<Vec<PageRow>> {
    let day = request.as_of.map_or_else(|| Day::today(context), |date| Day::of(context, date));
    let ties = Ties::around_on(context, pages, &day)?;
    let mut rows = passing(context, &request.filter, pages)?;
    rows.retain(|row| !day.is_invalid(row, &ties));
    Ok(rows)
}

/// Returns the pages whose title or alias is in a query. What is in the titles of many pages is not a name.
pub(super) fn asked_pages(context: &VaultContext, request: &SearchRequest) -> Result<BTreeSet<PageNo>> {
    if request.text.len() > LONG {
        return Ok(BTreeSet::new());
    }
    let names = whole_names(context, request)?.into_values();
    Ok(names.filter(|named| named.pages.len() <= FITTING).flat_map(|named| named.pages).collect())
}

/// The pages that a name is the whole name of.
#[derive(Default)]
struct Named {
    pages: BTreeSet<PageNo>,
    /// Whether it is the title of one of them.
    is_title: bool,
}

/// Returns the titles and aliases in a query with their pages, without those inside a longer one.
fn whole_names(context: &VaultContext, request: &SearchRequest) -> Result<BTreeMap<String, Named>> {
    let names = names_in(&request.text);
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut found: BTreeMap<String, Named> = BTreeMap::new();
    for row in context.store().lookup(context.project(), &NameQuery::Exact(&names))? {
        if matches!(row.kind, KeyKind::Title | KeyKind::Alias) {
            let named = found.entry(row.key).or_default();
            named.pages.insert(row.page);
            named.is_title |= row.kind == KeyKind::Title;
        }
    }
    let all: Vec<String> = found.keys().cloned().collect();
    let inside = |name: &str, longer: &String| {
        longer.len() > name.len() && format!(" {longer} ").contains(&format!(" {name} "))
    };
    found.retain(|name, _| !all.iter().any(|longer| inside(name, longer)));
    Ok(found)
}

/// Returns capitalized words that are the first or the last word of several names: "Sam" for Sam Hill and Sam Moss.
fn parts_of_names(
    context: &VaultContext,
    request: &SearchRequest,
    known: &BTreeMap<String, Named>,
) -> Result<BTreeMap<String, BTreeSet<PageNo>>> {
    let mut found = BTreeMap::new();
    let words = request.text.split_whitespace().take(24);
    let words = words.map(|word| word.trim_matches(|letter: char| !letter.is_alphanumeric()));
    for word in words.filter(|word| word.starts_with(char::is_uppercase)) {
        let word = word.strip_suffix("'s").or(word.strip_suffix("’s")).unwrap_or(word);
        let name = fold(word);
        // A title is the name of its page alone; an alias that others have as part of their names may mean those too.
        let is_part = known.iter().any(|(known, named)| {
            (*known != name || named.is_title) && format!(" {known} ").contains(&format!(" {name} "))
        });
        if is_part || !is_content_word(&name) || found.contains_key(&name) {
            continue;
        }
        let filter = Filter { title: Some(word.to_owned()), ..request.filter.clone() };
        let window = Window { limit: FITTING + 1, offset: 0 };
        let rows = context.store().list(context.project(), &filter, Order::Title, window)?;
        if rows.len() <= FITTING {
            let named = rows.iter().filter(|row| is_name_with(&row.title, &name));
            let pages: BTreeSet<PageNo> = named.map(|row| row.number).collect();
            found.insert(name, pages);
        }
    }
    Ok(found)
}

/// Whether a title looks like a name that begins or ends with a word.
fn is_name_with(title: &str, part: &str) -> bool {
    let words: Vec<&str> = title.split_whitespace().collect();
    let is_name = (2..=NAME_WORDS).contains(&words.len())
        && words
            .iter()
            .all(|word| word.starts_with(char::is_uppercase) && word.chars().all(char::is_alphabetic));
    is_name && [words.first(), words.last()].into_iter().flatten().any(|word| fold(word) == part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_begin_or_end_with_the_word() {
        for (title, expected) in [
            ("Sam Hill", true),
            ("Ann Sam", true),
            ("Sam", false),
            ("Sam at work", false),
            ("Sammy Hill", false),
        ] {
            assert_eq!(is_name_with(title, "sam"), expected, "{title}");
        }
    }
}
