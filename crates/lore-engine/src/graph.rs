//! The neighbourhood of a page: a breadth-first traversal of the links, keeping the nearest pages.

mod chain;
mod neighbours;

use std::collections::{HashMap, HashSet, VecDeque};

use lore_page::Interval;
use lore_text::PartialDate;

pub use chain::{Chain, chain};
pub use neighbours::{Neighbour, Neighbours, neighbours};

use lore_ports::{Index, LinkFilter, LinkRow, PageNo, PageRow, ProjectNo};

use crate::context::VaultContext;
use crate::error::Result;

/// Selects links by their validity interval.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Temporal {
    /// Links valid today.
    #[default]
    Current,
    /// Links that have ended.
    Historical,
    /// All links.
    All,
    /// Links that have begun, whether or not they have ended.
    Begun,
}

impl Temporal {
    /// Whether a link is selected on a day: see [`Temporal::takes_interval`].
    pub fn takes(self, row: &LinkRow, today: &str) -> bool {
        self.takes_interval(row.link.interval, today)
    }

    /// Whether an interval is selected on a day given as `YYYY-MM-DD`. For a month (`YYYY-MM`) or a year, any of its
    /// days may match.
    pub fn takes_interval(self, interval: Interval, today: &str) -> bool {
        let (first, last) = match today.parse::<PartialDate>() {
            Ok(date) => (date.first_day(), date.last_day()),
            Err(_) => (today.to_owned(), today.to_owned()),
        };
        match self {
            Temporal::Current => interval.meets(&first, &last),
            Temporal::Historical => interval.until.is_some_and(|until| until.last_day() < first),
            Temporal::All => true,
            Temporal::Begun => interval.from.is_none_or(|from| from.first_day() <= last),
        }
    }
}

/// Limits of a traversal.
#[derive(Debug, Clone)]
pub struct Reach {
    /// Maximum number of hops from the centre.
    pub depth: usize,
    /// Maximum number of pages, including the centre.
    pub limit: usize,
    /// Which links are followed.
    pub temporal: Temporal,
    /// The day on which links are evaluated, as `YYYY-MM-DD`; or a month, or a year.
    pub today: String,
}

/// Pages by their distance from the centre, and the links between them.
#[derive(Debug, Default)]
pub struct Neighbourhood {
    /// Each page with its distance in hops, nearest first.
    pub pages: Vec<(PageNo, usize)>,
    /// The links between these pages.
    pub links: Vec<LinkRow>,
    /// Whether the limit left pages out.
    pub cut: bool,
}

/// Traverses the links from a page, one ring of neighbours at a time.
pub fn neighbourhood(
    index: &dyn Index,
    project: ProjectNo,
    centre: PageNo,
    reach: &Reach,
) -> Result<Neighbourhood> {
    let mut found = Neighbourhood { pages: vec![(centre, 0)], ..Default::default() };
    let mut ring = vec![centre];
    for hops in 1..=reach.depth {
        let mut links = index.links(project, &LinkFilter::From(&ring))?;
        links.extend(index.links(project, &LinkFilter::To(&ring))?);
        links.retain(|row| reach.temporal.takes(row, &reach.today) && row.to.is_some());
        ring = next_ring(&mut found, &links, hops, reach.limit);
        if ring.is_empty() {
            break;
        }
    }
    let kept: Vec<PageNo> = found.pages.iter().map(|(page, _)| *page).collect();
    let inside: HashSet<PageNo> = kept.iter().copied().collect();
    found.links = index.links(project, &LinkFilter::From(&kept))?;
    found.links.retain(|row| {
        row.to.is_some_and(|to| inside.contains(&to)) && reach.temporal.takes(row, &reach.today)
    });
    sort_by_place(&mut found.links);
    Ok(found)
}

