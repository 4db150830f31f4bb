//! Schedules in the five fields of cron: minute, hour, day of the month, month, day of the week.

use std::fmt;
use std::str::FromStr;

use jiff::civil::{Date, DateTime};
use jiff::{ToSpan, Zoned};
use serde::{Deserialize, Deserializer, de};

/// Days that a search for the last time goes back: a leap day is at most eight years away.
const MAX_DAYS: i32 = 366 * 8 + 1;

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

const WEEKDAYS: [&str; 7] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

/// Names for common schedules.
const NICKNAMES: [(&str, &str); 5] = [
    ("@hourly", "0 * * * *"),
    ("@daily", "0 0 * * *"),
    ("@weekly", "0 0 * * 0"),
    ("@monthly", "0 0 1 * *"),
    ("@yearly", "0 0 1 1 *"),
];

/// A schedule. `L` as the day of the month is its last day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cron {
    text: String,
    /// Bits of the minutes, hours, days, months and weekdays.
    minutes: u64,
    hours: u64,
    days: u64,
    months: u64,
    weekdays: u64,
    last_day: bool,
    /// Whether a day must match both fields: at least one of them is `*`.
    both_days: bool,
}

/// A text that is not a valid [`Cron`] schedule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not a cron schedule: {why}")]
pub struct NotACron {
    text: String,
    why: String,
}

/// A field of a schedule.
struct Field {
    name: &'static str,
    first: u32,
    last: u32,
    names: &'static [&'static str],
}

const FIELDS: [Field; 5] = [
    Field { name: "minute", first: 0, last: 59, names: &[] },
    Field { name: "hour", first: 0, last: 23, names: &[] },
    Field { name: "day of the month", first: 1, last: 31, names: &[] },
    Field { name: "month", first: 1, last: 12, names: &MONTHS },
    // Both 0 and 7 are Sunday.
    Field { name: "day of the week", first: 0, last: 7, names: &WEEKDAYS },
];

impl Cron {
    /// Returns the last time at or before an instant at which the schedule fires; `None` if it never does.
    pub fn last_before(&self, now: &Zoned) -> Option<Zoned> {
        for back in 0..MAX_DAYS {
            let day = now.date().checked_sub(back.days()).ok()?;
            if !self.matches_day(day) {
                continue;
            }
            let times = (0..24 * 60).rev().filter(|minute| self.matches_time(*minute));
            let at = |minute: i32| -> Option<Zoned> {
                let time = day.at((minute / 60) as i8, (minute % 60) as i8, 0, 0);
                local(time, now)
            };
            if let Some(found) = times.filter_map(at).find(|time| time <= now) {
                return Some(found);
            }
        }
        None
    }

    fn matches_time(&self, minute: i32) -> bool {
        has(self.hours, (minute / 60) as u32) && has(self.minutes, (minute % 60) as u32)
    }

    fn matches_day(&self, day: Date) -> bool {
        if !has(self.months, day.month().unsigned_abs().into()) {
            return false;
        }
        let in_month =
            has(self.days, day.day().unsigned_abs().into()) || self.last_day && day == day.last_of_month();
        let in_week = has(self.weekdays, day.weekday().to_sunday_zero_offset().unsigned_abs().into());
        if self.both_days { in_month && in_week } else { in_month || in_week }
    }
}

/// Returns a local time in the time zone of `now`. A time that the clock skips is the first one after it.
fn local(time: DateTime, now: &Zoned) -> Option<Zoned> {
    now.time_zone().to_ambiguous_zoned(time).compatible().ok()
}

fn has(bits: u64, number: u32) -> bool {
    bits & (1 << number) != 0
}

impl FromStr for Cron {
    type Err = NotACron;

    fn from_str(text: &str) -> Result<Cron, NotACron> {
        let refused = |why: String| NotACron { text: text.to_owned(), why };
        let name = text.trim();
        let plain = NICKNAMES.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        let plain = plain.map_or(name, |(_, plain)| plain);
        let words: Vec<&str> = plain.split_whitespace().collect();
        let [minute, hour, day, month, weekday] = words[..] else {
            let why = format!(
                "it has {} fields instead of five: minute, hour, day of the month, month, day of the week",
                words.len()
            );
            return Err(refused(why));
        };
        let last_day = day.eq_ignore_ascii_case("l");
        let read = |at: usize, word: &str| FIELDS[at].parse(word).map_err(&refused);
        let weekdays = read(4, weekday)?;
        let schedule = Cron {
            text: plain.to_owned(),
            minutes: read(0, minute)?,
            hours: read(1, hour)?,
            days: if last_day { 0 } else { read(2, day)? },
            months: read(3, month)?,
            weekdays: weekdays | u64::from(has(weekdays, 7)),
            last_day,
            both_days: day.starts_with('*') || weekday.starts_with('*'),
        };
        let leap_year = Date::constant(2024, 1, 1);
        let fires = (0..MAX_DAYS)
            .any(|offset| leap_year.checked_add(offset.days()).is_ok_and(|day| schedule.matches_day(day)));
        if fires { Ok(schedule) } else { Err(refused("no month has such a day".into())) }
    }
}

