//! `ingest`: imports a source.

mod output;
mod payload;

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use lore_memory::{IngestRequest, Ingested, SourceText, ingest};
use lore_vault::VaultPath;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::error::{AppError, Result};
use crate::app::session::Session;
use crate::ops::as_of::date;
use crate::ops::pages::put::target;
use crate::ops::{Operation, read_json};

use payload::PageInput;

use output::IngestOutput;
pub use payload::{AssertionInput, facts_of};

/// Import a source as evidence
///
/// The bytes are stored unchanged, the text becomes a page, and related pages can be changed in the same call.
/// Ingesting the same bytes again changes nothing. The date of the source is the given one, else that of its properties,
/// its file name, a header field (`Date:`) or its heading, else today; the output says which. The output lists the pages
/// that the source mentions, with their versions, for the next step: one call with `pages` changes all of them or none.
/// Each page needs the version that was read, 0 for a new one. A page is not rewritten with a text that duplicates it;
/// entries, links, facts and tags are always added, as `lore link` and `lore fact-add` do, and those that a new text does
/// not mention are kept unless named in `drop`. Omit `content` to change pages for a source that is already ingested.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  lore ingest notes/2026-03-01-acme.txt --type meeting --source-ref meeting/123\n  lore ingest call.txt --type conversation --date 2022-03 --slug conversations/2022-03-call\n  lore ingest article.md --type article --source-ref https://example.org/a --fills 1234\n  lore ingest --json-payload change.json\n  echo '{\"source_ref\": \"meeting/123\", \"pages\": [{\"slug\": \"people/ada\", \"expected_version\": 3,\n    \"timeline_entries\": [{\"date\": \"2026-03-01\", \"summary\": \"Agreed to the pivot\"}]}]}' | lore ingest --json-payload -"
)]
pub struct Ingest {
    /// File of the source; - is standard input
    #[serde(skip)]
    file: Option<PathBuf>,
    /// Text of the source, complete or as a summary; omit it to change pages only
    #[arg(skip)]
    #[serde(default)]
    content: Option<String>,
    /// Type of the source
    #[arg(long = "type", value_enum, value_name = "TYPE")]
    #[serde(default)]
    source_type: Option<SourceType>,
    /// Reference, any text: a URL, the number of a meeting [default: the file name]
    #[arg(long, value_name = "TEXT")]
    #[serde(default)]
    source_ref: Option<String>,
    /// Date of the source: YYYY-MM-DD, YYYY-MM or YYYY [default: from the source]
    #[arg(long, value_name = "DATE")]
    #[serde(default)]
    date: Option<String>,
    /// The same as date
    #[arg(skip)]
    #[serde(default)]
    source_date: Option<String>,
    /// Slug of the page of the source [default: from its date and title]
    #[arg(long = "slug", value_name = "SLUG")]
    #[serde(default)]
    source_slug: Option<String>,
    /// Ingest it again, and rewrite pages that it duplicates
    #[arg(long)]
    #[serde(default)]
    force: bool,
    /// Gap that it fills; repeatable
    #[arg(long, value_name = "GAP")]
    #[serde(default)]
    fills: Vec<u64>,
    /// Changes to pages, all or nothing
    #[arg(skip)]
    #[serde(default)]
    pages: Vec<PageInput>,
    /// JSON file with all parameters, including pages; - is standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["file", "source_type", "source_ref", "date", "source_slug", "force", "fills"])]
    #[serde(skip)]
    json_payload: Option<PathBuf>,
}

/// Type of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum SourceType {
    /// Notes or a transcript of a meeting
    Meeting,
    /// A published text
    Article,
    /// Any other document
    Doc,
    /// A chat or other exchange of messages
    Conversation,
}

impl SourceType {
    fn name(self) -> &'static str {
        match self {
            SourceType::Meeting => "meeting",
            SourceType::Article => "article",
            SourceType::Doc => "doc",
            SourceType::Conversation => "conversation",
        }
    }
}

impl Operation for Ingest {
    const NAME: &'static str = "ingest";
    const WRITES: bool = true;
    type Output = IngestOutput;

    fn run(self, session: &Session) -> Result<IngestOutput> {
        if let Some(file) = &self.json_payload {
            let bytes = match file.as_os_str() == "-" {
                true => session.stdin()?,
                false => session.read_file(file)?,
            };
            let value = serde_json::from_slice(&bytes).map_err(|error| {
                AppError::usage(
                    format!("the payload is not JSON: {error}"),
                    "run `lore ingest --help` for an example",
                )
            })?;
            return read_json::<Ingest>(value)?.run(session);
        }
        let source = self.source(session)?;
        let context = session.fresh()?;
        let day = self.date.as_deref().or(self.source_date.as_deref());
        let date = day.map(|day| date("--date", day, context)).transpose()?;
        let source_path =
            self.source_slug.as_deref().map(|slug| target(session, context, slug)).transpose()?;
        let from = self.source_ref.as_deref();
        let pages =
            self.pages.into_iter().map(|page| page.plan(session, context, from)).collect::<Result<_>>()?;
        let request = IngestRequest {
            source,
            source_type: self.source_type.map(SourceType::name).unwrap_or_default().to_owned(),
            source_ref: self.source_ref,
            date,
            source_path: source_path.map(VaultPath::into_string),
            force: self.force,
            fills: self.fills,
            pages,
        };
        match ingest(context, &request)? {
            Ingested::Already(known) => IngestOutput::already(session, known),
            Ingested::Done(report) => Ok(IngestOutput::done(session, *report)),
        }
    }
}

impl Ingest {
    fn source(&self, session: &Session) -> Result<Option<SourceText>> {
        Ok(match (&self.file, &self.content) {
            (Some(file), _) if file.as_os_str() == "-" => {
                Some(SourceText { bytes: session.stdin()?, path: None })
            }
            (Some(file), _) => {
                let path = Some(file.to_string_lossy().into_owned());
                Some(SourceText { bytes: session.read_file(file)?, path })
            }
            (None, Some(content)) => Some(SourceText { bytes: content.clone().into_bytes(), path: None }),
            (None, None) => None,
        })
    }
}
