//! The brief for a directory: relevant pages, contradictions and stale pages.
//!
//! It runs at the start of every session, so it only queries the few pages it shows and never reads the whole vault.

use std::collections::{HashMap, HashSet};

use jiff::civil::Date;
use lore_engine::lifecycle::{
    Conflict, Stale, State, Ties, conflicts_by, find_stale_by, is_live, states_by, touched,
};
use lore_engine::{Result, VaultContext, find, is_transcript};
use lore_ports::{Filter, LinkFilter, Namespace, Order, PageNo, PageRow, Window, read_transaction};
use lore_vault::{decode, without_extension};

use crate::page_text::first_sentence;
use crate::scope::PageScope;

/// Maximum number of pages for a matching directory.
const MATCHING: usize = 10;

/// Number of recent pages if nothing matches, and maximum number added to matching ones.
const RECENT: usize = 3;

/// Number of rows per batch when looking for live pages.
const BATCH: usize = 40;

/// Maximum number of batches.
const MAX_BATCHES: usize = 5;

/// Maximum number of aged pages examined, for the vault and for a directory.
const STALE: usize = 20;

/// Maximum number of characters of a sentence that replaces a missing summary.
const SUMMARY: usize = 160;

/// Prefix lengths tried as short ids: up to each hyphen of a UUID.
const SHORT: [usize; 6] = [8, 13, 18, 23, 28, 32];

/// Request for a brief.
#[derive(Debug, Clone, Default)]
pub struct BriefRequest {
    /// A folder, project, tag or wing; only its pages are listed.
    pub namespace: Option<String>,
    /// Names of the working directories, nearest first.
    pub directories: Vec<String>,
    /// Maximum number of pages.
    pub limit: Option<usize>,
    /// Whether to ignore the directories.
    pub recent: bool,
    /// Whether the working directory is mapped to the whole vault, so that all its pages belong there.
    pub mapped: bool,
}

/// A brief for the start of a session.
#[derive(Debug, Default)]
pub struct Brief {
    /// Common namespace of the pages, if there is one.
    pub namespace: Option<String>,
    /// Live pages, most relevant first.
    pub nodes: Vec<Node>,
    /// Open contradictions.
    pub conflicts: Vec<Conflict>,
    /// Stale pages, most recently stale first.
    pub stale: Vec<(PageRow, State)>,
}

/// A live page.
#[derive(Debug)]
pub struct Node {
    /// The page.
    pub page: PageRow,
    /// Summary, else the first sentence.
    pub summary: String,
    /// Number of links to other pages.
    pub links_out: usize,
}

/// Creates the brief.
pub fn brief(context: &VaultContext, request: &BriefRequest) -> Result<Brief> {
    read_transaction(context.store(), || read_brief(context, request))
}

fn read_brief(context: &VaultContext, request: &BriefRequest) -> Result<Brief> {
    let reader = BriefReader { context, ties: Ties::read(context)?, injected: injected_paths(context) };
    let scopes: Vec<PageScope> = match &request.namespace {
        Some(named) => vec![PageScope::named(context, named)],
        None if request.recent => Vec::new(),
        None => request.directories.iter().filter_map(|name| PageScope::directory(name)).collect(),
    };
    let (mut scope, mut pages) = (None, Vec::new());
    for one in scopes {
        let found = reader.matching(&one)?;
        if !found.is_empty() || one.exclusive {
            (scope, pages) = (Some(one), found);
            break;
        }
    }
    if scope.is_none() && request.mapped && !request.recent {
        pages = reader.ranked(&Filter::default())?;
    }
    pages.truncate(request.limit.unwrap_or(MATCHING));
    if request.namespace.is_none() && !(request.mapped && scope.is_none()) {
        let room = match (scope.is_some(), request.limit) {
            (true, limit) => (limit.unwrap_or(MATCHING) - pages.len()).min(RECENT),
            (false, limit) => limit.unwrap_or(RECENT),
        };
        pages.extend(reader.recent(&pages, room)?);
    }
    Ok(Brief {
        nodes: reader.nodes(pages)?,
        conflicts: reader.conflicts(scope.as_ref())?,
        stale: reader.stale(scope.as_ref())?,
        namespace: scope.map(|scope| scope.name),
    })
}

/// Returns a short form of a page's id that resolves to it.
pub fn short_id(context: &VaultContext, page: &PageRow) -> Result<String> {
    for length in SHORT.into_iter().filter(|length| *length < page.id.len()) {
        let Some(short) = page.id.get(..length) else { break };
        // An ambiguous prefix is not an error here.
        if let Ok(Some(found)) = find(context.store(), context.project(), short)
            && found.page == page.number
        {
            return Ok(short.to_owned());
        }
    }
    Ok(page.id.clone())
}

struct BriefReader<'a> {
    context: &'a VaultContext,
    ties: Ties,
    /// Injected files, which need not be listed again.
    injected: HashSet<String>,
}

