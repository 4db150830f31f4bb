//! `ls`: lists a folder of the vault.

use clap::Args;
use lore_engine::Error;
use lore_ports::{Filter, Order, Window};
use lore_vault::{VaultPath, is_page};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::error::Result;
use crate::app::session::Session;
use crate::ops::line::Line;
use crate::ops::views::lines;
use crate::ops::{Operation, Render};

/// List a folder of the vault: its folders, then its pages with titles
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore ls\n  lore ls people")]
pub struct Ls {
    /// Folder to list [default: the vault's root]
    #[arg(value_name = "DIR")]
    #[serde(default)]
    path: Option<String>,
}

/// Output of `ls`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Folder {
    path: Line,
    entries: Vec<FolderEntry>,
}

/// A folder, page or other file.
#[derive(Debug, Serialize, JsonSchema)]
struct FolderEntry {
    name: Line,
    /// `folder`, `page` or `file`.
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    slug: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
}

impl Operation for Ls {
    const NAME: &'static str = "ls";
    type Output = Folder;

    fn run(self, session: &Session) -> Result<Folder> {
        let context = session.fresh()?;
        let path = match self.path.as_deref().map(|path| path.trim_matches('/')) {
            // In a namespace, its folder is the root, so that the names of the others are not shown.
            None | Some("" | ".") => {
                let namespace = session.namespace(context, None)?;
                let folder = namespace.map(|name| context.policy().namespace_folder(&name));
                folder.map(|folder| context.vault().spelled(&folder)).unwrap_or_default()
            }
            Some(path) => context.vault().spelled(&VaultPath::parse(path)?),
        };
        let prefix = if path.is_empty() { None } else { Some(format!("{path}/")) };
        let filter = Filter { path: prefix, ..Default::default() };
        let all = Window { limit: i64::MAX as usize, offset: 0 };
        let pages = context.store().list(context.project(), &filter, Order::Title, all)?;
        let missing = || Error::NotFound { reference: format!("{path}/"), suggestions: Vec::new() };
        let entries = context
            .vault()
            .list(&path)?
            .ok_or_else(missing)?
            .into_iter()
            .map(|(name, folder)| {
                let full = if path.is_empty() { name.clone() } else { format!("{path}/{name}") };
                let page = pages.iter().find(|page| page.path == full);
                let kind = match (folder, page) {
                    (true, _) => "folder",
                    (false, Some(_)) => "page",
                    (false, None) => "file",
                };
                FolderEntry {
                    name: name.into(),
                    kind,
                    slug: page.map(|page| page.slug.clone()),
                    title: page.map(|page| page.title.clone()),
                }
            })
            .filter(|entry| entry.kind != "file" || !is_page(&entry.name))
            .collect();
        Ok(Folder { path: path.into(), entries })
    }
}

impl Render for Folder {
    fn human(&self) -> String {
        if self.entries.is_empty() {
            return "empty folder\n".into();
        }
        lines(self.entries.iter().map(|entry| match (&entry.title, entry.kind) {
            (Some(title), _) => format!("{:<40}  {title}", entry.name),
            (None, "folder") => format!("{}/", entry.name),
            (None, _) => entry.name.to_string(),
        }))
    }

    fn brief(&self) -> String {
        lines(self.entries.iter().map(|entry| entry.name.to_string()))
    }

    fn exit(&self) -> u8 {
        u8::from(self.entries.is_empty())
    }
}
