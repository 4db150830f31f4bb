//! Preferences stated in prose: `prefers tabs over spaces`, `The user prefers dark mode`. Pure.
//!
//! Most preferences do not exclude each other. Two of one person do if they name the same purpose, if one is preferred to
//! the other, if the same thing is preferred and disliked, or if they differ in one pair of known alternatives.

use lore_page::{Format, Page};

use super::endings::{DOUBT, DOUBT_AFTER};
use super::passages::passages;
use super::tokens::{Token, TokenKind};

/// Who prefers something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Holder {
    /// The page itself.
    Page,
    /// Somebody by name, or `user`.
    Name(String),
}

impl Holder {
    /// Returns the name, if it is not the page itself.
    pub(super) fn name(&self) -> Option<&str> {
        match self {
            Holder::Page => None,
            Holder::Name(name) => Some(name),
        }
    }
}

/// A preference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Preference {
    pub holder: Holder,
    /// What is preferred, in plain words.
    pub object: String,
    /// What it is preferred to.
    pub over: Option<String>,
    /// What it is preferred for.
    pub purpose: Option<String>,
    /// Whether it is disliked instead.
    pub negated: bool,
    /// Whether it is only said to be liked, which may be true of any number of things.
    pub only_liked: bool,
    /// Line of the statement.
    pub line: u32,
}

/// Words that a page with a preference contains.
pub(super) const PHRASES: [&str; 18] = [
    "prefer", "prefers", "dislikes", "dislike", "avoids", "hates", "loathes", "detests", "likes", "loves",
    "enjoys", "like", "love", "enjoy", "hate", "avoid", "loathe", "detest",
];

/// Those that say that something is liked, which does not exclude that another thing is liked too.
const LIKES: [&str; 6] = ["likes", "loves", "enjoys", "like", "love", "enjoy"];

/// Those that are also nouns, adverbs or infinitives, unless one of [`SUBJECTS`] is in front.
const PLAIN: [&str; 7] = ["like", "love", "enjoy", "hate", "avoid", "loathe", "detest"];

const SUBJECTS: [&str; 7] = ["i", "we", "they", "not", "don't", "doesn't", "really"];

/// Alternatives of which one has only one.
const RIVALS: &[&[&str]] = &[
    &["tabs", "spaces"],
    &["tab", "space"],
    &["dark", "light"],
    &["short", "long"],
    &["brief", "detailed"],
    &["concise", "verbose", "detailed"],
    &["single", "double"],
    &["window", "aisle"],
    &["formal", "informal", "casual"],
    &["snake", "camel", "kebab", "pascal"],
    &["snake_case", "camelcase", "kebab-case", "pascalcase"],
    &["british", "american"],
    &["metric", "imperial"],
    &["celsius", "fahrenheit"],
    &["kilometers", "kilometres", "miles"],
    &["morning", "afternoon", "evening"],
    &["mornings", "afternoons", "evenings"],
    &["merge", "rebase", "squash"],
    &["merging", "rebasing", "squashing"],
    &["vim", "emacs", "vs code", "nano"],
    &["tea", "coffee"],
    &["email", "phone", "chat"],
    &["remote", "onsite", "office"],
    &["monorepo", "polyrepo"],
    &["12-hour", "24-hour"],
];

/// Returns the preferences that a page states.
pub(super) fn preferences(format: Format, text: &str, page: &Page) -> Vec<Preference> {
    let targets = vec![None; page.links.len()];
    let sentences = passages(format, text, page, &targets);
    let line =
        |at: usize| 1 + text[..at.min(text.len())].bytes().filter(|byte| *byte == b'\n').count() as u32;
    let found = sentences.iter().filter_map(|sentence| preference(&sentence.tokens));
    found.map(|(at, preference)| Preference { line: line(at), ..preference }).collect()
}

/// Returns whether two preferences of one person exclude each other.
pub(super) fn exclude(one: &Preference, other: &Preference) -> bool {
    let same = one.object == other.object;
    if one.negated || other.negated {
        return same && one.negated != other.negated && one.purpose == other.purpose;
    }
    if one.only_liked || other.only_liked {
        return false;
    }
    let reversed = one.over.as_deref() == Some(&other.object) || other.over.as_deref() == Some(&one.object);
    let same_purpose = one.purpose.is_some() && one.purpose == other.purpose;
    let may_meet = one.purpose.is_none() || other.purpose.is_none() || same_purpose;
    !same && (same_purpose || may_meet && (reversed || are_rivals(&one.object, &other.object)))
}

