//! Search: exact names first, then words; each hit says why it is there and where to read on.

mod expression;
mod lines;
mod passage;
mod script;

use std::collections::HashSet;

use lore_page::LineRange;

use crate::error::Result;
use crate::hash::ContentHash;
use crate::index::{
    Filter, Index, KeyKind, Names, Order, PageNo, PageRow, ProjectNo, TextHit, TextQuery, Window,
};
use crate::resolve::names_of;
use crate::vault::{Vault, decode};

pub(crate) use expression::says_something;
pub use expression::{Expression, Prepared, prepare};
pub use script::set_apart;
pub(crate) use script::{is_unspaced, pairs, runs};

use lines::search_lines;
use passage::passage;

/// What is looked for.
#[derive(Debug, Clone, Default)]
pub struct SearchRequest {
    /// The query as typed.
    pub text: String,
    /// Which pages count.
    pub filter: Filter,
    /// Only structured lines of this kind, instead of pages.
    pub kind: Option<HitKind>,
    /// How many hits.
    pub limit: usize,
    /// How many to pass over first.
    pub offset: usize,
}

/// What a hit is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HitKind {
    /// A page.
    Page,
    /// An observation.
    Observation,
    /// A relation.
    Relation,
    /// A fact.
    Fact,
    /// A timeline entry.
    Entry,
}

/// A page, or a line of one, that answers.
#[derive(Debug, Clone)]
pub struct Hit {
    /// The page.
    pub page: PageRow,
    /// Why it is here, strongest first.
    pub why: Vec<String>,
    /// How well it answers; comparable within one result only.
    pub score: f64,
    /// What to read.
    pub excerpt: Option<Excerpt>,
}

/// A passage with all that is needed to check it later.
#[derive(Debug, Clone)]
pub struct Excerpt {
    /// The text.
    pub text: String,
    /// Its lines.
    pub lines: LineRange,
    /// The checksum of the file it was read from.
    pub hash: ContentHash,
}

/// An answer.
#[derive(Debug)]
pub struct SearchResult {
    /// Best first.
    pub hits: Vec<Hit>,
    /// Whether no page had all the words, so that any of them counted.
    pub relaxed: bool,
    /// Whether there are more hits after these.
    pub more: bool,
}

struct Ranked {
    page: PageNo,
    score: f64,
    why: String,
}

/// Answers a request from the index, and reads the passages from the vault.
pub fn search(
    index: &dyn Index,
    project: ProjectNo,
    vault: &Vault,
    request: &SearchRequest,
) -> Result<SearchResult> {
    let prepared = prepare(&request.text);
    if let Some(kind) = request.kind.filter(|kind| *kind != HitKind::Page) {
        return search_lines(index, project, vault, request, &prepared, kind);
    }
    let needed = request.offset + request.limit + 1;
    let mut ranked = exact(index, project, request)?;
    let known: HashSet<PageNo> = ranked.iter().map(|hit| hit.page).collect();
    let (lexical, relaxed) = lexical(index, project, request, &prepared, needed + known.len())?;
    ranked.extend(lexical.into_iter().filter(|hit| !known.contains(&hit.page)));
    lift_exact(&mut ranked, known.len());
    let more = ranked.len() >= needed;
    let window: Vec<Ranked> = ranked.into_iter().skip(request.offset).take(request.limit).collect();
    let hits = read_hits(index, project, vault, &prepared, window)?;
    Ok(SearchResult { hits, relaxed, more })
}

