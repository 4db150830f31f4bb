//! Stems: the part that the forms of a word share, by the Snowball algorithm of its language.
//!
//! The index stores stems, so a release of the Snowball crate that changes an algorithm needs a new version of the index.

use std::cell::RefCell;

use frostem::{Algorithm, Stemmer};

/// A language whose words can be stemmed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Language {
    /// English.
    #[default]
    English,
}

/// Longer words are no words of a language; they are left as they are.
const LONGEST: usize = 64;

/// Maximum length of a cached word in bytes.
const CACHED_LENGTH: usize = 14;

/// Number of cached words; a power of two.
const CACHED_WORDS: usize = 4096;

/// Returns the stem of a word in lower case.
pub fn stem(word: &str, language: Language) -> String {
    let mut stem = String::new();
    push_stem(&mut stem, word, language);
    stem
}

/// Appends the stem of a word in lower case.
pub(crate) fn push_stem(out: &mut String, word: &str, language: Language) {
    let Some(key) = CachedWord::new(word, language) else {
        return match word.len() <= LONGEST {
            true => out.push_str(&algorithm(language).stem(word)),
            false => out.push_str(word),
        };
    };
    CACHE.with_borrow_mut(|cache| {
        let (known, stem) = &mut cache[key.slot()];
        if *known != key {
            let found = algorithm(language).stem(word);
            let Some(found) = CachedWord::new(&found, language) else { return out.push_str(&found) };
            (*known, *stem) = (key, found);
        }
        out.push_str(stem.text());
    });
}

fn algorithm(language: Language) -> Stemmer {
    Stemmer::new(match language {
        Language::English => Algorithm::English,
    })
}

thread_local! {
    /// Words with their stems, by the hash of the word. Most words of a text were seen before, and computing a stem takes
    /// twenty times as long as finding it here.
    static CACHE: RefCell<Vec<(CachedWord, CachedWord)>> = RefCell::new(vec![Default::default(); CACHED_WORDS]);
}

/// A short word without an allocation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct CachedWord {
    bytes: [u8; CACHED_LENGTH],
    length: u8,
    language: Language,
}

impl CachedWord {
    fn new(word: &str, language: Language) -> Option<Self> {
        let mut bytes = [0; CACHED_LENGTH];
        bytes.get_mut(..word.len())?.copy_from_slice(word.as_bytes());
        Some(CachedWord { bytes, length: word.len() as u8, language })
    }

    fn text(&self) -> &str {
        std::str::from_utf8(&self.bytes[..usize::from(self.length)]).unwrap_or_default()
    }

    /// The bytes as two numbers, multiplied and folded: cheaper than a hash of each byte.
    fn slot(&self) -> usize {
        let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |sum: u64, byte| sum << 8 | u64::from(*byte));
        let (start, end) = self.bytes.split_at(8);
        let mixed = (number(start) ^ number(end).rotate_left(29)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> 40) as usize % CACHED_WORDS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(word: &str, expected: &str) {
        // Once computed, once from the cache.
        assert_eq!(
            (stem(word, Language::English).as_str(), stem(word, Language::English).as_str()),
            (expected, expected)
        );
    }

    #[test]
    fn forms_of_a_word_share_a_stem() {
        for word in ["connect", "connected", "connecting", "connection", "connections"] {
            check(word, "connect");
        }
        check("running", "run");
        check("dying", "die");
        check("generously", "generous");
        check("über", "über");
        check("internationalization", "internation");
        check("2026", "2026");
        check("is", "is");
        check("", "");
    }

    #[test]
    fn long_words_are_left_alone() {
        let long = format!("{}ing", "x".repeat(70));
        check(&long, &long);
    }

    #[test]
    fn words_that_share_a_slot_keep_their_stems() {
        let words: Vec<String> = (0..3 * CACHED_WORDS).map(|number| format!("walk{number}ing")).collect();
        for word in words.iter().chain(&words) {
            check(word, word.trim_end_matches("ing"));
        }
    }
}
