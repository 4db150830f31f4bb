//! Lifecycle: current truth first. A page that supersedes another takes at least its score and comes before it, also if
//! it did not match itself; a page that no longer holds counts less. Both are judged on the day that is asked for. Then
//! every hit gets its state on that day and the warnings that a reader needs.

mod order;

use std::collections::{HashMap, HashSet};

use lore_ports::{LinkFilter, PageNo, PageRow, StatementFilter};
use lore_text::PartialDate;

use super::explain::number;
use super::expression::{AskedTime, asked_time_among};
use super::fuse::Ranked;
use super::request::SearchRequest;
use super::result::Hit;
use super::retrieve::passing;
use crate::context::VaultContext;
use crate::error::Result;
use crate::lifecycle::{Day, Ties, states_on};

use order::{Candidate, Placed, current_first};

/// Reorders pages, best first, by what holds on the day asked for.
pub(super) fn rank(
    context: &VaultContext,
    request: &SearchRequest,
    ranked: Vec<Ranked>,
) -> Result<Vec<Ranked>> {
    if ranked.is_empty() {
        return Ok(ranked);
    }
    let numbers: Vec<PageNo> = ranked.iter().map(|hit| hit.page).collect();
    let rows = rows(context, &numbers)?;
    let titles: Vec<&str> = rows.values().map(|row| row.title.as_str()).collect();
    let time = asked_time_among(&request.text, &context.today(), &titles);
    let day = day(context, request.as_of.or(time.date));
    let compacted = compacted(context, &day, &rows)?;
    let ties = Ties::around_on(context, &numbers, &day)?;
    let stage = Stage { context, request, day, ties, compacted, time };
    let ranked = stage.without_later(ranked, &rows)?;
    stage.ordered(ranked, rows)
}

/// Adds states and warnings to hits. The number of index queries does not depend on the number of hits.
pub(super) fn add_states(context: &VaultContext, request: &SearchRequest, hits: &mut [Hit]) -> Result<()> {
    if hits.is_empty() {
        return Ok(());
    }
    let pages: Vec<PageRow> = hits.iter().map(|hit| hit.page.clone()).collect();
    let day = day(context, request.as_of);
    for (hit, state) in hits.iter_mut().zip(states_on(context, &pages, &day)?) {
        hit.warnings = state.warnings();
        hit.state = state;
    }
    Ok(())
}

fn day(context: &VaultContext, date: Option<PartialDate>) -> Day {
    date.map_or_else(|| Day::today(context), |date| Day::of(context, date))
}

type Rows = HashMap<PageNo, PageRow>;

fn rows(context: &VaultContext, pages: &[PageNo]) -> Result<Rows> {
    let rows = context.store().pages(context.project(), pages)?;
    Ok(rows.into_iter().map(|row| (row.number, row)).collect())
}

/// Returns the summary of each compacted page, which takes its place.
fn compacted(context: &VaultContext, day: &Day, rows: &Rows) -> Result<HashMap<PageNo, PageNo>> {
    let mut found = HashMap::new();
    for row in rows.values() {
        let Some(into) = day.compacted_into(row) else { continue };
        if let Ok(Some(summary)) = context.find(&into) {
            found.insert(row.number, summary.number);
        }
    }
    Ok(found)
}

struct Stage<'a> {
    context: &'a VaultContext,
    request: &'a SearchRequest,
    day: Day,
    ties: Ties,
    /// The summary of each compacted page.
    compacted: HashMap<PageNo, PageNo>,
    time: AskedTime,
}

