//! The shortest chain of links between two pages, whichever way each link points.
//!
//! The search expands from both ends, one ring at a time, the smaller ring first, until the rings meet: in a highly
//! connected vault this visits a few hundred pages where a search from one end would visit all of them. Of several
//! shortest chains, the one with the fewest plain links is taken. Remaining ties are broken by link id, so that a
//! rebuilt index gives the same chain.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use lore_page::LINKS_TO;
use lore_ports::{Index, LinkFilter, LinkRow, PageNo, ProjectNo};

use super::Reach;
use crate::error::Result;

/// A chain of links from one page to another.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Chain {
    /// The pages, both ends included.
    pub pages: Vec<PageNo>,
    /// The link between each page and the next, in either direction.
    pub links: Vec<LinkRow>,
}

/// How a page was reached: the previous page, the link between them, and the number of plain links so far.
struct Reached {
    from: PageNo,
    link: Option<LinkRow>,
    passing: usize,
}

/// The pages reached from one end, and the outermost ring of them.
struct Side {
    known: HashMap<PageNo, Reached>,
    ring: Vec<PageNo>,
}

/// Finds the shortest chain between two pages, no longer than `reach.depth`.
pub fn chain(
    index: &dyn Index,
    project: ProjectNo,
    from: PageNo,
    to: PageNo,
    reach: &Reach,
) -> Result<Option<Chain>> {
    if from == to {
        return Ok(Some(Chain { pages: vec![from], links: Vec::new() }));
    }
    let (mut near, mut far) = (Side::new(from), Side::new(to));
    for _ in 0..reach.depth {
        if near.ring.is_empty() || far.ring.is_empty() {
            return Ok(None);
        }
        let (grown, other) =
            if near.ring.len() <= far.ring.len() { (&mut near, &far) } else { (&mut far, &near) };
        grown.grow(index, project, reach)?;
        let met = grown.ring.iter().copied().filter(|page| other.known.contains_key(page));
        if let Some(page) = met.min_by_key(|page| (cost(grown, other, *page), *page)) {
            return Ok(Some(joined(&near, &far, page)));
        }
    }
    Ok(None)
}

/// Returns the cost of a chain through a page: its plain links, then the ids of the links that meet there.
fn cost(one: &Side, other: &Side, page: PageNo) -> (usize, u64, u64) {
    let (one, other) = (&one.known[&page], &other.known[&page]);
    let id = |reached: &Reached| reached.link.as_ref().map_or(0, |row| row.link.id);
    (one.passing + other.passing, id(one), id(other))
}

impl Side {
    fn new(page: PageNo) -> Side {
        let start = Reached { from: page, link: None, passing: 0 };
        Side { known: HashMap::from([(page, start)]), ring: vec![page] }
    }

    /// Expands to every unvisited page linked with the ring.
    fn grow(&mut self, index: &dyn Index, project: ProjectNo, reach: &Reach) -> Result<()> {
        let mut next: HashMap<PageNo, Reached> = HashMap::new();
        for (ends, outward) in [(LinkFilter::From(&self.ring), true), (LinkFilter::To(&self.ring), false)] {
            for row in index.links(project, &ends)? {
                let Some(to) = row.to.filter(|_| reach.temporal.takes(&row, &reach.today)) else { continue };
                let (from, page) = if outward { (row.from, to) } else { (to, row.from) };
                if self.known.contains_key(&page) {
                    continue;
                }
                let passing = self.known[&from].passing + usize::from(row.link.relation == LINKS_TO);
                keep_better(next.entry(page), Reached { from, link: Some(row), passing });
            }
        }
        self.ring = next.keys().copied().collect();
        self.ring.sort_unstable();
        self.known.extend(next);
        Ok(())
    }

    /// Returns the pages and links from this side's end to a page.
    fn way_to(&self, mut page: PageNo) -> (Vec<PageNo>, Vec<LinkRow>) {
        let (mut pages, mut links) = (vec![page], Vec::new());
        while let Some(Reached { from, link: Some(link), .. }) = self.known.get(&page) {
            page = *from;
            pages.push(page);
            links.push(link.clone());
        }
        pages.reverse();
        links.reverse();
        (pages, links)
    }
}

fn keep_better(slot: Entry<'_, PageNo, Reached>, new: Reached) {
    let rank = |reached: &Reached| {
        let id = reached.link.as_ref().map_or(0, |row| row.link.id);
        (reached.passing, id)
    };
    match slot {
        Entry::Vacant(slot) => drop(slot.insert(new)),
        Entry::Occupied(mut slot) if rank(&new) < rank(slot.get()) => drop(slot.insert(new)),
        Entry::Occupied(_) => {}
    }
}

fn joined(near: &Side, far: &Side, page: PageNo) -> Chain {
    let (mut pages, mut links) = near.way_to(page);
    let (rest, back) = far.way_to(page);
    pages.extend(rest.into_iter().rev().skip(1));
    links.extend(back.into_iter().rev());
    Chain { pages, links }
}
