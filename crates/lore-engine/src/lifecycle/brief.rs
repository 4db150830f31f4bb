//! The brief for a directory: the pages that matter where the work is done, what contradicts what, what is stale.
//!
//! It is read at the start of every session, so that it asks the index for the few pages it shows and never reads the
//! whole vault.

use std::collections::{HashMap, HashSet};

use jiff::civil::Date;

use super::conflicts::{Conflict, conflicts_by};
use super::scope::Scope;
use super::stale::{Stale, find_stale_by};
use super::ties::Ties;
use super::{State, is_live, read_once, states_by, touched};
use crate::capture::first_sentence;
use crate::error::Result;
use crate::index::{Filter, LinkEnds, Order, PageNo, PageRow, Window};
use crate::memory::Memory;
use crate::resolve::find;
use crate::vault::{decode, without_extension};

/// How many pages a matching directory gets.
const MATCHING: usize = 10;

/// How many pages there are where nothing matches, and how many at the most are added to those that do.
const RECENT: usize = 3;

/// How many rows are looked at together for pages that are active.
const BATCH: usize = 40;

/// How many such looks are taken.
const LOOKS: usize = 5;

/// How many pages that grew old are looked through, of the vault and of a directory.
const STALE: usize = 20;

/// The longest line that stands for a page without a summary.
const SUMMARY: usize = 160;

/// The beginnings of an id that may stand for it: up to each hyphen of a UUID.
const SHORT: [usize; 6] = [8, 13, 18, 23, 28, 32];

/// For whom the brief is.
#[derive(Debug, Clone, Default)]
pub struct BriefRequest {
    /// A folder, project, tag or wing: only its pages count.
    pub namespace: Option<String>,
    /// The names of the directories the work is done in, the nearest first.
    pub directories: Vec<String>,
    /// How many pages at the most.
    pub limit: Option<usize>,
    /// Whether directories do not count.
    pub recent: bool,
}

/// What to know at the start.
#[derive(Debug, Default)]
pub struct Brief {
    /// What the pages have in common, where they have something.
    pub namespace: Option<String>,
    /// Pages in use, the most telling first.
    pub nodes: Vec<Node>,
    /// Open contradictions.
    pub conflicts: Vec<Conflict>,
    /// Stale pages, the one that became stale last first.
    pub stale: Vec<(PageRow, State)>,
}

/// A page in use.
#[derive(Debug)]
pub struct Node {
    /// The page.
    pub page: PageRow,
    /// Its summary, else its first sentence.
    pub summary: String,
    /// How many links lead from it to other pages.
    pub links_out: usize,
}

/// Makes the brief.
pub fn brief(memory: &Memory, request: &BriefRequest) -> Result<Brief> {
    read_once(memory, || look(memory, request))
}

fn look(memory: &Memory, request: &BriefRequest) -> Result<Brief> {
    let look = Look { memory, ties: Ties::read(memory)?, given: injected_paths(memory) };
    let scopes: Vec<Scope> = match &request.namespace {
        Some(named) => vec![Scope::named(memory, named)],
        None if request.recent => Vec::new(),
        None => request.directories.iter().filter_map(|name| Scope::directory(name)).collect(),
    };
    let (mut scope, mut pages) = (None, Vec::new());
    for one in scopes {
        let found = look.matching(&one)?;
        if !found.is_empty() || one.alone {
            (scope, pages) = (Some(one), found);
            break;
        }
    }
    pages.truncate(request.limit.unwrap_or(MATCHING));
    if request.namespace.is_none() {
        let room = match (scope.is_some(), request.limit) {
            (true, limit) => (limit.unwrap_or(MATCHING) - pages.len()).min(RECENT),
            (false, limit) => limit.unwrap_or(RECENT),
        };
        pages.extend(look.recent(&pages, room)?);
    }
    Ok(Brief {
        nodes: look.nodes(pages)?,
        conflicts: look.conflicts(scope.as_ref())?,
        stale: look.stale(scope.as_ref())?,
        namespace: scope.map(|scope| scope.name),
    })
}

/// A short form of a page's id that the resolver takes for it.
pub fn short_id(memory: &Memory, page: &PageRow) -> Result<String> {
    for length in SHORT.into_iter().filter(|length| *length < page.id.len()) {
        let Some(short) = page.id.get(..length) else { break };
        // A beginning that several ids have is ambiguous, which is no failure here.
        if let Ok(Some(found)) = find(memory.store(), memory.project(), short)
            && found.page == page.number
        {
            return Ok(short.to_owned());
        }
    }
    Ok(page.id.clone())
}

struct Look<'a> {
    memory: &'a Memory,
    ties: Ties,
    /// Files that are given whole and need not be named again.
    given: HashSet<String>,
}

