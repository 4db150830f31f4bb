//! Sets and removes frontmatter properties.

use crate::format::Format;
use std::ops::Range;

use saphyr_parser::ScalarStyle;

use super::EditError;
use super::layout::{self, KeySpan, Layout, ValueShape};
use super::lines::{Lines, line_end, splice, without_end};
use super::write::{self, ScalarContext};
use crate::frontmatter;
use crate::page::{Properties, Value};

/// Sets a property: replaces the value of an existing key, or adds a line, or adds the frontmatter.
///
/// A comment at the end of the line is kept, and so are the quotes of a quoted scalar and the list items that do not
/// change. A key that differs only in case counts as the same.
pub fn set_property(format: Format, text: &str, key: &str, value: &Value) -> Result<String, EditError> {
    if format == Format::Org {
        return super::org_property::set_property(text, key, value);
    }
    let layout = layout::read(text)?;
    let edited = match &layout {
        None => {
            let line_end = line_end(text);
            let line = format!("{}: {}", write::key(key), write::value(value, ScalarContext::Line));
            let start = frontmatter::content_start(text);
            splice(text, start..start, &format!("---{line_end}{line}{line_end}---{line_end}"))
        }
        Some(layout) => match find(layout, key) {
            None => add(text, layout, key, &write::value(value, ScalarContext::Line)),
            Some(at) => {
                let span = &layout.keys[at];
                let old = layout.properties.get(&span.key);
                if old == Some(value) {
                    return Ok(text.to_owned());
                }
                replace(text, span, old, value)
            }
        },
    };
    let read = frontmatter::read(&edited).properties;
    let others_unchanged = layout.is_none_or(|layout| others(&layout.properties, key) == others(&read, key));
    checked(edited, key, others_unchanged && read.get(key) == Some(value))
}

/// A property value with the type that other readers of the file must see. [`Value`] has the text of scalars only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TypedValue {
    /// No value.
    Null,
    /// A boolean.
    Bool(bool),
    /// A number, as written.
    Number(String),
    /// A text.
    Text(String),
    /// A sequence.
    List(Vec<TypedValue>),
    /// A mapping, in order.
    Map(Vec<(String, TypedValue)>),
}

/// Sets a property like [`set_property`], and keeps the type of the value: `true` is a boolean and `"true"` a text.
pub fn set_typed_property(
    format: Format,
    text: &str,
    key: &str,
    value: &TypedValue,
) -> Result<String, EditError> {
    if format == Format::Org {
        return super::org_property::set_typed_property(text, key, value);
    }
    let layout = layout::read(text)?;
    let written = write::typed(value, ScalarContext::Line);
    let edited = match &layout {
        None => {
            let (line_end, start) = (line_end(text), frontmatter::content_start(text));
            let line = format!("{}: {written}", write::key(key));
            splice(text, start..start, &format!("---{line_end}{line}{line_end}---{line_end}"))
        }
        Some(layout) => match find(layout, key) {
            None => add(text, layout, key, &written),
            Some(at) => replace_whole(text, &layout.keys[at], &format!(" {written}")),
        },
    };
    let read = frontmatter::read(&edited).properties;
    let expected = frontmatter::yaml::read(&format!("k: {written}\n")).ok().map(|read| read.properties);
    let others_unchanged = layout.is_none_or(|layout| others(&layout.properties, key) == others(&read, key));
    let reads_back = expected.is_some_and(|expected| expected.get("k") == read.get(key));
    checked(edited, key, others_unchanged && reads_back)
}

