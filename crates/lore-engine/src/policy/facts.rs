//! Declared single-valued facts: a new value ends the previous one, and two live values are a contradiction.

use lore_text::fold;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

/// What a vault declares about its predicates. It precedes what Lore knows about them.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Facts {
    /// Predicates that have one value at a time.
    pub single: Vec<PredicatePattern>,
    /// Predicates that can have several.
    pub many: Vec<PredicatePattern>,
}

impl Facts {
    /// Whether a predicate is declared to have one value at a time; none if nothing is declared. If both lists match,
    /// the longer pattern counts, and of two equally long ones the one in `many`.
    pub fn declared(&self, predicate: &str) -> Option<bool> {
        let predicate = plain_predicate(predicate);
        let longest = |patterns: &[PredicatePattern]| {
            patterns.iter().filter(|one| one.matches(&predicate)).map(PredicatePattern::length).max()
        };
        match (longest(&self.single), longest(&self.many)) {
            (None, None) => None,
            (single, many) => Some(single > many),
        }
    }
}

/// Normalizes a predicate for comparison: `Lives-In` becomes `lives_in`.
pub fn plain_predicate(predicate: &str) -> String {
    fold(predicate.trim()).replace(['-', ' '], "_")
}

/// A predicate with `*` for any part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PredicatePattern(String);

impl PredicatePattern {
    /// Number of characters that it specifies.
    fn length(&self) -> usize {
        self.0.chars().filter(|letter| *letter != '*').count()
    }

    /// Whether it matches a normalized predicate.
    fn matches(&self, predicate: &str) -> bool {
        let Some((start, rest)) = self.0.split_once('*') else { return self.0 == predicate };
        let Some(mut left) = predicate.strip_prefix(start) else { return false };
        let parts: Vec<&str> = rest.split('*').collect();
        let Some((last, middle)) = parts.split_last() else { return true };
        for part in middle {
            match left.find(part) {
                Some(at) => left = &left[at + part.len()..],
                None => return false,
            }
        }
        left.ends_with(last)
    }
}

impl<'de> Deserialize<'de> for PredicatePattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let known = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '*');
        match !text.is_empty() && text.chars().all(known) {
            true => Ok(PredicatePattern(plain_predicate(&text))),
            false => Err(D::Error::custom(format!("{text:?} is not a predicate or a pattern of predicates"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::policy::Policy;

    #[test]
    fn more_specific_declaration_counts() {
        let policy = "[facts]\nsingle = [\"works-at\", \"has_*_of\", \"role\"]\n\
                      many = [\"has_*friend*\", \"*\", \"state\"]\n";
        let facts = Policy::parse(policy).expect("a policy").facts;
        for (predicate, single) in [
            ("works_at", true),
            ("Works-At", true),
            ("has_head_of", true),
            ("has_best_friend_of", false),
            ("has_of", false),
            ("role", true),
            ("state", false),
            ("anything", false),
        ] {
            assert_eq!(facts.declared(predicate), Some(single), "{predicate}");
        }
        let facts = Policy::parse("[facts]\nmany = [\"role\"]\n").expect("a policy").facts;
        assert_eq!((facts.declared("role"), facts.declared("status")), (Some(false), None));
    }

    #[test]
    fn invalid_predicate_is_reported_with_its_line() {
        for text in ["[facts]\nsingle = [\"a b\"]\n", "[facts]\nmany = [\"\"]\n", "[facts]\nsome = []\n"] {
            let (line, _) = Policy::parse(text).expect_err(text);
            assert_eq!(line, Some(2), "{text}");
        }
    }
}
