//! The summary of a page that declares none: a quote at its start, else the first sentence of prose.

use lore_text::sentence_end;

use super::link::shown_links;
use super::scan::{Scan, block_name};
use crate::markdown::shortened;
use crate::page::Page;

/// Returns the text of the quote block that the body starts with.
pub(super) fn quoted(text: &str, scan: &Scan<'_>) -> Option<String> {
    let quote = scan.first_quote.clone()?;
    if !text[scan.body_start..quote.start].lines().all(|line| line.trim().is_empty() || is_mark(line)) {
        return None;
    }
    let shown = plain(&text[quote]);
    Some(shortened(&shown)).filter(|text| !text.is_empty())
}

/// Returns the first sentence of the first paragraph of prose.
pub(super) fn first_sentence(text: &str, page: &Page) -> Option<String> {
    let mut paragraph = String::new();
    let mut block: Option<String> = None;
    for line in page.truth.of(text).lines() {
        let trimmed = line.trim();
        if let Some(end) = &block {
            if trimmed.eq_ignore_ascii_case(end) {
                block = None;
            }
            continue;
        }
        if is_prose(line) {
            paragraph.push_str(trimmed);
            paragraph.push(' ');
            continue;
        }
        if !paragraph.is_empty() {
            break;
        }
        block = opens(trimmed);
    }
    let shown = plain(&paragraph);
    let sentence = &shown[..sentence_end(&shown)];
    Some(shortened(sentence.trim())).filter(|text| text.chars().any(char::is_alphabetic))
}

/// Returns the line that ends the block or drawer that a line opens.
fn opens(line: &str) -> Option<String> {
    if let Some(name) = block_name(line) {
        return Some(format!("#+end_{name}"));
    }
    let name = line.strip_prefix(':')?.strip_suffix(':')?;
    let is_drawer = !name.is_empty() && !name.eq_ignore_ascii_case("END") && !name.contains([' ', ':']);
    is_drawer.then(|| ":end:".to_owned())
}

/// Returns whether a line is part of a paragraph.
fn is_prose(line: &str) -> bool {
    let text = line.trim();
    let numbered = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_numbered = numbered.len() < text.len() && numbered.starts_with(['.', ')']);
    let marks = [
        "- ",
        "+ ",
        "|",
        "#+",
        "# ",
        ":",
        "-----",
        "[[",
        "\\begin",
        "\\[",
        "CLOCK:",
        "SCHEDULED:",
        "CLOSED:",
    ];
    let is_heading = line.starts_with('*') && line.trim_start_matches('*').starts_with(' ');
    !text.is_empty()
        && !is_heading
        && !is_numbered
        && !marks.iter().any(|mark| text.starts_with(mark))
        && text.chars().any(char::is_alphabetic)
}

/// Whether a line is a keyword or a comment.
fn is_mark(line: &str) -> bool {
    line.trim_start().starts_with('#')
}

/// Returns a text on one line, with links as they are shown and without emphasis.
fn plain(text: &str) -> String {
    let shown = lore_text::on_one_line(&shown_links(text));
    let words: Vec<String> = shown.split(' ').map(without_emphasis).collect();
    words.join(" ")
}

/// Drops the marks of emphasis around a word, or at the end of it that a phrase starts or ends with.
fn without_emphasis(word: &str) -> String {
    let is_mark = |c: char| matches!(c, '*' | '/' | '_' | '=' | '~' | '+');
    let start = word.trim_start_matches(['(', '"', '\'']);
    let lead = &word[..word.len() - start.len()];
    let start = if start.len() > 1 { start.strip_prefix(is_mark).unwrap_or(start) } else { start };
    let end = start.trim_end_matches(['.', ',', ';', ':', '!', '?', ')', '"', '\'']);
    let tail = &start[end.len()..];
    let end = if end.len() > 1 { end.strip_suffix(is_mark).unwrap_or(end) } else { end };
    format!("{lead}{end}{tail}")
}
