//! The three retrievers: by name, by words, by embedding. Each returns a ranked list with reasons.

use lore_ports::{
    ChunkHit, Expression, Filter, KeyKind, KeyRow, NameQuery, Order, PageNo, TextHit, TextQuery, VectorQuery,
    Window,
};

use super::full_text::full_text;
use super::fusion::Scored;
use super::{Prepared, SearchRequest};
use crate::context::VaultContext;
use crate::error::Result;
use crate::index::{is_lossy_slug, names_of};
use crate::note::Note;

/// Maximum bytes of a query that are embedded: models read no more, and tokenizing it costs time.
const QUESTION_BYTES: usize = 8192;

/// Finds the pages whose id, slug, path, title or alias is the query, with the kind of match.
pub(super) fn exact(context: &VaultContext, request: &SearchRequest) -> Result<Vec<(PageNo, &'static str)>> {
    let (store, project) = (context.store(), context.project());
    let names = names_of(&request.text);
    let names: Vec<&str> = names.iter().map(String::as_str).filter(|name| !name.is_empty()).collect();
    let mut rows = store.lookup(project, &NameQuery::Exact(&names))?;
    rows.retain(|row| row.kind <= KeyKind::NameSlug);
    let lossy = is_lossy_slug(&request.text);
    let strength = |row: &KeyRow| (lossy && names.first() != Some(&row.key.as_str()), row.kind);
    rows.sort_by(|a, b| strength(a).cmp(&strength(b)).then_with(|| a.path.cmp(&b.path)));
    let mut found: Vec<(PageNo, &'static str)> = Vec::new();
    for row in rows {
        if found.iter().any(|(page, _)| *page == row.page) {
            continue;
        }
        let filter =
            Filter { slug: request.filter.slug.clone().or(Some(row.slug.clone())), ..request.filter.clone() };
        let passes = store.list(project, &filter, Order::Title, Window { limit: 1, offset: 0 })?;
        if passes.first().is_some_and(|page| page.number == row.page) {
            let what = match row.kind {
                KeyKind::Id => "exact id match",
                KeyKind::Slug => "exact slug match",
                KeyKind::Path => "exact path match",
                KeyKind::Title => "exact title match",
                _ => "exact alias match",
            };
            found.push((row.page, what));
        }
    }
    Ok(found)
}

/// Pages found by their words.
#[derive(Default)]
pub(super) struct Words {
    /// Best first.
    pub list: Vec<Scored>,
    /// Whether no page had all the words, so that any of them matched.
    pub relaxed: bool,
}

/// Finds the pages with all the words; if there are none, those with some of them.
pub(super) fn by_words(
    context: &VaultContext,
    request: &SearchRequest,
    prepared: &Prepared,
    limit: usize,
) -> Result<Words> {
    let Some(strict) = &prepared.strict else { return Ok(Words::default()) };
    let list = ask(context, request, strict, limit)?;
    match &prepared.relaxed {
        Some(relaxed) if list.is_empty() => {
            Ok(Words { list: ask(context, request, relaxed, limit)?, relaxed: true })
        }
        _ => Ok(Words { list, relaxed: false }),
    }
}

/// Finds the pages with any of the content words, which suits questions.
pub(super) fn by_any_word(
    context: &VaultContext,
    request: &SearchRequest,
    prepared: &Prepared,
    limit: usize,
) -> Result<Vec<Scored>> {
    match prepared.relaxed.as_ref().or(prepared.strict.as_ref()) {
        Some(expression) => ask(context, request, expression, limit),
        None => Ok(Vec::new()),
    }
}

/// Finds up to `limit` pages that contain every content word.
pub(super) fn with_every_word(
    context: &VaultContext,
    request: &SearchRequest,
    prepared: &Prepared,
    limit: usize,
) -> Result<Vec<PageNo>> {
    let words: Vec<Expression> = prepared.terms.iter().cloned().map(Expression::Phrase).collect();
    if words.is_empty() {
        return Ok(Vec::new());
    }
    let wanted = Expression::All(words);
    let expression = match &prepared.strict {
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
    let query = TextQuery { expression, filter, weights, window: Window { limit, offset: 0 } };
    let hits = full_text(context, &query)?;
    Ok(hits.into_iter().map(|hit: TextHit| (hit.page, hit.score)).collect())
}

/// What is done where embeddings cannot be used.
const INSTEAD: &str = "using full-text search";

/// Pages found by embedding, or why there are none.
pub(super) enum Meaning {
    /// The nearest chunk of each page, nearest first, then those of the pages in `also`; with a note for the user.
    Found(Vec<ChunkHit>, Option<Note>),
    /// There is no model, or it failed.
    Without(Note),
}

/// Finds the pages whose nearest chunk is similar to the query, and scores the chunks of the pages in `also`.
pub(super) fn by_meaning(
    context: &VaultContext,
    request: &SearchRequest,
    limit: usize,
    also: &[PageNo],
) -> Result<Meaning> {
    let Some(row) = context.active_model()? else {
        let note = format!("no embedding model is installed; {INSTEAD}");
        return Ok(Meaning::Without(Note::Remark(note)));
    };
    let failed = |error| Ok(Meaning::Without(Note::Model { error, effect: Some(INSTEAD) }));
    let embedder = match context.embedder(&row) {
        Ok(embedder) => embedder,
        Err(error) => return failed(error),
    };
    if !embedder.reads(&request.text) {
        let note = format!("{} does not support the query's script; {INSTEAD}", row.identity.name);
        return Ok(Meaning::Without(Note::Remark(note)));
    }
    let vector = match embedder.embed_query(beginning(&request.text)) {
        Ok(vector) => vector,
        Err(error) => return failed(error),
    };
    let query = VectorQuery { model: row.number, vector: &vector, filter: &request.filter, limit, also };
    let hits = context.store().nearest(context.project(), &query)?;
    let waiting = context.store().count_pending(context.project(), row.number)?;
    let effect = "found only by full-text search";
    let note = (waiting > 0).then_some(Note::NotEmbedded { count: waiting, what: "chunks", effect });
    Ok(Meaning::Found(hits, note))
}

fn beginning(text: &str) -> &str {
    &text[..text.floor_char_boundary(QUESTION_BYTES)]
}
