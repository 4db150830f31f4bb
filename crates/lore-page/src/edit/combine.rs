//! Combines the bodies of two pages: section by section, without repeating a line.

use crate::format::Format;
use std::collections::HashSet;

use lore_text::fold;

use super::doc::Doc;
use super::section::find;
use super::{EditError, NewEntry, add_entry, add_to_truth, insert_before_section, replace_section, sections};
use crate::page::Heading;

/// Adds the body of another page to a page: text under a heading that the page has goes below that heading, other
/// sections follow its own, entries are sorted into its timeline. List items and paragraphs that it has already are left
/// out. Its frontmatter and its title stay; the other page's are ignored.
pub fn combine(format: Format, text: &str, other: &str) -> Result<String, EditError> {
    let source = Doc::new(format, other);
    let truth = source.page.truth.of(other);
    let mut known = Known::of(format, text);
    let mut edited = text.to_owned();
    let parts = parts(format, truth);
    let intro = known.new_blocks(parts.intro);
    if !intro.is_empty() {
        edited = add_intro(format, &edited, &intro)?;
    }
    for (heading, body) in parts.sections {
        edited = add_section(format, &edited, &heading, body, &mut known)?;
    }
    for entry in &source.page.entries {
        let new = NewEntry {
            date: entry.date.clone(),
            source: entry.source.clone(),
            summary: entry.summary.clone(),
            detail: entry.detail.clone(),
        };
        edited = add_entry(format, &edited, &new)?;
    }
    let rest = timeline_rest(&source, other);
    let rest = known.new_blocks(&rest);
    if rest.is_empty() { Ok(edited) } else { super::append(format, &edited, &format!("\n{rest}")) }
}

/// A body: the text before its first section, and its sections at the highest level below the title.
struct Parts<'a> {
    intro: &'a str,
    sections: Vec<(Heading, &'a str)>,
}

fn parts(format: Format, truth: &str) -> Parts<'_> {
    let all = sections(format, truth);
    let is_title = |first: &&super::SectionPlace| {
        format.has_title_heading() && first.heading.level == 1 && truth[..first.whole.start].trim().is_empty()
    };
    let title = all.first().filter(is_title);
    let start = title.map_or(0, |title| title.body.start);
    let below: Vec<_> = all.iter().filter(|place| place.whole.start >= start).collect();
    let level = below.iter().map(|place| place.heading.level).min().unwrap_or(2);
    let top: Vec<_> = below.into_iter().filter(|place| place.heading.level == level).collect();
    let intro = &truth[start..top.first().map_or(truth.len(), |place| place.whole.start)];
    let section = |place: &&super::SectionPlace| (place.heading.clone(), place.body.of(truth));
    Parts { intro, sections: top.iter().map(section).collect() }
}

/// Adds text between the title and the first section.
fn add_intro(format: Format, text: &str, addition: &str) -> Result<String, EditError> {
    let doc = Doc::new(format, text);
    let first = doc.page.headings.iter().find(|heading| heading.level >= format.section_level());
    let in_truth = |heading: &&Heading| doc.section(heading).start < doc.page.truth.end;
    match first.filter(in_truth) {
        Some(heading) if doc.page.headings.iter().filter(|one| one.text == heading.text).count() == 1 => {
            insert_before_section(format, text, &heading.text, addition)
        }
        _ => add_to_truth(format, text, addition),
    }
}

fn add_section(
    format: Format,
    text: &str,
    heading: &Heading,
    body: &str,
    known: &mut Known,
) -> Result<String, EditError> {
    let doc = Doc::new(format, text);
    let own = find(&doc.page.headings, &heading.text).ok().map(|at| &doc.page.headings[at]);
    let own =
        own.filter(|own| own.level >= format.section_level() && doc.section(own).start < doc.page.truth.end);
    let new = known.new_blocks(body);
    match own {
        Some(_) if new.is_empty() => Ok(text.to_owned()),
        Some(own) => {
            let bounds = doc.section(own);
            let old = text[bounds.body_start..bounds.end].trim();
            let gap = if are_items(old, &new) { "\n" } else { "\n\n" };
            let joined = if old.is_empty() { new } else { format!("{old}{gap}{new}") };
            replace_section(format, text, &own.text, &joined)
        }
        None => {
            let hashes = format.heading_marks(usize::from(heading.level.max(format.section_level())));
            add_to_truth(format, text, format!("{hashes} {}\n\n{new}", heading.text).trim_end())
        }
    }
}

/// Whether a list can go on with further items.
fn are_items(old: &str, new: &str) -> bool {
    let is_item =
        |line: Option<&str>| line.is_some_and(|line| line.trim_start().starts_with(['-', '*', '+']));
    is_item(old.lines().last()) && is_item(new.lines().next())
}

/// Returns the text of a timeline that belongs to no entry, without headings.
fn timeline_rest(doc: &Doc<'_>, text: &str) -> String {
    let Some(timeline) = doc.page.timeline else { return String::new() };
    let is_entry = |line: u32| {
        doc.page.entries.iter().any(|entry| (entry.lines.first..=entry.lines.last).contains(&line))
    };
    let lines = text
        .lines()
        .zip(1..)
        .filter(|(_, line)| doc.lines.start(*line as usize) >= timeline.start && !is_entry(*line));
    let rest = lines
        .map(|(line, _)| line)
        .filter(|line| !doc.format.is_heading_line(line) && !doc.format.is_rule_line(line));
    rest.collect::<Vec<_>>().join("\n")
}

