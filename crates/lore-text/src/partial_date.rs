//! Dates that may lack a day or a month.

use std::fmt;
use std::str::FromStr;

use jiff::ToSpan as _;
use jiff::civil::Date;

/// A date whose month or day may be unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PartialDate {
    year: u16,
    month: Option<u8>,
    day: Option<u8>,
}

impl PartialDate {
    /// Returns the first day the date can mean, as `YYYY-MM-DD`, for comparison and storage.
    pub fn first_day(self) -> String {
        format!("{:04}-{:02}-{:02}", self.year, self.month.unwrap_or(1), self.day.unwrap_or(1))
    }

    /// Returns the last day the date can mean, as `YYYY-MM-DD`.
    pub fn last_day(self) -> String {
        let month = self.month.unwrap_or(12);
        let day = self.day.unwrap_or_else(|| days_in(self.year, month));
        format!("{:04}-{month:02}-{day:02}", self.year)
    }

    /// Returns the day before the first day the date can mean; `None` if that is before year 0.
    pub fn day_before(self) -> Option<PartialDate> {
        let first: Date = self.first_day().parse().ok()?;
        let before = first.checked_sub(1.day()).ok()?;
        let year = u16::try_from(before.year()).ok()?;
        Some(PartialDate {
            year,
            month: Some(before.month().unsigned_abs()),
            day: Some(before.day().unsigned_abs()),
        })
    }
}

/// Parses `YYYY`, `YYYY-MM` or `YYYY-MM-DD`, if that day exists.
impl FromStr for PartialDate {
    type Err = NotADate;

    fn from_str(text: &str) -> Result<Self, NotADate> {
        let mut parts = text.split('-');
        let year = number(parts.next(), 4).ok_or(NotADate)?;
        let month = optional(parts.next(), 12)?;
        let day = match month {
            Some(month) => optional(parts.next(), days_in(year, month))?,
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

/// The error for a text that is not a date.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a date: use YYYY, YYYY-MM or YYYY-MM-DD")]
pub struct NotADate;

fn number(part: Option<&str>, width: usize) -> Option<u16> {
    let part = part?;
    if part.len() != width || !part.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    part.parse().ok()
}

fn optional(part: Option<&str>, last: u8) -> Result<Option<u8>, NotADate> {
    let Some(part) = part else { return Ok(None) };
    let value = number(Some(part), 2).ok_or(NotADate)? as u8;
    if (1..=last).contains(&value) { Ok(Some(value)) } else { Err(NotADate) }
}

fn days_in(year: u16, month: u8) -> u8 {
    let first = Date::new(year.cast_signed(), month.cast_signed(), 1);
    first.map_or(31, |first| first.days_in_month().unsigned_abs())
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
        check("9999-12-31", Some(("9999-12-31", "9999-12-31")));
    }

    #[test]
    fn nonexistent_days_are_rejected() {
        for text in ["", "24", "2023-02-29", "2024-13", "2024-00", "2024-1-1", "2024-01-01-01", "2024-0１"] {
            check(text, None);
        }
    }

    #[test]
    fn day_before_crosses_months_and_years() {
        for (date, before) in [
            ("2024-03-01", "2024-02-29"),
            ("2023-03", "2023-02-28"),
            ("2024", "2023-12-31"),
            ("2024-05-02", "2024-05-01"),
        ] {
            let found = date.parse::<PartialDate>().expect(date).day_before();
            assert_eq!(found.map(|day| day.to_string()).as_deref(), Some(before), "{date}");
        }
        assert_eq!("0000".parse::<PartialDate>().expect("a year").day_before(), None);
    }
}
