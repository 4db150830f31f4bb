//! `mv-folder`, `rm-folder`: every page of a folder, in one write.

use clap::Args;
use lore_engine::{Action, Code, Error, PageChange, VaultContext, relocate_all, write};
use lore_ports::{Filter, Order, PageRow, Window};
use lore_vault::{VaultPath, exists, sidecar};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::error::{AppError, Result};
use crate::app::session::Session;
use crate::ops::line::Line;
use crate::ops::views::{count, lines};
use crate::ops::{Operation, Render};

/// Move the pages of a folder and update the links to them
///
/// Files that are not pages stay, and directories that become empty are removed. All pages move in one write, or none does: nothing is moved if a page would replace
/// another file.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore mv-folder papers archive/papers")]
pub struct MvFolder {
    /// Folder to move
    #[arg(value_name = "DIR")]
    folder: String,
    /// New folder
    #[arg(value_name = "NEW")]
    to: String,
}

/// Delete the pages of a folder
///
/// Files that are not pages stay, and directories that become empty are removed. The last version of each page is kept as a snapshot.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore rm-folder drafts\n  lore rm-folder drafts --yes")]
pub struct RmFolder {
    /// Folder whose pages are deleted
    #[arg(value_name = "DIR")]
    folder: String,
    /// Skip the confirmation prompt
    #[arg(long, short)]
    #[serde(default)]
    yes: bool,
}

/// Output of `mv-folder` and `rm-folder`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FolderResult {
    folder: Line,
    /// `moved` or `deleted`.
    outcome: &'static str,
    /// Paths of the pages after the change.
    files: Vec<Line>,
}

impl Operation for MvFolder {
    const NAME: &'static str = "mv-folder";
    const WRITES: bool = true;
    const HIDDEN: bool = true;
    type Output = FolderResult;

    fn run(self, session: &Session) -> Result<FolderResult> {
        let context = session.fresh()?;
        let (from, pages) = pages_in(context, &self.folder)?;
        let to = VaultPath::parse(self.to.trim().trim_matches('/'))?.into_string();
        if to == from {
            let message = format!("source and destination are the same folder, {from}");
            return Err(AppError::usage(message, "give another folder"));
        }
        let moves: Vec<(PageRow, String)> = pages
            .into_iter()
            .map(|page| {
                let path = format!("{to}{}", &page.path[from.len()..]);
                (page, path)
            })
            .collect();
        let taken = moves.iter().find(|(_, path)| exists(&context.vault().root().join(path)));
        if let Some((_, path)) = taken {
            return Err(Error::Exists { path: path.clone() }.into());
        }
        relocate_all(context, &moves, &format!("Move {from} to {to}"))?;
        context.vault().remove_emptied(moves.iter().map(|(page, _)| page.path.as_str()));
        let files = moves.into_iter().map(|(_, path)| path.into()).collect();
        Ok(FolderResult { folder: to.into(), outcome: "moved", files })
    }
}

impl Operation for RmFolder {
    const NAME: &'static str = "rm-folder";
    const WRITES: bool = true;
    const HIDDEN: bool = true;
    type Output = FolderResult;

    fn run(self, session: &Session) -> Result<FolderResult> {
        let context = session.fresh()?;
        let (folder, pages) = pages_in(context, &self.folder)?;
        let number = count(pages.len() as u64, "page");
        session.confirm(self.yes, &format!("Delete {folder} with {number}?"))?;
        let data = pages.iter().map(|page| sidecar(&page.path));
        let data = data.filter(|path| exists(&context.vault().root().join(path)));
        let paths = pages.iter().map(|page| page.path.clone()).chain(data);
        let delete = |path| PageChange {
            path: VaultPath::known(path),
            action: Action::Delete,
            expected_version: None,
        };
        let changes: Vec<PageChange<'_>> = paths.map(delete).collect();
        write(context, &changes)?;
        context.vault().remove_emptied(pages.iter().map(|page| page.path.as_str()));
        let files = pages.into_iter().map(|page| page.path.into()).collect();
        Ok(FolderResult { folder: folder.into(), outcome: "deleted", files })
    }
}

/// Returns a folder as it is spelled, with its pages.
fn pages_in(context: &VaultContext, folder: &str) -> Result<(String, Vec<PageRow>)> {
    let folder = VaultPath::parse(folder.trim().trim_matches('/'))?;
    let folder = context.vault().spelled(&folder);
    let filter = Filter { path: Some(format!("{folder}/")), ..Filter::default() };
    let all = Window { limit: i64::MAX as usize, offset: 0 };
    let pages = context.store().list(context.project(), &filter, Order::Title, all)?;
    if pages.is_empty() {
        let message = format!("the folder {folder} has no pages");
        return Err(AppError::new(Code::NotFound, message, "see `lore ls` for the folders"));
    }
    Ok((folder, pages))
}

impl Render for FolderResult {
    fn human(&self) -> String {
        let number = count(self.files.len() as u64, "page");
        let list = lines(self.files.iter().map(|path| format!("  {path}")));
        let place = if self.outcome == "moved" { "to" } else { "of" };
        format!("{} {number} {place} {}\n{list}", self.outcome, self.folder)
    }
}
