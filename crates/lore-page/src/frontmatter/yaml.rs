//! Builds [`Properties`] from YAML events, keeping the text of scalars as written.
//!
//! Values are text in Lore: `1.10` is not 1.1, and an id of digits keeps its zeros. Only booleans, nulls and timestamps
//! are recognized, because other readers of the same files agree on those.

use std::borrow::Cow;
use std::collections::BTreeMap;

use saphyr_parser::{Event, Parser, ScalarStyle, Span};

use crate::page::{Diagnostic, Properties, Value};

/// A parsed document and its warnings.
#[derive(Debug, Default)]
pub(crate) struct Mapping {
    /// Properties in file order.
    pub properties: Properties,
    /// Duplicate keys and keys that are not text; lines are counted within the YAML.
    pub warnings: Vec<Diagnostic>,
}

/// Maximum nesting depth. Nobody writes more, and the limit keeps every recursive reader of a [`Value`] safe.
const MAX_DEPTH: usize = 32;

/// Maximum number of bytes that aliases may add to a document. A handful of nested aliases could otherwise expand to
/// gigabytes.
const MAX_ALIAS_BYTES: usize = 100_000;

/// Parses one YAML document that is a mapping or empty.
pub(crate) fn read(source: &str) -> Result<Mapping, Diagnostic> {
    let mut builder = Builder::default();
    let mut documents = 0;
    for event in Parser::new_from_str(source) {
        let (event, span) = event.map_err(|error| {
            let message = format!("the frontmatter is not valid YAML: {}", error.info());
            Diagnostic { line: line_number(error.marker().line()), message }
        })?;
        let line = line_number(span.start.line());
        match event {
            Event::DocumentStart(_) => {
                documents += 1;
                if documents > 1 {
                    return Err(diagnostic(line, "the frontmatter contains a second YAML document"));
                }
            }
            event => builder.take(source, event, span)?,
        }
    }
    match builder.root {
        None => Ok(Mapping::default()),
        Some(Value::Map(properties)) => Ok(Mapping { properties, warnings: builder.warnings }),
        Some(_) => Err(diagnostic(1, "the frontmatter is not a mapping of `key: value` lines")),
    }
}

/// Converts a scalar to a value; `None` for a null.
fn scalar(text: Cow<'_, str>, plain: bool) -> Option<Value> {
    if !plain {
        return Some(Value::Text(text.into_owned()));
    }
    match &*text {
        "" | "~" | "null" | "Null" | "NULL" => None,
        "true" | "True" | "TRUE" => Some(Value::Text("True".to_owned())),
        "false" | "False" | "FALSE" => Some(Value::Text("False".to_owned())),
        other => Some(Value::Text(timestamp(other).unwrap_or_else(|| text.into_owned()))),
    }
}

/// Converts `2025-01-15 10:30:00` to ISO 8601.
fn timestamp(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let has_shape = |part: &[u8], shape: &[u8]| {
        part.len() >= shape.len()
            && part.iter().zip(shape).all(|(byte, form)| match form {
                b'0' => byte.is_ascii_digit(),
                form => byte == form,
            })
    };
    if !has_shape(bytes, b"0000-00-00 ") {
        return None;
    }
    let time = text[10..].trim_start();
    let is_time = has_shape(time.as_bytes(), b"00:00:00")
        && time.bytes().all(|byte| byte.is_ascii_digit() || b":.+-Z ".contains(&byte));
    is_time.then(|| format!("{}T{}", &text[..10], time.replace(' ', "")))
}

/// Builds values bottom-up on its own stack, so that nesting cannot exhaust the thread's.
#[derive(Default)]
struct Builder {
    stack: Vec<Frame>,
    root: Option<Value>,
    anchors: BTreeMap<usize, (Value, usize)>,
    alias_bytes: usize,
    warnings: Vec<Diagnostic>,
}

struct Frame {
    anchor: usize,
    line: u32,
    node: YamlNode,
}

enum YamlNode {
    List(Vec<Value>),
    Map { entries: Vec<(String, Value)>, lines: Vec<u32>, key: Key },
}

enum Key {
    Expected,
    Read(String, u32),
    /// A key that is itself a list or a mapping: it and its value are dropped.
    Unreadable,
}

