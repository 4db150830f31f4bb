//! What pages are filtered by, apart from names, text and dates: one rule for rows and filters, so that every store
//! compares plain strings.

use std::collections::BTreeSet;

use lore_page::Value;
use lore_text::fold;

use crate::filter::{Filter, Namespace};
use crate::rows::PageRow;

/// A kind of label.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Label {
    /// Its type.
    Type,
    /// A tag.
    Tag,
    /// Its status.
    Status,
    /// The entity it belongs to.
    Wing,
    /// A property with one of its values.
    Property,
}

impl PageRow {
    /// Returns the page's labels, case-folded.
    pub fn labels(&self) -> BTreeSet<(Label, String)> {
        let mut labels = BTreeSet::from([(Label::Type, fold(&self.kind)), (Label::Wing, fold(&self.wing))]);
        labels.extend(self.tags.iter().map(|tag| (Label::Tag, fold(tag))));
        labels.extend(self.status.iter().map(|status| (Label::Status, fold(status))));
        for (key, value) in self.properties.iter() {
            each_text(value, &mut |value| {
                labels.insert((Label::Property, property(key, value)));
            });
        }
        labels
    }
}

impl Filter {
    /// Returns the labels that a page must have: of each kind listed, one of the values.
    pub fn labels(&self) -> Vec<(Label, Vec<String>)> {
        let one = |label: Label, value: &String| (label, vec![fold(value)]);
        let mut labels: Vec<(Label, Vec<String>)> = Vec::new();
        if !self.kinds.is_empty() {
            labels.push((Label::Type, self.kinds.iter().map(|kind| fold(kind)).collect()));
        }
        labels.extend(self.tags.iter().map(|tag| one(Label::Tag, tag)));
        labels.extend(self.status.iter().map(|status| one(Label::Status, status)));
        if !self.wings.is_empty() {
            labels.push((Label::Wing, self.wings.iter().map(|wing| fold(wing)).collect()));
        }
        let properties = self.properties.iter();
        labels.extend(properties.map(|(key, value)| (Label::Property, vec![property(key, value)])));
        labels
    }
}

impl Namespace {
    /// Returns the labels of its pages, other than those below its folders; a page has at least one of them.
    pub fn labels(&self) -> [(Label, String); 4] {
        let name = || self.name.clone();
        [
            (Label::Property, property("namespace", &self.name)),
            (Label::Property, property("projects", &self.name)),
            (Label::Tag, name()),
            (Label::Wing, name()),
        ]
    }

    /// Returns whether a page belongs to it.
    pub fn contains(&self, page: &PageRow) -> bool {
        let below = self.prefixes.iter().any(|prefix| page.path.starts_with(prefix.as_str()));
        below || {
            let labels = page.labels();
            self.labels().iter().any(|label| labels.contains(label))
        }
    }
}

fn property(key: &str, value: &str) -> String {
    format!("{}={}", fold(key), fold(value))
}

/// Calls `each` with every text of a value; nested maps do not count.
fn each_text(value: &Value, each: &mut dyn FnMut(&str)) {
    match value {
        Value::Text(text) => each(text),
        Value::List(items) => items.iter().for_each(|item| each_text(item, each)),
        Value::Map(_) => {}
    }
}
