//! `import`: brings a whole source into the vault.

use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::PossibleValuesParser;
use lore_engine::shown;
use lore_memory::{ImportKind, ImportOptions, ImportOutcome, ImportReport, ImportedPage, import};
use lore_vault::exists;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::error::{AppError, Result};
use crate::app::session::Session;
use crate::ops::line::Line;
use crate::ops::views::{SkippedItem, count};
use crate::ops::{Operation, Render};

/// Number of pages, conflicts and skipped files that the text lists.
const LISTED: usize = 20;

/// Import a vault, an account export or session files
///
/// Reads a directory, a zip archive or a file, recognizes what it is, and writes its pages and attachments to the vault,
/// all or nothing. The original bytes are kept under the id of the import; `lore export --raw --import-id ID` gives them
/// back. Importing the same source again changes nothing. If the source has changed, pages that nobody has edited since
/// are updated and the others are listed as conflicts. Nothing is ever deleted. A file with a credential is left out, and
/// the report says so; transcripts are imported without the credentials. An interrupted import is completed by the next
/// command, or by running it again.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  lore import ~/Documents/vault --dry-run\n  lore import ~/Documents/vault\n  lore import memory.jsonl --from memory-json --into entities\n  lore import chatgpt-export.zip\n  lore import claude-code"
)]
pub struct Import {
    /// Directory, zip archive or file; for sessions of an agent, the name of the kind is enough
    source: PathBuf,
    /// Kind of source [default: recognized]
    #[arg(long, value_name = "KIND", value_parser = PossibleValuesParser::new(ImportKind::ALL.map(ImportKind::name)))]
    #[serde(default)]
    from: Option<String>,
    /// Directory of the vault that the pages go to
    #[arg(long, value_name = "DIR")]
    #[serde(default)]
    into: Option<String>,
    /// Print what would be written, and write nothing
    #[arg(long)]
    #[serde(default)]
    dry_run: bool,
}

/// Output of `import`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ImportOutput {
    /// `imported`, `unchanged` or `planned`.
    outcome: &'static str,
    /// Kind of source.
    kind: &'static str,
    /// Absolute path of the source.
    source: Line,
    /// Id of the import; none if nothing was recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    import_id: Option<String>,
    /// Pages that are written.
    pages: Vec<PageItem>,
    /// Other files that are written.
    attachments: Vec<PageItem>,
    /// Number of pages and files that are as they were.
    unchanged: usize,
    /// Pages that the source has another text for, but that were edited, deleted or taken.
    conflicts: Vec<SkippedItem>,
    /// Files that did not become pages.
    skipped: Vec<SkippedItem>,
    /// Number of links on written pages that lead to a page.
    links_resolved: usize,
    /// Number of links on written pages that lead nowhere yet.
    links_pending: usize,
    /// Number of credentials that were removed from the text.
    redacted: usize,
    /// Number of original files in the ledger.
    originals: usize,
    /// Their size in bytes.
    original_bytes: u64,
    /// Originals that are not kept.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    not_kept: Vec<SkippedItem>,
    /// Commit ids.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    commits: Vec<String>,
    /// Warnings for the user.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

/// A page or file that is written.
#[derive(Debug, Serialize, JsonSchema)]
struct PageItem {
    /// Vault-relative path.
    path: Line,
    /// Where it is in the source.
    from: Line,
    /// `created`, `updated`, or `extended` with new parts.
    outcome: &'static str,
}

impl Operation for Import {
    const NAME: &'static str = "import";
    const MACHINE: bool = true;
    const WRITES: bool = true;
    type Output = ImportOutput;

    fn run(self, session: &Session) -> Result<ImportOutput> {
        let mut kind = self.from.as_deref().map(named).transpose()?;
        let context = session.fresh()?;
        let mut source = session.path(&self.source);
        if let Some((own, folder)) = usual_place(session, &self.source, &source) {
            (kind, source) = (kind.or(Some(own)), folder);
        }
        let tables = |path: &Path, left_out: &[&str]| lore_sqlite::read_tables(path, left_out);
        let folder = self.into.as_deref();
        let options = ImportOptions { kind, folder, dry_run: self.dry_run, tables: Some(&tables) };
        let report = import(context, &source, &options, &session.talk.progress("Importing"))?;
        session.talk.finish();
        Ok(ImportOutput::new(report, self.dry_run))
    }
}

