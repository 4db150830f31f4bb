//! Decides whether a word that is also a page's name is used as a name, from its spelling across the vault. Pure.

use std::ops::Range;

use super::names::{Name, Names};

/// An occurrence of a name in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Spoken {
    /// Index of the name.
    pub name: usize,
    /// Byte range.
    pub place: Range<usize>,
    /// Whether it is spelled exactly like the page's name.
    pub exact: bool,
    /// Whether any word would be capitalized here.
    pub begins: bool,
}

/// Returns the occurrences of names in a text, in order.
pub(super) fn spoken(names: &Names, text: &str, lowered: &str) -> Vec<Spoken> {
    let found = names.in_text(lowered).into_iter();
    found
        .map(|(name, place)| {
            let words = &text[place.clone()];
            let exact = names.list[name].written.contains(words);
            let begins = names.list[name].single && begins_sentence(text, place.start);
            Spoken { name, place, exact, begins }
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
pub(super) struct Evidence {
    usage: Vec<Usage>,
}

impl Evidence {
    pub(super) fn new(names: &Names) -> Evidence {
        Evidence { usage: vec![Usage::default(); names.list.len()] }
    }

    /// Records how a name is spelled in one place.
    pub(super) fn note(&mut self, one: &Spoken, words: &str) {
        let usage = &mut self.usage[one.name];
        usage.plain |= !words.chars().any(char::is_uppercase) && words.chars().any(char::is_lowercase);
        usage.named |= one.exact && !one.begins;
    }

    /// Returns whether an occurrence refers to its page. Names of several words always do. A single word must be
    /// spelled like the page's name, must not occur as an ordinary word, and at the start of a sentence must be known
    /// as a name.
    pub(super) fn is_meant(&self, name: &Name, one: &Spoken) -> bool {
        if !name.single {
            return true;
        }
        let usage = self.usage[one.name];
        let unmistakable = |written: &String| {
            written.chars().skip(1).any(|letter| letter.is_uppercase() || letter.is_numeric())
        };
        one.exact && !usage.plain && (!one.begins || usage.named || name.written.iter().any(unmistakable))
    }
}

/// Returns whether a sentence, an item or a cell starts here.
fn begins_sentence(text: &str, at: usize) -> bool {
    let marks = |letter: char| matches!(letter, '*' | '_' | '"' | '\'' | '“' | '‘' | '(' | '«' | '~' | '[');
    let line_start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let line = text[line_start..at].trim_end_matches(|letter: char| letter.is_whitespace() || marks(letter));
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
        for (text, begins) in [
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
            assert_eq!(begins_sentence(&text.replace('^', ""), at), begins, "{text:?}");
        }
    }
}
