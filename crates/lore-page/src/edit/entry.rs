//! Adds entries to the timeline.

use super::EditError;
use super::doc::{Doc, SectionBounds};
use super::lines::{filled, insert_block, insert_lines, join_lines};
use crate::format::Format;
use crate::grammar::{ENTRY_SOURCE, SUMMARY, entry_dates, escape, escape_where, separators, without_braces};
use crate::page::Entry;

/// A timeline entry to write: `- **YYYY-MM-DD** | source — summary`, with the detail on indented lines.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewEntry {
    /// Date: `YYYY-MM-DD`, a month, a year, or a range of these as `from..until`, with or without braces.
    pub date: String,
    /// Where the information came from.
    pub source: Option<String>,
    /// The summary on the first line.
    pub summary: String,
    /// The lines that follow.
    pub detail: Option<String>,
}

/// Adds an entry to the timeline, newest first and after other entries of its day.
///
/// The rule and the `Timeline` heading are created if missing. If there is already an entry with the same day and
/// summary, the text is unchanged.
pub fn add_entry(format: Format, text: &str, new: &NewEntry) -> Result<String, EditError> {
    let new = normalized(new);
    if entry_dates(&new.date).is_none() {
        return Err(EditError::NotADay { date: new.date });
    }
    filled("summary", &new.summary)?;
    let doc = Doc::new(format, text);
    if doc.page.entries.iter().any(|entry| is_same(entry, &new)) {
        return Ok(text.to_owned());
    }
    let reads_back = |edited: &String| {
        let entries = Doc::new(format, edited).page.entries;
        entries.iter().any(|entry| is_same(entry, &new) && entry.source == new.source)
    };
    let lines = first_lines(format, &new);
    let edited = lines.iter().map(|line| inserted(&doc, &new, line)).find(reads_back);
    edited.ok_or_else(|| unreadable(format, &new))
}

/// Returns the forms of the first line, to be tried in order: as given, with backslashes where they are needed, with all of
/// them.
fn first_lines(format: Format, new: &NewEntry) -> [String; 3] {
    let fully =
        NewEntry { source: new.source.as_deref().map(|source| escape(source, ENTRY_SOURCE)), ..escaped(new) };
    [new, &escaped(new), &fully].map(|entry| first_line(format, entry))
}

/// Returns the text with the entry on a new line.
fn inserted(doc: &Doc<'_>, new: &NewEntry, first_line: &str) -> String {
    let text = doc.text;
    match place(doc, &new.date) {
        EntryPosition::Before(entry) => {
            let line = entry.lines.first as usize;
            let gap = if doc.spaced(entry) { "\n" } else { "" };
            let lines = written(doc, line, new, first_line);
            insert_lines(text, doc.lines.start(line), &format!("{lines}\n{gap}"))
        }
        EntryPosition::After(entry) => {
            let gap = if doc.spaced(entry) { "\n" } else { "" };
            let lines = written(doc, entry.lines.first as usize, new, first_line);
            insert_lines(text, doc.lines.end(entry.lines.last as usize), &format!("{gap}{lines}"))
        }
        EntryPosition::FirstEntry => first_entry(doc, &written(doc, 0, new, first_line)),
    }
}

fn escaped(new: &NewEntry) -> NewEntry {
    let source = |source: &String| {
        let ends = separators(source);
        escape_where(source, ENTRY_SOURCE, |at| ends.contains(&at))
    };
    let summary = escape(&new.summary, SUMMARY);
    NewEntry { source: new.source.as_ref().map(source), summary, ..new.clone() }
}

/// Returns the error for an entry that does not read back, which names the part that is the reason.
fn unreadable(format: Format, new: &NewEntry) -> EditError {
    let alone = NewEntry { summary: "x".into(), detail: None, ..new.clone() };
    let reads = |new: &NewEntry| {
        Doc::new(format, &format!("- {}\n", first_line(format, &escaped(new))))
            .page
            .entries
            .iter()
            .any(|entry| is_same(entry, new) && entry.source == new.source)
    };
    let (part, text) = match &new.source {
        Some(source) if !reads(&alone) => ("source", source),
        _ if !reads(&NewEntry { source: None, detail: None, ..new.clone() }) => ("summary", &new.summary),
        _ => ("place", &new.date),
    };
    EditError::unreadable("an entry", &format!("- {}", first_line(format, new)), part, text)
}

