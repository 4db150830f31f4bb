//! Derives the state of a page from its evidence. Pure.

use jiff::ToSpan as _;
use jiff::civil::Date;

use super::{Reason, State, status};
use crate::policy::Ageing;

/// Evidence about a page.
#[derive(Debug, Clone, Default)]
pub(super) struct Evidence {
    /// Status stated in its file.
    pub(super) stated: Option<String>,
    /// Summary it was compacted into.
    pub(super) compacted_into: Option<String>,
    /// Pages that supersede it.
    pub(super) superseders: Vec<Superseder>,
    /// Slugs of its supersession cycle, if there is one.
    pub(super) circle: Vec<String>,
    /// Pages it contradicts, with the context.
    pub(super) contradicts: Vec<(String, String)>,
    /// Date of the last change or review.
    pub(super) touched: Date,
    /// Number of pages that link to it.
    pub(super) inbound: u64,
    /// Limits after which it becomes stale.
    pub(super) ageing: Ageing,
}

/// A page that supersedes another.
#[derive(Debug, Clone)]
pub(super) struct Superseder {
    pub(super) slug: String,
    pub(super) title: String,
    /// Start date.
    pub(super) since: Date,
}

/// Returns the state of a page on a date.
pub(super) fn derive(known: Evidence, today: Date) -> State {
    let mut state = State { status: status::ACTIVE.into(), ..State::default() };
    let old = grown_old(&known, today);
    let superseded_since = known.superseders.iter().map(|one| one.since).min();
    if let Some(into) = &known.compacted_into {
        state.set(status::COMPACTED, None);
        state.reasons.push(Reason::Compacted { into: into.clone() });
    }
    if let Some(since) = superseded_since {
        state.set(status::SUPERSEDED, Some(since));
        let by = known.superseders.iter().map(|one| Reason::Superseded { by: one.slug.clone() });
        state.reasons.extend(by);
    }
    if !known.circle.is_empty() {
        state.reasons.push(Reason::Circle { pages: known.circle });
    }
    if !known.contradicts.is_empty() {
        state.set(status::CONTESTED, None);
        let with = known.contradicts.iter().map(|(slug, _)| Reason::Contradicts { page: slug.clone() });
        state.reasons.extend(with);
    }
    if let Some(since) = old.iter().map(|(since, _)| *since).min() {
        state.set(status::STALE, Some(since));
        state.reasons.extend(old.into_iter().map(|(_, reason)| reason));
    }
    if let Some(stated) = known.stated {
        // An explicit status overrides derived dates; links from other pages are still reported.
        let since = status::is_over(&stated).then_some(known.touched);
        let agrees = stated == state.status;
        state.since = state.since.filter(|_| agrees).or(since.map(|day| day.to_string()));
        state.reasons.retain(|reason| !matches!(reason, Reason::Age { .. } | Reason::NoInbound { .. }));
        state.reasons.insert(0, Reason::Stated { status: stated.clone() });
        state.status = stated;
    }
    state.superseded_by = known.superseders.into_iter().map(|one| (one.slug, one.title)).collect();
    state.contradicts = known.contradicts;
    state
}

impl State {
    /// Sets a status unless a stronger one was set before.
    fn set(&mut self, status: &str, since: Option<Date>) {
        if self.status == status::ACTIVE {
            self.status = status.to_owned();
            self.since = since.map(|day| day.to_string());
        }
    }
}

/// Returns the age limits that a page exceeds, with the date it exceeded each.
fn grown_old(known: &Evidence, today: Date) -> Vec<(Date, Reason)> {
    let days = known.touched.until(today).map_or(0, |span| i64::from(span.get_days()));
    let over = |limit: Option<u32>| {
        let limit = limit.map(i64::from).filter(|limit| days > *limit)?;
        known.touched.checked_add(limit.days()).ok()
    };
    let age = over(known.ageing.stale_after).map(|since| (since, Reason::Age { days }));
    let orphan = over(known.ageing.orphan_after).filter(|_| known.inbound == 0);
    let orphan = orphan.map(|since| (since, Reason::NoInbound { days }));
    age.into_iter().chain(orphan).collect()
}
