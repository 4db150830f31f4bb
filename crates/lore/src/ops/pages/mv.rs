//! `mv`: moves a page.

use clap::Args;
use lore_engine::{Error, relocate};
use lore_vault::{VaultPath, exists, folder, is_page};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::app::error::{AppError, Result};
use crate::app::session::Session;
use crate::ops::Operation;
use crate::ops::pages::put::new_path;
use crate::ops::views::{TitledWrite, WriteResult};

/// Move a page and update the links to it
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  lore mv people/ada people/ada-lovelace\n  lore mv \"Old note\" archive/"
)]
pub struct Mv {
    /// Page to move
    #[arg(value_name = "REF")]
    reference: String,
    /// New slug or path; a trailing / means a folder
    #[arg(value_name = "NEW")]
    to: String,
    /// Fail unless the page is at this version
    #[arg(long, value_name = "N")]
    #[serde(default)]
    expected_version: Option<u64>,
}

/// Returns the new path of a page. A path that is the page's own in another case changes the case of its name.
fn renamed(from: &str, typed: &str, to: VaultPath) -> VaultPath {
    let name = typed.rsplit('/').next().unwrap_or(typed);
    match to.as_str() == from && is_page(name) {
        true if folder(from).is_empty() => VaultPath::known(name),
        true => VaultPath::known(format!("{}/{name}", folder(from))),
        false => to,
    }
}

impl Operation for Mv {
    const NAME: &'static str = "mv";
    const WRITES: bool = true;
    type Output = TitledWrite;

    fn run(self, session: &Session) -> Result<TitledWrite> {
        let context = session.fresh()?;
        let page = context.page_to_remove(&self.reference)?;
        context.refuse_node(&page, &self.reference)?;
        let name = page.path.rsplit('/').next().unwrap_or(&page.path);
        let to = if self.to.ends_with('/') { format!("{}{name}", self.to) } else { self.to };
        let to = renamed(&page.path, &to, new_path(context, &to)?);
        if to.as_str() == page.path {
            return Err(AppError::usage(
                format!("{} is already at {to}: source and destination are the same page", page.slug),
                "give another slug or path; to change only the title, edit the page",
            ));
        }
        // Checked here too, because a page there may link to this one and so be part of the same change.
        if exists(&context.vault().root().join(to.as_str())) {
            return Err(Error::Exists { path: to.into_string() }.into());
        }
        let written = WriteResult::new(relocate(context, &page, &to, self.expected_version)?);
        Ok(TitledWrite { title: page.title, written })
    }
}
