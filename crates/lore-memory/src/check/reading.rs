//! Reads the files of preselected pages one by one, for checks that need their text.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use lore_engine::{Result, VaultContext, WEIGHTS, full_text};
use lore_page::{Page, parse};
use lore_ports::{Expression, Filter, LinkFilter, PageNo, Progress, TextQuery, Window};
use lore_vault::decode;

use super::behind::{maybe_behind, truth_behind};
use super::ended::ByPage;
use super::endings;
use super::finding::{Spot, Suspicion};
use super::rows::Rows;
use super::said::{Context, Told, targets};

/// Reads pages during a check.
pub(super) struct Reading<'a> {
    context: &'a VaultContext,
    rows: &'a Rows,
    progress: Progress<'a>,
    lines: Lines,
}

impl<'a> Reading<'a> {
    pub(super) fn new(context: &'a VaultContext, rows: &'a Rows, progress: Progress<'a>) -> Reading<'a> {
        Reading { context, rows, progress, lines: Lines::default() }
    }

    /// Returns findings for prose that reports an end, on pages that contain a phrase of ending.
    pub(super) fn prose_against_links(&mut self, links: &ByPage<'_>) -> Result<Vec<Suspicion>> {
        let pages = self.with_words_of_ending()?;
        if pages.is_empty() || links.is_empty() {
            return Ok(Vec::new());
        }
        let (context, rows, total) = (self.context, self.rows, pages.len());
        let reader = Context::new(rows, links);
        let mut found = Vec::new();
        for (done, number) in pages.into_iter().enumerate() {
            (self.progress)(done, total)?;
            let row = &rows.pages[&number];
            let Some((text, page)) = read(context, &row.path) else { continue };
            let leads =
                targets(&page, &context.store().links(context.project(), &LinkFilter::From(&[number]))?);
            let told = Told { row, text: &text, page: &page, targets: &leads };
            let said = reader.said_to_have_ended(&told);
            self.lines.keep(number, &text, &said);
            found.extend(said);
        }
        Ok(found)
    }

    fn with_words_of_ending(&self) -> Result<BTreeSet<PageNo>> {
        let words = Expression::Any(endings::phrases().map(Expression::Phrase).collect());
        let window = Window { limit: usize::MAX, offset: 0 };
        let query = TextQuery { expression: &words, filter: &Filter::default(), window, weights: WEIGHTS };
        let hits = full_text(self.context, &query)?;
        Ok(hits.iter().map(|hit| hit.page).filter(|page| self.rows.is_live(*page)).collect())
    }

    /// Returns truths older than their timelines, of one page or of all.
    pub(super) fn stale(&mut self, only: Option<PageNo>) -> Result<Vec<Suspicion>> {
        let late = self.context.policy().check.behind;
        let mut pages = maybe_behind(self.rows, late);
        pages.retain(|page| only.is_none_or(|only| only == *page));
        let (mut found, total) = (Vec::new(), pages.len());
        for (done, number) in pages.into_iter().enumerate() {
            (self.progress)(done, total)?;
            let row = &self.rows.pages[&number];
            let Some((text, page)) = read(self.context, &row.path) else { continue };
            if let Some(one) = truth_behind(self.rows, row, &page, &text, late) {
                self.lines.keep(number, &text, std::slice::from_ref(&one));
                found.push(one);
            }
        }
        Ok(found)
    }

    /// Returns the lines of these findings, reading files that have not been read yet.
    pub(super) fn lines_of(mut self, suspicions: &[Suspicion]) -> Lines {
        self.lines.complete(self.context, self.rows, suspicions);
        self.lines
    }
}

/// Reads a page from disk; none if it no longer exists.
fn read(context: &VaultContext, path: &str) -> Option<(String, Page)> {
    let file = context.vault().read(path, context.policy().limits.page_bytes).ok().flatten()?;
    let text = decode(&file.bytes).text.into_owned();
    let page = parse(path, &text).page;
    Some((text, page))
}

/// Text of the lines in findings, collected while their pages are in memory.
#[derive(Default)]
pub(super) struct Lines {
    known: HashMap<Spot, String>,
}

impl Lines {
    fn keep(&mut self, page: PageNo, text: &str, suspicions: &[Suspicion]) {
        let spots = suspicions.iter().flat_map(|one| one.spots).filter(|spot| spot.page == page);
        let wanted: BTreeMap<u32, Spot> = spots.map(|spot| (spot.line, spot)).collect();
        for (number, line) in (1..).zip(text.lines()) {
            if let Some(spot) = wanted.get(&number) {
                self.known.insert(*spot, line.trim().to_owned());
            }
        }
    }

    /// Reads the missing lines, each page once.
    fn complete(&mut self, context: &VaultContext, rows: &Rows, suspicions: &[Suspicion]) {
        let spots = suspicions.iter().flat_map(|one| one.spots);
        let missing = spots.filter(|spot| !self.known.contains_key(spot)).map(|spot| spot.page);
        for page in missing.collect::<BTreeSet<PageNo>>() {
            let path = rows.pages.get(&page).map_or("", |row| row.path.as_str());
            let limit = context.policy().limits.page_bytes;
            if let Ok(Some(file)) = context.vault().read(path, limit) {
                self.keep(page, &decode(&file.bytes).text, suspicions);
            }
        }
    }

    pub(super) fn text(&self, spot: Spot) -> &str {
        self.known.get(&spot).map_or("", String::as_str)
    }
}
