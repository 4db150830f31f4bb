//! The blocks of a text, list items and paragraphs, and which of them a page has already.

use std::collections::HashSet;

use crate::format::Format;
use crate::page::{LINKS_TO, Page};

/// The statements of a page: facts, relations and observations mean the same wherever they are written.
pub(super) struct Known {
    statements: HashSet<String>,
}

impl Known {
    /// Returns the statements of a page with this text.
    pub(super) fn of(page: &Page, text: &str) -> Known {
        let lines: Vec<&str> = text.lines().collect();
        let links = page.links.iter().filter(|link| link.relation != LINKS_TO).map(|link| link.line);
        let facts = page.facts.iter().map(|fact| fact.line);
        let numbers = links.chain(facts).chain(page.observations.iter().map(|one| one.line));
        let line = |number: u32| lines.get((number as usize).checked_sub(1)?).map(|line| key(line));
        Known { statements: numbers.filter_map(line).collect() }
    }

    /// Returns the blocks of a text that the page does not have yet: statements anywhere, other blocks in this part of it.
    pub(super) fn new_blocks(&self, format: Format, own: &str, text: &str) -> String {
        let own: HashSet<String> = blocks(format, own).iter().map(|block| key(block)).collect();
        let is_known = |block: &String| {
            let key = key(block);
            own.contains(&key) || self.statements.contains(&key)
        };
        let found: Vec<(String, bool)> = blocks(format, text)
            .into_iter()
            .map(|block| {
                let known = is_known(&block);
                (block, known)
            })
            .collect();
        let mut kept = String::new();
        let mut is_list = false;
        for (at, (block, known)) in found.iter().enumerate() {
            if *known && !leads(format, &found[at..]) {
                continue;
            }
            let is_item = !format.is_heading_line(block) && is_item(block);
            if !kept.is_empty() {
                kept.push_str(if is_item && is_list { "\n" } else { "\n\n" });
            }
            kept.push_str(block);
            is_list = is_item;
        }
        kept
    }
}

/// Whether the first of these blocks is a heading with a new block below it.
fn leads(format: Format, blocks: &[(String, bool)]) -> bool {
    let Some(((heading, _), rest)) = blocks.split_first() else { return false };
    if !format.is_heading_line(heading) {
        return false;
    }
    let level = |line: &str| {
        let line = line.trim_start();
        line.len() - line.trim_start_matches(['#', '*']).len()
    };
    let ends = |block: &str| format.is_heading_line(block) && level(block) <= level(heading);
    rest.iter().take_while(|(block, _)| !ends(block)).any(|(_, known)| !known)
}

fn is_item(block: &str) -> bool {
    let start = block.trim_start();
    start.starts_with("- ") || start.starts_with("* ") || start.starts_with("+ ")
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

/// Returns what two blocks are compared by: their words, whatever their spacing; of code, every letter.
fn key(block: &str) -> String {
    match ["```", "~~~", "#+"].iter().any(|marks| block.contains(marks)) {
        true => block.trim_end().to_owned(),
        false => block.split_whitespace().collect::<Vec<_>>().join(" "),
    }
}
