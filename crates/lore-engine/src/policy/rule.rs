//! A policy rule: its paths, what is allowed on them, who owns them, their schema, and their retention.

use lore_text::Age;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use toml::Spanned;

use super::Pattern;

/// What a write does to a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verb {
    /// Create it.
    Create,
    /// Replace it entirely.
    Put,
    /// Change a part of it.
    Patch,
    /// Add to its end.
    Append,
    /// Delete it.
    Delete,
}

impl Verb {
    /// All verbs.
    pub const ALL: [Verb; 5] = [Verb::Create, Verb::Put, Verb::Patch, Verb::Append, Verb::Delete];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Verb::Create => "create",
            Verb::Put => "put",
            Verb::Patch => "patch",
            Verb::Append => "append",
            Verb::Delete => "delete",
        }
    }
}

/// Who owns a page.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Owner {
    /// The user.
    User,
    /// The agent.
    Agent,
    /// Both.
    #[default]
    Both,
}

impl Owner {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Owner::User => "user",
            Owner::Agent => "agent",
            Owner::Both => "both",
        }
    }
}

/// What a page's age is counted from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Since {
    /// Its last change.
    #[default]
    Change,
    /// The date in its name.
    Name,
}

/// What replacing a page does when somebody else has edited it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum OnEdited {
    /// Replaces it.
    #[default]
    Replace,
    /// Adds the new text below as a revision.
    Revision,
}

/// A rule of the policy. The first rule that matches a path applies to it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// Its name in error messages; by default, its first pattern.
    #[serde(default)]
    name: Option<String>,
    /// The paths it matches.
    #[serde(deserialize_with = "some_patterns")]
    pub paths: Vec<Pattern>,
    /// What is allowed.
    #[serde(default = "every_verb")]
    pub allow: Vec<Verb>,
    /// Who owns them.
    #[serde(default)]
    pub owner: Owner,
    /// Whether files of any kind are allowed there, not only pages.
    #[serde(default)]
    pub any_file: bool,
    /// The extension of these files, if they are not pages.
    #[serde(default)]
    pub extension: Option<String>,
    /// The schema they must match.
    #[serde(default)]
    pub schema: Option<Spanned<String>>,
    /// How long they are kept; by default, forever.
    #[serde(default)]
    pub keep: Option<Age>,
    /// What their age is counted from.
    #[serde(default)]
    pub since: Since,
    /// What replacing a page does when somebody else has edited it.
    #[serde(default)]
    pub edited: OnEdited,
}

impl Rule {
    /// Returns its name for error messages.
    pub fn name(&self) -> &str {
        self.name.as_deref().or(self.paths.first().map(Pattern::as_str)).unwrap_or("rule")
    }

    /// Whether it matches a path.
    pub fn matches(&self, path: &str) -> bool {
        self.paths.iter().any(|pattern| pattern.matches(path))
    }

    /// Returns the placeholders of its pattern for a path, with what they stand for.
    pub fn placeholders<'a>(&'a self, path: &'a str) -> Vec<(&'a str, &'a str)> {
        self.paths.iter().find_map(|pattern| pattern.placeholders(path)).unwrap_or_default()
    }

    /// Returns its schema's name.
    pub fn schema(&self) -> Option<&str> {
        self.schema.as_ref().map(|name| name.get_ref().as_str())
    }
}

/// Formats the verbs for a message.
pub fn verbs(allowed: &[Verb]) -> String {
    match allowed {
        [] => "nothing".into(),
        some => some.iter().map(|verb| verb.name()).collect::<Vec<_>>().join(", "),
    }
}

fn some_patterns<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Pattern>, D::Error> {
    let patterns = Vec::<Pattern>::deserialize(deserializer)?;
    match patterns.is_empty() {
        true => Err(D::Error::custom("a rule needs at least one path")),
        false => Ok(patterns),
    }
}

fn every_verb() -> Vec<Verb> {
    Verb::ALL.to_vec()
}
