//! Retrieval by words, from the full-text index.

use lore_ports::{Expression, PageNo, TextHit, TextQuery, Window};

use super::full_text::full_text;
use crate::context::VaultContext;
use crate::error::Result;
use crate::search::expression::Prepared;
use crate::search::fuse::Scored;
use crate::search::request::SearchRequest;

/// Finds the pages with all the words; if there are none, those with some of them. Returns whether it had to.
pub(super) fn by_words(
    context: &VaultContext,
    request: &SearchRequest,
    query: &Prepared,
    limit: usize,
) -> Result<(Vec<Scored>, bool)> {
    let Some(strict) = &query.strict else { return Ok((Vec::new(), false)) };
    let list = ask(context, request, strict, limit)?;
    match &query.relaxed {
        Some(relaxed) if list.is_empty() => Ok((ask(context, request, relaxed, limit)?, true)),
        _ => Ok((list, false)),
    }
}

/// Finds the pages with any of the content words, which suits questions.
pub(super) fn by_any_word(
    context: &VaultContext,
    request: &SearchRequest,
    query: &Prepared,
    limit: usize,
) -> Result<Vec<Scored>> {
    match query.relaxed.as_ref().or(query.strict.as_ref()) {
        Some(expression) => ask(context, request, expression, limit),
        None => Ok(Vec::new()),
    }
}

/// Finds up to `limit` pages that contain every content word.
pub(in crate::search) fn with_every_word(
    context: &VaultContext,
    request: &SearchRequest,
    query: &Prepared,
    limit: usize,
) -> Result<Vec<PageNo>> {
    let words: Vec<Expression> = query.terms.iter().cloned().map(Expression::Phrase).collect();
    if words.is_empty() {
        return Ok(Vec::new());
    }
    let wanted = Expression::All(words);
    let expression = match &query.strict {
        Some(Expression::Without(_, unwanted)) => Expression::Without(Box::new(wanted), unwanted.clone()),
        _ => wanted,
    };
    let found = ask(context, request, &expression, limit)?;
    Ok(found.into_iter().map(|(page, _)| page).collect())
}

fn ask(
    context: &VaultContext,
    request: &SearchRequest,
    expression: &Expression,
    limit: usize,
) -> Result<Vec<Scored>> {
    let (filter, weights) = (&request.filter, request.signals.weights());
    let wanted = TextQuery { expression, filter, weights, window: Window { limit, offset: 0 } };
    let hits = full_text(context, &wanted)?;
    Ok(hits.into_iter().map(|hit: TextHit| (hit.page, hit.score)).collect())
}
