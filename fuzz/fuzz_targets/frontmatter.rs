//! Checks that any frontmatter parses, that properties are set and removed without touching others, and that the body
//! stays as it is.

#![no_main]

use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;
use lore_page::{Value, edit, parse};

#[derive(Debug, Arbitrary)]
struct Input<'a> {
    key: Key,
    value: NewValue<'a>,
    yaml: &'a str,
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

const PATH: &str = "folder/page.md";
const BODY: &str = "\n# Heading\n\nText.\n";

fuzz_target!(|input: Input<'_>| {
    let Input { key, value, yaml } = input;
    let key = match key {
        Key::Title => "title",
        Key::Aliases => "aliases",
        Key::Tags => "tags",
        Key::Status => "status",
        Key::Other => "other",
    };
    let page = format!("---\n{yaml}\n---\n{BODY}");
    let before = parse(PATH, &page);
    let text = |part: &str| Value::Text(part.to_owned());
    let new = match value {
        NewValue::Text(part) => Some(text(part)),
        NewValue::List(parts) => Some(Value::List(parts.into_iter().map(text).collect())),
        NewValue::Remove => None,
    };
    let edited = match &new {
        Some(value) => edit::set_property(&page, key, value),
        None => edit::remove_property(&page, key),
    };
    let Ok(edited) = edited else { return };
    assert!(edited.ends_with(BODY), "the body changed:\n{edited}");
    let after = parse(PATH, &edited);
    if !before.diagnostics.is_empty() {
        return;
    }
    let others = |page: &lore_page::Page| {
        let others = page.properties.iter().filter(|(name, _)| !name.eq_ignore_ascii_case(key));
        others.map(|(name, value)| (name.to_owned(), value.clone())).collect::<Vec<_>>()
    };
    assert_eq!(others(&before.page), others(&after.page), "another property changed:\n{page}\n{edited}");
    match new {
        Some(value) => {
            assert_eq!(after.page.properties.get(key), Some(&value), "the value differs:\n{page}\n{edited}")
        }
        None => {
            assert!(after.page.properties.iter().all(|(name, _)| name != key), "it is still there:\n{edited}")
        }
    }
});
