//! Checks the facts of a vault: duplicates, and two values of a single-valued predicate.

use std::collections::{BTreeMap, HashMap, HashSet};

use lore_engine::{Result, ValueRules, VaultContext};
use lore_page::overlapping_pairs;
use lore_ports::{PageNo, Statement, StatementRow, no_progress};

use super::{Referent, Referents, facts_and_paths};
use crate::check::{CheckScope, Group, check};

/// Returns the facts that a page states twice, one sentence each.
pub fn problems(context: &VaultContext) -> Result<Vec<String>> {
    let (rows, paths) = facts_and_paths(context)?;
    Ok(repeated_facts(&rows, |page| paths.get(&page).map(String::as_str).unwrap_or_default()))
}

/// Returns the values of a single-valued predicate that are valid at the same time on one page, one sentence for each two,
/// except for those that a person has resolved.
pub fn fact_contradictions(context: &VaultContext) -> Result<Vec<String>> {
    let (rows, paths) = facts_and_paths(context)?;
    overlapping_values(context, &rows, |page| paths.get(&page).map(String::as_str).unwrap_or_default())
}

/// A page and two objects that its facts state, in order.
type Pair<'r> = (&'r str, [&'r str; 2]);

fn pair<'r>(path: &'r str, mut objects: [&'r str; 2]) -> Pair<'r> {
    objects.sort_unstable();
    (path, objects)
}

/// Returns the values whose contradiction is resolved.
fn resolved_pairs<'r>(
    context: &VaultContext,
    rows: &'r [StatementRow],
    path: impl Fn(PageNo) -> &'r str,
) -> Result<HashSet<Pair<'r>>> {
    let scope = CheckScope { page: None, group: Some(Group::CrossPage) };
    let mut findings = check(context, scope, &no_progress)?;
    findings.retain(|finding| finding.settled.is_some());
    if findings.is_empty() {
        return Ok(HashSet::new());
    }
    let mut objects: HashMap<&str, HashMap<u32, &str>> = HashMap::new();
    for row in rows {
        let of_page = objects.entry(path(row.page)).or_default();
        of_page.insert(row.statement.lines.first, &row.statement.object);
    }
    let pairs = findings.iter().filter_map(|finding| {
        let [one, other] = &finding.places;
        let (path, lines) = objects.get_key_value(one.path.as_str()).filter(|_| one.path == other.path)?;
        Some(pair(path, [lines.get(&one.line)?, lines.get(&other.line)?]))
    });
    Ok(pairs.collect())
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
    rows: &'p [StatementRow],
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
    if groups.values().all(|group| group.len() < 2) {
        return Ok(problems);
    }
    let resolved = resolved_pairs(context, rows, &path)?;
    for ((page, ..), group) in groups {
        let value =
            |statement: &&Statement| (statement.interval, referents.of(&statement.object, path(page)));
        let items: Vec<_> = group.iter().map(value).collect();
        for (one, other) in overlapping_pairs(&items) {
            let (one, other) = (group[one], group[other]);
            if resolved.contains(&pair(path(page), [&one.object, &other.object])) {
                continue;
            }
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
