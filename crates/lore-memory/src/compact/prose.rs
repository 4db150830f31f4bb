//! Sentences of a page: its prose without headings, code, tables and structured lines, split at sentence ends.

use std::collections::BTreeSet;

use lore_page::{LINKS_TO, Page};

/// Returns the sentences of a page, in order.
pub(super) fn sentences(page: &Page, text: &str) -> Vec<String> {
    let headings = page.headings.iter().map(|heading| heading.lines.first).collect();
    let mut prose = Prose { structured: structured_lines(page), headings, ..Prose::default() };
    let mut start = 0;
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        let at = start;
        start += line.len();
        let below = page.timeline.is_some_and(|range| at >= range.start && at < range.end);
        if below || at >= page.truth.start && at < page.truth.end {
            prose.read_line(number, line.trim_end_matches(['\n', '\r']));
        }
    }
    prose.close();
    prose.paragraphs.iter().flat_map(|paragraph| lore_text::sentences(paragraph)).map(str::to_owned).collect()
}

/// Returns the lines that are not prose.
fn structured_lines(page: &Page) -> BTreeSet<u32> {
    let relations = page.links.iter().filter(|link| link.relation != LINKS_TO).map(|link| link.line);
    let observations = page.observations.iter().map(|observation| observation.line);
    let facts = page.facts.iter().map(|fact| fact.line);
    let entries = page.entries.iter().flat_map(|entry| entry.lines.first..=entry.lines.last);
    relations.chain(observations).chain(facts).chain(entries).collect()
}

/// Collects paragraphs line by line.
#[derive(Default)]
struct Prose {
    structured: BTreeSet<u32>,
    headings: BTreeSet<u32>,
    /// Whether the previous line belongs to a structured item, which may continue.
    item: bool,
    paragraphs: Vec<String>,
    open: String,
    /// Fence that closes the current code block.
    fence: Option<String>,
    comment: bool,
    list: bool,
}

impl Prose {
    fn read_line(&mut self, number: u32, line: &str) {
        let trimmed = line.trim();
        let heading = self.headings.contains(&number);
        let continues_item = self.item && !heading && continues(trimmed);
        self.item = self.structured.contains(&number) || continues_item;
        if self.in_code(trimmed) || self.in_comment(trimmed) || self.item || heading {
            return self.close();
        }
        let quoted = trimmed.trim_start_matches(['>', ' ']);
        let indented = line.starts_with("    ") || line.starts_with('\t');
        if quoted.is_empty() || !is_prose(quoted) || indented && !self.list && self.open.is_empty() {
            self.list &= trimmed.is_empty();
            return self.close();
        }
        let (item, words) = without_marker(quoted);
        if item {
            self.close();
            self.list = true;
        } else if self.open.is_empty() && !indented {
            self.list = false;
        }
        if !self.open.is_empty() {
            self.open.push(' ');
        }
        self.open.push_str(words);
    }

    fn close(&mut self) {
        if !self.open.is_empty() {
            self.paragraphs.push(std::mem::take(&mut self.open));
        }
    }

    fn in_code(&mut self, line: &str) -> bool {
        let marks = line.len() - line.trim_start_matches(['`', '~']).len();
        match &self.fence {
            Some(fence) => {
                if line.starts_with(fence.as_str()) && marks == line.len() {
                    self.fence = None;
                }
                true
            }
            None if marks >= 3 && (line.starts_with("```") || line.starts_with("~~~")) => {
                self.fence = Some(line[..marks].to_owned());
                true
            }
            None => false,
        }
    }

    fn in_comment(&mut self, line: &str) -> bool {
        let inside = self.comment || line.starts_with("<!--");
        self.comment = inside && !line.contains("-->");
        inside
    }
}

/// Returns whether a line continues the list item before it.
pub(super) fn continues(line: &str) -> bool {
    let starts_block =
        line.starts_with(['#', '>', '<']) || line.starts_with("```") || line.starts_with("~~~");
    // A bar alone does not start a table: without a line of dashes below it, it is part of the item.
    let text = line.starts_with('|') || is_prose(line);
    !line.is_empty() && !starts_block && text && !without_marker(line).0
}

/// Returns whether a line is text and not a rule, table, markup, definition or callout heading.
fn is_prose(line: &str) -> bool {
    let rule = line.chars().all(|c| matches!(c, '-' | '*' | '_' | '=' | ' '));
    let definition = line.starts_with('[') && !line.starts_with("[[") && line.contains("]: ");
    !rule && !definition && !line.starts_with(['|', '<']) && !line.starts_with("[!")
}

/// Strips the marker of a list item and its check box, and returns whether there was one.
fn without_marker(line: &str) -> (bool, &str) {
    let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let after = match line[digits..].chars().next() {
        Some('-' | '*' | '+') if digits == 0 => line.get(1..),
        Some('.' | ')') if digits > 0 => line.get(digits + 1..),
        _ => None,
    };
    match after.and_then(|after| after.strip_prefix(' ')) {
        None => (false, line),
        Some(words) => {
            let words = words.trim_start();
            let boxes = ["[ ] ", "[x] ", "[X] ", "[-] "];
            (true, boxes.iter().find_map(|checkbox| words.strip_prefix(checkbox)).unwrap_or(words))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lore_page::parse;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        assert_eq!(sentences(&parse("a.md", text).page, text), expected);
    }

    #[test]
    fn list_and_quote_markers_are_stripped() {
        check(
            "> A quote\n> goes on.\n\n- First thing\n  on two lines\n* [ ] Second thing\n1. Third thing\n",
            &["A quote goes on.", "First thing on two lines", "Second thing", "Third thing"],
        );
    }

    #[test]
    fn non_prose_is_skipped() {
        let text = "---\ntitle: A. B.\n---\n# Heading. Here\n\nText.\n\n```\ncode. Code.\n```\n\n    more code\n\n\
            | a | b |\n|---|---|\n\n<!-- hidden. -->\n<div>\n\n- [decision] Kept elsewhere\n- owns:: A boat\n\
            - knows [[B]]\n  (well)\n\n[x]: http://a.org/b\n\n***\n\n## Timeline\n- **2024-01-02** | m — Entry.\n\nBelow.\n";
        check(text, &["Text.", "Below."]);
    }
}
