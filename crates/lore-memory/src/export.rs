//! Exports a vault: as normalized pages in Markdown or Org, as JSON lines, as a static site, or the original bytes of an
//! import. Two trees of pages can be compared by their meaning.

mod compare;
mod html;
mod json;
mod pages;
mod raw;

use std::path::Path;

use lore_engine::{Result, VaultContext};
use lore_page::Format;
use lore_ports::{Filter, Order, PageRow, Progress, Window};
use lore_vault::{NewFolder, decode, files, is_attachment_path, is_page_path};

pub use compare::{Difference, TreeComparison, compare_trees};
pub(crate) use pages::is_index;
pub use raw::export_raw;

/// The format of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportFormat {
    /// The files of the pages with sidecar data and an index, converted to this format if one is given.
    Pages(Option<Format>),
    /// One JSON object per page.
    Json,
    /// A static site with search, which opens from the disk.
    Html,
}

/// What was exported.
#[derive(Debug, Default)]
pub struct Exported {
    /// Number of pages.
    pub pages: usize,
    /// Number of other files: attachments and sidecar data.
    pub files: usize,
    /// Paths that could not be exported, and why.
    pub skipped: Vec<lore_vault::Skipped>,
}

/// Exports the pages that match a filter to a new directory. Without a filter, the files beside the pages come along.
pub fn export(
    context: &VaultContext,
    target: &Path,
    format: ExportFormat,
    filter: Option<&Filter>,
    progress: Progress<'_>,
) -> Result<Exported> {
    let all = Window { limit: i64::MAX as usize, offset: 0 };
    let every = Filter::default();
    let mut rows = context.store().list(context.project(), filter.unwrap_or(&every), Order::Title, all)?;
    rows.sort_by(|a, b| a.path.cmp(&b.path));
    let folder = NewFolder::create(target)?;
    let mut exported = Exported::default();
    match format {
        ExportFormat::Pages(format) => {
            pages::write(context, &rows, format, &folder, &mut exported, progress)?;
        }
        ExportFormat::Json => json::write(context, &rows, &folder, &mut exported, progress)?,
        ExportFormat::Html => html::write(context, &rows, &folder, &mut exported, progress)?,
    }
    copy_attachments(context, &rows, filter.is_some(), &folder, &mut exported)?;
    folder.finish()?;
    Ok(exported)
}

/// Returns the text of a page: UTF-8 without a byte-order mark, lines that end in a line feed, one at the end.
fn normal_text(bytes: &[u8]) -> String {
    let decoded = decode(bytes);
    let text = decoded.text.trim_start_matches('\u{feff}').replace("\r\n", "\n").replace('\r', "\n");
    let text = text.trim_end_matches('\n');
    if text.is_empty() { String::new() } else { format!("{text}\n") }
}

/// Reads a page; one that cannot be read is noted.
fn read_page(context: &VaultContext, row: &PageRow, exported: &mut Exported) -> Result<Option<String>> {
    match context.vault().read(&row.path, u64::MAX) {
        Ok(Some(file)) => return Ok(Some(normal_text(&file.bytes))),
        Ok(None) => skip(exported, &row.path, "it was deleted meanwhile"),
        Err(error) => skip(exported, &row.path, &error.to_string()),
    }
    Ok(None)
}

fn skip(exported: &mut Exported, path: &str, reason: &str) {
    exported.skipped.push(lore_vault::Skipped { path: path.to_owned(), reason: reason.to_owned() });
}

/// Copies the files beside the pages: all of them, or those that the exported pages name.
fn copy_attachments(
    context: &VaultContext,
    rows: &[PageRow],
    only_named: bool,
    folder: &NewFolder,
    exported: &mut Exported,
) -> Result<()> {
    let mut texts = String::new();
    if only_named {
        for row in rows {
            texts.push_str(&read_page(context, row, exported)?.unwrap_or_default());
        }
    }
    let is_named = |path: &str| {
        let name = path.rsplit('/').next().unwrap_or(path);
        texts.contains(name) || texts.contains(&name.replace(' ', "%20"))
    };
    for path in files(context.vault()) {
        if is_page_path(&path) || !is_attachment_path(&path) || only_named && !is_named(&path) {
            continue;
        }
        // The text of a page must not become a part of another file, such as the script of a site.
        if folder.has(&path) {
            skip(exported, &path, "the export has a file of its own with that name");
            continue;
        }
        match context.vault().read(&path, u64::MAX) {
            Ok(Some(file)) => {
                folder.write_within(&path, &file.bytes, context.vault().mode(&path))?;
                exported.files += 1;
            }
            Ok(None) => {}
            Err(error) => skip(exported, &path, &error.to_string()),
        }
    }
    Ok(())
}
