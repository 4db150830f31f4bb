//! What the name of a relation says: its verb or noun, its direction, and whether it is over.

use crate::predicates::says_past;

use super::word_lists::{is_one_of, is_past_form, verbs};

/// Verbs of what lasts, with whatever follows them: who `worked_at` a place is no longer there, but who `invested_in` a
/// company or `met` somebody always did.
const STAYING: [&str; 19] = [
    "work",
    "live",
    "reside",
    "dwell",
    "study",
    "serve",
    "belong",
    "report",
    "volunteer",
    "intern",
    "stay",
    "lecture",
    "teach",
    "play",
    "consult",
    "train",
    "sing",
    "lodge",
    "freelance",
];

/// The same for verbs with an object. With a preposition their past form is a participle: `managed_by`, `owned_with`.
const HOLDING: [&str; 15] = [
    "own",
    "lead",
    "manage",
    "run",
    "head",
    "coach",
    "advise",
    "chair",
    "supervise",
    "mentor",
    "represent",
    "captain",
    "know",
    "employ",
    "supply",
];

/// Verbs and nouns of belonging to a company, a group or a place, which one joins and leaves.
const BELONGING: [&str; 20] = [
    "work",
    "employ",
    "employer",
    "employee",
    "member",
    "belong",
    "serve",
    "live",
    "reside",
    "play",
    "study",
    "teach",
    "intern",
    "volunteer",
    "join",
    "attend",
    "sing",
    "train",
    "enroll",
    "consult",
];

/// The name of a relation.
pub(super) struct RelationName {
    /// Stems of its words.
    pub stems: Vec<String>,
    /// Whether it is passive, describing what is done to the page it is on.
    pub passive: bool,
    /// Whether it says that the relation is over: `former_ceo_of`, `worked_at`.
    pub is_over: bool,
    /// Whether it is a role at the page it leads to: `ceo_of`.
    pub is_role_of: bool,
}

impl RelationName {
    /// Reads a name.
    pub(super) fn of(relation: &str) -> RelationName {
        let words = relation.split(|letter: char| !letter.is_alphanumeric()).map(str::to_lowercase);
        let words: Vec<String> = words.filter(|word| !word.is_empty()).collect();
        let last = words.last().map(String::as_str).unwrap_or_default();
        let (passive, is_role_of) = (last == "by", last == "of");
        RelationName { stems: verbs(&words), passive, is_over: is_over(&words, passive), is_role_of }
    }

    /// Whether one can join and leave what the relation leads to.
    pub(super) fn is_belonging(&self) -> bool {
        self.is_role_of || self.stems.iter().any(|stem| is_one_of(&BELONGING, stem))
    }
}

fn is_over(words: &[String], passive: bool) -> bool {
    let plain: Vec<&str> = words.iter().map(String::as_str).collect();
    if says_past(&plain) {
        return true;
    }
    // `has_worked_at` includes the present; `employed_by` is the present.
    let Some(verb) = words.first().filter(|word| !passive && is_past_form(word)) else { return false };
    let verb = verbs(std::slice::from_ref(verb));
    let is = |list: &[&str]| verb.iter().any(|verb| is_one_of(list, verb));
    is(&STAYING) || words.len() == 1 && is(&HOLDING)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_whether_the_relation_is_over() {
        for name in
            ["worked_at", "used_to_work_at", "former_ceo_of", "once_advised", "ex-wife", "led", "Lived in"]
        {
            assert!(RelationName::of(name).is_over, "{name}");
        }
        for name in [
            "works_at",
            "owned_by",
            "led_by",
            "based_in",
            "married_to",
            "invested_in",
            "founded",
            "met",
            "ceo_of",
            "known_for",
            "managed_with",
            "",
        ] {
            assert!(!RelationName::of(name).is_over, "{name}");
        }
    }

    #[test]
    fn one_joins_what_one_belongs_to() {
        for (name, expected) in [("works_at", true), ("ceo_of", true), ("lives_in", true), ("knows", false)] {
            assert_eq!(RelationName::of(name).is_belonging(), expected, "{name}");
        }
    }
}
