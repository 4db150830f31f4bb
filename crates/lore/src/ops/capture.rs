//! `capture`: keep something worth keeping.

mod again;
mod kept;

use std::path::PathBuf;

use clap::{ArgGroup, Args};
use lore_engine::{CaptureRequest, Memory, RawText, capture};
use schemars::JsonSchema;
use serde::Deserialize;

use super::Operation;
use super::context::directories;
use crate::failure::{Failure, Result};
use crate::session::Session;
use again::Again;
use kept::Kept;

/// Keep something worth keeping: pages that say much the same come first, then it is written
///
/// Pages are held against the text by their meaning, where a model reads it, and by the words they share. When some say
/// much the same nothing is written: add to one with --extend, put the text in the place of what one says with --update,
/// or write a new page with --keep. A new page gets tags that the vault knows and links to related pages, as far as the
/// policy lets it ([capture] in lore.toml).
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    group = ArgGroup::new("onto").args(["extend", "update"]),
    after_help = "Examples:\n  lore capture \"Client X rejected the sprint format: too disruptive\"\n  lore remember --file lesson.md --tag procedure\n  lore capture \"They now close at six\" --extend companies/shop\n  lore capture \"We sell by invitation only\" --update 3fa2b1c0 --expected-version 4\n  lore capture --file note.md --source https://example.org/a --raw article.txt"
)]
pub struct Capture {
    /// The text; standard input without it and without --file
    #[arg(allow_hyphen_values = true)]
    text: Option<String>,
    /// The file to take the text from
    #[arg(long, conflicts_with = "text")]
    #[serde(skip)]
    file: Option<PathBuf>,
    /// Its title [default: the first heading or sentence]
    #[arg(long)]
    #[serde(default)]
    title: Option<String>,
    /// A tag; may be given more than once
    #[arg(long = "tag", value_name = "TAG")]
    #[serde(default)]
    tags: Vec<String>,
    /// Where it was learnt: a meeting, a chat, an address
    #[arg(long)]
    #[serde(default)]
    source: Option<String>,
    /// Add it to this page
    #[arg(long, value_name = "REF", conflicts_with = "keep")]
    #[serde(default)]
    extend: Option<String>,
    /// Put it in the place of what this page says: its truth; frontmatter and timeline stay
    #[arg(long, value_name = "REF", conflicts_with = "keep")]
    #[serde(default)]
    update: Option<String>,
    /// Fail unless that page is at this version
    #[arg(long, value_name = "N", requires = "onto")]
    #[serde(default)]
    expected_version: Option<u64>,
    /// Write a new page whatever is there
    #[arg(long)]
    #[serde(default)]
    keep: bool,
    /// A gap that its page fills; may be given more than once
    #[arg(long, value_name = "GAP")]
    #[serde(default)]
    fills: Vec<u64>,
    /// A file with the outside text it rests on, kept as an excerpt beside the pages
    #[arg(long, value_name = "FILE")]
    #[serde(skip)]
    raw: Option<PathBuf>,
    /// The outside text it rests on, kept as an excerpt beside the pages
    #[arg(skip)]
    #[serde(default)]
    raw_text: Option<String>,
    /// Keep the whole of the outside text, not only an excerpt
    #[arg(long)]
    #[serde(default)]
    whole: bool,
}

impl Operation for Capture {
    const NAME: &'static str = "capture";
    const ALIASES: &'static [&'static str] = &["remember"];
    const WRITES: bool = true;
    type Output = Kept;

    fn run(self, session: &Session) -> Result<Kept> {
        let memory = session.fresh()?;
        let again = Again::of(&self, session);
        let request = self.request(session, memory)?;
        Kept::new(memory, capture(memory, &request)?, &again)
    }
}

impl Capture {
    fn request(self, session: &Session, memory: &Memory) -> Result<CaptureRequest> {
        let raw = self.raw(session)?;
        let text = match (self.text, &self.file) {
            (Some(text), _) => text,
            (None, Some(file)) => utf8(session.read_file(file)?)?,
            (None, None) => utf8(session.stdin()?)?,
        };
        let here = session.environment.here.as_deref();
        let outside = here.is_some_and(|here| !here.starts_with(memory.vault().root()));
        Ok(CaptureRequest {
            text,
            title: self.title,
            tags: self.tags,
            source: self.source,
            extend: self.extend,
            update: self.update,
            expected_version: self.expected_version,
            keep: self.keep,
            directories: if outside { directories(session, memory) } else { Vec::new() },
            session: session.environment.named_session.clone(),
            raw,
            fills: self.fills,
        })
    }

    /// The outside text.
    fn raw(&self, session: &Session) -> Result<Option<RawText>> {
        let whole = self.whole;
        Ok(match (&self.raw, &self.raw_text) {
            (Some(path), _) => {
                let extension = path.extension().map(|extension| extension.to_string_lossy().into_owned());
                Some(RawText { bytes: session.read_file(path)?, extension, whole })
            }
            (None, Some(text)) => Some(RawText { bytes: text.clone().into_bytes(), extension: None, whole }),
            (None, None) => None,
        })
    }
}

fn utf8(bytes: Vec<u8>) -> Result<String> {
    String::from_utf8(bytes).map_err(|_| Failure::usage("the text is not UTF-8", "convert it to UTF-8 first"))
}
