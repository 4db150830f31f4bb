//! The words that a word typed without accents may stand for.

use crate::stem::Language;

/// Number of letters at the end of a word that decide its stem.
const ENDING: usize = 4;

/// Returns the word with one or two accents in its ending, in each way that the language allows.
pub(super) fn accented(word: &str, language: Language) -> Vec<String> {
    let start = word.len().saturating_sub(ENDING);
    let once = with_one_accent(word, start, language);
    let twice = once.iter().flat_map(|word| with_one_accent(word, start, language)).collect::<Vec<String>>();
    once.into_iter().chain(twice).collect()
}

fn with_one_accent(word: &str, start: usize, language: Language) -> Vec<String> {
    let mut words = Vec::new();
    for (at, letter) in word.char_indices().filter(|(at, _)| *at >= start) {
        for accented in accents(language, letter).chars() {
            words.push(format!("{}{accented}{}", &word[..at], &word[at + letter.len_utf8()..]));
        }
    }
    words
}

/// Returns the letters that are commonly typed as this one. Stems of other languages do not depend on their accents, or
/// few people leave them out.
fn accents(language: Language, letter: char) -> &'static str {
    match (language, letter) {
        (Language::Spanish, 'a') => "á",
        (Language::Spanish, 'e') => "é",
        (Language::Spanish, 'i') => "í",
        (Language::Spanish, 'o') => "ó",
        (Language::Spanish, 'n') => "ñ",
        (Language::French, 'e') => "éè",
        (Language::French, 'a') => "â",
        (Language::French, 'i') => "î",
        (Language::Portuguese, 'a') => "áâã",
        (Language::Portuguese, 'e') => "éê",
        (Language::Portuguese, 'i') => "í",
        (Language::Portuguese, 'o') => "óõ",
        (Language::Portuguese, 'c') => "ç",
        (Language::Italian, 'a') => "à",
        (Language::Italian, 'e') => "èé",
        (Language::Italian, 'i') => "ì",
        (Language::Italian, 'o') => "ò",
        _ => "",
    }
}