/// Returns whether two objects differ in one pair of alternatives only.
fn are_rivals(one: &str, other: &str) -> bool {
    let (one, other): (Vec<&str>, Vec<&str>) = (one.split(' ').collect(), other.split(' ').collect());
    let different: Vec<_> = one.iter().zip(&other).filter(|(a, b)| a != b).collect();
    one.len() == other.len()
        && matches!(different.as_slice(), [(a, b)] if RIVALS.iter().any(|set| set.contains(a) && set.contains(b)))
}

/// Parses a sentence; returns the offset of the verb with the preference.
fn preference(tokens: &[Token]) -> Option<(usize, Preference)> {
    let verb = (0..tokens.len()).find(|at| is_verb(tokens, *at))?;
    let (before, after) = (&tokens[..verb], &tokens[verb + 1..]);
    let (before, denied) = without_negation(before);
    let doubt = |token: &Token| token.is_any(DOUBT) || token.lower.ends_with("n't") || token.quoted;
    let past =
        |token: &Token| token.is_any(&["used", "longer", "once", "formerly", "previously", "did", "would"]);
    let asked = tokens.last().is_some_and(|last| last.is_punctuation('?'));
    let omitted = tokens.iter().any(|token| token.kind == TokenKind::Omitted);
    if asked || omitted || before.iter().any(|token| doubt(token) || past(token)) || tokens[verb].quoted {
        return None;
    }
    if after.iter().any(|token| token.is_any(DOUBT_AFTER) || token.is("not")) {
        return None;
    }
    let holder = holder(before)?;
    let liked = tokens[verb].is_any(&LIKES);
    let disliked = !liked && !tokens[verb].is_any(&["prefer", "prefers"]);
    let negated = denied != disliked;
    let (object, rest) = words(after);
    let (mut over, mut purpose) = (None, None);
    let mut rest = rest;
    while let Some(lead) = rest.first() {
        let skip = usize::from(rest.get(1).is_some_and(|next| next.is_any(&["of", "than"])));
        let (phrase, more) = words(&rest[1 + skip..]);
        match () {
            () if lead.is_any(&["over", "to", "instead", "rather", "than"]) => over = Some(phrase),
            () if lead.is_any(&["for", "in", "when", "as"]) => purpose = Some(phrase),
            () => break,
        }
        rest = more;
    }
    let stated = |text: &String| !text.is_empty();
    let found = Preference {
        holder,
        object,
        over: over.filter(stated),
        purpose: purpose.filter(stated),
        negated,
        only_liked: liked,
        line: 0,
    };
    (!found.object.is_empty()).then_some((tokens[verb].at, found))
}

/// Returns whether a word is the verb of a preference.
fn is_verb(tokens: &[Token], at: usize) -> bool {
    let follows_a_subject = || at > 0 && tokens[at - 1].is_any(&SUBJECTS);
    tokens[at].is_any(&PHRASES) && (!tokens[at].is_any(&PLAIN) || follows_a_subject())
}

/// Strips `does not` or `doesn't` before the verb.
fn without_negation(before: &[Token]) -> (&[Token], bool) {
    match before {
        [rest @ .., auxiliary, not] if auxiliary.is_any(&["do", "does"]) && not.is("not") => (rest, true),
        [rest @ .., not] if not.is_any(&["don't", "doesn't"]) => (rest, true),
        _ => (before, false),
    }
}

