//! Maximum ages: `48 hours`, `365d`, `12 weeks`.

use std::fmt;
use std::str::FromStr;

use jiff::{Span, Timestamp, Unit, Zoned};
use serde::{Deserialize, Deserializer, de};

use crate::span;

/// A duration after which something expires.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Age {
    count: u32,
    unit: Unit,
}

/// A text that is not a valid [`Age`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{text:?} is not an age; write a number of minutes, hours, days, weeks, months or years, such as 48 hours or 30d"
)]
pub struct NotAnAge {
    text: String,
}

impl Age {
    /// Returns whether something that starts at a timestamp has reached this age.
    ///
    /// Minutes and hours are exact. Days and longer units are calendar units in the time zone of `now`: a day that is
    /// an hour short is a day.
    pub fn is_over(&self, from: Timestamp, now: &Zoned) -> bool {
        let over = match self.unit {
            Unit::Minute | Unit::Hour => self.span().and_then(|span| from.checked_add(span).ok()),
            _ => self.span().and_then(|span| {
                from.to_zoned(now.time_zone().clone()).checked_add(span).ok().map(|at| at.timestamp())
            }),
        };
        // An age beyond the end of the calendar is never reached.
        over.is_some_and(|over| over <= now.timestamp())
    }

    /// Creates an age in days.
    pub const fn days(count: u32) -> Age {
        Age { count, unit: Unit::Day }
    }

    /// Creates an age in minutes.
    pub const fn minutes(count: u32) -> Age {
        Age { count, unit: Unit::Minute }
    }

    /// Returns the time this long before now, in milliseconds since 1970; anything earlier has expired.
    pub fn before(&self, now: &Zoned) -> i64 {
        let at = self.span().and_then(|span| now.checked_sub(span).ok());
        at.map_or(i64::MIN, |at| at.timestamp().as_millisecond())
    }

    fn span(&self) -> Option<Span> {
        span::span(self.count, self.unit)
    }
}

impl FromStr for Age {
    type Err = NotAnAge;

    fn from_str(text: &str) -> Result<Self, NotAnAge> {
        let refused = || NotAnAge { text: text.to_owned() };
        let (count, unit) = span::parse(text).ok_or_else(refused)?;
        let age = Age { count, unit };
        // `30m` could also mean months.
        let is_ambiguous = unit == Unit::Minute && !text.to_lowercase().contains("min");
        // A zero age would expire everything at once.
        if count > 0 && !is_ambiguous && age.span().is_some() { Ok(age) } else { Err(refused()) }
    }
}

impl fmt::Display for Age {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = match self.unit {
            Unit::Hour => "hour",
            Unit::Day => "day",
            Unit::Week => "week",
            Unit::Month => "month",
            Unit::Year => "year",
            _ => "minute",
        };
        let plural = if self.count == 1 { "" } else { "s" };
        write!(f, "{} {unit}{plural}", self.count)
    }
}

impl<'de> Deserialize<'de> for Age {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;

    use super::*;
    use crate::period::date_in_name;

    #[test]
    fn ages_are_normalized() {
        for (text, normal) in [
            ("48 hours", "48 hours"),
            ("48h", "48 hours"),
            ("1 hour", "1 hour"),
            ("365 days", "365 days"),
            ("365d", "365 days"),
            (" 30 D ", "30 days"),
            ("1 days", "1 day"),
            ("12 weeks", "12 weeks"),
            ("2w", "2 weeks"),
            ("2 months", "2 months"),
            ("2mo", "2 months"),
            ("100 years", "100 years"),
            ("1y", "1 year"),
        ] {
            let age: Age = text.parse().expect(text);
            assert_eq!(age.to_string(), normal, "{text:?}");
            assert_eq!(normal.parse(), Ok(age), "{text:?}");
        }
    }

    #[test]
    fn invalid_ages_are_rejected() {
        for text in ["", "48", "h", "hours", "0 days", "-1 days", "1.5 days", "3 moons", "30m", "99999 years"]
        {
            let error = text.parse::<Age>().expect_err(text).to_string();
            assert!(error.starts_with(&format!("{text:?} is not an age; write ")), "{error}");
        }
    }

    #[test]
    fn age_is_deserialized_from_text() {
        #[derive(Debug, Deserialize)]
        struct Rule {
            after: Age,
        }
        let rule: Rule = toml::from_str("after = \"48h\"").expect("an age");
        assert_eq!(rule.after.to_string(), "48 hours");
        let error = toml::from_str::<Rule>("after = \"soon\"").expect_err("no age");
        assert!(error.message().contains("\"soon\" is not an age"), "{error}");
    }

    #[track_caller]
    fn check(age: &str, from: &str, now: &str, expected: bool) {
        let now: Zoned = now.parse().expect("now");
        let age: Age = age.parse().expect("an age");
        assert_eq!(
            age.is_over(from.parse().expect("an instant"), &now),
            expected,
            "{age} from {from} at {now}"
        );
    }

    #[test]
    fn hours_are_exact_and_days_follow_the_calendar() {
        // The night between these days is an hour short.
        let from = "2026-03-28T12:00:00+01:00";
        check("24 hours", from, "2026-03-29T12:59:59+02:00[Europe/Berlin]", false);
        check("24 hours", from, "2026-03-29T13:00:00+02:00[Europe/Berlin]", true);
        check("1 day", from, "2026-03-29T11:59:59+02:00[Europe/Berlin]", false);
        check("1 day", from, "2026-03-29T12:00:00+02:00[Europe/Berlin]", true);
        check("1 month", "2026-01-31T00:00:00Z", "2026-02-27T23:59:59Z[UTC]", false);
        check("1 month", "2026-01-31T00:00:00Z", "2026-02-28T00:00:00Z[UTC]", true);
        check("1 year", "2024-02-29T00:00:00Z", "2025-02-28T00:00:00Z[UTC]", true);
        check("48 hours", "2026-05-20T00:00:00Z", "2026-05-18T00:00:00Z[UTC]", false);
        check("9000 years", "2026-05-20T00:00:00Z", "9999-01-01T00:00:00Z[UTC]", false);
        check("175000000 hours", "2026-05-20T00:00:00Z", "9999-01-01T00:00:00Z[UTC]", false);
    }

    #[test]
    fn dated_file_ages_from_the_end_of_its_last_day() {
        let over = |age: &str, path: &str, now: &str| {
            let now: Zoned = now.parse().expect("now");
            let end = date_in_name(path).expect("a period").end(now.time_zone());
            age.parse::<Age>().expect("an age").is_over(end, &now)
        };
        assert!(!over("48h", "2026-05-18-x.md", "2026-05-20T23:59:59+02:00[Europe/Berlin]"));
        assert!(over("48h", "2026-05-18-x.md", "2026-05-21T00:00:00+02:00[Europe/Berlin]"));
        assert!(!over("365 days", "2025-W20.md", "2026-05-18T23:59:59Z[UTC]"));
        assert!(over("365 days", "2025-W20.md", "2026-05-19T00:00:00Z[UTC]"));
        let last = Timestamp::MAX.to_zoned(TimeZone::UTC);
        assert!(!"1 hour".parse::<Age>().expect("an age").is_over(Timestamp::MAX, &last));
    }
}
