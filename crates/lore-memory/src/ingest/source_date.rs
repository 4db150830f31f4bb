//! The date of a source, and where it comes from. A date in the text itself may be any date, so only places that state the
//! date of the document count.

use lore_page::parse;
use lore_text::{date_in_name, fold, month_number};

use crate::check::as_of::stated_dates;

/// Number of lines in which header fields are looked for.
const HEADER_LINES: usize = 12;

/// Header fields with the date of a document.
const FIELDS: [&str; 12] = [
    "date",
    "sent",
    "sent on",
    "created",
    "published",
    "recorded",
    "held on",
    "meeting date",
    "date of meeting",
    "date and time",
    "date sent",
    "datum",
];

/// Where the date of a source comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DateOrigin {
    /// The caller gave it.
    Given,
    /// A property of the text: `date` or `created`.
    Property,
    /// The name of the file.
    FileName,
    /// A header field such as `Date: 2024-03-01`.
    HeaderField,
    /// The heading at the top of the text.
    Heading,
    /// The day of the import.
    Today,
}

impl DateOrigin {
    /// Returns the name.
    pub fn name(self) -> &'static str {
        match self {
            DateOrigin::Given => "parameter",
            DateOrigin::Property => "property",
            DateOrigin::FileName => "file name",
            DateOrigin::HeaderField => "header field",
            DateOrigin::Heading => "heading",
            DateOrigin::Today => "today",
        }
    }
}

/// Returns the date that a source states for itself.
pub(super) fn stated_date(text: &str, file: &str) -> Option<(String, DateOrigin)> {
    let page = parse("", text).page;
    let declared = ["date", "created"].iter().find_map(|key| page.properties.text(key));
    let property = declared.and_then(date_in).map(|day| (day, DateOrigin::Property));
    let body = page.truth.of(text);
    property
        .or_else(|| first_day(file).map(|day| (day, DateOrigin::FileName)))
        .or_else(|| header_date(body).map(|day| (day, DateOrigin::HeaderField)))
        .or_else(|| heading_date(body).map(|day| (day, DateOrigin::Heading)))
}

fn header_date(text: &str) -> Option<String> {
    let field = |line: &str| {
        let line: String = line.chars().filter(|letter| !"*_`#>".contains(*letter)).collect();
        let (name, value) = line.trim().trim_start_matches(['-', '+', ' ']).split_once(':')?;
        let is_known = FIELDS.contains(&fold(name.trim()).as_str());
        is_known.then(|| date_in(value)).flatten()
    };
    text.lines().filter(|line| !line.trim().is_empty()).take(HEADER_LINES).find_map(field)
}

/// Returns the day at the start or the end of the heading at the top.
fn heading_date(text: &str) -> Option<String> {
    let heading = text.lines().find(|line| !line.trim().is_empty())?.strip_prefix("# ")?.trim();
    let is_edge = |word: &str| heading.starts_with(word) || heading.ends_with(word);
    // `Next meeting: 2027-02-01` is about another day.
    first_day(heading).filter(|day| is_edge(day) && !heading.contains(':'))
}

/// Returns the first date in a value, in the forms below and those in which a page says how old it is: `01.03.2024`,
/// `1. März 2024`. `3/1/2024` is not a date: it may be in January or in March.
fn date_in(value: &str) -> Option<String> {
    first_day(value).or_else(|| english_day(value)).or_else(|| {
        let dates = stated_dates(&format!("as of {}", value.trim()));
        let mut days = dates.into_iter().map(|(_, date)| (date.first_day(), date.last_day()));
        days.find(|(first, last)| first == last).map(|(first, _)| first)
    })
}

/// Returns the first date in words: `1 March 2024`, `March 1, 2024`, `Fri, 1 Mar 2024 10:00 +0000`.
fn english_day(value: &str) -> Option<String> {
    let words: Vec<String> = value
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(fold)
        .collect();
    let (at, month) = words.iter().enumerate().find_map(|(at, word)| Some((at, month_number(word)?)))?;
    let day = |word: Option<&String>| {
        word.and_then(|word| word.trim_end_matches(char::is_alphabetic).parse::<u8>().ok())
    };
    let year =
        |word: Option<&String>| word.filter(|word| word.len() == 4).and_then(|word| word.parse::<u16>().ok());
    let before = at.checked_sub(1).and_then(|at| words.get(at));
    let (day, year) = match (day(before), year(words.get(at + 1))) {
        (Some(day), Some(year)) => (day, year),
        _ => (day(words.get(at + 1))?, year(words.get(at + 2))?),
    };
    first_day(&format!("{year:04}-{month:02}-{day:02}"))
}

/// Returns the first valid `YYYY-MM-DD` in a text.
fn first_day(text: &str) -> Option<String> {
    let words = text.split(|letter: char| !(letter.is_ascii_digit() || letter == '-'));
    let day = |word: &str| {
        let word = word.trim_matches('-').get(..10)?;
        date_in_name(word).filter(|period| period.first == period.last).map(|period| period.first.to_string())
    };
    words.filter(|word| word.len() >= 10).find_map(day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, file: &str, expected: Option<(&str, &str)>) {
        let found = stated_date(text, file);
        let found = found.as_ref().map(|(day, origin)| (day.as_str(), origin.name()));
        assert_eq!(found, expected, "{text:?} {file:?}");
    }

    #[test]
    fn date_is_where_a_document_states_its_own() {
        check("---\ndate: 2024-03-01\n---\nText", "2020-01-01.md", Some(("2024-03-01", "property")));
        check("Date: 2024-02-02\n", "notes-2024-03-01.md", Some(("2024-03-01", "file name")));
        check("# Sync\n\n**Date:** 1 March 2024\n\nText", "a.md", Some(("2024-03-01", "header field")));
        check("Date: 01.03.2024 10:00\n\nText", "", Some(("2024-03-01", "header field")));
        check("Datum: 1. März 2024\n\nText", "", Some(("2024-03-01", "header field")));
        check("---\ndate: 1.3.2024\n---\nText", "", Some(("2024-03-01", "property")));
        check("Date: 3/1/2024\n\nText", "", None);
        check("Date: March 2024\n\nText", "", None);
        check(
            "From: a@b.c\nDate: Fri, 1 Mar 2024 10:00:00 +0000\n",
            "",
            Some(("2024-03-01", "header field")),
        );
        check("- Date: March 1st, 2024\n", "", Some(("2024-03-01", "header field")));
        check("# 2024-03-01 Weekly\n\nText", "", Some(("2024-03-01", "heading")));
        check("# Weekly 2024-03-01\n\nText", "", Some(("2024-03-01", "heading")));
    }

    #[test]
    fn other_dates_in_the_text_do_not_count() {
        for text in [
            "Next meeting: 2027-02-01\n",
            "# Next meeting: 2027-02-01\n",
            "Due date: 2027-02-01\n",
            "We meet on 2027-02-01.\n",
            "# Plan\n\n2027-02-01 is the launch.\n",
            "Date: tomorrow\n",
            "Date: 2024-02-30\n",
            "Updates: 2027-02-01\n",
        ] {
            check(text, "notes.md", None);
        }
    }

    #[test]
    fn first_valid_date_is_used() {
        for (text, expected) in [
            ("notes-2024-03-01.md", Some("2024-03-01")),
            ("2024-02-30, then 2024-02-28.", Some("2024-02-28")),
            ("2024-03-01T10:00:00Z", Some("2024-03-01")),
            ("2024-03", None),
            ("call 555-2024-0301", None),
            ("", None),
        ] {
            assert_eq!(first_day(text).as_deref(), expected, "{text}");
        }
    }
}