impl Field {
    /// Parses a field: a list of numbers, names, ranges and steps.
    fn parse(&self, word: &str) -> Result<u64, String> {
        word.split(',').try_fold(0, |bits, part| Ok(bits | self.part(part)?))
    }

    fn part(&self, part: &str) -> Result<u64, String> {
        let (range, step) = match part.split_once('/') {
            Some((range, step)) => (range, Some(step)),
            None => (part, None),
        };
        let step: u32 = match step.map(str::parse) {
            None => 1,
            Some(Ok(step)) if step > 0 => step,
            Some(_) => return Err(format!("{part:?} is not a step of the {}", self.name)),
        };
        let (from, to) = match range.split_once('-') {
            _ if range == "*" => (self.first, self.last),
            Some((from, to)) => (self.number(from)?, self.number(to)?),
            // `5/15` means from five on.
            None if part.contains('/') => (self.number(range)?, self.last),
            None => (self.number(range)?, self.number(range)?),
        };
        if from > to {
            return Err(format!("the {} range {range:?} is empty", self.name));
        }
        Ok((from..=to).step_by(step as usize).fold(0, |bits, number| bits | 1 << number))
    }

    fn number(&self, word: &str) -> Result<u32, String> {
        let named = self.names.iter().position(|name| name.eq_ignore_ascii_case(word));
        let number = match named {
            Some(at) => u32::try_from(at).ok().map(|at| at + self.first),
            None if word.bytes().all(|byte| byte.is_ascii_digit()) => word.parse().ok(),
            None => None,
        };
        let number = number.filter(|number| (self.first..=self.last).contains(number));
        number.ok_or_else(|| {
            format!("{word:?} is not a valid {}, which is from {} to {}", self.name, self.first, self.last)
        })
    }
}

impl fmt::Display for Cron {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl<'de> Deserialize<'de> for Cron {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(schedule: &str, now: &str, expected: &str) {
        let now: Zoned = format!("{now}[Europe/Berlin]").parse().expect("a time");
        let found = schedule.parse::<Cron>().expect(schedule).last_before(&now);
        let found = found.map(|time| time.strftime("%Y-%m-%dT%H:%M").to_string());
        assert_eq!(found.as_deref(), Some(expected), "{schedule}");
    }

    #[test]
    fn last_time_is_found() {
        check("0 4 * * *", "2026-05-18T04:00:00", "2026-05-18T04:00");
        check("0 4 * * *", "2026-05-18T03:59:59", "2026-05-17T04:00");
        check("0 8-22 * * *", "2026-05-18T23:30:00", "2026-05-18T22:00");
        check("*/15 * * * *", "2026-05-18T10:44:59", "2026-05-18T10:30");
        check("0 17 * * fri", "2026-05-18T10:00:00", "2026-05-15T17:00");
        check("0 17 * * 7", "2026-05-18T10:00:00", "2026-05-17T17:00");
        check("0 20 L * *", "2026-05-18T10:00:00", "2026-04-30T20:00");
        check("0 9 29 2 *", "2026-05-18T10:00:00", "2024-02-29T09:00");
        check("5/20 9 1,15 jan-jun *", "2026-05-18T10:00:00", "2026-05-15T09:45");
        // Either day counts if both are given.
        check("0 9 1 * mon", "2026-05-18T10:00:00", "2026-05-18T09:00");
        check("@daily", "2026-05-18T10:00:00", "2026-05-18T00:00");
        // The clock skips 02:30 on this day.
        check("30 2 * * *", "2026-03-29T12:00:00", "2026-03-29T03:30");
    }

    #[test]
    fn invalid_schedules_are_refused() {
        for (schedule, why) in [
            ("", "it has 0 fields instead of five"),
            ("0 4 * *", "it has 4 fields"),
            ("0 4 * * * *", "it has 6 fields"),
            ("60 4 * * *", "\"60\" is not a valid minute, which is from 0 to 59"),
            ("0 24 * * *", "\"24\" is not a valid hour"),
            ("0 4 0 * *", "\"0\" is not a valid day of the month"),
            ("0 4 * 13 *", "is not a valid month"),
            ("0 4 * * 8", "is not a valid day of the week"),
            ("0 4 * * someday", "is not a valid day of the week"),
            ("0 5-4 * * *", "range \"5-4\" is empty"),
            ("*/0 * * * *", "is not a step"),
            ("*/x * * * *", "is not a step"),
            ("0 4 31 2 *", "no month has such a day"),
            ("+1 4 * * *", "is not a valid minute"),
            ("-1 4 * * *", "is not a valid minute"),
            ("99999999999999999999 4 * * *", "is not a valid minute"),
        ] {
            let error = schedule.parse::<Cron>().expect_err(schedule).to_string();
            assert!(error.contains(why), "{schedule}: {error}");
        }
    }
}
