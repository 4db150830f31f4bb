//! Lint rules and their severities.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Severity of a finding.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize, schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Not checked.
    Off,
    /// Reported.
    Warning,
    /// Reported; a write that would cause it is refused.
    Error,
}

/// A lint rule.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Lint {
    /// Frontmatter or structured lines that cannot be parsed.
    Structure,
    /// A required id is missing.
    IdMissing,
    /// Two pages have the same id.
    IdDuplicate,
    /// A required property is missing or empty.
    FieldMissing,
    /// A property has a value that is not allowed.
    FieldValue,
    /// A required heading or section is missing or out of order.
    SectionMissing,
    /// A link matches no page.
    LinkBroken,
    /// A link uses the path that a page had before it was moved.
    LinkMoved,
    /// A link fits several pages equally well.
    LinkAmbiguous,
    /// A page mentions another without linking to it.
    LinkMissing,
    /// Names that are equal on case-insensitive systems, or that are not valid slugs.
    Slug,
    /// A generated file is out of date.
    GeneratedStale,
    /// A generated file was edited by hand.
    GeneratedEdited,
    /// A conflict marker of an unfinished merge.
    Conflict,
    /// A credential.
    Secret,
    /// A possible credential.
    SecretLikely,
    /// A file over its limit.
    Size,
}

impl Lint {
    /// Every rule with its name and default level.
    pub const ALL: [(Lint, &'static str, Level); 17] = [
        (Lint::Structure, "structure", Level::Warning),
        (Lint::IdMissing, "id-missing", Level::Error),
        (Lint::IdDuplicate, "id-duplicate", Level::Warning),
        (Lint::FieldMissing, "field-missing", Level::Error),
        (Lint::FieldValue, "field-value", Level::Error),
        (Lint::SectionMissing, "section-missing", Level::Error),
        (Lint::LinkBroken, "link-broken", Level::Warning),
        (Lint::LinkMoved, "link-moved", Level::Warning),
        (Lint::LinkAmbiguous, "link-ambiguous", Level::Warning),
        // Only a suggestion: `lore curate` makes it.
        (Lint::LinkMissing, "link-missing", Level::Off),
        (Lint::Slug, "slug", Level::Warning),
        (Lint::GeneratedStale, "generated-stale", Level::Warning),
        (Lint::GeneratedEdited, "generated-edited", Level::Error),
        (Lint::Conflict, "conflict", Level::Error),
        (Lint::Secret, "secret", Level::Error),
        (Lint::SecretLikely, "secret-likely", Level::Warning),
        (Lint::Size, "size", Level::Warning),
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        Lint::ALL.iter().find(|(lint, ..)| *lint == self).map_or("", |(_, name, _)| name)
    }
}

/// What is linted before a write.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Gate {
    /// The pages that change.
    #[default]
    Change,
    /// The whole vault as it would be.
    Vault,
}

/// Lint settings.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LintPolicy {
    /// What is linted before a write.
    pub gate: Gate,
    /// Levels that differ from the defaults.
    pub levels: BTreeMap<Lint, Level>,
}

impl LintPolicy {
    /// Returns the level of a rule. A credential is an error whatever the file says: its author may be somebody who gains
    /// by the leak. Patterns that are wrong in a vault are switched off one by one, which needs trust.
    pub fn level(&self, lint: Lint) -> Level {
        if lint == Lint::Secret {
            return Level::Error;
        }
        let usual =
            Lint::ALL.iter().find(|(known, ..)| *known == lint).map_or(Level::Warning, |known| known.2);
        self.levels.get(&lint).copied().unwrap_or(usual)
    }
}
