//! Where the lines that a new text does not mention are written in it: beside the same neighbours, else at the end of the
//! section with the same heading, else under that heading at the end of the truth.

use std::collections::HashMap;
use std::ops::Range;

use lore_text::fold;

use super::pair::{Mention, Side};
use super::statement::{Body, Statement};
use crate::edit::doc::Doc;
use crate::edit::section::parents;
use crate::page::Heading;

/// A position in the new text.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Place {
    /// Directly at the start of a line, as part of a list.
    Line { at: usize },
    /// At the start of a line with blank lines around it, under this heading if there is one.
    Block { at: usize, heading: Option<String> },
}

/// A place, and whether the line keeps its indent there.
pub(super) struct Placed {
    pub(super) place: Place,
    pub(super) is_nested: bool,
}

/// A section of a text; `None` is the part above the first section.
type Section = Option<usize>;

/// Finds the places of lines.
pub(super) struct Places<'s, 'd, 't> {
    old: &'s Side<'d, 't>,
    new: &'s Side<'d, 't>,
    /// Section of each line of the old text, and the same section of the new one, if it is there.
    sections: Vec<(Section, Option<Section>)>,
    known: SectionMap,
    /// Positions after the nearest line before each line, and before the nearest one after it.
    after: Vec<Option<usize>>,
    before: Vec<Option<usize>>,
    /// Position after the line in which each line is nested.
    inside: Vec<Option<usize>>,
}

