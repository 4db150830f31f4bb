//! Searches structured lines: observations, relations, facts and timeline entries.

use std::collections::{BTreeSet, HashMap};

use lore_page::LineRange;
use lore_ports::{LinkFilter, PageNo, StatementFilter, StatementKind};
use lore_text::ContentHash;
use lore_vault::decode;

use super::expression::Prepared;
use super::passage::count_terms;
use super::retrievers::by_any_word;
use super::{Excerpt, Hit, HitKind, Mode, SearchRequest, SearchResult};
use crate::context::VaultContext;
use crate::error::Result;

/// Maximum number of pages whose lines are searched.
const CANDIDATES: usize = 500;

/// Finds structured lines of one kind that contain the words, on pages that contain them.
pub(super) fn search_lines(
    context: &VaultContext,
    request: &SearchRequest,
    prepared: &Prepared,
    kind: HitKind,
) -> Result<SearchResult> {
    // Lines are matched individually, so a page that has all the words in its prose must not hide the others.
    let candidates = by_any_word(context, request, prepared, CANDIDATES)?;
    let numbers: Vec<PageNo> = candidates.iter().map(|(page, _)| *page).collect();
    let mut lines: Vec<(usize, f64, PageNo, LineRange, String)> = Vec::new();
    for (page, range, text) in lines_of(context, &numbers, kind)? {
        let found = count_terms(&text, prepared);
        if found > 0 {
            let score = candidates.iter().find(|hit| hit.0 == page).map_or(0.0, |hit| hit.1);
            lines.push((found, score, page, range, text));
        }
    }
    let most = lines.iter().map(|line| line.0).max().unwrap_or(0);
    let complete = most == prepared.terms.len();
    lines.retain(|line| !complete || line.0 == most);
    let paths = paths(context, &lines.iter().map(|line| line.2).collect())?;
    lines.sort_by(|a, b| {
        let place = |line: &(usize, f64, PageNo, LineRange, String)| (paths.get(&line.2), line.3.first);
        b.0.cmp(&a.0).then(b.1.total_cmp(&a.1)).then_with(|| place(a).cmp(&place(b)))
    });
    let more = lines.len() > request.offset + request.limit;
    let mut hits = Vec::new();
    for (found, score, page, range, text) in lines.into_iter().skip(request.offset).take(request.limit) {
        let Some(page) = context.store().pages(context.project(), &[page])?.pop() else { continue };
        let why =
            if complete { "all words".into() } else { format!("{found} of {} words", prepared.terms.len()) };
        let hash = page.hash;
        let source = context.vault().read(&page.path, u64::MAX).ok().flatten();
        let read = source.map(|file| (decode(&file.bytes).text.into_owned(), ContentHash::of(&file.bytes)));
        let (text, hash) = match read {
            Some((whole, hash)) => (line_text(&whole, range).unwrap_or(text), hash),
            None => (text, hash),
        };
        let excerpt = Some(Excerpt { text, lines: range, hash });
        hits.push(Hit { page, why: vec![why], answers: false, score, excerpt, chunk: None, text: None });
    }
    Ok(SearchResult { hits, relaxed: !complete, more, mode: Mode::Words, notes: Vec::new() })
}

/// Returns the paths of pages, to break ties: page numbers are arbitrary.
fn paths(context: &VaultContext, pages: &BTreeSet<PageNo>) -> Result<HashMap<PageNo, String>> {
    let numbers: Vec<PageNo> = pages.iter().copied().collect();
    let rows = context.store().pages(context.project(), &numbers)?;
    Ok(rows.into_iter().map(|row| (row.number, row.path)).collect())
}

fn line_text(text: &str, lines: LineRange) -> Option<String> {
    let wanted: Vec<&str> =
        text.lines().skip(lines.first as usize - 1).take((lines.last - lines.first) as usize + 1).collect();
    (!wanted.is_empty()).then(|| wanted.join("\n"))
}

fn lines_of(
    context: &VaultContext,
    pages: &[PageNo],
    kind: HitKind,
) -> Result<Vec<(PageNo, LineRange, String)>> {
    let statements = match kind {
        HitKind::Observation => StatementKind::Observation,
        HitKind::Fact => StatementKind::Fact,
        HitKind::Entry => StatementKind::Entry,
        HitKind::Page | HitKind::Relation => {
            let links = context.store().links(context.project(), &LinkFilter::From(pages))?.into_iter();
            let relations = links.filter(|row| row.link.relation != lore_page::LINKS_TO);
            return Ok(relations
                .map(|row| {
                    let text = format!("{} {}", row.link.relation, row.link.target);
                    (row.from, LineRange { first: row.link.line, last: row.link.line }, text)
                })
                .collect());
        }
    };
    let rows = context.store().statements(
        context.project(),
        &StatementFilter { pages: Some(pages), kind: Some(statements), naming: None },
    )?;
    Ok(rows
        .into_iter()
        .map(|row| {
            let said = &row.statement;
            let notes: Vec<&str> = said.notes.iter().map(|(_, value)| value.as_str()).collect();
            let subject = said.subject.as_deref().unwrap_or_default();
            let text = format!("{subject} {} {} {}", said.predicate, said.object, notes.join(" "));
            (row.page, said.lines, text)
        })
        .collect())
}
