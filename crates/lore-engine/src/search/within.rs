//! Restricts a search to what happened in a period, or with a participant.

use jiff::civil::Date;
use lore_ports::PageRow;
use lore_text::{PartialDate, fold};

use super::page_date::{line_day, page_date};
use super::passages::{Unit, Units};

/// Properties that list who took part.
const PARTICIPANTS: [&str; 6] = ["participants", "attendees", "people", "with", "speakers", "author"];

/// The period and the participant of a search.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Within {
    /// The first day, month or year.
    pub from: Option<PartialDate>,
    /// The last day, month or year.
    pub until: Option<PartialDate>,
    /// Somebody who took part: a speaker, or a name in a property such as `participants`.
    pub participant: Option<String>,
}

impl Within {
    /// Returns whether nothing is restricted.
    pub fn is_everything(&self) -> bool {
        *self == Within::default()
    }

    fn has_period(&self) -> bool {
        self.from.is_some() || self.until.is_some()
    }

    /// Returns whether a date, or the beginning of one, overlaps the period.
    fn covers(&self, day: &str) -> bool {
        let Ok(day) = day.parse::<PartialDate>() else { return false };
        self.from.is_none_or(|from| day.last_day() >= from.first_day())
            && self.until.is_none_or(|until| day.first_day() <= until.last_day())
    }

    /// Returns whether a line of a page counts: its own day decides, else the page's.
    pub(super) fn has_line(&self, page: &PageRow, line: &str) -> bool {
        if !self.has_period() {
            return true;
        }
        let own = line_day(line).map(|day: Date| day.to_string());
        own.or_else(|| page_date(page).map(|date| date.day)).is_some_and(|day| self.covers(&day))
    }

    /// Returns whether a page counts, with the units of its text.
    pub(super) fn has_page(&self, page: &PageRow, text: &str, units: &Units) -> bool {
        let in_period = || units.list.iter().any(|unit| self.has_line(page, &text[unit.bytes.clone()]));
        let is_dated = || page_date(page).is_some_and(|date| self.covers(&date.day));
        (!self.has_period() || is_dated() || in_period()) && self.has_participant(page, text, &units.list)
    }

    fn has_participant(&self, page: &PageRow, text: &str, units: &[Unit]) -> bool {
        let Some(wanted) = self.participant.as_deref().map(fold).filter(|name| !name.is_empty()) else {
            return true;
        };
        let is_wanted = |name: &str| {
            let name = fold(name.trim_matches(['[', ']', '"']));
            name == wanted || name.split(' ').any(|part| part == wanted)
        };
        let declared = PARTICIPANTS.iter().flat_map(|key| page.properties.list(key));
        declared.into_iter().any(|name| is_wanted(&name))
            || units.iter().filter_map(|unit| unit.speaker.clone()).any(|bytes| is_wanted(&text[bytes]))
            || is_wanted(&page.title)
    }
}
