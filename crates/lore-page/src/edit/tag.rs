//! Adds and removes frontmatter tags.

use super::EditError;
use super::doc::Doc;
use super::property::{remove_property, set_property};
use crate::format::Format;
use crate::page::Value;

/// Properties that hold tags; new ones go to the first.
const KEYS: [&str; 2] = ["tags", "tag"];

/// Adds a tag to the frontmatter. If the page already has the tag, in the frontmatter or in its text, the text is
/// unchanged.
pub fn add_tag(format: Format, text: &str, tag: &str) -> Result<String, EditError> {
    let tag = name(tag)?;
    if Doc::new(format, text).page.tags.iter().any(|known| is_same(known, tag)) {
        return Ok(text.to_owned());
    }
    let mut tags = written(format, text, KEYS[0]);
    tags.push(Value::Text(tag.to_owned()));
    set_property(format, text, KEYS[0], &Value::List(tags))
}

/// Removes a tag from the frontmatter, and the property with its last tag. If the page does not have the tag, the text
/// is unchanged; a tag that is only in the prose is an error, because a person has to rephrase it.
pub fn remove_tag(format: Format, text: &str, tag: &str) -> Result<String, EditError> {
    let tag = name(tag)?;
    let mut edited = text.to_owned();
    for key in KEYS {
        let old = written(format, &edited, key);
        let mut tags = old.clone();
        tags.retain(|known| !matches!(known, Value::Text(known) if is_same(known, tag)));
        if tags.is_empty() && !old.is_empty() {
            edited = remove_property(format, &edited, key)?;
        } else if tags.len() < old.len() {
            edited = set_property(format, &edited, key, &Value::List(tags))?;
        }
    }
    let doc = Doc::new(format, text);
    if edited == text && doc.page.tags.iter().any(|known| is_same(known, tag)) {
        return Err(EditError::InlineTag { tag: tag.to_owned(), line: inline_line(&doc, tag) });
    }
    Ok(edited)
}

pub(super) fn name(tag: &str) -> Result<&str, EditError> {
    let name = tag.trim().trim_start_matches('#');
    if name.is_empty() || name.contains(char::is_control) { Err(EditError::EmptyTag) } else { Ok(name) }
}

pub(super) fn is_same(known: &str, tag: &str) -> bool {
    known.trim_start_matches('#').to_lowercase() == tag.to_lowercase()
}

/// Returns the tags of a property as a list; several in one text are split as the parser does.
fn written(format: Format, text: &str, key: &str) -> Vec<Value> {
    match Doc::new(format, text).page.properties.get(key) {
        Some(Value::List(items)) => items.clone(),
        Some(Value::Text(text)) => {
            let tags = text.split(|c: char| c == ',' || c.is_whitespace()).filter(|part| !part.is_empty());
            tags.map(|tag| Value::Text(tag.to_owned())).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns the first line of the body that contains the tag.
fn inline_line(doc: &Doc<'_>, tag: &str) -> u32 {
    let observed =
        doc.page.observations.iter().find(|seen| seen.tags.iter().any(|known| is_same(known, tag)));
    let needle = format!("#{}", tag.to_lowercase());
    let first = doc.lines.at(doc.page.truth.start);
    let in_text =
        || (first..=doc.lines.count()).find(|line| doc.lines.content(*line).to_lowercase().contains(&needle));
    let line = in_text().map_or(1, |line| u32::try_from(line).unwrap_or(u32::MAX));
    observed.map_or(line, |observation| observation.line.min(line))
}
