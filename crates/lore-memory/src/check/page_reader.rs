//! Reads the files of preselected pages one by one, for checks that need their text.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use jiff::Timestamp;
use lore_engine::history::truth_change;
use lore_engine::{Error, Result, VaultContext, WEIGHTS, full_text};
use lore_page::{Page, parse};
use lore_ports::{Expression, Filter, LinkFilter, PageNo, Progress, TextQuery, Window};
use lore_vault::decode;

use super::contradiction::{Candidate, LineRef};
use super::ended::ByPage;
use super::endings;
use super::prose_endings::{PageText, ProseChecker, targets};
use super::rows::Rows;
use super::stale_truth::{Change, maybe_stale, stale_truth};

/// Reads pages during a check.
pub(super) struct PageReader<'a> {
    context: &'a VaultContext,
    rows: &'a Rows,
    progress: Progress<'a>,
    lines: Lines,
}

impl<'a> PageReader<'a> {
    pub(super) fn new(context: &'a VaultContext, rows: &'a Rows, progress: Progress<'a>) -> PageReader<'a> {
        PageReader { context, rows, progress, lines: Lines::default() }
    }

    /// Returns findings for prose that reports an end, on pages that contain a phrase of ending.
    pub(super) fn prose_endings(&mut self, links: &ByPage<'_>) -> Result<Vec<Candidate>> {
        let pages = self.pages_with_endings()?;
        if pages.is_empty() || links.is_empty() {
            return Ok(Vec::new());
        }
        let (context, rows, total) = (self.context, self.rows, pages.len());
        let checker = ProseChecker::new(rows, links);
        let mut found = Vec::new();
        for (done, number) in pages.into_iter().enumerate() {
            (self.progress)(done, total)?;
            let row = &rows.pages[&number];
            let Some((text, page)) = read(context, &row.path) else { continue };
            let targets =
                targets(&page, &context.store().links(context.project(), &LinkFilter::From(&[number]))?);
            let page_text = PageText { row, text: &text, page: &page, targets: &targets };
            let candidates = checker.ended_links(&page_text);
            self.lines.keep(number, &text, &candidates);
            found.extend(candidates);
        }
        Ok(found)
    }

    fn pages_with_endings(&self) -> Result<BTreeSet<PageNo>> {
        let words = Expression::Any(endings::phrases().map(Expression::Phrase).collect());
        let window = Window { limit: usize::MAX, offset: 0 };
        let query = TextQuery { expression: &words, filter: &Filter::default(), window, weights: WEIGHTS };
        let hits = full_text(self.context, &query)?;
        Ok(hits.iter().map(|hit| hit.page).filter(|page| self.rows.is_live(*page)).collect())
    }

    /// Returns truths older than their timelines, of one page or of all.
    pub(super) fn stale(&mut self, only: Option<PageNo>) -> Result<Vec<Candidate>> {
        let max_lag = self.context.policy().check.behind;
        let mut pages = maybe_stale(self.rows, max_lag);
        pages.retain(|page| only.is_none_or(|only| only == *page));
        let (mut found, total) = (Vec::new(), pages.len());
        for (done, number) in pages.into_iter().enumerate() {
            (self.progress)(done, total)?;
            let row = &self.rows.pages[&number];
            let Some((text, page)) = read(self.context, &row.path) else { continue };
            let last_change = || {
                let change = truth_change(self.context, &row.path, &text)?;
                Ok::<_, Error>(
                    change.map(|change| Change { day: self.day(change.at), replaced: change.replaced }),
                )
            };
            if let Some(candidate) = stale_truth(self.rows, row, &page, &text, max_lag, last_change)? {
                self.lines.keep(number, &text, std::slice::from_ref(&candidate));
                found.push(candidate);
            }
        }
        Ok(found)
    }

    /// Returns the local day of a time in milliseconds since 1970.
    fn day(&self, at: i64) -> String {
        let zone = self.context.now().time_zone().clone();
        let time = Timestamp::from_millisecond(at).unwrap_or(Timestamp::UNIX_EPOCH);
        time.to_zoned(zone).date().to_string()
    }

    /// Returns the lines of these findings, reading files that have not been read yet.
    pub(super) fn lines_of(mut self, candidates: &[Candidate]) -> Lines {
        self.lines.complete(self.context, self.rows, candidates);
        self.lines
    }
}

/// Reads a page from disk; none if it no longer exists.
pub(super) fn read(context: &VaultContext, path: &str) -> Option<(String, Page)> {
    let file = context.vault().read(path, context.policy().limits.page_bytes).ok().flatten()?;
    let text = decode(&file.bytes).text.into_owned();
    let page = parse(path, &text).page;
    Some((text, page))
}

/// Text of the lines in findings, collected while their pages are in memory.
#[derive(Default)]
pub(super) struct Lines {
    known: HashMap<LineRef, String>,
}

impl Lines {
    fn keep(&mut self, page: PageNo, text: &str, candidates: &[Candidate]) {
        let line_refs = candidates.iter().flat_map(|one| one.lines).filter(|line_ref| line_ref.page == page);
        let by_line: BTreeMap<u32, LineRef> = line_refs.map(|line_ref| (line_ref.line, line_ref)).collect();
        for (number, line) in (1..).zip(text.lines()) {
            if let Some(line_ref) = by_line.get(&number) {
                self.known.insert(*line_ref, line.trim().to_owned());
            }
        }
    }

    /// Reads the missing lines, each page once.
    fn complete(&mut self, context: &VaultContext, rows: &Rows, candidates: &[Candidate]) {
        let line_refs = candidates.iter().flat_map(|one| one.lines);
        let missing =
            line_refs.filter(|line_ref| !self.known.contains_key(line_ref)).map(|line_ref| line_ref.page);
        for page in missing.collect::<BTreeSet<PageNo>>() {
            let path = rows.pages.get(&page).map_or("", |row| row.path.as_str());
            let limit = context.policy().limits.page_bytes;
            if let Ok(Some(file)) = context.vault().read(path, limit) {
                self.keep(page, &decode(&file.bytes).text, candidates);
            }
        }
    }

    pub(super) fn text(&self, line_ref: LineRef) -> &str {
        self.known.get(&line_ref).map_or("", String::as_str)
    }
}
