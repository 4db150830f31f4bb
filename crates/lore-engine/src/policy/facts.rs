//! Single-valued facts: a new value ends the previous one, and two live values are a contradiction.

use lore_text::fold;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

/// Predicates that are single-valued by default.
const SINGLE: [&str; 34] = [
    "is_*",
    "role",
    "title",
    "job_title",
    "position",
    "status",
    "state",
    "stage",
    "phase",
    "priority",
    "version",
    "owner",
    "lead",
    "reports_to",
    "lives_in",
    "based_in",
    "located_in",
    "location",
    "address",
    "headquarters",
    "headquartered_in",
    "timezone",
    "birthday",
    "born_on",
    "born_in",
    "died_on",
    "age",
    "married_to",
    "spouse",
    "deadline",
    "due",
    "valuation",
    "headcount",
    "price",
];

/// Exceptions that may have several values.
const MANY: [&str; 21] = [
    "is_a",
    "is_an",
    "is_in",
    "is_on",
    "is_at",
    "is_part_of",
    "is_one_of",
    "is_*member_of",
    "is_*investor_in",
    "is_*advisor_*",
    "is_*adviser_*",
    "is_friend_of",
    "is_parent_of",
    "is_child_of",
    "is_sibling_of",
    "is_related_to",
    "is_known_*",
    "is_used_*",
    "is_interested_in",
    "is_responsible_for",
    "is_like",
];

/// Which predicates are single-valued.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Facts {
    /// Single-valued predicates.
    pub single: Vec<PredicatePattern>,
    /// Exceptions from these.
    pub many: Vec<PredicatePattern>,
}

impl Default for Facts {
    fn default() -> Self {
        let patterns =
            |words: &[&str]| words.iter().map(|word| PredicatePattern((*word).to_owned())).collect();
        Facts { single: patterns(&SINGLE), many: patterns(&MANY) }
    }
}

impl Facts {
    /// Whether a predicate has one value at a time per subject.
    pub fn is_single_valued(&self, predicate: &str) -> bool {
        let predicate = plain_predicate(predicate);
        let any = |patterns: &[PredicatePattern]| patterns.iter().any(|pattern| pattern.matches(&predicate));
        any(&self.single) && !any(&self.many)
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
    fn few_predicates_are_single_valued() {
        let facts = Policy::default().facts;
        for single in ["role", "Status", "lives-in", "is_ceo_of", "is_married_to", "reports_to", "born_on"] {
            assert!(facts.is_single_valued(single), "{single}");
        }
        for many in [
            "knows",
            "uses",
            "likes",
            "founded",
            "invested_in",
            "works_at",
            "is_a",
            "is_board_member_of",
            "is",
        ] {
            assert!(!facts.is_single_valued(many), "{many}");
        }
    }

    #[test]
    fn policy_overrides_the_defaults() {
        let policy = "[facts]\nsingle = [\"works-at\", \"has_*_of\"]\nmany = [\"has_*friend*\"]\n";
        let facts = Policy::parse(policy).expect("a policy").facts;
        for (predicate, single) in [
            ("works_at", true),
            ("has_head_of", true),
            ("has_best_friend_of", false),
            ("has_of", false),
            ("has_", false),
            ("role", false),
        ] {
            assert_eq!(facts.is_single_valued(predicate), single, "{predicate}");
        }
        let kept = Policy::parse("[facts]\nmany = [\"role\"]\n").expect("a policy").facts;
        assert!(kept.is_single_valued("status") && !kept.is_single_valued("role"));
    }

    #[test]
    fn invalid_predicate_is_reported_with_its_line() {
        for text in ["[facts]\nsingle = [\"a b\"]\n", "[facts]\nmany = [\"\"]\n", "[facts]\nsome = []\n"] {
            let (line, _) = Policy::parse(text).expect_err(text);
            assert_eq!(line, Some(2), "{text}");
        }
    }
}
