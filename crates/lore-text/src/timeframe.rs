//! Parses dates, timestamps and relative times.
//!
//! Written here because the crates for natural-language dates read "last month" as last Monday.

pub(crate) mod natural;

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _, Zoned};

use crate::partial_date::PartialDate;
use crate::span;
use natural::Precision;

pub use natural::{WEEKDAYS, month_number};

/// Month names; the first three letters are unique.
pub const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// The error for a text that is not a timeframe.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not a timeframe")]
pub struct NotATimeframe {
    text: String,
}

/// Returns the start of a timeframe in milliseconds since 1970: `7d`, `2 weeks`, `last month`, `this week`, `last monday`,
/// `yesterday`, `today`, `1 hour`, a date or a timestamp.
pub fn since(text: &str, now: &Zoned) -> Result<i64, NotATimeframe> {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    let day = natural::day(&words, now.date()).map(|(day, _)| day);
    let start = day.and_then(|day| day.to_zoned(now.time_zone().clone()).ok());
    let start = start.or_else(|| back(&words, now));
    if let Some(start) = start {
        return Ok(start.timestamp().as_millisecond());
    }
    // A month, a year or a day as people write them: `March 2025`, `5 March 2025`, `in 3 days`.
    let written = || {
        let first: Date = date_on(&words, now.date())?.first_day().parse().ok()?;
        Some(first.to_zoned(now.time_zone().clone()).ok()?.timestamp().as_millisecond())
    };
    let start = moment(&words, now.time_zone()).or_else(written);
    start.ok_or_else(|| NotATimeframe { text: text.to_owned() })
}

/// Returns the end of a timeframe or date in milliseconds since 1970: a date ends with its day, `last month` with its month,
/// `last week` with its Sunday. A time of day is itself.
pub fn until(text: &str, now: &Zoned) -> Result<i64, NotATimeframe> {
    let is_moment = text.trim().len() > 10 && moment(text.trim(), now.time_zone()).is_some();
    let end = date_on(text, now.date()).filter(|_| !is_moment).and_then(|date| {
        let last: Date = date.last_day().parse().ok()?;
        let last = if natural::is_week(text) { last.checked_add(6.days()).ok()? } else { last };
        last.tomorrow().ok()?.to_zoned(now.time_zone().clone()).ok()
    });
    match end {
        Some(end) => Ok(end.timestamp().as_millisecond()),
        None => since(text, now),
    }
}

/// Returns the date that a text means on a day: `2024`, `2024-03`, `2024-03-01`, `yesterday`, `last monday`, `two days ago`,
/// `this month`, `in 3 weeks`, `March 5, 2024`; or the day of a timestamp.
pub fn date_on(text: &str, today: Date) -> Option<PartialDate> {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    if let Ok(date) = words.parse() {
        return Some(date);
    }
    let found = natural::day(&words, today).or_else(|| natural::distance(&words, today));
    found.or_else(|| natural::written(&words)).and_then(partial)
}

/// Returns the date that a text states with its year: `2024`, `2024-03-01`, `05/2019`, `March 2024`, `5th of March 2024`.
pub fn written_date(text: &str) -> Option<PartialDate> {
    let words = text.to_lowercase();
    words.parse().ok().or_else(|| natural::written(&words).and_then(partial))
}

fn partial((day, precision): (Date, Precision)) -> Option<PartialDate> {
    let full = day.to_string();
    match precision {
        Precision::Day => full.parse(),
        Precision::Month => full[..7].parse(),
        Precision::Year => full[..4].parse(),
    }
    .ok()
}

/// Returns the day of a timestamp in milliseconds or seconds since 1970, as some tools write dates, as `YYYY-MM-DD` in UTC.
/// `None` for any other text.
pub fn epoch_day(text: &str) -> Option<String> {
    let at = Timestamp::from_millisecond(epoch_millis(text.trim())?).ok()?;
    Some(at.to_zoned(TimeZone::UTC).date().to_string())
}

/// Returns the milliseconds of a number of at least 12 digits (milliseconds) or of 9 or 10 digits (seconds).
fn epoch_millis(text: &str) -> Option<i64> {
    let number: i64 = text.parse().ok().filter(|_| text.bytes().all(|byte| byte.is_ascii_digit()))?;
    match text.len() {
        12..=14 => Some(number),
        9 | 10 => Some(number * 1000),
        _ => None,
    }
}

/// Parses a date or timestamp in frontmatter to milliseconds since 1970; UTC without a time zone.
pub fn date_millis(text: &str) -> Option<i64> {
    moment(text.trim(), &TimeZone::UTC)
}

fn moment(text: &str, zone: &TimeZone) -> Option<i64> {
    let text = text.to_uppercase();
    if let Some(at) =
        text.parse::<Timestamp>().ok().map(|at| at.as_millisecond()).or_else(|| epoch_millis(&text))
    {
        return Some(at);
    }
    let local = if text.len() > 10 { text.parse::<DateTime>() } else { text.parse::<Date>().map(Into::into) };
    let full = local.or_else(|_| format!("{text}-01").parse::<Date>().map(Into::into)).ok()?;
    full.to_zoned(zone.clone()).ok().map(|at| at.timestamp().as_millisecond())
}

