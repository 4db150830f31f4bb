//! What `lore.toml` says: everything a vault may decide for itself, as data, with errors that name the line.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use crate::error::{Error, Result};
use crate::hash::stable_number;
use crate::profile::Profile;
use crate::vault::{folder, read_text};

/// The policy's file at a vault's root.
pub const POLICY_FILE: &str = "lore.toml";

/// The type of a page of which nothing says otherwise.
pub const DEFAULT_TYPE: &str = "note";

/// What a vault allows and expects.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Policy {
    /// The name the vault is registered under when nobody gives another.
    pub name: Option<String>,
    /// The profile it began as.
    pub profile: Profile,
    /// The type of the pages in a folder.
    pub types: BTreeMap<String, String>,
    /// Limits.
    pub limits: Limits,
}

/// Limits of a vault.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// The largest page that is read or written, in bytes.
    pub page_bytes: u64,
}

/// What a write does to a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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

impl Default for Policy {
    fn default() -> Self {
        Policy { name: None, profile: Profile::Notes, types: BTreeMap::new(), limits: Limits::default() }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Limits { page_bytes: 16 * 1024 * 1024 }
    }
}

impl Policy {
    /// The policy of the vault at `root`; a vault without `lore.toml` has the default one.
    pub fn load(root: &Path) -> Result<Policy> {
        let path = root.join(POLICY_FILE);
        match read_text(&path)? {
            Some(text) => {
                Policy::parse(&text).map_err(|(line, message)| Error::Config { path, line, message })
            }
            None => Ok(Policy::default()),
        }
    }

    /// Reads a policy; an error has its line and what is wrong.
    pub fn parse(text: &str) -> std::result::Result<Policy, (Option<usize>, String)> {
        toml::from_str(text)
            .map_err(|error| (error.span().map(|span| line_of(text, span.start)), one_line(error.message())))
    }

    /// The type of a page by the nearest folder that has one.
    pub fn type_of(&self, path: &str) -> &str {
        let mut at = folder(path);
        while !at.is_empty() {
            if let Some(kind) = self.types.get(at) {
                return kind;
            }
            at = folder(at);
        }
        DEFAULT_TYPE
    }

    /// What of the policy decides how a page is indexed, in a short form that can be compared.
    pub fn index_mark(&self) -> String {
        let limit = self.limits.page_bytes.to_string();
        let types = self.types.iter().flat_map(|(folder, kind)| [folder.as_str(), kind]);
        format!("{:x}", stable_number(&types.chain([limit.as_str()]).collect::<Vec<_>>()))
    }

    /// Checks that a verb is allowed on a path. The profiles `notes` and `brain` allow every verb everywhere.
    pub fn allow(&self, _path: &str, _verb: Verb) -> Result<()> {
        Ok(())
    }
}

/// The line of a byte, from 1.
pub fn line_of(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|byte| *byte == b'\n').count() + 1
}

fn one_line(message: &str) -> String {
    message.lines().map(str::trim).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_folder_gives_the_type() {
        let policy =
            Policy::parse("[types]\npeople = \"person\"\n\"people/teams\" = \"team\"\n").expect("a policy");
        for (path, kind) in [
            ("people/ada.md", "person"),
            ("people/friends/bob.md", "person"),
            ("people/teams/core.md", "team"),
            ("ada.md", "note"),
            ("peoples/ada.md", "note"),
        ] {
            assert_eq!(policy.type_of(path), kind, "{path}");
        }
    }

    #[test]
    fn an_unknown_key_is_an_error_with_its_line() {
        let (line, message) = Policy::parse("name = \"x\"\n\ncolour = 1\n").expect_err("unknown key");
        assert_eq!(line, Some(3));
        assert!(message.contains("colour"), "{message}");
    }
}
