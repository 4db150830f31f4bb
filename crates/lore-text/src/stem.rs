//! Stems: the part that the forms of a word share, by the Snowball algorithm of its language.
//!
//! The index stores stems, so a release of the Snowball crate that changes an algorithm needs a new version of the index.

use std::cell::RefCell;

use frostem::{Algorithm, Stemmer};

/// Lists the languages: name, code of ISO 639-1, language of the detector.
macro_rules! languages {
    ($($name:ident $code:literal $detected:ident,)*) => {
        /// A language whose words can be stemmed.
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
        pub enum Language {
            /// English, also for texts in a language that is not known.
            #[default]
            English,
            $(#[doc = stringify!($name)] $name,)*
        }

        impl Language {
            /// Returns its code of ISO 639-1.
            pub fn code(self) -> &'static str {
                match self {
                    Language::English => "en",
                    $(Language::$name => $code,)*
                }
            }

            /// Returns the language with a code of ISO 639-1, also with a region: `de`, `pt-BR`.
            pub fn from_code(code: &str) -> Option<Language> {
                match code.split(['-', '_']).next()?.to_ascii_lowercase().as_str() {
                    "en" => Some(Language::English),
                    "nb" | "nn" => Some(Language::Norwegian),
                    $($code => Some(Language::$name),)*
                    _ => None,
                }
            }

            /// Returns the language that the detector found.
            pub(crate) fn detected(found: whatlang::Lang) -> Option<Language> {
                match found {
                    whatlang::Lang::Eng => Some(Language::English),
                    $(whatlang::Lang::$detected => Some(Language::$name),)*
                    _ => None,
                }
            }

            fn algorithm(self) -> Algorithm {
                match self {
                    Language::English => Algorithm::English,
                    $(Language::$name => Algorithm::$name,)*
                }
            }
        }
    };
}

languages! {
    Arabic "ar" Ara,
    Armenian "hy" Hye,
    Catalan "ca" Cat,
    Czech "cs" Ces,
    Danish "da" Dan,
    Dutch "nl" Nld,
    Estonian "et" Est,
    Finnish "fi" Fin,
    French "fr" Fra,
    German "de" Deu,
    Greek "el" Ell,
    Hindi "hi" Hin,
    Hungarian "hu" Hun,
    Indonesian "id" Ind,
    Italian "it" Ita,
    Lithuanian "lt" Lit,
    Nepali "ne" Nep,
    Norwegian "no" Nob,
    Persian "fa" Pes,
    Polish "pl" Pol,
    Portuguese "pt" Por,
    Romanian "ro" Ron,
    Russian "ru" Rus,
    Serbian "sr" Srp,
    Spanish "es" Spa,
    Swedish "sv" Swe,
    Tamil "ta" Tam,
    Turkish "tr" Tur,
    Ukrainian "uk" Ukr,
}

/// A script that several languages share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Script {
    Arabic,
    Armenian,
    Cyrillic,
    Devanagari,
    Greek,
    Latin,
    Tamil,
}

impl Script {
    fn of_word(word: &str) -> Script {
        match word.chars().next() {
            Some('\u{370}'..='\u{3ff}') => Script::Greek,
            Some('\u{400}'..='\u{4ff}') => Script::Cyrillic,
            Some('\u{530}'..='\u{58f}') => Script::Armenian,
            Some('\u{600}'..='\u{6ff}') => Script::Arabic,
            Some('\u{900}'..='\u{97f}') => Script::Devanagari,
            Some('\u{b80}'..='\u{bff}') => Script::Tamil,
            _ => Script::Latin,
        }
    }

    /// Returns the language of a word in this script if the text around it is written in another.
    fn main_language(self) -> Language {
        match self {
            Script::Arabic => Language::Arabic,
            Script::Armenian => Language::Armenian,
            Script::Cyrillic => Language::Russian,
            Script::Devanagari => Language::Hindi,
            Script::Greek => Language::Greek,
            Script::Latin => Language::English,
            Script::Tamil => Language::Tamil,
        }
    }
}

impl Language {
    fn is_written_in(self, script: Script) -> bool {
        let own = match self {
            Language::Arabic | Language::Persian => Script::Arabic,
            Language::Armenian => Script::Armenian,
            Language::Greek => Script::Greek,
            Language::Hindi | Language::Nepali => Script::Devanagari,
            Language::Russian | Language::Ukrainian => Script::Cyrillic,
            Language::Tamil => Script::Tamil,
            Language::Serbian => return matches!(script, Script::Cyrillic | Script::Latin),
            _ => Script::Latin,
        };
        own == script
    }

    /// Returns the language of a word in a text of this language.
    fn of_word(self, word: &str) -> Language {
        let script = Script::of_word(word);
        if self.is_written_in(script) { self } else { script.main_language() }
    }

    /// Whether its stems depend on accents, so that words are stemmed before accents are dropped.
    pub(crate) fn has_accents(self) -> bool {
        self != Language::English && self.is_written_in(Script::Latin)
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
    match language.of_word(word) {
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
    let language = language.of_word(word);
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
    Stemmer::new(language.algorithm())
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
