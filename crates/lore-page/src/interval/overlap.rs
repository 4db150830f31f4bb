//! Comparisons of intervals: overlap and coverage, and the date on which one ends because another starts.
//!
//! An unknown start is not the beginning of time. Such an interval is known to hold only on its last day, or now if it
//! is open, so several with unknown starts do not overlap as long as they end on different days.
//!
//! An interval may start on the day on which another ends: something changed on that day.

use lore_text::PartialDate;

use super::Interval;

/// Sorts after every day: the end of an open interval.
const OPEN: &str = "9999-99-99";

/// The error for an interval that would end before it starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the interval would end on {until}, before it starts on {from}")]
pub struct Reversed {
    /// Start date.
    pub from: PartialDate,
    /// End date.
    pub until: PartialDate,
}

/// Returns pairs of items with different values whose intervals overlap, by position. Each item is paired at most once with
/// an item that starts no later, so that there are never more pairs than items and finding them takes one sort.
pub fn overlapping_pairs<V: PartialEq>(items: &[(Interval, V)]) -> Vec<(usize, usize)> {
    let mut order: Vec<(String, String, usize)> = items
        .iter()
        .enumerate()
        .map(|(at, (interval, _))| (interval.known_from(), interval.known_until(), at))
        .collect();
    order.sort_by(|a, b| (&a.0, a.2).cmp(&(&b.0, b.2)));
    // Of the items so far: the one that ends last, and of those with another value, the one that ends last.
    let mut last: Option<(&str, usize)> = None;
    let mut other: Option<(&str, usize)> = None;
    let mut pairs = Vec::new();
    for (from, until, at) in &order {
        let differs = |one: (&str, usize)| items[one.1].1 != items[*at].1;
        let rival = last.filter(|last| differs(*last)).or(other.filter(|other| differs(*other)));
        let overlaps = |rival: &(&str, usize)| items[rival.1].0.overlaps(items[*at].0);
        if let Some((_, rival)) = rival.filter(|(until, _)| *until >= from.as_str()).filter(overlaps) {
            pairs.push((rival.min(*at), rival.max(*at)));
        }
        let now = Some((until.as_str(), *at));
        let is_same = last.is_some_and(|last| !differs(last));
        if last.is_none_or(|(last, _)| until.as_str() > last) {
            other = if is_same { other } else { last };
            last = now;
        } else if !is_same && other.is_none_or(|(other, _)| until.as_str() > other) {
            other = now;
        }
    }
    pairs.sort_unstable();
    pairs
}

impl Interval {
    /// Creates an interval after checking that its dates are in order.
    pub fn between(from: Option<PartialDate>, until: Option<PartialDate>) -> Result<Interval, Reversed> {
        match (from, until) {
            (Some(from), Some(until)) if from.first_day() > until.last_day() => Err(Reversed { from, until }),
            _ => Ok(Interval { from, until }),
        }
    }

    /// Returns whether both are known to hold on a common day, other than a day on which one ends and the other starts.
    pub fn overlaps(self, other: Interval) -> bool {
        let together = self.known_from() <= other.known_until() && other.known_from() <= self.known_until();
        together && !self.continues(other) && !other.continues(self)
    }

    /// Returns whether it starts on the day, or in the month or year as written, in which another ends. An interval of
    /// one day comes before or after others of that day.
    pub fn continues(self, other: Interval) -> bool {
        let (Some(from), Some(until)) = (self.from, other.until) else { return false };
        let starts_no_later = other.from.is_none_or(|start| start.first_day() <= from.first_day());
        starts_no_later && (from == until || from.first_day() == until.last_day())
    }

    /// Returns whether it holds on some day from `first` to `last`, given as `YYYY-MM-DD`.
    pub fn meets(self, first: &str, last: &str) -> bool {
        self.from.is_none_or(|from| from.first_day().as_str() <= last)
            && self.until.is_none_or(|until| first <= until.last_day().as_str())
    }

    /// Returns whether every day of `other` is known to be in this interval.
    pub fn covers(self, other: Interval) -> bool {
        self.known_from() <= other.known_from() && other.known_until() <= self.known_until()
    }

    fn known_from(self) -> String {
        self.from.map_or_else(|| self.known_until(), PartialDate::first_day)
    }

