//! `get`: a page's bytes.

use clap::Args;
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
        let page = memory.page(&self.reference)?;
        let bytes = memory.read(&page)?.bytes;
        Ok(PageText {
            slug: page.slug,
            path: page.path,
            title: page.title,
            version: page.version,
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