impl<'s, 'd, 't> Places<'s, 'd, 't> {
    pub(super) fn new(old: &'s Side<'d, 't>, new: &'s Side<'d, 't>, mentions: &[Mention]) -> Self {
        let known = SectionMap::new(old.doc, new.doc);
        let section = |line: &Statement<'_>| {
            let own = section_at(old.doc, line.first);
            (own, known.of(own))
        };
        let sections: Vec<(Section, Option<Section>)> = old.statements.iter().map(section).collect();
        let count = old.statements.len();
        let mut places = Places {
            old,
            new,
            sections,
            known,
            after: vec![None; count],
            before: vec![None; count],
            inside: vec![None; count],
        };
        places.find_neighbours(mentions);
        places
    }

    fn find_neighbours(&mut self, mentions: &[Mention]) {
        let lines = &self.new.doc.lines;
        let mut last: HashMap<(bool, Section, &str), usize> = HashMap::new();
        let mut open: Vec<(usize, usize)> = Vec::new();
        for (at, line) in self.old.statements.iter().enumerate() {
            let found = self.counterpart(at, mentions[at]).map(|found| &self.new.statements[found]);
            let key = self.key(at);
            if let Mention::Ended(found, _) = mentions[at] {
                last.insert(key, lines.end(self.new.statements[found].whole));
            } else if let Some(found) = found {
                last.insert(key, lines.end(found.whole));
            }
            self.after[at] = last.get(&key).copied();
            open.retain(|(outer, _)| self.old.statements[*outer].whole >= line.first);
            self.inside[at] = open.last().map(|(_, end)| *end);
            if let Some(found) = found {
                open.push((at, lines.end(found.whole)));
            }
        }
        let mut next: HashMap<(bool, Section, &str), usize> = HashMap::new();
        for at in (0..self.old.statements.len()).rev() {
            let key = self.key(at);
            self.before[at] = next.get(&key).copied();
            if let Some(found) = self.counterpart(at, mentions[at]) {
                next.insert(key, lines.start(self.new.statements[found].first));
            }
        }
    }

    /// Returns the line of the new text that stands for a line, if it is in the same section and list level.
    fn counterpart(&self, at: usize, mention: Mention) -> Option<usize> {
        let (Mention::Mentioned(found) | Mention::Shortened(found)) = mention else { return None };
        let line = self.new.statements.get(found)?;
        let same_indent =
            indent(self.new.doc, line.first) == indent(self.old.doc, self.old.statements[at].first);
        let first = self.old.statements[at].first as u32;
        let in_truth = self.old.doc.in_truth(first) || self.new.doc.page.timeline.is_none();
        let same_region = self.new.doc.in_truth(line.first as u32) == in_truth;
        (same_indent && same_region && self.sections[at].1 == Some(section_at(self.new.doc, line.first)))
            .then_some(found)
    }

    fn key(&self, at: usize) -> (bool, Section, &'d str) {
        let line = &self.old.statements[at];
        (self.old.doc.in_truth(line.first as u32), self.sections[at].0, indent(self.old.doc, line.first))
    }

    /// Returns the place of a line.
    pub(super) fn of(&self, at: usize) -> Placed {
        let line = &self.old.statements[at];
        let is_nested = !indent(self.old.doc, line.first).is_empty();
        if let Some(at) = self.after[at].or(self.before[at]) {
            // A paragraph directly below an item would become part of it.
            let place = match line.body {
                Body::Text => Place::Block { at, heading: None },
                _ => Place::Line { at },
            };
            return Placed { place, is_nested };
        }
        if let Some(at) = self.inside[at].filter(|_| is_nested) {
            return Placed { place: Place::Line { at }, is_nested };
        }
        Placed { place: self.without_neighbours(at), is_nested: false }
    }

    fn without_neighbours(&self, at: usize) -> Place {
        let (old, new) = (self.old.doc, self.new.doc);
        let line = &self.old.statements[at];
        let in_truth = old.in_truth(line.first as u32) || new.page.timeline.is_none();
        if let Body::Entry(entry) = line.body
            && let Some(place) = self.by_date(&entry.date)
        {
            return place;
        }
        let (section, found) = self.sections[at];
        match (found, section) {
            (Some(Some(found)), _) => {
                let bounds = new.section(&new.page.headings[found]);
                end_of(new, bounds.body_start..bounds.own_end)
            }
            _ if !in_truth && matches!(line.body, Body::Text) => {
                Place::Block { at: region(new, false).end, heading: None }
            }
            _ if !in_truth => end_of(new, region(new, false)),
            (Some(None), _) | (None, None) => end_of(new, top(new)),
            (None, Some(section)) => self.under_own_heading(section),
        }
    }

    /// Returns the place of an entry in the new timeline: newest first.
    fn by_date(&self, date: &str) -> Option<Place> {
        let (entries, lines) = (&self.new.doc.page.entries, &self.new.doc.lines);
        let older = entries.iter().find(|entry| entry.date.as_str() < date);
        let before = older.map(|older| lines.start(older.lines.first as usize));
        let at = before.or_else(|| entries.last().map(|last| lines.end(last.lines.last as usize)))?;
        Some(Place::Line { at })
    }

    /// Returns the end of the nearest section around a section that the new text has, or of the truth.
    fn under_own_heading(&self, section: usize) -> Place {
        let (old, new) = (self.old.doc, self.new.doc);
        let parents = &self.known.parents;
        let outer = std::iter::successors(parents[section], |at| parents[*at]);
        let outer =
            outer.filter_map(|at| self.known.of(Some(at).filter(|at| !is_title(old, *at)))).find_map(|at| at);
        let end = match outer {
            Some(outer) => new.section(&new.page.headings[outer]).end,
            None => new.page.truth.end,
        };
        let within = new.page.truth.start.min(end)..end;
        let at = match last_line(new, &within) {
            Some(last) => new.lines.end(last).min(end),
            None => within.start,
        };
        let first = old.page.headings[section].lines.first as usize;
        let last = old.heading_end(first);
        let gap = if old.blank(last + 1) { "\n\n" } else { "\n" };
        let Heading { level, text, .. } = &old.page.headings[section];
        // An underlined or indented heading could become part of what is above it.
        let heading = match old.lines.content(first) {
            line if line.starts_with(old.format.heading_mark()) => line.to_owned(),
            _ => format!("{} {text}", old.format.heading_marks(usize::from(*level))),
        };
        Place::Block { at, heading: Some(heading + gap) }
    }
}

/// The sections of an old text that a new one has too.
struct SectionMap {
    found: HashMap<usize, usize>,
    /// The heading above each heading of the old text.
    parents: Vec<Option<usize>>,
}

