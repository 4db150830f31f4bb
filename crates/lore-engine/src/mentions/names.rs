//! The names by which pages are spoken of, and an automaton that finds all of them in one pass over a text. Pure.

use std::collections::{BTreeMap, BTreeSet};

use aho_corasick::{AhoCorasick, AhoCorasickKind};

use crate::search::{is_unspaced, says_something};

/// Names that are everyday words wherever they stand: a page may be called so, but whoever says it means no page.
const EVERYDAY: [&str; 34] = [
    "action items",
    "archive",
    "daily note",
    "daily notes",
    "decisions",
    "draft",
    "follow up",
    "follow-up",
    "home",
    "ideas",
    "inbox",
    "index",
    "journal",
    "log",
    "meeting",
    "meeting notes",
    "meetings",
    "next steps",
    "note",
    "notes",
    "open questions",
    "people",
    "plan",
    "project",
    "projects",
    "readme",
    "reading list",
    "see also",
    "summary",
    "table of contents",
    "tasks",
    "to do",
    "todo",
    "untitled",
];

/// A name in the form in which texts are searched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Name {
    /// The page that has it, by its place in the list; none where several have it.
    pub page: Option<usize>,
    /// The ways it is written on pages.
    pub written: BTreeSet<String>,
    /// Whether it is one word, whose case then counts.
    pub single: bool,
}

/// Every name that may be spoken of.
pub(super) struct Names {
    pub list: Vec<Name>,
    automaton: Option<AhoCorasick>,
}

impl Names {
    /// Takes the names of each page, in the order of the pages.
    pub(super) fn new<'a>(pages: impl Iterator<Item = Vec<&'a str>>) -> Names {
        let mut known: BTreeMap<String, Name> = BTreeMap::new();
        for (page, names) in pages.enumerate() {
            for name in names.into_iter().filter(|name| may_be_spoken(name)) {
                let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
                let single = !name.contains(' ') && !name.chars().any(is_unspaced);
                let new = Name { page: Some(page), written: BTreeSet::new(), single };
                let entry = known.entry(lowered(&name)).or_insert(new);
                // A name of two pages stays, so that no shorter name inside it is taken for the one that is meant.
                entry.page = entry.page.filter(|other| *other == page);
                entry.written.insert(name);
            }
        }
        let mut builder = AhoCorasick::builder();
        let automaton = builder.kind(Some(AhoCorasickKind::ContiguousNFA)).build(known.keys());
        Names { automaton: automaton.ok().filter(|_| !known.is_empty()), list: known.into_values().collect() }
    }

    /// Every place at which a name stands as whole words, the leftmost first and of those the longest; none overlaps
    /// another. The text must be [`lowered`].
    pub(super) fn in_text(&self, text: &str) -> Vec<(usize, std::ops::Range<usize>)> {
        let Some(automaton) = &self.automaton else { return Vec::new() };
        let all =
            automaton.find_overlapping_iter(text).map(|found| (found.pattern().as_usize(), found.range()));
        let mut whole: Vec<_> = all.filter(|(_, place)| is_whole(text, place.start, place.end)).collect();
        whole.sort_by_key(|(_, place)| (place.start, std::cmp::Reverse(place.end)));
        let mut end = 0;
        whole.retain(|(_, place)| {
            let free = place.start >= end;
            if free {
                end = place.end;
            }
            free
        });
        whole
    }
}

/// Whether whoever says this name may mean a page: it says something, is no everyday word, no number and no date.
fn may_be_spoken(name: &str) -> bool {
    let letters = name.chars().filter(|letter| letter.is_alphabetic()).count();
    let lower = lowered(name.trim());
    letters > 1
        && name.len() <= 200
        && !EVERYDAY.contains(&lower.as_str())
        && (lower.split_whitespace().any(says_something) || is_short_name(name))
        && !name.contains(['[', ']', '|', '\n', '\0', '/'])
}

/// `Go`, `AI`: too short to say something by itself, and yet a name by its capital.
fn is_short_name(name: &str) -> bool {
    name.chars().count() == 2 && name.chars().any(char::is_uppercase)
}

