//! What lint looks for, and how bad each finding is.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// How bad a finding is.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize, schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Not looked for.
    Off,
    /// Told.
    Warning,
    /// Told; a write that would have it is refused.
    Error,
}

/// What lint looks for.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Lint {
    /// Frontmatter or lines that cannot be read as they were meant.
    Structure,
    /// A schema asks for an id and there is none.
    IdMissing,
    /// Two pages have the same id.
    IdDuplicate,
    /// A required property is missing or empty.
    FieldMissing,
    /// A property has a value it may not have.
    FieldValue,
    /// A required heading or section is missing or out of order.
    SectionMissing,
    /// A link leads to no page.
    LinkBroken,
    /// A page names another and does not link it.
    LinkMissing,
    /// Names that make two pages one on some systems, or that cannot be a slug.
    Slug,
    /// A generated file is not what the pages say now.
    GeneratedStale,
    /// A generated file was edited by hand.
    GeneratedEdited,
    /// A credential.
    Secret,
    /// What may be a credential.
    SecretLikely,
    /// A file over its limit.
    Size,
}

impl Lint {
    /// Every rule with its level where the policy says nothing.
    pub const ALL: [(Lint, &'static str, Level); 14] = [
        (Lint::Structure, "structure", Level::Warning),
        (Lint::IdMissing, "id-missing", Level::Error),
        (Lint::IdDuplicate, "id-duplicate", Level::Warning),
        (Lint::FieldMissing, "field-missing", Level::Error),
        (Lint::FieldValue, "field-value", Level::Error),
        (Lint::SectionMissing, "section-missing", Level::Error),
        (Lint::LinkBroken, "link-broken", Level::Warning),
        // A suggestion, which no vault must follow: `lore curate` makes it.
        (Lint::LinkMissing, "link-missing", Level::Off),
        (Lint::Slug, "slug", Level::Warning),
        (Lint::GeneratedStale, "generated-stale", Level::Warning),
        (Lint::GeneratedEdited, "generated-edited", Level::Error),
        (Lint::Secret, "secret", Level::Error),
        (Lint::SecretLikely, "secret-likely", Level::Warning),
        (Lint::Size, "size", Level::Warning),
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        Lint::ALL.iter().find(|(lint, ..)| *lint == self).map_or("", |(_, name, _)| name)
    }
}

/// What is looked at before a write.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Gate {
    /// The pages that change.
    #[default]
    Change,
    /// The whole vault as it would be.
    Vault,
}

/// How strict lint is.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LintPolicy {
    /// What is looked at before a write.
    pub gate: Gate,
    /// Levels that differ from the usual.
    pub levels: BTreeMap<Lint, Level>,
}

impl LintPolicy {
    /// The level of a rule.
    pub fn level(&self, lint: Lint) -> Level {
        let usual =
            Lint::ALL.iter().find(|(known, ..)| *known == lint).map_or(Level::Warning, |known| known.2);
        self.levels.get(&lint).copied().unwrap_or(usual)
    }
}