impl SectionMap {
    fn new(old: &Doc<'_>, new: &Doc<'_>) -> SectionMap {
        let old_parents = parents(&old.page.headings);
        let new_parents = parents(&new.page.headings);
        let names = |doc: &Doc<'_>, parents: &[Option<usize>], at: usize| {
            let headings = &doc.page.headings;
            let outer = parents[at].filter(|outer| !is_title(doc, *outer));
            (outer.map(|outer| fold(&headings[outer].text)), fold(&headings[at].text))
        };
        let is_in_truth = |doc: &Doc<'_>, heading: &Heading| doc.in_truth(heading.lines.first);
        let mut exact = HashMap::new();
        let mut by_name = HashMap::new();
        for (at, heading) in new.page.headings.iter().enumerate().filter(|(at, _)| !is_title(new, *at)) {
            let (outer, name) = names(new, &new_parents, at);
            let in_truth = is_in_truth(new, heading);
            by_name.entry((in_truth, name.clone())).or_insert(at);
            exact.entry((in_truth, outer, name)).or_insert(at);
        }
        let has_timeline = new.page.timeline.is_some();
        let found = old.page.headings.iter().enumerate().filter_map(|(at, heading)| {
            let (outer, name) = names(old, &old_parents, at);
            let in_truth = is_in_truth(old, heading) || !has_timeline;
            let found = exact.get(&(in_truth, outer, name.clone()));
            Some((at, *found.or_else(|| by_name.get(&(in_truth, name)))?))
        });
        let found = found.collect();
        SectionMap { found, parents: old_parents }
    }

    fn of(&self, section: Section) -> Option<Section> {
        match section {
            None => Some(None),
            Some(at) => self.found.get(&at).map(|found| Some(*found)),
        }
    }
}

/// Returns the innermost section of a line. The title is not a section: its text is the top of the page.
fn section_at(doc: &Doc<'_>, line: usize) -> Section {
    let headings = &doc.page.headings;
    let at = headings.partition_point(|heading| heading.lines.first as usize <= line).checked_sub(1)?;
    let same_region = doc.in_truth(headings[at].lines.first) == doc.in_truth(line as u32);
    (same_region && !is_title(doc, at)).then_some(at)
}

fn is_title(doc: &Doc<'_>, at: usize) -> bool {
    doc.format.has_title_heading()
        && at == 0
        && doc.page.headings[0].level == 1
        && doc.in_truth(doc.page.headings[0].lines.first)
}

/// Returns the text above the first section.
fn top(doc: &Doc<'_>) -> Range<usize> {
    let region = region(doc, true);
    match doc.page.headings.first().filter(|heading| doc.in_truth(heading.lines.first)) {
        Some(first) if is_title(doc, 0) => {
            let bounds = doc.section(first);
            bounds.body_start..bounds.own_end
        }
        Some(first) => region.start..doc.lines.start(first.lines.first as usize),
        None => region,
    }
}

fn region(doc: &Doc<'_>, truth: bool) -> Range<usize> {
    match doc.page.timeline.filter(|_| !truth) {
        Some(timeline) => timeline.start..timeline.end,
        None => doc.page.truth.start..doc.page.truth.end,
    }
}

/// Returns the place at the end of a range of whole lines: after its last list, or as a list of its own.
fn end_of(doc: &Doc<'_>, within: Range<usize>) -> Place {
    let Some(last) = last_line(doc, &within) else {
        return Place::Block { at: within.start, heading: None };
    };
    let first = doc.lines.at(within.start);
    let is_outermost = |line: &usize| doc.blank(*line) || indent(doc, *line).is_empty();
    let outermost = (first..=last).rev().find(is_outermost).unwrap_or(last);
    match doc.item(outermost) {
        Some(("", _)) => Place::Line { at: doc.lines.end(doc.item_end(outermost)).min(within.end) },
        _ => Place::Block { at: doc.lines.end(last).min(within.end), heading: None },
    }
}

/// Returns the last line of a range that is not blank.
fn last_line(doc: &Doc<'_>, within: &Range<usize>) -> Option<usize> {
    if within.is_empty() {
        return None;
    }
    let (first, last) = (doc.lines.at(within.start), doc.lines.at(within.end - 1));
    (first..=last).rev().find(|line| !doc.blank(*line))
}

/// Returns the indent of a line.
pub(super) fn indent<'t>(doc: &Doc<'t>, line: usize) -> &'t str {
    let content = doc.lines.content(line);
    &content[..content.len() - content.trim_start_matches([' ', '\t']).len()]
}