/// Where an entry is written.
pub(super) enum EntryPosition<'d> {
    Before(&'d Entry),
    After(&'d Entry),
    FirstEntry,
}

pub(super) fn place<'d>(doc: &'d Doc<'_>, date: &str) -> EntryPosition<'d> {
    let timeline_start = doc.page.timeline.map_or(0, |timeline| timeline.start);
    let in_timeline = |entry: &&Entry| doc.lines.start(entry.lines.first as usize) >= timeline_start;
    let entries: Vec<_> = doc.page.entries.iter().filter(in_timeline).collect();
    let day = first_day(date);
    match (entries.iter().find(|entry| first_day(&entry.date) < day), entries.last()) {
        (Some(older), _) => EntryPosition::Before(older),
        (None, Some(last)) => EntryPosition::After(last),
        (None, None) => EntryPosition::FirstEntry,
    }
}

fn first_day(date: &str) -> Option<String> {
    entry_dates(date).and_then(|dates| dates.from).map(|from| from.first_day())
}

impl Doc<'_> {
    /// Returns whether a blank line separates an entry from the one before or after it.
    fn spaced(&self, entry: &Entry) -> bool {
        let at = self.page.entries.iter().position(|other| other == entry);
        let second = at.and_then(|at| self.page.entries.get(at.max(1)));
        second.is_some_and(|second| second.lines.first > 1 && self.blank(second.lines.first as usize - 1))
    }
}

/// Writes the first entry under the `Timeline` heading, which is created at the end if missing.
fn first_entry(doc: &Doc<'_>, lines: &str) -> String {
    let text = doc.text;
    let region = doc.page.timeline.map_or(doc.page.truth, |timeline| timeline);
    let heading = doc.section_called(&["Timeline"], region.start..region.end);
    let timeline = format!("{} Timeline", doc.format.heading_marks(usize::from(doc.format.section_level())));
    match (heading, doc.page.timeline) {
        (Some(section), timeline) => {
            let edited = under(doc, &section, lines);
            // Only the text below the heading may become the timeline.
            if timeline.is_none() && section.end == text.len() {
                let line = doc.lines.at(section.start);
                let gap = if line > 1 && doc.blank(line - 1) { "" } else { "\n" };
                return insert_lines(&edited, section.start, &format!("{gap}{}\n\n", doc.format.rule()));
            }
            edited
        }
        (None, Some(_)) => at_end(text, &format!("{timeline}\n{lines}")),
        (None, None) => at_end(text, &format!("{}\n\n{timeline}\n{lines}", doc.format.rule())),
    }
}

/// Adds lines to a section without entries: right under its heading, or after its existing text.
fn under(doc: &Doc<'_>, section: &SectionBounds, lines: &str) -> String {
    let own = doc.text[section.body_start..section.own_end].trim_end();
    let at = match own.len() {
        0 => section.body_start,
        length => doc.lines.end(doc.lines.at(section.body_start + length - 1)),
    };
    insert_block(doc.text, section.body_start, at, lines)
}

/// Adds a block at the end of the text after one blank line. A rule always needs one before it: at the start of a file
/// it would open the frontmatter, and under a paragraph it would make a heading.
fn at_end(text: &str, block: &str) -> String {
    let blank = text.lines().next_back().is_some_and(|line| line.trim().is_empty()) && text.ends_with('\n');
    insert_lines(text, text.len(), &format!("{}{block}", if blank { "" } else { "\n" }))
}

pub(super) fn normalized(new: &NewEntry) -> NewEntry {
    NewEntry {
        date: without_braces(&new.date).to_owned(),
        source: new.source.as_deref().map(join_lines).filter(|source| !source.is_empty()),
        summary: join_lines(&new.summary),
        detail: new.detail.clone().filter(|detail| !detail.trim().is_empty()),
    }
}

