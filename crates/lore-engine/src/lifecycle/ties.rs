//! Links that determine the lifecycle: which page supersedes which, and which contradict each other.

use std::collections::{HashMap, HashSet, VecDeque};

use lore_page::LIFECYCLE_RELATIONS;
use lore_ports::{LinkFilter, LinkRow, PageNo, PageRow};
use lore_text::fold;

use super::day::Day;
use super::{rows, status};
use crate::context::VaultContext;
use crate::error::Result;

/// Number of pages above which all ties are read at once.
const FEW: usize = 300;

/// A tie to another page.
#[derive(Debug, Clone)]
pub struct Tie {
    /// The other page.
    pub other: PageNo,
    /// Start date of the link, as `YYYY-MM-DD`, if it has one.
    pub since: Option<String>,
    /// Context in parentheses after the link.
    pub context: Option<String>,
    /// Position of the link among all that were read, by path and line, which is stable across rebuilds.
    place: usize,
}

/// Ties of a vault that are valid on a day. Only a page in force supersedes another, or one that a page in force
/// supersedes in turn.
#[derive(Debug, Default)]
pub struct Ties {
    /// Superseders of each superseded page.
    superseders: HashMap<PageNo, Vec<Tie>>,
    /// Both ends of every contradiction.
    contradictions: HashMap<PageNo, Vec<Tie>>,
    /// Pages on a supersession cycle, or between two.
    tangled: HashSet<PageNo>,
    /// Pages that state that they supersede themselves.
    itself: HashSet<PageNo>,
}

impl Ties {
    /// Reads all ties that are valid today.
    pub fn read(context: &VaultContext) -> Result<Ties> {
        Ties::read_on(context, &Day::today(context))
    }

    fn read_on(context: &VaultContext, day: &Day) -> Result<Ties> {
        let links = context.store().links(context.project(), &LinkFilter::Typed(&LIFECYCLE_RELATIONS))?;
        Ties::of(&links, day.text()).in_force(context, day)
    }

    /// Reads only the ties reachable from a few pages that are valid today.
    pub fn around(context: &VaultContext, pages: &[PageNo]) -> Result<Ties> {
        Ties::around_on(context, pages, &Day::today(context))
    }

    /// Reads only the ties reachable from a few pages, following them until there are no more.
    pub(crate) fn around_on(context: &VaultContext, pages: &[PageNo], day: &Day) -> Result<Ties> {
        let mut seen: HashSet<PageNo> = pages.iter().copied().collect();
        let mut found: HashMap<i64, LinkRow> = HashMap::new();
        let mut ring: Vec<PageNo> = seen.iter().copied().collect();
        while !ring.is_empty() {
            if seen.len() > FEW {
                return Ties::read_on(context, day);
            }
            let ends = LinkFilter::TypedAt(&LIFECYCLE_RELATIONS, &ring);
            let links = context.store().links(context.project(), &ends)?;
            let others = links.iter().flat_map(|row| [Some(row.from), row.to]).flatten();
            ring = others.filter(|page| seen.insert(*page)).collect();
            found.extend(links.into_iter().map(|row| (row.number, row)));
        }
        let mut links: Vec<LinkRow> = found.into_values().collect();
        links.sort_by(|a, b| {
            (&a.from_path, a.link.line, a.number).cmp(&(&b.from_path, b.link.line, b.number))
        });
        Ties::of(&links, day.text()).in_force(context, day)
    }

    /// Drops the ties of pages that do not supersede on this day: proposals, rejected pages, pages of a later date.
    fn in_force(mut self, context: &VaultContext, day: &Day) -> Result<Ties> {
        if self.superseders.is_empty() && self.contradictions.is_empty() {
            return Ok(self);
        }
        let ends = self.superseders.values().chain(self.contradictions.values()).flatten();
        let rows = rows(context, ends.map(|tie| tie.other))?;
        for ties in self.superseders.values_mut() {
            ties.retain(|tie| rows.get(&tie.other).is_some_and(|by| day.is_begun(tie.since.as_deref(), by)));
        }
        for ties in self.contradictions.values_mut() {
            ties.retain(|tie| rows.get(&tie.other).is_none_or(|other| !day.is_later(other)));
        }
        let idle: HashSet<PageNo> =
            rows.values().filter(|by| !self.replaces(by, &rows, day)).map(|by| by.number).collect();
        self.superseders.values_mut().for_each(|ties| ties.retain(|tie| !idle.contains(&tie.other)));
        self.superseders.retain(|_, ties| !ties.is_empty());
        self.contradictions.retain(|_, ties| !ties.is_empty());
        self.tangled = tangled(&self.superseders);
        Ok(self)
    }

