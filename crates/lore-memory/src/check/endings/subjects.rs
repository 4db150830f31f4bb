//! Subjects of verbs of ending.

use lore_ports::PageNo;

use super::super::dates::{date_at, is_season};
use super::super::tokens::{Sort, Token};
use super::Who;
use super::words::{BETWEEN, OF, Verb};

/// Returns the subject of a verb.
pub(super) fn subject(tokens: &[Token], at: usize, verb: Verb) -> Who {
    if verb.participle {
        return participle_subject(tokens, at);
    }
    let mut end = at;
    while end > 0 && (tokens[end - 1].is_any(BETWEEN) || adverb(&tokens[end - 1])) {
        end -= 1;
    }
    if end > 0 && tokens[end - 1].is_mark(')') {
        end = tokens[..end].iter().rposition(|token| token.is_mark('(')).unwrap_or(0);
    }
    let Some(last) = tokens[..end].last() else { return Who::Page };
    match &last.sort {
        Sort::Name(_) if !last.owner => named(tokens, end - 1),
        Sort::Word if is_pronoun(last) => Who::Pronoun,
        Sort::Word if last.is("who") => relative(tokens, end - 1),
        Sort::Word if last.is_any(&["and", "then", "but"]) => first_subject(&tokens[..end - 1]),
        Sort::Mark(',') if tokens[end].is("then") => first_subject(&tokens[..end - 1]),
        Sort::Mark(',') => appositive(tokens, end - 1),
        Sort::Mark(':' | '—' | '–') => Who::Page,
        _ => Who::Other,
    }
}

/// Returns whether a word is an adverb that may appear beside the verb.
pub(super) fn adverb(token: &Token) -> bool {
    token.sort == Sort::Word && token.low.len() > 4 && token.low.ends_with("ly") && !token.capital()
}

/// Returns a name as subject, with names joined by `and`; not if it is part of another noun phrase.
fn named(tokens: &[Token], at: usize) -> Who {
    let mut names = Vec::new();
    let mut first = at;
    loop {
        names.extend(tokens[first].name().map(<[PageNo]>::to_vec));
        let joined = first > 1 && (tokens[first - 1].is("and") || tokens[first - 1].is_mark(','));
        match joined && tokens[first - 2].name().is_some() {
            true => first -= 2,
            false => break,
        }
    }
    match first.checked_sub(1).map(|before| &tokens[before]) {
        Some(before) if before.is_any(OF) => Who::Other,
        _ => Who::Named(names),
    }
}

/// Parses `Ada, who left …`.
fn relative(tokens: &[Token], who: usize) -> Who {
    let comma = who > 0 && tokens[who - 1].is_mark(',');
    let noun = who.checked_sub(1 + usize::from(comma));
    match noun.map(|noun| &tokens[noun]) {
        Some(token) if token.name().is_some() && !token.owner => named(tokens, noun.unwrap_or_default()),
        _ => Who::Other,
    }
}

/// Parses `Ada, the engineer, left …` and `In 2025, left …`.
fn appositive(tokens: &[Token], comma: usize) -> Who {
    if comma > 0 && tokens[1].is_mark(',') && tokens[0].name().is_some() {
        return named(tokens, 0);
    }
    if starts_with_time(tokens) && tokens[..comma].iter().all(|token| token.name().is_none()) {
        return Who::Page;
    }
    Who::Other
}

/// Returns the subject at the start of a sentence.
fn first_subject(tokens: &[Token]) -> Who {
    let mut start = 0;
    if starts_with_time(tokens)
        && let Some(comma) = tokens.iter().position(|token| token.is_mark(','))
    {
        start = comma + 1;
    }
    let Some(first) = tokens.get(start) else { return Who::Page };
    let verb = ["led", "ran", "was", "became", "built", "spent", "made", "met", "began", "went"];
    match &first.sort {
        Sort::Name(_) if !first.owner => {
            let last = (start..tokens.len()).step_by(2).take_while(|at| tokens[*at].name().is_some()).last();
            let joined = last.filter(|last| (start + 1..*last).step_by(2).all(|at| tokens[at].is("and")));
            named(tokens, joined.unwrap_or(start))
        }
        Sort::Word if is_pronoun(first) => Who::Pronoun,
        Sort::Word if first.low.ends_with("ed") || first.is_any(&verb) => Who::Page,
        _ => Who::Other,
    }
}

/// Parses `After leaving Brex, he …` and `Ada joined Stripe after leaving Brex`.
fn participle_subject(tokens: &[Token], at: usize) -> Who {
    if at > 1 {
        return first_subject(&tokens[..at - 1]);
    }
    let comma = tokens.iter().position(|token| token.is_mark(','));
    match comma.map(|comma| &tokens[comma + 1..]) {
        Some([first, ..]) if first.name().is_some() && !first.owner => {
            named(tokens, tokens.len() - comma_rest(tokens))
        }
        Some([first, ..]) if is_pronoun(first) => Who::Pronoun,
        None => Who::Page,
        _ => Who::Other,
    }
}

/// Counts the tokens after the first comma.
fn comma_rest(tokens: &[Token]) -> usize {
    tokens.iter().position(|token| token.is_mark(',')).map_or(0, |comma| tokens.len() - comma - 1)
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

fn is_pronoun(token: &Token) -> bool {
    token.is_any(&["he", "she", "they"])
}