/// Returns the kind and the directory of an agent's sessions, if the source is the name of the kind and no file.
fn usual_place(session: &Session, given: &Path, path: &Path) -> Option<(ImportKind, PathBuf)> {
    let kind = ImportKind::named(given.to_str()?)?;
    let folder = kind.usual_folder()?;
    (!exists(path)).then(|| Some((kind, session.environment.home.as_ref()?.join(folder)))).flatten()
}

/// Returns the kind with a name.
fn named(name: &str) -> Result<ImportKind> {
    ImportKind::named(name).ok_or_else(|| {
        let known = ImportKind::ALL.map(ImportKind::name).join(", ");
        AppError::usage(format!("there is no kind of source {name:?}"), format!("use one of {known}"))
    })
}

impl ImportOutput {
    fn new(report: ImportReport, dry_run: bool) -> ImportOutput {
        let item = |page: ImportedPage| PageItem {
            path: page.path.into(),
            from: page.from.into(),
            outcome: match page.outcome {
                ImportOutcome::Created => "created",
                ImportOutcome::Updated => "updated",
                ImportOutcome::Extended => "extended",
            },
        };
        let items = |pages: Vec<ImportedPage>| -> Vec<PageItem> { pages.into_iter().map(item).collect() };
        // The path of a file may itself contain a credential.
        let listed = |skipped: Vec<lore_vault::Skipped>| -> Vec<SkippedItem> {
            let item = |one: lore_vault::Skipped| lore_vault::Skipped { path: shown(&one.path), ..one };
            skipped.into_iter().map(|one| item(one).into()).collect()
        };
        ImportOutput {
            outcome: match (&report.batch, dry_run) {
                (_, true) => "planned",
                (Some(_), false) => "imported",
                (None, false) => "unchanged",
            },
            kind: report.kind.name(),
            source: report.source.into(),
            import_id: report.batch,
            pages: items(report.pages),
            attachments: items(report.attachments),
            unchanged: report.unchanged,
            conflicts: listed(report.conflicts),
            skipped: listed(report.skipped),
            links_resolved: report.links_resolved,
            links_pending: report.links_pending,
            redacted: report.redacted,
            originals: report.originals,
            original_bytes: report.original_bytes,
            not_kept: listed(report.not_kept),
            commits: report.commits,
            warnings: report.warnings,
        }
    }

    fn summary(&self) -> String {
        let verb = match self.outcome {
            "planned" => "Would import",
            "imported" => "Imported",
            _ => return format!("Nothing to import from {}: {} unchanged\n", self.source, self.unchanged),
        };
        let pages = count(self.pages.len() as u64, "page");
        let attachments = count(self.attachments.len() as u64, "attachment");
        format!(
            "{verb} {pages} and {attachments} from {} ({}): {} unchanged, {} skipped, {}\n",
            self.source,
            self.kind,
            self.unchanged,
            self.skipped.len(),
            count(self.conflicts.len() as u64, "conflict"),
        )
    }
}

impl Render for ImportOutput {
    fn human(&self) -> String {
        let mut text = self.summary();
        if self.outcome == "imported" {
            text.push_str(&format!(
                "Links: {} resolved, {} pending\n",
                self.links_resolved, self.links_pending
            ));
        }
        if self.redacted > 0 {
            text.push_str(&format!("Removed {} from the text\n", count(self.redacted as u64, "credential")));
        }
        if let Some(id) = &self.import_id {
            text.push_str(&format!(
                "Import id: {id} ({} kept, {} bytes)\n",
                count(self.originals as u64, "original"),
                self.original_bytes
            ));
        }
        let written = self.pages.iter().chain(&self.attachments);
        if self.outcome == "planned" {
            list(&mut text, "", written.map(|item| format!("{} {}", item.outcome, item.path)));
        }
        let reasons = |items: &[SkippedItem]| -> Vec<String> {
            items.iter().map(|item| format!("{}: {}", item.path, item.reason)).collect()
        };
        list(&mut text, "conflict ", reasons(&self.conflicts).into_iter());
        list(&mut text, "skipped ", reasons(&self.skipped).into_iter());
        list(&mut text, "original not kept ", reasons(&self.not_kept).into_iter());
        list(&mut text, "warning: ", self.warnings.iter().cloned());
        text
    }

    fn brief(&self) -> String {
        self.summary()
    }
}

/// Adds lines with a prefix, up to a limit.
fn list(text: &mut String, prefix: &str, items: impl Iterator<Item = String>) {
    let items: Vec<String> = items.collect();
    for item in items.iter().take(LISTED) {
        text.push_str(&format!("{prefix}{item}\n"));
    }
    if items.len() > LISTED {
        text.push_str(&format!("{prefix}… and {} more; --json lists all\n", items.len() - LISTED));
    }
}
