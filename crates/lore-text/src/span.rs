//! Numbers of one unit of time: `7d`, `2 weeks`, `48 hours`.

use jiff::fmt::friendly::SpanParser;
use jiff::{Span, Unit};

/// The units that can be written.
const UNITS: [Unit; 6] = [Unit::Minute, Unit::Hour, Unit::Day, Unit::Week, Unit::Month, Unit::Year];

/// Parses a number and the name of its unit, in any case and with or without a space between them.
pub(crate) fn parse(text: &str) -> Option<(u32, Unit)> {
    let text = text.trim();
    let digits = text.len() - text.trim_start_matches(|letter: char| letter.is_ascii_digit()).len();
    let (count, name) = text.split_at(digits);
    Some((count.parse().ok()?, unit(name)?))
}

/// Numbers as words.
const NUMBERS: [&str; 12] =
    ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];

/// Parses a number and its unit, the number also as a word or left out: `2 weeks`, `two weeks`, `a week`, `week`.
pub(crate) fn in_words(text: &str) -> Option<(u32, Unit)> {
    let (first, rest) = text.split_once(' ').unwrap_or((text, ""));
    let count = match first {
        "a" | "an" => Some(1),
        word => (1..).zip(NUMBERS).find(|(_, name)| *name == word).map(|(count, _)| count),
    };
    match count {
        Some(count) => unit(rest).map(|unit| (count, unit)),
        None => parse(text).or_else(|| unit(text).map(|unit| (1, unit))),
    }
}

/// Parses the name of a unit.
pub(crate) fn unit(name: &str) -> Option<Unit> {
    let one = SpanParser::new().parse_span(format!("1 {}", name.trim().to_lowercase())).ok()?.fieldwise();
    UNITS.into_iter().find(|unit| span(1, *unit).is_some_and(|span| one == span.fieldwise()))
}

/// Returns the span of a number of units; none if it is longer than the calendar.
pub(crate) fn span(count: u32, unit: Unit) -> Option<Span> {
    let span = Span::new();
    match unit {
        Unit::Year => span.try_years(count),
        Unit::Month => span.try_months(count),
        Unit::Week => span.try_weeks(count),
        Unit::Day => span.try_days(count),
        Unit::Hour => span.try_hours(count),
        Unit::Minute => span.try_minutes(count),
        _ => return None,
    }
    .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_units_are_parsed() {
        for (text, expected) in [
            ("7d", (7, Unit::Day)),
            (" 2 Weeks ", (2, Unit::Week)),
            ("48hours", (48, Unit::Hour)),
            ("90 min", (90, Unit::Minute)),
            ("5m", (5, Unit::Minute)),
            ("3 mo", (3, Unit::Month)),
            ("1 yr", (1, Unit::Year)),
            ("0 days", (0, Unit::Day)),
        ] {
            assert_eq!(parse(text), Some(expected), "{text}");
        }
        for text in
            ["", "7", "d", "-7d", "+7d", "1.5h", "7 moons", "30s", "1d 2h", "1d, 2h", "7d ago", "1:00:00"]
        {
            assert_eq!(parse(text), None, "{text}");
        }
        assert!(span(99_999, Unit::Year).is_none());
    }
}