/// Parses `7d`, `7 days`, `last week`, `past two weeks`, `2 weeks ago`, `a month`, `week`.
fn back(words: &str, now: &Zoned) -> Option<Zoned> {
    let words = words.trim_start_matches("the ").trim_start_matches("last ").trim_start_matches("past ");
    let (count, unit) = span::in_words(words.trim_end_matches(" ago").trim())?;
    now.checked_sub(span::span(count, unit)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let now: Timestamp = "2024-03-31T15:30:00Z".parse().expect("now");
        let now = now.to_zoned(TimeZone::UTC);
        let found =
            since(text, &now).map(|at| Timestamp::from_millisecond(at).expect("in range").to_string());
        assert_eq!(found.unwrap_or_else(|error| error.to_string()), expected, "{text}");
    }

    #[test]
    fn timeframes_are_parsed() {
        check("7d", "2024-03-24T15:30:00Z");
        check("2 weeks", "2024-03-17T15:30:00Z");
        check("1 hour", "2024-03-31T14:30:00Z");
        check("last month", "2024-02-29T15:30:00Z");
        check("3 months ago", "2023-12-31T15:30:00Z");
        check("a year", "2023-03-31T15:30:00Z");
        check("past week", "2024-03-24T15:30:00Z");
        check("yesterday", "2024-03-30T00:00:00Z");
        check("today", "2024-03-31T00:00:00Z");
        check("2023-11-05", "2023-11-05T00:00:00Z");
        check("2023-11", "2023-11-01T00:00:00Z");
        check("2023-11-05T10:00:00Z", "2023-11-05T10:00:00Z");
        check("2023-11-05 10:00", "2023-11-05T10:00:00Z");
        // The 31st is a Sunday.
        check("last monday", "2024-03-25T00:00:00Z");
        check("Sunday", "2024-03-31T00:00:00Z");
        check("last sunday", "2024-03-24T00:00:00Z");
        check("this  week", "2024-03-25T00:00:00Z");
        check("this month", "2024-03-01T00:00:00Z");
        check("this year", "2024-01-01T00:00:00Z");
        check("two days", "2024-03-29T15:30:00Z");
        check("past two weeks", "2024-03-17T15:30:00Z");
        check("1711900800000", "2024-03-31T16:00:00Z");
        check("1711900800", "2024-03-31T16:00:00Z");
        check("March 2025", "2025-03-01T00:00:00Z");
        check("5 March 2023", "2023-03-05T00:00:00Z");
        check("2022-03", "2022-03-01T00:00:00Z");
        check("2022", "2022-01-01T00:00:00Z");
        check("2022/03/05", "2022-03-05T00:00:00Z");
        check("next monday", "2024-04-01T00:00:00Z");
    }

    #[test]
    fn dates_in_words_are_parsed() {
        let today = "2024-03-31".parse().expect("a day");
        for (text, expected) in [
            ("2024-02", Some("2024-02")),
            ("yesterday", Some("2024-03-30")),
            ("Tomorrow", Some("2024-04-01")),
            ("monday", Some("2024-03-25")),
            ("next monday", Some("2024-04-01")),
            ("last friday", Some("2024-03-29")),
            ("two days ago", Some("2024-03-29")),
            ("2 weeks", Some("2024-03-17")),
            ("in 3 days", Some("2024-04-03")),
            ("this month", Some("2024-03")),
            ("last month", Some("2024-02")),
            ("next year", Some("2025")),
            ("last week", Some("2024-03-18")),
            ("March 5, 2023", Some("2023-03-05")),
            ("5th of March 2023", Some("2023-03-05")),
            ("march 2023", Some("2023-03")),
            ("2023/03/05", Some("2023-03-05")),
            ("03/2023", Some("2023-03")),
            ("3.2023", Some("2023-03")),
            ("13/2023", None),
            ("2023-03-05T10:00:00Z", Some("2023-03-05")),
            ("february 30, 2023", None),
            ("soon", None),
            ("", None),
            ("5 march", None),
            ("2 hours ago", None),
        ] {
            let found = date_on(text, today).map(|date| date.to_string());
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn until_includes_the_whole_period() {
        let now: Timestamp = "2024-03-31T15:30:00Z".parse().expect("now");
        let now = now.to_zoned(TimeZone::UTC);
        for (text, expected) in [
            ("2024-03-01", "2024-03-02T00:00:00Z"),
            ("2024-02", "2024-03-01T00:00:00Z"),
            ("yesterday", "2024-03-31T00:00:00Z"),
            ("last month", "2024-03-01T00:00:00Z"),
            ("March 2023", "2023-04-01T00:00:00Z"),
            ("2022", "2023-01-01T00:00:00Z"),
            ("last week", "2024-03-25T00:00:00Z"),
            ("this week", "2024-04-01T00:00:00Z"),
            ("2024-03-01T10:00:00Z", "2024-03-01T10:00:00Z"),
            ("1 hour", "2024-03-31T14:30:00Z"),
        ] {
            let found = Timestamp::from_millisecond(until(text, &now).expect(text)).expect("in range");
            assert_eq!(found.to_string(), expected, "{text}");
        }
    }

    #[test]
    fn epoch_dates_are_recognized() {
        assert_eq!(epoch_day("1598641352431").as_deref(), Some("2020-08-28"));
        assert_eq!(epoch_day(" 1598641352 ").as_deref(), Some("2020-08-28"));
        for text in ["2024", "20240301", "2024-03-01", "", "-1598641352"] {
            assert_eq!(epoch_day(text), None, "{text}");
        }
    }

    #[test]
    fn invalid_timeframes_are_rejected() {
        for text in ["", "soon", "7 moons", "-3d", "99999999999d", "2023-13-01"] {
            check(text, &format!("{text:?} is not a timeframe"));
        }
    }
}
