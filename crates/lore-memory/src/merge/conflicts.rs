//! Statements of merged pages that cannot hold together. Every other write refuses them, so a person settles them first.

use std::collections::{BTreeMap, HashSet};

use lore_engine::{Result, ValueRules, VaultContext, overlapping_relations};
use lore_page::{Fact, parse};
use lore_ports::{PageNo, PageRow};

use crate::facts::{Referent, Referents};

/// Returns pairs of lines that cannot hold together, one sentence each. Pairs that one of the source texts has already are
/// left out: the merge does not cause them.
pub(super) fn conflicts(
    context: &VaultContext,
    target: &PageRow,
    others: &[PageRow],
    text: &str,
    sources: &[String],
) -> Result<Vec<String>> {
    let sources: Vec<HashSet<&str>> =
        sources.iter().map(|source| source.lines().map(str::trim).collect()).collect();
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let line = |number: u32| lines.get(number as usize - 1).copied().unwrap_or_default();
    let is_new = |(one, other): &(u32, u32)| {
        !sources.iter().any(|source| source.contains(line(*one)) && source.contains(line(*other)))
    };
    let shown =
        |what: &str, (one, other): (u32, u32)| format!("{what}: `{}` and `{}`", line(one), line(other));
    let values =
        overlapping_values(context, target, others, text)?.into_iter().filter(|(_, pair)| is_new(pair));
    let relations = overlapping_relations(context, &target.path, text)?.into_iter().filter(is_new);
    let values = values.map(|(predicate, pair)| shown(&format!("two values of {predicate}"), pair));
    Ok(values.chain(relations.map(|pair| shown("one relation twice at the same time", pair))).collect())
}

/// Returns the lines with two values of a single-valued predicate that are valid at the same time, in pairs.
fn overlapping_values(
    context: &VaultContext,
    target: &PageRow,
    others: &[PageRow],
    text: &str,
) -> Result<Vec<(String, (u32, u32))>> {
    let rules = ValueRules::new(context);
    let facts = parse(&target.path, text).page.facts;
    let words = facts.iter().flat_map(|fact| fact.subject.iter().chain([&fact.object]));
    let referents = Referents::read(context, words.map(String::as_str))?;
    let merged: Vec<PageNo> = others.iter().map(|page| page.number).collect();
    let of = |words: &str| match referents.of(words, &target.path) {
        Referent::Page(page) if merged.contains(&page) => Referent::Page(target.number),
        other => other,
    };
    let mut groups: BTreeMap<(Referent, String), Vec<(&Fact, Referent)>> = BTreeMap::new();
    for fact in &facts {
        if let Some(topic) = rules.topic(&fact.predicate, &fact.object)? {
            let subject = fact.subject.as_deref().map_or(Referent::Page(target.number), of);
            groups.entry((subject, topic)).or_default().push((fact, of(&fact.object)));
        }
    }
    let mut pairs = Vec::new();
    for group in groups.into_values() {
        for (at, (one, value)) in group.iter().enumerate() {
            let rivals = group[at + 1..].iter().filter(|(_, other)| other != value);
            let rivals = rivals.filter(|(other, _)| other.interval.overlaps(one.interval));
            pairs.extend(rivals.map(|(other, _)| (one.predicate.clone(), (one.line, other.line))));
        }
    }
    Ok(pairs)
}
