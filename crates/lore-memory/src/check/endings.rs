//! A small grammar for English sentences that report an end: who left what, and when.
//!
//! It accepts plain statements in the past tense. Negated, interrogative, planned, hypothetical and reported sentences
//! are rejected. The subject of the verb must be the page or a known page name. `left` must be followed by what was
//! left, and not by words that make it a note, a room or an idiom. If the grammar is unsure, it finds nothing.

mod former;
mod objects;
mod past_state;
mod phrase;
mod replaced;
mod subjects;
mod words;

use lore_ports::PageNo;
use lore_text::PartialDate;

use super::dates::date_at;
use super::tokens::{Token, TokenKind};

use former::former_posts;
use objects::{after_preposition, ended, is_intransitive, left, lost_post, no_longer, over, switched};
use past_state::past_states;
use phrase::{continues, period, scope};
use replaced::{dismissed, last_day, parted, replaced};
use subjects::subject;

pub(super) use words::phrases;
pub(super) use words::{DOUBT, DOUBT_AFTER};
use words::{RETURN_WORDS, Verb, VerbShape, verb_at};

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
    /// Roles and bodies to which the end is limited: `stepped down as CTO`, `left the board`.
    pub scope: Vec<String>,
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
                if !tokens[at].quoted && is_asserted(tokens, at, at + verb.length) {
                    found.extend(ending(tokens, at, verb));
                }
                at += verb.length;
            }
            None => at += 1,
        }
    }
    found.extend(past_states(tokens));
    found.extend(former_posts(tokens));
    found
}

/// Returns whether a sentence says that somebody returned.
pub(super) fn reports_return(tokens: &[Token]) -> bool {
    let came_back =
        |at: usize| tokens[at].is("came") && tokens.get(at + 1).is_some_and(|next| next.is("back"));
    (0..tokens.len()).any(|at| tokens[at].is_any(RETURN_WORDS) || came_back(at))
}

/// Returns whether nothing around the words from `at` to `end` negates or qualifies them.
fn is_asserted(tokens: &[Token], at: usize, end: usize) -> bool {
    let before = &tokens[..at];
    // `before leaving` and `until he left` refer to a time before the end; `until 2024` does not.
    let doubt = |(at, token): (usize, &Token)| {
        let month = token.is("may") && token.is_capitalized();
        let time = token.is_any(&["until", "till", "before"]) && period(tokens, at + 1).is_some();
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
    let after = &tokens[end..];
    let next = |token: &Token| token.is_any(&["next", "tomorrow", "upcoming", "soon"]);
    let still = after.windows(2).any(|two| two[0].is("but") && two[1].is_any(&["still", "not", "then"]));
    !(after.iter().any(|token| token.is_any(DOUBT_AFTER) || next(token)) || still || reports_return(after))
}

fn ending(tokens: &[Token], at: usize, verb: Verb) -> Vec<Ending> {
    let from = at + verb.length;
    let words: Vec<&str> = tokens[at..from].iter().map(|token| token.lower.as_str()).collect();
    let scope = scope_after(tokens, from);
    let made = |(subject, object): Tie| Ending {
        subject,
        object,
        date: date(tokens, from),
        verb: words.join(" "),
        weak: verb.shape == VerbShape::Leave,
        scope: scope.clone(),
        at: tokens[at].at,
    };
    let stays = |ending: &Ending| match &ending.object {
        EndingObject::Named(pages) if !scope.is_empty() => {
            let name = tokens[from..].iter().position(|token| token.name() == Some(pages.as_slice()));
            continues(&tokens[name.map_or(tokens.len(), |name| from + name + 1)..], pages)
        }
        _ => false,
    };
    ties(tokens, at, verb).into_iter().map(made).filter(|ending| !stays(ending)).collect()
}

/// Who left what.
type Tie = (EndingSubject, EndingObject);

fn ties(tokens: &[Token], at: usize, verb: Verb) -> Vec<Tie> {
    let from = at + verb.length;
    let own = |object: Option<EndingObject>| object.map(|object| (subject(tokens, at, verb), object));
    let tie = match verb.shape {
        VerbShape::Leave => own(left(tokens, from)),
        VerbShape::Resign => own(after_preposition(tokens, from).filter(|_| is_intransitive(tokens, from))),
        VerbShape::Part => match after_preposition(tokens, from) {
            Some(EndingObject::Unstated) => return parted(subject(tokens, at, verb)),
            object => own(object),
        },
        VerbShape::Dismissed => return dismissed(tokens, at, verb).into_iter().collect(),
        VerbShape::NoLonger => own(no_longer(tokens, from)),
        VerbShape::Over | VerbShape::WasOver => {
            over(tokens, at, verb).map(|pages| (EndingSubject::Page, EndingObject::Named(pages)))
        }
        VerbShape::Ended => ended(tokens, at, verb),
        VerbShape::From | VerbShape::Swapped => own(switched(tokens, from, verb.shape)),
        VerbShape::Replaced => replaced(tokens, at, verb),
        VerbShape::LostPost => own(lost_post(tokens, from)),
        VerbShape::LastDay => last_day(tokens, at, verb),
    };
    tie.into_iter().collect()
}

/// Returns the roles and bodies between the verb and the name of what was left: `stepped down as CTO of Brex`, `left the
/// board of Brex`.
fn scope_after(tokens: &[Token], from: usize) -> Vec<String> {
    let between = tokens[from..].iter().take_while(|token| token.kind == TokenKind::Word).count();
    let between = &tokens[from..from + between];
    let limited = between.first().is_some_and(|first| first.is_any(&["as", "the", "a", "an"]));
    if limited { scope(between) } else { Vec::new() }
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
