//! Page schemas: required properties, their values, a heading, sections.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The format of a property's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ValueFormat {
    /// `YYYY-MM-DD`.
    Date,
    /// A UUID.
    Uuid,
    /// Lower-case words joined by `-`; every item of a list.
    Slug,
    /// A whole number.
    Number,
    /// An ISO week, `YYYY-Www`.
    Week,
    /// A month, `YYYY-MM`.
    Month,
    /// The English name of a weekday; of the date in the page's path, if it has one.
    Weekday,
    /// A cron schedule.
    Cron,
}

impl ValueFormat {
    /// Returns a description for messages.
    pub fn what(self) -> &'static str {
        match self {
            ValueFormat::Date => "a date such as 2026-05-24",
            ValueFormat::Uuid => "a UUID",
            ValueFormat::Slug => "a slug such as my-project",
            ValueFormat::Number => "a whole number",
            ValueFormat::Week => "a week such as 2026-W21",
            ValueFormat::Month => "a month such as 2026-05",
            ValueFormat::Weekday => "the weekday of its date",
            ValueFormat::Cron => "a cron schedule such as \"0 10 * * mon-fri\"",
        }
    }
}

/// Requirements on a page. They also apply to the placeholders of the rule's pattern: the name that `{slug}` stands for
/// must have the format and be one of the values of the property `slug`, and a page that states the property must state
/// the same.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Schema {
    /// Properties that must be present and not blank.
    pub required: Vec<String>,
    /// Allowed values of a property, or of each item of a list.
    pub values: BTreeMap<String, Vec<String>>,
    /// The format of a property's value.
    pub formats: BTreeMap<String, ValueFormat>,
    /// Values that `lore capture` and `lore lint --fix` give to missing properties. `{{date}}`, `{{actor}}` and
    /// `{{id}}` are filled in.
    pub defaults: BTreeMap<String, String>,
    /// The property that every write sets to the current date.
    pub stamp: Option<String>,
    /// Tags of which at least one is required.
    pub tags: Vec<String>,
    /// The level-one heading.
    pub heading: Option<String>,
    /// Required level-two headings, in this order.
    pub sections: Vec<String>,
    /// Whether each of these sections may occur only once.
    pub unique: bool,
    /// Sections to which text can only be added.
    pub append_only: Vec<String>,
    /// Whether an edit of the text must name its section.
    pub edit_by_section: bool,
    /// Properties with a date that must not be after the current day.
    pub not_future: Vec<String>,
}
