//! Several lines of one kind added at once: the text is parsed a fixed number of times, however many they are.

use std::collections::{BTreeMap, HashSet};

use super::doc::Doc;
use super::entry::{self, EntryPosition};
use super::lines::{line_end, with_line_end};
use super::relation;
use super::{EditError, NewEntry, NewRelation, add_entry, add_relation};
use crate::format::Format;

/// Adds relations, each where [`add_relation`] would.
pub fn add_relations(format: Format, text: &str, new: &[NewRelation]) -> Result<String, EditError> {
    let one_by_one = |text: &str, new: &[NewRelation]| {
        new.iter().try_fold(text.to_owned(), |text, one| add_relation(format, &text, one))
    };
    let Some((first, rest)) = new.split_first() else { return Ok(text.to_owned()) };
    let begun = add_relation(format, text, first)?;
    let doc = Doc::new(format, &begun);
    let stated: HashSet<relation::Key> = doc.page.links.iter().map(relation::key_of_link).collect();
    let mut seen = HashSet::new();
    let missing: Vec<&NewRelation> = rest
        .iter()
        .filter(|one| !stated.contains(&relation::key(one)) && seen.insert(relation::key(one)))
        .collect();
    let at = doc.page.links.iter().find(|link| relation::key_of_link(link) == relation::key(first));
    let item = at.and_then(|link| doc.item(link.line as usize));
    let (Some(link), Some((prefix, bullet))) = (at, item) else { return one_by_one(&begun, rest) };
    if missing.is_empty() {
        return Ok(begun);
    }
    let items: Vec<String> = missing.iter().map(|one| relation::item(format, one)).collect();
    let edited = doc.insert_after_item(link.line as usize, &items.join(&format!("\n{prefix}{bullet} ")));
    let read = Doc::new(format, &edited).page.links;
    let stated: HashSet<relation::Key> = read.iter().map(relation::key_of_link).collect();
    match new.iter().all(|one| stated.contains(&relation::key(one))) {
        true => Ok(edited),
        false => one_by_one(&begun, rest),
    }
}

/// What makes an entry the same as another.
type EntryKey = (String, String);

/// Adds entries to the timeline, each where [`add_entry`] would. Unlike there, an entry is only left out if the page has
/// one with the same day, summary and source; the detail that it has beyond that one is added to it.
pub fn add_entries(format: Format, text: &str, new: &[NewEntry]) -> Result<String, EditError> {
    let mut new = new.to_vec();
    let mut text = text.to_owned();
    if !new.is_empty() && matches!(entry::place(&Doc::new(format, &text), ""), EntryPosition::FirstEntry) {
        text = add_entry(format, &text, &new.remove(0))?;
    }
    let doc = Doc::new(format, &text);
    let (missing, details) = missing(&doc, &new);
    if missing.is_empty() && details.is_empty() {
        return Ok(text);
    }
    let edited = insert(&doc, &missing, details);
    let read = Doc::new(format, &edited).page.entries;
    match missing.iter().all(|one| read.iter().any(|entry| entry::is_exactly(entry, one))) {
        true => Ok(edited),
        // One of them does not read back in its place: this says which, and why.
        false => missing.iter().try_fold(text.clone(), |text, one| add_entry(format, &text, one)),
    }
}

/// Returns the entries that a page does not have, and the details that are missing on entries that it has, by their
/// position.
fn missing(doc: &Doc<'_>, new: &[NewEntry]) -> (Vec<NewEntry>, BTreeMap<usize, String>) {
    let mut known: BTreeMap<EntryKey, Vec<usize>> = BTreeMap::new();
    for (at, one) in doc.page.entries.iter().enumerate() {
        known.entry((one.date.clone(), one.summary.clone())).or_default().push(at);
    }
    let (mut missing, mut details): (Vec<NewEntry>, BTreeMap<usize, String>) = Default::default();
    let mut added: BTreeMap<(EntryKey, Option<String>), usize> = BTreeMap::new();
    for one in new.iter().map(entry::normalized) {
        let key = (one.date.clone(), one.summary.clone());
        let same = known.get(&key).into_iter().flatten().copied().find(|at| {
            let source = &doc.page.entries[*at].source;
            one.source.is_none() || *source == one.source
        });
        let detail = one.detail.as_deref().unwrap_or_default();
        if let Some(at) = same {
            let has = doc.page.entries[at].detail.as_deref().unwrap_or_default();
            let more = details.get(&at).map_or_else(|| has.to_owned(), |more| joined(has, more));
            if let Some(rest) = beyond(&more, detail) {
                let all = details.entry(at).or_default();
                *all = joined(all, &rest);
            }
        } else if let Some(at) = added.get(&(key.clone(), one.source.clone())) {
            let has = missing[*at].detail.clone().unwrap_or_default();
            missing[*at].detail =
                beyond(&has, detail).map_or(Some(has.clone()), |rest| Some(joined(&has, &rest)));
        } else {
            added.insert((key, one.source.clone()), missing.len());
            missing.push(one);
        }
    }
    (missing, details)
}

