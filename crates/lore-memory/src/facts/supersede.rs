//! Decides how a new value affects existing ones. Pure, over intervals.

use lore_page::Interval;
use lore_text::PartialDate;

/// An existing fact with the same subject and predicate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ExistingFact {
    /// Line of the fact.
    pub line: u32,
    /// Whether it has the same value as the new fact.
    pub same_value: bool,
    /// Interval of validity.
    pub interval: Interval,
}

/// A fact to add.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NewClaim {
    /// Interval of validity.
    pub interval: Interval,
    /// Whether its predicate is single-valued.
    pub single: bool,
}

/// What to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FactPlan {
    /// Nothing: this line already states the fact.
    AlreadyStated(u32),
    /// End these lines and add the fact.
    Add {
        /// Interval to write.
        interval: Interval,
        /// Lines to end, each with its last day.
        ends: Vec<(u32, PartialDate)>,
    },
    /// The fact on this line is the same and is open: end it on this date.
    Close(u32, PartialDate),
    /// This line conflicts with the fact.
    Clash(u32),
}

/// Decides what to do. A new value ends the old one on the day before it begins, or on that day if the old one began on
/// it too: then the order of the lines says which came last. A value entirely in the past ends nothing. A value that would
/// be valid at the same time as another conflicts with it.
pub(super) fn plan(existing: &[ExistingFact], claim: NewClaim, today: PartialDate) -> FactPlan {
    let now = today.first_day();
    for one in existing.iter().filter(|one| one.same_value) {
        let is_start = claim.interval.from.is_none() || claim.interval.from == one.interval.from;
        if let Some(until) = claim.interval.until.filter(|_| is_start && one.interval.until.is_none()) {
            return FactPlan::Close(one.line, until);
        }
        let repeated = claim.interval.is_unbounded() && one.interval.holds_on(&now);
        if one.interval == claim.interval || repeated || one.interval.covers(claim.interval) {
            return FactPlan::AlreadyStated(one.line);
        }
        if one.interval.overlaps(claim.interval) {
            return FactPlan::Clash(one.line);
        }
    }
    let mut plan = (claim.interval, Vec::new());
    if !claim.single {
        return FactPlan::Add { interval: plan.0, ends: plan.1 };
    }
    let holds_now = claim.interval.until.is_none_or(|until| until.last_day() >= now);
    let start = claim.interval.from.or(holds_now.then_some(today));
    let dated = Interval { from: start, ..claim.interval };
    for one in existing.iter().filter(|one| !one.same_value && one.interval.overlaps(dated)) {
        match start.filter(|_| holds_now).and_then(|start| last_day(one.interval, start)) {
            Some(day) => {
                plan.0 = dated;
                plan.1.push((one.line, day));
            }
            None => return FactPlan::Clash(one.line),
        }
    }
    FactPlan::Add { interval: plan.0, ends: plan.1 }
}

