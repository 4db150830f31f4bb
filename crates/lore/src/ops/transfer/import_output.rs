//! The output of `import`.

use lore_engine::shown;
use lore_memory::{ImportKind, ImportOutcome, ImportReport, ImportedPage};
use schemars::JsonSchema;
use serde::Serialize;

use super::basic_memory::RegisteredProject;
use crate::ops::Render;
use crate::ops::line::Line;
use crate::ops::views::{SkippedItem, count, lines};

/// Number of pages, conflicts and skipped files that the text lists.
const LISTED: usize = 20;

/// Output of `import`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ImportOutput {
    /// `imported`, `unchanged` or `planned`.
    pub(super) outcome: &'static str,
    /// Kind of source.
    kind: &'static str,
    /// Absolute path of the source.
    source: Line,
    /// Projects that are registered, for Basic Memory.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) projects: Vec<RegisteredProject>,
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
    pub(super) skipped: Vec<SkippedItem>,
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

impl ImportOutput {
    /// Returns the id of the import; none if nothing was recorded.
    pub fn import_id(&self) -> Option<&str> {
        self.import_id.as_deref()
    }

    /// Creates the output for a configuration whose projects are registered.
    pub(super) fn of_projects(source: &std::path::Path, is_planned: bool) -> ImportOutput {
        let report = ImportReport::new(ImportKind::BasicMemory, source.display().to_string());
        ImportOutput::new(report, is_planned)
    }

    pub(super) fn new(report: ImportReport, dry_run: bool) -> ImportOutput {
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
            projects: Vec::new(),
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
        if !self.projects.is_empty() {
            return lines(self.projects.iter().map(RegisteredProject::line));
        }
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
