//! Fills in the fields of a page that come from its frontmatter.

use std::collections::HashSet;

use lore_text::on_one_line;

use crate::interval::Interval;
use crate::page::{ByteRange, LineRange, Link, LinkStyle, Page, Properties, Value};
use crate::wiki::{self, LinkOrder};

/// Properties that name or classify the page itself; links in them are ignored.
pub(crate) const OWN_NAMES: [&str; 7] = ["id", "title", "tags", "tag", "aliases", "alias", "permalink"];

/// Properties whose values are references, with brackets or without.
pub(crate) const REFERENCES: [&str; 3] = ["supersedes", "superseded_by", "superseded-by"];

/// Values of such a property that name no page.
pub(crate) const NO_REFERENCE: [&str; 6] = ["", "-", "none", "null", "n/a", "false"];

/// Fills in the fields that come from the properties.
pub(crate) fn apply(page: &mut Page, path: &str) {
    let properties = &page.properties;
    page.title = text_of(properties, "title").unwrap_or_else(|| on_one_line(file_title(path)));
    page.id = text_of(properties, "id");
    page.kind = text_of(properties, "type");
    page.status = text_of(properties, "status");
    let summary = text_of(properties, "summary").or_else(|| text_of(properties, "description"));
    page.summary = summary.map(|summary| crate::markdown::shortened(&summary));
    page.aliases = names(["aliases", "alias", "permalink"].iter().flat_map(|key| properties.list(key)));
    page.tags = names(["tags", "tag"].iter().flat_map(|key| tags(properties.get(key))));
}

fn text_of(properties: &Properties, key: &str) -> Option<String> {
    // YAML allows line breaks in any value; a name, a type or a summary is one line.
    let text = on_one_line(properties.text(key)?);
    (!text.is_empty()).then_some(text)
}

/// Returns a file's name without its extension.
fn file_title(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    match name.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => name,
    }
}

/// Returns the tags of a list, or of a text that holds several.
fn tags(value: Option<&Value>) -> Vec<String> {
    let pieces: Vec<&str> = match value {
        Some(Value::Text(text)) => text.split(|c: char| c == ',' || c.is_whitespace()).collect(),
        Some(Value::List(items)) => items
            .iter()
            .filter_map(|item| match item {
                Value::Text(text) => Some(text.as_str()),
                _ => None,
            })
            .collect(),
        _ => Vec::new(),
    };
    pieces.into_iter().map(|tag| tag.trim().trim_start_matches('#').to_owned()).collect()
}

/// Trims names, and drops empty ones and duplicates.
fn names(found: impl Iterator<Item = String>) -> Vec<String> {
    let mut seen = HashSet::new();
    found
        .map(|name| on_one_line(&name))
        .filter(|name| !name.is_empty() && seen.insert(name.clone()))
        .collect()
}

/// Returns the links in property values, with the key as their relation.
pub(crate) fn links(properties: &Properties, frontmatter: Option<LineRange>, text: &str) -> Vec<Link> {
    let mut links = Vec::new();
    for (key, value) in properties.iter().filter(|(key, _)| !OWN_NAMES.contains(key)) {
        let mut targets = Vec::new();
        collect(value, &mut targets);
        if targets.is_empty() && REFERENCES.contains(&key.to_lowercase().as_str()) {
            targets = properties.list(key);
            targets.retain(|name| !NO_REFERENCE.contains(&name.trim().to_lowercase().as_str()));
        }
        if !targets.is_empty() {
            let line = line_of(key, frontmatter, text);
            links
                .extend(targets.iter().filter_map(|inner| link(key, inner, LinkOrder::of(properties), line)));
        }
    }
    links
}

/// Collects the contents of double brackets. Without quotes, YAML parses `[[Name]]` as a list in a list, although the
/// author meant a link.
fn collect(value: &Value, targets: &mut Vec<String>) {
    match value {
        Value::Text(text) if text.contains("[[") => {
            targets.extend(
                wiki::find(text).into_iter().map(|link| text[link.start + 2..link.end - 2].to_owned()),
            );
        }
        Value::Text(_) => {}
        Value::List(items) => match items.as_slice() {
            [Value::List(inner)] if inner.iter().all(|item| matches!(item, Value::Text(_))) => {
                let parts: Vec<&str> = inner
                    .iter()
                    .map(|item| if let Value::Text(text) = item { text.as_str() } else { "" })
                    .collect();
                targets.push(parts.join(", "));
            }
            _ => items.iter().for_each(|item| collect(item, targets)),
        },
        Value::Map(map) => map.iter().for_each(|(_, value)| collect(value, targets)),
    }
}

fn link(key: &str, inner: &str, order: LinkOrder, line: u32) -> Option<Link> {
    let read = wiki::read(inner, order)?;
    Some(Link {
        relation: on_one_line(key),
        target: on_one_line(&read.target),
        style: LinkStyle::Wiki,
        heading: read.heading.map(|heading| on_one_line(&heading)),
        label: read.label.map(|label| on_one_line(&label)),
        context: None,
        interval: Interval::default(),
        embed: false,
        line,
        span: ByteRange::default(),
    })
}

/// Returns the line of a top-level key, or the first line of the frontmatter.
fn line_of(key: &str, frontmatter: Option<LineRange>, text: &str) -> u32 {
    let Some(lines) = frontmatter else { return 1 };
    let is_key = |line: &str| {
        let line = line.trim_start_matches(['"', '\'']);
        line.strip_prefix(key).is_some_and(|rest| rest.trim_start_matches(['"', '\'', ' ']).starts_with(':'))
    };
    let numbered = (1..lines.last).zip(text.lines());
    numbered
        .skip(lines.first as usize)
        .find(|(_, line)| is_key(line))
        .map_or(lines.first, |(number, _)| number)
}
