//! Periods in file names: a day, an ISO week or a month.

use std::ops::Range;

use jiff::Timestamp;
use jiff::civil::{Date, ISOWeekDate, Weekday};
use jiff::tz::TimeZone;

/// The dates that a dated name covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct NamePeriod {
    /// First day.
    pub first: Date,
    /// Last day.
    pub last: Date,
}

impl NamePeriod {
    /// Returns the instant at which the last day ends in a time zone, from which the period's age counts.
    pub fn end(&self, zone: &TimeZone) -> Timestamp {
        let after = self.last.tomorrow().and_then(|day| day.to_zoned(zone.clone()));
        // The last day of the calendar never ends.
        after.map_or(Timestamp::MAX, |midnight| midnight.timestamp())
    }

    /// Returns whether it is a single day.
    pub fn is_day(&self) -> bool {
        self.first == self.last
    }
}

/// Returns the first period in the file name of a path: `YYYY-MM-DD`, `YYYY-Www` or `YYYY-MM`. None if the date does
/// not exist.
pub fn date_in_name(path: &str) -> Option<NamePeriod> {
    find_period(path.rsplit('/').next()?).map(|(period, _)| period)
}

/// Returns the day, week or month that a file is named after: as [`date_in_name`], else a stamp such as `20240203` or
/// `20240203120000` at the start of its name, else its folders and name as in `2024/02/03.md`.
pub fn date_of_file(path: &str) -> Option<NamePeriod> {
    let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
    date_in_name(path).or_else(|| stamp(stem.rsplit('/').next()?)).or_else(|| {
        let mut parts: Vec<&str> = stem.rsplit('/').take(3).collect();
        parts.reverse();
        let from = parts.iter().position(|part| part.len() == 4)?;
        parse_period(&parts[from..].join("-")).filter(|_| parts.len() - from > 1)
    })
}

/// Returns the day of a stamp of 8 digits, or of 12 or 14 with the time, at the start of a name.
fn stamp(name: &str) -> Option<NamePeriod> {
    let digits = name.bytes().take_while(u8::is_ascii_digit).count();
    let is_apart = name[digits..].chars().next().is_none_or(|next| !next.is_alphanumeric());
    let day = name.get(..8).filter(|_| matches!(digits, 8 | 12 | 14) && is_apart)?;
    parse_period(&format!("{}-{}-{}", &day[..4], &day[4..6], &day[6..]))
}

/// Returns the first period in a name and its byte range.
pub fn find_period(name: &str) -> Option<(NamePeriod, Range<usize>)> {
    let bytes = name.as_bytes();
    let after_digit = |at: usize| at > 0 && bytes[at - 1].is_ascii_digit();
    let mut starts = (0..bytes.len()).filter(|at| !after_digit(*at));
    let (at, length) = starts.find_map(|at| length(&bytes[at..]).map(|length| (at, length)))?;
    let place = at..at + length;
    Some((parse_period(&name[place.clone()])?, place))
}

/// Returns the period that a complete text represents.
pub fn parse_period(text: &str) -> Option<NamePeriod> {
    if length(text.as_bytes()) != Some(text.len()) {
        return None;
    }
    let year: i16 = text[..4].parse().ok()?;
    if let Some(week) = text[5..].strip_prefix(['W', 'w']) {
        let monday = ISOWeekDate::new(year, week.parse().ok()?, Weekday::Monday).ok()?;
        let sunday = ISOWeekDate::new(year, monday.week(), Weekday::Sunday).ok()?;
        return Some(NamePeriod { first: monday.date(), last: sunday.date() });
    }
    let month: i8 = text[5..7].parse().ok()?;
    match text.get(8..10) {
        Some(day) => {
            Date::new(year, month, day.parse().ok()?).ok().map(|day| NamePeriod { first: day, last: day })
        }
        None => Date::new(year, month, 1).ok().map(|first| NamePeriod { first, last: first.last_of_month() }),
    }
}

