//! `capture`: saves a note.

mod output;
mod retry_command;

use std::path::PathBuf;

use clap::{ArgGroup, Args};
use lore_engine::VaultContext;
use lore_memory::{CaptureRequest, RawText, capture};
use lore_page::edit::Dropped;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::app::error::{AppError, Result};
use crate::app::session::Session;
use crate::ops::Operation;
use crate::ops::search::context::directories;

use output::CaptureOutput;
use retry_command::RetryCommand;

/// Save a note after checking for similar pages
///
/// Similar pages are found by embedding, if there is a model, and by shared words. If there are any, nothing is
/// written: add to one with --extend, replace the truth of one with --update, or write a new page with --keep. If the
/// text disagrees with a similar page (it negates it, or has another value), write a new page that --supersedes or
/// --contradicts it. An update keeps facts, relations and observations that the text does not mention, unless dropped. A new page gets known tags and links to related pages, as far as the policy allows ([capture] in lore.toml).
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    group = ArgGroup::new("onto").args(["extend", "update"]),
    after_help = "Examples:\n  lore capture \"Client X rejected the sprint format: too disruptive\"\n  lore remember --file lesson.md --tag procedure\n  lore capture \"They now close at six\" --extend companies/shop\n  lore capture \"We sell by invitation only\" --update 3fa2b1c0 --expected-version 4\n  lore capture --file note.md --source https://example.org/a --raw article.txt\n  lore capture \"Client X rejected the sprint format\" --namespace clients --supersedes a1b2c3d4"
)]
pub struct Capture {
    /// Text of the note [default: standard input, without --file]
    #[arg(allow_hyphen_values = true)]
    text: Option<String>,
    /// File to read the text from
    #[arg(long, conflicts_with = "text")]
    #[serde(skip)]
    file: Option<PathBuf>,
    /// Title [default: the first heading or sentence]
    #[arg(long)]
    #[serde(default)]
    title: Option<String>,
    /// Tag to add; repeatable
    #[arg(long = "tag", value_name = "TAG")]
    #[serde(default)]
    tags: Vec<String>,
    /// Source of the information: a meeting, a chat, a URL
    #[arg(long)]
    #[serde(default)]
    source: Option<String>,
    /// Append the text to this page
    #[arg(long, value_name = "REF", conflicts_with = "keep")]
    #[serde(default)]
    extend: Option<String>,
    /// Replace the truth of this page; frontmatter and timeline stay
    #[arg(long, value_name = "REF", conflicts_with = "keep")]
    #[serde(default)]
    update: Option<String>,
    /// Line that --update removes, or facts, relations, observations, all
    #[arg(long, value_name = "LINE", requires = "update", allow_hyphen_values = true)]
    #[serde(default)]
    drop: Vec<String>,
    /// Fail unless that page is at this version
    #[arg(long, value_name = "N", requires = "onto")]
    #[serde(default)]
    expected_version: Option<u64>,
    /// Write a new page even if there are similar ones
    #[arg(long)]
    #[serde(default)]
    keep: bool,
    /// Write a new page that replaces this one
    #[arg(long, value_name = "REF", conflicts_with = "onto")]
    #[serde(default)]
    supersedes: Option<String>,
    /// Write a new page that contradicts this one
    #[arg(long, value_name = "REF", conflicts_with = "onto")]
    #[serde(default)]
    contradicts: Option<String>,
    /// Namespace of the page [default: that of the working directory]
    #[arg(long, value_name = "NAME")]
    #[serde(default)]
    namespace: Option<String>,
    /// Gap that the note fills; repeatable
    #[arg(long, value_name = "GAP")]
    #[serde(default)]
    fills: Vec<u64>,
    /// File with the external text it is based on; an excerpt is stored
    #[arg(long, value_name = "FILE")]
    #[serde(skip)]
    raw: Option<PathBuf>,
    /// External text it is based on; an excerpt is stored
    #[arg(skip)]
    #[serde(default)]
    raw_text: Option<String>,
    /// Store all of the external text, not only an excerpt
    #[arg(long)]
    #[serde(default)]
    whole: bool,
}

impl Operation for Capture {
    const NAME: &'static str = "capture";
    const ALIASES: &'static [&'static str] = &["remember"];
    const WRITES: bool = true;
    type Output = CaptureOutput;

    fn run(self, session: &Session) -> Result<CaptureOutput> {
        let context = session.fresh()?;
        let retry = RetryCommand::of(&self, session);
        let request = self.request(session, context)?;
        CaptureOutput::new(session, capture(context, &request)?, &retry, request.namespace)
    }
}

impl Capture {
    fn request(self, session: &Session, context: &VaultContext) -> Result<CaptureRequest> {
        let raw = self.raw(session)?;
        let text = match (self.text, &self.file) {
            (Some(text), _) => text,
            (None, Some(file)) => utf8(session.read_file(file)?)?,
            (None, None) => utf8(session.stdin()?)?,
        };
        if text.trim().is_empty() {
            return Err(AppError::usage("the text is empty", "pass the text, or a file with --file"));
        }
        if (self.extend.is_some() || self.update.is_some())
            && (self.supersedes.is_some() || self.contradicts.is_some())
        {
            return Err(AppError::usage(
                "only a new page can supersede or contradict another",
                "omit --extend and --update, or link the pages with `lore link`",
            ));
        }
        let here = session.environment.here.as_deref();
        let outside = here.is_some_and(|here| !here.starts_with(context.vault().root()));
        Ok(CaptureRequest {
            text,
            title: self.title,
            tags: self.tags,
            source: self.source,
            extend: self.extend,
            update: self.update,
            expected_version: self.expected_version,
            keep: self.keep,
            supersedes: self.supersedes,
            contradicts: self.contradicts,
            namespace: session.namespace(context, self.namespace.as_deref())?,
            directories: if outside { directories(session, context) } else { Vec::new() },
            session: session.environment.named_session.clone(),
            raw,
            fills: self.fills,
            dropped: Dropped::parse(self.drop.iter().map(String::as_str)),
        })
    }

    /// Returns the external text.
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
    String::from_utf8(bytes)
        .map_err(|_| AppError::usage("the text is not UTF-8", "convert it to UTF-8 first"))
}
