//! Skills: instructions that agents read, built in or overridden by files.
//!
//! The built-in skills are those of the Claude Code plugin in `plugin/`. The first version found is active: in the
//! vault's `.lore/skills`, in a folder whose pages are skills by its policy, in the user's `skills` next to the configuration, then built in.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use lore_text::ContentHash;
use lore_vault::{Vault, exists, list_folder, read_text};
use schemars::JsonSchema;
use serde::Serialize;

use crate::app::error::Result;

/// Maximum length of a skill, in tokens; agents do not read longer ones.
pub const MAX_TOKENS: usize = 5_000;

/// File name of a skill.
const FILE: &str = "SKILL.md";

/// Prefix of the names of built-in skills.
const PREFIX: &str = "lore-";

macro_rules! built_in {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../plugin/skills/", $name, "/SKILL.md")))),*]
    };
}

/// The built-in skills: name and text.
pub const BUILT_IN: &[(&str, &str)] = built_in![
    "lore-agent",
    "lore-query",
    "lore-capture",
    "lore-ingest",
    "lore-maintain",
    "lore-enrich",
    "lore-briefing",
    "lore-alerts",
    "lore-research",
    "lore-upgrade",
    "lore-compact",
    "lore-curate",
    "lore-distill",
];

/// The origin of a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SkillSource {
    /// A file in the vault.
    Vault,
    /// A file of the user.
    User,
    /// Built into the executable.
    BuiltIn,
}

impl SkillSource {
    /// Returns the name in output.
    pub fn word(self) -> &'static str {
        match self {
            SkillSource::Vault => "vault",
            SkillSource::User => "user",
            SkillSource::BuiltIn => "built-in",
        }
    }
}

/// A directory of skills.
#[derive(Debug, Clone)]
pub struct Folder {
    /// The origin of its skills.
    pub source: SkillSource,
    /// The path.
    pub path: PathBuf,
    /// The vault it belongs to, and its path there; its files are read like every other file of a vault.
    pub vault: Option<(Vault, String)>,
}

impl Folder {
    /// Returns a directory of a vault.
    pub fn of_vault(vault: Vault, folder: &str) -> Folder {
        let path = vault.root().join(folder);
        Folder { source: SkillSource::Vault, path, vault: Some((vault, folder.to_owned())) }
    }
}

/// One version of a skill.
#[derive(Debug)]
pub struct Version {
    /// The origin.
    pub source: SkillSource,
    /// The file; none if built in.
    pub path: Option<PathBuf>,
    /// Its text.
    pub text: String,
}

/// A skill with all its versions, the active one first.
#[derive(Debug)]
pub struct Skill {
    /// The skill name.
    pub name: String,
    /// The versions, never empty.
    pub versions: Vec<Version>,
}

impl Skill {
    /// Returns the active version.
    pub fn active(&self) -> &Version {
        &self.versions[0]
    }
}

impl Version {
    /// Returns the hash of the text.
    pub fn hash(&self) -> String {
        ContentHash::of(self.text.as_bytes()).to_string()
    }

    /// Returns the description, by which an agent chooses a skill.
    pub fn description(&self) -> String {
        let page = lore_page::parse(FILE, &self.text).page;
        page.properties.text("description").unwrap_or_default().trim().to_owned()
    }

    /// Returns the problems of this version.
    pub fn problems(&self, name: &str, count: impl Fn(&str) -> usize) -> Vec<String> {
        let page = lore_page::parse(FILE, &self.text).page;
        let mut problems = Vec::new();
        match page.properties.text("name") {
            None => problems.push("the front matter has no name".to_owned()),
            Some(declared) if declared != name => {
                problems.push(format!("the front matter says {declared:?}, but the folder is {name:?}"));
            }
            Some(_) => {}
        }
        if self.description().is_empty() {
            problems.push("the front matter has no description, which agents need to choose a skill".into());
        }
        let tokens = count(&self.text);
        if tokens > MAX_TOKENS {
            problems.push(format!("it has {tokens} tokens, more than the maximum of {MAX_TOKENS}"));
        }
        problems
    }
}

/// Directory of a vault's own skills.
pub const VAULT_FOLDER: &str = ".lore/skills";

/// Type of the pages that are skills.
pub const PAGE_TYPE: &str = "skill";

/// Returns every skill: the built-in ones in their order, then others by name.
pub fn find(folders: &[Folder]) -> Result<Vec<Skill>> {
    let mut found: BTreeMap<String, Vec<Version>> = BTreeMap::new();
    for folder in folders {
        for name in names(folder)? {
            let path = file(&folder.path, &name);
            let text = match &folder.vault {
                Some((vault, folder)) => vault.read_text(&format!("{folder}/{name}/{FILE}"))?,
                None => read_text(&path)?,
            };
            if let Some(text) = text {
                let version = Version { source: folder.source, path: Some(path), text };
                found.entry(name).or_default().push(version);
            }
        }
    }
    let mut skills = Vec::new();
    for (name, text) in BUILT_IN {
        let mut versions = found.remove(*name).unwrap_or_default();
        versions.push(Version { source: SkillSource::BuiltIn, path: None, text: (*text).to_owned() });
        skills.push(Skill { name: (*name).to_owned(), versions });
    }
    skills.extend(found.into_iter().map(|(name, versions)| Skill { name, versions }));
    Ok(skills)
}

/// Whether a skill has this name, with or without the prefix.
pub fn is_called(skill: &Skill, name: &str) -> bool {
    skill.name == name || skill.name.strip_prefix(PREFIX) == Some(name)
}

/// Returns the file of a skill in a directory.
pub fn file(folder: &Path, name: &str) -> PathBuf {
    folder.join(name).join(FILE)
}

fn names(folder: &Folder) -> Result<Vec<String>> {
    let all = match &folder.vault {
        Some((vault, path)) => vault.list(path)?.unwrap_or_default(),
        None if exists(&folder.path) => list_folder(&folder.path)?,
        None => Vec::new(),
    };
    let all = all.into_iter();
    Ok(all.filter(|(_, is_folder)| *is_folder).map(|(name, _)| name).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plugin_skills_are_built_in_and_valid() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("plugin/skills");
        let folder = Folder { source: SkillSource::User, path: folder, vault: None };
        let mut there = names(&folder).expect("the folder");
        let mut built_in: Vec<String> = BUILT_IN.iter().map(|(name, _)| (*name).to_owned()).collect();
        there.sort();
        built_in.sort();
        assert_eq!(there, built_in);
        for skill in find(&[]).expect("no folders") {
            let version = skill.active();
            assert_eq!(version.problems(&skill.name, lore_embed::count_tokens), Vec::<String>::new());
            let description = version.description();
            let length = description.chars().count();
            assert!((60..=1024).contains(&length), "{}: {length}", skill.name);
            assert!(description.contains("Use "), "{} does not say when to use it", skill.name);
            assert!(is_called(&skill, skill.name.trim_start_matches(PREFIX)));
        }
    }

    #[test]
    fn problems_are_reported() {
        let version = |text: &str| Version { source: SkillSource::User, path: None, text: text.into() };
        let problems = |text: &str| version(text).problems("mine", str::len);
        assert_eq!(problems("---\nname: mine\ndescription: Use it.\n---\n# Mine\n"), Vec::<String>::new());
        assert_eq!(problems("# Mine\n").len(), 2);
        assert_eq!(problems("---\nname: yours\ndescription: x\n---\n").len(), 1);
        let long = format!("---\nname: mine\ndescription: x\n---\n{}", "a".repeat(MAX_TOKENS));
        assert_eq!(problems(&long).len(), 1);
    }
}
