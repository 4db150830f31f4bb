//! Selects the passages of an answer: what matched on the best pages in any case, then the best lines of all pages,
//! as far as the budget reaches.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use lore_page::{LIFECYCLE_RELATIONS, Link, parse};
use lore_ports::PageNo;
use lore_text::relative_dates;

use super::depths::PART;
use crate::context::VaultContext;
use crate::search::expression::Term;
use crate::search::page_date::line_day;
use crate::search::passages::{Candidate, Costs, Limits, ScoredUnit, Unit, below_heading, select};
use crate::search::request::{Budget, Depth};
use crate::search::result::{Content, Hit, Passage, Verdict};

/// Tokens of passages after which an answer ends, unless a number of tokens was asked for.
const USUAL: usize = 1000;

/// A budget of this many tokens shows the best passage in any case, though titles and fields leave no room for it …
const ENOUGH: usize = 150;

/// … by exceeding it by at most this many.
const OVER: usize = 100;

/// How much weaker than the best line of its page a line with words of the query may be to stand for it.
const OWN_WORDS: f64 = 1.5;

/// How much more confident than a page that is shown another one must be to be shown as well.
const FAR_MORE: f64 = 0.3;

/// Tokens of a relative date with its meaning.
const DATE_TOKENS: usize = 16;

/// What is fitted into the budget.
pub(super) struct Fitting<'a> {
    pub context: &'a VaultContext,
    pub budget: &'a Budget,
    pub hits: &'a [Hit],
    pub pages: &'a [Candidate<'a>],
    pub scored: &'a [ScoredUnit],
    pub terms: &'a [Term],
    /// The pages whose title or alias is in the question.
    pub asked: &'a BTreeSet<PageNo>,
    /// The units that matched, as far as they are known.
    pub matches: Vec<OnceCell<Option<usize>>>,
    pub limit: usize,
}

