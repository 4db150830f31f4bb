//! Finds the terms of a query in a text, by the same rules as the index.

use lore_text::{Language, folded_words, has_stem, is_unspaced, query_terms, stem};

use super::Prepared;

/// Counts the terms found in a text.
pub(in crate::search) fn count_terms(line: &str, terms: &[Term]) -> usize {
    matches(line, terms).0.count_ones() as usize
}

/// A term of a query.
pub(in crate::search) struct Term {
    /// The word in lower case; of a phrase, its words, each after a space: a term of a script without spaces has one for
    /// each character.
    folded: String,
    stem: String,
    /// Its stems in other languages than English.
    other_stems: Vec<String>,
    /// Whether it is found in a line as a whole, not by its words.
    is_phrase: bool,
    /// Whether it may be a word prefix.
    beginning: bool,
}

impl Term {
    /// Returns the terms of a query.
    pub(in crate::search) fn all(query: &Prepared) -> Vec<Term> {
        let is_beginning = |term: &String| query.beginning.as_ref() == Some(term);
        query.terms.iter().map(|term| Term::new(term, is_beginning(term), &query.languages)).collect()
    }

    fn new(term: &str, beginning: bool, languages: &[Language]) -> Self {
        let mut folded = spaced_words(term);
        let is_phrase = term.chars().any(is_unspaced) || folded.matches(' ').count() != 1;
        if !is_phrase {
            folded.remove(0);
        }
        let mut other_stems = Vec::new();
        if !is_phrase {
            let others = languages.iter().filter(|language| **language != Language::English);
            other_stems.extend(others.flat_map(|language| query_terms(term, *language)));
            other_stems.retain(|stem| stem.len() >= MIN_STEM);
        }
        Term { stem: stem(&folded, Language::English), other_stems, folded, is_phrase, beginning }
    }

    /// Returns the word in lower case; of a phrase, its words.
    pub(in crate::search) fn text(&self) -> &str {
        self.folded.trim_start()
    }

    pub(in crate::search) fn is(&self, word: &str) -> bool {
        if word.as_bytes().first() != self.folded.as_bytes().first() {
            return false;
        }
        word == self.folded
            || self.beginning && word.starts_with(&self.folded)
            || has_stem(word, &self.stem, Language::English)
            || self.other_stems.iter().any(|stem| may_have_stem(word, stem))
    }
}

/// Minimum length in bytes of a stem that is looked for at the beginning of words.
const MIN_STEM: usize = 3;

/// Maximum length in bytes of what follows a stem in a word.
const MAX_ENDING: usize = 6;

/// Whether a word of another language than English has a stem, as far as that is known without its accents.
fn may_have_stem(word: &str, stem: &str) -> bool {
    word.strip_prefix(stem).is_some_and(|ending| ending.len() <= MAX_ENDING)
}

/// Counts terms in many texts.
pub(in crate::search) struct TermCounter<'t> {
    terms: &'t [Term],
    /// All forms of a word share their first letter, so most words are rejected quickly.
    first_bytes: [bool; 256],
    has_phrases: bool,
}

impl<'t> TermCounter<'t> {
    /// Returns a counter of these terms.
    pub(in crate::search) fn new(terms: &'t [Term]) -> Self {
        let mut first_bytes = [false; 256];
        let words = terms.iter().filter(|term| !term.is_phrase);
        let bytes = words.filter_map(|term| term.folded.bytes().next());
        bytes.for_each(|byte| first_bytes[usize::from(byte)] = true);
        TermCounter { terms, first_bytes, has_phrases: terms.iter().any(|term| term.is_phrase) }
    }

    /// Adds the occurrences of each term in a text to `counts`, and calls `each` with every word.
    pub(in crate::search) fn count(&self, text: &str, counts: &mut [u16], each: &mut dyn FnMut(&str)) {
        folded_words(text, &mut |word| {
            each(word);
            if !word.bytes().next().is_some_and(|byte| self.first_bytes[usize::from(byte)]) {
                return;
            }
            for (term, count) in self.terms.iter().zip(&mut *counts).filter(|(term, _)| !term.is_phrase) {
                *count += u16::from(term.is(word));
            }
        });
        if self.has_phrases {
            let spaced = spaced_words(text);
            for (term, count) in self.terms.iter().zip(counts).filter(|(term, _)| term.is_phrase) {
                if !term.folded.is_empty() {
                    *count += spaced.matches(term.folded.as_str()).count().min(usize::from(u8::MAX)) as u16;
                }
            }
        }
    }
}

/// Returns a bit for each term found, and the total number of matching words.
pub(in crate::search) fn matches(line: &str, terms: &[Term]) -> (u64, u32) {
    let (mut found, mut hits) = (0u64, 0);
    let mut note = |at: usize, count: usize| {
        if count > 0 {
            found |= 1 << at.min(63);
            hits += count as u32;
        }
    };
    // All forms of a word share their first letter, so most words are rejected quickly.
    let mut first_bytes = [false; 256];
    let words = terms.iter().filter(|term| !term.is_phrase);
    words
        .filter_map(|term| term.folded.bytes().next())
        .for_each(|byte| first_bytes[usize::from(byte)] = true);
    folded_words(line, &mut |word| {
        if !word.bytes().next().is_some_and(|byte| first_bytes[usize::from(byte)]) {
            return;
        }
        for (at, term) in terms.iter().enumerate().filter(|(_, term)| !term.is_phrase) {
            note(at, usize::from(term.is(word)));
        }
    });
    if terms.iter().any(|term| term.is_phrase) {
        let line = spaced_words(line);
        for (at, term) in terms.iter().enumerate().filter(|(_, term)| term.is_phrase) {
            note(at, if term.folded.is_empty() { 0 } else { line.matches(term.folded.as_str()).count() });
        }
    }
    (found, hits)
}

/// Returns the folded words of a text, each after a space.
fn spaced_words(text: &str) -> String {
    let mut words = String::with_capacity(text.len());
    folded_words(text, &mut |word| {
        words.push(' ');
        words.push_str(word);
    });
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::expression::prepare;

    #[track_caller]
    fn check(query: &str, line: &str, expected: u32) {
        assert_eq!(matches(line, &Term::all(&prepare(query))).1, expected, "{query} in {line}");
    }

    #[test]
    fn forms_of_a_word_are_found() {
        check("running shoes ", "She runs in her SHOE, and ran", 2);
        check("dying swans ", "to die like a swan", 2);
        check("jürgen", "Jurgen and Ju\u{308}rgen", 2);
        check("conn", "connected connections, con", 2);
    }

    #[test]
    fn other_scripts_are_found() {
        check("東京", "東京と東京都、京都", 2);
        check("हिन्दी भाषा ", "हिन्दी एक भाषा है", 2);
    }
}