/// Pages whose id, slug, path, title or alias is the query.
fn exact(index: &dyn Index, project: ProjectNo, request: &SearchRequest) -> Result<Vec<Ranked>> {
    let names = names_of(&request.text);
    let names: Vec<&str> = names.iter().map(String::as_str).filter(|name| !name.is_empty()).collect();
    let mut rows = index.lookup(project, &Names::Exact(&names))?;
    rows.retain(|row| row.kind <= KeyKind::NameSlug);
    rows.sort_by(|a, b| a.kind.cmp(&b.kind).then_with(|| a.path.cmp(&b.path)));
    let mut ranked: Vec<Ranked> = Vec::new();
    for row in rows {
        if ranked.iter().any(|known| known.page == row.page) {
            continue;
        }
        let filter =
            Filter { slug: request.filter.slug.clone().or(Some(row.slug.clone())), ..request.filter.clone() };
        let passes = index.list(project, &filter, Order::Title, Window { limit: 1, offset: 0 })?;
        if passes.first().is_some_and(|page| page.number == row.page) {
            let what = match row.kind {
                KeyKind::Id => "id",
                KeyKind::Slug => "slug",
                KeyKind::Path => "path",
                KeyKind::Title => "title",
                _ => "alias",
            };
            ranked.push(Ranked { page: row.page, score: 0.0, why: format!("its {what} is the query") });
        }
    }
    Ok(ranked)
}

fn lexical(
    index: &dyn Index,
    project: ProjectNo,
    request: &SearchRequest,
    prepared: &Prepared,
    limit: usize,
) -> Result<(Vec<Ranked>, bool)> {
    let Some(strict) = &prepared.strict else { return Ok((Vec::new(), false)) };
    let found = ask(index, project, request, strict, limit)?;
    match &prepared.relaxed {
        Some(relaxed) if found.is_empty() => {
            let mut found = ask(index, project, request, relaxed, limit)?;
            found.iter_mut().for_each(|hit| hit.why = "some words".into());
            Ok((found, true))
        }
        _ => Ok((found, false)),
    }
}

fn ask(
    index: &dyn Index,
    project: ProjectNo,
    request: &SearchRequest,
    expression: &Expression,
    limit: usize,
) -> Result<Vec<Ranked>> {
    let window = Window { limit, offset: 0 };
    let hits = index.search(project, &TextQuery { expression, filter: &request.filter, window })?;
    let ranked = |hit: TextHit| Ranked { page: hit.page, score: hit.score, why: "all words".into() };
    Ok(hits.into_iter().map(ranked).collect())
}

/// An exact hit stands above the best of the others, also by its score.
fn lift_exact(ranked: &mut [Ranked], exact: usize) {
    let top = ranked.get(exact).map_or(0.0, |best| best.score);
    for (at, hit) in ranked.iter_mut().take(exact).enumerate() {
        hit.score = top + (exact - at) as f64;
    }
}

fn read_hits(
    index: &dyn Index,
    project: ProjectNo,
    vault: &Vault,
    prepared: &Prepared,
    ranked: Vec<Ranked>,
) -> Result<Vec<Hit>> {
    let numbers: Vec<PageNo> = ranked.iter().map(|hit| hit.page).collect();
    let pages = index.pages(project, &numbers)?;
    let mut hits = Vec::with_capacity(pages.len());
    for page in pages {
        let Some(found) = ranked.iter().find(|hit| hit.page == page.number) else { continue };
        let excerpt = excerpt(vault, &page, prepared);
        hits.push(Hit { why: vec![found.why.clone()], score: found.score, excerpt, page });
    }
    Ok(hits)
}

/// The passage that matched, read from the file itself. A file that is gone by now has none.
fn excerpt(vault: &Vault, page: &PageRow, query: &Prepared) -> Option<Excerpt> {
    let file = vault.read(&page.path, u64::MAX).ok()??;
    let decoded = decode(&file.bytes);
    let found = passage(&decoded.text, body_start(&decoded.text), query)?;
    Some(Excerpt { text: found.text, lines: found.lines, hash: ContentHash::of(&file.bytes) })
}

/// The first line after the frontmatter.
fn body_start(text: &str) -> u32 {
    let mut lines = text.lines().zip(1u32..);
    match lines.next() {
        Some((first, _)) if first.trim_start_matches('\u{feff}').trim_end() == "---" => lines
            .find(|(line, _)| matches!(line.trim_end(), "---" | "..."))
            .map_or(1, |(_, number)| number + 1),
        _ => 1,
    }
}
