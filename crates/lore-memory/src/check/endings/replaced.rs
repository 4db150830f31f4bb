//! Endings brought about by somebody else: `Brex fired Ada`, `Bob replaced Ada as CTO of Brex`, `Ada's last day at Brex
//! was …`, `Ada and Brex parted ways`.

use super::super::tokens::{Token, TokenKind};
use super::objects::{after_preposition, has_tail};
use super::phrase::{is_role, name_at};
use super::subjects::{is_adverb, subject};
use super::words::{BETWEEN, PASSIVE, Verb};
use super::{EndingObject, EndingSubject, Tie, before};

/// `was fired by Brex`, `Brex fired Ada`, `Brex let Ada go`, `Brex laid Ada off`.
pub(super) fn dismissed(tokens: &[Token], at: usize, verb: Verb) -> Option<Tie> {
    let from = at + verb.length;
    let split = [("let", "go"), ("laid", "off")].into_iter().find(|(first, _)| tokens[at].is(first));
    let is_split = split.is_some() && verb.length == 1;
    if !is_split && before(tokens, at).is_some_and(|token| token.is_any(PASSIVE)) {
        return after_preposition(tokens, from).map(|object| (subject(tokens, at, verb), object));
    }
    let who = match tokens.get(from)? {
        token if token.is_any(&["him", "her", "them"]) => EndingSubject::Pronoun,
        token => EndingSubject::Named(vec![token.name().filter(|_| !token.possessive)?.to_vec()]),
    };
    if is_split && !tokens.get(from + 1).is_some_and(|next| split.is_some_and(|(_, last)| next.is(last))) {
        return None;
    }
    let end = from + 1 + usize::from(is_split);
    let mut last = at;
    while last > 0 && (tokens[last - 1].is_any(BETWEEN) || is_adverb(&tokens[last - 1])) {
        last -= 1;
    }
    // The subject has to be the whole beginning of the sentence.
    let organization = tokens.first().filter(|token| last == 1 && !token.possessive)?;
    let pages = organization.name().filter(|_| has_tail(tokens, end))?;
    Some((who, EndingObject::Named(pages.to_vec())))
}

/// `was replaced as CTO of Brex`, `was succeeded as CEO by Bob`, `Bob replaced Ada as CTO of Brex`.
pub(super) fn replaced(tokens: &[Token], at: usize, verb: Verb) -> Option<Tie> {
    let from = at + verb.length;
    let is_post = |at: usize| {
        let role = tokens.get(at + 1).filter(|_| tokens.get(at).is_some_and(|token| token.is("as")))?;
        let next = tokens.get(at + 2);
        (is_role(role) || next.is_some_and(is_role)).then_some(())
    };
    if before(tokens, at).is_some_and(|token| token.is_any(PASSIVE)) {
        is_post(from)?;
        // Who took over is not part of the post.
        let by = tokens[from..].iter().position(|token| token.is("by"));
        let post = &tokens[..by.map_or(tokens.len(), |by| from + by)];
        return after_preposition(post, from).map(|object| (subject(tokens, at, verb), object));
    }
    let (pages, end) = name_at(tokens, from)?;
    is_post(end)?;
    match after_preposition(tokens, end)? {
        object @ EndingObject::Named(_) => Some((EndingSubject::Named(vec![pages.to_vec()]), object)),
        _ => None,
    }
}

/// `Ada's last day at Brex was 2025-02-28`.
pub(super) fn last_day(tokens: &[Token], at: usize, verb: Verb) -> Option<Tie> {
    let owner = at.checked_sub(1).map(|owner| &tokens[owner])?;
    let subject = match &owner.kind {
        TokenKind::Name(pages) if owner.possessive => EndingSubject::Named(vec![pages.clone()]),
        TokenKind::Word if owner.is_any(&["his", "her", "their"]) => EndingSubject::Pronoun,
        _ => return None,
    };
    let lead = at + verb.length;
    tokens.get(lead).filter(|token| token.is_any(&["at", "with"]))?;
    let (pages, end) = name_at(tokens, lead + 1)?;
    tokens.get(end).filter(|token| token.is("was"))?;
    Some((subject, EndingObject::Named(pages.to_vec())))
}

/// `Ada and Brex parted ways`: either may have left the other.
pub(super) fn parted(subject: EndingSubject) -> Vec<Tie> {
    let EndingSubject::Named(names) = subject else { return Vec::new() };
    let [one, other] = names.as_slice() else { return Vec::new() };
    let tie = |who: &Vec<_>, what: &Vec<_>| {
        (EndingSubject::Named(vec![who.clone()]), EndingObject::Named(what.clone()))
    };
    vec![tie(one, other), tie(other, one)]
}
