//! Splits a text into words for the vocabulary lookup: cleaned, without accents, in lower case, split at spaces and
//! around punctuation and ideographs.

use unicode_normalization::char::decompose_canonical;

use super::characters::{COMBINING_MARKS, DROPPED, IDEOGRAPHS, PUNCTUATION, contains};

/// Normalization rules.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rules {
    /// Whether control characters are removed and all whitespace is treated as a space.
    pub(super) clean: bool,
    pub(super) split_ideographs: bool,
    pub(super) strip_accents: bool,
    pub(super) lowercase: bool,
}

/// The role of a character in splitting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Word,
    Space,
    Punctuation,
    Dropped,
}

/// The classes of ASCII in a cleaned text; most text is ASCII only.
const ASCII: [Class; 128] = {
    let mut classes = [Class::Word; 128];
    let mut byte = 0;
    while byte < 128 {
        let character = byte as u8;
        classes[byte] = match character {
            b'\t' | b'\n' | b'\r' | b' ' => Class::Space,
            _ if character.is_ascii_punctuation() => Class::Punctuation,
            _ if character.is_ascii_control() => Class::Dropped,
            _ => Class::Word,
        };
        byte += 1;
    }
    classes
};

/// Splits one text, which may be passed in several pieces.
#[derive(Debug)]
pub(super) struct Words {
    rules: Rules,
    word: String,
}

impl Words {
    /// Creates a splitter without a pending word.
    pub(super) fn new(rules: Rules) -> Words {
        Words { rules, word: String::new() }
    }

    /// Passes each word of a piece of text to `receive` until it returns `false`.
    pub(super) fn each(&mut self, text: &str, mut receive: impl FnMut(&str) -> bool) {
        let mut more = true;
        for character in text.chars() {
            let (class, ready) = self.ascii(character);
            match class {
                Some(Class::Word) => self.word.push(ready),
                Some(Class::Dropped) => {}
                Some(Class::Space) => more = self.end_word(&mut receive),
                Some(Class::Punctuation) => more = self.push_single(ready, &mut receive),
                None => more = self.other(character, &mut receive),
            }
            if !more {
                break;
            }
        }
        self.end_word(&mut receive);
    }

    /// Returns the class of an ASCII character, and the character in lower case if required.
    fn ascii(&self, character: char) -> (Option<Class>, char) {
        if !character.is_ascii() || !self.rules.clean {
            return (None, character);
        }
        let ready = if self.rules.lowercase { character.to_ascii_lowercase() } else { character };
        (Some(ASCII[character as usize]), ready)
    }

    /// The slow path, for a character of any script.
    fn other(&mut self, character: char, receive: &mut impl FnMut(&str) -> bool) -> bool {
        let rules = self.rules;
        if rules.clean && is_dropped(character) {
            return true;
        }
        let alone = rules.split_ideographs && contains(&IDEOGRAPHS, character);
        let mut more = !alone || self.end_word(receive);
        let mut take = |character: char| {
            if rules.lowercase {
                character.to_lowercase().for_each(|lower| more &= self.read(lower, receive));
            } else {
                more &= self.read(character, receive);
            }
        };
        if rules.strip_accents {
            decompose_canonical(character, |part| {
                if !contains(&COMBINING_MARKS, part) {
                    take(part);
                }
            });
        } else {
            take(character);
        }
        more & (!alone || self.end_word(receive))
    }

    fn read(&mut self, character: char, receive: &mut impl FnMut(&str) -> bool) -> bool {
        if character.is_whitespace() {
            self.end_word(receive)
        } else if character.is_ascii_punctuation() || contains(&PUNCTUATION, character) {
            self.push_single(character, receive)
        } else {
            self.word.push(character);
            true
        }
    }

    fn push_single(&mut self, character: char, receive: &mut impl FnMut(&str) -> bool) -> bool {
        self.end_word(receive) && {
            self.word.push(character);
            self.end_word(receive)
        }
    }

    fn end_word(&mut self, receive: &mut impl FnMut(&str) -> bool) -> bool {
        let more = self.word.is_empty() || receive(&self.word);
        self.word.clear();
        more
    }
}

fn is_dropped(character: char) -> bool {
    match character.is_ascii() {
        true => ASCII[character as usize] == Class::Dropped,
        false => contains(&DROPPED, character),
    }
}
