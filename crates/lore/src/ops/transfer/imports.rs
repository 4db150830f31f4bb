//! `imports`: lists the imports of a vault.

use clap::Args;
use lore_memory::{import_batches, manifest_of};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::error::Result;
use crate::app::session::Session;
use crate::ops::line::Line;
use crate::ops::views::{count, lines, timestamp};
use crate::ops::{Operation, Render};

/// List the imports of the vault, newest first
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore imports")]
pub struct Imports {}

/// Output of `imports`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ImportList {
    imports: Vec<ImportItem>,
}

/// An import.
#[derive(Debug, Serialize, JsonSchema)]
struct ImportItem {
    /// Id, for `export --raw --import-id`.
    import_id: String,
    /// Kind of source.
    kind: String,
    /// Absolute path of the source.
    source: Line,
    /// When it was imported.
    imported_at: String,
    /// Number of pages and files that come from the source.
    files: usize,
    /// Number of original files in the ledger.
    originals: usize,
    /// Whether all of it was imported; running an interrupted import again completes it.
    complete: bool,
}

impl Operation for Imports {
    const NAME: &'static str = "imports";
    const MACHINE: bool = true;
    type Output = ImportList;

    fn run(self, session: &Session) -> Result<ImportList> {
        let context = session.context()?;
        let mut imports = Vec::new();
        for row in import_batches(context)?.into_iter().rev() {
            let manifest = manifest_of(context, &row.batch)?;
            imports.push(ImportItem {
                import_id: row.batch,
                kind: row.kind,
                source: row.source.into(),
                imported_at: timestamp(row.at),
                files: manifest.items.len(),
                originals: manifest.originals.len(),
                complete: row.is_last,
            });
        }
        Ok(ImportList { imports })
    }
}

impl Render for ImportList {
    fn human(&self) -> String {
        if self.imports.is_empty() {
            return "no imports\n".into();
        }
        lines(self.imports.iter().map(|item| {
            let state = if item.complete { "" } else { "  incomplete" };
            let files = count(item.files as u64, "file");
            format!("{}  {}  {}  {files}{state}", item.import_id, item.kind, item.source)
        }))
    }

    fn exit(&self) -> u8 {
        u8::from(self.imports.is_empty())
    }
}
