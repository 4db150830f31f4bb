//! `import`: brings a whole source into the vault.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::PossibleValuesParser;
use lore_memory::{ImportKind, ImportOptions, import};
use lore_vault::{exists, is_dir, real_folder};
use schemars::JsonSchema;
use serde::Deserialize;

use super::basic_memory;
use super::import_output::ImportOutput;
use crate::app::environment::folder;
use crate::app::error::{AppError, Result};
use crate::app::session::Session;
use crate::ops::Operation;

/// Import a vault, an account export or session files
///
/// Reads a directory, a zip archive or a file, recognizes what it is, and writes its pages and attachments to the vault,
/// all or nothing. The original bytes are kept under the id of the import; `lore export --raw --import-id ID` gives them
/// back. Importing the same source again changes nothing. If the source has changed, pages that nobody has edited since
/// are updated and the others are listed as conflicts. Nothing is ever deleted. A file with a credential is left out, and
/// the report says so; transcripts are imported without the credentials. An interrupted import is completed by the next
/// command, or by running it again. The configuration directory of Basic Memory registers its projects where they are.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  lore import ~/Documents/vault --dry-run\n  lore import ~/Documents/vault\n  lore import memory.jsonl --from memory-json --into entities\n  lore import chatgpt-export.zip\n  lore import claude-code --watch\n  lore import --from basic-memory"
)]
pub struct Import {
    /// Directory, zip archive or file; or the name of a kind with a usual location, such as claude-code
    #[arg(required_unless_present = "from")]
    #[serde(default)]
    source: Option<PathBuf>,
    /// Kind of source [default: recognized]
    #[arg(long, value_name = "KIND", value_parser = PossibleValuesParser::new(ImportKind::ALL.map(ImportKind::name)))]
    #[serde(default)]
    from: Option<String>,
    /// Directory of the vault to import into
    #[arg(long, value_name = "DIR")]
    #[serde(default)]
    into: Option<String>,
    /// Only print what would be written
    #[arg(long)]
    #[serde(default)]
    dry_run: bool,
    /// Keep running and import new content, until interrupted
    #[arg(long, conflicts_with = "dry_run")]
    #[serde(skip)]
    pub watch: bool,
}

/// What a watch knows about a round of an import.
#[derive(Debug, Default)]
pub struct Round<'a> {
    /// Paths that changed; none to read everything.
    pub changed: Option<&'a BTreeSet<String>>,
    /// Id of the import of the round before, which this one replaces.
    pub replaces: Option<&'a str>,
}

impl Operation for Import {
    const NAME: &'static str = "import";
    const MACHINE: bool = true;
    const WRITES: bool = true;
    type Output = ImportOutput;

    fn run(self, session: &Session) -> Result<ImportOutput> {
        self.round(session, &Round::default())
    }
}

impl Import {
    /// Imports what is new.
    pub fn round(&self, session: &Session, round: &Round<'_>) -> Result<ImportOutput> {
        let (kind, source) = self.place(session)?;
        if matches!(kind, None | Some(ImportKind::BasicMemory))
            && let Some(settings) = basic_memory::settings(&source)?
        {
            // It makes vaults of the directories that it names, so a file in what somebody else sent is not enough.
            if kind.is_none() && !is_usual(session, &source) {
                return Err(AppError::usage(
                    format!("{} has settings of Basic Memory", source.display()),
                    "to register the directories that they name, pass --from basic-memory; for pages, pass their kind",
                ));
            }
            return basic_memory::register(session, &source, settings, self.dry_run);
        }
        let context = session.fresh()?;
        let tables = |path: &Path, left_out: &[&str]| lore_sqlite::read_tables(path, left_out);
        let options = ImportOptions {
            kind,
            folder: self.into.as_deref(),
            dry_run: self.dry_run,
            tables: Some(&tables),
            changed: round.changed,
            replaces: round.replaces,
        };
        let report = import(context, &source, &options, &session.talk.progress("Importing"))?;
        session.talk.finish();
        Ok(ImportOutput::new(report, self.dry_run))
    }

    /// Returns the directory to watch.
    pub fn watched(&self, session: &Session) -> Result<PathBuf> {
        let (_, source) = self.place(session)?;
        real_folder(&source).filter(|folder| is_dir(folder)).ok_or_else(|| {
            AppError::usage(
                format!("cannot watch {}: it is not a directory", source.display()),
                "pass a directory, or omit --watch",
            )
        })
    }

    /// Returns the kind, if it is named, and the path of the source.
    fn place(&self, session: &Session) -> Result<(Option<ImportKind>, PathBuf)> {
        let kind = self.from.as_deref().map(named).transpose()?;
        let Some(given) = &self.source else {
            let usual = kind.and_then(|kind| usual_folder(session, kind));
            return usual.map(|folder| (kind, folder)).ok_or_else(|| {
                AppError::usage("missing source", "pass a directory, a zip archive or a file")
            });
        };
        let path = session.path(given);
        // The name of a kind means its usual directory, unless there is a file of that name.
        let own = given.to_str().and_then(ImportKind::named).filter(|_| !exists(&path));
        match own.and_then(|own| Some((own, usual_folder(session, own)?))) {
            Some((own, folder)) => Ok((kind.or(Some(own)), folder)),
            None => Ok((kind, path)),
        }
    }
}

/// Whether a path is where Basic Memory keeps its configuration.
fn is_usual(session: &Session, source: &Path) -> bool {
    let usual = usual_folder(session, ImportKind::BasicMemory).and_then(|folder| real_folder(&folder));
    usual.is_some() && usual == real_folder(source)
}

/// Returns where a program keeps what it writes.
fn usual_folder(session: &Session, kind: ImportKind) -> Option<PathBuf> {
    let environment = &session.environment;
    if kind == ImportKind::BasicMemory {
        return basic_memory::folder(environment);
    }
    let inside = kind.usual_folder()?;
    // Each program can be told to keep its files elsewhere.
    let moved = match kind {
        ImportKind::ClaudeCode => folder("CLAUDE_CONFIG_DIR"),
        ImportKind::Codex => folder("CODEX_HOME"),
        _ => None,
    };
    match (moved, inside.split_once('/')) {
        (Some(moved), Some((_, inside))) => Some(moved.join(inside)),
        _ => Some(environment.home.as_ref()?.join(inside)),
    }
}

/// Returns the kind with a name.
fn named(name: &str) -> Result<ImportKind> {
    ImportKind::named(name).ok_or_else(|| {
        let known = ImportKind::ALL.map(ImportKind::name).join(", ");
        AppError::usage(format!("there is no kind of source {name:?}"), format!("use one of {known}"))
    })
}
