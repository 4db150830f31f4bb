//! Values of Org properties and keywords as those of a page.

use std::borrow::Cow;

use crate::frontmatter::yaml;
use crate::page::{Properties, Value};

use super::drawer::Property;
use super::scan::Keyword;
use super::timestamp;

/// Properties whose values are lists of words between colons, as the tags of a file are: `:general: :emacs:`.
pub(crate) const COLON_LISTS: [&str; 2] = ["projects", "tags"];

/// Keywords that set up the buffer or an export and say nothing about the page.
const SETTINGS: [&str; 24] = [
    "archive",
    "bind",
    "cite_export",
    "columns",
    "constants",
    "exclude_tags",
    "filetags",
    "include",
    "link",
    "macro",
    "options",
    "print_bibliography",
    "priorities",
    "property",
    "results",
    "select_tags",
    "seq_todo",
    "setupfile",
    "startup",
    "tags",
    "tblfm",
    "title",
    "toc",
    "todo",
];

/// Adds the property of a drawer.
pub(super) fn add(found: &mut Properties, property: &Property<'_>) {
    let key = key_of(property.key);
    let value = property_value(&key, property.value);
    if !property.adds {
        // Org takes the first of several lines with one key.
        if found.0.iter().all(|(known, _)| *known != key) {
            found.0.extend(value.map(|value| (key.into_owned(), value)));
        }
        return;
    }
    match (found.0.iter_mut().find(|(known, _)| *known == key), value) {
        (Some((_, Value::List(items))), Some(Value::List(more))) => items.extend(more),
        (Some((_, Value::Text(text))), Some(Value::Text(more))) => {
            text.push(' ');
            text.push_str(&more);
        }
        (None, Some(value)) => found.0.push((key.into_owned(), value)),
        _ => {}
    }
}

/// Adds the keywords of a file: its title, its tags, and those before its text that say something about it.
pub(super) fn add_keywords(found: &mut Properties, keywords: &[Keyword<'_>]) {
    let named =
        |name: &'static str| keywords.iter().filter(move |keyword| keyword.key.eq_ignore_ascii_case(name));
    let title = named("title").map(|keyword| keyword.value).find(|title| !title.is_empty());
    if let Some(title) = title {
        found.0.retain(|(key, _)| key != "title");
        found.0.push(("title".to_owned(), Value::Text(title.to_owned())));
    }
    let tags: Vec<&str> = named("filetags").flat_map(|keyword| tag_words(keyword.value)).collect();
    if !tags.is_empty() {
        found.0.retain(|(key, _)| key != "tags");
        let tags = tags.into_iter().map(|tag| Value::Text(tag.to_owned())).collect();
        found.0.push(("tags".to_owned(), Value::List(tags)));
    }
    for keyword in keywords.iter().filter(|keyword| keyword.is_in_head) {
        let key = keyword.key.to_ascii_lowercase();
        let is_setting = SETTINGS.binary_search(&key.as_str()).is_ok()
            || ["attr_", "export_", "html_", "latex_", "beamer_"]
                .iter()
                .any(|prefix| key.starts_with(prefix));
        if !is_setting && !keyword.value.is_empty() && found.get(&key).is_none() {
            let value = timestamp::whole(keyword.value).unwrap_or_else(|| keyword.value.to_owned());
            found.0.push((key, Value::Text(value)));
        }
    }
}

/// Returns the name of a property on a page: `ROAM_ALIASES` are aliases, and keys in capitals are written in lower case.
pub(crate) fn key_of(key: &str) -> Cow<'_, str> {
    if key.eq_ignore_ascii_case("ROAM_ALIASES") {
        return Cow::Borrowed("aliases");
    }
    if key.eq_ignore_ascii_case("ROAM_REFS") {
        return Cow::Borrowed("refs");
    }
    if key.bytes().any(|byte| byte.is_ascii_lowercase()) {
        return Cow::Borrowed(key);
    }
    Cow::Owned(key.to_lowercase())
}

/// Returns the value of a property, given its name on a page; `None` if it is empty.
pub(crate) fn property_value(key: &str, text: &str) -> Option<Value> {
    if text.is_empty() {
        return (key == "roam_exclude").then(|| Value::Text(String::new()));
    }
    let texts = |words: Vec<String>| Value::List(words.into_iter().map(Value::Text).collect());
    if matches!(key, "aliases" | "refs") {
        return Some(texts(quoted_words(text)));
    }
    if text.starts_with("[\"") || text.starts_with("[]") || text.starts_with("{\"") {
        let read = yaml::read(&format!("k: {text}\n")).ok();
        let value = read.and_then(|read| read.properties.get("k").cloned());
        if let Some(value @ (Value::List(_) | Value::Map(_))) = value {
            return Some(value);
        }
    }
    if COLON_LISTS.contains(&key) && text.contains(':') {
        return Some(texts(tag_words(text).map(str::to_owned).collect()));
    }
    Some(Value::Text(timestamp::whole(text).unwrap_or_else(|| text.to_owned())))
}

/// Returns the references of a file or heading. Citations in any form are written as `@key`.
pub(super) fn references(properties: &Properties) -> Vec<String> {
    let mut found = Vec::new();
    for reference in properties.list("refs") {
        let inner = reference.strip_prefix("[cite").and_then(|rest| rest.strip_suffix(']'));
        let keys = inner.and_then(|inner| inner.split_once(':')).map(|(_, keys)| keys);
        let plain = ["cite:", "citep:", "citet:"].iter().find_map(|scheme| reference.strip_prefix(scheme));
        match (keys, plain) {
            (Some(keys), _) => {
                let keys = keys.split([';', ' ']).filter(|key| key.starts_with('@'));
                found.extend(keys.map(str::to_owned));
            }
            (None, Some(keys)) => {
                let keys = keys.split([',', ';']).map(|key| key.trim_start_matches(['&', '@']));
                found.extend(keys.filter(|key| !key.is_empty()).map(|key| format!("@{key}")));
            }
            (None, None) => found.push(reference),
        }
    }
    found
}

/// Splits `:a:b: :c:` into words.
pub(crate) fn tag_words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c == ':' || c.is_whitespace()).filter(|word| !word.is_empty())
}

/// Splits a text at spaces outside double quotes, in which a backslash escapes a character.
pub(crate) fn quoted_words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let end = match rest.strip_prefix('"').and_then(quote_end) {
            Some(end) => {
                words.push(unquoted(&rest[1..=end]));
                end + 2
            }
            None => {
                let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
                words.push(rest[..end].to_owned());
                end
            }
        };
        rest = rest[end..].trim_start();
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Returns the position of the quote that ends a quoted text.
fn quote_end(inner: &str) -> Option<usize> {
    let mut chars = inner.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => {
                chars.next();
            }
            '"' => return Some(at),
            _ => {}
        }
    }
    None
}

fn unquoted(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        plain.extend(if c == '\\' { chars.next() } else { Some(c) });
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_split_outside_quotes() {
        for (text, expected) in [
            ("one two", &["one", "two"][..]),
            ("\"one two\" three", &["one two", "three"]),
            ("Über 中文 —", &["Über", "中文", "—"]),
            ("\"open", &["\"open"]),
            ("  ", &[]),
        ] {
            assert_eq!(quoted_words(text), expected, "{text}");
        }
    }
}
