//! Decides which structured lines of an old text a new text mentions.

use std::collections::{BTreeSet, HashMap, HashSet};

use lore_text::{PartialDate, fold, jaccard, terms};

use super::statement::{Body, Statement, about};
use crate::body::item_ranges;
use crate::edit::doc::Doc;
use crate::interval::Interval;
use crate::page::{Entry, Fact};

/// Minimum share of common words for two observations of a category to be the same one, reworded.
const REWORDED: f64 = 0.5;

/// Maximum number of pairs of observations that are compared; beyond it they count as different.
const COMPARED: usize = 250_000;

/// What the new text says about a line of the old one. The number is that of the line in the new text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mention {
    /// Nothing: the line is kept.
    Missing,
    /// The same, or a changed line in its place.
    Mentioned(usize),
    /// A new value of a single-valued fact: the line is kept and ends on this day.
    Ended(usize, PartialDate),
    /// The same entry with less detail: the line is kept in its place.
    Shortened(usize),
}

/// A text and its structured lines.
pub(super) struct Side<'d, 't> {
    pub(super) doc: &'d Doc<'t>,
    pub(super) statements: &'d [Statement<'d>],
}

/// Returns what the new text says about each line of the old one.
pub(super) fn pair(
    old: &Side<'_, '_>,
    new: &Side<'_, '_>,
    topic: &dyn Fn(&Fact) -> Option<String>,
) -> Vec<Mention> {
    let mut pairing =
        Pairing { mentions: vec![Mention::Missing; old.statements.len()], used: HashSet::new() };
    pairing.exact(old, new);
    pairing.by_key(old, new);
    pairing.new_values(old, new, topic);
    pairing.reworded(old, new);
    pairing.entries(old, new);
    pairing.texts(old, new);
    pairing.mentions
}

struct Pairing {
    mentions: Vec<Mention>,
    /// Lines of the new text that stand for a line of the old one.
    used: HashSet<usize>,
}

