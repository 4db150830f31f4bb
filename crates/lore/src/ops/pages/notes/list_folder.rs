//! `list-folder`: folders and files of a vault to a depth, with details of the notes among them.

use std::collections::HashMap;

use clap::{Args, ValueEnum};
use lore_engine::VaultContext;
use lore_ports::{Filter, Order, PageRow, Window};
use lore_text::wildcard;
use lore_vault::VaultPath;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::item::permalink;
use crate::app::error::{AppError, Result};
use crate::app::session::Session;
use crate::ops::line::Line;
use crate::ops::views::{check_not_zero, lines, timestamp};
use crate::ops::{Operation, Render};

/// Maximum depth of folders.
const DEPTH: usize = 10;

/// List folders and files to a depth, page by page
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore list-folder people\n  lore list-folder / --depth 3 --glob '*.md'")]
pub struct ListFolder {
    /// Folder to list [default: the vault's root]
    #[arg(value_name = "DIR")]
    #[serde(default)]
    path: Option<String>,
    /// Levels to list, from 1 to 10 [default: 1]
    #[arg(long)]
    #[serde(default)]
    depth: Option<usize>,
    /// Only files whose names match
    #[arg(long)]
    #[serde(default)]
    glob: Option<String>,
    /// Order [default: folders, then files, by name]
    #[arg(long, value_enum)]
    #[serde(default)]
    sort: Option<Sort>,
    /// Page of results, starting at 1 [default: 1]
    #[arg(long)]
    #[serde(default)]
    page: Option<usize>,
    /// Results per page [default: 10]
    #[arg(long)]
    #[serde(default)]
    page_size: Option<usize>,
}

/// The order of a listing.
#[derive(Debug, Clone, Copy, ValueEnum, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Sort {
    #[value(name = "title_asc")]
    TitleAsc,
    #[value(name = "title_desc")]
    TitleDesc,
    #[value(name = "updated_asc")]
    UpdatedAsc,
    #[value(name = "updated_desc")]
    UpdatedDesc,
}

/// Output of `list-folder`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FolderListing {
    nodes: Vec<FolderNode>,
    page: usize,
    page_size: usize,
    total: usize,
    folders: usize,
    more: bool,
}

/// A folder, a note or another file.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct FolderNode {
    name: Line,
    /// Path relative to the vault's root.
    path: Line,
    folder: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<NoteDetails>,
}

/// A note in a listing.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct NoteDetails {
    id: String,
    title: String,
    permalink: String,
    note_type: String,
    updated: String,
}

impl Operation for ListFolder {
    const NAME: &'static str = "list-folder";
    const HIDDEN: bool = true;
    type Output = FolderListing;

    fn run(self, session: &Session) -> Result<FolderListing> {
        let context = session.fresh()?;
        let (page, page_size) = (self.page.unwrap_or(1), self.page_size.unwrap_or(10));
        let depth = self.depth.unwrap_or(1);
        check_not_zero(&[("page", self.page), ("page-size", self.page_size), ("depth", self.depth)])?;
        if depth > DEPTH {
            return Err(AppError::usage(
                format!("--depth is {depth}"),
                format!("use a depth of at most {DEPTH}"),
            ));
        }
        let root = root(session, context, self.path.as_deref())?;
        let all = Window { limit: i64::MAX as usize, offset: 0 };
        let pages = context.store().list(context.project(), &Filter::default(), Order::Title, all)?;
        let pages: HashMap<&str, &PageRow> = pages.iter().map(|page| (page.path.as_str(), page)).collect();
        let mut nodes = Vec::new();
        walk(context, &pages, &root, depth, &mut nodes)?;
        if let Some(glob) = &self.glob {
            nodes.retain(|node| !node.folder && wildcard(glob, &node.name));
        }
        order(&mut nodes, self.sort);
        let (total, first) = (nodes.len(), (page - 1).saturating_mul(page_size));
        let folders = nodes.iter().filter(|node| node.folder).count();
        let nodes: Vec<FolderNode> = nodes.into_iter().skip(first).take(page_size).collect();
        let more = first.saturating_add(nodes.len()) < total;
        Ok(FolderListing { nodes, page, page_size, total, folders, more })
    }
}

/// Returns the folder to list. In a namespace, its folder is the root.
fn root(session: &Session, context: &VaultContext, path: Option<&str>) -> Result<String> {
    match path.map(|path| path.trim().trim_matches('/')) {
        None | Some("" | ".") => {
            let namespace = session.namespace(context, None)?;
            let folder = namespace.map(|name| context.policy().namespace_folder(&name));
            Ok(folder.map(|folder| context.vault().spelled(&folder)).unwrap_or_default())
        }
        Some(path) => Ok(context.vault().spelled(&VaultPath::parse(path.trim_start_matches("./"))?)),
    }
}

fn walk(
    context: &VaultContext,
    pages: &HashMap<&str, &PageRow>,
    root: &str,
    depth: usize,
    nodes: &mut Vec<FolderNode>,
) -> Result<()> {
    for (name, is_folder) in context.vault().list(root)?.unwrap_or_default() {
        let path = if root.is_empty() { name.clone() } else { format!("{root}/{name}") };
        let note = pages.get(path.as_str()).map(|page| NoteDetails {
            id: page.id.clone(),
            title: page.title.clone(),
            permalink: permalink(page),
            note_type: page.kind.clone(),
            updated: timestamp(page.updated),
        });
        // A page that is not indexed, such as an ignored one, is not shown.
        let is_hidden = name.starts_with('.')
            || path == lore_vault::POLICY_FILE
            || (note.is_none() && lore_vault::is_page(&name) && !is_folder);
        if is_hidden {
            continue;
        }
        nodes.push(FolderNode { name: name.into(), path: path.clone().into(), folder: is_folder, note });
        if is_folder && depth > 1 {
            walk(context, pages, &path, depth - 1, nodes)?;
        }
    }
    Ok(())
}

fn order(nodes: &mut [FolderNode], sort: Option<Sort>) {
    let title = |node: &FolderNode| {
        node.note.as_ref().map_or_else(|| node.name.to_string(), |note| note.title.clone())
    };
    let updated = |node: &FolderNode| node.note.as_ref().map(|note| note.updated.clone()).unwrap_or_default();
    let name = |node: &FolderNode| node.name.to_lowercase();
    nodes.sort_by(|a, b| {
        let by_kind = b.folder.cmp(&a.folder);
        by_kind.then_with(|| match sort {
            None => name(a).cmp(&name(b)),
            Some(Sort::TitleAsc) => title(a).cmp(&title(b)),
            Some(Sort::TitleDesc) => title(b).cmp(&title(a)),
            Some(Sort::UpdatedAsc) => updated(a).cmp(&updated(b)),
            Some(Sort::UpdatedDesc) => updated(b).cmp(&updated(a)),
        })
    });
}

impl Render for FolderListing {
    fn human(&self) -> String {
        if self.nodes.is_empty() {
            return "empty folder\n".into();
        }
        lines(self.nodes.iter().map(|node| match &node.note {
            Some(note) => format!("{:<40}  {}", node.path, note.title),
            None if node.folder => format!("{}/", node.path),
            None => node.path.to_string(),
        }))
    }

    fn exit(&self) -> u8 {
        u8::from(self.nodes.is_empty())
    }
}