    /// Whether a page is in force, or a page in force supersedes it, directly or through others.
    fn replaces(&self, page: &PageRow, rows: &HashMap<PageNo, PageRow>, day: &Day) -> bool {
        let is_in_force = |page: &PageRow| day.stated(page).is_none_or(status::is_in_force);
        if is_in_force(page) {
            return true;
        }
        let above = self.chain(page.number).into_iter().flatten();
        above.filter_map(|number| rows.get(&number)).any(is_in_force)
    }

    /// Returns the ties of these links on a date given as `YYYY-MM-DD`.
    pub fn of(links: &[LinkRow], today: &str) -> Ties {
        let mut ties = Ties::default();
        let holding = links.iter().enumerate().filter(|(_, row)| row.link.interval.holds_on(today));
        for (place, row) in holding {
            let Some(to) = row.to else { continue };
            let tie = |other: PageNo| Tie {
                other,
                since: row.link.interval.from.map(|from| from.first_day()),
                context: row.link.context.clone(),
                place,
            };
            let relation = fold(&row.link.relation);
            match relation.as_str() {
                // A page neither contradicts nor supersedes itself.
                relation if row.from == to && relation.starts_with("supersede") => {
                    ties.itself.insert(to);
                }
                _ if row.from == to => {}
                "supersedes" => add(&mut ties.superseders, to, tie(row.from)),
                "contradicts" => {
                    add(&mut ties.contradictions, row.from, tie(to));
                    add(&mut ties.contradictions, to, tie(row.from));
                }
                // Written with an underscore, a hyphen or a space.
                relation if relation.starts_with("superseded") => {
                    add(&mut ties.superseders, row.from, tie(to))
                }
                // Every other relation says nothing about what holds.
                _ => {}
            }
        }
        ties.tangled = tangled(&ties.superseders);
        ties
    }

    /// Returns the pages that supersede a page, except those of its own cycle: there, none is the current one.
    pub(crate) fn successors(&self, page: PageNo) -> Vec<PageNo> {
        let circle: HashSet<PageNo> = self.circle(page).into_iter().collect();
        let others = self.superseders(page).iter().map(|tie| tie.other);
        others.filter(|other| !circle.contains(other)).collect()
    }

    /// Returns the pages that supersede a page.
    pub fn superseders(&self, page: PageNo) -> &[Tie] {
        self.superseders.get(&page).map_or(&[], Vec::as_slice)
    }

    /// Returns the pages that contradict a page.
    pub fn contradictions(&self, page: PageNo) -> &[Tie] {
        self.contradictions.get(&page).map_or(&[], Vec::as_slice)
    }

    /// Returns all superseded pages.
    pub fn superseded(&self) -> impl Iterator<Item = PageNo> {
        self.superseders.keys().copied()
    }

    /// Returns up to `most` superseded pages, latest link date first, then by position of the links.
    pub fn superseded_last(&self, most: usize) -> Vec<PageNo> {
        let latest = |ties: &[Tie]| ties.iter().filter_map(|tie| tie.since.clone()).max();
        let place = |ties: &[Tie]| ties.iter().map(|tie| tie.place).min();
        let mut pages: Vec<(PageNo, &Vec<Tie>)> =
            self.superseders.iter().map(|(page, ties)| (*page, ties)).collect();
        pages.sort_by_cached_key(|(_, ties)| (std::cmp::Reverse(latest(ties)), place(ties)));
        pages.into_iter().map(|(page, _)| page).take(most).collect()
    }

