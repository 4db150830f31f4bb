//! `capture`: keep something worth keeping.

use std::path::PathBuf;

use clap::Args;
use lore_engine::{CaptureRequest, Captured, RawText, capture};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::views::WriteResult;
use super::{Operation, Render};
use crate::failure::{Failure, Result};
use crate::session::Session;

/// Keep something worth keeping: pages that say much the same come first, then it is written
///
/// When such pages are found nothing is written: add to one with --extend, or write a new page with --keep.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  lore capture \"Client X rejected the sprint format: too disruptive\"\n  lore remember --file lesson.md --tag procedure\n  lore capture \"They now close at six\" --extend companies/shop\n  lore capture --file note.md --source https://example.org/a --raw article.txt"
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
    /// Fail unless the page to add to is at this version
    #[arg(long, value_name = "N", requires = "extend")]
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

/// What became of it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Kept {
    /// It is written.
    Written(WriteResult),
    /// Nothing is written yet.
    Similar(SimilarPages),
}

/// Pages that say much the same.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SimilarPages {
    /// Always `similar`.
    outcome: &'static str,
    /// The most alike first.
    similar: Vec<SimilarItem>,
    /// What to do.
    hint: &'static str,
}

/// A page that says much the same.
#[derive(Debug, Serialize, JsonSchema)]
struct SimilarItem {
    slug: String,
    title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<String>,
    version: u64,
    /// Between 0 and 1.
    likeness: f64,
}

const HINT: &str =
    "add to one with --extend REF, change one with `lore edit`, or write a new page with --keep";

impl Operation for Capture {
    const NAME: &'static str = "capture";
    const ALIASES: &'static [&'static str] = &["remember"];
    const WRITES: bool = true;
    type Output = Kept;

    fn run(self, session: &Session) -> Result<Kept> {
        let text = match (self.text, &self.file) {
            (Some(text), _) => text,
            (None, Some(file)) => utf8(session.read_file(file)?)?,
            (None, None) => utf8(session.stdin()?)?,
        };
        let raw = match (&self.raw, self.raw_text) {
            (Some(path), _) => Some(RawText {
                bytes: session.read_file(path)?,
                extension: path.extension().map(|extension| extension.to_string_lossy().into_owned()),
                whole: self.whole,
            }),
            (None, Some(text)) => {
                Some(RawText { bytes: text.into_bytes(), extension: None, whole: self.whole })
            }
            (None, None) => None,
        };
        let memory = session.fresh()?;
        let here = session.environment.here.as_deref();
        let outside = here.filter(|here| !here.starts_with(memory.vault().root()));
        let directory =
            outside.and_then(|here| here.file_name()).map(|name| name.to_string_lossy().into_owned());
        let request = CaptureRequest {
            text,
            title: self.title,
            tags: self.tags,
            source: self.source,
            extend: self.extend,
            expected_version: self.expected_version,
            keep: self.keep,
            directory,
            raw,
            fills: self.fills,
        };
        Ok(match capture(memory, &request)? {
            Captured::Written(receipt) => Kept::Written(WriteResult::new(receipt)),
            Captured::Similar(pages) => {
                let item = |one: lore_engine::Similar| SimilarItem {
                    slug: one.page.slug,
                    title: one.page.title,
                    summary: one.page.summary,
                    version: one.page.version,
                    likeness: (one.likeness * 100.0).round() / 100.0,
                };
                let similar = pages.into_iter().map(item).collect();
                Kept::Similar(SimilarPages { outcome: "similar", similar, hint: HINT })
            }
        })
    }
}

fn utf8(bytes: Vec<u8>) -> Result<String> {
    String::from_utf8(bytes).map_err(|_| Failure::usage("the text is not UTF-8", "convert it to UTF-8 first"))
}

impl Render for Kept {
    fn human(&self) -> String {
        match self {
            Kept::Written(written) => written.human(),
            Kept::Similar(found) => {
                let mut text = String::from("not written: these pages say much the same\n");
                for one in &found.similar {
                    text.push_str(&format!("  {:.2}  {}  {}\n", one.likeness, one.slug, one.title));
                }
                text + found.hint + "\n"
            }
        }
    }

    fn exit(&self) -> u8 {
        u8::from(matches!(self, Kept::Similar(_)))
    }
}
