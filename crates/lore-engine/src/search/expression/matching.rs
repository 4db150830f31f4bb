//! Finds the terms of a query in a text, as the index's tokenizer would.

use lore_text::is_unspaced;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::Prepared;

/// Counts the terms found in a text.
pub(in crate::search) fn count_terms(line: &str, query: &Prepared) -> usize {
    matches(line, &Term::all(query)).0.count_ones() as usize
}

/// A term of a query.
pub(in crate::search) struct Term {
    folded: String,
    stem: String,
    /// Whether it may occur anywhere in a line, not only as a word.
    anywhere: bool,
    /// Whether it may be a word prefix.
    beginning: bool,
}

impl Term {
    /// Returns the terms of a query.
    pub(in crate::search) fn all(query: &Prepared) -> Vec<Term> {
        query.terms.iter().map(|term| Term::new(term, query.beginning.as_ref() == Some(term))).collect()
    }

    fn new(term: &str, beginning: bool) -> Self {
        let folded = plain(term);
        let anywhere = term.chars().any(is_unspaced) || !folded.chars().all(char::is_alphanumeric);
        Term { stem: stem(&folded).to_owned(), folded, anywhere, beginning }
    }

    fn is(&self, word: &str) -> bool {
        // All forms of a word share their first letters, so most words are rejected quickly.
        if word.as_bytes().get(..2) != self.folded.as_bytes().get(..2) {
            return false;
        }
        word == self.folded || self.beginning && word.starts_with(&self.folded) || stem(word) == self.stem
    }
}

/// Returns a bit for each term found, and the total number of matching words.
pub(in crate::search) fn matches(line: &str, terms: &[Term]) -> (u64, u32) {
    let line = plain(line);
    let (mut found, mut hits) = (0u64, 0);
    let mut note = |at: usize, count: usize| {
        if count > 0 {
            found |= 1 << at.min(63);
            hits += count as u32;
        }
    };
    for word in line.split(|letter: char| !letter.is_alphanumeric()) {
        for (at, term) in terms.iter().enumerate().filter(|(_, term)| !term.anywhere) {
            note(at, usize::from(term.is(word)));
        }
    }
    for (at, term) in terms.iter().enumerate().filter(|(_, term)| term.anywhere) {
        note(at, line.matches(term.folded.as_str()).count());
    }
    (found, hits)
}

/// Folds to lower case without accents, as the index does.
fn plain(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    text.nfd().filter(|letter| !is_combining_mark(*letter)).flat_map(char::to_lowercase).collect()
}

/// Strips the most common English endings: enough to find the line that the index's stemmer matched.
pub(in crate::search) fn stem(word: &str) -> &str {
    for ending in ["ations", "ation", "ings", "ing", "ions", "ion", "ies", "ed", "es", "ly", "s", "y", "e"] {
        if let Some(stem) = word.strip_suffix(ending)
            && stem.chars().count() >= 3
        {
            return undoubled(stem);
        }
    }
    word
}

/// Turns `runn` into `run`: a consonant is doubled before an ending. Some words end in a double letter themselves.
fn undoubled(stem: &str) -> &str {
    match stem.as_bytes() {
        [.., before, last] if before == last && last.is_ascii_alphabetic() && !b"aeioulsz".contains(last) => {
            &stem[..stem.len() - 1]
        }
        _ => stem,
    }
}
