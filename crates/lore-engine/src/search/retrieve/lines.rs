//! Retrieval of structured lines: observations, relations, facts and timeline entries.

use std::collections::{BTreeSet, HashMap};

use lore_page::{LIFECYCLE_RELATIONS, LineRange};
use lore_ports::{LinkFilter, PageNo, StatementFilter, StatementKind};

use super::passing;
use super::words::by_any_word;
use crate::context::VaultContext;
use crate::error::Result;
use crate::search::expression::{Prepared, Term, count_terms};
use crate::search::fuse::EVERY_WORD;
use crate::search::request::{HitKind, SearchRequest};

/// Maximum number of pages whose lines are searched.
const CANDIDATES: usize = 500;

/// A line that contains words of the query.
pub(in crate::search) struct FoundLine {
    pub page: PageNo,
    pub lines: LineRange,
    /// Its text in the index.
    pub text: String,
    /// The score of its page.
    pub score: f64,
    /// Number of terms in it.
    terms: usize,
    /// Why it matched.
    pub why: String,
}

/// The lines found, best first.
pub(in crate::search) struct FoundLines {
    pub lines: Vec<FoundLine>,
    /// Whether they contain every word of the query.
    pub complete: bool,
}

/// Finds structured lines of one kind that contain the words, on pages that contain them.
pub(in crate::search) fn lines(
    context: &VaultContext,
    request: &SearchRequest,
    query: &Prepared,
    kind: HitKind,
) -> Result<FoundLines> {
    // Lines are matched individually, so a page that has all the words in its prose must not hide the others.
    let candidates = by_any_word(context, request, query, CANDIDATES)?;
    let mut numbers: Vec<PageNo> = candidates.iter().map(|(page, _)| *page).collect();
    if kind == HitKind::Relation {
        // The words of these relations are not in the full-text index.
        let links = context.store().links(context.project(), &LinkFilter::Typed(&LIFECYCLE_RELATIONS))?;
        let others: BTreeSet<PageNo> =
            links.iter().map(|row| row.from).filter(|page| !numbers.contains(page)).collect();
        let others: Vec<PageNo> = others.into_iter().collect();
        numbers.extend(passing(context, &request.filter, &others)?.iter().map(|row| row.number));
    }
    let wanted = Term::all(query);
    let mut lines: Vec<FoundLine> = Vec::new();
    for (page, range, text) in lines_of(context, &numbers, kind)? {
        let terms = count_terms(&text, &wanted);
        if terms > 0 {
            let score = candidates.iter().find(|hit| hit.0 == page).map_or(0.0, |hit| hit.1);
            lines.push(FoundLine { page, lines: range, text, score, terms, why: String::new() });
        }
    }
    let most = lines.iter().map(|line| line.terms).max().unwrap_or(0);
    let all = query.terms.len();
    let complete = most == all;
    lines.retain(|line| !complete || line.terms == most);
    let paths = paths(context, &lines.iter().map(|line| line.page).collect())?;
    lines.sort_by(|a, b| {
        let place = |line: &FoundLine| (paths.get(&line.page), line.lines.first);
        b.terms.cmp(&a.terms).then(b.score.total_cmp(&a.score)).then_with(|| place(a).cmp(&place(b)))
    });
    for line in &mut lines {
        line.why = if complete { EVERY_WORD.into() } else { format!("{} of {all} words", line.terms) };
    }
    Ok(FoundLines { lines, complete })
}

/// Returns the paths of pages, to break ties: page numbers are arbitrary.
fn paths(context: &VaultContext, pages: &BTreeSet<PageNo>) -> Result<HashMap<PageNo, String>> {
    let numbers: Vec<PageNo> = pages.iter().copied().collect();
    let rows = context.store().pages(context.project(), &numbers)?;
    Ok(rows.into_iter().map(|row| (row.number, row.path)).collect())
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
