//! `skills list|show|extract|doctor`: instructions for agents.

mod text;

use std::path::{Path, PathBuf};

use clap::Args;
use lore_engine::{Chosen, Policy};
use lore_vault::{Vault, exists, read_text, write_private};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::error::{AppError, Result};
use crate::app::session::Session;
use crate::ops::Operation;
use crate::skills::{Folder, PAGE_TYPE, Skill, SkillSource, VAULT_FOLDER, Version, file, find, is_called};

/// List skills: instructions for agents on how to work with Lore
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore skills list\n  lore skills list --json")]
pub struct List {}

/// Print the active version of a skill
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore skills show capture\n  lore skills show lore-agent")]
pub struct Show {
    /// Name of the skill, with or without `lore-`
    name: String,
}

/// Write skills to files
///
/// Without --dir, the built-in skills are written to the user's directory, where they can be edited and override the
/// built-in ones. With --dir, the active skills are written there, in the layout of `.claude/skills`. A file with other
/// content is kept, unless --force is given.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  lore skills extract capture\n  lore skills extract --dir ~/.claude/skills"
)]
pub struct Extract {
    /// Skills to write [default: all]
    #[arg(value_name = "NAME")]
    #[serde(default)]
    names: Vec<String>,
    /// Directory to write to
    #[arg(long, value_name = "DIR")]
    #[serde(skip)]
    dir: Option<PathBuf>,
    /// Replace files with other content
    #[arg(long)]
    #[serde(default)]
    force: bool,
}

/// Show where skills come from, what overrides what, and problems
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore skills doctor\n\nExits with 5 if a skill has a problem.")]
pub struct Doctor {}

/// A skill in a list.
#[derive(Debug, Serialize, JsonSchema)]
struct SkillItem {
    name: String,
    /// Purpose, and when to use it.
    description: String,
    /// Origin of the active version.
    source: SkillSource,
    /// Path of its file.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    /// SHA-256 of its text.
    hash: String,
}

/// Output of `skills list`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SkillList {
    skills: Vec<SkillItem>,
}

/// Output of `skills show`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SkillText {
    #[serde(flatten)]
    skill: SkillItem,
    text: String,
}

/// Output of `skills extract`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Extracted {
    files: Vec<ExtractedFile>,
}

/// A file.
#[derive(Debug, Serialize, JsonSchema)]
struct ExtractedFile {
    path: String,
    /// `written`, `unchanged` or `kept` (other content).
    state: &'static str,
}

/// Output of `skills doctor`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SkillDoctor {
    /// Directories in search order; the built-in skills come last.
    order: Vec<FolderItem>,
    skills: Vec<Resolved>,
}

/// A directory of skills.
#[derive(Debug, Serialize, JsonSchema)]
struct FolderItem {
    source: SkillSource,
    path: String,
    exists: bool,
}

/// A skill with all its versions.
#[derive(Debug, Serialize, JsonSchema)]
struct Resolved {
    name: String,
    /// Active version first; it hides the others.
    versions: Vec<VersionItem>,
    /// Tokens of the active version.
    tokens: usize,
    /// Problems of the active version.
    problems: Vec<String>,
}

/// A version of a skill.
#[derive(Debug, Serialize, JsonSchema)]
struct VersionItem {
    source: SkillSource,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    hash: String,
    /// `active`, `hidden`, or `hidden, the same`.
    state: &'static str,
}

impl Operation for List {
    const NAME: &'static str = "skills list";
    type Output = SkillList;

    fn run(self, session: &Session) -> Result<SkillList> {
        Ok(SkillList {
            skills: find(&folders(session))?.iter().map(|skill| SkillItem::new(session, skill)).collect(),
        })
    }
}

impl Operation for Show {
    const NAME: &'static str = "skills show";
    type Output = SkillText;

    fn run(self, session: &Session) -> Result<SkillText> {
        let skills = find(&folders(session))?;
        let skill = find_one(&skills, &self.name)?;
        Ok(SkillText { skill: SkillItem::new(session, skill), text: skill.active().text.clone() })
    }
}

impl Operation for Extract {
    const NAME: &'static str = "skills extract";
    const MACHINE: bool = true;
    const WRITES: bool = true;
    type Output = Extracted;