impl Pairing {
    fn missing<'s>(&self, old: &'s Side<'_, '_>) -> Vec<(usize, &'s Statement<'s>)> {
        let is_missing = |(at, _): &(usize, &Statement<'_>)| self.mentions[*at] == Mention::Missing;
        old.statements.iter().enumerate().filter(is_missing).collect()
    }

    fn take(&mut self, old: usize, new: usize, mention: Mention) {
        self.mentions[old] = mention;
        self.used.insert(new);
    }

    /// Lines that say exactly the same.
    fn exact(&mut self, old: &Side<'_, '_>, new: &Side<'_, '_>) {
        let mut lines: HashMap<String, usize> = HashMap::new();
        for (at, statement) in new.statements.iter().enumerate() {
            lines.entry(statement.signature(new.doc)).or_insert(at);
        }
        for (at, statement) in old.statements.iter().enumerate() {
            if let Some(found) = lines.get(&statement.signature(old.doc)) {
                self.take(at, *found, Mention::Mentioned(*found));
            }
        }
    }

    /// The same fact or relation with other dates, provenance or context. One that was true at another time is another.
    fn by_key(&mut self, old: &Side<'_, '_>, new: &Side<'_, '_>) {
        let mut lines: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, statement) in new.statements.iter().enumerate() {
            lines.entry(statement.key().unwrap_or_default()).or_default().push(at);
        }
        for (at, statement) in self.missing(old) {
            let Some(key) = statement.key() else { continue };
            let dates = interval(statement);
            let fits = |found: &&usize| {
                let other = interval(&new.statements[**found]);
                !self.used.contains(*found) && (other.from == dates.from || other.overlaps(dates))
            };
            let same = lines.get(&key).into_iter().flatten();
            let begins = |found: &&usize| interval(&new.statements[**found]).from == dates.from;
            let found = same.clone().filter(fits).find(begins).or_else(|| same.clone().find(fits));
            if let Some(found) = found.copied() {
                self.take(at, found, Mention::Mentioned(found));
            }
        }
    }

    /// A new value of a single-valued fact.
    fn new_values(
        &mut self,
        old: &Side<'_, '_>,
        new: &Side<'_, '_>,
        topic: &dyn Fn(&Fact) -> Option<String>,
    ) {
        let mut values: HashMap<String, Vec<(usize, &Fact)>> = HashMap::new();
        for (at, statement) in new.statements.iter().enumerate().filter(|(at, _)| !self.used.contains(at)) {
            if let Body::Fact(fact) = statement.body
                && let Some(topic) = topic(fact)
            {
                values.entry(about(fact, &topic)).or_default().push((at, fact));
            }
        }
        for (at, statement) in self.missing(old) {
            let Body::Fact(fact) = statement.body else { continue };
            let Some(topic) = topic(fact) else { continue };
            let new = values.get(&about(fact, &topic)).into_iter().flatten();
            if let Some((found, value)) =
                new.clone().find(|(_, value)| value.interval.overlaps(fact.interval))
            {
                let mention = match end_of(fact.interval, value.interval) {
                    Some(day) => Mention::Ended(*found, day),
                    None => Mention::Mentioned(*found),
                };
                self.take(at, *found, mention);
            }
        }
    }

    /// An observation of the same category that shares at least half of its words.
    fn reworded(&mut self, old: &Side<'_, '_>, new: &Side<'_, '_>) {
        let words = |statement: &Statement<'_>| match statement.body {
            Body::Observation(line) => Some((fold(&line.category), terms(&line.content))),
            _ => None,
        };
        type Words = (usize, (String, BTreeSet<String>));
        let missing: Vec<Words> =
            self.missing(old).into_iter().filter_map(|(at, line)| Some((at, words(line)?))).collect();
        let unused = new.statements.iter().enumerate().filter(|(at, _)| !self.used.contains(at));
        let unused: Vec<Words> = unused.filter_map(|(at, line)| Some((at, words(line)?))).collect();
        if missing.len().saturating_mul(unused.len()) > COMPARED {
            return;
        }
        let mut pairs: Vec<(f64, usize, usize)> = Vec::new();
        for (at, (category, words)) in &missing {
            let same = unused.iter().filter(|(_, (other, _))| other == category);
            pairs.extend(same.map(|(found, (_, other))| (jaccard(words, other), *at, *found)));
        }
        pairs.retain(|(share, ..)| *share >= REWORDED);
        pairs.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| (a.1, a.2).cmp(&(b.1, b.2))));
        for (_, at, found) in pairs {
            if self.mentions[at] == Mention::Missing && !self.used.contains(&found) {
                self.take(at, found, Mention::Mentioned(found));
            }
        }
    }

    /// The same entry with more or less detail. Entries are never changed, so any other difference makes another entry.
    fn entries(&mut self, old: &Side<'_, '_>, new: &Side<'_, '_>) {
        let mut lines: HashMap<(&str, &str), Vec<(usize, &Entry)>> = HashMap::new();
        for (at, statement) in new.statements.iter().enumerate() {
            if let Body::Entry(entry) = statement.body {
                lines.entry((&entry.date, &entry.summary)).or_default().push((at, entry));
            }
        }
        for (at, statement) in self.missing(old) {
            let Body::Entry(entry) = statement.body else { continue };
            let same = lines.get(&(entry.date.as_str(), entry.summary.as_str()));
            for (found, other) in same.into_iter().flatten().filter(|(found, _)| !self.used.contains(found)) {
                let mention = match (includes(other, entry), includes(entry, other)) {
                    (true, _) => Mention::Mentioned(*found),
                    (_, true) => Mention::Shortened(*found),
                    _ => continue,
                };
                self.take(at, *found, mention);
                break;
            }
        }
    }

    /// Text of a timeline whose lines are all in the new text, and items whose lines are: another paragraph may have been
    /// written directly below one, which then says something else. An entry is more than its lines.
    fn texts(&mut self, old: &Side<'_, '_>, new: &Side<'_, '_>) {
        let content = |line: usize| new.doc.lines.content(line).trim();
        let lines: HashSet<&str> = (1..=new.doc.lines.count()).map(content).collect();
        let items: HashSet<&str> = item_ranges(new.doc.format, new.doc.text)
            .iter()
            .map(|item| content(new.doc.lines.at(item.own.start)))
            .collect();
        for (at, statement) in self.missing(old) {
            let is_there = |line: usize| lines.contains(old.doc.lines.content(line).trim());
            let is_item = || items.contains(old.doc.lines.content(statement.first).trim());
            let may_be_there = match statement.body {
                Body::Text => true,
                Body::Entry(_) => false,
                _ => is_item(),
            };
            if may_be_there && (statement.first..=statement.last).all(is_there) {
                // It is no anchor for other lines: its place in the new text is not known.
                self.mentions[at] = Mention::Mentioned(usize::MAX);
            }
        }
    }
}

fn interval(statement: &Statement<'_>) -> Interval {
    match statement.body {
        Body::Fact(fact) => fact.interval,
        Body::Relation(link) => link.interval,
        _ => Interval::default(),
    }
}

/// Returns the day on which a value ends because another begins; `None` if the other is a correction without a date.
fn end_of(old: Interval, new: Interval) -> Option<PartialDate> {
    let start = new.from?;
    let began_before = old.from.is_none_or(|from| from.first_day() < start.first_day());
    start.day_before().filter(|_| began_before)
}

/// Whether an entry says everything that another one of the same day and summary says.
fn includes(entry: &Entry, other: &Entry) -> bool {
    let lines = |entry: &Entry| -> BTreeSet<String> {
        let detail = entry.detail.as_deref().unwrap_or_default();
        detail.lines().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()).collect()
    };
    (other.source.is_none() || other.source == entry.source) && lines(other).is_subset(&lines(entry))
}
