//! Finds the periods that a question names: `in 2013`, `between 1990 and 1995`, `the 1990s`, `last year`.

use std::ops::Range;

use jiff::civil::Date;
use lore_text::{PartialDate, relative_date_at};

use super::dates::date_at;

/// The time from one date to another, which may be the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::search) struct Period {
    pub from: PartialDate,
    pub until: PartialDate,
}

/// A period and the words that name it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::search) struct NamedPeriod {
    pub period: Period,
    pub words: Range<usize>,
    /// Whether it is named by its distance from today: `last year`.
    pub is_relative: bool,
}

/// Decades in words. The twenties and thirties may be those of two centuries.
const DECADES: [(&str, &str); 6] = [
    ("forties", "1940"),
    ("fifties", "1950"),
    ("sixties", "1960"),
    ("seventies", "1970"),
    ("eighties", "1980"),
    ("nineties", "1990"),
];

/// The first months of the quarters.
const QUARTERS: [(&str, u8); 4] = [("q1", 1), ("q2", 4), ("q3", 7), ("q4", 10)];

impl Period {
    /// Returns the period of one date.
    pub(in crate::search) fn of(date: PartialDate) -> Period {
        Period { from: date, until: date }
    }

    /// Whether it is given by years only.
    pub(in crate::search) fn is_years(self) -> bool {
        self.from.to_string().len() == 4
    }
}

/// Returns the period that a question asks about: the most precise one of those that it names.
pub(in crate::search) fn asked_period<W: AsRef<str>>(words: &[W], today: Date) -> Option<NamedPeriod> {
    let mut found = periods_in(words, today);
    // The sort is stable: of several, the first one counts.
    found.sort_by_key(|named| named.period.is_years());
    found.into_iter().next()
}

/// Returns the periods that folded words without punctuation name, as seen on a day.
pub(in crate::search) fn periods_in<W: AsRef<str>>(words: &[W], today: Date) -> Vec<NamedPeriod> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let Some((count, period, is_relative)) = period_at(&words[at..], today) else {
            at += 1;
            continue;
        };
        found.push(NamedPeriod { period, words: at..at + count, is_relative });
        at += count;
    }
    found
}

fn period_at<W: AsRef<str>>(words: &[W], today: Date) -> Option<(usize, Period, bool)> {
    let word = |at: usize| words.get(at).map(AsRef::as_ref).unwrap_or_default();
    match word(0) {
        first @ ("between" | "from") => {
            let (count, from) = one_at(words.get(1..)?)?;
            let fits = match first {
                "between" => word(count + 1) == "and",
                _ => matches!(word(count + 1), "to" | "until" | "till"),
            };
            let (more, until) = one_at(words.get(count + 2..).filter(|_| fits)?)?;
            Some((count + more + 2, Period { from: from.from, until: until.until }, false))
        }
        "around" | "about" | "circa" => {
            let (count, period) = one_at(words.get(1..)?)?;
            let period = if period.is_years() { wider(period)? } else { period };
            Some((count + 1, period, false))
        }
        "early" | "mid" | "late" => {
            let (count, period) = one_at(words.get(1..)?)?;
            Some((count + 1, period, false))
        }
        // They need no period: they are the present.
        "today" | "tonight" => None,
        _ => {
            let found = one_at(words).map(|(count, period)| (count, period, false));
            found.or_else(|| relative_at(words, today).map(|(count, period)| (count, period, true)))
        }
    }
}

/// Reads `in 2013`, `March 2013`, `2002-2004`, `the 1990s`, `Q3 2019` at the start of words.
fn one_at<W: AsRef<str>>(words: &[W]) -> Option<(usize, Period)> {
    let word = |at: usize| words.get(at).map(AsRef::as_ref).unwrap_or_default();
    if word(0) == "the" {
        return one_at(words.get(1..)?).map(|(count, period)| (count + 1, period));
    }
    if let Some(first) = decade(word(0)) {
        let from: PartialDate = first.parse().ok()?;
        return Some((1, Period { from, until: format!("{}9", &first[..3]).parse().ok()? }));
    }
    if let Some((_, month)) = QUARTERS.iter().find(|(name, _)| *name == word(0)) {
        let year = word(1);
        let date = |month: u8| format!("{year}-{month:02}").parse().ok();
        return Some((2, Period { from: date(*month)?, until: date(month + 2)? }));
    }
    if let Some((from, until)) = word(0).split_once(['-', '–']).filter(|(_, until)| until.len() == 4) {
        let (from, until) = (from.parse().ok(), until.parse().ok());
        if let Some((from, until)) = from.zip(until) {
            return Some((1, Period { from, until }));
        }
    }
    date_at(words).map(|(count, date)| (count, Period::of(date)))
}

