//! The words of a question, and the names of pages in it.

use std::collections::BTreeMap;
use std::ops::Range;

use lore_ports::{KeyKind, NameQuery, PageNo};
use lore_text::fold;

use crate::context::VaultContext;
use crate::error::Result;
use crate::search::expression::without_politeness;

use super::word_lists::BEGINNINGS;

/// Maximum number of words of a name.
const NAME_WORDS: usize = 6;

/// Maximum number of words of a relational question.
pub(super) const QUESTION_WORDS: usize = 24;

/// The question's words, folded and stripped of punctuation.
pub(super) struct Words {
    pub folded: Vec<String>,
    /// Whether the word ended in `'s`, or was a plural with an apostrophe.
    pub possessive: Vec<bool>,
}

impl Words {
    /// Reads a question, without what stands before it out of politeness.
    pub(super) fn of(question: &str) -> Self {
        let question = without_politeness(question);
        // An apostrophe after a plural is no end of a quotation.
        let is_quoted = question.split_whitespace().any(|word| word.starts_with(['\'', '‘']));
        let mut words = Words { folded: Vec::new(), possessive: Vec::new() };
        for typed in question.split_whitespace().take(QUESTION_WORDS + 1) {
            let plain = fold(typed.trim_matches(|letter: char| !letter.is_alphanumeric()));
            if plain.is_empty() {
                continue;
            }
            let owner = plain.strip_suffix("'s").or(plain.strip_suffix("’s")).map(str::to_owned);
            if let Some(word) = owner.as_ref().filter(|word| BEGINNINGS.contains(&word.as_str())) {
                // "Who's" is "who is".
                words.push(word.clone(), false);
                words.push("is".to_owned(), false);
                continue;
            }
            // An ex-director is a former one.
            let former = plain.strip_prefix("ex-").filter(|rest| rest.len() > 2).map(str::to_owned);
            if former.is_some() {
                words.push("former".to_owned(), false);
            }
            let is_plural = !is_quoted && (typed.ends_with("s'") || typed.ends_with("s’"));
            let is_possessive = owner.is_some() || is_plural;
            words.push(owner.or(former).unwrap_or(plain), is_possessive);
        }
        words
    }

    /// Adds a word.
    pub(super) fn push(&mut self, word: String, is_possessive: bool) {
        self.folded.push(word);
        self.possessive.push(is_possessive);
    }

    /// Finds the page names in the question, longest first, each with the pages of that name.
    pub(super) fn named(&self, context: &VaultContext) -> Result<Vec<(Range<usize>, Vec<PageNo>)>> {
        let mut spans: BTreeMap<String, Range<usize>> = BTreeMap::new();
        for start in 0..self.folded.len() {
            for end in start + 1..=(start + NAME_WORDS).min(self.folded.len()) {
                // A question begins with another word than a name, unless it begins with whose something is.
                if start == 0 && !self.possessive[end - 1] {
                    continue;
                }
                spans.entry(self.folded[start..end].join(" ")).or_insert(start..end);
            }
        }
        let names: Vec<&str> = spans.keys().map(String::as_str).collect();
        let mut rows = context.store().lookup(context.project(), &NameQuery::Exact(&names))?;
        rows.retain(|row| matches!(row.kind, KeyKind::Title | KeyKind::Alias | KeyKind::Slug));
        let mut named: Vec<(Range<usize>, Vec<PageNo>)> = Vec::new();
        for row in rows {
            let Some(span) = spans.get(&row.key) else { continue };
            match named.iter_mut().find(|(known, _)| known == span) {
                Some((_, pages)) if pages.contains(&row.page) => {}
                Some((_, pages)) => pages.push(row.page),
                None => named.push((span.clone(), vec![row.page])),
            }
        }
        named.sort_by_key(|(span, _)| (std::cmp::Reverse(span.len()), span.start));
        Ok(named)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_plain_and_know_whose_something_is() {
        for (question, expected) in [
            ("Can you tell me who's the CEO of Acme?", "who is the ceo of acme"),
            ("Ada's role ?", "ada' role"),
            ("the Blue Herons' coach", "the blue herons' coach"),
            ("who works at 'Acme Labs'", "who works at acme labs"),
            ("ex-director of Acme", "former director of acme"),
        ] {
            let words = Words::of(question);
            let mark = |is_possessive: bool| if is_possessive { "'" } else { "" };
            let found: Vec<String> = (words.folded.iter().zip(&words.possessive))
                .map(|(word, possessive)| format!("{word}{}", mark(*possessive)))
                .collect();
            assert_eq!(found.join(" "), expected, "{question}");
        }
    }
}
