//! Retrieval: each retriever finds candidates in its own way and returns them best first.

mod embedding;
mod entries;
mod fields;
mod full_text;
mod lines;
mod names;
mod relations;
mod words;

use std::collections::HashSet;

use lore_ports::{Filter, Order, PageNo, PageRow, Window};

use super::expression::Prepared;
use super::fuse::{Fusion, Ranked, Scored};
use super::nearest::ChunkHit;
use super::request::{Mode, SearchRequest};
use crate::context::VaultContext;
use crate::error::Result;
use crate::note::Note;

use embedding::{EmbeddingHits, by_embedding};
use entries::entries;
use names::{exact, is_reference, linked, referenced};
use relations::{RelationAnswer, answers};
use words::{by_any_word, by_words};

pub use embedding::page_similarity;
pub(super) use fields::by_fields;
pub use fields::updated;
pub use full_text::{WEIGHTS, full_text};
pub(super) use full_text::{languages, term_frequencies};
pub(super) use lines::{FoundLine, lines};
pub(super) use names::links_in as linked_names;
pub(super) use words::with_every_word;

/// Minimum number of pages retrieved by each list: those further down have no chance of reaching the top.
pub(super) const POOL: usize = 100;

/// The candidates, each list best first.
pub(super) struct Retrieved {
    /// Pages whose name is the query, then those that a link or a fact makes an answer.
    pub first: Vec<Ranked>,
    /// Pages that the query refers to by slug or path.
    pub referenced: Vec<PageNo>,
    /// Pages by their words.
    pub words: Vec<Scored>,
    /// Whether no page had all the words, so that any of them matched.
    pub relaxed: bool,
    /// Pages by embedding, with their nearest chunks.
    pub near: Vec<ChunkHit>,
    /// The name of the model that embedded them.
    pub model: Option<String>,
    /// The mode in which they were retrieved: without a model, by words alone.
    pub mode: Mode,
    /// Notes for the user.
    pub notes: Vec<Note>,
}

/// Runs the retrievers of the requested mode for `needed` pages.
pub(super) fn retrieve(
    context: &VaultContext,
    request: &SearchRequest,
    query: &Prepared,
    needed: usize,
) -> Result<Retrieved> {
    let (first, mode) = (first(context, request, query)?, request.mode);
    let limit = needed + first.len();
    let mut found = Retrieved {
        first,
        referenced: referenced(context, request)?,
        words: Vec::new(),
        relaxed: false,
        near: Vec::new(),
        model: None,
        mode,
        notes: Vec::new(),
    };
    if mode == Mode::Words {
        (found.words, found.relaxed) = by_words(context, request, query, limit)?;
    }
    let pool = POOL.max(limit);
    if matches!(mode, Mode::Lexical | Mode::Hybrid) {
        found.words = by_any_word(context, request, query, pool)?;
    }
    if matches!(mode, Mode::Semantic | Mode::Hybrid) {
        // Weighted sums need both scores of every page; ranks do not.
        let also: Vec<PageNo> = match request.fusion {
            Fusion::Model | Fusion::Weighted(_) => found.words.iter().map(|(page, _)| *page).collect(),
            _ => Vec::new(),
        };
        match by_embedding(context, request, pool, &also)? {
            EmbeddingHits::Found(near, model, note) => {
                (found.near, found.model) = (near, Some(model));
                found.notes.extend(note);
            }
            EmbeddingHits::Unavailable(reason) => {
                found.mode = Mode::Lexical;
                found.notes.push(reason);
                if mode == Mode::Semantic {
                    found.words = by_any_word(context, request, query, pool)?;
                }
            }
        }
    }
    Ok(found)
}

/// Finds the pages whose name is the query, then those that a link or a fact makes an answer.
fn first(context: &VaultContext, request: &SearchRequest, query: &Prepared) -> Result<Vec<Ranked>> {
    let mut first: Vec<Ranked> = Vec::new();
    if request.signals.exact {
        let named = exact(context, request)?.into_iter();
        let is_reference = is_reference(&request.text);
        let hit = |(page, why): (PageNo, &str)| {
            let hit = Ranked::new(page, 0.0, vec![why.to_owned()]);
            Ranked { exact: true, named: is_reference, ..hit }
        };
        first = named.map(hit).collect();
    }
    if request.signals.relation && request.mode != Mode::Words {
        let mut found: Vec<RelationAnswer> = answers(context, request)?;
        if found.is_empty() {
            let entries = entries(context, request, query)?.into_iter();
            found.extend(entries.map(|entry| RelationAnswer {
                page: entry.page,
                why: entry.why,
                line: Some(entry.line),
            }));
        }
        for RelationAnswer { page, why, line } in found {
            if !first.iter().any(|known| known.page == page) {
                first.push(Ranked { line, answers: true, ..Ranked::new(page, 0.0, vec![why]) });
            }
        }
    }
    if request.signals.exact {
        for page in linked(context, request)? {
            match first.iter_mut().find(|known| known.page == page) {
                Some(known) => (known.exact, known.named) = (true, true),
                None => {
                    let hit = Ranked::new(page, 0.0, vec!["the question links to it".to_owned()]);
                    first.push(Ranked { exact: true, named: true, ..hit });
                }
            }
        }
    }
    Ok(first)
}

/// Returns those of these pages that match a filter.
pub(super) fn passing(context: &VaultContext, filter: &Filter, pages: &[PageNo]) -> Result<Vec<PageRow>> {
    let (store, project) = (context.store(), context.project());
    let mut rows = store.pages(project, pages)?;
    if *filter == Filter::default() {
        return Ok(rows);
    }
    rows.retain(|row| filter.among.is_empty() || filter.among.contains(&row.slug));
    let among: Vec<String> = rows.iter().map(|row| row.slug.clone()).collect();
    if among.is_empty() {
        return Ok(rows);
    }
    let window = Window { limit: among.len(), offset: 0 };
    let found = store.list(project, &Filter { among, ..filter.clone() }, Order::Title, window)?;
    let passing: HashSet<PageNo> = found.into_iter().map(|row| row.number).collect();
    rows.retain(|row| passing.contains(&row.number));
    Ok(rows)
}
