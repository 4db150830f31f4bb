//! Names of pages, and an automaton that finds all of them in one pass over a text. Pure.

use std::collections::{BTreeMap, BTreeSet};

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use lore_text::{is_content_word, is_unspaced, on_one_line};

/// Names that are everyday words: a page may have such a title, but the words do not refer to it.
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

/// A name in searchable form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Name {
    /// Index of the page that has it; none if several do.
    pub page: Option<usize>,
    /// Its spellings on pages.
    pub written: BTreeSet<String>,
    /// Whether it is a single word, which is case-sensitive.
    pub single: bool,
}

/// All names that can be mentioned.
pub(super) struct PageNames {
    pub list: Vec<Name>,
    automaton: Option<AhoCorasick>,
}

impl PageNames {
    /// Creates the names from those of each page, in page order.
    pub(super) fn new<'a>(pages: impl Iterator<Item = Vec<&'a str>>) -> PageNames {
        let mut known: BTreeMap<String, Name> = BTreeMap::new();
        for (page, names) in pages.enumerate() {
            for name in names.into_iter().filter(|name| can_be_mentioned(name)) {
                let name = on_one_line(name);
                let single = !name.contains(' ') && !name.chars().any(is_unspaced);
                let new = Name { page: Some(page), written: BTreeSet::new(), single };
                let entry = known.entry(lowered(&name)).or_insert(new);
                // Ambiguous names are kept, so that no shorter name inside one is matched instead.
                entry.page = entry.page.filter(|other| *other == page);
                entry.written.insert(name);
            }
        }
        let mut builder = AhoCorasick::builder();
        let automaton = builder.kind(Some(AhoCorasickKind::ContiguousNFA)).build(known.keys());
        PageNames {
            automaton: automaton.ok().filter(|_| !known.is_empty()),
            list: known.into_values().collect(),
        }
    }

    /// Returns the places where a name occurs as whole words: leftmost first, then longest, without overlaps. The text
    /// must be [`lowered`].
    pub(super) fn in_text(&self, text: &str) -> Vec<(usize, std::ops::Range<usize>)> {
        let Some(automaton) = &self.automaton else { return Vec::new() };
        let all =
            automaton.find_overlapping_iter(text).map(|found| (found.pattern().as_usize(), found.range()));
        let mut whole: Vec<_> = all.filter(|(_, range)| is_whole(text, range.start, range.end)).collect();
        whole.sort_by_key(|(_, range)| (range.start, std::cmp::Reverse(range.end)));
        let mut end = 0;
        whole.retain(|(_, range)| {
            let free = range.start >= end;
            if free {
                end = range.end;
            }
            free
        });
        whole
    }
}

/// Returns whether a name can refer to a page: it has a content word and is not an everyday word, number or date.
fn can_be_mentioned(name: &str) -> bool {
    let letters = name.chars().filter(|letter| letter.is_alphabetic()).count();
    let lower = lowered(name.trim());
    letters > 1
        && name.len() <= 200
        && !EVERYDAY.contains(&lower.as_str())
        && (lower.split_whitespace().any(is_content_word) || is_short_name(name))
        && !name.contains(['[', ']', '|', '\n', '\0', '/'])
}

/// Returns whether a name is short but capitalized, like `Go` or `AI`.
fn is_short_name(name: &str) -> bool {
    name.chars().count() == 2 && name.chars().any(char::is_uppercase)
}

/// Lowercases a text without moving any byte: letters whose other case has a different length are unchanged.
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

/// Returns whether the place is a whole word: no adjacent letter or joining character. Unspaced scripts have no words.
fn is_whole(text: &str, start: usize, end: usize) -> bool {
    let inside = &text[start..end];
    // After `!`, a link would embed the page instead of linking to it.
    let before =
        is_word_boundary(inside.chars().next(), text[..start].chars().rev()) && !text[..start].ends_with('!');
    before
        && (is_possessive(&text[end..]) || is_word_boundary(inside.chars().next_back(), text[end..].chars()))
}

/// Returns whether a word with this edge ends before these letters.
fn is_word_boundary(edge: Option<char>, mut outside: impl Iterator<Item = char>) -> bool {
    let Some(next) = outside.next() else { return true };
    if edge.is_some_and(is_unspaced) && (is_unspaced(next) || next.is_ascii_alphanumeric()) {
        return true;
    }
    if next.is_alphanumeric() || matches!(next, '_' | '\\') {
        return false;
    }
    // Part of an address, a tag or a link.
    if matches!(next, '@' | '#' | '/' | '[' | ']') {
        return false;
    }
    // `Acme-like` and `acme.org` are different words.
    let joins = matches!(next, '-' | '.' | ':' | '\'' | '’' | '~' | '&' | '+' | '=' | '$');
    !joins || !outside.next().is_some_and(|letter| letter.is_alphanumeric() || letter == '/')
}

fn is_possessive(after: &str) -> bool {
    let rest = after.strip_prefix("'s").or_else(|| after.strip_prefix("’s"));
    rest.is_some_and(|rest| !rest.starts_with(|letter: char| letter.is_alphanumeric()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(names: &[&str], text: &str, expected: &[&str]) {
        let known = PageNames::new(names.iter().map(|name| vec![*name]));
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
    fn longest_whole_name_wins() {
        check(&["Ada", "Ada Lovelace"], "Ada Lovelace, Ada", &["Ada Lovelace", "Ada"]);
        check(&["Ada", "Ada Love"], "Ada Lovelace", &["Ada"]);
        check(&["Ada B", "B Acme Co"], "Ada B Acme Co", &["Ada B"]);
    }

    #[test]
    fn unspaced_scripts_match_anywhere() {
        check(&["沈玉兰"], "会见沈玉兰了", &["沈玉兰"]);
    }

    #[test]
    fn meaningless_names_are_rejected() {
        for name in ["2024", "2024-05-01", "the", "of the", "Notes", "x", "a/b", "Next steps", "[x]"] {
            assert!(!can_be_mentioned(name), "{name}");
        }
        for name in ["Go", "AI", "Acme 2", "heat pump", "沈玉兰"] {
            assert!(can_be_mentioned(name), "{name}");
        }
    }

    #[test]
    fn ambiguous_names_have_no_page() {
        let names = PageNames::new([vec!["Ada", "ADA"], vec!["Bob", "Ada"]].into_iter());
        let pages: Vec<Option<usize>> = names.list.iter().map(|name| name.page).collect();
        assert_eq!(pages, [None, Some(1)]);
    }

    #[test]
    fn lowered_keeps_byte_offsets() {
        for text in ["ABC", "Öß", "İI", "ẞ"] {
            assert_eq!(lowered(text).len(), text.len(), "{text}");
        }
    }
}