/// Removes a property with all its lines; removing the last one removes the frontmatter too.
///
/// This undoes what [`set_property`] added to the byte, with one exception: frontmatter that was empty before is not
/// restored.
pub fn remove_property(format: Format, text: &str, key: &str) -> Result<String, EditError> {
    if format == Format::Org {
        return super::org_property::remove_property(text, key);
    }
    let Some(layout) = layout::read(text)? else { return Ok(text.to_owned()) };
    let Some(at) = find(&layout, key) else { return Ok(text.to_owned()) };
    let name = &layout.keys[at].key;
    let lines = Lines::new(text);
    let mut yaml = String::new();
    let mut kept = layout.fences.yaml.start;
    // Every duplicate of the key is removed, because an earlier value would take effect otherwise.
    for span in layout.keys.iter().filter(|span| span.key == *name) {
        yaml.push_str(&text[kept..lines.start(lines.at(span.name.start))]);
        kept = lines.end(lines.at(last_byte(span)));
    }
    yaml.push_str(&text[kept..layout.fences.yaml.end]);

    let body = &text[layout.fences.body_start..];
    // Without the frontmatter, a rule at the start of the body would be parsed as a fence.
    let body_opens_a_block = matches!(frontmatter::fences(body), Ok(Some(_)));
    // A lone carriage return ends a line of YAML, but not of a file: another property may be on the same line.
    let is_last = others(&layout.properties, name).is_empty();
    if yaml.trim().is_empty() && !body_opens_a_block && is_last {
        return Ok(splice(text, layout.fences.start..layout.fences.body_start, ""));
    }
    let edited = splice(text, layout.fences.yaml.start..layout.fences.yaml.end, &yaml);
    let read = frontmatter::read(&edited).properties;
    checked(
        edited,
        key,
        others(&layout.properties, name) == others(&read, name)
            && read.0.iter().all(|(read, _)| read != name),
    )
}

/// Rejects an edit that does not read back: YAML has corner cases, such as an anchor that another key refers to.
fn checked(edited: String, key: &str, reads_back: bool) -> Result<String, EditError> {
    if reads_back { Ok(edited) } else { Err(EditError::Property { key: key.to_owned() }) }
}

/// Returns the properties that a key does not match.
fn others<'p>(properties: &'p Properties, key: &str) -> Vec<&'p (String, Value)> {
    properties.0.iter().filter(|(name, _)| !name.eq_ignore_ascii_case(key)).collect()
}

/// Returns the index of a key, preferring an exact match over one that differs only in case; of duplicates, the last.
fn find(layout: &Layout, key: &str) -> Option<usize> {
    let exact = layout.keys.iter().rposition(|span| span.key == key);
    exact.or_else(|| {
        let first = layout.keys.iter().find(|span| span.key.eq_ignore_ascii_case(key))?;
        layout.keys.iter().rposition(|span| span.key == first.key)
    })
}

/// Adds a line before the closing fence, with the indent of the other keys.
fn add(text: &str, layout: &Layout, key: &str, written: &str) -> String {
    let indent = layout.keys.first().map_or("", |first| {
        let lines = Lines::new(text);
        &text[lines.start(lines.at(first.name.start))..first.name.start]
    });
    let line = format!("{indent}{}: {written}{}", write::key(key), line_end(text));
    splice(text, layout.fences.yaml.end..layout.fences.yaml.end, &line)
}

fn replace(text: &str, span: &KeySpan, old: Option<&Value>, new: &Value) -> String {
    if let (Some(Value::List(old)), Value::List(new)) = (old, new)
        && let Some((range, written)) = replace_items(text, span, old, new)
    {
        return splice(text, range, &written);
    }
    let written = match (&span.shape, new) {
        (ValueShape::Scalar(style), Value::Text(new)) => {
            let old = if let Some(Value::Text(old)) = old { old } else { "" };
            format!(" {}", write::scalar_like(new, old, *style))
        }
        (ValueShape::BlockList(items), Value::List(new)) if !new.is_empty() => {
            format!("{}{}", line_end(text), block_items(text, items, new))
        }
        (_, new) => format!(" {}", write::value(new, ScalarContext::Line)),
    };
    replace_whole(text, span, &written)
}