/// Lower case with every byte in its place: a letter whose other case has another length stays as it is.
pub(super) fn lowered(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let lower = |letter: char| {
        let mut lower = letter.to_lowercase();
        let first = lower.next().unwrap_or(letter);
        if lower.next().is_none() && first.len_utf8() == letter.len_utf8() { first } else { letter }
    };
    text.chars().map(lower).collect()
}

/// Whether no letter, and nothing that makes one word of two, touches the place. Scripts without spaces have no words.
fn is_whole(text: &str, start: usize, end: usize) -> bool {
    let inside = &text[start..end];
    // After `!` a link would show the page instead of naming it.
    let before = apart(inside.chars().next(), text[..start].chars().rev()) && !text[..start].ends_with('!');
    before && (possessive(&text[end..]) || apart(inside.chars().next_back(), text[end..].chars()))
}

/// Whether a word that ends, or begins, with `edge` is over before these letters.
fn apart(edge: Option<char>, mut outside: impl Iterator<Item = char>) -> bool {
    let Some(next) = outside.next() else { return true };
    if edge.is_some_and(is_unspaced) && (is_unspaced(next) || next.is_ascii_alphanumeric()) {
        return true;
    }
    if next.is_alphanumeric() || matches!(next, '_' | '\\') {
        return false;
    }
    // An address, a tag or a link goes on here.
    if matches!(next, '@' | '#' | '/' | '[' | ']') {
        return false;
    }
    // `Acme-like` and `acme.org` are words of their own.
    let joins = matches!(next, '-' | '.' | ':' | '\'' | '’' | '~' | '&' | '+' | '=' | '$');
    !joins || !outside.next().is_some_and(|letter| letter.is_alphanumeric() || letter == '/')
}

fn possessive(after: &str) -> bool {
    let rest = after.strip_prefix("'s").or_else(|| after.strip_prefix("’s"));
    rest.is_some_and(|rest| !rest.starts_with(|letter: char| letter.is_alphanumeric()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(names: &[&str], text: &str, expected: &[&str]) {
        let known = Names::new(names.iter().map(|name| vec![*name]));
        let found = known.in_text(&lowered(text));
        let found: Vec<&str> = found.iter().map(|(_, place)| &text[place.clone()]).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn names_are_found_as_whole_words() {
        let names = ["Acme", "Ada Lovelace"];
        check(&names, "ACME, (Acme) *acme* Acme's Acme.", &["ACME", "Acme", "acme", "Acme", "Acme"]);
        check(&names, "Acmes pacme acme.org a/acme @acme acme-like x-acme acme_1 #acme", &[]);
        check(&names, "Ada Lovelace ada lovelaces Ada\nLovelace", &["Ada Lovelace"]);
        check(&["Öre"], "öre ÖRE öres", &["öre", "ÖRE"]);
    }

    #[test]
    fn the_longest_name_wins_and_a_beginning_of_another_word_does_not_hide_one() {
        check(&["Ada", "Ada Lovelace"], "Ada Lovelace, Ada", &["Ada Lovelace", "Ada"]);
        check(&["Ada", "Ada Love"], "Ada Lovelace", &["Ada"]);
        check(&["Ada B", "B Acme Co"], "Ada B Acme Co", &["Ada B"]);
    }

    #[test]
    fn scripts_without_spaces_have_no_words() {
        check(&["沈玉兰"], "会见沈玉兰了", &["沈玉兰"]);
    }

    #[test]
    fn some_names_say_nothing() {
        for name in ["2024", "2024-05-01", "the", "of the", "Notes", "x", "a/b", "Next steps", "[x]"] {
            assert!(!may_be_spoken(name), "{name}");
        }
        for name in ["Go", "AI", "Acme 2", "heat pump", "沈玉兰"] {
            assert!(may_be_spoken(name), "{name}");
        }
    }

    #[test]
    fn a_name_of_two_pages_is_nobodys() {
        let names = Names::new([vec!["Ada", "ADA"], vec!["Bob", "Ada"]].into_iter());
        let pages: Vec<Option<usize>> = names.list.iter().map(|name| name.page).collect();
        assert_eq!(pages, [None, Some(1)]);
    }

    #[test]
    fn lower_case_keeps_every_byte_in_its_place() {
        for text in ["ABC", "Öß", "İI", "ẞ"] {
            assert_eq!(lowered(text).len(), text.len(), "{text}");
        }
    }
}
