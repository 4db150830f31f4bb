//! The language of a page.

use crate::language::foreign_share;
use crate::search_terms::folded_words;
use crate::stem::Language;
use crate::stop_words::is_content_word;

/// Number of characters of a text that decide its language.
const SAMPLE: usize = 1000;

/// Minimum number of words: fewer say too little about their language.
const MIN_WORDS: usize = 12;

/// Share of English stop words that makes a text English. Few texts in other languages reach a tenth of it.
const ENGLISH_SHARE: f64 = 0.2;

/// Share of its own stop words below which a text in one of the languages of [`HAVE_STOP_WORDS`] is something else, such as
/// a list of names.
const OWN_SHARE: f64 = 0.1;

/// Languages in Latin script whose stop words are known.
const HAVE_STOP_WORDS: [Language; 9] = [
    Language::Danish,
    Language::Dutch,
    Language::French,
    Language::German,
    Language::Italian,
    Language::Norwegian,
    Language::Portuguese,
    Language::Spanish,
    Language::Swedish,
];

/// Returns the language of a text; English if it cannot be known.
pub fn language_of(text: &str) -> Language {
    let end = text.char_indices().nth(SAMPLE).map_or(text.len(), |(at, _)| at);
    let sample = &text[..end];
    let mut words = Vec::new();
    folded_words(sample, &mut |word| words.push(word.to_owned()));
    let english = words.iter().filter(|word| !is_content_word(word)).count();
    // Most texts are decided here, without the slower detector.
    if words.len() < MIN_WORDS || english as f64 >= words.len() as f64 * ENGLISH_SHARE {
        return Language::English;
    }
    let found = whatlang::detect(sample).filter(whatlang::Info::is_reliable);
    let found = found.and_then(|found| Language::detected(found.lang()));
    let is_plausible =
        |language: &Language| !HAVE_STOP_WORDS.contains(language) || foreign_share(&words) >= OWN_SHARE;
    found.filter(is_plausible).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Language) {
        assert_eq!(language_of(text), expected, "{text}");
    }

    #[test]
    fn texts_are_known_by_their_language() {
        check(
            "Die Brücke wurde im Jahr 1911 gebaut und verbindet seitdem die beiden Teile der Stadt, die vorher nur \
             mit der Fähre zu erreichen waren.",
            Language::German,
        );
        check(
            "La organización fue fundada en 1998 por un grupo de ingenieros que querían mejorar el transporte público \
             de la ciudad.",
            Language::Spanish,
        );
        check(
            "Le projet a été présenté aux habitants du quartier, qui ont posé beaucoup de questions sur les délais et \
             les coûts.",
            Language::French,
        );
        check(
            "Мост был построен в 1911 году и соединяет с тех пор две части города, между которыми ходил паром.",
            Language::Russian,
        );
        check(
            "The bridge was built in 1911 and has since then connected both parts of the city, which could only be \
             reached by ferry before.",
            Language::English,
        );
    }

    #[test]
    fn short_texts_lists_and_code_are_english() {
        for text in [
            "",
            "Die Brücke",
            "- foo\n- bar",
            "fn main() { let x = 1; }",
            "amarano lumina torrefato bellina carvasso dolmetta firenzola gattino maldera novello pintora quadrone rosello \
             sartina tombello vermina",
            "TODO refactor parser; add tests; ship v2; bump deps; rename crate; fix CI; write docs",
        ] {
            check(text, Language::English);
        }
    }
}
