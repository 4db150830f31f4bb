//! The day on which the lifecycle is judged: today, or an earlier one.
//!
//! What has no date of its own began on the date of its file at the latest: on an earlier day it did not hold yet.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use lore_ports::PageRow;
use lore_text::PartialDate;

use super::{Ties, compacted_into, made, own_date, status, touched};
use crate::context::VaultContext;

/// A day.
#[derive(Debug, Clone)]
pub(crate) struct Day {
    date: Date,
    /// The same as `YYYY-MM-DD`.
    text: String,
    /// Whether it is before today.
    is_past: bool,
    zone: TimeZone,
}

impl Day {
    /// Returns the current day.
    pub(crate) fn today(context: &VaultContext) -> Day {
        let now = context.now();
        Day { date: now.date(), text: context.today(), is_past: false, zone: now.time_zone().clone() }
    }

    /// Returns the last day of a date.
    pub(crate) fn of(context: &VaultContext, date: PartialDate) -> Day {
        let today = Day::today(context);
        let text = date.last_day();
        let date = text.parse().unwrap_or(today.date);
        Day { date, is_past: date < today.date, text, zone: today.zone }
    }

    /// Returns the day as `YYYY-MM-DD`.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the day as a date.
    pub(super) fn date(&self) -> Date {
        self.date
    }

    /// Returns the time zone.
    pub(super) fn zone(&self) -> &TimeZone {
        &self.zone
    }

    /// Whether a page is dated after this day.
    pub(crate) fn is_later(&self, page: &PageRow) -> bool {
        own_date(page, &self.zone).is_some_and(|own| own > self.date)
    }

    /// Returns the status stated on a page. One that closes the page applies since the page's last stated change.
    pub(crate) fn stated<'p>(&self, page: &'p PageRow) -> Option<&'p str> {
        page.status
            .as_deref()
            .filter(|stated| !status::is_over(stated) || !self.is_before(touched(page, &self.zone)))
    }

    /// Returns the page that a page was compacted into.
    pub(crate) fn compacted_into(&self, page: &PageRow) -> Option<String> {
        compacted_into(page).filter(|_| !self.is_before(touched(page, &self.zone)))
    }

    /// Whether a page is closed: by its status, or else because it is superseded or compacted.
    pub(super) fn is_over(&self, page: &PageRow, ties: &Ties) -> bool {
        match self.stated(page) {
            Some(stated) => status::is_over(stated),
            None => self.compacted_into(page).is_some() || !ties.superseders(page.number).is_empty(),
        }
    }

    /// Whether a page no longer holds: by its status, or because it is superseded or compacted.
    pub(crate) fn is_invalid(&self, page: &PageRow, ties: &Ties) -> bool {
        self.stated(page).is_some_and(status::is_invalid)
            || self.compacted_into(page).is_some()
            || !ties.successors(page.number).is_empty()
    }

    /// Whether a link has begun: on its own date, else on that of the page that supersedes.
    pub(super) fn is_begun(&self, since: Option<&str>, by: &PageRow) -> bool {
        since.is_some() || !self.is_later(by) && !self.is_before(made(by, &self.zone))
    }

    /// Whether this is an earlier day than a date in the past. Today everything in the files applies, whatever their dates.
    fn is_before(&self, date: Date) -> bool {
        self.is_past && self.date < date
    }
}