impl Fitting<'_> {
    pub(super) fn count(&self, text: &str) -> usize {
        self.context.models().count_tokens(text)
    }

    fn around(&self, at: usize, depth: Depth) -> usize {
        (self.budget.around)(self.context, &self.hits[at], depth)
    }

    /// Returns the unit of a page that matched: the line that answers, else the best one.
    pub(super) fn matched(&self, at: usize) -> Option<usize> {
        *self.matches[at].get_or_init(|| self.find_match(at))
    }

    fn find_match(&self, at: usize) -> Option<usize> {
        let (hit, units) = (&self.hits[at], &self.pages[at].units.list);
        let line = hit.excerpt.as_ref().filter(|_| hit.answers).map(|excerpt| excerpt.lines.first);
        let answer = line.and_then(|line| {
            units.iter().position(|unit| unit.lines.first <= line && line <= unit.lines.last)
        });
        let silent = if hit.successor { self.lifecycle_units(at) } else { BTreeSet::new() };
        let candidates = || self.scored.iter().filter(|unit| unit.page == at && !silent.contains(&unit.unit));
        let best = || {
            let best = candidates().next()?;
            // A line with the words comes before its neighbours, unless it is much weaker.
            let own = candidates().find(|unit| unit.has_terms);
            Some(own.filter(|own| own.score >= best.score - OWN_WORDS).unwrap_or(best).unit)
        };
        let chosen = answer.or_else(best).or((!units.is_empty()).then_some(0))?;
        if answer.is_some() {
            return answer;
        }
        let below = below_heading(self.pages[at].units, self.pages[at].text, self.terms, chosen);
        let best = self.scored.iter().find(|unit| unit.page == at && below.contains(&unit.unit));
        Some(best.map(|unit| unit.unit).or(below.first().copied()).unwrap_or(chosen))
    }

    /// Returns the units of a page that only say what it supersedes or the like, which its reasons tell as well.
    fn lifecycle_units(&self, at: usize) -> BTreeSet<usize> {
        let page = &self.pages[at];
        let is_lifecycle =
            |link: &&Link| LIFECYCLE_RELATIONS.iter().any(|name| link.relation.eq_ignore_ascii_case(name));
        let parsed = parse(&self.hits[at].page.path, page.text).page;
        let lines: Vec<u32> = parsed.links.iter().filter(is_lifecycle).map(|link| link.line).collect();
        let says =
            |unit: &Unit| lines.iter().any(|line| unit.lines.first <= *line && *line <= unit.lines.last);
        (0..page.units.list.len()).filter(|unit| says(&page.units.list[*unit])).collect()
    }

    /// Returns the best passages of all pages.
    pub(super) fn passages(&self) -> BTreeMap<usize, Content> {
        let ceiling = self.budget.tokens.saturating_sub(self.budget.base);
        let usual = if self.budget.is_requested { ceiling } else { ceiling.min(USUAL) };
        // Most pages are never considered, so their cost is counted when it is needed.
        let around: Vec<OnceCell<usize>> = vec![OnceCell::new(); self.hits.len()];
        let page = |at: usize| *around[at].get_or_init(|| self.around(at, Depth::Section));
        let costs = Costs { page: &page, passage: self.budget.passage };
        let choose = |tokens: usize, first: &[(usize, usize)]| {
            let limits = Limits { tokens, pages: self.limit };
            select(self.pages, self.scored, first, limits, &costs)
        };
        let mut first = self.first();
        let mut chosen = choose(usual, &first);
        let better = self.more_confident(&chosen);
        if !better.is_empty() {
            first.extend(better);
            chosen = choose(usual, &first);
        }
        if let Some((at, _)) = first.first().filter(|best| !chosen.contains(best)) {
            return self.beside_cut(*at, usual, |tokens| choose(tokens, &first));
        }
        // Costs were estimated. What they leave of a requested number of tokens is filled.
        let total = if self.budget.is_requested { spent(&self.contents(&chosen)) } else { ceiling };
        if total < ceiling {
            chosen = choose(ceiling.saturating_mul(ceiling) / total.max(1), &first);
        }
        self.fitting(chosen, ceiling)
    }

    /// Returns as many of the chosen units as fit. The exact costs decide, so that the last choices may have to go.
    fn fitting(&self, mut chosen: Vec<(usize, usize)>, ceiling: usize) -> BTreeMap<usize, Content> {
        loop {
            let found = self.contents(&chosen);
            let total = spent(&found);
            if total <= ceiling {
                return self.expanded(found, &chosen, ceiling - total);
            }
            let over = total - ceiling;
            chosen.truncate(chosen.len() - (1 + over / 60).min(chosen.len()));
        }
    }

    /// Returns the best page with a part of the line that matched, which is too long to be shown whole, and the
    /// passages of other pages. Other lines of its page do not stand for the one that matched.
    fn beside_cut(
        &self,
        at: usize,
        usual: usize,
        choose: impl Fn(usize) -> Vec<(usize, usize)>,
    ) -> BTreeMap<usize, Content> {
        let ceiling = self.budget.tokens.saturating_sub(self.budget.base);
        let Some(cut) = self.brief(at, ceiling, Depth::Section, PART) else { return BTreeMap::new() };
        let mut chosen = choose(usual.saturating_sub(cut.tokens));
        chosen.retain(|(page, _)| *page != at);
        let mut found = self.fitting(chosen, ceiling.saturating_sub(cut.tokens));
        found.insert(at, cut);
        found
    }

    /// Returns the units that are shown in any case: those of the best page, of the pages that answer, and of those
    /// that the question names.
    fn first(&self) -> Vec<(usize, usize)> {
        let is_first = |at: &usize| {
            let hit = &self.hits[*at];
            let is_best = *at == 0 || self.asked.contains(&hit.page.number);
            is_best && !self.pages[*at].is_stub || hit.answers || hit.named || hit.successor
        };
        let answering = (0..self.hits.len()).filter(is_first).take(self.limit);
        answering.filter_map(|at| Some((at, self.matched(at)?))).collect()
    }

    /// Returns units of the pages that answer far better than one that is shown and answers nothing. A short page has
    /// few lines to compete with.
    fn more_confident(&self, chosen: &[(usize, usize)]) -> Vec<(usize, usize)> {
        let confidence = |at: usize| self.hits[at].confidence.unwrap_or_default();
        let shown: BTreeSet<usize> = chosen.iter().map(|(page, _)| *page).collect();
        let least = shown.iter().map(|at| confidence(*at)).fold(1.0, f64::min);
        if Verdict::of(least) != Verdict::Nothing {
            return Vec::new();
        }
        let is_better = |at: &usize| {
            !shown.contains(at) && !self.pages[*at].is_stub && confidence(*at) >= least + FAR_MORE
        };
        let better = (0..self.hits.len()).filter(is_better).take(self.limit);
        better.filter_map(|at| Some((at, self.matched(at)?))).collect()
    }

    /// Returns the chosen units as contents of their pages.
    fn contents(&self, chosen: &[(usize, usize)]) -> BTreeMap<usize, Content> {
        let mut by_page: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        chosen.iter().for_each(|(page, unit)| by_page.entry(*page).or_default().push(*unit));
        let content = |(at, mut units): (usize, Vec<usize>)| {
            units.sort_unstable();
            (at, self.content(at, Depth::Section, self.joined(at, &units)))
        };
        by_page.into_iter().map(content).collect()
    }

    /// Returns the best page alone if it did not fit with others, as much of it as fits: a lesser one, such as an
    /// outdated one, must not take its place because it is shorter.
    pub(super) fn with_best(&self, found: BTreeMap<usize, Content>) -> BTreeMap<usize, Content> {
        let shown = if self.budget.depth == Depth::Auto { self.first().first().copied() } else { None };
        let best = shown.map(|(at, _)| at).or_else(|| found.is_empty().then_some(0));
        let Some(at) = best.filter(|at| !found.contains_key(at)) else { return found };
        let ceiling = self.budget.tokens.saturating_sub(self.budget.base);
        let brief = |room: usize| self.brief(at, room, Depth::Section, PART);
        let over = || brief(ceiling.saturating_add(OVER)).filter(|_| self.budget.tokens >= ENOUGH);
        brief(ceiling).or_else(over).map(|content| (at, content)).into_iter().collect()
    }

    /// Joins neighbouring units to passages.
    pub(super) fn joined(&self, at: usize, units: &[usize]) -> Vec<Passage> {
        let page = &self.pages[at];
        let mut passages: Vec<Passage> = Vec::new();
        let mut last: Option<usize> = None;
        for number in units {
            let unit = &page.units.list[*number];
            let text = &page.text[unit.bytes.clone()];
            let heading =
                unit.heading.map(|at| page.units.headings[at].clone()).filter(|path| !path.is_empty());
            let before = last.map(|last| &page.units.list[last]).filter(|_| last == number.checked_sub(1));
            last = Some(*number);
            let day = line_day(text).or(page.day);
            let dates = day.map(|day| relative_dates(text, day)).unwrap_or_default();
            match (passages.last_mut(), before) {
                (Some(open), Some(before)) if open.heading == heading => {
                    open.text.push_str(if before.block == unit.block { " " } else { "\n" });
                    open.text.push_str(text);
                    open.lines.last = open.lines.last.max(unit.lines.last);
                    let new: Vec<_> = dates.into_iter().filter(|date| !open.dates.contains(date)).collect();
                    open.dates.extend(new);
                }
                _ => passages.push(Passage { lines: unit.lines, heading, text: text.to_owned(), dates }),
            }
        }
        passages
    }

    pub(super) fn content(&self, at: usize, depth: Depth, passages: Vec<Passage>) -> Content {
        let cost = |passage: &Passage| {
            self.count(&passage.text) + self.budget.passage + passage.dates.len() * DATE_TOKENS
        };
        let texts: usize = passages.iter().map(cost).sum();
        let matched = self.place_of_match(at, &passages);
        Content { depth, tokens: self.around(at, depth) + texts, passages, matched }
    }

    /// Returns the position of the passage that has the unit that matched.
    fn place_of_match(&self, at: usize, passages: &[Passage]) -> usize {
        let unit = self.matched(at).map(|unit| self.pages[at].units.list[unit].lines);
        let has = |passage: &Passage| {
            unit.is_some_and(|own| passage.lines.first <= own.first && own.last <= passage.lines.last)
        };
        passages.iter().position(has).unwrap_or_default()
    }
}

/// Returns the tokens of contents.
fn spent(found: &BTreeMap<usize, Content>) -> usize {
    found.values().map(|content| content.tokens).sum()
}