impl Stage<'_> {
    fn is_invalid(&self, rows: &Rows, page: PageNo) -> bool {
        // In a question about an earlier day, a page of a later date does not hold yet.
        let not_yet = |row: &PageRow| self.time.date.is_some() && self.day.is_later(row);
        rows.get(&page).is_some_and(|row| self.day.is_invalid(row, &self.ties) || not_yet(row))
    }

    /// Returns the pages that take the place of a page.
    fn successors(&self, page: PageNo) -> Vec<PageNo> {
        let summary = self.compacted.get(&page).copied().filter(|summary| *summary != page);
        self.ties.successors(page).into_iter().chain(summary).collect()
    }

    /// Returns the pages that take the place of a page, directly or through others.
    fn above(&self, page: PageNo) -> Vec<PageNo> {
        let summary = self.compacted.get(&page).copied().filter(|summary| *summary != page);
        self.ties.chain(page).into_iter().flatten().chain(summary).collect()
    }

    /// Drops the pages dated after the requested day, unless they have a line about that day or an earlier one.
    fn without_later(&self, mut ranked: Vec<Ranked>, rows: &Rows) -> Result<Vec<Ranked>> {
        if self.request.as_of.is_none() {
            return Ok(ranked);
        }
        let later = self.later(rows)?;
        ranked.retain(|hit| hit.answers || !later.contains(&hit.page));
        Ok(ranked)
    }

    fn later(&self, rows: &Rows) -> Result<HashSet<PageNo>> {
        let (store, project) = (self.context.store(), self.context.project());
        let later: Vec<PageNo> =
            rows.values().filter(|page| self.day.is_later(page)).map(|page| page.number).collect();
        if later.is_empty() {
            return Ok(HashSet::new());
        }
        let wanted = StatementFilter { pages: Some(&later), kind: None, naming: None };
        let statements = store.statements(project, &wanted)?;
        let statements = statements.iter().map(|row| (row.page, row.statement.interval.from));
        let links = store.links(project, &LinkFilter::From(&later))?;
        let links = links.iter().map(|row| (row.from, row.link.interval.from));
        let mut found: HashSet<PageNo> = later.iter().copied().collect();
        for (page, from) in statements.chain(links) {
            if from.is_some_and(|from| from.first_day().as_str() <= self.day.text()) {
                found.remove(&page);
            }
        }
        Ok(found)
    }

    /// Returns the pages that supersede pages of the ranking, are not in it themselves and match the filter.
    fn missing_successors(&self, ranked: &[Ranked]) -> Result<Vec<PageNo>> {
        let known: HashSet<PageNo> = ranked.iter().map(|hit| hit.page).collect();
        let mut missing: Vec<PageNo> = Vec::new();
        for hit in ranked {
            for page in self.above(hit.page) {
                // Only the current end of a chain is brought in.
                if self.successors(page).is_empty() && !known.contains(&page) && !missing.contains(&page) {
                    missing.push(page);
                }
            }
        }
        if missing.is_empty() {
            return Ok(missing);
        }
        let passing = passing(self.context, &self.request.filter, &missing)?;
        let passing: Rows = passing.into_iter().map(|row| (row.number, row)).collect();
        let later = if self.request.as_of.is_some() { self.later(&passing)? } else { HashSet::new() };
        missing.retain(|page| passing.contains_key(page) && !later.contains(page));
        Ok(missing)
    }

    /// Explains what this stage did to a page.
    fn steps(&self, hit: &Ranked, placed: &Placed, rows: &Rows) -> Vec<String> {
        let mut steps = Vec::new();
        if let Some(old) = placed.inherits {
            let slug = rows.get(&old).map(|row| row.slug.as_str()).unwrap_or_default();
            steps.push(format!("current truth: takes the score of {slug}, which it supersedes"));
        } else if placed.score < hit.score {
            steps.push("current truth: no longer holds, so it counts half and gets no signals".to_owned());
        } else if placed.score > hit.score {
            steps.push("the past: comes before the page that supersedes it".to_owned());
        }
        steps.push(format!("score: {}", number(placed.score)));
        steps
    }

    fn ordered(&self, mut ranked: Vec<Ranked>, rows: Rows) -> Result<Vec<Ranked>> {
        let missing = self.missing_successors(&ranked)?;
        ranked.extend(
            missing.into_iter().map(|page| Ranked { successor: true, ..Ranked::new(page, 0.0, Vec::new()) }),
        );
        let candidates: Vec<Candidate> = ranked
            .iter()
            .map(|hit| Candidate {
                page: hit.page,
                score: (!hit.successor).then_some(hit.score),
                lowered: (!hit.exact && !hit.answers && self.is_invalid(&rows, hit.page))
                    .then_some(hit.lowered),
                named: hit.named,
                above: self.above(hit.page),
                successors: self.successors(hit.page),
            })
            .collect();
        let mut hits: HashMap<PageNo, Ranked> = ranked.into_iter().map(|hit| (hit.page, hit)).collect();
        let mut ordered = Vec::with_capacity(hits.len());
        for placed in current_first(&candidates, self.time.past) {
            let Some(mut hit) = hits.remove(&placed.page) else { continue };
            if let Some(old) = placed.inherits {
                let slug = rows.get(&old).map(|row| row.slug.as_str()).unwrap_or_default();
                hit.why.push(format!("supersedes {slug}"));
            }
            if self.request.explain {
                hit.steps.extend(self.steps(&hit, &placed, &rows));
            }
            hit.score = placed.score;
            ordered.push(hit);
        }
        Ok(ordered)
    }
}
