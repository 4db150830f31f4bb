//! Ways of working that agents read: the ones in the program, and the files that take their place.
//!
//! The files of the program are those of the Claude Code plugin in `plugin/`. A skill is the first found: in the vault's
//! `.lore/skills`, in the user's `skills` beside the configuration, in the program.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use lore_engine::ContentHash;
use lore_engine::vault::{exists, list_folder, read_text};
use schemars::JsonSchema;
use serde::Serialize;

use crate::failure::Result;

/// More than this is not read by an agent that has other work, in tokens.
pub const MOST_TOKENS: usize = 5_000;

/// What a skill's file is called.
const FILE: &str = "SKILL.md";

/// What the names of the program's skills begin with.
const PREFIX: &str = "lore-";

macro_rules! built_in {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../plugin/skills/", $name, "/SKILL.md")))),*]
    };
}

/// The skills in the program: name and text.
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
];

/// Where a skill is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// The vault.
    Vault,
    /// The user.
    User,
    /// The program.
    BuiltIn,
}

impl Source {
    /// Its name.
    pub fn word(self) -> &'static str {
        match self {
            Source::Vault => "vault",
            Source::User => "user",
            Source::BuiltIn => "built-in",
        }
    }
}

/// A folder in which skills are looked for.
#[derive(Debug, Clone)]
pub struct Folder {
    /// Whose it is.
    pub source: Source,
    /// Where it is.
    pub path: PathBuf,
}

/// One text of a skill.
#[derive(Debug)]
pub struct Version {
    /// Where it is from.
    pub source: Source,
    /// Its file; none in the program.
    pub path: Option<PathBuf>,
    /// Its text.
    pub text: String,
}

/// A skill with every text there is of it, the one in force first.
#[derive(Debug)]
pub struct Skill {
    /// Its name.
    pub name: String,
    /// Its texts, never none.
    pub versions: Vec<Version>,
}

impl Skill {
    /// The text in force.
    pub fn active(&self) -> &Version {
        &self.versions[0]
    }
}

impl Version {
    /// The checksum of the text.
    pub fn hash(&self) -> String {
        ContentHash::of(self.text.as_bytes()).to_string()
    }

    /// What it is for: what an agent chooses by.
    pub fn description(&self) -> String {
        let page = lore_page::parse(FILE, &self.text).page;
        page.properties.text("description").unwrap_or_default().trim().to_owned()
    }

    /// What is wrong with it.
    pub fn problems(&self, name: &str, count: impl Fn(&str) -> usize) -> Vec<String> {
        let page = lore_page::parse(FILE, &self.text).page;
        let mut problems = Vec::new();
        match page.properties.text("name") {
            None => problems.push("its front matter has no name".to_owned()),
            Some(called) if called != name => {
                problems.push(format!("it calls itself {called:?}, and its folder is {name:?}"));
            }
            Some(_) => {}
        }
        if self.description().is_empty() {
            problems.push("its front matter has no description, by which an agent would choose it".into());
        }
        let tokens = count(&self.text);
        if tokens > MOST_TOKENS {
            problems.push(format!("it has {tokens} tokens, more than {MOST_TOKENS}"));
        }
        problems
    }
}

/// Every skill, in the order of the program's own, then others by name.
pub fn find(folders: &[Folder]) -> Result<Vec<Skill>> {
    let mut found: BTreeMap<String, Vec<Version>> = BTreeMap::new();
    for folder in folders {
        for name in names(&folder.path)? {
            let path = file(&folder.path, &name);
            if let Some(text) = read_text(&path)? {
                let version = Version { source: folder.source, path: Some(path), text };
                found.entry(name).or_default().push(version);
            }
        }
    }
    let mut skills = Vec::new();
    for (name, text) in BUILT_IN {
        let mut versions = found.remove(*name).unwrap_or_default();
        versions.push(Version { source: Source::BuiltIn, path: None, text: (*text).to_owned() });
        skills.push(Skill { name: (*name).to_owned(), versions });
    }
    skills.extend(found.into_iter().map(|(name, versions)| Skill { name, versions }));
    Ok(skills)
}

/// Whether a skill is called so, with or without what all names begin with.
pub fn is_called(skill: &Skill, name: &str) -> bool {
    skill.name == name || skill.name.strip_prefix(PREFIX) == Some(name)
}

/// The file of a skill in a folder.
pub fn file(folder: &Path, name: &str) -> PathBuf {
    folder.join(name).join(FILE)
}

fn names(folder: &Path) -> Result<Vec<String>> {
    if !exists(folder) {
        return Ok(Vec::new());
    }
    let all = list_folder(folder)?.into_iter();
    Ok(all.filter(|(_, is_folder)| *is_folder).map(|(name, _)| name).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_skill_of_the_plugin_is_in_the_program_sound_and_short() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("plugin/skills");
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
    fn what_is_wrong_with_a_skill_is_said() {
        let version = |text: &str| Version { source: Source::User, path: None, text: text.into() };
        let problems = |text: &str| version(text).problems("mine", str::len);
        assert_eq!(problems("---\nname: mine\ndescription: Use it.\n---\n# Mine\n"), Vec::<String>::new());
        assert_eq!(problems("# Mine\n").len(), 2);
        assert_eq!(problems("---\nname: yours\ndescription: x\n---\n").len(), 1);
        let long = format!("---\nname: mine\ndescription: x\n---\n{}", "a".repeat(MOST_TOKENS));
        assert_eq!(problems(&long).len(), 1);
    }
}