/// Returns the number of leading bytes in the form of a period. A following digit rules it out.
fn length(text: &[u8]) -> Option<usize> {
    let fits = |shape: &[u8]| {
        let shaped = text.len() >= shape.len()
            && text.iter().zip(shape).all(|(byte, shape)| match shape {
                b'0' => byte.is_ascii_digit(),
                shape => byte.eq_ignore_ascii_case(shape),
            });
        let ends = text.get(shape.len()).is_none_or(|next| !next.is_ascii_digit());
        (shaped && ends).then_some(shape.len())
    };
    fits(b"0000-00-00").or_else(|| fits(b"0000-W00")).or_else(|| fits(b"0000-00"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, expected: &str) {
        let found = date_in_name(path).map(|period| format!("{}..{}", period.first, period.last));
        assert_eq!(found.as_deref().unwrap_or("nothing"), expected, "{path}");
    }

    #[test]
    fn period_is_read_from_the_file_name() {
        check("journal/daily/2026-05-18.md", "2026-05-18..2026-05-18");
        check("state/scratch/2026-05-18-call-notes.md", "2026-05-18..2026-05-18");
        check("state/scratch/inbox-2026-05-18-call.md", "2026-05-18..2026-05-18");
        check("call2026-05-18T1030.md", "2026-05-18..2026-05-18");
        check("journal/weekly/2026-W19.md", "2026-05-04..2026-05-10");
        check("journal/weekly/2026-w01.md", "2025-12-29..2026-01-04");
        check("journal/weekly/2026-W53.md", "2026-12-28..2027-01-03");
        check("journal/monthly/2026-05.md", "2026-05-01..2026-05-31");
        check("2024-02", "2024-02-01..2024-02-29");
        check("2026-05-100-things.md", "2026-05-01..2026-05-31");
    }

    #[test]
    fn file_is_named_after_a_stamp_or_by_its_folders() {
        let check = |path: &str, expected: Option<&str>| {
            let found = date_of_file(path).map(|period| period.first.to_string());
            assert_eq!(found.as_deref(), expected, "{path}");
        };
        check("keys 2024-02-03.md", Some("2024-02-03"));
        check("notes/20240203-keys.md", Some("2024-02-03"));
        check("20240203120000-keys.org", Some("2024-02-03"));
        check("202402031200 keys.md", Some("2024-02-03"));
        check("daily/2024/02/03.md", Some("2024-02-03"));
        check("2024/02.md", Some("2024-02-01"));
        check("2024-W05.md", Some("2024-01-29"));
        for path in
            ["20241303-keys.md", "123456789.md", "20240203x.md", "2024/plans/03.md", "2024.md", "v2/03.md"]
        {
            check(path, None);
        }
    }

    #[test]
    fn first_of_several_periods_is_used() {
        check("inbox-2026-05-18-review-of-2026-04.md", "2026-05-18..2026-05-18");
        check("2026-W19-until-2026-05-10.md", "2026-05-04..2026-05-10");
    }

    #[test]
    fn names_without_period_return_none() {
        for path in [
            "2026-02-30.md",
            "2026-13.md",
            "2026-00-10.md",
            "2026-W54.md",
            "2026-W00.md",
            "2025-W53.md",
            "12026-05-18.md",
            "2026-055.md",
            "2026-W191.md",
            "20260518.md",
            "2026.md",
            "2026-05-18/notes.md",
            "é2026-é05.md",
            "",
        ] {
            check(path, "nothing");
        }
    }

    #[test]
    fn period_ends_with_its_last_day() {
        for (name, zone, end) in [
            ("2026-05-18", "Europe/Berlin", "2026-05-18T22:00:00Z"),
            ("2026-W19", "UTC", "2026-05-11T00:00:00Z"),
            ("2026-05", "America/New_York", "2026-06-01T04:00:00Z"),
            // The next day starts at one o'clock there.
            ("2018-11-03", "America/Sao_Paulo", "2018-11-04T03:00:00Z"),
        ] {
            let zone = TimeZone::get(zone).expect("a zone of the database");
            assert_eq!(date_in_name(name).expect("a period").end(&zone).to_string(), end, "{name}");
        }
        let never = date_in_name("9999-12-31").expect("a period").end(&TimeZone::UTC);
        assert_eq!(never, Timestamp::MAX);
    }
}
