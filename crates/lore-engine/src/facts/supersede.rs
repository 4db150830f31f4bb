//! What a new value does to the old ones: a pure decision over intervals.

use lore_page::{Interval, PartialDate};

/// A fact of the same subject and predicate that is there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Standing {
    /// Where it stands.
    pub line: u32,
    /// Whether it has the new fact's value.
    pub same_value: bool,
    /// When it holds.
    pub interval: Interval,
}

/// A fact to be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Claim {
    /// When it is to hold.
    pub interval: Interval,
    /// Whether its subject can have one such value at a time.
    pub single: bool,
}

/// What is to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Plan {
    /// Nothing: a line says so already.
    Said(u32),
    /// These lines end on these days, and the new fact holds in this interval.
    Add {
        /// The interval to write.
        interval: Interval,
        /// The lines that end, each with its last day.
        ends: Vec<(u32, PartialDate)>,
    },
    /// This line stands in the way.
    Clash(u32),
}

/// Decides. A new value that begins ends the old one the day before it; what lies wholly in the past ends nothing, and
/// what would hold beside another value is in the way of it.
pub(super) fn plan(standing: &[Standing], claim: Claim, today: PartialDate) -> Plan {
    let now = today.first_day();
    for one in standing.iter().filter(|one| one.same_value) {
        let repeated = claim.interval.is_unbounded() && one.interval.holds_on(&now);
        if one.interval == claim.interval || repeated || one.interval.covers(claim.interval) {
            return Plan::Said(one.line);
        }
        if one.interval.overlaps(claim.interval) {
            return Plan::Clash(one.line);
        }
    }
    let mut plan = (claim.interval, Vec::new());
    if !claim.single {
        return Plan::Add { interval: plan.0, ends: plan.1 };
    }
    let holds_now = claim.interval.until.is_none_or(|until| until.last_day() >= now);
    let start = claim.interval.from.or(holds_now.then_some(today));
    let dated = Interval { from: start, ..claim.interval };
    for one in standing.iter().filter(|one| !one.same_value && one.interval.overlaps(dated)) {
        let ends = start.filter(|start| holds_now && began_before(one.interval, *start));
        match ends.and_then(PartialDate::day_before) {
            Some(day) => {
                plan.0 = dated;
                plan.1.push((one.line, day));
            }
            None => return Plan::Clash(one.line),
        }
    }
    Plan::Add { interval: plan.0, ends: plan.1 }
}

/// Whether it held already when another begins.
fn began_before(interval: Interval, start: PartialDate) -> bool {
    interval.from.is_none_or(|from| from.first_day() < start.first_day())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interval(text: &str) -> Interval {
        if text == ".." { Interval::default() } else { text.parse().expect(text) }
    }

    /// Facts as `line:interval`, those of the same value with `=` in front; what is done as a line of words.
    #[track_caller]
    fn check(standing: &[&str], claim: &str, single: bool, expected: &str) {
        let read = |text: &&str| {
            let same_value = text.starts_with('=');
            let (line, dates) = text.trim_start_matches('=').split_once(':').expect("line:interval");
            Standing { line: line.parse().expect("a line"), same_value, interval: interval(dates) }
        };
        let standing: Vec<Standing> = standing.iter().map(read).collect();
        let claim = Claim { interval: interval(claim), single };
        let found = match plan(&standing, claim, "2024-06-01".parse().expect("a day")) {
            Plan::Said(line) => format!("said on {line}"),
            Plan::Clash(line) => format!("clash with {line}"),
            Plan::Add { interval, ends } => {
                let ends: String = ends.iter().map(|(line, day)| format!("{line} until {day}, ")).collect();
                format!("{ends}add {interval}")
            }
        };
        assert_eq!(found.trim_end(), expected, "{claim:?}");
    }

    #[test]
    fn a_new_value_ends_the_old_one_the_day_before() {
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
    fn what_has_ended_stays_as_it_is() {
        check(&["3:2018..2020"], "2024..", true, "add {2024..}");
        check(&["3:..2020"], "..", true, "add");
        check(&[], "..", true, "add");
        check(&["3:2018.."], "2010..2012", true, "add {2010..2012}");
        check(&["3:2018.."], "..2012", true, "add {..2012}");
    }

    #[test]
    fn several_values_stand_beside_each_other_where_there_may_be_several() {
        check(&["3:2018.."], "2024..", false, "add {2024..}");
        check(&["3:2018.."], "..", false, "add");
    }

    #[test]
    fn what_is_said_already_is_not_said_again() {
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
    fn what_would_hold_beside_another_value_is_refused() {
        check(&["3:2018.."], "2015..", true, "clash with 3");
        check(&["3:2018.."], "2018..", true, "clash with 3");
        check(&["3:2024-06-01.."], "..", true, "clash with 3");
        check(&["3:2018.."], "2019..2020", true, "clash with 3");
        check(&["3:2030.."], "..", true, "clash with 3");
        check(&["=3:2018.."], "2015..", true, "clash with 3");
        check(&["=3:.."], "2015..", false, "clash with 3");
    }
}
