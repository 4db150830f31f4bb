//! `search-notes`: lexical, semantic or hybrid search with paging.

use clap::{Args, ValueEnum};
use lore_engine::{SearchRequest, search};
use lore_ports::Filter;
use lore_text::since;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::error::{AppError, Result};
use crate::app::session::Session;
use crate::ops::search::full_text::SearchOutput;
use crate::ops::search::request::{Mode, min_similarity, request};
use crate::ops::{DynOutput as _, Operation, Render};

/// Number of hits per page.
const PAGE: usize = 10;

/// Search notes: full-text, semantic or both
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore search-notes \"tea\" --search-type fts --output-format json")]
pub struct SearchNotes {
    /// Text to search for
    query: String,
    /// Page of results, starting at 1
    #[arg(long, default_value_t = 1)]
    #[serde(default = "default_page")]
    page: usize,
    /// Kind of search
    #[arg(long, value_enum, default_value = "hybrid")]
    #[serde(default)]
    search_type: SearchType,
    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    #[serde(default)]
    output_format: OutputFormat,
    /// Only notes of these types
    #[arg(long, value_delimiter = ',')]
    #[serde(default)]
    note_types: Vec<String>,
    /// Only notes changed after this date
    #[arg(long)]
    #[serde(default)]
    after_date: Option<String>,
    /// Minimum similarity of notes found by embedding, from 0 to 1
    #[arg(long, value_name = "COSINE")]
    #[serde(default)]
    min_similarity: Option<f64>,
    /// Only notes with all of these tags
    #[arg(long, value_delimiter = ',')]
    #[serde(default)]
    tags: Vec<String>,
}

fn default_page() -> usize {
    1
}

/// Kind of search.
#[derive(Debug, Clone, Copy, Default, ValueEnum, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum SearchType {
    /// Full-text search
    Fts,
    /// Semantic search
    Vector,
    /// Both
    #[default]
    Hybrid,
}

/// Output format.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum OutputFormat {
    /// Text for people
    #[default]
    Text,
    /// JSON
    Json,
}

/// Output of `search-notes`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct NotesFound {
    #[serde(flatten)]
    found: SearchOutput,
    #[serde(skip)]
    format: OutputFormat,
}

impl Operation for SearchNotes {
    const NAME: &'static str = "search-notes";
    const HIDDEN: bool = true;
    type Output = NotesFound;

    fn run(self, session: &Session) -> Result<NotesFound> {
        let context = session.fresh()?;
        if self.page == 0 || self.query.trim().is_empty() {
            return Err(AppError::usage(
                "the query is empty or the page is 0",
                "pass words to search for and a page of 1 or more",
            ));
        }
        let after = self.after_date.as_deref().map(|date| since(date, &context.now())).transpose()?;
        let filter = Filter {
            kinds: self.note_types,
            tags: self.tags,
            since: after,
            namespace: session.namespace_filter(context, None)?,
            ..Filter::default()
        };
        let settings = match self.search_type {
            SearchType::Fts => SearchRequest::default(),
            SearchType::Vector => request(session, Mode::Semantic)?,
            SearchType::Hybrid => request(session, Mode::Hybrid)?,
        };
        let offset = (self.page - 1).saturating_mul(PAGE).min(u32::MAX as usize);
        let request = SearchRequest {
            text: self.query,
            filter,
            limit: PAGE,
            offset,
            judge: true,
            min_similarity: min_similarity(session, self.min_similarity)?,
            ..settings
        };
        let found = SearchOutput::new(session, context, search(context, &request)?, self.page);
        Ok(NotesFound { found, format: self.output_format })
    }
}

impl Render for NotesFound {
    fn human(&self) -> String {
        match self.format {
            OutputFormat::Json => format!("{}\n", self.json()),
            OutputFormat::Text => self.found.human(),
        }
    }

    fn exit(&self) -> u8 {
        self.found.exit()
    }
}
