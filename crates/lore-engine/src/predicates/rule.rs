//! What a predicate's own words say about its values. Pure.

use lore_text::PartialDate;
use lore_text::quantity::readings;

use crate::policy::plain_predicate;

use super::words::{
    AUXILIARIES, COUNTING_FRONTS, COUNTS, MANY, MANY_HEADS, NOT_PLURAL, ONE, ONE_FRONTS, ONE_HEADS, PAST,
    PREPOSITIONS, SPELLINGS, SYNONYMS,
};

/// On what the number of values of a predicate is based.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Basis {
    /// Known to have one value.
    KnownOne,
    /// Known to have several.
    KnownMany,
    /// Not known: one, unless the vault shows otherwise.
    Unknown,
}

/// The rule for a fact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ValueRule {
    pub basis: Basis,
    /// The same for all synonyms.
    pub topic: String,
}

/// Returns the rule for a predicate with an object. The object matters for words such as `employees`, which has one
/// number but many names, and `founded_in`, which has one year and one place.
pub(super) fn default_rule(predicate: &str, object: &str) -> ValueRule {
    let plain = plain_predicate(predicate);
    let words: Vec<&str> = plain.split('_').filter(|word| !word.is_empty()).map(usual_spelling).collect();
    let rule = |basis: Basis, topic: &str| ValueRule { basis, topic: topic.to_owned() };
    if words.is_empty() || MANY.contains(&words.join("_").as_str()) || says_past(&words) {
        return rule(Basis::KnownMany, &plain);
    }
    let content = content_words(&words);
    let name = content.join("_");
    let is_date = object.trim().parse::<PartialDate>().is_ok();
    let is_amount = || is_date || !readings(object).is_empty();
    let synonym = synonym(&name);
    let topic = match synonym.unwrap_or(&name) {
        "founded_on" if !is_date => "founded",
        topic => topic,
    };
    if is_yes_or_no(object) {
        return rule(Basis::KnownOne, topic);
    }
    if COUNTS.contains(&name.as_str()) {
        return if is_amount() { rule(Basis::KnownOne, topic) } else { rule(Basis::KnownMany, &plain) };
    }
    if ONE.contains(&topic) || synonym.is_some() && topic != "founded" {
        // A year and a place do not exclude each other.
        let is_place = ["birthplace", "deathplace"].contains(&topic);
        let topic = if is_date && is_place { format!("{topic} (date)") } else { topic.into() };
        return ValueRule { basis: Basis::KnownOne, topic };
    }
    rule(basis_of_words(&content, is_date), topic)
}

/// Returns whether the words of a predicate begin with one of the past: `former_ceo_of`, `used_to_work_at`.
pub(crate) fn says_past(words: &[&str]) -> bool {
    matches!(words, ["used", "to", ..]) || words.first().is_some_and(|first| PAST.contains(first))
}

/// Returns whether an object answers a question, so that it has one answer whatever the predicate's words say.
fn is_yes_or_no(object: &str) -> bool {
    ["yes", "no", "true", "false"].iter().any(|answer| object.trim().eq_ignore_ascii_case(answer))
}

/// Returns the words without auxiliaries in front: `is_ceo_of` becomes `ceo_of`, `current_role` becomes `role`.
fn content_words<'w>(words: &[&'w str]) -> Vec<&'w str> {
    let mut content = words;
    while let [first, rest @ ..] = content
        && AUXILIARIES.contains(first)
        && rest.iter().any(|word| !PREPOSITIONS.contains(word))
    {
        content = rest;
    }
    content.to_vec()
}

fn usual_spelling(word: &str) -> &str {
    SPELLINGS.iter().find(|(other, _)| *other == word).map_or(word, |(_, usual)| usual)
}

fn synonym(name: &str) -> Option<&'static str> {
    SYNONYMS.iter().find(|(_, names)| names.contains(&name)).map(|(topic, _)| *topic)
}

/// Judges by the last word that is not a preposition.
fn basis_of_words(content: &[&str], is_date: bool) -> Basis {
    let name = content.join("_");
    let prepositions = content.iter().rev().take_while(|word| PREPOSITIONS.contains(word)).count();
    let (main, has_preposition) = (&content[..content.len() - prepositions], prepositions > 0);
    let Some(head) = main.last() else { return Basis::KnownMany };
    let singular = head
        .strip_suffix("ies")
        .map_or_else(|| head.strip_suffix('s').unwrap_or(head).to_owned(), |stem| format!("{stem}y"));
    match () {
        () if MANY.contains(&name.as_str()) => Basis::KnownMany,
        () if ONE_HEADS.contains(head) => Basis::KnownOne,
        () if main.len() > 1 && is_singled_out(main) => Basis::KnownOne,
        () if MANY_HEADS.contains(head) || MANY_HEADS.contains(&singular.as_str()) => Basis::KnownMany,
        () if is_plural(head) => Basis::KnownMany,
        () if is_event(head) && (main.len() == 1 || has_preposition) => {
            if is_date {
                Basis::Unknown
            } else {
                Basis::KnownMany
            }
        }
        () if is_activity(head) && has_preposition => Basis::KnownMany,
        () => Basis::Unknown,
    }
}

/// Returns whether the first word counts what follows, as in `max_users`, or singles out one of them, as in
/// `primary_contact`, but not in `main_products`.
fn is_singled_out(main: &[&str]) -> bool {
    let [first, .., last] = main else { return false };
    COUNTING_FRONTS.contains(first) || ONE_FRONTS.contains(first) && !is_plural(last)
}

/// Returns whether a word is a plural or a verb in the third person, as in `skills` and `speaks`.
fn is_plural(word: &str) -> bool {
    let singular_ending = ["ss", "us", "is"].iter().any(|ending| word.ends_with(ending));
    word.len() > 3 && word.ends_with('s') && !singular_ending && !NOT_PLURAL.contains(&word)
}

/// Returns whether a word is a verb in the past tense, as in `visited` and `invested_in`.
fn is_event(word: &str) -> bool {
    word.len() > 4 && word.ends_with("ed") && !word.ends_with("eed")
}

/// Returns whether a word is a participle, as in `working_on`.
fn is_activity(word: &str) -> bool {
    word.len() > 5 && word.ends_with("ing")
}

#[cfg(test)]
mod tests;
