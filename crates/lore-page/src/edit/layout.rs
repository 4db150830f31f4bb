//! Byte positions of the keys and values in the frontmatter.
//!
//! Separate from parsing, because only edits need it and indexing should not pay for it.

use std::ops::Range;

use saphyr_parser::{Event, Parser, ScalarStyle, Span};

use super::EditError;
use crate::frontmatter::{self, Fences, UnclosedFrontmatter, yaml};
use crate::page::{Diagnostic, Properties};

/// A file's frontmatter, with the positions needed to edit it.
pub(super) struct Layout {
    pub(super) fences: Fences,
    pub(super) properties: Properties,
    /// Top-level keys in file order, including duplicates.
    pub(super) keys: Vec<KeySpan>,
}

/// A top-level key and its value. All ranges are bytes of the file.
#[derive(Debug)]
pub(super) struct KeySpan {
    pub(super) key: String,
    /// The key itself, including quotes.
    pub(super) name: Range<usize>,
    /// The byte after the colon.
    pub(super) colon_end: usize,
    /// The byte after the value's text; for a block list or block mapping, after its last item's.
    pub(super) value_end: usize,
    pub(super) shape: ValueShape,
}

#[derive(Debug)]
pub(super) enum ValueShape {
    /// A scalar on one or more lines, or an alias, with its quoting style.
    Scalar(ScalarStyle),
    /// `[a, b]`, with the positions of its items.
    FlowList(Vec<Range<usize>>),
    /// `- a` lines, with the positions of their items.
    BlockList(Vec<Range<usize>>),
    FlowMap,
    BlockMap,
}

/// Reads the layout; `None` if the file has no frontmatter.
pub(super) fn read(text: &str) -> Result<Option<Layout>, EditError> {
    let fences = match frontmatter::fences(text) {
        Ok(Some(fences)) => fences,
        Ok(None) => return Ok(None),
        Err(UnclosedFrontmatter) => {
            return Err(EditError::Frontmatter {
                line: 1,
                message: "the frontmatter is not closed".to_owned(),
            });
        }
    };
    let refused = |bad: Diagnostic| {
        let Diagnostic { line, message } = frontmatter::in_file(bad, &fences);
        EditError::Frontmatter { line, message }
    };
    let source = fences.yaml.of(text);
    let properties = yaml::read(source).map_err(refused)?.properties;
    let mut keys = keys(source).map_err(refused)?;
    for key in &mut keys {
        key.shift(fences.yaml.start);
    }
    Ok(Some(Layout { fences, properties, keys }))
}

impl KeySpan {
    fn shift(&mut self, by: usize) {
        let shift = |range: &mut Range<usize>| *range = range.start + by..range.end + by;
        shift(&mut self.name);
        self.colon_end += by;
        self.value_end += by;
        if let ValueShape::FlowList(items) | ValueShape::BlockList(items) = &mut self.shape {
            items.iter_mut().for_each(shift);
        }
    }
}

/// Finds the keys of a document that is known to be a mapping or empty.
fn keys(source: &str) -> Result<Vec<KeySpan>, Diagnostic> {
    let offsets = Offsets::new(source);
    let mut keys: Vec<KeySpan> = Vec::new();
    let mut depth = 0;
    // The key whose value comes next or is being read.
    let mut open: Option<KeySpan> = None;
    for event in Parser::new_from_str(source) {
        let Ok((event, span)) = event else { break };
        let line = u32::try_from(span.start.line()).unwrap_or(u32::MAX - 1);
        let unsupported = || {
            let message = "only plain `key: value` lines can be edited".to_owned();
            Diagnostic { line, message }
        };
        let leaf = offsets.leaf(source, &event, span);
        match (&event, &mut open) {
            (Event::MappingStart(..), _) if depth == 0 => {
                if span.start.index() != span.end.index() {
                    return Err(unsupported());
                }
                depth = 1;
            }
            (Event::MappingEnd, None) => depth = 0,
            (Event::Scalar(text, ..), None) if depth == 1 => {
                let name = leaf.ok_or_else(unsupported)?;
                let colon_end = colon_after(source, name.end).ok_or_else(unsupported)?;
                let shape = ValueShape::Scalar(ScalarStyle::Plain);
                let key = text.to_string();
                open = Some(KeySpan { key, name, colon_end, value_end: colon_end, shape });
            }
            (Event::StreamStart | Event::StreamEnd | Event::DocumentStart(_) | Event::DocumentEnd, _) => {}
            (_, None) => return Err(unsupported()),
            (_, Some(key)) => {
                key.take(&event, span, depth, leaf);
                depth = match event {
                    Event::SequenceStart(..) | Event::MappingStart(..) => depth + 1,
                    Event::SequenceEnd | Event::MappingEnd => depth - 1,
                    _ => depth,
                };
                if depth == 1 {
                    keys.extend(open.take());
                }
            }
        }
    }
    Ok(keys)
}

