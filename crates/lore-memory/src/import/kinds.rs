//! The kinds of source: their names, how each is recognized, and its reader.

mod accounts;
mod agent_sessions;
mod files;
mod logseq;
mod mem0;
mod memory_json;
mod notion;
mod page;
mod quaid;
mod roam;

use lore_engine::{Error, Policy, Result};
use lore_vault::{SourceTree, is_page_path};

use super::{Sink, TableReader};

pub(super) use page::PageText;

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
    /// An account export of ChatGPT.
    ChatGpt,
    /// An account export of Claude.
    Claude,
    /// Session files of Claude Code.
    ClaudeCode,
    /// Session files of Codex.
    Codex,
    /// Session files of Gemini CLI.
    GeminiCli,
    /// A Logseq graph.
    Logseq,
    /// An export of Notion in Markdown and CSV.
    Notion,
    /// A JSON export of Roam Research.
    RoamJson,
    /// A directory of org-roam; its files are copied as they are.
    OrgRoam,
    /// A Markdown export of Bear.
    Bear,
    /// A Markdown export of Apple Notes.
    AppleNotes,
    /// The directory of a project of Basic Memory.
    BasicMemory,
    /// The database of Quaid.
    Quaid,
}

impl ImportKind {
    /// Every kind.
    pub const ALL: [ImportKind; 17] = [
        ImportKind::Markdown,
        ImportKind::Obsidian,
        ImportKind::MemoryJson,
        ImportKind::Mem0,
        ImportKind::ChatGpt,
        ImportKind::Claude,
        ImportKind::ClaudeCode,
        ImportKind::Codex,
        ImportKind::GeminiCli,
        ImportKind::Logseq,
        ImportKind::Notion,
        ImportKind::RoamJson,
        ImportKind::OrgRoam,
        ImportKind::Bear,
        ImportKind::AppleNotes,
        ImportKind::BasicMemory,
        ImportKind::Quaid,
    ];

    /// Returns the name on the command line and in the ledger.
    pub const fn name(self) -> &'static str {
        match self {
            ImportKind::Markdown => "markdown",
            ImportKind::Obsidian => "obsidian",
            ImportKind::MemoryJson => "memory-json",
            ImportKind::Mem0 => "mem0",
            ImportKind::ChatGpt => "chatgpt",
            ImportKind::Claude => "claude",
            ImportKind::ClaudeCode => "claude-code",
            ImportKind::Codex => "codex",
            ImportKind::GeminiCli => "gemini-cli",
            ImportKind::Logseq => "logseq",
            ImportKind::Notion => "notion",
            ImportKind::RoamJson => "roam-json",
            ImportKind::OrgRoam => "org-roam",
            ImportKind::Bear => "bear",
            ImportKind::AppleNotes => "apple-notes",
            ImportKind::BasicMemory => "basic-memory",
            ImportKind::Quaid => "quaid",
        }
    }

    /// Returns the kind with a name.
    pub fn named(name: &str) -> Option<ImportKind> {
        ImportKind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Returns where a program keeps its sessions, relative to the person's home directory.
    pub fn usual_folder(self) -> Option<&'static str> {
        match self {
            ImportKind::ClaudeCode => Some(".claude/projects"),
            ImportKind::Codex => Some(".codex/sessions"),
            ImportKind::GeminiCli => Some(".gemini/tmp"),
            _ => None,
        }
    }

    /// Whether the pages are conversations.
    pub(super) fn has_conversations(self) -> bool {
        use ImportKind::{ChatGpt, Claude, ClaudeCode, Codex, GeminiCli};
        matches!(self, ChatGpt | Claude | ClaudeCode | Codex | GeminiCli)
    }

    /// Whether items have ids of their own, so that they are known whatever file they come in.
    pub(super) fn has_ids(self) -> bool {
        self == ImportKind::Mem0 || self.has_conversations()
    }
}

/// Whether a file is a session that is read without any other.
pub(super) fn is_session_file(kind: ImportKind, path: &str) -> bool {
    kind.usual_folder().is_some() && agent_sessions::skipped(kind, path).is_none()
}

/// Returns the directory that a kind's pages go to by default.
pub(super) fn folder(kind: ImportKind, policy: &Policy) -> String {
    let folders = &policy.ingest.folders;
    match kind {
        ImportKind::MemoryJson => "entities".to_owned(),
        ImportKind::Mem0 => "memories".to_owned(),
        kind if kind.has_conversations() => {
            let chosen = folders.get("session").or_else(|| folders.get("conversation"));
            chosen.cloned().unwrap_or_else(|| "sessions".to_owned())
        }
        _ => String::new(),
    }
}

/// Reads a source of a kind.
pub(super) fn read(
    kind: ImportKind,
    tree: &SourceTree,
    tables: Option<TableReader<'_>>,
    sink: &mut Sink<'_>,
) -> Result<()> {
    match kind {
        ImportKind::Quaid => quaid::read(tree, tables, sink),
        ImportKind::Markdown => files::read(tree, files::Layout::Brain, sink),
        ImportKind::Obsidian
        | ImportKind::OrgRoam
        | ImportKind::Bear
        | ImportKind::AppleNotes
        | ImportKind::BasicMemory => files::read(tree, files::Layout::Notes, sink),
        ImportKind::Logseq => logseq::read(tree, sink),
        ImportKind::Notion => notion::read(tree, sink),
        ImportKind::RoamJson => roam::read(tree, sink),
        ImportKind::MemoryJson => memory_json::read(tree, sink),
        ImportKind::Mem0 => mem0::read(tree, sink),
        ImportKind::ChatGpt | ImportKind::Claude => accounts::read(kind, tree, sink),
        ImportKind::ClaudeCode | ImportKind::Codex | ImportKind::GeminiCli => {
            agent_sessions::read(kind, tree, sink)
        }
    }
}

/// Recognizes the kind of a source.
pub(super) fn detect(tree: &SourceTree) -> Result<ImportKind> {
    let has = |test: &dyn Fn(&str) -> bool| tree.files.iter().any(|file| test(&file.path));
    if has(&|path| path.starts_with(".obsidian/") || path.contains("/.obsidian/")) {
        return Ok(ImportKind::Obsidian);
    }
    if let Some(kind) = accounts::recognize(tree).or_else(|| agent_sessions::recognize(tree)) {
        return Ok(kind);
    }
    if tree.has("logseq/config.edn") || has(&|path| path.ends_with("/logseq/config.edn")) {
        return Ok(ImportKind::Logseq);
    }
    if has(&notion::has_id) {
        return Ok(ImportKind::Notion);
    }
    if quaid::recognizes(tree) {
        return Ok(ImportKind::Quaid);
    }
    if memory_json::recognizes(tree) {
        return Ok(ImportKind::MemoryJson);
    }
    if mem0::recognizes(tree) {
        return Ok(ImportKind::Mem0);
    }
    if roam::recognizes(tree) {
        return Ok(ImportKind::RoamJson);
    }
    if has(&|path| path.contains(".textbundle/")) {
        return Ok(ImportKind::Bear);
    }
    if has(&|path| is_page_path(path) && !path.ends_with(".org")) {
        return Ok(ImportKind::Markdown);
    }
    if has(&|path| path.ends_with(".org")) {
        return Ok(ImportKind::OrgRoam);
    }
    let names: Vec<&str> = ImportKind::ALL.iter().map(|kind| kind.name()).collect();
    Err(Error::BadInput {
        message: format!("cannot recognize what {} contains", tree.root().display()),
        hint: format!("name the kind with --from: {}", names.join(", ")),
    })
}
