//! Whether a word that is a page's name is said as a name: judged by how the whole vault writes it. Pure.

use std::ops::Range;

use super::names::{Name, Names};

/// A name as it stands in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Spoken {
    /// Which name.
    pub name: usize,
    /// Where.
    pub place: Range<usize>,
    /// Whether it is written as the page writes it.
    pub exact: bool,
    /// Whether any word would have a capital here.
    pub begins: bool,
}

/// The names in a text, in order.
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

/// How each name of one word is written over the whole vault.
#[derive(Debug, Default, Clone, Copy)]
struct Usage {
    /// In lower case, as an ordinary word is.
    plain: bool,
    /// As a name where an ordinary word would have no capital.
    named: bool,
}

/// What the vault shows about its names.
pub(super) struct Evidence {
    usage: Vec<Usage>,
}

impl Evidence {
    pub(super) fn new(names: &Names) -> Evidence {
        Evidence { usage: vec![Usage::default(); names.list.len()] }
    }

    /// Takes note of how a name is written in one place.
    pub(super) fn note(&mut self, one: &Spoken, words: &str) {
        let usage = &mut self.usage[one.name];
        usage.plain |= !words.chars().any(char::is_uppercase) && words.chars().any(char::is_lowercase);
        usage.named |= one.exact && !one.begins;
    }

    /// Whether a name in one place means its page. Several words do in any case; one word must be written as the page
    /// writes it, must nowhere be an ordinary word, and at the beginning of a sentence must be known as a name.
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

/// Whether a sentence, an item or a cell begins here.
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
    // Only white space stands before it on its line: the line above decides, where it is of the same paragraph.
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
    fn the_beginnings_of_sentences() {
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