/// Replaces everything between the colon and the end of the value, except a comment on the key's line.
fn replace_whole(text: &str, span: &KeySpan, written: &str) -> String {
    let line_end =
        |at: usize| at + without_end(text[at..].split_inclusive('\n').next().unwrap_or_default()).len();
    let key_line_end = line_end(span.colon_end);
    let rest = &text[span.colon_end..key_line_end];
    let on_key_line = rest.trim_start();
    let in_block_form = match &span.shape {
        ValueShape::BlockList(_) | ValueShape::BlockMap => true,
        ValueShape::Scalar(style) => matches!(style, ScalarStyle::Literal | ScalarStyle::Folded),
        ValueShape::FlowList(_) | ValueShape::FlowMap => false,
    };
    if span.value_end == span.colon_end && !in_block_form {
        return splice(text, span.colon_end..span.colon_end, written);
    }
    if !in_block_form && !on_key_line.is_empty() && !on_key_line.starts_with('#') {
        // The space after the colon is kept, so that aligned values stay aligned.
        let value_start = key_line_end - on_key_line.len();
        return splice(text, value_start..span.value_end, written.trim_start_matches(' '));
    }

    // The value is on the lines below; the key's line may still have a comment, after a `|` or an anchor.
    let before_comment = rest.find(" #").or_else(|| rest.find("\t#")).unwrap_or(rest.len());
    let comment = &rest[rest[..before_comment].trim_end().len()..];
    let value_end = match span.shape {
        ValueShape::BlockList(_) | ValueShape::BlockMap => line_end(span.value_end),
        _ => span.value_end,
    };
    let (first, below) = if written.starts_with(' ') { (written, "") } else { ("", written) };
    splice(text, span.colon_end..value_end.max(key_line_end), &format!("{first}{comment}{below}"))
}

/// Returns the last byte of a key and its value.
fn last_byte(span: &KeySpan) -> usize {
    span.value_end.max(span.colon_end).saturating_sub(1)
}

/// Returns the smallest change from one list to another: equal items at the start and at the end are kept.
fn replace_items(text: &str, span: &KeySpan, old: &[Value], new: &[Value]) -> Option<(Range<usize>, String)> {
    let (ValueShape::FlowList(items) | ValueShape::BlockList(items)) = &span.shape else { return None };
    // Null items have a position but no value; if there are any, the whole list is rewritten.
    if items.len() != old.len() || old.is_empty() || new.is_empty() {
        return None;
    }
    let same_start = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let rest = old.len().min(new.len()) - same_start;
    let same_end =
        old.iter().rev().zip(new.iter().rev()).take(rest).take_while(|(old, new)| old == new).count();
    let added = &new[same_start..new.len() - same_end];
    match &span.shape {
        ValueShape::FlowList(_) => Some(flow_change(items, same_start, same_end, added)),
        _ => block_change(text, items, same_start..items.len() - same_end, added),
    }
}

/// Writes the added items of `[a, b]` after the items kept at the start or before those kept at the end.
fn flow_change(
    items: &[Range<usize>],
    same_start: usize,
    same_end: usize,
    added: &[Value],
) -> (Range<usize>, String) {
    let written: Vec<_> = added.iter().map(|item| write::value(item, ScalarContext::Flow)).collect();
    let last = items.len() - 1;
    if same_end > 0 {
        let written = written.iter().map(|item| format!("{item}, ")).collect();
        (items[same_start].start..items[items.len() - same_end].start, written)
    } else if same_start > 0 {
        let written = written.iter().map(|item| format!(", {item}")).collect();
        (items[same_start - 1].end..items[last].end, written)
    } else {
        (items[0].start..items[last].end, written.join(", "))
    }
}

/// Writes the added items in place of the lines of the changed ones.
fn block_change(
    text: &str,
    items: &[Range<usize>],
    changed: Range<usize>,
    added: &[Value],
) -> Option<(Range<usize>, String)> {
    let lines = Lines::new(text);
    let first_line = |item: &Range<usize>| lines.start(lines.at(item.start));
    let after = |item: &Range<usize>| lines.end(lines.at(item.end.saturating_sub(1)));
    if !items.iter().all(|item| text[first_line(item)..item.start].trim() == "-") {
        return None;
    }
    let start = items.get(changed.start).map(first_line).or_else(|| items.last().map(after))?;
    let end = items[changed].last().map_or(start, after);
    let written = block_items(text, items, added);
    let tail = if written.is_empty() { "" } else { line_end(text) };
    Some((start..end, written + tail))
}

/// Formats items as `- item` lines with the indent of the first old one, without the last line ending.
fn block_items(text: &str, old: &[Range<usize>], new: &[Value]) -> String {
    let lines = Lines::new(text);
    let indent = old.first().map_or("", |first| {
        let line = &text[lines.start(lines.at(first.start))..first.start];
        &line[..line.len() - line.trim_start().len()]
    });
    let items: Vec<_> =
        new.iter().map(|item| format!("{indent}- {}", write::value(item, ScalarContext::Item))).collect();
    items.join(line_end(text))
}
