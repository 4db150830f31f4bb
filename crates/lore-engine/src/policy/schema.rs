//! What a page must have: properties, their values, a heading, sections.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The form of a property's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// `YYYY-MM-DD`.
    Date,
    /// A UUID.
    Uuid,
    /// Lower-case words joined by `-`; every item of a list.
    Slug,
    /// A whole number.
    Number,
}

impl Format {
    /// What it is, for a message.
    pub fn what(self) -> &'static str {
        match self {
            Format::Date => "a date such as 2026-05-24",
            Format::Uuid => "a UUID",
            Format::Slug => "a slug such as my-project",
            Format::Number => "a whole number",
        }
    }
}

/// What a page must have.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Schema {
    /// Properties that must be there and say something.
    pub required: Vec<String>,
    /// The values a property may have; every item of a list.
    pub values: BTreeMap<String, Vec<String>>,
    /// The form of a property's value.
    pub formats: BTreeMap<String, Format>,
    /// What a property that is missing is given: by `lore capture`, and by `lore lint --fix`. `{{date}}`, `{{actor}}`
    /// and `{{id}}` are filled in.
    pub defaults: BTreeMap<String, String>,
    /// The property that every write sets to the day's date.
    pub stamp: Option<String>,
    /// At least one of these must be among the tags.
    pub tags: Vec<String>,
    /// The level-one heading.
    pub heading: Option<String>,
    /// The level-two headings that must be there, in this order.
    pub sections: Vec<String>,
}