impl BriefReader<'_> {
    /// Returns the live pages of a scope, ranked by recency and inbound links.
    fn matching(&self, scope: &PageScope) -> Result<Vec<PageRow>> {
        self.ranked(&scope.filter())
    }

    /// Returns live pages of a filter, ranked by recency and inbound links.
    fn ranked(&self, filter: &Filter) -> Result<Vec<PageRow>> {
        let pages = self.live(filter, BATCH)?;
        let numbers: Vec<PageNo> = pages.iter().map(|page| page.number).collect();
        let inbound = self.context.store().inbound(self.context.project(), &numbers)?;
        let now = self.context.now();
        let score = |page: &PageRow, inbound: u64| score(touched(page, now.time_zone()), now.date(), inbound);
        let mut ranked: Vec<(f64, PageRow)> =
            pages.into_iter().zip(inbound).map(|(page, inbound)| (score(&page, inbound), page)).collect();
        ranked.sort_by(|(a, one), (b, other)| b.total_cmp(a).then_with(|| one.path.cmp(&other.path)));
        Ok(ranked.into_iter().map(|(_, page)| page).collect())
    }

    /// Returns the most recently changed live pages, except those already listed.
    fn recent(&self, listed: &[PageRow], room: usize) -> Result<Vec<PageRow>> {
        let mut pages = self.live(&Filter::default(), room + listed.len())?;
        pages.retain(|page| listed.iter().all(|known| known.number != page.number));
        pages.truncate(room);
        Ok(pages)
    }

    /// Returns up to `limit` live pages of a filter, most recently changed first; fewer if most are not live. Imported
    /// conversations are evidence for pages, and not listed.
    fn live(&self, filter: &Filter, limit: usize) -> Result<Vec<PageRow>> {
        let mut live = Vec::new();
        let (mut offset, mut batch) = (0, limit.max(BATCH));
        for _ in 0..MAX_BATCHES {
            let window = Window { limit: batch, offset };
            let mut rows =
                self.context.store().list(self.context.project(), filter, Order::Touched, window)?;
            let (count, last) = (rows.len(), rows.len() < batch);
            rows.retain(|page| !is_transcript(page));
            offset += count;
            // Thousands of conversations may be newer than the last page.
            batch = if rows.len() < count / 2 { batch * 4 } else { batch };
            let states = states_by(self.context, &self.ties, &rows)?;
            let pages = rows.into_iter().zip(states).filter(|(page, state)| {
                is_live(&state.status) && !self.injected.contains(without_extension(&page.path))
            });
            live.extend(pages.map(|(page, _)| page));
            if last || live.len() >= limit {
                break;
            }
        }
        live.truncate(limit);
        Ok(live)
    }

    /// Returns open contradictions, those of the scope first.
    fn conflicts(&self, scope: Option<&PageScope>) -> Result<Vec<Conflict>> {
        let mut conflicts = conflicts_by(self.context, &self.ties)?;
        if let Some(scope) = scope {
            let touches =
                |conflict: &Conflict| scope.contains(&conflict.one) || scope.contains(&conflict.other);
            conflicts.retain(|conflict| !scope.exclusive || touches(conflict));
            conflicts.sort_by_key(|conflict| !touches(conflict));
        }
        Ok(conflicts)
    }

    /// Returns stale pages, those of the scope first.
    fn stale(&self, scope: Option<&PageScope>) -> Result<Vec<(PageRow, State)>> {
        let own = scope.map(|scope| Some(scope.namespace.clone()));
        let everywhere = scope.is_none_or(|scope| !scope.exclusive).then_some(None);
        let query = |namespace: Option<Namespace>| Stale {
            namespace,
            limit: Some(STALE),
            looks: Some(MAX_BATCHES),
            ..Stale::default()
        };
        let queries: Vec<Stale> = everywhere.into_iter().chain(own).map(query).collect();
        let mut stale = find_stale_by(self.context, &self.ties, &queries)?;
        stale.retain(|(page, _)| !is_transcript(page));
        if let Some(scope) = scope {
            stale.retain(|(page, _)| !scope.exclusive || scope.contains(page));
            stale.sort_by_key(|(page, _)| !scope.contains(page));
        }
        Ok(stale)
    }

    fn nodes(&self, pages: Vec<PageRow>) -> Result<Vec<Node>> {
        let numbers: Vec<PageNo> = pages.iter().map(|page| page.number).collect();
        let links = self.context.store().links(self.context.project(), &LinkFilter::From(&numbers))?;
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
        let file = self.context.vault().read(&page.path, u64::MAX)?;
        Ok(file.map(|file| first_sentence(&decode(&file.bytes).text, SUMMARY)).unwrap_or_default())
    }
}

/// Returns the paths of the policy's injected files, without extensions.
fn injected_paths(context: &VaultContext) -> HashSet<String> {
    context.policy().inject.iter().map(|file| without_extension(&file.path).to_owned()).collect()
}

/// Returns the rank of a page in a brief: halved after a month, slightly raised by each inbound link.
fn score(touched: Date, today: Date, inbound: u64) -> f64 {
    let days = touched.until(today).map_or(0, |span| span.get_days()).max(0);
    30.0 / (30.0 + f64::from(days)) + 0.1 * (inbound as f64).ln_1p()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recency_ranks_before_inbound_links() {
        let day = |text: &str| text.parse::<Date>().expect("a day");
        let score = |touched: &str, inbound: u64| score(day(touched), day("2026-02-10"), inbound);
        assert!(score("2026-02-10", 0) > score("2026-01-10", 5));
        assert!(score("2026-02-08", 3) > score("2026-02-10", 0));
        assert!((score("2026-01-11", 0) - 0.5).abs() < 1e-9);
        assert!(score("2027-01-01", 0) <= 1.0, "a future date must not rank above today");
    }

    #[test]
    fn directory_scope_matches_by_name() {
        let scope = PageScope::directory("DeepSat.git").expect("a name");
        assert_eq!((scope.name.as_str(), scope.namespace.name.as_str()), ("deepsat", "deepsat"));
        assert_eq!(scope.namespace.prefixes, ["deepsat/", "DeepSat.git/"]);
        assert_eq!(PageScope::directory("lore").expect("a name").namespace.prefixes, ["lore/"]);
        assert!(PageScope::directory("..").is_none());
    }
}
