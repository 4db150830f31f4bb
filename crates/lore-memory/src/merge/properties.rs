//! Properties of merged pages: taken over, kept as names, or listed as dropped.

use lore_engine::{Result, VaultContext};
use lore_page::{Format, Page, Properties, Value, edit, parse};
use lore_ports::PageRow;
use lore_text::slugify;
use lore_vault::without_extension;

use super::failed;
use crate::capture::list;
use crate::derived::{is_external, opts_out};

/// Properties that become aliases and tags of the page that remains.
const KEPT_ELSEWHERE: [&str; 6] = ["id", "title", "aliases", "alias", "permalink", "tags"];

/// Properties that describe one page only.
const OWN: [&str; 5] = ["status", "created", "updated", "summary", "type"];

/// A value of a merged page that the page that remains does not take over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DroppedValue {
    /// Path of the merged page.
    pub path: String,
    /// Name of the property.
    pub property: String,
    /// Its value on the merged page.
    pub value: String,
    /// The value that the remaining page keeps, if it has one.
    pub kept: Option<String>,
}

/// Adds the names, tags and further properties of a merged page, and lists the values that are not taken over.
pub(super) fn with_properties(
    context: &VaultContext,
    text: &str,
    path: &str,
    other: &PageRow,
    other_text: &str,
    dropped: &mut Vec<DroppedValue>,
) -> Result<String> {
    let (page, merged) = (parse(path, text).page, parse(path, other_text).page);
    let set = |text: &str, key: &str, value: &Value| {
        edit::set_property(Format::of(path), text, key, value).map_err(|source| failed(path, source))
    };
    let mut text = set(text, "aliases", &list(aliases(&page, &merged, other)))?;
    let tags = Properties::list(&merged.properties, "tags");
    for tag in tags.iter().filter(|tag| !page.tags.contains(tag)) {
        text = edit::add_tag(Format::of(path), &text, tag).map_err(|source| failed(path, source))?;
    }
    for (key, value) in merged.properties.iter().filter(|(key, _)| !KEPT_ELSEWHERE.contains(key)) {
        let own = page.properties.get(key);
        match (own, value) {
            (Some(own), value) if own == value => {}
            // What one of the pages must not lose holds for the text of both.
            (own, value)
                if (is_external(key, value) || opts_out(context, key, value))
                    && !own.is_some_and(|own| opts_out(context, key, own)) =>
            {
                text = set(&text, key, value)?;
                dropped.extend(own.map(|own| DroppedValue {
                    path: path.to_owned(),
                    property: key.to_owned(),
                    value: written(own),
                    kept: Some(written(value)),
                }));
            }
            (None, value) if !OWN.contains(&key) => text = set(&text, key, value)?,
            (Some(Value::List(own)), value) if !OWN.contains(&key) => {
                let more =
                    if let Value::List(more) = value { more.as_slice() } else { std::slice::from_ref(value) };
                let new = more.iter().filter(|item| !own.contains(item));
                text = set(&text, key, &Value::List(own.iter().chain(new).cloned().collect()))?;
            }
            (own, value) => dropped.push(DroppedValue {
                path: other.path.clone(),
                property: key.to_owned(),
                value: written(value),
                kept: own.map(written),
            }),
        }
    }
    Ok(text)
}

/// Returns the aliases of the page together with every name of the merged one: also the name of its file, which links may use.
fn aliases(page: &Page, merged: &Page, other: &PageRow) -> Vec<String> {
    let mut aliases = page.properties.list("aliases");
    let headings = merged.heading_title.clone().into_iter();
    let names = headings
        .chain([other.title.as_str(), file_stem(&other.path)].map(str::to_owned))
        .chain(merged.aliases.clone())
        .chain([other.id.clone(), other.slug.clone()])
        .chain(merged.properties.text("permalink").map(str::to_owned));
    for name in names {
        let own = page.heading_title.iter().chain([&page.title]);
        if !own.chain(&aliases).any(|known| slugify(known) == slugify(&name)) {
            aliases.push(name);
        }
    }
    aliases
}

fn file_stem(path: &str) -> &str {
    let stem = without_extension(path);
    stem.rsplit('/').next().unwrap_or(stem)
}

/// Returns a value on one line, as in YAML.
fn written(value: &Value) -> String {
    match value {
        Value::Text(text) => lore_text::on_one_line(text),
        Value::List(items) => format!("[{}]", items.iter().map(written).collect::<Vec<_>>().join(", ")),
        Value::Map(entries) => {
            let entry = |(key, value): (&str, &Value)| format!("{key}: {}", written(value));
            format!("{{{}}}", entries.iter().map(entry).collect::<Vec<_>>().join(", "))
        }
    }
}