impl Builder {
    fn take(&mut self, source: &str, event: Event<'_>, span: Span) -> Result<(), Diagnostic> {
        let line = line_number(span.start.line());
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                if let Some(key) = self.expected_key() {
                    *key = Key::Read(text.into_owned(), line);
                    return Ok(());
                }
                let value = scalar(text, style == ScalarStyle::Plain && tag.is_none());
                self.store_anchor(anchor, value.as_ref());
                self.place(value, line);
            }
            Event::Alias(anchor) => {
                let value = self.resolve(anchor).unwrap_or_else(|| Value::Text(written(source, span)));
                match (self.expected_key(), value) {
                    (Some(key), Value::Text(text)) => *key = Key::Read(text, line),
                    (_, value) => self.place(Some(value), line),
                }
            }
            Event::SequenceStart(anchor, _) => self.open(anchor, line, YamlNode::List(Vec::new()))?,
            Event::MappingStart(anchor, _) => {
                let node = YamlNode::Map { entries: Vec::new(), lines: Vec::new(), key: Key::Expected };
                self.open(anchor, line, node)?;
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(),
            _ => {}
        }
        Ok(())
    }

    fn open(&mut self, anchor: usize, line: u32, node: YamlNode) -> Result<(), Diagnostic> {
        if self.stack.len() >= MAX_DEPTH {
            return Err(diagnostic(
                line,
                &format!("the frontmatter is nested deeper than {MAX_DEPTH} levels"),
            ));
        }
        self.stack.push(Frame { anchor, line, node });
        Ok(())
    }

    fn close(&mut self) {
        let Some(frame) = self.stack.pop() else { return };
        let value = match frame.node {
            YamlNode::List(items) => Value::List(items),
            YamlNode::Map { entries, lines, .. } => {
                let entries = last_of_each(entries, &lines, &mut self.warnings);
                Value::Map(Properties(entries))
            }
        };
        self.store_anchor(frame.anchor, Some(&value));
        self.place(Some(value), frame.line);
    }

    /// Returns the key slot of the mapping being read, if a key comes next.
    fn expected_key(&mut self) -> Option<&mut Key> {
        match &mut self.stack.last_mut()?.node {
            YamlNode::Map { key: key @ Key::Expected, .. } => Some(key),
            _ => None,
        }
    }

    fn place(&mut self, value: Option<Value>, line: u32) {
        let Some(frame) = self.stack.last_mut() else {
            self.root = value;
            return;
        };
        match &mut frame.node {
            YamlNode::List(items) => items.extend(value),
            YamlNode::Map { entries, lines, key } => match std::mem::replace(key, Key::Expected) {
                Key::Expected => {
                    *key = Key::Unreadable;
                    self.warnings.push(diagnostic(line, "a frontmatter key is not text"));
                }
                Key::Unreadable => {}
                Key::Read(name, line) => {
                    if let Some(value) = value {
                        entries.push((name, value));
                        lines.push(line);
                    }
                }
            },
        }
    }

    fn store_anchor(&mut self, anchor: usize, value: Option<&Value>) {
        if anchor > 0
            && let Some(value) = value
        {
            self.anchors.insert(anchor, (value.clone(), size(value)));
        }
    }

    fn resolve(&mut self, anchor: usize) -> Option<Value> {
        let (value, size) = self.anchors.get(&anchor)?;
        let total = self.alias_bytes + size;
        if total > MAX_ALIAS_BYTES {
            return None;
        }
        self.alias_bytes = total;
        Some(value.clone())
    }
}

/// Keeps the last value of each key, at the position of the first.
fn last_of_each(
    mut entries: Vec<(String, Value)>,
    lines: &[u32],
    warnings: &mut Vec<Diagnostic>,
) -> Vec<(String, Value)> {
    let mut order: Vec<usize> = (0..entries.len()).collect();
    order.sort_by(|a, b| entries[*a].0.cmp(&entries[*b].0));
    let mut swaps = Vec::new();
    let mut dropped = Vec::new();
    for group in order.chunk_by(|a, b| entries[*a].0 == entries[*b].0) {
        let [first, .., last] = *group else { continue };
        let message =
            format!("duplicate key `{}` ({} times); the last value is used", entries[first].0, group.len());
        warnings.push(Diagnostic { line: lines[last], message });
        swaps.push((first, last));
        dropped.extend_from_slice(&group[1..]);
    }
    if !dropped.is_empty() {
        swaps.into_iter().for_each(|(first, last)| entries.swap(first, last));
        dropped.sort_unstable();
        let mut index = 0..;
        entries.retain(|_| index.next().is_none_or(|index| dropped.binary_search(&index).is_err()));
    }
    entries
}

fn size(value: &Value) -> usize {
    1 + match value {
        Value::Text(text) => text.len(),
        Value::List(items) => items.iter().map(size).sum(),
        Value::Map(Properties(entries)) => entries.iter().map(|(key, value)| key.len() + size(value)).sum(),
    }
}

fn written(source: &str, span: Span) -> String {
    let length = span.end.index().saturating_sub(span.start.index());
    source.chars().skip(span.start.index()).take(length).collect::<String>().trim_end().to_owned()
}

fn diagnostic(line: u32, message: &str) -> Diagnostic {
    Diagnostic { line, message: message.to_owned() }
}

fn line_number(line: usize) -> u32 {
    u32::try_from(line).unwrap_or(u32::MAX - 1).max(1)
}