/// Returns the last day of an interval that ends because another value starts on a date.
fn last_day(interval: Interval, start: PartialDate) -> Option<PartialDate> {
    match interval.from {
        // The same day; of months and years it is not known which value came first.
        Some(from) if from == start && start.first_day() == start.last_day() => Some(start),
        Some(from) if from.first_day() >= start.first_day() => None,
        _ => start.day_before(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interval(text: &str) -> Interval {
        if text == ".." { Interval::default() } else { text.parse().expect(text) }
    }

    /// Runs `plan` on facts given as `line:interval`, with a `=` prefix for the same value, and compares its
    /// description.
    #[track_caller]
    fn check(existing: &[&str], claim: &str, single: bool, expected: &str) {
        let read = |text: &&str| {
            let same_value = text.starts_with('=');
            let (line, dates) = text.trim_start_matches('=').split_once(':').expect("line:interval");
            ExistingFact { line: line.parse().expect("a line"), same_value, interval: interval(dates) }
        };
        let existing: Vec<ExistingFact> = existing.iter().map(read).collect();
        let claim = NewClaim { interval: interval(claim), single };
        let found = match plan(&existing, claim, "2024-06-01".parse().expect("a day")) {
            FactPlan::AlreadyStated(line) => format!("said on {line}"),
            FactPlan::Close(line, day) => format!("close {line} on {day}"),
            FactPlan::Clash(line) => format!("clash with {line}"),
            FactPlan::Add { interval, ends } => {
                let ends: String = ends.iter().map(|(line, day)| format!("{line} until {day}, ")).collect();
                format!("{ends}add {interval}")
            }
        };
        assert_eq!(found.trim_end(), expected, "{claim:?}");
    }

    #[test]
    fn new_value_ends_the_old_one_the_day_before() {
        check(&["3:2018.."], "2024-03-01..", true, "3 until 2024-02-29, add {2024-03-01..}");
        check(&["3:2018.."], "2024..", true, "3 until 2023-12-31, add {2024..}");
        check(&["3:2018.."], "..", true, "3 until 2024-05-31, add {2024-06-01..}");
        check(&["3:.."], "..", true, "3 until 2024-05-31, add {2024-06-01..}");
        check(&["3:2018..2030"], "2024..", true, "3 until 2023-12-31, add {2024..}");
        check(&["3:2018.."], "2024-05..2025", true, "3 until 2024-04-30, add {2024-05..2025}");
        check(&["3:2018.."], "2030..", true, "3 until 2029-12-31, add {2030..}");
        check(&["3:2010..2012", "5:2018.."], "2024..", true, "5 until 2023-12-31, add {2024..}");
    }

    #[test]
    fn ended_facts_are_unchanged() {
        check(&["3:2018..2020"], "2024..", true, "add {2024..}");
        check(&["3:..2020"], "..", true, "add");
        check(&[], "..", true, "add");
        check(&["3:2018.."], "2010..2012", true, "add {2010..2012}");
        check(&["3:2018.."], "..2012", true, "add {..2012}");
    }

    #[test]
    fn multi_valued_predicates_keep_all_values() {
        check(&["3:2018.."], "2024..", false, "add {2024..}");
        check(&["3:2018.."], "..", false, "add");
    }

    #[test]
    fn existing_facts_are_not_repeated() {
        for single in [true, false] {
            check(&["=3:2018.."], "2018..", single, "said on 3");
            check(&["=3:2018.."], "..", single, "said on 3");
            check(&["=3:2018.."], "2020..", single, "said on 3");
            check(&["=3:.."], "..", single, "said on 3");
            check(&["=3:2018..2019"], "..", single, "add");
            check(&["=3:2018..2019"], "2022..", single, "add {2022..}");
        }
    }

    #[test]
    fn values_of_one_day_follow_in_the_order_of_the_lines() {
        check(&["3:2024-06-01.."], "..", true, "3 until 2024-06-01, add {2024-06-01..}");
        check(&["3:2024-06-01.."], "2024-06-01..", true, "3 until 2024-06-01, add {2024-06-01..}");
        check(
            &["3:2024-06-01..2024-06-01", "4:2024-06-01.."],
            "2024-06-01..",
            true,
            "4 until 2024-06-01, add {2024-06-01..}",
        );
        check(
            &["=3:2024-06-01..2024-06-01", "4:2024-06-01.."],
            "2024-06-01..",
            true,
            "4 until 2024-06-01, add {2024-06-01..}",
        );
        check(&["=3:2018..2024-06-01"], "2024-06-01..", true, "add {2024-06-01..}");
    }

    #[test]
    fn end_date_closes_the_open_fact() {
        for single in [true, false] {
            check(&["=3:2018.."], "..2025", single, "close 3 on 2025");
            check(&["=3:2018.."], "2018..2025", single, "close 3 on 2025");
            check(&["=3:.."], "..2025", single, "close 3 on 2025");
            check(&["=3:2018..2019"], "2022..2023", single, "add {2022..2023}");
        }
    }

    #[test]
    fn overlapping_values_clash() {
        check(&["3:2018.."], "2015..", true, "clash with 3");
        check(&["3:2018.."], "2018..", true, "clash with 3");
        check(&["3:2018.."], "2019..2020", true, "clash with 3");
        check(&["3:2030.."], "..", true, "clash with 3");
        check(&["=3:2018.."], "2015..", true, "clash with 3");
        check(&["=3:.."], "2015..", false, "clash with 3");
    }
}