fn is_same(entry: &Entry, new: &NewEntry) -> bool {
    entry.date == new.date && entry.summary == new.summary
}

/// Whether an entry of a page is this one, with its source.
pub(super) fn is_exactly(entry: &Entry, new: &NewEntry) -> bool {
    is_same(entry, new) && entry.source == new.source
}

/// Returns where each of these entries goes in a page that has entries, with its lines; the newest first.
pub(super) fn positions(doc: &Doc<'_>, new: &[NewEntry]) -> Vec<(usize, String)> {
    let timeline_start = doc.page.timeline.map_or(0, |timeline| timeline.start);
    let in_timeline = |entry: &&Entry| doc.lines.start(entry.lines.first as usize) >= timeline_start;
    let entries: Vec<&Entry> = doc.page.entries.iter().filter(in_timeline).collect();
    // The oldest day so far: the first entry that is older than a day is where this falls below it.
    let mut oldest: Vec<Option<String>> = Vec::new();
    for entry in &entries {
        let day = first_day(&entry.date);
        let so_far = oldest.last().filter(|so_far| **so_far < day).cloned();
        oldest.push(so_far.unwrap_or(day));
    }
    let spaced = entries.first().is_some_and(|first| doc.spaced(first));
    let gap = if spaced { "\n" } else { "" };
    let mut sorted: Vec<&NewEntry> = new.iter().collect();
    sorted.sort_by_key(|one| std::cmp::Reverse(first_day(&one.date)));
    let position = |one: &NewEntry| {
        let day = first_day(&one.date);
        let at = oldest.partition_point(|oldest| *oldest >= day);
        match (entries.get(at), entries.last()) {
            (Some(older), _) => {
                let line = older.lines.first as usize;
                (
                    doc.lines.start(line),
                    format!("{}\n{gap}", written(doc, line, one, &readable(doc.format, one))),
                )
            }
            (None, last) => {
                let (first, end) = last.map_or((0, 0), |last| (last.lines.first, last.lines.last));
                let lines = written(doc, first as usize, one, &readable(doc.format, one));
                (doc.lines.end(end as usize), format!("{gap}{lines}\n"))
            }
        }
    };
    sorted.into_iter().map(position).collect()
}

/// Returns the first line of an entry as it reads back: as given, or with backslashes.
fn readable(format: Format, new: &NewEntry) -> String {
    let [given, with_backslashes, fully] = first_lines(format, new);
    let alone = NewEntry { detail: None, ..new.clone() };
    let reads = |line: &String| {
        let entries = Doc::new(format, &format!("- {line}\n")).page.entries;
        entries.iter().any(|entry| is_exactly(entry, &alone))
    };
    [given, with_backslashes].into_iter().find(reads).unwrap_or(fully)
}

/// Returns further lines of the detail of an entry, with its indent.
pub(super) fn indented(doc: &Doc<'_>, entry: &Entry, detail: &str) -> String {
    let prefix = doc.item(entry.lines.first as usize).map_or("", |(prefix, _)| prefix);
    let line = |line: &str| if line.trim().is_empty() { String::new() } else { format!("{prefix}  {line}") };
    detail.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// Formats the lines of an entry, with the indent and bullet of a neighbor.
fn written(doc: &Doc<'_>, adjacent_line: usize, new: &NewEntry, first_line: &str) -> String {
    let (prefix, bullet) =
        if adjacent_line == 0 { ("", '-') } else { doc.item(adjacent_line).unwrap_or(("", '-')) };
    let mut lines = format!("{prefix}{bullet} {first_line}");
    for line in new.detail.iter().flat_map(|detail| detail.trim_end().lines()) {
        lines.push('\n');
        if !line.trim().is_empty() {
            lines += &format!("{prefix}  {}", line.trim_end());
        }
    }
    lines
}

fn first_line(format: Format, new: &NewEntry) -> String {
    let date = format.bold(&new.date);
    match &new.source {
        Some(source) => format!("{date} | {source} — {}", new.summary),
        // A year without a source would be prose.
        None if new.date.len() == "YYYY".len() => format!("{date} | — {}", new.summary),
        None => format!("{date} — {}", new.summary),
    }
}
