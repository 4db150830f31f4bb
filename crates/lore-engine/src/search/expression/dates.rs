//! Finds the dates in a query, as prefixes of `YYYY-MM-DD`.

use lore_text::{PartialDate, month_number, written_date};

/// Maximum number of words of a date: `Monday 5th of March 2024`.
const DATE_WORDS: usize = 5;

/// Returns the dates in a query: `2024-03-01`, `05/2019`, `March 2024`, `8 May 2023`, `May 8, 2023`. A year alone does
/// not count: it is too unspecific, and full-text search finds it.
pub(in crate::search) fn dates_in(question: &str) -> Vec<String> {
    let words: Vec<&str> = question
        .split_whitespace()
        .take(64)
        .map(|word| word.trim_matches(|letter: char| !letter.is_alphanumeric()))
        .collect();
    let mut dates = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let Some((count, date)) = date_at(&words[at..]) else {
            at += 1;
            continue;
        };
        let date = date.to_string();
        dates.extend((date.len() > 4 && matches!(&date[..2], "19" | "20")).then_some(date));
        at += count;
    }
    dates.sort();
    dates.dedup();
    dates
}

/// Reads a date with its year at the start of words without punctuation; returns how many of them it has.
pub(super) fn date_at<W: AsRef<str>>(words: &[W]) -> Option<(usize, PartialDate)> {
    let most = DATE_WORDS.min(words.len());
    (1..=most).rev().find_map(|count| {
        let words: Vec<&str> = words[..count].iter().map(AsRef::as_ref).collect();
        // The year comes last: the 5 of `May 2019 5 people` is no day.
        let has_year = words.last().is_some_and(|last| last.split(['-', '/', '.']).any(is_year));
        has_year.then(|| written_date(&words.join(" "))).flatten().map(|date| (count, date))
    })
}

/// Whether a word is a number that may be a year.
fn is_year(word: &str) -> bool {
    word.len() == 4 && word.starts_with(['1', '2']) && word.bytes().all(|byte| byte.is_ascii_digit())
}

pub(super) fn month(word: &str) -> Option<i8> {
    month_number(&word.to_lowercase())
}

pub(super) fn day(word: &str) -> Option<u8> {
    let digits = word.trim_end_matches(['s', 't', 'n', 'd', 'r', 'h']);
    digits.parse().ok().filter(|day| (1..=31).contains(day))
}

pub(super) fn year(word: &str) -> Option<&str> {
    (word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit()) && matches!(&word[..2], "19" | "20"))
        .then_some(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(question: &str, expected: &[&str]) {
        assert_eq!(dates_in(question), expected, "{question}");
    }

    #[test]
    fn common_date_formats_are_parsed() {
        check("What did Ada do in March 2024?", &["2024-03"]);
        check("what happened on 8 May, 2023", &["2023-05-08"]);
        check("meeting of May 8th, 2023?", &["2023-05-08"]);
        check("notes of 2024-03-01 and 2024-04", &["2024-03-01", "2024-04"]);
        check("Sept 2021 or dec. 2020", &["2020-12", "2021-09"]);
        check("the rent in 05/2019 and in May 2020 5 people", &["2019-05", "2020-05"]);
    }

    #[test]
    fn other_words_are_not_dates() {
        for question in
            ["may we march in 2024", "who knew Ada in 2023", "2024-13-01", "1234-01", "marching 2024", ""]
        {
            check(question, &[]);
        }
    }
}
