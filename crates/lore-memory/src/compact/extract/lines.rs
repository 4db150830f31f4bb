//! Structured lines worth keeping: valid facts and relations, observations and entries.

use std::collections::BTreeSet;

use lore_page::{Fact, Interval, LINKS_TO, LineRange, Link, Page};
use lore_text::{fold, on_one_line};

use crate::compact::prose::continues;
use crate::compact::summarizer::SummarySource;

/// Lines to keep, most important first.
#[derive(Debug, Default)]
pub(super) struct KeptLines {
    /// Facts valid today, each with an explicit subject.
    pub facts: Vec<String>,
    /// Observations, decisions first.
    pub observations: Vec<String>,
    /// Relations valid today to pages outside the cluster.
    pub relations: Vec<String>,
    /// Timeline entries, newest first.
    pub entries: Vec<String>,
}

/// Returns the lines of pages worth keeping, without duplicates.
pub(super) fn kept_lines(
    sources: &[SummarySource],
    pages: &[Page],
    newest: &[usize],
    today: &str,
) -> KeptLines {
    let mut kept = KeptLines::default();
    let (mut decisions, mut dated) = (Vec::new(), Vec::new());
    let mut seen: BTreeSet<String> = BTreeSet::new();
    let mut is_new = |line: &str| seen.insert(fold(&on_one_line(line)));
    for (source, page) in newest.iter().map(|at| (&sources[*at], &pages[*at])) {
        let line = |number: u32| whole_item(&source.text, number);
        for fact in page.facts.iter().filter(|fact| has_not_ended(fact.interval, today)) {
            let line = with_subject(&line(fact.line), fact, source);
            kept.facts.extend(is_new(&line).then_some(line));
        }
        for observation in &page.observations {
            let line = line(observation.line);
            let list =
                if is_decision(&observation.category) { &mut decisions } else { &mut kept.observations };
            list.extend(is_new(&line).then_some(line));
        }
        for link in page.links.iter().filter(|link| is_relevant(link, source, today)) {
            let line = line(link.line);
            kept.relations.extend(is_new(&line).then_some(line));
        }
        for entry in &page.entries {
            let text = item(&source.text, entry.lines);
            dated.extend(is_new(&text).then_some((entry.date.clone(), text)));
        }
    }
    dated.sort_by(|a, b| b.0.cmp(&a.0));
    kept.entries = dated.into_iter().map(|(_, text)| text).collect();
    decisions.append(&mut kept.observations);
    kept.observations = decisions;
    kept
}

/// Returns whether an interval has not ended yet; it may still lie in the future.
fn has_not_ended(interval: Interval, today: &str) -> bool {
    interval.until.is_none_or(|until| today <= until.last_day().as_str())
}

fn is_decision(category: &str) -> bool {
    ["decision", "decided", "rationale", "reason"].contains(&fold(category).as_str())
}

/// Returns whether a relation is worth keeping in a summary: it is still valid, leads outside the cluster and would not
/// make the summary contested.
fn is_relevant(link: &Link, source: &SummarySource, today: &str) -> bool {
    let in_text = link.span.start < link.span.end;
    in_text
        && ![LINKS_TO, "contradicts"].contains(&fold(&link.relation).as_str())
        && has_not_ended(link.interval, today)
        && !source.within.contains(&link.target)
}

/// Returns a list item with its continuation lines, joined into one line.
fn whole_item(text: &str, number: u32) -> String {
    let rest = text.lines().skip(number as usize).map(str::trim).take_while(|line| continues(line));
    let first = item(text, LineRange { first: number, last: number });
    rest.fold(first, |line, more| format!("{line} {more}"))
}

/// Returns the lines of an item without indentation, with its marker changed to a dash.
fn item(text: &str, lines: LineRange) -> String {
    let first = lines.first.saturating_sub(1) as usize;
    let count = (lines.last + 1).saturating_sub(lines.first) as usize;
    let all: Vec<&str> = text.lines().skip(first).take(count).collect();
    let indent = all.first().map_or(0, |line| line.len() - line.trim_start().len());
    let cut = |line: &str| line.get(indent..).unwrap_or(line.trim_start()).trim_end().to_owned();
    let mut item = all.into_iter().map(cut).collect::<Vec<_>>().join("\n");
    if item.starts_with(['*', '+']) {
        item.replace_range(..1, "-");
    }
    item
}

/// Returns a fact's line with its subject made explicit, since on another page it would be about that page.
fn with_subject(line: &str, fact: &Fact, source: &SummarySource) -> String {
    if fact.subject.is_some() {
        return line.to_owned();
    }
    let subject = if source.title.contains(['|', ':', '\n']) { &source.slug } else { &source.title };
    match line.strip_prefix('-') {
        Some(rest) => format!("- {subject} | {}", rest.trim_start()),
        None => format!("- {subject} | {line}"),
    }
}
