//! The kinds of source: their names, how each is recognized, and its reader.

mod files;
mod mem0;
mod memory_json;
mod page;

use lore_engine::{Error, Result};
use lore_vault::{SourceTree, is_page_path};

use super::Sink;

/// A kind of source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportKind {
    /// A directory of Markdown files with compiled truths, timelines and sidecar data.
    Markdown,
    /// An Obsidian vault.
    Obsidian,
    /// The JSON lines of the reference MCP memory server.
    MemoryJson,
    /// A JSON export of mem0.
    Mem0,
}

impl ImportKind {
    /// Every kind.
    pub const ALL: [ImportKind; 4] =
        [ImportKind::Markdown, ImportKind::Obsidian, ImportKind::MemoryJson, ImportKind::Mem0];

    /// Returns the name on the command line and in the ledger.
    pub fn name(self) -> &'static str {
        match self {
            ImportKind::Markdown => "markdown",
            ImportKind::Obsidian => "obsidian",
            ImportKind::MemoryJson => "memory-json",
            ImportKind::Mem0 => "mem0",
        }
    }

    /// Returns the kind with a name.
    pub fn named(name: &str) -> Option<ImportKind> {
        ImportKind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Whether items have ids of their own, so that they are known whatever file they come in.
    pub(super) fn has_ids(self) -> bool {
        matches!(self, ImportKind::Mem0)
    }
}

/// Returns the directory that a kind's pages go to by default.
pub(super) fn folder(kind: ImportKind) -> &'static str {
    match kind {
        ImportKind::Markdown | ImportKind::Obsidian => "",
        ImportKind::MemoryJson => "entities",
        ImportKind::Mem0 => "memories",
    }
}

/// Reads a source of a kind.
pub(super) fn read(kind: ImportKind, tree: &SourceTree, sink: &mut Sink<'_>) -> Result<()> {
    match kind {
        ImportKind::Markdown => files::read(tree, files::Layout::Brain, sink),
        ImportKind::Obsidian => files::read(tree, files::Layout::Obsidian, sink),
        ImportKind::MemoryJson => memory_json::read(tree, sink),
        ImportKind::Mem0 => mem0::read(tree, sink),
    }
}

/// Recognizes the kind of a source.
pub(super) fn detect(tree: &SourceTree) -> Result<ImportKind> {
    let has = |test: &dyn Fn(&str) -> bool| tree.files.iter().any(|file| test(&file.path));
    if has(&|path| path.starts_with(".obsidian/") || path.contains("/.obsidian/")) {
        return Ok(ImportKind::Obsidian);
    }
    if memory_json::recognizes(tree) {
        return Ok(ImportKind::MemoryJson);
    }
    if mem0::recognizes(tree) {
        return Ok(ImportKind::Mem0);
    }
    if has(&|path| is_page_path(path)) {
        return Ok(ImportKind::Markdown);
    }
    let names: Vec<&str> = ImportKind::ALL.iter().map(|kind| kind.name()).collect();
    Err(Error::BadInput {
        message: format!("cannot recognize what {} contains", tree.root().display()),
        hint: format!("name the kind with --from: {}", names.join(", ")),
    })
}
