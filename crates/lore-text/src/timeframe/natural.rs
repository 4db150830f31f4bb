//! Days in words: `yesterday`, `last monday`, `this month`, `in 3 weeks`, `March 5, 2024`.

use jiff::civil::{Date, DateTime, Weekday};
use jiff::{Timestamp, ToSpan as _, Unit};

use super::MONTHS;
use crate::span;

/// How much of a date its words state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Precision {
    Day,
    Month,
    Year,
}

/// Weekday names; the first three letters are unique.
pub const WEEKDAYS: [(&str, Weekday); 7] = [
    ("monday", Weekday::Monday),
    ("tuesday", Weekday::Tuesday),
    ("wednesday", Weekday::Wednesday),
    ("thursday", Weekday::Thursday),
    ("friday", Weekday::Friday),
    ("saturday", Weekday::Saturday),
    ("sunday", Weekday::Sunday),
];

/// Returns the weekday of a name, which may be cut to three letters.
pub(crate) fn weekday(name: &str) -> Option<Weekday> {
    let fits = |(full, _): &&(&str, Weekday)| name == *full || name.len() == 3 && full.starts_with(name);
    WEEKDAYS.iter().find(fits).map(|(_, day)| *day)
}

/// Returns the number of a month from its name in lower case, which may be cut to three letters or more: `mar`, `sept.`.
pub fn month_number(name: &str) -> Option<i8> {
    let name = name.trim_end_matches('.');
    let fits = |(_, full): &(i8, &str)| name.len() >= 3 && full.starts_with(name);
    (1..).zip(MONTHS).find(fits).map(|(number, _)| number)
}

/// Returns whether a text means a whole week: `this week`, `last week`, `next week`.
pub(super) fn is_week(text: &str) -> bool {
    let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
    matches!(words.iter().map(String::as_str).collect::<Vec<_>>()[..], ["this" | "last" | "next", "week"])
}

/// Parses a named day or the current period. `words` are in lower case.
pub(super) fn day(words: &str, today: Date) -> Option<(Date, Precision)> {
    let exactly = |day: Option<Date>| day.map(|day| (day, Precision::Day));
    match words {
        "now" | "today" => return exactly(Some(today)),
        "yesterday" => return exactly(today.yesterday().ok()),
        "tomorrow" => return exactly(today.tomorrow().ok()),
        "this week" => return exactly(monday(today)),
        "this month" => return Some((today.first_of_month(), Precision::Month)),
        "this year" => return Some((today.first_of_year(), Precision::Year)),
        _ => {}
    }
    let (which, name) = words.rsplit_once(' ').unwrap_or(("", words));
    let wanted = weekday(name)?;
    // How many days ago that day was; 0 if it is today.
    let ago = (i64::from(today.weekday().to_monday_zero_offset() - wanted.to_monday_zero_offset()) + 7) % 7;
    let back = match which {
        "" | "on" | "this" => ago,
        "last" | "past" => {
            if ago == 0 {
                7
            } else {
                ago
            }
        }
        "next" => ago - 7,
        _ => return None,
    };
    exactly(today.checked_sub(back.days()).ok())
}

/// Parses a distance from today in days or more: `2 weeks ago`, `two days`, `in 3 months`, `last year`, `next week`.
pub(super) fn distance(words: &str, today: Date) -> Option<(Date, Precision)> {
    let whole = |unit: &str, forward: bool| {
        let step = |span: jiff::Span| if forward { today.checked_add(span) } else { today.checked_sub(span) };
        match unit {
            "week" => step(1.week()).ok().and_then(monday).map(|day| (day, Precision::Day)),
            "month" => step(1.month()).ok().map(|day| (day.first_of_month(), Precision::Month)),
            "year" => step(1.year()).ok().map(|day| (day.first_of_year(), Precision::Year)),
            _ => None,
        }
    };
    let named = words.strip_prefix("last ").and_then(|unit| whole(unit, false));
    if let Some(found) = named.or_else(|| words.strip_prefix("next ").and_then(|unit| whole(unit, true))) {
        return Some(found);
    }
    let forward = words.strip_prefix("in ").or_else(|| words.strip_suffix(" from now"));
    let plain = forward.unwrap_or(words.strip_suffix(" ago").unwrap_or(words));
    let (count, unit) = span::in_words(plain.trim_start_matches("past ").trim())?;
    if matches!(unit, Unit::Minute | Unit::Hour) {
        return None;
    }
    let span = span::span(count, unit)?;
    let day = if forward.is_some() { today.checked_add(span) } else { today.checked_sub(span) };
    day.ok().map(|day| (day, Precision::Day))
}

/// Parses a written date with a year: `March 5, 2024`, `5th of March 2024`, `March 2024`, `2024/03/05`, `03/2024`, a
/// timestamp.
pub(super) fn written(words: &str) -> Option<(Date, Precision)> {
    let upper = words.to_uppercase();
    if let Ok(at) = upper.parse::<Timestamp>() {
        return Some((at.to_zoned(jiff::tz::TimeZone::UTC).date(), Precision::Day));
    }
    if upper.len() > 10
        && let Ok(at) = upper.parse::<DateTime>()
    {
        return Some((at.date(), Precision::Day));
    }
    if let Ok(day) = words.replace(['/', '.'], "-").parse::<Date>() {
        return Some((day, Precision::Day));
    }
    if let Some(month) = month_and_year(words) {
        return Some((month, Precision::Month));
    }
    let (mut year, mut named, mut day) = (None, None, None);
    for word in words.split([' ', ',']).filter(|word| !word.is_empty() && *word != "of") {
        let ordinal = ["st", "nd", "rd", "th"].iter().find_map(|end| word.strip_suffix(end)).unwrap_or(word);
        match ordinal.parse::<i16>() {
            Ok(number) if word.len() == 4 && year.is_none() => year = Some(number),
            Ok(number) if (1..=31).contains(&number) && day.is_none() => day = Some(number),
            Ok(_) => return None,
            Err(_) if weekday(word).is_some() => {}
            Err(_) if named.is_none() => named = Some(month_number(word)?),
            Err(_) => return None,
        }
    }
    let precision = if day.is_some() { Precision::Day } else { Precision::Month };
    let date = Date::new(year?, named?, i8::try_from(day.unwrap_or(1)).ok()?).ok()?;
    Some((date, precision))
}

/// Parses `03/2024` and `3.2024`.
fn month_and_year(words: &str) -> Option<Date> {
    let (month, year) = words.split_once(['/', '.'])?;
    let is_number = |text: &str, digits: std::ops::RangeInclusive<usize>| {
        digits.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    let fits = is_number(month, 1..=2) && is_number(year, 4..=4);
    fits.then(|| Date::new(year.parse().ok()?, month.parse().ok()?, 1).ok()).flatten()
}

fn monday(day: Date) -> Option<Date> {
    day.checked_sub(i64::from(day.weekday().to_monday_zero_offset()).days()).ok()
}
