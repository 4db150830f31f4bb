//! Finds the stale pages of a vault with index queries instead of reading every page.

use std::collections::HashMap;

use jiff::ToSpan as _;
use lore_ports::{Aged, Filter, Namespace, Order, PageNo, PageRow, Window, read_transaction};

use super::ties::Ties;
use super::{State, states_by, status};
use crate::context::VaultContext;
use crate::error::Result;
use crate::policy::Ageing;

/// Maximum number of rows per batch.
const BATCH: usize = 200;

/// Number of superseded pages examined per batch of aged pages.
const SUPERSEDED: usize = 20;

/// Query for stale pages.
#[derive(Debug, Clone, Default)]
pub struct Stale {
    /// Only pages whose path starts with this.
    pub path: Option<String>,
    /// Only pages of this namespace.
    pub namespace: Option<Namespace>,
    /// Maximum number of pages.
    pub limit: Option<usize>,
    /// Maximum number of batches of aged pages, youngest first, per rule of the policy; also limits the superseded
    /// pages.
    pub looks: Option<usize>,
}

/// Returns all stale pages with their states, most recently stale first.
pub fn stale_pages(context: &VaultContext) -> Result<Vec<(PageRow, State)>> {
    find_stale(context, &Stale::default())
}

/// Returns the requested stale pages, most recently stale first.
pub fn find_stale(context: &VaultContext, wanted: &Stale) -> Result<Vec<(PageRow, State)>> {
    // All pages are needed to know which became stale last, since the two age rules have different dates.
    let ways = [Stale { limit: None, ..wanted.clone() }];
    let mut found =
        read_transaction(context.store(), || find_stale_by(context, &Ties::read(context)?, &ways))?;
    found.truncate(wanted.limit.unwrap_or(usize::MAX));
    Ok(found)
}

/// Returns the stale pages that match one of these queries. Each limit applies to the pages added by age; superseded
/// pages are only searched with the first query.
pub fn find_stale_by(context: &VaultContext, ties: &Ties, ways: &[Stale]) -> Result<Vec<(PageRow, State)>> {
    let mut found: HashMap<PageNo, (PageRow, State)> = HashMap::new();
    for (at, wanted) in ways.iter().enumerate() {
        let search = Search { context, wanted, ties };
        if at == 0 {
            found.extend(search.judge(search.superseded()?)?);
            found.extend(search.judge(search.stated()?)?);
        }
        for filter in search.aged() {
            found.extend(search.walk(&filter)?);
        }
    }
    let mut found: Vec<(PageRow, State)> = found.into_values().collect();
    found.sort_by(|(a, first), (b, second)| second.since.cmp(&first.since).then_with(|| a.path.cmp(&b.path)));
    Ok(found)
}

struct Search<'a> {
    context: &'a VaultContext,
    wanted: &'a Stale,
    ties: &'a Ties,
}

type StaleByPage = Vec<(PageNo, (PageRow, State))>;