impl Look<'_> {
    /// The live pages of a scope, best first: by how recent they are and how many pages link to them.
    fn matching(&self, scope: &Scope) -> Result<Vec<PageRow>> {
        let mut found: HashMap<PageNo, PageRow> = HashMap::new();
        for filter in scope.filters() {
            found.extend(self.live(&filter, BATCH)?.into_iter().map(|page| (page.number, page)));
        }
        let pages: Vec<PageRow> = found.into_values().collect();
        let numbers: Vec<PageNo> = pages.iter().map(|page| page.number).collect();
        let inbound = self.memory.store().inbound(self.memory.project(), &numbers)?;
        let now = self.memory.now();
        let worth = |page: &PageRow, inbound: u64| worth(touched(page, now.time_zone()), now.date(), inbound);
        let mut ranked: Vec<(f64, PageRow)> =
            pages.into_iter().zip(inbound).map(|(page, inbound)| (worth(&page, inbound), page)).collect();
        ranked.sort_by(|(a, one), (b, other)| b.total_cmp(a).then_with(|| one.path.cmp(&other.path)));
        Ok(ranked.into_iter().map(|(_, page)| page).collect())
    }

    /// The live pages that were touched last, without those that are there already.
    fn recent(&self, there: &[PageRow], room: usize) -> Result<Vec<PageRow>> {
        let mut pages = self.live(&Filter::default(), room + there.len())?;
        pages.retain(|page| there.iter().all(|known| known.number != page.number));
        pages.truncate(room);
        Ok(pages)
    }

    /// So many live pages of a filter, the last touched first; fewer where most of them are not live.
    fn live(&self, filter: &Filter, wanted: usize) -> Result<Vec<PageRow>> {
        let mut live = Vec::new();
        let batch = wanted.max(BATCH);
        for at in 0..LOOKS {
            let window = Window { limit: batch, offset: at * batch };
            let rows = self.memory.store().list(self.memory.project(), filter, Order::Touched, window)?;
            let last = rows.len() < batch;
            let states = states_by(self.memory, &self.ties, &rows)?;
            let pages = rows.into_iter().zip(states).filter(|(page, state)| {
                is_live(&state.status) && !self.given.contains(without_extension(&page.path))
            });
            live.extend(pages.map(|(page, _)| page));
            if last || live.len() >= wanted {
                break;
            }
        }
        live.truncate(wanted);
        Ok(live)
    }

    /// Open contradictions, those of the scope first.
    fn conflicts(&self, scope: Option<&Scope>) -> Result<Vec<Conflict>> {
        let mut conflicts = conflicts_by(self.memory, &self.ties)?;
        if let Some(scope) = scope {
            let touches = |conflict: &Conflict| scope.takes(&conflict.one) || scope.takes(&conflict.other);
            conflicts.retain(|conflict| !scope.alone || touches(conflict));
            conflicts.sort_by_key(|conflict| !touches(conflict));
        }
        Ok(conflicts)
    }

    /// Stale pages, those of the scope first.
    fn stale(&self, scope: Option<&Scope>) -> Result<Vec<(PageRow, State)>> {
        let folders = scope.iter().flat_map(|scope| scope.prefixes.iter().cloned().map(Some));
        let way = |path: Option<String>| Stale { path, limit: Some(STALE), looks: Some(LOOKS) };
        let ways: Vec<Stale> = std::iter::once(None).chain(folders).map(way).collect();
        let mut stale = find_stale_by(self.memory, &self.ties, &ways)?;
        if let Some(scope) = scope {
            stale.retain(|(page, _)| !scope.alone || scope.takes(page));
            stale.sort_by_key(|(page, _)| !scope.takes(page));
        }
        Ok(stale)
    }

    fn nodes(&self, pages: Vec<PageRow>) -> Result<Vec<Node>> {
        let numbers: Vec<PageNo> = pages.iter().map(|page| page.number).collect();
        let links = self.memory.store().links(self.memory.project(), &LinkEnds::From(&numbers))?;
        let mut out: HashMap<PageNo, usize> = HashMap::new();
        for link in links.iter().filter(|link| link.to.is_some_and(|to| to != link.from)) {
            *out.entry(link.from).or_default() += 1;
        }
        let node = |page: PageRow| -> Result<Node> {
            let summary = match &page.summary {
                Some(summary) => summary.clone(),
                None => self.first_sentence(&page)?,
            };
            Ok(Node { links_out: out.get(&page.number).copied().unwrap_or_default(), summary, page })
        };
        pages.into_iter().map(node).collect()
    }

    fn first_sentence(&self, page: &PageRow) -> Result<String> {
        let file = self.memory.vault().read(&page.path, u64::MAX)?;
        Ok(file.map(|file| first_sentence(&decode(&file.bytes).text, SUMMARY)).unwrap_or_default())
    }
}

/// The files of the policy that every agent is given whole, without their extensions.
fn injected_paths(memory: &Memory) -> HashSet<String> {
    memory.policy().inject.iter().map(|file| without_extension(&file.path).to_owned()).collect()
}

/// What a page is worth in a brief: half as much after a month, and a little more for each page that links to it.
fn worth(touched: Date, today: Date, inbound: u64) -> f64 {
    let days = touched.until(today).map_or(0, |span| span.get_days()).max(0);
    30.0 / (30.0 + f64::from(days)) + 0.1 * (inbound as f64).ln_1p()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recent_pages_are_worth_more_and_links_decide_between_near_ones() {
        let day = |text: &str| text.parse::<Date>().expect("a day");
        let worth = |touched: &str, inbound: u64| worth(day(touched), day("2026-02-10"), inbound);
        assert!(worth("2026-02-10", 0) > worth("2026-01-10", 5));
        assert!(worth("2026-02-08", 3) > worth("2026-02-10", 0));
        assert!((worth("2026-01-11", 0) - 0.5).abs() < 1e-9);
        assert!(worth("2027-01-01", 0) <= 1.0, "what is dated ahead is no more than new");
    }

    #[test]
    fn a_directory_means_what_is_called_like_it() {
        let scope = Scope::directory("DeepSat.git").expect("a name");
        assert_eq!((scope.name.as_str(), scope.slug.as_str()), ("deepsat", "deepsat"));
        assert_eq!(scope.prefixes, ["deepsat/", "DeepSat.git/"]);
        assert_eq!(Scope::directory("lore").expect("a name").prefixes, ["lore/"]);
        assert!(Scope::directory("..").is_none());
    }
}
