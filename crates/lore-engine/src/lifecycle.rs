//! The lifecycle of pages: active, stale, contested, superseded or compacted. The state is not stored; it is derived at
//! read time from links, dates and the files.
//!
//! - *superseded*: another page `supersedes` it, or it has a `superseded_by` link; the link is valid today, and the other
//!   page is in force;
//! - *contested*: a `contradicts` link that is valid today connects it to a live page;
//! - *compacted*: its file has `compacted_into`;
//! - *stale*: past its threshold, or without inbound links for long, if the policy sets limits;
//! - a `status:` in the file overrides all of these.
//!
//! All of it can be derived for an earlier day; see `Day`.

mod conflicts;
mod day;
mod derive;
mod set;
mod stale;
pub mod status;
mod ties;

use std::collections::{HashMap, HashSet};
use std::fmt;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

pub use conflicts::{Conflict, conflicts, conflicts_by};
pub use lore_ports::{PageNo, PageRow, read_transaction};
use lore_text::{date_millis, date_of_file};

pub use set::{Stated, StatusChange, plan_status};
pub use stale::{Stale, find_stale, find_stale_by, stale_pages};

use crate::context::VaultContext;
use crate::error::Result;
use crate::policy::Policy;

pub(crate) use day::Day;
use derive::{Evidence, Superseder, derive};

pub use ties::Ties;

/// Returns whether a page with this status is live: true for every word except those for closed pages.
pub fn is_live(status: &str) -> bool {
    !status::is_over(status)
}

/// State of a page today.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct State {
    /// `active`, `stale`, `superseded`, `contested`, `compacted`, or the status in the file.
    pub status: String,
    /// Reasons, strongest first.
    pub reasons: Vec<Reason>,
    /// Start date, as `YYYY-MM-DD`.
    pub since: Option<String>,
    /// Slug and title of the pages that supersede it.
    pub superseded_by: Vec<(String, String)>,
    /// Slugs of the pages it contradicts, with the context of the link.
    pub contradicts: Vec<(String, String)>,
}

/// Reason for a state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// The file states it.
    Stated {
        /// Status in the file.
        status: String,
    },
    /// Another page supersedes it.
    Superseded {
        /// Slug of that page.
        by: String,
    },
    /// Pages supersede each other.
    Circle {
        /// Slugs of the pages.
        pages: Vec<String>,
    },
    /// It contradicts another page.
    Contradicts {
        /// Slug of that page.
        page: String,
    },
    /// It was compacted.
    Compacted {
        /// The summary page.
        into: String,
    },
    /// It was not changed or reviewed for too long.
    Age {
        /// Days since then.
        days: i64,
    },
    /// No other page links to it, and it was not changed or reviewed for too long.
    NoInbound {
        /// Days since then.
        days: i64,
    },
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Stated { status } => write!(f, "status: {status}"),
            Reason::Superseded { by } => write!(f, "superseded by {by}"),
            Reason::Circle { pages } => write!(f, "supersession cycle: {}", pages.join(", ")),
            Reason::Contradicts { page } => write!(f, "contradicts {page}"),
            Reason::Compacted { into } => write!(f, "compacted into {into}"),
            Reason::Age { days } => write!(f, "age ({days} days)"),
            Reason::NoInbound { days } => write!(f, "no inbound links ({days} days)"),
        }
    }
}

impl State {
    /// Returns whether the page is stale: by age, without links, superseded, or stated in its file.
    pub fn is_stale(&self) -> bool {
        [status::STALE, status::SUPERSEDED].contains(&self.status.as_str())
    }

    /// Returns the reasons in one line.
    pub fn reason(&self) -> String {
        self.reasons.iter().map(Reason::to_string).collect::<Vec<_>>().join(", ")
    }