/// Returns the links among these pages, without a centre: the distance is that from the page with the most links, and one
/// more than the farthest for pages that it does not reach. The limit keeps the pages with the most links.
pub fn among(
    index: &dyn Index,
    project: ProjectNo,
    pages: &[PageNo],
    reach: &Reach,
) -> Result<Neighbourhood> {
    let inside: HashSet<PageNo> = pages.iter().copied().collect();
    let mut links = index.links(project, &LinkFilter::From(pages))?;
    links.retain(|row| {
        row.to.is_some_and(|to| inside.contains(&to)) && reach.temporal.takes(row, &reach.today)
    });
    let mut counts: HashMap<PageNo, usize> = HashMap::new();
    for end in links.iter().flat_map(|row| [Some(row.from), row.to.filter(|to| *to != row.from)]).flatten() {
        *counts.entry(end).or_default() += 1;
    }
    let mut kept = pages.to_vec();
    // The sort is stable: pages with as many links stay in the order given.
    kept.sort_by_key(|page| std::cmp::Reverse(counts.get(page).copied().unwrap_or(0)));
    let mut found = Neighbourhood { cut: kept.len() > reach.limit, ..Default::default() };
    kept.truncate(reach.limit);
    let inside: HashSet<PageNo> = kept.iter().copied().collect();
    links.retain(|row| inside.contains(&row.from) && row.to.is_some_and(|to| inside.contains(&to)));
    found.pages = distances(&kept, &links);
    found.links = links;
    sort_by_place(&mut found.links);
    Ok(found)
}

/// Returns pages with their distance from the first.
fn distances(pages: &[PageNo], links: &[LinkRow]) -> Vec<(PageNo, usize)> {
    let mut neighbours: HashMap<PageNo, Vec<PageNo>> = HashMap::new();
    for (from, to) in links.iter().filter_map(|row| Some((row.from, row.to?))) {
        neighbours.entry(from).or_default().push(to);
        neighbours.entry(to).or_default().push(from);
    }
    let mut distance: HashMap<PageNo, usize> = HashMap::new();
    let mut queue: VecDeque<(PageNo, usize)> = pages.first().map(|first| (*first, 0)).into_iter().collect();
    let mut farthest = 0;
    while let Some((page, hops)) = queue.pop_front() {
        if distance.contains_key(&page) {
            continue;
        }
        distance.insert(page, hops);
        farthest = hops;
        queue.extend(neighbours.get(&page).into_iter().flatten().map(|next| (*next, hops + 1)));
    }
    pages.iter().map(|page| (*page, distance.get(page).copied().unwrap_or(farthest + 1))).collect()
}

fn sort_by_place(links: &mut [LinkRow]) {
    let place = |row: &LinkRow| (row.link.line, row.number);
    links.sort_by(|a, b| a.from_path.cmp(&b.from_path).then_with(|| place(a).cmp(&place(b))));
}

/// Adds the pages these links reach for the first time, in a stable order, up to the limit.
fn next_ring(found: &mut Neighbourhood, links: &[LinkRow], hops: usize, limit: usize) -> Vec<PageNo> {
    let mut known: HashSet<PageNo> = found.pages.iter().map(|(page, _)| *page).collect();
    let mut ends: Vec<(&LinkRow, PageNo)> = Vec::new();
    for row in links {
        ends.push((row, row.from));
        ends.extend(row.to.map(|to| (row, to)));
    }
    // Typed relations mean more than plain links, so they are followed first. Page numbers differ between indexes, so
    // the link ids decide what the limit leaves out.
    ends.sort_by_key(|(row, end)| (row.link.relation == lore_page::LINKS_TO, row.link.id, *end));
    let mut ring = Vec::new();
    for (_, end) in ends {
        if known.contains(&end) {
            continue;
        }
        if found.pages.len() >= limit {
            found.cut = true;
            break;
        }
        known.insert(end);
        found.pages.push((end, hops));
        ring.push(end);
    }
    ring
}

impl VaultContext {
    /// Returns the links among these pages.
    pub fn map(&self, pages: &[PageNo], reach: &Reach) -> Result<Neighbourhood> {
        among(self.store(), self.project(), pages, reach)
    }

    /// Returns a page's neighbourhood.
    pub fn graph(&self, page: &PageRow, reach: &Reach) -> Result<Neighbourhood> {
        neighbourhood(self.store(), self.project(), page.number, reach)
    }

    /// Finds the shortest chain of links between two pages, up to the length in `reach`.
    pub fn path(&self, from: &PageRow, to: &PageRow, reach: &Reach) -> Result<Option<Chain>> {
        chain(self.store(), self.project(), from.number, to.number, reach)
    }
}
