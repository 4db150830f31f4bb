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
    /// Arabic.
    Arabic,
    /// Greek.
    Greek,
    /// Hindi.
    Hindi,
    /// Russian.
    Russian,
}

impl Language {
    /// Returns the language of a word in a script that has one main language; of others, the text decides.
    fn of_word(word: &str) -> Option<Language> {
        match word.chars().next()? {
            '\u{370}'..='\u{3ff}' => Some(Language::Greek),
            '\u{400}'..='\u{4ff}' => Some(Language::Russian),
            '\u{600}'..='\u{6ff}' => Some(Language::Arabic),
            '\u{900}'..='\u{97f}' => Some(Language::Hindi),
            _ => None,
        }
    }
}

/// Longer words are no words of a language; they are left as they are.
const LONGEST: usize = 64;

/// Maximum length of a cached word in bytes.
const CACHED_LENGTH: usize = 16;

/// Number of cached words; a power of two.
const CACHED_WORDS: usize = 8192;

/// What replaces the ending of a word in a cached stem.
const ENDINGS: [&str; 6] = ["", "e", "i", "ie", "le", "y"];

/// Returns the stem of a word in lower case.
pub fn stem(word: &str, language: Language) -> String {
    with_stem(word, language, |start, ending| [start, ending].concat())
}

/// Whether a word in lower case has this stem.
pub fn has_stem(word: &str, stem: &str, language: Language) -> bool {
    may_have_stem(word, stem, language)
        && with_stem(word, language, |start, ending| stem.strip_prefix(start) == Some(ending))
}

/// Whether a word can have this stem, by their first letters: most words are rejected without computing their stem.
fn may_have_stem(word: &str, stem: &str, language: Language) -> bool {
    match Language::of_word(word).unwrap_or(language) {
        // Only the ending of a word changes; in `dying`, which becomes `die`, it begins with the second letter.
        Language::English => match (word.as_bytes(), stem.as_bytes()) {
            ([first, second, ..], [of_first, of_second, ..]) => {
                first == of_first && (second == of_second || word.ends_with("ying"))
            }
            (word, stem) => word.first() == stem.first(),
        },
        // Arabic words lose their beginning too.
        _ => true,
    }
}

/// Calls a function with the stem of a word in lower case: the start that it shares with the word, and what follows.
pub(crate) fn with_stem<T>(word: &str, language: Language, then: impl FnOnce(&str, &str) -> T) -> T {
    if word.len() > LONGEST {
        return then(word, "");
    }
    let language = Language::of_word(word).unwrap_or(language);
    let Some(key) = cache_key(word) else { return then(&algorithm(language).stem(word), "") };
    CACHE.with_borrow_mut(|cache| {
        let slot = slot(key);
        let known = CachedStem::from_number(cache.stems[slot]);
        if cache.words[slot] == key && known.length == word.len() as u8 && known.language == language as u8 {
            let (start, ending) = known.of(word);
            return then(start, ending);
        }
        let found = algorithm(language).stem(word);
        if let Some(stem) = CachedStem::new(word, &found, language) {
            (cache.words[slot], cache.stems[slot]) = (key, stem.number());
        }
        then(&found, "")
    })
}

fn algorithm(language: Language) -> Stemmer {
    Stemmer::new(match language {
        Language::English => Algorithm::English,
        Language::Arabic => Algorithm::Arabic,
        Language::Greek => Algorithm::Greek,
        Language::Hindi => Algorithm::Hindi,
        Language::Russian => Algorithm::Russian,
    })
}

thread_local! {
    /// Most words of a text were seen before, and computing a stem takes fifty times as long as finding it here.
    static CACHE: RefCell<Cache> =
        RefCell::new(Cache { words: vec![0; CACHED_WORDS], stems: vec![0; CACHED_WORDS] });
}

/// Words with their stems, by the hash of the word. Zeros, which stand for the empty word, take no time to allocate.
struct Cache {
    words: Vec<u128>,
    stems: Vec<u32>,
}

/// The stem of a cached word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct CachedStem {
    /// Length of the word, which its key does not contain.
    length: u8,
    language: u8,
    /// Number of bytes that it shares with the word.
    shared: u8,
    /// What follows, as a position in [`ENDINGS`].
    ending: u8,
}

impl CachedStem {
    fn new(word: &str, stem: &str, language: Language) -> Option<Self> {
        let shared =
            word.bytes().zip(stem.bytes()).take_while(|(of_word, of_stem)| of_word == of_stem).count();
        let ending = ENDINGS.iter().position(|ending| Some(*ending) == stem.get(shared..))?;
        Some(CachedStem {
            length: word.len() as u8,
            language: language as u8,
            shared: shared as u8,
            ending: ending as u8,
        })
    }

    fn of(self, word: &str) -> (&str, &'static str) {
        (&word[..usize::from(self.shared)], ENDINGS[usize::from(self.ending)])
    }

    fn number(self) -> u32 {
        u32::from_le_bytes([self.length, self.language, self.shared, self.ending])
    }

    fn from_number(number: u32) -> Self {
        let [length, language, shared, ending] = number.to_le_bytes();
        CachedStem { length, language, shared, ending }
    }
}

/// Returns a number that differs from those of all other words of the same length, if the word is short enough: its
/// first and last bytes, which overlap.
fn cache_key(word: &str) -> Option<u128> {
    let word = word.as_bytes();
    if word.len() > CACHED_LENGTH {
        return None;
    }
    if let (Some(first), Some(last)) = (word.first_chunk(), word.last_chunk()) {
        return Some(u128::from(u64::from_le_bytes(*first)) | u128::from(u64::from_le_bytes(*last)) << 64);
    }
    if let (Some(first), Some(last)) = (word.first_chunk(), word.last_chunk()) {
        return Some(u128::from(u32::from_le_bytes(*first)) | u128::from(u32::from_le_bytes(*last)) << 32);
    }
    Some(word.iter().fold(0, |key, byte| key << 8 | u128::from(*byte)))
}

/// Returns the place of a word in the cache: its bytes, multiplied and folded, which is cheaper than a hash of each byte.
fn slot(key: u128) -> usize {
    let mixed = (key as u64 ^ ((key >> 64) as u64).rotate_left(29)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 40) as usize % CACHED_WORDS
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
        check("capabilities", "capabl");
        check("sky", "sky");
        check("skies", "sky");
        check("is", "is");
        check("", "");
    }

    #[test]
    fn words_are_compared_by_their_stems() {
        let has = |word: &str, stem: &str| has_stem(word, stem, Language::English);
        assert!(has("connections", "connect") && has("dying", "die") && has("ties", "tie") && has("a", "a"));
        assert!(!has("connections", "connection") && !has("dying", "dy") && !has("", "a") && !has("a", ""));
    }

    #[test]
    fn no_word_is_rejected_by_its_first_letters() {
        let letters = || ('a'..='z').chain(['0', 'é']).map(String::from);
        let pairs = letters().flat_map(|first| letters().map(move |second| first.clone() + &second));
        let endings = [
            "", "s", "es", "ies", "sses", "ied", "ed", "edly", "eed", "ing", "ying", "ingly", "bbed",
            "tting", "y", "ly", "ational", "ator", "fully", "iveness", "ement", "ion", "e", "l", "ll",
            "able", "ical", "er",
        ];
        for start in letters().chain(pairs).chain(["sk", "id", "gent", "ear", "on", "sing"].map(String::from))
        {
            for word in endings.map(|ending| format!("{start}{ending}")) {
                let found = stem(&word, Language::English);
                assert!(may_have_stem(&word, &found, Language::English), "{word}: {found}");
            }
        }
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