    /// Returns warnings for a reader of the page.
    pub fn warnings(&self) -> Vec<String> {
        let stated = self.reasons.iter().any(|reason| matches!(reason, Reason::Stated { .. }));
        let though = match stated && is_live(&self.status) {
            true => format!(", but its file says {}", self.status),
            false => String::new(),
        };
        let mut warnings = Vec::new();
        if !self.superseded_by.is_empty() {
            let by: Vec<&str> = self.superseded_by.iter().map(|(slug, _)| slug.as_str()).collect();
            warnings.push(format!("superseded by {}{though}", by.join(", ")));
        }
        for (slug, context) in &self.contradicts {
            let why = if context.is_empty() { String::new() } else { format!(" ({context})") };
            warnings.push(format!("contested: contradicts {slug}{why}{though}"));
        }
        for reason in &self.reasons {
            match reason {
                Reason::Circle { .. } | Reason::Compacted { .. } => warnings.push(reason.to_string()),
                Reason::Stated { status } if status::is_doubtful(status) => {
                    warnings.push(format!("{status}: set in its file"));
                }
                _ => {}
            }
        }
        if self.status == status::STALE && !stated {
            let since = self.since.as_deref().map(|day| format!(" since {day}")).unwrap_or_default();
            warnings.push(format!("stale{since}: {}", self.reason()));
        }
        warnings
    }
}

/// Returns the states of pages, in order. The number of index queries does not depend on the number of pages.
pub fn states(context: &VaultContext, pages: &[PageRow]) -> Result<Vec<State>> {
    states_on(context, pages, &Day::today(context))
}

/// Returns the states of pages on a day, in order.
pub(crate) fn states_on(context: &VaultContext, pages: &[PageRow], day: &Day) -> Result<Vec<State>> {
    let numbers: Vec<PageNo> = pages.iter().map(|page| page.number).collect();
    read_transaction(context.store(), || {
        derive_states(context, &Ties::around_on(context, &numbers, day)?, pages, day)
    })
}

/// Returns the pages that supersede a page, then those that supersede these, and so on; slug and title of each.
pub fn supersession(context: &VaultContext, page: &PageRow) -> Result<Vec<Vec<(String, String)>>> {
    let chain = Ties::around(context, &[page.number])?.chain(page.number);
    let rows = rows(context, chain.iter().flatten().copied())?;
    let named = |number: &PageNo| rows.get(number).map(|row| (row.slug.clone(), row.title.clone()));
    Ok(chain.iter().map(|ring| ring.iter().filter_map(named).collect()).collect())
}

/// Returns the states of pages by known relations.
pub fn states_by(context: &VaultContext, ties: &Ties, pages: &[PageRow]) -> Result<Vec<State>> {
    derive_states(context, ties, pages, &Day::today(context))
}

fn derive_states(context: &VaultContext, ties: &Ties, pages: &[PageRow], day: &Day) -> Result<Vec<State>> {
    let circles: HashMap<PageNo, Vec<PageNo>> =
        pages.iter().map(|page| (page.number, ties.circle(page.number))).collect();
    let ends = pages.iter().flat_map(|page| {
        ties.superseders(page.number).iter().chain(ties.contradictions(page.number)).map(|tie| tie.other)
    });
    let ends = rows(context, ends.chain(circles.values().flatten().copied()))?;
    let policy = context.policy();
    let inbound = match policy.ages() {
        true => {
            let numbers: Vec<PageNo> = pages.iter().map(|page| page.number).collect();
            context.store().inbound(context.project(), &numbers)?
        }
        false => vec![0; pages.len()],
    };
    let around = Around { ties, ends: &ends, policy: &policy, day };
    let state = |(page, inbound): (&PageRow, u64)| {
        let circle = circles.get(&page.number).map(Vec::as_slice).unwrap_or_default();
        derive(Evidence { inbound, ..around.evidence(page, circle) }, day.date())
    };
    Ok(pages.iter().zip(inbound).map(state).collect())
}

/// Returns the rows of pages, each once.
fn rows(context: &VaultContext, pages: impl Iterator<Item = PageNo>) -> Result<HashMap<PageNo, PageRow>> {
    let mut numbers: Vec<PageNo> = pages.collect::<HashSet<_>>().into_iter().collect();
    numbers.sort_unstable();
    let rows = context.store().pages(context.project(), &numbers)?;
    Ok(rows.into_iter().map(|row| (row.number, row)).collect())
}