/// Returns the first year of `1990s`, `90s` and `nineties`.
fn decade(word: &str) -> Option<String> {
    if let Some((_, year)) = DECADES.iter().find(|(name, _)| *name == word) {
        return Some((*year).to_owned());
    }
    let year = word.strip_suffix("'s").or(word.strip_suffix('s'))?;
    let is_decade = year.ends_with('0') && year.bytes().all(|byte| byte.is_ascii_digit());
    match year.len() {
        4 if is_decade && year.starts_with(['1', '2']) => Some(year.to_owned()),
        2 if is_decade && year.as_bytes()[0] >= b'4' => Some(format!("19{year}")),
        _ => None,
    }
}

/// Returns a period of years with the year before and the year after.
fn wider(period: Period) -> Option<Period> {
    let year = |date: PartialDate, step: i16| {
        let year = date.to_string().parse::<i16>().ok()? + step;
        format!("{year:04}").parse().ok()
    };
    Some(Period { from: year(period.from, -1)?, until: year(period.until, 1)? })
}

/// Reads `last year`, `two years ago`, `yesterday` at the start of words.
fn relative_at<W: AsRef<str>>(words: &[W], today: Date) -> Option<(usize, Period)> {
    let (count, meaning) = relative_date_at(words, today)?;
    let (from, until) = meaning.split_once("..").unwrap_or((&meaning, &meaning));
    Some((count, Period { from: from.parse().ok()?, until: until.parse().ok()? }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let words: Vec<&str> = text.split(' ').collect();
        let found: Vec<String> = periods_in(&words, jiff::civil::date(2026, 6, 15))
            .into_iter()
            .map(|named| {
                let Period { from, until } = named.period;
                format!("{from}..{until} {}", words[named.words].join(" "))
            })
            .collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn dates_are_periods() {
        check("who led it in 2013", &["2013..2013 2013"]);
        check("who led it in march 2013", &["2013-03..2013-03 march 2013"]);
        check("rent in 05/2019", &["2019-05..2019-05 05/2019"]);
        check("on the 5th of march 2013 there", &["2013-03-05..2013-03-05 the 5th of march 2013"]);
        check("in q3 2019", &["2019-07..2019-09 q3 2019"]);
    }

    #[test]
    fn periods_have_two_ends() {
        check("between 1990 and may 1995", &["1990..1995-05 between 1990 and may 1995"]);
        check("from 2002 to 2004", &["2002..2004 from 2002 to 2004"]);
        check("in 2002-2004", &["2002..2004 2002-2004"]);
        check("in the early 1990s", &["1990..1999 early 1990s"]);
        check("during the nineties", &["1990..1999 the nineties"]);
        check("in the 80s", &["1980..1989 the 80s"]);
        check("around 1990", &["1989..1991 around 1990"]);
        check("between 1990 or 1995", &["1990..1990 1990", "1995..1995 1995"]);
    }

    #[test]
    fn times_relative_to_today_are_periods() {
        check("who led it last year", &["2025..2025 last year"]);
        check("who led it two years ago", &["2024..2024 two years ago"]);
        check("what did we do last week", &["2026-06-08..2026-06-14 last week"]);
        check("who leads it today", &[]);
    }

    #[test]
    fn other_words_are_not_periods() {
        for text in ["room 4711", "who is between jobs", "from here to there", "the 20s", "last of all", ""] {
            check(text, &[]);
        }
    }

    #[test]
    fn most_precise_period_is_asked_for() {
        let words = ["the", "2019", "plan", "of", "may", "2018"];
        let asked = asked_period(&words, jiff::civil::date(2026, 6, 15)).expect("a period");
        assert_eq!(asked.period.from.to_string(), "2018-05");
    }
}
