//! The rules themselves, as a pure function: from what is known of a page to the state it is in.

use jiff::ToSpan as _;
use jiff::civil::Date;

use super::{Reason, State, status};
use crate::policy::Ageing;

/// What is known of a page.
#[derive(Debug, Clone, Default)]
pub(super) struct Evidence {
    /// The status its file states.
    pub(super) stated: Option<String>,
    /// The summary it was compacted into.
    pub(super) compacted_into: Option<String>,
    /// The pages that supersede it.
    pub(super) superseders: Vec<Superseder>,
    /// The slugs of the circle it stands in, where supersession runs in one.
    pub(super) circle: Vec<String>,
    /// The pages it is at odds with, and why.
    pub(super) contradicts: Vec<(String, String)>,
    /// The day on which it was last changed or reviewed.
    pub(super) touched: Date,
    /// How many other pages link to it.
    pub(super) inbound: u64,
    /// How it grows stale.
    pub(super) ageing: Ageing,
}

/// A page that stands in another's place.
#[derive(Debug, Clone)]
pub(super) struct Superseder {
    pub(super) slug: String,
    pub(super) title: String,
    /// Since when.
    pub(super) since: Date,
}

/// The state of a page on a day.
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
        // What somebody decided goes before what follows from dates; what other pages say is still told.
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
    /// Takes a status unless a stronger one was found before it.
    fn set(&mut self, status: &str, since: Option<Date>) {
        if self.status == status::ACTIVE {
            self.status = status.to_owned();
            self.since = since.map(|day| day.to_string());
        }
    }
}

/// By which rules of age a page is stale, and since when.
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
