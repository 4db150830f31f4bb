//! Properties that name a page by its slug or path (`owner: people/ada`) follow it when that name changes.

use std::collections::HashMap;

use lore_page::{Format, Properties, Value, edit, parse};
use lore_ports::PageRow;
use lore_text::fold;
use lore_vault::{is_page_path, without_extension};

use crate::error::{Error, Result};

/// Properties that name pages even without a folder.
const REFERENCES: [&str; 12] = [
    "owner",
    "stakeholders",
    "attendees",
    "participants",
    "assignee",
    "lead",
    "company",
    "person",
    "people",
    "project",
    "related",
    "parent",
];

/// Properties that never name another page by its slug.
const OWN: [&str; 9] = ["title", "id", "slug", "permalink", "aliases", "alias", "tags", "type", "source"];

/// Former slugs and paths of pages, and the names to use instead.
#[derive(Debug, Clone, Default)]
pub struct FormerNames {
    current: HashMap<String, CurrentName>,
}

/// The slug and the path that a page has now.
#[derive(Debug, Clone)]
struct CurrentName {
    slug: String,
    path: String,
}

impl FormerNames {
    /// Returns the change from these names to the slug and path of a page.
    pub fn new(names: impl IntoIterator<Item = String>, slug: &str, path: &str) -> FormerNames {
        let mut former = FormerNames::default();
        former.add(names, slug, path);
        former
    }

    /// Adds the change from further names to the slug and path of another page.
    pub fn add(&mut self, names: impl IntoIterator<Item = String>, slug: &str, path: &str) {
        let current = CurrentName { slug: slug.to_owned(), path: path.to_owned() };
        self.current.extend(names.into_iter().map(|name| (name, current.clone())));
    }

    /// Returns the slug and the path of a page, with and without its extension.
    pub fn of(page: &PageRow) -> [String; 3] {
        [page.slug.clone(), without_extension(&page.path).to_owned(), page.path.clone()]
    }

    /// Returns the number of values that have one of the names.
    pub fn count(&self, properties: &Properties) -> usize {
        let named = |key: &str, value: &Value| match value {
            Value::List(items) => items.iter().filter(|item| self.followed(key, item).is_some()).count(),
            value => usize::from(self.followed(key, value).is_some()),
        };
        properties.iter().map(|(key, value)| named(key, value)).sum()
    }

    /// Returns the text of a page whose properties have the new name.
    pub fn follow(&self, source: &str, text: &str) -> Result<String> {
        let mut text = text.to_owned();
        for (key, value) in parse(source, &text.clone()).page.properties.iter() {
            let follow = |value: &Value| self.followed(key, value);
            let new = match value {
                Value::List(items) if items.iter().any(|item| follow(item).is_some()) => {
                    let items = items.iter().map(|item| follow(item).unwrap_or_else(|| item.clone()));
                    Some(Value::List(items.collect()))
                }
                value => follow(value),
            };
            if let Some(new) = new {
                text = edit::set_property(Format::of(source), &text, key, &new)
                    .map_err(|error| Error::Edit { slug: source.to_owned(), source: error })?;
            }
        }
        Ok(text)
    }

    fn followed(&self, key: &str, value: &Value) -> Option<Value> {
        let Value::Text(name) = value else { return None };
        let current = self.named(key, name)?;
        let is_file = is_page_path(name.trim());
        Some(Value::Text(if is_file { current.path.clone() } else { current.slug.clone() }))
    }

    /// Returns the page that the value of a property names. A name without a folder may be any word, so it counts only
    /// where a page is expected.
    fn named(&self, key: &str, value: &str) -> Option<&CurrentName> {
        let value = value.trim();
        let value = value.strip_prefix("memory://").unwrap_or(value);
        let current = self.current.get(value)?;
        let is_reference = value.contains('/') || REFERENCES.contains(&fold(key).as_str());
        (is_reference && !OWN.contains(&fold(key).as_str())).then_some(current)
    }
}
