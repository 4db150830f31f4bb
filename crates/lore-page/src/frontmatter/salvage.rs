//! Recovers properties from a block that is not valid YAML.
//!
//! The block is split at its top-level keys, and each piece is parsed on its own: as YAML if possible, otherwise as
//! plain text. A bad line therefore affects only itself, and `title: Foo: bar` keeps its title.

use super::yaml;
use crate::page::{Properties, Value};

/// Parses the properties that can be recovered.
pub(super) fn read(source: &str) -> Properties {
    let mut properties = Properties::default();
    for entry in entries(source) {
        let found = match yaml::read(entry) {
            Ok(mapping) => mapping.properties.0,
            Err(_) => plain(entry).into_iter().collect(),
        };
        for (key, value) in found {
            match properties.0.iter_mut().find(|(known, _)| *known == key) {
                Some((_, old)) => *old = value,
                None => properties.0.push((key, value)),
            }
        }
    }
    properties
}

/// Splits the block into pieces that each start with a key in the first column.
fn entries(source: &str) -> Vec<&str> {
    let mut starts = Vec::new();
    let mut position = 0;
    for line in source.split_inclusive('\n') {
        if key_and_value(line).is_some() {
            starts.push(position);
        }
        position += line.len();
    }
    let ends = starts.iter().skip(1).copied().chain([source.len()]);
    starts.iter().zip(ends).map(|(start, end)| &source[*start..end]).collect()
}

/// Parses `key: value` in the first column, with the value as written.
fn key_and_value(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_end();
    if line.starts_with([' ', '\t', '#', '-', '[', '{', '}', ']']) {
        return None;
    }
    let (key, value) = line.split_once(": ").or_else(|| Some((line.strip_suffix(':')?, "")))?;
    Some((key.trim(), value.trim())).filter(|(key, _)| !key.is_empty())
}

/// Parses an entry that is not YAML: a flow list, a list of items below the key, or one line of text.
fn plain(entry: &str) -> Option<(String, Value)> {
    let mut lines = entry.lines();
    let (key, value) = key_and_value(lines.next()?)?;
    let value = without_comment(value);
    let list = |items: &mut dyn Iterator<Item = &str>| {
        Value::List(
            items
                .map(unquoted)
                .filter(|item| !item.is_empty())
                .map(|item| Value::Text(item.to_owned()))
                .collect(),
        )
    };
    let value = if value.is_empty() {
        let mut items =
            lines.filter_map(|line| line.trim().strip_prefix("- ")).map(without_comment).peekable();
        items.peek()?;
        list(&mut items)
    } else if let Some(inner) = value.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        list(&mut inner.split(',').map(str::trim))
    } else {
        Value::Text(unquoted(value).to_owned())
    };
    Some((unquoted(key).to_owned(), value))
}

fn without_comment(value: &str) -> &str {
    if value.starts_with('#') {
        return "";
    }
    value.split_once(" #").map_or(value, |(before, _)| before).trim_end()
}

fn unquoted(text: &str) -> &str {
    ['"', '\''].into_iter().find_map(|quote| text.strip_prefix(quote)?.strip_suffix(quote)).unwrap_or(text)
}
