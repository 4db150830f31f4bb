//! The pages around a page, with their lifecycle states.

use std::collections::HashMap;

use lore_ports::{PageNo, PageRow};

use super::{Reach, neighbourhood};
use crate::context::VaultContext;
use crate::error::Result;
use crate::lifecycle::{State, states};

/// A page near another.
#[derive(Debug)]
pub struct Neighbour {
    /// The page.
    pub page: PageRow,
    /// Its distance in hops.
    pub hops: usize,
    /// Its lifecycle state today.
    pub state: State,
}

/// The pages around a page.
#[derive(Debug)]
pub struct Neighbours {
    /// Nearest first, then by slug.
    pub pages: Vec<Neighbour>,
    /// Whether the limit left pages out.
    pub cut: bool,
}

/// Returns the pages around a page, without the page itself; only those changed at or after `since`, if it is given in
/// milliseconds since 1970.
pub fn neighbours(
    context: &VaultContext,
    page: &PageRow,
    reach: &Reach,
    since: Option<i64>,
) -> Result<Neighbours> {
    let around = neighbourhood(context.store(), context.project(), page.number, reach)?;
    let hops: HashMap<PageNo, usize> = around.pages.iter().copied().collect();
    let numbers: Vec<PageNo> = around.pages.iter().map(|(page, _)| *page).collect();
    let mut rows = context.store().pages(context.project(), &numbers)?;
    rows.retain(|row| row.number != page.number && since.is_none_or(|since| row.updated >= since));
    let distance = |row: &PageRow| hops.get(&row.number).copied().unwrap_or_default();
    rows.sort_by(|a, b| distance(a).cmp(&distance(b)).then_with(|| a.slug.cmp(&b.slug)));
    let states = states(context, &rows)?;
    let near = |(page, state): (PageRow, State)| Neighbour { hops: distance(&page), page, state };
    Ok(Neighbours { pages: rows.into_iter().zip(states).map(near).collect(), cut: around.cut })
}
