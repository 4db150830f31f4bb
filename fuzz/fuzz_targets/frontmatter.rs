//! Checks that any frontmatter and any Org drawer parses, that properties are set and removed without touching others, and
//! that the body stays as it is.

#![no_main]

use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;
use lore_page::{Format, Value, edit, parse};

#[derive(Debug, Arbitrary)]
struct Input<'a> {
    is_org: bool,
    key: Key,
    value: NewValue<'a>,
    properties: &'a str,
}

/// Names that mean something to Lore, and one that does not.
#[derive(Debug, Clone, Copy, Arbitrary)]
enum Key {
    Title,
    Aliases,
    Tags,
    Status,
    Other,
}

#[derive(Debug, Arbitrary)]
enum NewValue<'a> {
    Text(&'a str),
    List(Vec<&'a str>),
    Remove,
}

const BODY: &str = "\nText.\n";

fuzz_target!(|input: Input<'_>| {
    let Input { is_org, key, value, properties } = input;
    let key = match key {
        Key::Title => "title",
        Key::Aliases => "aliases",
        Key::Tags => "tags",
        Key::Status => "status",
        Key::Other => "other",
    };
    let (format, path, page) = match is_org {
        true => (Format::Org, "folder/page.org", format!(":PROPERTIES:\n{properties}\n:END:\n#+title: Page\n{BODY}")),
        false => (Format::Markdown, "folder/page.md", format!("---\n{properties}\n---\n{BODY}")),
    };
    let before = parse(path, &page);
    let text = |part: &str| Value::Text(part.to_owned());
    let new = match value {
        NewValue::Text(part) => Some(text(part)),
        NewValue::List(parts) => Some(Value::List(parts.into_iter().map(text).collect())),
        NewValue::Remove => None,
    };
    let edited = match &new {
        Some(value) => edit::set_property(format, &page, key, value),
        None => edit::remove_property(format, &page, key),
    };
    let Ok(edited) = edited else { return };
    assert!(edited.ends_with(BODY), "the body changed:\n{edited}");
    let after = parse(path, &edited);
    if !before.diagnostics.is_empty() {
        return;
    }
    let others = |page: &lore_page::Page| {
        let others = page.properties.iter().filter(|(name, _)| !name.eq_ignore_ascii_case(key));
        others.map(|(name, value)| (name.to_owned(), value.clone())).collect::<Vec<_>>()
    };
    assert_eq!(others(&before.page), others(&after.page), "another property changed:\n{page}\n{edited}");
    match new {
        // Org has lists of words here: a text becomes one.
        Some(_) if is_org && matches!(key, "tags" | "aliases") => {}
        // A keyword of Org has no type: nothing and an empty text are the same, and so are a word and a list of it.
        Some(value) if is_org => {
            let found = after.page.properties.get(key).map(texts).unwrap_or_default();
            assert_eq!(found, texts(&value), "the value differs:\n{page}\n{edited}")
        }
        Some(value) => {
            assert_eq!(after.page.properties.get(key), Some(&value), "the value differs:\n{page}\n{edited}")
        }
        None => {
            assert!(after.page.properties.iter().all(|(name, _)| name != key), "it is still there:\n{edited}")
        }
    }
});

fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::Text(text) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()).into_iter().collect(),
        Value::List(items) => items.iter().flat_map(texts).collect(),
        Value::Map(_) => Vec::new(),
    }
}
