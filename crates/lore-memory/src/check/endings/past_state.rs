//! Sentences about a state that is over: `used to work at Brex`, `worked at Brex until 2025`, `hasn't been with Brex since
//! 2024`, `isn't at Brex anymore`.

use lore_text::PartialDate;

use super::super::tokens::Token;
use super::phrase::{Post, continues, name_at, period, place, role, span};
use super::subjects::{is_adverb, subject};
use super::words::{BETWEEN, Verb, VerbShape};
use super::{Ending, EndingObject, is_asserted};

/// Verbs of a state in the past tense, followed by a place.
const PAST: &[&str] = &[
    "worked",
    "taught",
    "served",
    "played",
    "interned",
    "consulted",
    "volunteered",
    "coached",
    "studied",
    "freelanced",
    "researched",
    "employed",
];

/// The same verbs after `used to`.
const PLAIN: &[&str] =
    &["work", "teach", "serve", "play", "intern", "consult", "volunteer", "coach", "study", "freelance"];

/// Verbs whose object follows directly.
const DIRECT: &[&str] = &["lead", "run", "manage", "head", "advise", "chair", "direct"];

/// Words that put a verb into the past for good.
const FORMERLY: &[&str] = &["formerly", "previously"];

/// A state that is over: where it starts and ends in the sentence, and when it ended.
struct PastState {
    post: Post,
    date: Option<PartialDate>,
}

/// Returns the endings of this form.
pub(super) fn past_states(tokens: &[Token]) -> Vec<Ending> {
    let mut found: Vec<Ending> = Vec::new();
    for at in 0..tokens.len() {
        let state = used_to(tokens, at)
            .or_else(|| limited(tokens, at))
            .or_else(|| not_any_more(tokens, at))
            .or_else(|| not_since(tokens, at));
        let Some(PastState { post, date }) = state else { continue };
        let after = &tokens[post.end..];
        let stated = !tokens[at].quoted && is_asserted(tokens, at, post.end);
        if !stated || continues(after, &post.pages) {
            continue;
        }
        let verb = Verb { shape: VerbShape::Leave, length: 1, participle: false };
        let words: Vec<&str> = tokens[at..post.end].iter().map(|token| token.lower.as_str()).collect();
        found.push(Ending {
            subject: subject(tokens, at, verb),
            object: EndingObject::Named(post.pages),
            date,
            verb: words.join(" "),
            weak: false,
            scope: post.scope,
            at: tokens[at].at,
        });
    }
    found
}

/// `used to work at Brex`, `used to be a nurse at Brex`, `used to run Brex`.
fn used_to(tokens: &[Token], at: usize) -> Option<PastState> {
    let is = |at: usize, words: &[&str]| tokens.get(at).is_some_and(|token| token.is_any(words));
    if !is(at, &["used"]) || !is(at + 1, &["to"]) {
        return None;
    }
    let post = match () {
        () if is(at + 2, &["be"]) => role(tokens, at + 3),
        () if is(at + 2, PLAIN) => place(tokens, at + 3).or_else(|| as_role(tokens, at + 3)),
        () if is(at + 2, DIRECT) => {
            name_at(tokens, at + 3).map(|(pages, end)| Post { pages: pages.to_vec(), scope: Vec::new(), end })
        }
        () => None,
    }?;
    Some(PastState { post, date: None })
}

/// `worked at Brex until 2025`, `was CFO of Brex until June`, `formerly worked at Brex`.
fn limited(tokens: &[Token], at: usize) -> Option<PastState> {
    let token = &tokens[at];
    let post = match () {
        () if token.is_any(PAST) => place(tokens, at + 1).or_else(|| as_role(tokens, at + 1))?,
        () if token.is_any(&["was", "were", "been"]) => role(tokens, at + 1)?,
        () => return None,
    };
    let (before, after) = (&tokens[..at], &tokens[post.end..]);
    let until = |tokens: &[Token]| {
        let limits = tokens.iter().enumerate().filter(|(_, token)| token.is_any(&["until", "till"]));
        limits.filter_map(|(at, _)| period(tokens, at + 1)).next()
    };
    let leads_with_until = tokens[0].is_any(&["until", "till"]).then(|| until(before)).flatten();
    let date = match () {
        () if until(after).is_some() => until(after)?,
        () if leads_with_until.is_some() => leads_with_until?,
        () if span(after).or_else(|| span(before)).is_some() => span(after).or_else(|| span(before)),
        () if is_formerly(before) || leaves_later(after) => None,
        () => return None,
    };
    Some(PastState { post, date })
}