impl KeySpan {
    /// Processes one event of the key's value; `depth` is 1 for the value itself and 2 for its items.
    fn take(&mut self, event: &Event<'_>, span: Span, depth: usize, leaf: Option<Range<usize>>) {
        let flow = span.start.index() != span.end.index();
        match event {
            Event::Scalar(_, style, ..) if depth == 1 => self.shape = ValueShape::Scalar(*style),
            Event::SequenceStart(..) if depth == 1 && flow => self.shape = ValueShape::FlowList(Vec::new()),
            Event::SequenceStart(..) if depth == 1 => self.shape = ValueShape::BlockList(Vec::new()),
            Event::MappingStart(..) if depth == 1 && flow => self.shape = ValueShape::FlowMap,
            Event::MappingStart(..) if depth == 1 => self.shape = ValueShape::BlockMap,
            _ => {}
        }
        let Some(leaf) = leaf else { return };
        self.value_end = self.value_end.max(leaf.end);
        let (ValueShape::FlowList(items) | ValueShape::BlockList(items)) = &mut self.shape else { return };
        match event {
            Event::Scalar(..) | Event::Alias(_) | Event::SequenceStart(..) | Event::MappingStart(..)
                if depth == 2 =>
            {
                items.push(leaf);
            }
            // The end of the list itself is not part of an item.
            Event::SequenceEnd | Event::MappingEnd if depth == 2 => {}
            _ if depth > 1 => {
                if let Some(item) = items.last_mut() {
                    item.end = item.end.max(leaf.end);
                }
            }
            _ => {}
        }
    }
}

/// Returns the byte after the colon that follows a key.
fn colon_after(source: &str, key_end: usize) -> Option<usize> {
    let rest = &source[key_end..];
    let colon = rest.len() - rest.trim_start_matches([' ', '\t']).len();
    rest[colon..].starts_with(':').then_some(key_end + colon + 1)
}

/// Maps the parser's character offsets to byte offsets.
struct Offsets(Vec<usize>);

impl Offsets {
    fn new(source: &str) -> Self {
        Offsets(source.char_indices().map(|(at, _)| at).chain([source.len()]).collect())
    }

    fn byte(&self, index: usize) -> usize {
        self.0.get(index).or(self.0.last()).copied().unwrap_or(0)
    }

    /// Returns the bytes of an event, without the trailing space, comments and block scalar line ending that the parser
    /// includes. Returns `None` for the end of a block collection, which the parser places at the next token.
    fn leaf(&self, source: &str, event: &Event<'_>, span: Span) -> Option<Range<usize>> {
        let start = self.byte(span.start.index());
        let end = self.byte(span.end.index()).max(start);
        match event {
            Event::Scalar(_, ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted, ..) => {
                Some(start..quoted_end(source, start).unwrap_or(end))
            }
            // An empty block scalar starts at the next key.
            Event::Scalar(_, ScalarStyle::Literal | ScalarStyle::Folded, ..) => {
                let end = source[..end].trim_end().len();
                Some(start.min(end)..end)
            }
            Event::Scalar(..) | Event::Alias(_) => Some(start..start + source[start..end].trim_end().len()),
            Event::SequenceStart(..) | Event::MappingStart(..) => Some(start..start),
            Event::SequenceEnd | Event::MappingEnd if end > start => Some(start..start + 1),
            _ => None,
        }
    }
}

/// Returns the byte after the closing quote of the scalar at `start`, which may have an anchor and a tag in front.
fn quoted_end(source: &str, start: usize) -> Option<usize> {
    let mut at = start;
    while source[at..].starts_with(['&', '!']) {
        at += source[at..].find(char::is_whitespace)?;
        at += source[at..].len() - source[at..].trim_start().len();
    }
    let quote = source[at..].chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    let mut rest = source[at + 1..].char_indices().peekable();
    while let Some((offset, c)) = rest.next() {
        if c == '\\' && quote == '"' {
            rest.next();
        } else if c == quote && !(quote == '\'' && rest.next_if(|(_, next)| *next == '\'').is_some()) {
            return Some(at + 1 + offset + 1);
        }
    }
    None
}
