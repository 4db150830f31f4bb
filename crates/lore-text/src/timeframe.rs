//! Parses dates, timestamps and relative times.
//!
//! Written here because the crates for natural-language dates read "last month" as last Monday.

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan, Zoned};

use crate::span;

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

/// Returns the start of a timeframe in milliseconds since 1970: `7d`, `2 weeks`, `last month`, `yesterday`, `today`, `1
/// hour`, a date or a timestamp.
pub fn since(text: &str, now: &Zoned) -> Result<i64, NotATimeframe> {
    let words = text.trim().to_lowercase();
    let start = named_day(&words, now).or_else(|| back(&words, now));
    match start {
        Some(start) => Ok(start.timestamp().as_millisecond()),
        None => moment(&words, now.time_zone()).ok_or_else(|| NotATimeframe { text: text.to_owned() }),
    }
}

/// Returns the end of a timeframe or date in milliseconds since 1970: a date ends with its day.
pub fn until(text: &str, now: &Zoned) -> Result<i64, NotATimeframe> {
    let start = since(text, now)?;
    let whole_day = text.trim().parse::<Date>().is_ok() && text.trim().len() <= 10;
    Ok(if whole_day { start + 24 * 60 * 60 * 1000 } else { start })
}

/// Parses a date or timestamp in frontmatter to milliseconds since 1970; UTC without a time zone.
pub fn date_millis(text: &str) -> Option<i64> {
    moment(text.trim(), &TimeZone::UTC)
}

fn moment(text: &str, zone: &TimeZone) -> Option<i64> {
    let text = text.to_uppercase();
    if let Ok(at) = text.parse::<Timestamp>() {
        return Some(at.as_millisecond());
    }
    let local = if text.len() > 10 { text.parse::<DateTime>() } else { text.parse::<Date>().map(Into::into) };
    let full = local.or_else(|_| format!("{text}-01").parse::<Date>().map(Into::into)).ok()?;
    full.to_zoned(zone.clone()).ok().map(|at| at.timestamp().as_millisecond())
}

fn named_day(words: &str, now: &Zoned) -> Option<Zoned> {
    let days_back = match words {
        "today" => 0,
        "yesterday" => 1,
        _ => return None,
    };
    now.checked_sub(days_back.days()).ok()?.start_of_day().ok()
}

/// Parses `7d`, `7 days`, `last week`, `past 2 weeks`, `2 weeks ago`, `a month`, `week`.
fn back(words: &str, now: &Zoned) -> Option<Zoned> {
    let words = words.trim_start_matches("the ").trim_start_matches("last ").trim_start_matches("past ");
    let words = words.trim_end_matches(" ago").trim();
    let one = || span::unit(words.trim_start_matches("an ").trim_start_matches("a ")).map(|unit| (1, unit));
    let (count, unit) = span::parse(words).or_else(one)?;
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
    }

    #[test]
    fn invalid_timeframes_are_rejected() {
        for text in ["", "soon", "7 moons", "-3d", "99999999999d", "2023-13-01"] {
            check(text, &format!("{text:?} is not a timeframe"));
        }
    }
}
