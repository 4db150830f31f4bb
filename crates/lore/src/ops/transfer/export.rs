//! `export`: takes pages, or the originals of an import, out of the vault.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use lore_engine::shown;
use lore_memory::{ExportFormat, Exported, export, export_raw};
use lore_vault::real_target;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::error::{AppError, Result};
use crate::app::session::Session;
use crate::ops::as_of::Moment;
use crate::ops::filters::Filters;
use crate::ops::line::Line;
use crate::ops::views::{SkippedItem, count};
use crate::ops::{Operation, Render};

/// Export pages, or the originals of an import
///
/// Writes to a new directory, all or nothing: the pages in UTF-8 with their sidecar data, attachments and an index.
/// `markdown` and `org` convert the pages to that format; `json` writes one object per page; `html` writes a searchable
/// site that needs no server. With filters, only matching pages and the files that they name are exported.
///
/// `--raw --import-id ID` writes the original files of an import, byte for byte. `--raw` alone is refused, because the
/// pages may have changed since.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  lore export --dir ~/export\n  lore export --dir ~/org --to org\n  lore export --dir ~/site --to html --type person\n  lore export --dir ~/then --as-of 2026-01-31\n  lore export --dir ~/original --raw --import-id 20261118T144839583-74b32fe8"
)]
pub struct Export {
    /// New directory to write to
    #[arg(long, value_name = "DIR")]
    dir: PathBuf,
    /// Format [default: that of each page]
    #[arg(long, value_enum)]
    #[serde(default)]
    to: Option<Format>,
    /// Export the original bytes of an import
    #[arg(long)]
    #[serde(default)]
    raw: bool,
    /// Id of the import, as `lore imports` lists it
    #[arg(long, value_name = "ID")]
    #[serde(default)]
    import_id: Option<String>,
    #[command(flatten)]
    #[serde(flatten)]
    #[schemars(flatten)]
    moment: Moment,
    #[command(flatten)]
    #[serde(flatten)]
    #[schemars(flatten)]
    filters: Filters,
}

/// Format of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Format {
    /// Markdown files
    Markdown,
    /// Org files
    Org,
    /// One JSON object per page
    Json,
    /// A static site
    Html,
}

/// Output of `export`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ExportOutput {
    /// Directory that was written.
    dir: Line,
    /// Number of pages.
    pages: usize,
    /// Number of other files.
    files: usize,
    /// What could not be exported.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    skipped: Vec<SkippedItem>,
}

impl Operation for Export {
    const NAME: &'static str = "export";
    const MACHINE: bool = true;
    // It changes files outside the vault, at a path that a parameter names.
    const WRITES: bool = true;
    type Output = ExportOutput;

    fn run(self, session: &Session) -> Result<ExportOutput> {
        let dir = real_target(&session.path(&self.dir));
        let root = session.context()?.vault().root().to_owned();
        if dir.starts_with(&root) {
            return Err(AppError::usage(
                format!("{} is inside the vault", dir.display()),
                "export to a directory outside the vault",
            ));
        }
        let progress = session.talk.progress("Exporting");
        let exported = match (self.raw, &self.import_id) {
            (true, Some(id)) => export_raw(session.context()?, &dir, id, &progress)?,
            (true, None) => {
                return Err(AppError::usage(
                    "--raw requires --import-id",
                    "`lore imports` lists ids; omit --raw to export the current pages",
                ));
            }
            (false, Some(_)) => {
                return Err(AppError::usage(
                    "--import-id requires --raw",
                    "pass --raw for the original bytes, or omit --import-id for the current pages",
                ));
            }
            (false, None) => {
                let format = match self.to {
                    None => ExportFormat::Pages(None),
                    Some(Format::Markdown) => ExportFormat::Pages(Some(lore_page::Format::Markdown)),
                    Some(Format::Org) => ExportFormat::Pages(Some(lore_page::Format::Org)),
                    Some(Format::Json) => ExportFormat::Json,
                    Some(Format::Html) => ExportFormat::Html,
                };
                let view = self.moment.files(session)?;
                let is_filtered = self.filters.is_given();
                let filter = self.filters.build(session, &view)?;
                export(&view, &dir, format, is_filtered.then_some(&filter), &progress)?
            }
        };
        session.talk.finish();
        Ok(ExportOutput::new(dir.display().to_string(), exported))
    }
}

impl ExportOutput {
    fn new(dir: String, exported: Exported) -> ExportOutput {
        let item = |one: lore_vault::Skipped| lore_vault::Skipped { path: shown(&one.path), ..one };
        ExportOutput {
            dir: dir.into(),
            pages: exported.pages,
            files: exported.files,
            skipped: exported.skipped.into_iter().map(|one| item(one).into()).collect(),
        }
    }
}

impl Render for ExportOutput {
    fn human(&self) -> String {
        let (pages, files) = (count(self.pages as u64, "page"), count(self.files as u64, "other file"));
        let mut text = format!("Exported {pages} and {files} to {}\n", self.dir);
        text.extend(self.skipped.iter().map(|item| format!("skipped {}: {}\n", item.path, item.reason)));
        text
    }

    fn exit(&self) -> u8 {
        u8::from(self.pages + self.files == 0)
    }
}
