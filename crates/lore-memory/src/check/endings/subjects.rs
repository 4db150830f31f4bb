//! Subjects of verbs of ending.

use lore_ports::PageNo;

use super::super::dates::{date_at, is_season};
use super::super::tokens::{Token, TokenKind};
use super::EndingSubject;
use super::words::{BETWEEN, PREPOSITIONS, Verb};

/// Returns the subject of a verb.
pub(super) fn subject(tokens: &[Token], at: usize, verb: Verb) -> EndingSubject {
    if verb.participle {
        return participle_subject(tokens, at);
    }
    let mut end = at;
    while end > 0 && (tokens[end - 1].is_any(BETWEEN) || is_adverb(&tokens[end - 1])) {
        end -= 1;
    }
    if end > 0 && tokens[end - 1].is_punctuation(')') {
        end = tokens[..end].iter().rposition(|token| token.is_punctuation('(')).unwrap_or(0);
    }
    let Some(last) = tokens[..end].last() else { return EndingSubject::Page };
    if last.is("having") {
        return participle_subject(tokens, end);
    }
    match &last.kind {
        TokenKind::Name(_) if !last.possessive => named(tokens, end - 1),
        TokenKind::Word if is_pronoun(last) => EndingSubject::Pronoun,
        TokenKind::Word if last.is("who") => relative(tokens, end - 1),
        TokenKind::Word if last.is_any(&["and", "then", "but"]) => first_subject(&tokens[..end - 1]),
        TokenKind::Punctuation(',') if tokens[end].is("then") => first_subject(&tokens[..end - 1]),
        TokenKind::Punctuation(',') => appositive(tokens, end - 1),
        TokenKind::Punctuation(':' | '—' | '–') => EndingSubject::Page,
        _ => EndingSubject::Other,
    }
}

/// Returns whether a word is an adverb that may appear beside the verb.
pub(super) fn is_adverb(token: &Token) -> bool {
    token.kind == TokenKind::Word
        && token.lower.len() > 4
        && token.lower.ends_with("ly")
        && !token.is_capitalized()
}

/// Returns a name as subject, with names joined by `and`; not if it is part of another noun phrase.
fn named(tokens: &[Token], at: usize) -> EndingSubject {
    let mut names = Vec::new();
    let mut first = at;
    loop {
        names.extend(tokens[first].name().map(<[PageNo]>::to_vec));
        // A comma joins names only if `and` joins the last two.
        let comma = first < at && first > 1 && tokens[first - 1].is_punctuation(',');
        let joined = first > 1 && (tokens[first - 1].is("and") || comma);
        match joined && tokens[first - 2].name().is_some() {
            true => first -= 2,
            false => break,
        }
    }
    match first.checked_sub(1).map(|before| &tokens[before]) {
        Some(before) if before.is_any(PREPOSITIONS) => EndingSubject::Other,
        _ => EndingSubject::Named(names),
    }
}

/// Parses `Ada, who left …`.
fn relative(tokens: &[Token], who: usize) -> EndingSubject {
    let comma = who > 0 && tokens[who - 1].is_punctuation(',');
    let noun = who.checked_sub(1 + usize::from(comma));
    match noun.map(|noun| &tokens[noun]) {
        Some(token) if token.name().is_some() && !token.possessive => named(tokens, noun.unwrap_or_default()),
        _ => EndingSubject::Other,
    }
}

/// Parses `Ada, the engineer, left …` and `In 2025, left …`.
fn appositive(tokens: &[Token], comma: usize) -> EndingSubject {
    if comma > 0 && tokens[1].is_punctuation(',') && tokens[0].name().is_some() {
        return named(tokens, 0);
    }
    if starts_with_time(tokens) && tokens[..comma].iter().all(|token| token.name().is_none()) {
        return EndingSubject::Page;
    }
    EndingSubject::Other
}

/// Returns the subject at the start of a sentence.
fn first_subject(tokens: &[Token]) -> EndingSubject {
    let mut start = 0;
    if starts_with_time(tokens)
        && let Some(comma) = tokens.iter().position(|token| token.is_punctuation(','))
    {
        start = comma + 1;
    }
    let Some(first) = tokens.get(start) else { return EndingSubject::Page };
    let verb = ["led", "ran", "was", "became", "built", "spent", "made", "met", "began", "went"];
    match &first.kind {
        TokenKind::Name(_) if !first.possessive => {
            let last = (start..tokens.len()).step_by(2).take_while(|at| tokens[*at].name().is_some()).last();
            let joined = last.filter(|last| (start + 1..*last).step_by(2).all(|at| tokens[at].is("and")));
            named(tokens, joined.unwrap_or(start))
        }
        TokenKind::Word if is_pronoun(first) => EndingSubject::Pronoun,
        TokenKind::Word if first.lower.ends_with("ed") || first.is_any(&verb) => EndingSubject::Page,
        _ => EndingSubject::Other,
    }
}

/// Parses `After leaving Brex, he …` and `Ada joined Stripe after leaving Brex`.
fn participle_subject(tokens: &[Token], at: usize) -> EndingSubject {
    if at > 1 {
        return first_subject(&tokens[..at - 1]);
    }
    let comma = tokens.iter().position(|token| token.is_punctuation(','));
    match comma.map(|comma| &tokens[comma + 1..]) {
        Some([first, ..]) if first.name().is_some() && !first.possessive => {
            named(tokens, tokens.len() - comma_rest(tokens))
        }
        Some([first, ..]) if is_pronoun(first) => EndingSubject::Pronoun,
        None => EndingSubject::Page,
        _ => EndingSubject::Other,
    }
}

/// Counts the tokens after the first comma.
fn comma_rest(tokens: &[Token]) -> usize {
    tokens.iter().position(|token| token.is_punctuation(',')).map_or(0, |comma| tokens.len() - comma - 1)
}

fn starts_with_time(tokens: &[Token]) -> bool {
    let time = [
        "in",
        "on",
        "by",
        "since",
        "during",
        "as",
        "around",
        "later",
        "finally",
        "then",
        "recently",
        "eventually",
    ];
    tokens.first().is_some_and(|first| first.is_any(&time) || is_season(first) || date_at(tokens).is_some())
}

/// Returns whether a word is a pronoun that may refer to the page.
pub(super) fn is_pronoun(token: &Token) -> bool {
    token.is_any(&["he", "she", "they"])
}
