//! Keeps the structured lines of a page when its text is rewritten: facts, relations, observations and the timeline leave a
//! page only if the caller drops them by name.
//!
//! A new text mentions an old line if it has
//!
//! - the same line;
//! - the same fact or relation (subject, predicate and object; verb and target) with other dates, provenance or context,
//!   unless it was true at another time;
//! - another value of a single-valued fact; if that has a start date, the old line is kept and ends on the day before;
//! - an observation of the same category with at least half of its words in common;
//! - the same entry (day and summary), as long as it says no less.
//!
//! Every other old line is kept: beside its old neighbours, else at the end of the section with the same heading, else
//! under that heading at the end of the truth. A text without a timeline keeps the old timeline as it is.
//!
//! A heading with an id is not moved into the new text: a text without it is refused.

mod assemble;
mod dropped;
mod node;
mod pair;
mod place;
mod same;
mod statement;

use std::collections::{HashMap, HashSet};

use super::EditError;
use super::doc::Doc;
use super::fact::close_fact;
use crate::format::Format;
use crate::page::Fact;
use assemble::{assemble, with_timeline};
use node::check_nodes;
use pair::{Mention, Side, pair};
use place::{Place, Placed, Places, indent};
use same::unchanged_body;
use statement::{Body, Statement, statements};

pub use dropped::Dropped;
pub(super) use node::check_truth_node;
pub use statement::LineKind;

/// The terms of a rewrite.
pub struct RewriteTerms<'a> {
    /// Lines that are not kept.
    pub dropped: &'a Dropped,
    /// The topic of a fact; facts of one topic and subject exclude each other. None if its predicate can have several
    /// values at the same time.
    pub topic: &'a dyn Fn(&Fact) -> Option<String>,
}

/// The structured lines that a rewrite kept, added and removed, each on one line. A changed line is removed and added.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LineChanges {
    /// Lines that the new text does not mention.
    pub kept: Vec<String>,
    /// New lines.
    pub added: Vec<String>,
    /// Lines that are gone.
    pub removed: Vec<String>,
}

/// A rewritten text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rewritten {
    /// The new text with the lines that were kept.
    pub text: String,
    /// What happened to the structured lines.
    pub lines: LineChanges,
}

/// Returns a new text of a page with the structured lines of the old one that it does not mention.
pub fn carry_over(
    format: Format,
    old: &str,
    new: &str,
    terms: &RewriteTerms<'_>,
) -> Result<Rewritten, EditError> {
    let (old_doc, new_doc) = (Doc::new(format, old), Doc::new(format, new));
    let (old_lines, new_lines) = (statements(&old_doc), statements(&new_doc));
    terms.dropped.check(&old_doc, &old_lines)?;
    check_nodes(&old_doc, &new_doc, terms.dropped)?;
    let old = Side { doc: &old_doc, statements: &old_lines };
    let new = Side { doc: &new_doc, statements: &new_lines };
    let mentions = pair(&old, &new, terms.topic);
    let dropped = terms.dropped.of(&old_doc, &old_lines);
    let rewrite = Rewrite { old, new, mentions, dropped };
    let timeline = rewrite.whole_timeline(terms.dropped);
    let units = rewrite.units(timeline.is_some());
    let text = rewrite.text(&units, timeline.as_deref());
    rewrite.check(&text, &units, timeline.is_some())?;
    let lines = rewrite.changes(&text);
    Ok(Rewritten { text, lines })
}

/// A line that is kept, with what is nested in it.
struct Unit {
    at: usize,
    first: usize,
    last: usize,
}

/// A rewrite under way.
struct Rewrite<'d, 't> {
    old: Side<'d, 't>,
    new: Side<'d, 't>,
    mentions: Vec<Mention>,
    dropped: Vec<bool>,
}

impl Rewrite<'_, '_> {
    /// Whether a line of the old text has to be written into the new one.
    fn is_kept(&self, at: usize) -> bool {
        !self.dropped[at] && !matches!(self.mentions[at], Mention::Mentioned(_))
    }

    fn in_timeline(&self, line: &Statement<'_>) -> bool {
        !self.old.doc.in_truth(line.first as u32)
    }

