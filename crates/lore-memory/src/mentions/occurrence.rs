//! Decides whether a word that is also a page's name is used as a name, from its spelling across the vault. Pure.

use std::ops::Range;

use super::names::{Name, PageNames};

/// An occurrence of a name in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Occurrence {
    /// Index of the name.
    pub name: usize,
    /// Byte range.
    pub range: Range<usize>,
    /// Whether it is spelled exactly like the page's name.
    pub exact: bool,
    /// Whether any word would be capitalized here.
    pub starts_sentence: bool,
}

/// Returns the occurrences of names in a text, in order.
pub(super) fn occurrences(names: &PageNames, text: &str, lowered: &str) -> Vec<Occurrence> {
    let found = names.in_text(lowered).into_iter();
    found
        .map(|(name, range)| {
            let words = &text[range.clone()];
            let exact = names.list[name].written.contains(words);
            let starts_sentence = names.list[name].single && starts_sentence(text, range.start);
            Occurrence { name, range, exact, starts_sentence }
        })
        .collect()
}

/// How a single-word name is spelled across the vault.
#[derive(Debug, Default, Clone, Copy)]
struct Usage {
    /// In lower case, like an ordinary word.
    plain: bool,
    /// As a name where an ordinary word would not be capitalized.
    named: bool,
}

/// Spelling of all names across the vault.
pub(super) struct NameUsage {
    usage: Vec<Usage>,
}

impl NameUsage {
    pub(super) fn new(names: &PageNames) -> NameUsage {
        NameUsage { usage: vec![Usage::default(); names.list.len()] }
    }

    /// Records how a name is spelled in one place.
    pub(super) fn note(&mut self, occurrence: &Occurrence, words: &str) {
        let usage = &mut self.usage[occurrence.name];
        usage.plain |= !words.chars().any(char::is_uppercase) && words.chars().any(char::is_lowercase);
        usage.named |= occurrence.exact && !occurrence.starts_sentence;
    }

    /// Returns whether an occurrence refers to its page. Names of several words always do. A single word must be
    /// spelled like the page's name, must not occur as an ordinary word, and at the start of a sentence must be known
    /// as a name.
    pub(super) fn refers_to_page(&self, name: &Name, occurrence: &Occurrence) -> bool {
        if !name.single {
            return true;
        }
        let usage = self.usage[occurrence.name];
        let unmistakable = |written: &String| {
            written.chars().skip(1).any(|letter| letter.is_uppercase() || letter.is_numeric())
        };
        occurrence.exact
            && !usage.plain
            && (!occurrence.starts_sentence || usage.named || name.written.iter().any(unmistakable))
    }
}

/// Returns whether a sentence, an item or a cell starts here.
fn starts_sentence(text: &str, at: usize) -> bool {
    let is_markup =
        |letter: char| matches!(letter, '*' | '_' | '"' | '\'' | '“' | '‘' | '(' | '«' | '~' | '[');
    let line_start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let line =
        text[line_start..at].trim_end_matches(|letter: char| letter.is_whitespace() || is_markup(letter));
    if let Some(last) = line.chars().next_back() {
        let marker = line.trim_start();
        let is_marker = matches!(marker, "-" | "+" | ">" | "- >") || marker.ends_with('|');
        let ends = matches!(last, '.' | '!' | '?' | ':' | '…' | ']' | '>' | ';');
        return is_marker || ends;
    }
    // Only whitespace precedes it on its line: the line above decides, if it is in the same paragraph.
    match text[..line_start].trim_end_matches(['\n', '\r']).chars().next_back() {
        _ if text[..line_start].ends_with("\n\n") || text[..line_start].ends_with("\n\r\n") => true,
        None | Some('\0' | '.' | '!' | '?' | ':' | '…' | ';') => true,
        Some(_) => text[line_start..at].contains(['*', '-']),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentence_starts_are_detected() {
        for (text, expected) in [
            ("^Go", true),
            ("We ^Go", false),
            ("Yes. ^Go", true),
            ("Yes.\n^Go", true),
            ("we use\n^Go", false),
            ("a\n\n^Go", true),
            ("- ^Go", true),
            ("* ^Go", true),
            ("1. ^Go", true),
            ("- uses ^Go", false),
            ("> ^Go", true),
            ("- [x] ^Go", true),
            ("language: ^Go", true),
            ("**^Go** is", true),
            ("uses **^Go**", false),
            ("\0\0\0 ^Go", false),
            ("(^Go)", true),
            ("uses (^Go)", false),
            ("\0\0\n^Go", true),
        ] {
            let at = text.find('^').expect("a mark");
            assert_eq!(starts_sentence(&text.replace('^', ""), at), expected, "{text:?}");
        }
    }
}