    fn run(self, session: &Session) -> Result<Extracted> {
        let skills = find(&folders(session))?;
        let selected: Vec<&Skill> = match self.names.as_slice() {
            [] => skills.iter().collect(),
            names => names.iter().map(|name| find_one(&skills, name)).collect::<Result<_>>()?,
        };
        let folder = self.dir.as_deref().map_or_else(|| user_folder(session), |dir| session.path(dir));
        let text = |skill: &Skill| match (&self.dir, skill.versions.last()) {
            (None, Some(last)) => last.text.clone(),
            _ => skill.active().text.clone(),
        };
        let write = |skill: &&Skill| -> Result<ExtractedFile> {
            let (path, text) = (file(&folder, &skill.name), text(skill));
            let state = match read_text(&path)? {
                Some(current) if current == text => "unchanged",
                Some(_) if !self.force => "kept",
                _ => {
                    write_private(&path, text.as_bytes())?;
                    "written"
                }
            };
            Ok(ExtractedFile { path: path.display().to_string(), state })
        };
        Ok(Extracted { files: selected.iter().map(write).collect::<Result<_>>()? })
    }
}

impl Operation for Doctor {
    const NAME: &'static str = "skills doctor";
    type Output = SkillDoctor;

    fn run(self, session: &Session) -> Result<SkillDoctor> {
        let folders = folders(session);
        let skills = find(&folders)?.iter().map(|skill| Resolved::new(session, skill)).collect();
        let item = |folder: Folder| FolderItem {
            exists: exists(&folder.path),
            path: session.shown_path(&folder.path),
            source: folder.source,
        };
        Ok(SkillDoctor { order: folders.into_iter().map(item).collect(), skills })
    }
}

/// Returns the directories in search order. Only the vault's own directory counts: skills that someone put into another
/// project are not read, because agents would follow them as instructions.
fn folders(session: &Session) -> Vec<Folder> {
    let here = session.environment.here.as_deref();
    let vault = match session.projects().choose(session.asked_project(), here) {
        Ok(Chosen::Known(_, root) | Chosen::First(_, root)) => Some(root),
        Ok(Chosen::Found(root)) if session.limits().projects.is_none() => Some(root),
        _ => None,
    };
    // Agents follow skills as instructions.
    let vault = vault.filter(|root| session.is_trusted(root));
    let mut folders: Vec<Folder> = vault.map(|root| vault_folders(&root)).unwrap_or_default();
    folders.push(Folder { source: SkillSource::User, path: user_folder(session), vault: None });
    folders
}

/// Returns the vault's own directory, and those whose pages are skills by its policy.
fn vault_folders(root: &Path) -> Vec<Folder> {
    let types = Policy::load(root).map(|policy| policy.types).unwrap_or_default();
    let typed = types.into_iter().filter(|(_, kind)| kind == PAGE_TYPE).map(|(folder, _)| folder);
    let paths = [VAULT_FOLDER.to_owned()].into_iter().chain(typed);
    paths.filter_map(|path| Some(Folder::of_vault(Vault::open(root).ok()?, &path))).collect()
}

fn user_folder(session: &Session) -> PathBuf {
    session.environment.config_file.parent().unwrap_or(Path::new(".")).join("skills")
}

fn find_one<'a>(skills: &'a [Skill], name: &str) -> Result<&'a Skill> {
    skills.iter().find(|skill| is_called(skill, name)).ok_or_else(|| {
        let names: Vec<&str> = skills.iter().map(|skill| skill.name.as_str()).collect();
        AppError::usage(format!("unknown skill {name:?}"), format!("known skills: {}", names.join(", ")))
    })
}

fn path(session: &Session, version: &Version) -> Option<String> {
    version.path.as_ref().map(|path| session.shown_path(path))
}

impl SkillItem {
    fn new(session: &Session, skill: &Skill) -> SkillItem {
        let version = skill.active();
        SkillItem {
            name: skill.name.clone(),
            description: version.description(),
            source: version.source,
            path: path(session, version),
            hash: version.hash(),
        }
    }
}

impl Resolved {
    fn new(session: &Session, skill: &Skill) -> Resolved {
        let active = skill.active().hash();
        let item = |(at, version): (usize, &Version)| {
            let hash = version.hash();
            let state = match at {
                0 => "active",
                _ if hash == active => "hidden, the same",
                _ => "hidden",
            };
            VersionItem { source: version.source, path: path(session, version), hash, state }
        };
        Resolved {
            name: skill.name.clone(),
            versions: skill.versions.iter().enumerate().map(item).collect(),
            tokens: lore_embed::count_tokens(&skill.active().text),
            problems: skill.active().problems(&skill.name, lore_embed::count_tokens),
        }
    }
}
