//! Finds the dates in a query, as prefixes of `YYYY-MM-DD`.

use lore_text::month_number;

/// Returns the dates in a query: `2024-03-01`, `March 2024`, `8 May 2023`, `May 8, 2023`. A year alone does not count:
/// it is too unspecific, and full-text search finds it.
pub(in crate::search) fn dates_in(question: &str) -> Vec<String> {
    let words: Vec<&str> = question
        .split_whitespace()
        .take(64)
        .map(|word| word.trim_matches(|letter: char| !letter.is_alphanumeric()))
        .collect();
    let mut dates: Vec<String> = words.iter().filter_map(|word| written(word)).collect();
    for (at, word) in words.iter().enumerate() {
        let Some(month) = month(word) else { continue };
        let number = |at: Option<usize>| at.and_then(|at| words.get(at)).and_then(|word| day(word));
        let year_at = |at: usize| words.get(at).and_then(|word| year(word));
        let (before, after) = (number(at.checked_sub(1)), number(Some(at + 1)));
        let date = match (before, after, year_at(at + 1), year_at(at + 2)) {
            (Some(day), _, Some(year), _) => format!("{year}-{month:02}-{day:02}"),
            (_, Some(day), _, Some(year)) => format!("{year}-{month:02}-{day:02}"),
            (_, _, Some(year), _) => format!("{year}-{month:02}"),
            _ => continue,
        };
        dates.push(date);
    }
    dates.sort();
    dates.dedup();
    dates
}

/// `YYYY-MM` or `YYYY-MM-DD`.
fn written(word: &str) -> Option<String> {
    let mut parts = word.split('-');
    year(parts.next()?)?;
    let month: u8 = parts.next()?.parse().ok()?;
    let day: Option<u8> = parts.next().map(str::parse).transpose().ok()?;
    let sound =
        (1..=12).contains(&month) && day.is_none_or(|day| (1..=31).contains(&day)) && parts.next().is_none();
    (sound && matches!(word.len(), 7 | 10)).then(|| word.to_owned())
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
