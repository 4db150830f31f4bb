//! A rule: which paths it is about, what may be done to them, whose they are, what they must look like, how long
//! they are kept.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use toml::Spanned;

use super::Pattern;
use crate::upkeep::Age;

/// What a write does to a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verb {
    /// Make it.
    Create,
    /// Replace it whole.
    Put,
    /// Change a part of it.
    Patch,
    /// Add to its end.
    Append,
    /// Take it away.
    Delete,
}

impl Verb {
    /// Every verb.
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

/// Whose a page is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Owner {
    /// The person's.
    User,
    /// The agent's.
    Agent,
    /// Of both.
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

/// From when a page's age counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Since {
    /// From its last change.
    #[default]
    Change,
    /// From the date in its name.
    Name,
}

/// What a whole write does to a page that somebody else has edited.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum OnEdited {
    /// Takes its place, as any write does.
    #[default]
    Replace,
    /// Is added below it as a revision.
    Revision,
}

/// One rule of a policy. The first whose pattern fits a path is the rule of that path.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// What refusals call it; without one, its first pattern.
    #[serde(default)]
    name: Option<String>,
    /// The paths it is about.
    #[serde(deserialize_with = "some_patterns")]
    pub paths: Vec<Pattern>,
    /// What may be done.
    #[serde(default = "every_verb")]
    pub allow: Vec<Verb>,
    /// Whose they are.
    #[serde(default)]
    pub owner: Owner,
    /// The extension of such files, where they are not pages.
    #[serde(default)]
    pub extension: Option<String>,
    /// The schema they must fit.
    #[serde(default)]
    pub schema: Option<Spanned<String>>,
    /// How long they are kept; without it, for ever.
    #[serde(default)]
    pub keep: Option<Age>,
    /// From when their age counts.
    #[serde(default)]
    pub since: Since,
    /// What becomes of a write to a page that somebody else has edited.
    #[serde(default)]
    pub edited: OnEdited,
}

impl Rule {
    /// What refusals call it.
    pub fn name(&self) -> &str {
        self.name.as_deref().or(self.paths.first().map(Pattern::as_str)).unwrap_or("rule")
    }

    /// Whether it is about a path.
    pub fn matches(&self, path: &str) -> bool {
        self.paths.iter().any(|pattern| pattern.matches(path))
    }

    /// Its schema's name.
    pub fn schema(&self) -> Option<&str> {
        self.schema.as_ref().map(|name| name.get_ref().as_str())
    }
}

/// The verbs as a sentence has them.
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