/// Returns whether the verb is preceded by `formerly`, beside it or at the start of the sentence.
fn is_formerly(before: &[Token]) -> bool {
    let beside = before.iter().rev().take_while(|token| token.is_any(BETWEEN) || is_adverb(token));
    before.first().is_some_and(|first| first.is_any(FORMERLY))
        || beside.into_iter().any(|token| token.is_any(FORMERLY))
}

/// Returns whether the rest of a sentence is `before leaving`, `before he left`.
fn leaves_later(after: &[Token]) -> bool {
    let is = |at: usize, words: &[&str]| after.get(at).is_some_and(|token| token.is_any(words));
    let leaves = ["leaving", "left", "quit", "quitting", "resigning", "resigned", "joining", "joined"];
    (0..after.len()).any(|at| {
        let pronoun = usize::from(is(at + 1, &["he", "she", "they"]));
        is(at, &["before"]) && is(at + 1 + pronoun, &leaves)
    })
}

/// `doesn't work at Brex anymore`, `is not with Brex any more`.
fn not_any_more(tokens: &[Token], at: usize) -> Option<PastState> {
    let from =
        negated(tokens, at, &["isn't", "aren't", "doesn't", "don't", "ain't"], &["is", "are", "does", "do"])?;
    let token = tokens.get(from)?;
    let post = match () {
        () if token.is_any(&["work", "working", "employed", "teach", "teaching", "play", "playing"]) => {
            place(tokens, from + 1)
        }
        () if token.is_any(&["at", "with"]) => place(tokens, from),
        () => role(tokens, from).filter(|post| !post.scope.is_empty()),
    }?;
    let next = |at: usize, word: &str| tokens.get(at).is_some_and(|token| token.is(word));
    let any = next(post.end, "any") && (next(post.end + 1, "more") || next(post.end + 1, "longer"));
    (next(post.end, "anymore") || any).then_some(PastState { post, date: None })
}

/// `hasn't worked at Brex since 2024`, `has not been with Brex since last autumn`.
fn not_since(tokens: &[Token], at: usize) -> Option<PastState> {
    let from = negated(tokens, at, &["hasn't", "haven't", "hadn't"], &["has", "have"])?;
    let been = usize::from(tokens.get(from).is_some_and(|token| token.is("been")));
    let works = usize::from(
        tokens
            .get(from + been)
            .is_some_and(|token| token.is_any(PAST) || token.is_any(&["working", "teaching"])),
    );
    let post = (been + works > 0).then(|| place(tokens, from + been + works)).flatten()?;
    let since = tokens.get(post.end).filter(|token| token.is("since"))?;
    let date = period(tokens, post.end + 1).filter(|_| since.name().is_none())?;
    Some(PastState { post, date })
}

/// Returns the position after a negation that starts here.
fn negated(tokens: &[Token], at: usize, contracted: &[&str], auxiliaries: &[&str]) -> Option<usize> {
    let token = &tokens[at];
    let not = tokens.get(at + 1).is_some_and(|next| next.is("not"));
    match () {
        () if token.is_any(contracted) => Some(at + 1),
        () if token.is_any(auxiliaries) && not => Some(at + 2),
        () => None,
    }
}

/// `as a shift supervisor at Brex`.
fn as_role(tokens: &[Token], from: usize) -> Option<Post> {
    tokens.get(from).filter(|token| token.is("as")).and_then(|_| role(tokens, from))
}
