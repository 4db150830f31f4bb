//! `rm`: deletes a page.

use clap::Args;
use lore_engine::{Action, PageChange, write};
use lore_ports::LinkFilter;
use lore_vault::{VaultPath, exists, sidecar};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::app::error::Result;
use crate::app::session::Session;
use crate::ops::Operation;
use crate::ops::views::{TitledWrite, WriteResult};

/// Delete a page and report the links to it
///
/// The last version is kept as a snapshot.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore rm notes/old\n  lore rm notes/old --yes")]
pub struct Rm {
    /// Page to delete
    #[arg(value_name = "REF")]
    reference: String,
    /// Skip the confirmation prompt
    #[arg(long, short)]
    #[serde(default)]
    yes: bool,
    /// Fail unless the page is at this version
    #[arg(long, value_name = "N")]
    #[serde(default)]
    expected_version: Option<u64>,
}

impl Operation for Rm {
    const NAME: &'static str = "rm";
    const ALIASES: &'static [&'static str] = &["delete"];
    const WRITES: bool = true;
    type Output = TitledWrite;

    fn run(self, session: &Session) -> Result<TitledWrite> {
        let context = session.fresh()?;
        let path = context.file_to_remove(&self.reference)?;
        let page = context.page_at(&path)?;
        if let Some(page) = &page {
            context.refuse_node(page, &self.reference)?;
        }
        let numbers: Vec<i64> = page.iter().map(|page| page.number).collect();
        let title = page.map_or_else(|| path.clone(), |page| page.title);
        let inbound = context.store().links(context.project(), &LinkFilter::To(&numbers))?;
        let mut from: Vec<String> =
            inbound.into_iter().map(|row| row.from_path).filter(|other| *other != path).collect();
        from.sort();
        from.dedup();
        let linked = match from.len() {
            0 => "nothing links to it".to_owned(),
            1 => format!("{} links to it", from[0]),
            count => format!("{count} pages link to it: {}", from.join(", ")),
        };
        session.confirm(self.yes, &format!("Delete {path}? {linked}."))?;
        let expected_version = self.expected_version;
        let data = sidecar(&path);
        let mut changes =
            vec![PageChange { path: VaultPath::known(path), action: Action::Delete, expected_version }];
        if exists(&context.vault().root().join(&data)) {
            changes.push(PageChange {
                path: VaultPath::known(data),
                action: Action::Delete,
                expected_version: None,
            });
        }
        let written = write(context, &changes)?;
        let mut result = WriteResult::new(written);
        if !from.is_empty() {
            result.warnings.push(format!("{linked}; those links are now broken"));
        }
        Ok(TitledWrite { title, written: result })
    }
}
