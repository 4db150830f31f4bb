//! Noun phrases for somebody who was there: `former CTO of Brex`, `ex-Brex`, `formerly at Brex`.

use super::super::tokens::{Token, TokenKind};
use super::phrase::{Post, continues, name_at, role, scope};
use super::subjects::{is_pronoun, subject};
use super::words::{DETERMINERS, Verb, VerbShape};
use super::{Ending, EndingObject, EndingSubject, is_asserted};

/// Returns the endings of this form.
pub(super) fn former_posts(tokens: &[Token]) -> Vec<Ending> {
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let post = match () {
            () if token.is("ex") => ex(tokens, at + 1),
            () if token.is("former") => role(tokens, at + 1).filter(|post| !post.scope.is_empty()),
            () if token.is_any(&["formerly", "previously"]) => role(tokens, at + 1),
            () => None,
        };
        let Some(post) = post else { continue };
        if token.quoted || !is_asserted(tokens, at, post.end) || continues(&tokens[post.end..], &post.pages) {
            continue;
        }
        found.push(Ending {
            subject: owner(tokens, at, post.end),
            object: EndingObject::Named(post.pages),
            date: None,
            verb: token.lower.clone(),
            weak: false,
            scope: post.scope,
            at: token.at,
        });
    }
    found
}

/// `ex-Brex`, `ex-Brex engineer`, `ex-CTO of Brex`.
fn ex(tokens: &[Token], from: usize) -> Option<Post> {
    match name_at(tokens, from) {
        Some((pages, end)) => Some(Post { pages: pages.to_vec(), scope: Vec::new(), end }),
        None => role(tokens, from).filter(|post| !post.scope.is_empty()),
    }
}

/// Returns whom the phrase describes: the page at the start of a sentence, the subject of `is`, or the name before a comma
/// or bracket. Anybody else is unknown.
fn owner(tokens: &[Token], at: usize, end: usize) -> EndingSubject {
    let determined = usize::from(at > 0 && tokens[at - 1].is_any(DETERMINERS));
    let first = at - determined;
    let Some(before) = first.checked_sub(1).map(|before| &tokens[before]) else {
        return described_later(tokens, at, end);
    };
    let verb = Verb { shape: VerbShape::Leave, length: 1, participle: false };
    match &before.kind {
        TokenKind::Word if before.is_any(&["is", "was"]) => subject(tokens, first - 1, verb),
        TokenKind::Punctuation(',' | '(' | '—' | '–') => match tokens.first() {
            Some(name) if first == 2 && !name.possessive && name.name().is_some() => {
                EndingSubject::Named(name.name().map(<[_]>::to_vec).into_iter().collect())
            }
            _ => EndingSubject::Other,
        },
        _ => EndingSubject::Other,
    }
}

/// Parses `Former CTO of Brex, now …` and `Previously at Brex, Ada is …`. A name beside the phrase is somebody else.
fn described_later(tokens: &[Token], at: usize, end: usize) -> EndingSubject {
    let next = tokens.get(end);
    let beside = next
        .is_some_and(|next| next.name().is_some() || next.is_capitalized() && next.kind == TokenKind::Word);
    if beside {
        return EndingSubject::Other;
    }
    let comma = tokens[end..].iter().position(|token| token.is_punctuation(','));
    let words_between = &tokens[end..end + comma.unwrap_or(0)];
    match comma.and_then(|comma| tokens.get(end + comma + 1)) {
        Some(after)
            if after.name().is_some()
                && !after.possessive
                && scope(words_between).len() == words_between.len() =>
        {
            EndingSubject::Named(after.name().map(<[_]>::to_vec).into_iter().collect())
        }
        Some(after) if is_pronoun(after) => EndingSubject::Pronoun,
        Some(after)
            if tokens[at].is_any(&["formerly", "previously"])
                && !after.is_any(&["now", "today", "currently"]) =>
        {
            EndingSubject::Other
        }
        _ => EndingSubject::Page,
    }
}
