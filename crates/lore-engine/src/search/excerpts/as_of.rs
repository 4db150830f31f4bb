//! A page without what it states about later dates: the basis of an answer as of a date. Pure.

use lore_page::{Interval, LineRange, Page, parse};
use lore_text::PartialDate;

/// A page as of a date.
#[derive(Debug)]
pub(super) struct AsOf {
    /// Its text with every line about a later date blanked, so that line numbers stay the same.
    pub text: String,
    /// The blanked lines.
    later: Vec<LineRange>,
}

impl AsOf {
    /// Blanks timeline entries, facts and relations dated after a day, month or year.
    pub(super) fn new(path: &str, text: &str, day: PartialDate) -> AsOf {
        let later = later(&parse(path, text).page, &day.last_day());
        let mut kept = String::with_capacity(text.len());
        for (number, line) in (1..).zip(text.split_inclusive('\n')) {
            match later.iter().any(|lines| lines.first <= number && number <= lines.last) {
                true => kept.extend(line.chars().filter(|letter| matches!(letter, '\n' | '\r'))),
                false => kept.push_str(line),
            }
        }
        AsOf { text: kept, later }
    }

    /// Whether all of these lines are about later dates.
    pub(super) fn is_later(&self, lines: LineRange) -> bool {
        let later = |line: u32| self.later.iter().any(|later| later.first <= line && line <= later.last);
        (lines.first..=lines.last).all(later)
    }
}

fn later(page: &Page, day: &str) -> Vec<LineRange> {
    let begins_later = |interval: Interval| interval.from.is_some_and(|from| from.first_day().as_str() > day);
    let line = |line: u32| LineRange { first: line, last: line };
    let entries = page.entries.iter().filter(|entry| entry.date.as_str() > day).map(|entry| entry.lines);
    let facts = page.facts.iter().filter(|fact| begins_later(fact.interval)).map(|fact| line(fact.line));
    let relations = page.links.iter().filter(|link| begins_later(link.interval)).map(|link| line(link.line));
    entries.chain(facts).chain(relations).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "# A\n\n- role:: clerk {2020..2022}\n- role:: head {2023-05..}\n- joined [[B]] {2024..}\n\n---\n\n- **2023-06-01** | m — Late.\n  More.\n- **2021-01-01** | m — Early.\n";

    #[track_caller]
    fn check(day: &str, expected: &str) {
        let found = AsOf::new("a.md", PAGE, day.parse().expect("a day"));
        assert_eq!(found.text.lines().count(), PAGE.lines().count(), "line numbers stay the same");
        let kept: Vec<&str> = found.text.lines().filter(|line| line.starts_with(['-', ' '])).collect();
        assert_eq!(kept.join("\n"), expected, "{day}");
    }

    #[test]
    fn lines_about_later_dates_are_blanked() {
        let old = "- role:: clerk {2020..2022}";
        let early = "- **2021-01-01** | m — Early.";
        check("2021-06-30", &format!("{old}\n---\n{early}"));
        check("2020", &format!("{old}\n---"));
        check("2023-05", &format!("{old}\n- role:: head {{2023-05..}}\n---\n{early}"));
        check("2025", PAGE[5..].trim().replace("\n\n", "\n").as_str());
    }

    #[test]
    fn range_is_later_only_if_all_of_it_is() {
        let found = AsOf::new("a.md", PAGE, "2021-06-30".parse().expect("a day"));
        let lines = |first, last| LineRange { first, last };
        assert!(found.is_later(lines(9, 10)) && found.is_later(lines(4, 5)));
        assert!(!found.is_later(lines(3, 4)) && !found.is_later(lines(9, 11)));
    }
}
