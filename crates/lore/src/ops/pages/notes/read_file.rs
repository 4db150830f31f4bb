//! `read-file`: the text of a page's file, or of another file of the vault.

use clap::Args;
use lore_engine::{Code, Error, VaultContext};
use lore_vault::{POLICY_FILE, VaultPath, is_page_path};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::error::{AppError, Result};
use crate::app::session::Session;
use crate::ops::line::Line;
use crate::ops::{Operation, Render};

/// Maximum size of a file, in bytes.
const LIMIT: u64 = 4 * 1024 * 1024;

/// Read the text of a page or of another file of the vault
///
/// Hidden files, the vault's settings and files that are not text are not read.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore read-file people/ada-lovelace\n  lore read-file data/table.csv")]
pub struct ReadFile {
    /// Page, or path of the file
    path: String,
}

/// Output of `read-file`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FileText {
    path: Line,
    /// SHA-256 of the file.
    hash: String,
    content: String,
}

impl Operation for ReadFile {
    const NAME: &'static str = "read-file";
    const HIDDEN: bool = true;
    type Output = FileText;

    fn run(self, session: &Session) -> Result<FileText> {
        let context = session.fresh()?;
        let path = match context.file(&self.path) {
            Ok(path) => path,
            Err(error @ Error::NotFound { .. }) => other_file(context, &self.path)?.ok_or(error)?,
            Err(error) => return Err(error.into()),
        };
        let missing = || Error::NotFound { reference: self.path.clone(), suggestions: Vec::new() };
        let file = context.vault().read(&path, LIMIT)?.ok_or_else(missing)?;
        let is_text = !file.bytes.contains(&0) && std::str::from_utf8(&file.bytes).is_ok();
        if !is_text && !is_page_path(&path) {
            let message = format!("{path} is not text");
            return Err(AppError::new(Code::Usage, message, "open it with a program for such files"));
        }
        Ok(FileText {
            path: path.into(),
            hash: lore_text::ContentHash::of(&file.bytes).to_string(),
            content: lore_vault::decode(&file.bytes).text.into_owned(),
        })
    }
}

/// Returns the path of a file that is no page; none if it must not be read.
fn other_file(context: &VaultContext, path: &str) -> Result<Option<String>> {
    let path =
        VaultPath::parse(lore_engine::without_scheme(path.trim()).trim_start_matches('/'))?.into_string();
    let is_hidden = path.split('/').any(|part| part.starts_with('.'));
    // A page that is not indexed is one that an ignore file excludes.
    if is_hidden || path == POLICY_FILE || is_page_path(&path) {
        return Ok(None);
    }
    Ok(Some(context.vault().file_path(&path)?))
}

impl Render for FileText {
    fn human(&self) -> String {
        self.content.clone()
    }
}