    fn known_until(self) -> String {
        self.until.map_or_else(|| OPEN.to_owned(), PartialDate::last_day)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interval(text: &str) -> Interval {
        if text == ".." { Interval::default() } else { text.parse().expect(text) }
    }

    #[test]
    fn intervals_overlap_when_they_are_known_to_share_a_day() {
        for (one, other, expected) in [
            ("2019..2021-03", "2021-04..", false),
            ("2019..2021-03", "2021-03-30..", true),
            ("2019..2021-03", "2021-03-31..", false),
            ("2019..2021-03", "2021-03..", false),
            ("2019..2021-03-01", "2021-03-01..", false),
            ("2021-03-01..2021-03-01", "2021-03-01..", false),
            ("2021-03-01..2021-03-01", "2021-03-01..2021-03-01", false),
            ("2021-03-01..2021-03-02", "2021-03-01..", true),
            ("2019..2021-03", "2021..", true),
            ("2019..2021", "..2018", false),
            ("2019..2021", "..2019", false),
            ("2019..2021", "..2020", true),
            ("2019..2021", "..2030", false),
            ("2019..", "..2030", true),
            ("..2018", "..2020", false),
            ("..2018", "..2018-12-31", true),
            ("2019..", "2025..", true),
            ("..", "2019..", true),
            ("..", "2019..2021", false),
            ("..", "..2021", false),
            ("..", "..", true),
            ("2020-02..2020-02", "2020-02-28..2020-02-28", true),
            ("2021-02..2021-02", "2021-03-01..", false),
        ] {
            let (a, b) = (interval(one), interval(other));
            assert_eq!(a.overlaps(b), expected, "{one} and {other}");
            assert_eq!(b.overlaps(a), expected, "{other} and {one}");
        }
    }

    #[test]
    fn overlapping_items_with_different_values_are_paired() {
        let check = |items: &[(&str, u8)], expected: &[(usize, usize)]| {
            let items: Vec<(Interval, u8)> =
                items.iter().map(|(text, value)| (interval(text), *value)).collect();
            assert_eq!(overlapping_pairs(&items), expected);
        };
        check(&[("2019..", 1), ("2020..", 2)], &[(0, 1)]);
        check(&[("2020..", 1), ("2019..", 2)], &[(0, 1)]);
        check(&[("2019..", 1), ("2020..", 1)], &[]);
        check(&[("2019..2020", 1), ("2021..", 2)], &[]);
        check(&[("2019..2021-01-05", 1), ("2021-01-05..", 2)], &[]);
        check(&[("2010..2030", 1), ("2011..2012", 1), ("2013..2014", 2), ("2015..2016", 1)], &[(0, 2)]);
        check(&[("2010..2011", 2), ("2010..2030", 1), ("2011-02..2040", 1)], &[(0, 1), (0, 2)]);
        check(&[("..", 1), ("..", 2), ("..", 3)], &[(0, 1), (0, 2)]);
        check(&[("2019..2021", 1), ("..2030", 2)], &[]);
    }

    #[test]
    fn interval_meets_days_months_and_years() {
        let tested = interval("2019-06..2019-09");
        for (first, last, expected) in [
            ("2019-01-01", "2019-12-31", true),
            ("2019-05-31", "2019-05-31", false),
            ("2019-06-01", "2019-06-01", true),
            ("2019-09-30", "2019-10-01", true),
            ("2019-10-01", "2019-10-31", false),
        ] {
            assert_eq!(tested.meets(first, last), expected, "{first} to {last}");
        }
        assert!(interval("..").meets("1500-01-01", "1500-01-01"));
    }

    #[test]
    fn reversed_interval_is_rejected() {
        let date = |text: &str| Some(text.parse().expect(text));
        assert!(Interval::between(date("2020-05"), date("2020-04-30")).is_err());
        assert!(Interval::between(date("2020-05-31"), date("2020-05")).is_ok());
        assert!(Interval::between(None, date("1999")).is_ok());
    }

    #[test]
    fn interval_covers_known_days() {
        assert!(interval("2018..").covers(interval("2020..")));
        assert!(interval("2018..").covers(interval("..")));
        assert!(!interval("2018..2019").covers(interval("..")));
        assert!(!interval("..").covers(interval("2020..")));
        assert!(interval("2018..2020").covers(interval("2019..2019-05")));
    }
}
