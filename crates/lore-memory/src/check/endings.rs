//! A small grammar for English sentences that report an end: who left what, and when.
//!
//! It accepts plain statements in the past tense. Negated, interrogative, planned, hypothetical and reported sentences
//! are rejected. The subject of the verb must be the page or a known page name. `left` must be followed by what was
//! left, and not by words that make it a note, a room or an idiom. If the grammar is unsure, it finds nothing.

mod objects;
mod subjects;
mod words;

use lore_ports::PageNo;
use lore_text::PartialDate;

use super::dates::date_at;
use super::tokens::{Token, TokenKind};

use objects::{after_preposition, ended, is_intransitive, left, no_longer, over};
use subjects::subject;

pub(super) use words::phrases;
use words::{DOUBT, DOUBT_AFTER, PASSIVE, RETURN_WORDS, Verb, VerbShape, verb_at};

/// Subject of an ending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum EndingSubject {
    /// The page itself: `Left Brex`.
    Page,
    /// `He`, `she` or `they`: the page, unless the text refers to somebody else.
    Pronoun,
    /// Named pages, each with the pages its name can refer to.
    Named(Vec<Vec<PageNo>>),
    /// Somebody unknown.
    Other,
}

/// Object of an ending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum EndingObject {
    /// The tie to this page.
    Named(Vec<PageNo>),
    /// The tie to `the company`.
    Organization,
    /// Not stated.
    Unstated,
}

/// A statement that something has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Ending {
    pub subject: EndingSubject,
    pub object: EndingObject,
    /// Date, if the sentence gives one.
    pub date: Option<PartialDate>,
    /// Words of the verb.
    pub verb: String,
    /// Whether the verb says little without its object.
    pub weak: bool,
    /// Byte offset of the verb in the page.
    pub at: usize,
}

/// Returns the endings that a sentence states. In dated entries, present-tense headlines count too.
pub(super) fn endings(tokens: &[Token], headline: bool) -> Vec<Ending> {
    if tokens.last().is_some_and(|token| token.is_punctuation('?')) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        match verb_at(tokens, at, headline) {
            Some(verb) => {
                if !tokens[at].quoted && is_stated(tokens, at, verb) {
                    found.extend(ending(tokens, at, verb));
                }
                at += verb.length;
            }
            None => at += 1,
        }
    }
    found
}

/// Returns whether a sentence says that somebody returned.
pub(super) fn reports_return(tokens: &[Token]) -> bool {
    let came_back =
        |at: usize| tokens[at].is("came") && tokens.get(at + 1).is_some_and(|next| next.is("back"));
    (0..tokens.len()).any(|at| tokens[at].is_any(RETURN_WORDS) || came_back(at))
}

/// Returns whether nothing around the verb negates or qualifies it.
fn is_stated(tokens: &[Token], at: usize, verb: Verb) -> bool {
    let before = &tokens[..at];
    // `before leaving` and `until he left` refer to a time before the end; `until 2024` does not.
    let doubt = |(at, token): (usize, &Token)| {
        let month = token.is("may") && token.is_capitalized();
        let time = token.is_any(&["until", "till", "before"]) && date_at(&tokens[at + 1..]).is_some();
        token.is_any(DOUBT) && !month && !time || token.lower.ends_with("n't") || token.lower.ends_with("'ll")
    };
    // `Had she left, …` is a conditional.
    let inverted = before.first().is_some_and(|first| first.is("had"));
    if inverted
        || before.iter().enumerate().any(doubt)
        || before.iter().any(|token| token.kind == TokenKind::Omitted)
    {
        return false;
    }
    let after = &tokens[at + verb.length..];
    let next = |token: &Token| token.is_any(&["next", "tomorrow", "upcoming", "soon"]);
    let still = after.windows(2).any(|two| two[0].is("but") && two[1].is_any(&["still", "not", "then"]));
    !(after.iter().any(|token| token.is_any(DOUBT_AFTER) || next(token)) || still || reports_return(after))
}

fn ending(tokens: &[Token], at: usize, verb: Verb) -> Option<Ending> {
    let from = at + verb.length;
    let (subject, object) = match verb.shape {
        VerbShape::Leave => (subject(tokens, at, verb), left(tokens, from)?),
        VerbShape::Resign => {
            let object = after_preposition(tokens, from).filter(|_| is_intransitive(tokens, from))?;
            (subject(tokens, at, verb), object)
        }
        VerbShape::Part => match after_preposition(tokens, from)? {
            EndingObject::Unstated => return None,
            object => (subject(tokens, at, verb), object),
        },
        VerbShape::Dismissed => {
            let passive = before(tokens, at).is_some_and(|token| token.is_any(PASSIVE));
            (subject(tokens, at, verb), after_preposition(tokens, from).filter(|_| passive)?)
        }
        VerbShape::NoLonger => (subject(tokens, at, verb), no_longer(tokens, from)?),
        VerbShape::Over | VerbShape::WasOver => {
            (EndingSubject::Page, EndingObject::Named(over(tokens, at, verb)?))
        }
        VerbShape::Ended => ended(tokens, at, verb)?,
    };
    let words: Vec<&str> = tokens[at..from].iter().map(|token| token.lower.as_str()).collect();
    Some(Ending {
        subject,
        object,
        date: date(tokens, from),
        verb: words.join(" "),
        weak: verb.shape == VerbShape::Leave,
        at: tokens[at].at,
    })
}

/// Returns the token before another, skipping adverbs.
fn before(tokens: &[Token], at: usize) -> Option<&Token> {
    let is_adverb = |token: &&Token| token.lower.ends_with("ly") || token.is_any(&["then", "also", "just"]);
    tokens[..at].iter().rev().find(|token| !is_adverb(token))
}

/// Returns the first date after the verb, else the last one before it.
fn date(tokens: &[Token], from: usize) -> Option<PartialDate> {
    let after = (from..tokens.len()).find_map(|at| date_at(&tokens[at..]));
    let (mut before, mut at) = (None, 0);
    while at < from {
        let found = date_at(&tokens[at..]);
        at += found.map_or(1, |(_, length)| length);
        before = found.or(before);
    }
    after.or(before).map(|(date, _)| date)
}

#[cfg(test)]
mod tests;
