//! Directories of Markdown files, which become pages as they are.

mod bundles;

use lore_engine::Result;
use lore_vault::{EXPECTATIONS_FILE, POLICY_FILE, SourceTree, decode, is_hidden, is_page_path, is_sidecar};

use super::super::{Found, Proposed, Sink};
use crate::export::is_index;

/// Maximum size of a file that is read whole.
pub(super) const MAX_FILE: u64 = 256 * 1024 * 1024;

/// End of the name of a text bundle, a directory that is one note.
const BUNDLE: &str = ".textbundle/";

/// Which files of a directory are special.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    /// A brain: its index and schema are generated, its README is not about it.
    Brain,
    /// Notes of another program: every page counts.
    Notes,
}

/// Reads every file: pages, sidecar data, and files that pages embed.
pub(super) fn read(tree: &SourceTree, layout: Layout, sink: &mut Sink<'_>) -> Result<()> {
    for file in &tree.files {
        let path = &file.path;
        let reason = match skipped(path, layout) {
            None if file.size > MAX_FILE => {
                Some(format!("it has {} bytes, over the limit of {MAX_FILE}", file.size))
            }
            reason => reason.map(str::to_owned),
        };
        if let Some(reason) = reason {
            sink(Found::Skipped { path: path.clone(), reason })?;
            continue;
        }
        if let Some((bundle, inside)) = path.split_once(BUNDLE) {
            bundles::read(tree, file, bundle, inside, sink)?;
            continue;
        }
        if bundles::is_about_export(path) {
            let reason = "it describes the export; only its original is kept".to_owned();
            sink(Found::Skipped { path: path.clone(), reason })?;
            continue;
        }
        let bytes = tree.read(file, MAX_FILE)?;
        let bytes = if is_page_path(path) { in_utf8(bytes) } else { bytes };
        if !path.contains('/') && is_page_path(path) && is_index(&String::from_utf8_lossy(&bytes)) {
            let reason = "it is the index of an export; only its original is kept".to_owned();
            sink(Found::Skipped { path: path.clone(), reason })?;
            continue;
        }
        sink(Found::Item(Proposed { key: path.clone(), path: path.clone(), bytes, ..Proposed::default() }))?;
    }
    Ok(())
}

/// Returns why a file does not become one of the vault.
fn skipped(path: &str, layout: Layout) -> Option<&'static str> {
    if is_sidecar(path) {
        return None;
    }
    if path.split('/').any(is_hidden) {
        return Some("it is hidden; only its original is kept");
    }
    match (layout, path) {
        (_, POLICY_FILE | EXPECTATIONS_FILE) => {
            Some("it has settings of another vault; only its original is kept")
        }
        (Layout::Brain, "index.md" | "schema.md") => {
            Some("it describes the source; only its original is kept")
        }
        (Layout::Brain, "README.md") => Some("it is the README of the source; only its original is kept"),
        _ => None,
    }
}

/// Returns text in UTF-8, whatever its encoding.
pub(super) fn in_utf8(bytes: Vec<u8>) -> Vec<u8> {
    let decoded = decode(&bytes);
    match decoded.encoding {
        Some(_)
            if !bytes.contains(&0) || bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") =>
        {
            decoded.text.into_owned().into_bytes()
        }
        _ => bytes,
    }
}