    /// Returns all pages that contradict another.
    pub fn contradicted(&self) -> impl Iterator<Item = PageNo> {
        self.contradictions.keys().copied()
    }

    /// Returns the supersession cycle of a page, starting with itself; empty if there is none.
    pub fn circle(&self, page: PageNo) -> Vec<PageNo> {
        if self.itself.contains(&page) {
            return vec![page];
        }
        if !self.tangled.contains(&page) {
            return Vec::new();
        }
        let mut came_from: HashMap<PageNo, PageNo> = HashMap::new();
        let mut waiting = VecDeque::from([page]);
        while let Some(at) = waiting.pop_front() {
            for next in self.superseders(at).iter().map(|tie| tie.other) {
                if next == page {
                    let back = std::iter::successors(Some(at), |at| came_from.get(at).copied());
                    let mut circle: Vec<PageNo> = back.collect();
                    circle.reverse();
                    return circle;
                }
                if self.tangled.contains(&next) && !came_from.contains_key(&next) {
                    came_from.insert(next, at);
                    waiting.push_back(next);
                }
            }
        }
        Vec::new()
    }

    /// Returns the pages that supersede a page, those that supersede these, and so on; each page once.
    pub fn chain(&self, page: PageNo) -> Vec<Vec<PageNo>> {
        let mut seen = HashSet::from([page]);
        let mut rings = Vec::new();
        let mut ring = vec![page];
        loop {
            let above = ring.iter().flat_map(|page| self.superseders(*page));
            ring = above.map(|tie| tie.other).filter(|page| seen.insert(*page)).collect();
            if ring.is_empty() {
                return rings;
            }
            rings.push(ring.clone());
        }
    }
}

/// Adds a tie. A duplicate only fills in what the first left empty.
fn add(ties: &mut HashMap<PageNo, Vec<Tie>>, page: PageNo, tie: Tie) {
    let known = ties.entry(page).or_default();
    match known.iter_mut().find(|known| known.other == tie.other) {
        Some(known) => {
            known.context = known.context.take().or(tie.context);
            known.since = known.since.take().or(tie.since);
        }
        None => known.push(tie),
    }
}

/// Returns the pages on a cycle or between two: what remains after repeatedly removing pages without superseders and
/// pages that supersede nothing. Empty if there is no cycle.
fn tangled(superseders: &HashMap<PageNo, Vec<Tie>>) -> HashSet<PageNo> {
    let up: Vec<(PageNo, PageNo)> =
        superseders.iter().flat_map(|(page, ties)| ties.iter().map(|tie| (*page, tie.other))).collect();
    let down: Vec<(PageNo, PageNo)> = up.iter().map(|(page, other)| (*other, *page)).collect();
    let above = without_ends(&up, None);
    without_ends(&down, Some(&above))
}

/// Returns the pages among `kept` from which an endless path exists.
fn without_ends(steps: &[(PageNo, PageNo)], kept: Option<&HashSet<PageNo>>) -> HashSet<PageNo> {
    let is_kept = |page: &PageNo| kept.is_none_or(|kept| kept.contains(page));
    let steps = steps.iter().filter(|(from, to)| is_kept(from) && is_kept(to));
    let mut ways: HashMap<PageNo, usize> = HashMap::new();
    let mut back: HashMap<PageNo, Vec<PageNo>> = HashMap::new();
    for (from, to) in steps {
        *ways.entry(*from).or_default() += 1;
        ways.entry(*to).or_default();
        back.entry(*to).or_default().push(*from);
    }
    let mut ended: Vec<PageNo> = ways.iter().filter(|(_, ways)| **ways == 0).map(|(page, _)| *page).collect();
    while let Some(page) = ended.pop() {
        ways.remove(&page);
        for before in back.remove(&page).unwrap_or_default() {
            if let Some(left) = ways.get_mut(&before) {
                *left -= 1;
                if *left == 0 {
                    ended.push(before);
                }
            }
        }
    }
    ways.into_keys().collect()
}
