//! Validity: dates that may lack a day or a month, and intervals between them.

mod overlap;

use std::fmt;
use std::str::FromStr;

use lore_text::{NotADate, PartialDate};

pub use overlap::{Reversed, overlapping_pairs};

/// An inclusive range of dates; either end may be open.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Interval {
    /// First day; `None` if unknown.
    pub from: Option<PartialDate>,
    /// Last day; `None` if still valid.
    pub until: Option<PartialDate>,
}

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

#[cfg(test)]
mod tests {
    use super::*;

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
