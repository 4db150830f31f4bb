//! Writes kept lines and timelines into a text.

use super::place::Place;
use crate::edit::doc::Doc;
use crate::edit::lines::{line_end, with_line_end};

/// Something to write into a text.
enum Piece {
    Line(String),
    Block(String),
    /// Takes the place of the text up to this byte.
    Replaced(usize, String),
}

/// Writes pieces into a text in one pass.
pub(super) fn assemble(
    doc: &Doc<'_>,
    pieces: Vec<(Place, String)>,
    replaced: Vec<(usize, usize, String)>,
) -> String {
    let mut all: Vec<(usize, u8, Piece)> = Vec::new();
    for (place, lines) in pieces {
        all.push(match place {
            Place::Line { at } => (at, 0, Piece::Line(lines)),
            Place::Block { at, heading: None } => (at, 1, Piece::Block(lines)),
            Place::Block { at, heading: Some(heading) } => (at, 2, Piece::Block(format!("{heading}{lines}"))),
        });
    }
    for (start, end, lines) in replaced {
        all.push((start, 3, Piece::Replaced(end, lines)));
    }
    all.sort_by_key(|(at, rank, _)| (*at, *rank));
    let end = line_end(doc.text);
    let is_blank = |line: Option<&str>| line.is_none_or(|line| line.trim().is_empty());
    let (mut out, mut copied) = (String::with_capacity(doc.text.len()), 0);
    for (at, _, piece) in all {
        out.push_str(&doc.text[copied..at]);
        copied = at;
        if !out.trim_start_matches('\u{feff}').is_empty() && !out.ends_with('\n') {
            out.push_str(end);
        }
        let (Piece::Line(lines) | Piece::Block(lines) | Piece::Replaced(_, lines)) = &piece;
        let is_block = matches!(piece, Piece::Block(_));
        if is_block && at > doc.page.truth.start && !is_blank(out.split_inclusive('\n').next_back()) {
            out.push_str(end);
        }
        out.push_str(&with_line_end(lines, end));
        out.push_str(end);
        if is_block && !is_blank(doc.text[at..].split_inclusive('\n').next()) {
            out.push_str(end);
        }
        if let Piece::Replaced(end, _) = piece {
            copied = end;
        }
    }
    out.push_str(&doc.text[copied..]);
    out
}

/// Adds a timeline, with its rule, to a text without one.
pub(super) fn with_timeline(text: &str, timeline: &str) -> String {
    let line_end = line_end(if text.contains('\n') { text } else { timeline });
    let timeline = with_line_end(timeline, line_end);
    format!("{}{line_end}{line_end}{timeline}", text.trim_end())
}