/// Returns who prefers: nobody named, a pronoun, the user, or a name.
fn holder(before: &[Token]) -> Option<Holder> {
    let is_adverb =
        |token: &Token| token.lower.ends_with("ly") || token.is_any(&["always", "also", "still", "now"]);
    let words: Vec<&Token> = before.iter().filter(|token| !is_adverb(token)).collect();
    let is_name =
        |token: &&Token| token.name().is_some() || token.kind == TokenKind::Word && token.is_capitalized();
    match words.as_slice() {
        [] => Some(Holder::Page),
        [one] if one.is_any(&["he", "she", "they"]) => Some(Holder::Page),
        [one] if one.is_any(&["i", "user"]) => Some(Holder::Name("user".into())),
        [the, one] if the.is("the") && one.is("user") => Some(Holder::Name("user".into())),
        [one] if one.is("we") => Some(Holder::Name("team".into())),
        [the, one] if the.is_any(&["the", "our"]) && one.is("team") => Some(Holder::Name("team".into())),
        names if names.iter().all(is_name) && !names[0].is("the") => {
            Some(Holder::Name(names.iter().map(|token| token.raw.as_str()).collect::<Vec<_>>().join(" ")))
        }
        _ => None,
    }
}

/// Returns a noun phrase in plain words, and the rest of the sentence from the word that ends it.
fn words(tokens: &[Token]) -> (String, &[Token]) {
    let ends = [
        "over", "to", "instead", "rather", "than", "for", "in", "when", "as", "and", "but", "because",
        "since", "while", "on", "at", "with", "where", "if",
    ];
    // `prefers to use tabs`, `prefers using tabs`.
    let mut start = usize::from(tokens.first().is_some_and(|token| token.is("to")));
    let small = ["use", "using", "have", "having", "the", "a", "an", "his", "her", "their", "my"];
    while tokens.get(start).is_some_and(|token| token.is_any(&small)) {
        start += 1;
    }
    let rest = tokens.get(start..).unwrap_or_default();
    let is_end = |token: &Token| matches!(token.kind, TokenKind::Punctuation(_)) || token.is_any(&ends);
    let end = rest.iter().position(is_end).unwrap_or(rest.len());
    let plain: Vec<&str> = rest[..end].iter().map(|token| token.lower.as_str()).collect();
    (plain.join(" "), &rest[end..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<Preference> {
        preferences(Format::Markdown, text, &lore_page::parse("a.md", text).page)
    }

    #[track_caller]
    fn check(one: &str, other: &str, expected: bool) {
        let (a, b) = (read(one), read(other));
        let found =
            matches!((a.as_slice(), b.as_slice()), ([a], [b]) if a.holder == b.holder && exclude(a, b));
        assert_eq!(found, expected, "{one} / {other}: {a:?} {b:?}");
    }

    #[test]
    fn opposite_preferences_exclude_each_other() {
        for (one, other) in [
            ("The user prefers tabs.", "User prefers spaces."),
            ("Prefers tabs over spaces.", "Prefers spaces to tabs."),
            ("I prefer dark mode.", "The user prefers light mode."),
            ("Ada prefers Rust for tools.", "Ada strongly prefers Go for tools."),
            ("She prefers window seats.", "Prefers aisle seats."),
            ("Ada prefers to use tabs.", "Ada doesn't prefer tabs."),
            ("Ada dislikes tabs.", "Ada prefers tabs."),
            ("Ada prefers Helix over Kakoune.", "Ada prefers Kakoune."),
            ("Ada likes olives.", "Ada hates olives."),
            ("Ada loves olives.", "Ada doesn't like olives."),
            ("I like long meetings.", "The user dislikes long meetings."),
            ("Ada enjoys mornings.", "Ada avoids mornings."),
        ] {
            check(one, other, true);
            check(other, one, true);
        }
    }

    #[test]
    fn other_preferences_do_not() {
        for (one, other) in [
            ("The user prefers tabs.", "The user prefers dark mode."),
            ("The user prefers tabs.", "The user prefers tabs for indentation."),
            ("Ada prefers tabs.", "Bob prefers spaces."),
            ("Ada prefers tabs in Go.", "Ada prefers spaces in Python."),
            ("Ada used to prefer tabs.", "Ada prefers spaces."),
            ("Ada no longer prefers tabs.", "Ada prefers spaces."),
            ("Does Ada prefer tabs?", "Ada prefers spaces."),
            ("Ada may prefer tabs.", "Ada prefers spaces."),
            ("> Text.\n\n> Ada prefers tabs.", "Ada prefers spaces."),
            ("Ada prefers strong coffee.", "Ada prefers black coffee."),
            ("Her brother prefers tabs.", "Ada prefers spaces."),
        ] {
            check(one, other, false);
            check(other, one, false);
        }
    }
}
