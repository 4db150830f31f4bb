//! Selects the units of an answer: the best for their cost first, until the budget is spent or the rest adds little.

use std::collections::BTreeSet;

use super::score::{Candidate, ScoredUnit};
use super::units::Unit;

/// How much a unit's cost counts against it: twice the length must be worth it.
const COST: f64 = 0.8;

/// A unit this far below the best is not evidence.
const FAR: f64 = 7.0;

/// Number of the best units that are shown with the lines before and after.
const WITH_CONTEXT: usize = 3;

/// Share of the budget that one line of context may cost.
const CONTEXT_SHARE: usize = 25;

/// Bytes per token of prose.
const BYTES_PER_TOKEN: f64 = 3.7;

/// The tokens that are added around units.
pub(in crate::search) struct Costs<'a> {
    /// Tokens around the units of a page: title, slug, date.
    pub page: &'a dyn Fn(usize) -> usize,
    /// Tokens around a passage: its lines.
    pub passage: usize,
}

/// When a selection ends.
#[derive(Debug, Clone, Copy)]
pub(in crate::search) struct Limits {
    /// Maximum number of tokens.
    pub tokens: usize,
    /// Maximum number of pages.
    pub pages: usize,
}

/// Returns the selected units in the order of their choice. Those in `first` are chosen before all others.
pub(in crate::search) fn select(
    pages: &[Candidate<'_>],
    scored: &[ScoredUnit],
    first: &[(usize, usize)],
    limits: Limits,
    costs: &Costs<'_>,
) -> Vec<(usize, usize)> {
    let mut selection =
        Selection { pages, costs, limits, room: limits.tokens, shown: BTreeSet::new(), chosen: Vec::new() };
    for unit in first {
        selection.choose(*unit, true);
    }
    let best = scored.first().map_or(0.0, |best| best.score);
    let mut rest: Vec<&ScoredUnit> = scored.iter().filter(|unit| unit.score > best - FAR).collect();
    loop {
        let value = |unit: &ScoredUnit| {
            let cost = selection.cost((unit.page, unit.unit))?;
            (cost <= selection.room).then(|| unit.score - COST * (cost.max(1) as f64).ln())
        };
        let valued = rest.iter().enumerate().filter_map(|(at, unit)| Some((at, value(unit)?)));
        // Of equal values, the first: `max_by` returns the last.
        let Some((at, _)) = valued.rev().max_by(|a, b| a.1.total_cmp(&b.1)) else { break };
        let unit = rest.remove(at);
        let with_context = selection.chosen.len() < WITH_CONTEXT;
        selection.choose((unit.page, unit.unit), with_context);
    }
    selection.chosen
}

struct Selection<'a, 'c> {
    pages: &'a [Candidate<'a>],
    costs: &'c Costs<'c>,
    limits: Limits,
    room: usize,
    shown: BTreeSet<usize>,
    chosen: Vec<(usize, usize)>,
}

impl Selection<'_, '_> {
    fn unit(&self, (page, unit): (usize, usize)) -> Option<&Unit> {
        self.pages.get(page)?.units.list.get(unit)
    }

    /// Returns the tokens that a unit adds; `None` if it is there already, or would be on one page too many.
    fn cost(&self, at: (usize, usize)) -> Option<usize> {
        let is_new = !self.shown.contains(&at.0);
        if self.chosen.contains(&at) || is_new && self.shown.len() >= self.limits.pages {
            return None;
        }
        let beside = |unit: Option<usize>| unit.is_some_and(|unit| self.chosen.contains(&(at.0, unit)));
        let joined = beside(at.1.checked_sub(1)) || beside(Some(at.1 + 1));
        let around = if joined { 1 } else { self.costs.passage };
        let page = if is_new { (self.costs.page)(at.0) } else { 0 };
        Some(tokens(self.unit(at)?) + around + page)
    }

    fn choose(&mut self, at: (usize, usize), with_context: bool) {
        if !self.add(at, self.room) || !with_context {
            return;
        }
        let most = self.limits.tokens / CONTEXT_SHARE;
        for unit in [Some(at.1 + 1), at.1.checked_sub(1)].into_iter().flatten() {
            let together = |other: &Unit| self.unit(at).is_some_and(|unit| unit.heading == other.heading);
            if self.unit((at.0, unit)).is_some_and(together) {
                self.add((at.0, unit), most.min(self.room));
            }
        }
    }

    fn add(&mut self, at: (usize, usize), most: usize) -> bool {
        match self.cost(at) {
            Some(cost) if cost <= most => {
                self.room -= cost;
                self.shown.insert(at.0);
                self.chosen.push(at);
                true
            }
            _ => false,
        }
    }
}

fn tokens(unit: &Unit) -> usize {
    (unit.bytes.len() as f64 / BYTES_PER_TOKEN).ceil() as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::passages::units::{Units, units};

    const PAGE: &str =
        "Ada: one two three.\n\nBob: four five six.\n\nAda: seven eight.\n\nBob: nine ten.\n\nAda: eleven.\n";

    fn scored(scores: &[(usize, f64)]) -> Vec<ScoredUnit> {
        scores
            .iter()
            .map(|(unit, score)| ScoredUnit {
                page: 0,
                unit: *unit,
                score: *score,
                has_terms: true,
                distance: None,
            })
            .collect()
    }

    #[track_caller]
    fn check(first: &[(usize, usize)], scores: &[(usize, f64)], tokens: usize, expected: &[usize]) {
        let split: Units = units(lore_page::Format::Markdown, PAGE);
        let pages = [Candidate { text: PAGE, units: &split, score: 1.0, day: None, is_stub: false }];
        let costs = Costs { page: &|_| 10, passage: 3 };
        let limits = Limits { tokens, pages: 3 };
        let mut found: Vec<usize> = select(&pages, &scored(scores), first, limits, &costs)
            .into_iter()
            .map(|(_, unit)| unit)
            .collect();
        found.sort_unstable();
        assert_eq!(found, expected);
    }

    #[test]
    fn best_units_come_with_their_neighbours_while_the_budget_lasts() {
        check(&[], &[(2, 9.0)], 400, &[1, 2, 3]);
        check(&[], &[(2, 9.0)], 25, &[2]);
        check(&[], &[(2, 9.0)], 5, &[]);
        check(&[(0, 4)], &[(2, 9.0)], 24, &[4]);
    }

    #[test]
    fn what_lies_far_below_the_best_is_dropped() {
        check(&[], &[(0, 9.0), (4, 1.0)], 400, &[0, 1]);
    }
}
