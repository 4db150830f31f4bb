//! `get`: the bytes of a page.

use clap::Args;
use lore_engine::Error;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::error::Result;
use crate::app::session::Session;
use crate::ops::line::Line;
use crate::ops::{Operation, Render};

/// Print a page's file, byte for byte
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore get people/ada-lovelace\n  lore get \"Ada Lovelace\" --json")]
pub struct Get {
    /// Id or id prefix, slug, path, title, alias or memory:// URI
    #[arg(value_name = "REF")]
    reference: String,
}

/// Output of `get`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PageText {
    slug: String,
    path: Line,
    title: String,
    version: u64,
    /// SHA-256 of the file.
    hash: String,
    /// Text of the file, decoded if it is not UTF-8.
    content: String,
    #[serde(skip)]
    bytes: Vec<u8>,
}

impl Operation for Get {
    const NAME: &'static str = "get";
    type Output = PageText;

    fn run(self, session: &Session) -> Result<PageText> {
        let context = session.fresh()?;
        let path = context.file(&self.reference)?;
        let page = context.page_at(&path)?;
        // The version is read before the bytes: a write replaces the file first and increments the version afterwards,
        // so the text is never older than the version. In the other order, a client that edits this text could
        // overwrite a concurrent change.
        let version = context.version_of(&path)?;
        let bytes = match context.vault().read(&path, u64::MAX)? {
            Some(file) => file.bytes,
            None => return Err(Error::NotFound { reference: self.reference, suggestions: Vec::new() }.into()),
        };
        let (slug, title) = page.map_or_else(|| (path.clone(), path.clone()), |page| (page.slug, page.title));
        Ok(PageText {
            slug,
            path: path.into(),
            title,
            version,
            hash: lore_text::ContentHash::of(&bytes).to_string(),
            content: lore_vault::decode(&bytes).text.into_owned(),
            bytes,
        })
    }
}

impl Render for PageText {
    fn human(&self) -> String {
        self.content.clone()
    }

    fn raw(&self) -> Option<&[u8]> {
        Some(&self.bytes)
    }
}
