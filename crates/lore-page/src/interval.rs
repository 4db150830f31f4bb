//! Validity: dates that may lack a day or a month, and intervals between them.

mod overlap;

use std::fmt;
use std::str::FromStr;

pub use overlap::Reversed;

/// A date whose month or day may be unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PartialDate {
    year: u16,
    month: Option<u8>,
    day: Option<u8>,
}

/// An inclusive range of dates; either end may be open.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Interval {
    /// First day; `None` if unknown.
    pub from: Option<PartialDate>,
    /// Last day; `None` if still valid.
    pub until: Option<PartialDate>,
}

impl PartialDate {
    /// Returns the first day the date can mean, as `YYYY-MM-DD`. This form is compared and stored.
    pub fn first_day(self) -> String {
        format!("{:04}-{:02}-{:02}", self.year, self.month.unwrap_or(1), self.day.unwrap_or(1))
    }

    /// Returns the last day the date can mean, as `YYYY-MM-DD`.
    pub fn last_day(self) -> String {
        let month = self.month.unwrap_or(12);
        let day = self.day.unwrap_or_else(|| days_in(self.year, month));
        format!("{:04}-{month:02}-{day:02}", self.year)
    }
}

/// Parses `YYYY`, `YYYY-MM` or `YYYY-MM-DD`; the day must exist.
impl FromStr for PartialDate {
    type Err = NotADate;

    fn from_str(text: &str) -> Result<Self, NotADate> {
        let mut parts = text.split('-');
        let year = number(parts.next(), 4).ok_or(NotADate)?;
        let month = optional(parts.next(), 1..=12)?;
        let day = match month {
            Some(month) => optional(parts.next(), 1..=days_in(year, month))?,
            None => None,
        };
        match parts.next() {
            None => Ok(PartialDate { year, month, day }),
            Some(_) => Err(NotADate),
        }
    }
}

impl fmt::Display for PartialDate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}", self.year)?;
        for part in [self.month, self.day].into_iter().flatten() {
            write!(f, "-{part:02}")?;
        }
        Ok(())
    }
}

/// The error for text that is not a date.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a date: use YYYY, YYYY-MM or YYYY-MM-DD")]
pub struct NotADate;

impl Interval {
    /// Returns whether both ends are open.
    pub fn is_unbounded(self) -> bool {
        self.from.is_none() && self.until.is_none()
    }

    /// Returns whether the interval includes a day given as `YYYY-MM-DD`.
    pub fn holds_on(self, day: &str) -> bool {
        self.from.is_none_or(|from| from.first_day().as_str() <= day)
            && self.until.is_none_or(|until| day <= until.last_day().as_str())
    }
}

/// Parses `from..until` without the braces; one side may be empty, but not both.
impl FromStr for Interval {
    type Err = NotADate;

    fn from_str(text: &str) -> Result<Self, NotADate> {
        let (from, until) = text.split_once("..").ok_or(NotADate)?;
        let side = |part: &str| match part.trim() {
            "" => Ok(None),
            date => date.parse().map(Some),
        };
        let interval = Interval { from: side(from)?, until: side(until)? };
        let ordered = match (interval.from, interval.until) {
            (Some(from), Some(until)) => from.first_day() <= until.last_day(),
            (None, None) => false,
            _ => true,
        };
        if ordered { Ok(interval) } else { Err(NotADate) }
    }
}

/// Formats as `{from..until}`, or as nothing if unbounded.
impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_unbounded() {
            return Ok(());
        }
        write!(f, "{{")?;
        if let Some(from) = self.from {
            write!(f, "{from}")?;
        }
        write!(f, "..")?;
        if let Some(until) = self.until {
            write!(f, "{until}")?;
        }
        write!(f, "}}")
    }
}

fn number(part: Option<&str>, width: usize) -> Option<u16> {
    let part = part?;
    if part.len() != width || !part.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    part.parse().ok()
}

fn optional(part: Option<&str>, allowed: std::ops::RangeInclusive<u8>) -> Result<Option<u8>, NotADate> {
    let Some(part) = part else { return Ok(None) };
    let value = number(Some(part), 2).ok_or(NotADate)? as u8;
    if allowed.contains(&value) { Ok(Some(value)) } else { Err(NotADate) }
}

fn days_in(year: u16, month: u8) -> u8 {
    match month {
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, days: Option<(&str, &str)>) {
        let parsed = text.parse::<PartialDate>().ok();
        assert_eq!(parsed.map(|date| date.to_string()).as_deref(), days.map(|_| text));
        let found = parsed.map(|date| (date.first_day(), date.last_day()));
        assert_eq!(found.as_ref().map(|(first, last)| (first.as_str(), last.as_str())), days);
    }

    #[test]
    fn dates_may_lack_a_day_or_a_month() {
        check("2024", Some(("2024-01-01", "2024-12-31")));
        check("2024-02", Some(("2024-02-01", "2024-02-29")));
        check("2023-02", Some(("2023-02-01", "2023-02-28")));
        check("2024-02-29", Some(("2024-02-29", "2024-02-29")));
    }

    #[test]
    fn nonexistent_days_are_rejected() {
        for text in ["", "24", "2023-02-29", "2024-13", "2024-00", "2024-1-1", "2024-01-01-01", "2024-0１"] {
            check(text, None);
        }
    }

    #[test]
    fn intervals_include_both_ends() {
        let interval: Interval = "2017..2018-06".parse().expect("an interval");
        assert!(interval.holds_on("2017-01-01") && interval.holds_on("2018-06-30"));
        assert!(!interval.holds_on("2016-12-31") && !interval.holds_on("2018-07-01"));
        assert_eq!(interval.to_string(), "{2017..2018-06}");
    }

    #[test]
    fn interval_needs_one_end_and_the_right_order() {
        assert!("..".parse::<Interval>().is_err());
        assert!("2020..2019".parse::<Interval>().is_err());
        assert_eq!("2020..".parse::<Interval>().expect("open").to_string(), "{2020..}");
        assert_eq!("..2020".parse::<Interval>().expect("open").to_string(), "{..2020}");
    }
}