    /// Returns the old timeline with its rule, if the new text has none: without lines that are dropped, or that the new
    /// text has elsewhere.
    fn whole_timeline(&self, dropped: &Dropped) -> Option<String> {
        let doc = self.old.doc;
        let timeline = doc.page.timeline.filter(|timeline| !timeline.of(doc.text).trim().is_empty())?;
        if self.new.doc.page.timeline.is_some() || dropped.has_timeline() || dropped.is_replacement() {
            return None;
        }
        let lines = self.old.statements.iter().enumerate().filter(|(_, line)| self.in_timeline(line));
        let mut gone = vec![false; doc.lines.count() + 2];
        let mut kept_until = 0;
        for (at, line) in lines {
            match (line.first <= kept_until, self.is_kept(at)) {
                // What is nested in a line stays with it.
                (true, _) => {}
                (false, true) => kept_until = line.whole,
                (false, false) => gone[line.first..=line.last].fill(true),
            }
        }
        let first = doc.lines.at(timeline.start);
        let kept = (first..=doc.lines.count()).filter(|line| !gone[*line]);
        let mut headings = vec![false; gone.len()];
        for heading in &doc.page.headings {
            let start = heading.lines.first as usize;
            headings[start..=doc.heading_end(start)].fill(true);
        }
        let has_text = kept.clone().any(|line| !headings[line] && !doc.blank(line));
        let is_whole = (first..=doc.lines.count()).all(|line| !gone[line]);
        let text: String = kept.map(|line| &doc.text[doc.lines.start(line)..doc.lines.end(line)]).collect();
        let rule = &doc.text[doc.page.truth.end..timeline.start];
        (has_text || is_whole).then(|| format!("{rule}{text}"))
    }

    /// Returns the lines to write, in order.
    fn units(&self, has_timeline: bool) -> Vec<Unit> {
        let new = &self.new.doc.lines;
        let known: HashSet<&str> =
            (1..=new.count()).map(|line| new.content(line).trim()).filter(|line| !line.is_empty()).collect();
        let mut units: Vec<Unit> = Vec::new();
        for (at, line) in self.old.statements.iter().enumerate() {
            let is_covered = units.last().is_some_and(|unit| line.first <= unit.last);
            if !self.is_kept(at) || is_covered || (has_timeline && self.in_timeline(line)) {
                continue;
            }
            let nested = self.old.statements[at + 1..].iter().take_while(|other| other.first <= line.whole);
            // What is nested in it comes along, unless the new text has some of that elsewhere.
            let is_whole = nested.enumerate().all(|(nested, _)| self.is_kept(at + 1 + nested))
                && (line.last + 1..=line.whole)
                    .all(|line| !known.contains(self.old.doc.lines.content(line).trim()));
            let last = if is_whole { line.whole } else { line.last };
            units.push(Unit { at, first: line.first, last });
        }
        units
    }

    /// Returns the lines of a unit, without its indent unless it stays nested.
    fn unit_text(&self, unit: &Unit, is_nested: bool) -> String {
        let doc = self.old.doc;
        let prefix = if is_nested { "" } else { indent(doc, unit.first) };
        let line = |line: usize| {
            let content = doc.lines.content(line);
            content.strip_prefix(prefix).unwrap_or(content)
        };
        let text = (unit.first..=unit.last).map(line).collect::<Vec<_>>().join("\n");
        match self.mentions[unit.at] {
            Mention::Ended(_, day) => close_fact(self.new.doc.format, &text, 1, day).unwrap_or(text),
            _ => text,
        }
    }

    /// Returns the new text with everything that is kept.
    fn text(&self, units: &[Unit], timeline: Option<&str>) -> String {
        if units.is_empty() && timeline.is_none() {
            return self.new.doc.text.to_owned();
        }
        if let Some(text) = unchanged_body(&self.old, &self.new, &self.mentions, units, timeline.is_some()) {
            return text;
        }
        let text = self.with_units(units);
        timeline.map_or(text.clone(), |timeline| with_timeline(&text, timeline))
    }

