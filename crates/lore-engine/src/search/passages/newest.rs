//! Orders dated lines of one page that match equally: the newest first, or what the question asks for.

use std::collections::BTreeMap;

use jiff::civil::Date;

use super::timing::{Order, Timing};

/// How much weaker than the best of them a line may be that counts as matching equally.
const EQUAL: f64 = 2.0;

/// A scored line.
pub(super) struct Dated {
    pub page: usize,
    /// Which terms it has.
    pub terms: Vec<bool>,
    /// Its own day.
    pub day: Option<Date>,
    pub score: f64,
}

/// Gives the best scores of equally matching lines to those that the question asks for.
pub(super) fn by_date(lines: &mut [Dated], timing: &Timing) {
    if timing.order == Order::Any {
        return;
    }
    let mut groups: BTreeMap<(usize, Vec<bool>), Vec<usize>> = BTreeMap::new();
    for (at, line) in lines.iter().enumerate() {
        if line.day.is_some_and(|day| timing.covers(day)) && line.terms.contains(&true) {
            groups.entry((line.page, line.terms.clone())).or_default().push(at);
        }
    }
    for mut group in groups.into_values() {
        let best = group.iter().map(|at| lines[*at].score).fold(f64::NEG_INFINITY, f64::max);
        // Who asks for the first or the last wants that one, however it is worded.
        if timing.order == Order::Current {
            group.retain(|at| lines[*at].score >= best - EQUAL);
        }
        let mut scores: Vec<f64> = group.iter().map(|at| lines[*at].score).collect();
        scores.sort_by(|a, b| b.total_cmp(a));
        match timing.order {
            Order::First => group.sort_by_key(|at| lines[*at].day),
            _ => group.sort_by_key(|at| std::cmp::Reverse(lines[*at].day)),
        }
        group.into_iter().zip(scores).for_each(|(at, score)| lines[at].score = score);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::expression::AskedTime;

    fn line(page: usize, terms: [bool; 2], day: &str, score: f64) -> Dated {
        Dated { page, terms: terms.to_vec(), day: day.parse().ok(), score }
    }

    #[track_caller]
    fn check(question: &str, expected: [f64; 6]) {
        let mut lines = [
            line(0, [true, false], "2022-05-10", 5.0),
            line(0, [true, false], "2023-05-10", 6.0),
            line(0, [true, false], "2024-05-10", 4.5),
            line(0, [true, true], "2025-05-10", 3.0),
            line(0, [false, false], "2026-05-10", 2.0),
            line(1, [true, false], "2026-05-10", 1.0),
        ];
        by_date(
            &mut lines,
            &Timing::new(question, Date::default(), AskedTime::default(), question.contains("on that day")),
        );
        assert_eq!(lines.map(|line| line.score), expected, "{question}");
    }

    #[test]
    fn dated_lines_of_a_page_are_ordered() {
        check("weight", [4.5, 5.0, 6.0, 3.0, 2.0, 1.0]);
        check("first weight", [6.0, 5.0, 4.5, 3.0, 2.0, 1.0]);
        check("weight before 2024", [5.0, 6.0, 4.5, 3.0, 2.0, 1.0]);
        check("weight on that day", [5.0, 6.0, 4.5, 3.0, 2.0, 1.0]);
    }
}
