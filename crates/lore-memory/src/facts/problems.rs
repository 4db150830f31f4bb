//! Checks the facts of a vault: duplicates, and two values of a single-valued predicate.

use std::collections::{BTreeMap, HashMap};

use lore_engine::{Result, ValueRules, VaultContext};
use lore_page::overlapping_pairs;
use lore_ports::{PageNo, Statement, StatementRow};

use super::{Referent, Referents, facts_and_paths};

/// Returns the problems, one sentence each, sorted by page and line.
pub fn problems(context: &VaultContext) -> Result<Vec<String>> {
    let (rows, paths) = facts_and_paths(context)?;
    let path = |page: PageNo| paths.get(&page).map(String::as_str).unwrap_or_default();
    let mut problems = Vec::new();
    problems.extend(repeated_facts(&rows, path));
    problems.extend(overlapping_values(context, &rows, path)?);
    Ok(problems)
}

/// Returns facts that a page states twice.
fn repeated_facts<'p>(rows: &[StatementRow], path: impl Fn(PageNo) -> &'p str) -> Vec<String> {
    let mut seen = HashMap::new();
    let mut problems = Vec::new();
    for row in rows {
        let statement = &row.statement;
        let key = (row.page, &statement.subject, &statement.predicate, &statement.object, statement.interval);
        if let Some(first) = seen.insert(key, statement.lines.first) {
            let (path, line) = (path(row.page), statement.lines.first);
            problems.push(format!("{path}: lines {first} and {line} state the same {}", statement.predicate));
        }
    }
    problems
}

/// Returns values of a single-valued predicate that are valid at the same time on one page: a new value was added by
/// hand without ending the old one.
fn overlapping_values<'p>(
    context: &VaultContext,
    rows: &[StatementRow],
    path: impl Fn(PageNo) -> &'p str,
) -> Result<Vec<String>> {
    let rules = ValueRules::new(context);
    rules.observe(rows);
    let mut single: Vec<(String, &StatementRow)> = Vec::new();
    for row in rows {
        let topic = rules.topic(&row.statement.predicate, &row.statement.object)?;
        single.extend(topic.map(|topic| (topic, row)));
    }
    let words =
        single.iter().flat_map(|(_, row)| row.statement.subject.iter().chain([&row.statement.object]));
    let referents = Referents::read(context, words.map(String::as_str))?;
    let mut groups: BTreeMap<(PageNo, Referent, String), Vec<&Statement>> = BTreeMap::new();
    for (topic, row) in single {
        let subject = referents.subject(&row.statement, row.page, path(row.page));
        groups.entry((row.page, subject, topic)).or_default().push(&row.statement);
    }
    let mut problems = Vec::new();
    for ((page, ..), group) in groups {
        let value =
            |statement: &&Statement| (statement.interval, referents.of(&statement.object, path(page)));
        let items: Vec<_> = group.iter().map(value).collect();
        for (one, other) in overlapping_pairs(&items) {
            let (one, other) = (group[one], group[other]);
            problems.push(format!(
                "{}: lines {} and {} give {} two values at the same time: {} and {}",
                path(page),
                one.lines.first,
                other.lines.first,
                one.predicate,
                one.object,
                other.object
            ));
        }
    }
    Ok(problems)
}