    /// Returns the new text with the units in their places.
    fn with_units(&self, units: &[Unit]) -> String {
        let doc = self.new.doc;
        let places = Places::new(&self.old, &self.new, &self.mentions);
        let mut pieces: Vec<(Place, String)> = Vec::new();
        let mut known: HashMap<Place, usize> = HashMap::new();
        let mut replaced: Vec<(usize, usize, String)> = Vec::new();
        for unit in units {
            if let Mention::Shortened(found) = self.mentions[unit.at] {
                let line = &self.new.statements[found];
                let text = self.unit_text(unit, true);
                replaced.push((doc.lines.start(line.first), doc.lines.end(line.whole), text));
                continue;
            }
            let Placed { place, is_nested } = places.of(unit.at);
            let text = self.unit_text(unit, is_nested);
            let is_text = matches!(self.old.statements[unit.at].body, Body::Text);
            match known.get(&place).and_then(|at: &usize| pieces.get_mut(*at)) {
                Some((_, lines)) => {
                    lines.push_str(if is_text { "\n\n" } else { "\n" });
                    lines.push_str(&text);
                }
                None => {
                    known.insert(place.clone(), pieces.len());
                    pieces.push((place, text));
                }
            }
        }
        assemble(doc, pieces, replaced)
    }

    /// Returns an error if something in the new text hides a line that was kept, or the other way round.
    fn check(&self, text: &str, units: &[Unit], has_timeline: bool) -> Result<(), EditError> {
        if units.is_empty() && !has_timeline {
            return Ok(());
        }
        let result = Doc::new(self.new.doc.format, text);
        let mut counts: HashMap<String, usize> = HashMap::new();
        for line in statements(&result).iter().filter(|line| !matches!(line.body, Body::Text)) {
            *counts.entry(line.signature(&result)).or_default() += 1;
        }
        let shortened: HashSet<usize> = units
            .iter()
            .filter_map(|unit| match self.mentions[unit.at] {
                Mention::Shortened(found) => Some(found),
                _ => None,
            })
            .collect();
        let new = self.new.statements.iter().enumerate().filter(|(at, _)| !shortened.contains(at));
        let mut expected: Vec<String> = new
            .filter(|(_, line)| !matches!(line.body, Body::Text))
            .map(|(_, line)| line.signature(self.new.doc))
            .collect();
        for unit in units {
            let text = self.unit_text(unit, false);
            let doc = Doc::new(self.new.doc.format, &text);
            let line = &self.old.statements[unit.at];
            match (self.mentions[unit.at], line.body) {
                (Mention::Ended(..), _) => {
                    expected.extend(statements(&doc).iter().map(|line| line.signature(&doc)));
                }
                (_, Body::Text) => {}
                _ => expected.push(line.signature(self.old.doc)),
            }
        }
        let kept = self.old.statements.iter().enumerate();
        let kept = kept.filter(|(at, line)| has_timeline && self.in_timeline(line) && self.is_kept(*at));
        expected.extend(
            kept.filter(|(_, line)| !matches!(line.body, Body::Text))
                .map(|(_, line)| line.signature(self.old.doc)),
        );
        let is_there = |signature: String| match counts.get_mut(&signature) {
            Some(count) if *count > 0 => {
                *count -= 1;
                true
            }
            _ => false,
        };
        let all_there = expected.into_iter().all(is_there);
        if all_there && (!has_timeline || result.page.timeline.is_some()) {
            Ok(())
        } else {
            Err(EditError::Hidden { count: units.len().max(1) })
        }
    }

    /// Compares the structured lines before and after.
    fn changes(&self, text: &str) -> LineChanges {
        let result = Doc::new(self.new.doc.format, text);
        let lines = statements(&result);
        let after: HashSet<String> = lines.iter().map(|line| line.signature(&result)).collect();
        let before: HashSet<String> =
            self.old.statements.iter().map(|line| line.signature(self.old.doc)).collect();
        let old = self.old.statements.iter().enumerate();
        let kept = old.clone().filter(|(at, _)| self.is_kept(*at));
        let removed =
            old.filter(|(at, line)| !self.is_kept(*at) && !after.contains(&line.signature(self.old.doc)));
        let added = lines
            .iter()
            .filter(|line| !matches!(line.body, Body::Text) && !before.contains(&line.signature(&result)));
        LineChanges {
            kept: kept.map(|(_, line)| line.text(self.old.doc)).collect(),
            added: added.map(|line| line.text(&result)).collect(),
            removed: removed.map(|(_, line)| line.text(self.old.doc)).collect(),
        }
    }
}
