//! Finds the days in a question or a line, with or without a year.

use jiff::civil::Date;

use super::dates::{date_at, day, month, year};

/// A day or month that a text names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::search) struct NamedDay {
    year: Option<i16>,
    month: i8,
    day: Option<i8>,
}

impl NamedDay {
    /// Returns the distance to a date in days; within the month, 0 if no day is named. Without a year, the nearest year
    /// counts.
    pub(in crate::search) fn distance(&self, date: Date) -> Option<i32> {
        let years = match self.year {
            Some(year) => vec![year],
            None => vec![date.year() - 1, date.year(), date.year() + 1],
        };
        let days = |from: Date| from.until(date).ok().map(|span| span.get_days().abs());
        let distance = |year: i16| match self.day {
            Some(day) => days(Date::new(year, self.month, day).ok()?),
            None if date.year() == year && date.month() == self.month => Some(0),
            None => days(Date::new(year, self.month, 15).ok()?),
        };
        years.into_iter().filter_map(distance).min()
    }

    /// Returns whether another text names the same day.
    pub(in crate::search) fn is(&self, other: &NamedDay) -> bool {
        let same_year = self.year.is_none() || other.year.is_none() || self.year == other.year;
        same_year && self.month == other.month && (self.day.is_none() || self.day == other.day)
    }
}

/// Returns the days that a text names: `10 April`, `April 10th`, `31 October 2022`, `2022-10-31`, `May 2023`. Also returns
/// the words that are the numbers of days, which mean nothing by themselves.
pub(in crate::search) fn days_in(text: &str) -> (Vec<NamedDay>, Vec<String>) {
    let words: Vec<&str> = text
        .split_whitespace()
        .take(200)
        .map(|word| word.trim_matches(|letter: char| !letter.is_alphanumeric()))
        .filter(|word| !matches!(*word, "of" | "the" | ""))
        .collect();
    let (mut found, mut numbers) = (Vec::new(), Vec::new());
    let number = |at: Option<usize>| Some(*words.get(at?)?);
    for (at, word) in words.iter().enumerate() {
        if let Some(date) = written(word) {
            found.push(date);
            continue;
        }
        let Some(month) = month(word) else { continue };
        let (before, after) = (number(at.checked_sub(1)), number(Some(at + 1)));
        let named = [(before, at + 1), (after, at + 2)].into_iter().find_map(|(word, next)| {
            let word = word?;
            Some((word, day(word)?, next))
        });
        let year_at =
            |at: usize| words.get(at).and_then(|word| year(word)).and_then(|year| year.parse().ok());
        match named {
            Some((word, day, next)) => {
                found.push(NamedDay { year: year_at(next), month, day: Some(day as i8) });
                numbers.push(word.to_lowercase());
            }
            None if year_at(at + 1).is_some() => {
                found.push(NamedDay { year: year_at(at + 1), month, day: None });
            }
            None => {}
        }
    }
    (found, numbers)
}

/// `YYYY-MM-DD`, `YYYY-MM` or `MM/YYYY`.
fn written(word: &str) -> Option<NamedDay> {
    let date = date_at(&[word])?.1.to_string();
    let mut parts = date.split('-');
    let year = year(parts.next()?)?.parse().ok()?;
    let month = parts.next()?.parse().ok()?;
    Some(NamedDay { year: Some(year), month, day: parts.next().and_then(|day| day.parse().ok()) })
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[(Option<i16>, i8, Option<i8>)]) {
        let found: Vec<_> = days_in(text).0.iter().map(|day| (day.year, day.month, day.day)).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn days_are_found_with_and_without_a_year() {
        check("What did Ada do on 10 April?", &[(None, 4, Some(10))]);
        check("the 10th of April", &[(None, 4, Some(10))]);
        check("on October 31, 2022", &[(Some(2022), 10, Some(31))]);
        check("31 October 2022", &[(Some(2022), 10, Some(31))]);
        check("2022-10-31 and May 2023", &[(Some(2022), 10, Some(31)), (Some(2023), 5, None)]);
        check("may we march at age 10", &[]);
        assert_eq!(days_in("on 10 April at 9").1, ["10"]);
    }

    #[test]
    fn distances_are_in_days() {
        let asked = days_in("10 April").0[0];
        assert_eq!(asked.distance(date(2023, 4, 12)), Some(2));
        assert_eq!(days_in("31 December").0[0].distance(date(2023, 1, 2)), Some(2));
        assert_eq!(days_in("May 2023").0[0].distance(date(2023, 5, 30)), Some(0));
        assert_eq!(days_in("10 April 2021").0[0].distance(date(2023, 4, 10)), Some(730));
    }
}
