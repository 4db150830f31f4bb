//! Phrases that several forms of endings share: the place of a post, a period, and what follows.

use lore_ports::PageNo;
use lore_text::PartialDate;

use super::super::dates::{date_at, is_season};
use super::super::tokens::{Token, TokenKind};
use super::super::verbs::{VerbKind, verb_kind};
use super::words::{BODIES, CONTINUES, DETERMINERS, ROLES};

/// A post at a page: `head of logistics at Brex`.
#[derive(Debug)]
pub(super) struct Post {
    pub pages: Vec<PageNo>,
    /// Words that limit the end to a role or a body.
    pub scope: Vec<String>,
    /// Position after the name.
    pub end: usize,
}

/// Parses `at Brex`, `with Brex`, `for the Brex`.
pub(super) fn place(tokens: &[Token], from: usize) -> Option<Post> {
    let lead = tokens.get(from).filter(|token| token.is_any(&["at", "for", "with", "by", "in"]))?;
    let name = name_at(tokens, from + 1)?;
    // `played in the Salzburg Quartet`, but not `worked in Brex`: places are not posts.
    let post = |end: usize| Post { pages: name.0.to_vec(), scope: Vec::new(), end };
    (lead.kind == TokenKind::Word).then(|| post(name.1))
}

/// Parses a name that is neither possessive nor part of a longer noun, after an optional `the`. Returns the pages and the
/// position after it.
pub(super) fn name_at(tokens: &[Token], from: usize) -> Option<(&[PageNo], usize)> {
    let at = from + usize::from(tokens.get(from).is_some_and(|token| token.is("the")));
    let token = tokens.get(at).filter(|token| !token.possessive)?;
    token.name().map(|pages| (pages, at + 1))
}

/// Parses `at Brex`, `a nurse at Brex`, `CTO of Brex`, `as head of sales at Brex`, `as CTO`.
pub(super) fn role(tokens: &[Token], from: usize) -> Option<Post> {
    let mut at = from;
    while tokens.get(at).is_some_and(|token| token.is("as") || token.is_any(DETERMINERS)) {
        at += 1;
    }
    let start = at;
    while at < tokens.len().min(start + 8) {
        let token = &tokens[at];
        let is_lead = token.is_any(&["at", "of", "for", "with", "by", "in", "on"]);
        if is_lead && let Some((pages, end)) = name_at(tokens, at + 1) {
            let words = &tokens[start..at];
            let scope = scope(words);
            let known = words.iter().any(is_role) || words.is_empty() && token.is_any(&["at", "with", "of"]);
            return known.then(|| Post { pages: pages.to_vec(), scope, end });
        }
        if token.kind != TokenKind::Word
            || token.is_any(&["and", "but", "who", "which", "that", "to", "when"])
        {
            break;
        }
        at += 1;
    }
    None
}

/// Returns whether a word names a role.
pub(super) fn is_role(token: &Token) -> bool {
    token.kind == TokenKind::Word && (verb_kind(&token.lower) == VerbKind::Post || token.is_any(ROLES))
}

/// Returns the words that limit an end to a role or a body.
pub(super) fn scope(words: &[Token]) -> Vec<String> {
    let limits = |token: &&Token| is_role(token) || token.is_any(BODIES);
    let mut scope: Vec<String> = words.iter().filter(limits).map(|token| token.lower.clone()).collect();
    let is_chief = |area: &str| words.windows(2).any(|two| two[0].is("chief") && two[1].is(area));
    for (area, short) in
        [("executive", "ceo"), ("technology", "cto"), ("financial", "cfo"), ("operating", "coo")]
    {
        if is_chief(area) {
            scope.push(short.to_owned());
        }
    }
    scope
}

/// Parses a period long enough to end a post: `2025`, `June 2025`, `the end of 2024`, `spring 2024`, `last autumn`. Not
/// `midnight` or `Friday`.
pub(super) fn period(tokens: &[Token], from: usize) -> Option<Option<PartialDate>> {
    let mut at = from;
    let small = ["the", "end", "start", "beginning", "middle", "of", "about", "around", "roughly"];
    while tokens.get(at).is_some_and(|token| token.is_any(&small)) {
        at += 1;
    }
    let season = tokens.get(at).is_some_and(is_season);
    let last = tokens.get(at).is_some_and(|token| token.is("last"));
    if let Some((date, _)) = date_at(tokens.get(at..).unwrap_or_default()) {
        return Some(Some(date));
    }
    let next = tokens.get(at + 1)?;
    let of = usize::from(next.is("of"));
    if season && let Some((date, _)) = date_at(tokens.get(at + 1 + of..).unwrap_or_default()) {
        return Some(Some(date));
    }
    (last && (is_season(next) || next.is_any(&["year", "month"]))).then_some(None)
}

/// Returns the end of a span of time: `from 2016 to 2024`, `between 2016 and 2024`.
pub(super) fn span(tokens: &[Token]) -> Option<PartialDate> {
    for (at, token) in tokens.iter().enumerate().filter(|(_, token)| token.is_any(&["from", "between"])) {
        let Some((_, length)) = date_at(&tokens[at + 1..]) else { continue };
        let joint = at + 1 + length;
        let joins = if token.is("from") { ["to", "until", "till"].as_slice() } else { &["and"] };
        let joined = tokens.get(joint).is_some_and(|joint| joint.is_any(joins));
        if joined && let Some((date, _)) = date_at(&tokens[joint + 1..]) {
            return Some(date);
        }
    }
    None
}

/// Returns whether the rest of a sentence says that somebody is still there in another role: `and is now its CEO`, `when
/// she became a partner there`.
pub(super) fn continues(rest: &[Token], pages: &[PageNo]) -> bool {
    let again = |token: &Token| token.name().is_some_and(|name| name.iter().any(|page| pages.contains(page)));
    let elsewhere = rest.iter().any(|token| token.name().is_some());
    rest.iter().any(|token| token.is_any(CONTINUES) || again(token) || token.is("became") && !elsewhere)
}