/// The blocks that a page has: its list items and paragraphs.
struct Known {
    format: Format,
    keys: HashSet<String>,
}

impl Known {
    fn of(format: Format, text: &str) -> Known {
        Known { format, keys: blocks(format, text).into_iter().map(|block| key(&block)).collect() }
    }

    /// Returns the blocks of a text that the page does not have yet, and remembers them.
    fn new_blocks(&mut self, text: &str) -> String {
        let mut kept = String::new();
        let mut is_list = false;
        for block in blocks(self.format, text) {
            let is_heading = self.format.is_heading_line(&block);
            if !is_heading && !self.keys.insert(key(&block)) {
                continue;
            }
            let is_item = !is_heading && is_item(&block);
            if !kept.is_empty() {
                kept.push_str(if is_item && is_list { "\n" } else { "\n\n" });
            }
            kept.push_str(&block);
            is_list = is_item;
        }
        // A heading under which nothing is left says nothing.
        match kept.lines().all(|line| line.trim().is_empty() || self.format.is_heading_line(line)) {
            true => String::new(),
            false => kept,
        }
    }
}

fn is_item(block: &str) -> bool {
    block.trim_start().starts_with("- ")
        || block.trim_start().starts_with("* ")
        || block.trim_start().starts_with("+ ")
}

/// Splits a text into paragraphs and list items, each with its indented lines. A fenced code block is one block.
fn blocks(format: Format, text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let (mut open, mut fence) = (false, None::<&str>);
    for line in text.lines() {
        let start = line.trim_start();
        let marks = match format {
            Format::Markdown => ["```", "~~~"].into_iter().find(|marks| start.starts_with(marks)),
            Format::Org => {
                let has = |mark: &str| start.get(..mark.len()).is_some_and(|s| s.eq_ignore_ascii_case(mark));
                (has("#+begin_") || has("#+end_")).then_some("#+")
            }
        };
        let is_text = fence.is_some() || !line.trim().is_empty();
        let is_continued = open && (fence.is_some() || !begins_block(format, line));
        match found.last_mut() {
            Some(last) if is_continued && is_text => {
                last.push('\n');
                last.push_str(line);
            }
            _ if is_text => found.push(line.to_owned()),
            _ => {}
        }
        open = is_text && !(fence.is_none() && marks.is_none() && format.is_heading_line(line));
        fence = match (fence, marks) {
            (None, Some(marks)) => Some(marks),
            (Some(marks), Some(other)) if marks == other => None,
            (fence, _) => fence,
        };
    }
    found
}

/// Whether a line starts a block of its own: a heading or a list item that is not nested.
fn begins_block(format: Format, line: &str) -> bool {
    format.is_heading_line(line) || line.starts_with("- ") || line.starts_with("* ") || line.starts_with("+ ")
}

/// Returns what two blocks are compared by: their words, whatever their case and spacing.
fn key(block: &str) -> String {
    fold(&block.split_whitespace().collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Format::Markdown;

    #[track_caller]
    fn check(one: &str, other: &str, expected: &str) {
        let combined = combine(Markdown, one, other).expect("they combine");
        assert_eq!(combined, expected);
        assert_eq!(combine(Markdown, &combined, other).expect("again"), combined, "nothing is added twice");
    }

    #[test]
    fn sections_are_combined_and_lines_are_not_repeated() {
        check(
            "---\ntitle: Acme\n---\n# Acme\n\nA company.\n\n## Facts\n\n- ceo:: Ada\n- hq:: Oslo\n",
            "---\ntitle: ACME Inc\n---\n# ACME Inc\n\nA company.\n\nIt sells looms.\n\n## Facts\n\n- ceo:: Ada\n- size:: 40\n\n## Links\n\n- knows [[Bob]]\n",
            "---\ntitle: Acme\n---\n# Acme\n\nA company.\n\nIt sells looms.\n\n## Facts\n\n- ceo:: Ada\n- hq:: Oslo\n- size:: 40\n\n## Links\n\n- knows [[Bob]]\n",
        );
    }

    #[test]
    fn entries_are_sorted_into_the_timeline() {
        check(
            "# A\n\nText.\n\n---\n\n## Timeline\n\n- **2024-03-01** | chat — Third\n- **2024-01-01** | chat — First\n",
            "# B\n\nText.\n\n---\n\n## Timeline\n\n- **2024-02-01** | chat — Second\n- **2024-01-01** | chat — First\n",
            "# A\n\nText.\n\n---\n\n## Timeline\n\n- **2024-03-01** | chat — Third\n- **2024-02-01** | chat — Second\n- **2024-01-01** | chat — First\n",
        );
    }

    #[test]
    fn code_blocks_and_nested_items_stay_whole() {
        check(
            "# A\n",
            "# B\n\n```sh\nrun\n\nrun\n```\n\n- one\n  - inner\n- two\n",
            "# A\n\n```sh\nrun\n\nrun\n```\n\n- one\n  - inner\n- two\n",
        );
    }
}
