//! Relative dates in prose: the days that "yesterday" or "last week" mean on the day of writing.

use jiff::civil::Date;
use jiff::{Span, ToSpan as _};

use crate::search_terms::folded_words;
use crate::timeframe::WEEKDAYS;

/// Maximum number of relative dates returned for a text.
const MOST: usize = 3;

/// A relative date and what it means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelativeDate {
    /// The words, in lower case.
    pub words: String,
    /// `YYYY-MM-DD`, `YYYY-MM`, `YYYY`, or the first and the last day of a week: `YYYY-MM-DD..YYYY-MM-DD`.
    pub meaning: String,
}

/// Returns the relative dates in a text that was written on a day.
pub fn relative_dates(text: &str, written: Date) -> Vec<RelativeDate> {
    let mut words: Vec<String> = Vec::new();
    folded_words(text, &mut |word| words.push(word.to_owned()));
    let mut found: Vec<RelativeDate> = Vec::new();
    let mut at = 0;
    while at < words.len() && found.len() < MOST {
        let Some((count, meaning)) = relative_date_at(&words[at..], written) else {
            at += 1;
            continue;
        };
        let words = words[at..at + count].join(" ");
        if !found.iter().any(|known| known.words == words) {
            found.push(RelativeDate { words, meaning });
        }
        at += count;
    }
    found
}

/// Reads a relative date at the start of folded words; returns how many words it has, and its meaning as in
/// [`RelativeDate`].
pub fn relative_date_at<W: AsRef<str>>(words: &[W], day: Date) -> Option<(usize, String)> {
    let word = |at: usize| words.get(at).map(AsRef::as_ref).unwrap_or_default();
    let shifted = |span: Span| day.checked_add(span).ok();
    let (count, date) = match (word(0), word(1), word(2)) {
        ("day", "before", "yesterday") => (3, shifted(-2.days())),
        ("day", "after", "tomorrow") => (3, shifted(2.days())),
        ("yesterday", ..) => (1, shifted(-1.days())),
        ("tomorrow", ..) => (1, shifted(1.days())),
        ("today" | "tonight", ..) => (1, Some(day)),
        ("last", "night", _) => (2, shifted(-1.days())),
        (way @ ("last" | "next" | "this"), unit, _) => return period(way, unit, day).map(|text| (2, text)),
        (number, unit, "ago") => return ago(number, unit, day).map(|text| (3, text)),
        _ => return None,
    };
    Some((count, date?.to_string()))
}

fn period(way: &str, unit: &str, day: Date) -> Option<String> {
    let step: i64 = match way {
        "last" => -1,
        "next" => 1,
        _ => 0,
    };
    match unit {
        "week" => {
            let back = i64::from(day.weekday().to_monday_zero_offset());
            let monday = day.checked_add((step * 7 - back).days()).ok()?;
            Some(format!("{monday}..{}", monday.checked_add(6.days()).ok()?))
        }
        "weekend" => {
            let back = i64::from(day.weekday().to_monday_zero_offset());
            // On Saturday and Sunday, the last weekend is the one before.
            let saturday = day.checked_add((step * 7 - back + 5).days()).ok()?;
            Some(format!("{saturday}..{}", saturday.checked_add(1.days()).ok()?))
        }
        "month" => Some(day.first_of_month().checked_add(step.months()).ok()?.to_string()[..7].to_owned()),
        "year" => Some((i64::from(day.year()) + step).to_string()),
        // "This Friday" may be past or to come.
        _ if step != 0 => {
            let weekday = WEEKDAYS.iter().find(|(name, _)| *name == unit)?.1;
            let date = day.nth_weekday(if step < 0 { -1 } else { 1 }, weekday).ok()?;
            Some(date.to_string())
        }
        _ => None,
    }
}

fn ago(number: &str, unit: &str, day: Date) -> Option<String> {
    const NUMBERS: [&str; 11] =
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
    let count: i64 = match number {
        "a" | "an" => 1,
        _ => match NUMBERS.iter().position(|known| *known == number) {
            Some(at) => at as i64,
            None => number.parse().ok().filter(|count| (0..=2000).contains(count))?,
        },
    };
    match unit {
        "day" | "days" => Some(day.checked_add((-count).days()).ok()?.to_string()),
        "week" | "weeks" => Some(day.checked_add((-count * 7).days()).ok()?.to_string()),
        "month" | "months" => Some(day.checked_add((-count).months()).ok()?.to_string()[..7].to_owned()),
        "year" | "years" => Some((i64::from(day.year()) - count).to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[(&str, &str)]) {
        // A Monday.
        let found = relative_dates(text, jiff::civil::date(2023, 5, 8));
        let found: Vec<(&str, &str)> =
            found.iter().map(|date| (date.words.as_str(), date.meaning.as_str())).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn relative_dates_are_resolved() {
        check("I went there yesterday.", &[("yesterday", "2023-05-07")]);
        check(
            "Last week, and last Friday",
            &[("last week", "2023-05-01..2023-05-07"), ("last friday", "2023-05-05")],
        );
        check("two days ago; a year ago", &[("two days ago", "2023-05-06"), ("a year ago", "2022")]);
        check("next month or next Monday", &[("next month", "2023-06"), ("next monday", "2023-05-15")]);
        check("last weekend", &[("last weekend", "2023-05-06..2023-05-07")]);
        check("the day before yesterday", &[("day before yesterday", "2023-05-06")]);
    }

    #[test]
    fn other_words_are_not_dates() {
        check("the last straw, this Friday, 99999 years ago, lasting", &[]);
        check("", &[]);
    }
}
