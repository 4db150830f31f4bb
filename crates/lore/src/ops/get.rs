//! `get`: a page's bytes.

use clap::Args;
use lore_engine::Error;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Operation, Render};
use crate::failure::Result;
use crate::session::Session;

/// Print a page's file, byte for byte
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore get people/ada-lovelace\n  lore get \"Ada Lovelace\" --json")]
pub struct Get {
    /// Id or the beginning of one, slug, path, title, alias or memory:// reference
    #[arg(value_name = "REF")]
    reference: String,
}

/// A page's text.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PageText {
    slug: String,
    path: String,
    title: String,
    version: u64,
    /// The SHA-256 of the file.
    hash: String,
    /// The file's text; bytes that are not UTF-8 are decoded here.
    content: String,
    #[serde(skip)]
    bytes: Vec<u8>,
}

impl Operation for Get {
    const NAME: &'static str = "get";
    type Output = PageText;

    fn run(self, session: &Session) -> Result<PageText> {
        let memory = session.fresh()?;
        let path = memory.file(&self.reference)?;
        let page = memory.page_at(&path)?;
        // The version before the bytes: a write puts the file in place first and counts after, so that text which goes with
        // a version is never older than it. The other way round, who adds to this text could write over another's words.
        let version = memory.version_of(&path)?;
        let bytes = match memory.vault().read(&path, u64::MAX)? {
            Some(file) => file.bytes,
            None => return Err(Error::NotFound { reference: self.reference, suggestions: Vec::new() }.into()),
        };
        let (slug, title) = page.map_or_else(|| (path.clone(), path.clone()), |page| (page.slug, page.title));
        Ok(PageText {
            slug,
            path,
            title,
            version,
            hash: lore_engine::ContentHash::of(&bytes).to_string(),
            content: lore_engine::vault::decode(&bytes).text.into_owned(),
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
