//! Finds single-valued predicates with two live objects for one subject, on one page or across pages. Pure.

use std::collections::BTreeMap;

use lore_engine::{Result, ValueRules, plain_predicate};
use lore_page::Interval;
use lore_ports::StatementRow;

use super::contradiction::{Candidate, ContradictionKind, topic};
use super::object::Object;
use super::rows::{ResolvedNames, Rows, Subject, line_ref};

/// Maximum number of different values of one predicate that are compared; beyond that, a list of all pairs would not
/// help.
const VALUES: usize = 50;

/// Number of different values up to which all pairs are compared; above it, each is compared with the first only.
const PAIRS: usize = 4;

/// A fact and its topic.
pub(super) type Topical<'r> = (String, &'r StatementRow);

/// Returns the live facts that exclude others, each with its topic.
pub(super) fn live_single<'r>(rows: &'r Rows, rules: &ValueRules<'_>) -> Result<Vec<Topical<'r>>> {
    let live = |row: &&StatementRow| rows.is_live(row.page) && rows.holds(row.statement.interval);
    let mut found = Vec::new();
    for row in rows.facts.iter().filter(live) {
        let topic = rules.topic(&row.statement.predicate, &row.statement.object)?;
        found.extend(topic.map(|topic| (topic, row)));
    }
    Ok(found)
}

/// Facts by subject and topic.
pub(super) type Claims<'r> = BTreeMap<(Subject, String), Vec<&'r StatementRow>>;

/// Returns the facts with equal subject and topic whose objects differ as text.
pub(super) fn disputed<'r>(facts: &[Topical<'r>], subjects: &ResolvedNames) -> Claims<'r> {
    let mut claims = Claims::new();
    for (topic, fact) in facts {
        let subject = subjects.subject(fact.page, fact.statement.subject.as_deref());
        claims.entry((subject, topic.clone())).or_default().push(fact);
    }
    claims.retain(|_, facts| facts.iter().any(|fact| fact.statement.object != facts[0].statement.object));
    claims
}

/// Returns the pairs of live facts that cannot both be true.
pub(super) fn two_values(rows: &Rows, claims: &Claims<'_>, objects: &ResolvedNames) -> Vec<Candidate> {
    let mut found = Vec::new();
    for ((subject, topic), facts) in claims {
        let values = values(rows, subject, facts, objects);
        let compare_first_only = values.len() > PAIRS;
        for (at, one) in values.iter().enumerate() {
            for other in &values[at + 1..] {
                if let Some((a, b)) = clash(one, other) {
                    found.push(candidate(rows, subject, topic, [a, b]));
                }
            }
            if compare_first_only {
                break;
            }
        }
    }
    found
}

/// Groups the facts by equal objects.
fn values<'r>(
    rows: &Rows,
    subject: &Subject,
    facts: &[&'r StatementRow],
    objects: &ResolvedNames,
) -> Vec<Vec<&'r StatementRow>> {
    let mut facts: Vec<&StatementRow> = facts.to_vec();
    // Facts on the subject's own page come first, so that a finding does not change when a page is added elsewhere.
    facts.sort_by_key(|fact| {
        (Some(fact.page) != subject.page(), rows.slug(fact.page), fact.statement.lines.first)
    });
    let mut values: Vec<(Vec<Object>, Vec<&StatementRow>)> = Vec::new();
    for fact in facts {
        let text = &fact.statement.object;
        let object = Object::new(text, objects.pages(text));
        match values.iter().position(|(same, _)| same.iter().any(|one| one.same(&object))) {
            Some(at) => {
                let (same, facts) = &mut values[at];
                if same.len() < VALUES {
                    same.push(object);
                }
                facts.push(fact);
            }
            None if values.len() < VALUES => values.push((vec![object], vec![fact])),
            None => {}
        }
    }
    values.into_iter().map(|(_, facts)| facts).collect()
}

/// Returns the first facts of two values whose intervals overlap.
fn clash<'r>(
    one: &[&'r StatementRow],
    other: &[&'r StatementRow],
) -> Option<(&'r StatementRow, &'r StatementRow)> {
    let overlapping =
        |a: &&StatementRow, b: &&StatementRow| overlap(a.statement.interval, b.statement.interval);
    one.iter().find_map(|a| other.iter().find(|b| overlapping(a, b)).map(|b| (*a, *b)))
}

/// Returns whether two intervals overlap under every reading of their partial dates. If one ends in the month in which
/// the other begins, they may only touch.
pub(super) fn overlap(one: Interval, other: Interval) -> bool {
    let begins = [one.from, other.from].into_iter().flatten().map(|date| date.last_day()).max();
    let ends = [one.until, other.until].into_iter().flatten().map(|date| date.first_day()).min();
    match (begins, ends) {
        (Some(begins), Some(ends)) => begins < ends,
        _ => true,
    }
}

fn candidate(rows: &Rows, subject: &Subject, about: &str, facts: [&StatementRow; 2]) -> Candidate {
    let [one, two] = facts.map(|fact| &fact.statement);
    let predicates = [one, two].map(|fact| plain_predicate(&fact.predicate));
    let [first, second] = &predicates;
    let predicate = if first == second { format!("`{first}`") } else { format!("`{first}` and `{second}`") };
    let since = [one, two].iter().filter_map(|fact| fact.interval.from).max_by_key(|date| date.first_day());
    Candidate {
        kind: ContradictionKind::TwoValues,
        subject: subject.label(rows),
        about: subject.page(),
        message: format!(
            "{} has two values of {predicate} at the same time: {:?} and {:?}",
            subject.title(rows),
            one.object,
            two.object
        ),
        since: since.map(|date| date.to_string()),
        lines: facts.map(line_ref),
        topic: topic(&[about]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_overlap_under_every_reading() {
        let interval =
            |text: &str| if text.is_empty() { Interval::default() } else { text.parse().expect(text) };
        for (one, other, expected) in [
            ("", "", true),
            ("2018..", "2020..", true),
            ("2018..2020", "2021..", false),
            ("2018..2024-03", "2024-03..", false),
            ("2018..2024", "2024-03..", false),
            ("2018..2024-03-01", "2024-03-01..", false),
            ("2018..2024-03-02", "2024-03-01..", true),
            ("2018..2024-05", "2024-03..", true),
            ("..2020", "2019-06..", true),
            ("..2020", "2020..", false),
        ] {
            assert_eq!(overlap(interval(one), interval(other)), expected, "{one} {other}");
            assert_eq!(overlap(interval(other), interval(one)), expected, "{other} {one}");
        }
    }
}