impl Search<'_> {
    /// Returns the stale pages among these.
    fn judge(&self, pages: Vec<PageRow>) -> Result<StaleByPage> {
        let belongs = |page: &PageRow| self.wanted.namespace.as_ref().is_none_or(|one| one.contains(page));
        let pages: Vec<PageRow> = pages.into_iter().filter(belongs).collect();
        let states = states_by(self.context, self.ties, &pages)?;
        let stale = pages.into_iter().zip(states).filter(|(_, state)| state.is_stale());
        Ok(stale.map(|(page, state)| (page.number, (page, state))).collect())
    }

    fn superseded(&self) -> Result<Vec<PageRow>> {
        let numbers = match self.wanted.looks {
            Some(looks) => self.ties.superseded_last(looks.saturating_mul(SUPERSEDED)),
            None => {
                let mut numbers: Vec<PageNo> = self.ties.superseded().collect();
                numbers.sort_unstable();
                numbers
            }
        };
        let mut pages = self.context.store().pages(self.context.project(), &numbers)?;
        if let Some(path) = &self.wanted.path {
            pages.retain(|page| page.path.starts_with(path));
        }
        Ok(pages)
    }

    fn stated(&self) -> Result<Vec<PageRow>> {
        let mut pages = Vec::new();
        for word in [status::STALE, status::SUPERSEDED] {
            let filter =
                Filter { status: Some(word.into()), path: self.wanted.path.clone(), ..Filter::default() };
            pages.extend(self.list(&filter, self.wanted.limit.unwrap_or(usize::MAX), 0)?);
        }
        Ok(pages)
    }

    /// Returns filters that include every page that is stale by age or without links; they may include others.
    fn aged(&self) -> Vec<Filter> {
        let policy = self.context.policy();
        let lifecycle = &policy.lifecycle;
        let everywhere = lifecycle.everywhere();
        let mut filters = self.of(everywhere, "");
        for part in &lifecycle.paths {
            let ageing = lifecycle.ageing_of(part);
            if ageing != everywhere {
                let folders = folders_of(part.pattern.as_str());
                filters.extend(folders.iter().flat_map(|folder| self.of(ageing, folder)));
            }
        }
        for name in policy.namespaces.keys() {
            if let Some(ageing) = policy.namespace_ageing(name).filter(|ageing| *ageing != everywhere) {
                let within = |filter| Filter { namespace: Some(policy.namespace(name)), ..filter };
                filters.extend(self.of(ageing, "").into_iter().map(within));
            }
        }
        filters
    }

    fn of(&self, ageing: Ageing, folder: &str) -> Vec<Filter> {
        let path = match (self.wanted.path.as_deref(), folder) {
            (Some(path), folder) if path.starts_with(folder) => Some(path.to_owned()),
            (Some(path), folder) if !folder.starts_with(path) => return Vec::new(),
            (_, folder) => (!folder.is_empty()).then(|| folder.to_owned()),
        };
        let stale = ageing.stale_after.and_then(|days| self.days_ago(days));
        let orphan = ageing.orphan_after.and_then(|days| self.days_ago(days));
        // A page stale by age is stale whether or not other pages link to it.
        let by_age = stale.map(|before| Aged { before, orphans_since: None });
        let by_links = orphan.map(|before| Aged { before, orphans_since: Some(stale.unwrap_or(i64::MIN)) });
        let namespace = &self.wanted.namespace;
        let filter = |aged: Aged| Filter {
            path: path.clone(),
            aged: Some(aged),
            namespace: namespace.clone(),
            ..Filter::default()
        };
        by_age.into_iter().chain(by_links).map(filter).collect()
    }

    /// Returns a time before which any page that is too old was changed, in every time zone.
    fn days_ago(&self, days: u32) -> Option<i64> {
        let now = self.context.now().checked_sub(i64::from(days).saturating_sub(1).days()).ok()?;
        Some(now.timestamp().as_millisecond())
    }

    /// Examines the pages of a filter, youngest first, until enough stale ones are found.
    fn walk(&self, filter: &Filter) -> Result<StaleByPage> {
        let limit = self.wanted.limit.unwrap_or(usize::MAX);
        let mut found = StaleByPage::new();
        let mut batch = limit.saturating_mul(2).clamp(20, BATCH);
        let mut seen = 0;
        for _ in 0..self.wanted.looks.unwrap_or(usize::MAX) {
            let rows = self.list(filter, batch, seen)?;
            let last = rows.len() < batch;
            seen += rows.len();
            found.extend(self.judge(rows)?);
            if last || found.len() >= limit {
                break;
            }
            // Every batch skips the rows seen before, so there must be few batches.
            if self.wanted.looks.is_none() {
                batch *= 2;
            }
        }
        Ok(found)
    }

    fn list(&self, filter: &Filter, limit: usize, offset: usize) -> Result<Vec<PageRow>> {
        let window = Window { limit, offset };
        Ok(self.context.store().list(self.context.project(), filter, Order::Touched, window)?)
    }
}

/// Returns the folders that contain every path of a pattern; `""` is the vault.
fn folders_of(pattern: &str) -> Vec<String> {
    let plain = pattern.find(['*', '?', '[', '{']).unwrap_or(pattern.len());
    let (start, rest) = pattern.split_at(plain);
    let choice = rest.strip_prefix('{').and_then(|rest| rest.split_once('}'));
    if let Some((any_of, rest)) = choice.filter(|(any_of, _)| any_of.contains(',') && !any_of.contains('{')) {
        let folders = any_of.split(',').flat_map(|one| folders_of(&format!("{start}{one}{rest}")));
        return folders.collect();
    }
    vec![start[..start.rfind('/').map_or(0, |at| at + 1)].to_owned()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_patterns() {
        for (pattern, folders) in [
            ("clients/**", &["clients/"][..]),
            ("clients/acme", &["clients/"]),
            ("a/b*/c", &["a/"]),
            ("**/x", &[""]),
            ("index", &[""]),
            ("{a,b/c}/**", &["a/", "b/c/"]),
            ("x/{a,b}/{c,d}/*", &["x/a/c/", "x/a/d/", "x/b/c/", "x/b/d/"]),
            ("x/{date}/y", &["x/"]),
        ] {
            assert_eq!(folders_of(pattern), folders, "{pattern}");
        }
    }
}