/// Context for deriving the state of a page.
struct Around<'a> {
    ties: &'a Ties,
    /// Pages at the other ends of the ties.
    ends: &'a HashMap<PageNo, PageRow>,
    policy: &'a Policy,
    day: &'a Day,
}

impl Around<'_> {
    fn evidence(&self, page: &PageRow, circle: &[PageNo]) -> Evidence {
        Evidence {
            stated: self.day.stated(page).map(status::known),
            compacted_into: self.day.compacted_into(page),
            superseders: self.superseders(page),
            circle: circle.iter().map(|number| self.slug(page, *number)).collect(),
            contradicts: self.contradicts(page),
            touched: touched(page, self.day.zone()),
            inbound: 0,
            ageing: self.policy.ageing(page),
        }
    }

    fn slug(&self, page: &PageRow, number: PageNo) -> String {
        let row = if number == page.number { Some(page) } else { self.ends.get(&number) };
        row.map(|row| row.slug.clone()).unwrap_or_default()
    }

    fn superseders(&self, page: &PageRow) -> Vec<Superseder> {
        let ties = self.ties.superseders(page.number).iter();
        ties.filter_map(|tie| {
            let by = self.ends.get(&tie.other)?;
            let since = tie.since.as_deref().and_then(|day| day.parse().ok());
            let since = since.unwrap_or_else(|| made(by, self.day.zone()));
            Some(Superseder { slug: by.slug.clone(), title: by.title.clone(), since })
        })
        .collect()
    }

    /// Returns the open contradictions; one is settled when either page is no longer live.
    fn contradicts(&self, page: &PageRow) -> Vec<(String, String)> {
        if self.day.is_over(page, self.ties) {
            return Vec::new();
        }
        let ties = self.ties.contradictions(page.number).iter();
        let open = ties.filter_map(|tie| Some((tie, self.ends.get(&tie.other)?)));
        let open = open.filter(|(_, other)| !self.day.is_over(other, self.ties));
        open.map(|(tie, other)| (other.slug.clone(), tie.context.clone().unwrap_or_default())).collect()
    }
}

/// Returns the page that a file says it was compacted into.
fn compacted_into(page: &PageRow) -> Option<String> {
    let named = page.properties.list("compacted_into").into_iter().next()?;
    let plain = named.trim().trim_start_matches("[[").trim_end_matches("]]").trim();
    (!plain.is_empty()).then(|| plain.to_owned())
}

/// Returns the creation date stated on a page, else the date of its last change. The time at which the index first saw
/// the file is not used, since it differs between indexes.
fn made(page: &PageRow, zone: &TimeZone) -> Date {
    own_date(page, zone).unwrap_or_else(|| touched(page, zone))
}

/// Returns the date that a page states for itself, or that its file is named after.
fn own_date(page: &PageRow, zone: &TimeZone) -> Option<Date> {
    let stated = ["created", "date", "day", "when"].iter().filter_map(|key| page.properties.text(key));
    let mut days = stated.filter_map(|text| stated_day(text, zone));
    days.next().or_else(|| date_of_file(&page.path).map(|period| period.first))
}

/// Returns the latest `reviewed` or `updated` date of a page, else that of the file's last change.
pub fn touched(page: &PageRow, zone: &TimeZone) -> Date {
    let stated = ["reviewed", "updated"].iter().filter_map(|key| page.properties.text(key));
    let days = stated.filter_map(|text| stated_day(text, zone));
    days.max().unwrap_or_else(|| day_of(page.updated, zone))
}

/// Parses a stated date. A plain date is independent of the time zone; a timestamp is converted to it.
fn stated_day(text: &str, zone: &TimeZone) -> Option<Date> {
    let text = text.trim();
    let date = if text.len() <= 10 { text.parse().ok() } else { None };
    date.or_else(|| date_millis(text).map(|millis| day_of(millis, zone)))
}

fn day_of(millis: i64, zone: &TimeZone) -> Date {
    Timestamp::from_millisecond(millis).unwrap_or_default().to_zoned(zone.clone()).date()
}

#[cfg(test)]
mod tests;