fn joined(one: &str, other: &str) -> String {
    if one.is_empty() { other.to_owned() } else { format!("{one}\n{other}") }
}

/// Returns the lines of a detail that go beyond another one.
fn beyond(has: &str, detail: &str) -> Option<String> {
    let lines = |text: &str| -> Vec<String> {
        text.trim_end().lines().map(|line| line.trim_end().to_owned()).collect()
    };
    let (has, detail) = (lines(has), lines(detail));
    if detail.is_empty() || has.windows(detail.len()).any(|part| part == detail) {
        return None;
    }
    let rest = if detail.starts_with(&has) { &detail[has.len()..] } else { &detail[..] };
    Some(rest.join("\n"))
}

/// Inserts entries and details into a page that has entries.
fn insert(doc: &Doc<'_>, missing: &[NewEntry], details: BTreeMap<usize, String>) -> String {
    let mut blocks: BTreeMap<usize, (Vec<String>, Vec<String>)> = BTreeMap::new();
    for (at, detail) in details {
        let entry = &doc.page.entries[at];
        let end = doc.lines.end(entry.lines.last as usize);
        blocks.entry(end).or_default().0.push(format!("{}\n", entry::indented(doc, entry, &detail)));
    }
    for (position, lines) in entry::positions(doc, missing) {
        blocks.entry(position).or_default().1.push(lines);
    }
    let end = line_end(doc.text);
    let mut edited = String::with_capacity(doc.text.len());
    let mut copied = 0;
    for (at, (details, entries)) in blocks {
        edited.push_str(&doc.text[copied..at]);
        if !edited.is_empty() && !edited.ends_with('\n') {
            edited.push_str(end);
        }
        for block in details.iter().chain(&entries) {
            edited.push_str(&with_line_end(block, end));
        }
        copied = at;
    }
    edited.push_str(&doc.text[copied..]);
    edited
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Format::{Markdown, Org};

    #[test]
    fn relations_are_added_as_one_by_one() {
        let relation = |verb: &str, target: &str| NewRelation {
            relation: verb.into(),
            target: target.into(),
            ..NewRelation::default()
        };
        let new = [
            relation("has_part", "One"),
            relation("knows", "Two"),
            relation("has_part", "One"),
            relation("works at", "Three"),
            relation("has_part", "Four"),
        ];
        for text in
            ["# A\n", "# A\n\n* knows [[Two]]\n\n---\n\nBelow.\n", "# A\n\n## Relations\n\n## B\n", ""]
        {
            for format in [Markdown, Org] {
                let one_by_one =
                    new.iter().try_fold(text.to_owned(), |text, one| add_relation(format, &text, one));
                let read = |text: &str| -> HashSet<relation::Key> {
                    Doc::new(format, text).page.links.iter().map(relation::key_of_link).collect()
                };
                let batch = add_relations(format, text, &new).expect("relations");
                assert_eq!(read(&batch), read(&one_by_one.expect("relations")), "{text:?}: {batch}");
                assert_eq!(add_relations(format, &batch, &new).expect("again"), batch);
            }
        }
    }

    #[test]
    fn entries_are_added_as_one_by_one() {
        let entry = |date: &str, summary: &str, detail: Option<&str>| NewEntry {
            date: date.into(),
            source: Some("chat".into()),
            summary: summary.into(),
            detail: detail.map(str::to_owned),
        };
        let new = [
            entry("2024-05-01", "Five", None),
            entry("2024-01-01", "One", Some("a\n\nb")),
            entry("2024-03-01", "Three — with {braces}", None),
            entry("2024", "A year", None),
            entry("2023-12-31", "Before", Some("- item")),
        ];
        let old = "- **2024-04-01** | x — Four\n- **2024-02-01** | x — Two\n";
        for text in [
            "# A\n".to_owned(),
            format!("# A\n\n---\n\n{old}"),
            format!("# A\n\n---\n\n## Timeline\n\n{old}\nBelow.\n"),
            format!("# A\n\n---\n\n{}", old.replace('\n', "\n\n")),
            format!("# A\r\n\r\n---\r\n\r\n{}", old.replace('\n', "\r\n")),
        ] {
            let one_by_one = new.iter().try_fold(text.clone(), |text, one| add_entry(Markdown, &text, one));
            let batch = add_entries(Markdown, &text, &new).expect("entries");
            assert_eq!(batch, one_by_one.expect("entries"), "{text:?}");
            assert_eq!(add_entries(Markdown, &batch, &new).expect("again"), batch);
        }
    }
}
