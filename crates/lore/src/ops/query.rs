//! `query`: the pages that answer a question.

use clap::{Args, ValueEnum};
use lore_engine::{SearchRequest, search_fields, updated};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::filters::Filters;
use super::views::lines;
use super::{Operation, Render};
use crate::failure::Result;
use crate::session::Session;

/// Find the pages that answer a question, with what each is about and why it was found
///
/// By fields, each field that has a word of the question counts once: title 100, tag, project and status 50 each,
/// summary 20, body 5; of equals the page updated last comes first.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  lore query \"how do we release\"\n  lore query \"commit style\" --mode fields --json"
)]
pub struct Query {
    /// The question
    question: String,
    /// How to find [default: lexical]
    #[arg(long, value_enum)]
    #[serde(default)]
    mode: Option<Mode>,
    /// How many pages
    #[arg(long, default_value_t = 10)]
    #[serde(default = "ten")]
    limit: usize,
    #[command(flatten)]
    #[serde(flatten)]
    filters: Filters,
}

fn ten() -> usize {
    10
}

/// How to find.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Mode {
    /// By words, weighed by how much they say
    #[default]
    Lexical,
    /// By fields with fixed weights
    Fields,
}

/// What was found.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answers {
    mode: Mode,
    /// Best first.
    hits: Vec<AnswerItem>,
}

/// A page that answers.
#[derive(Debug, Serialize, JsonSchema)]
struct AnswerItem {
    title: String,
    id: String,
    slug: String,
    path: String,
    summary: Option<String>,
    projects: Vec<String>,
    status: Option<String>,
    /// The day it was updated.
    updated: String,
    score: f64,
    /// Why it was found.
    why: Vec<String>,
}

impl Operation for Query {
    const NAME: &'static str = "query";
    type Output = Answers;

    fn run(self, session: &Session) -> Result<Answers> {
        let memory = session.fresh()?;
        let (mode, filter) = (self.mode.unwrap_or_default(), self.filters.build(memory)?);
        let item = |page: lore_engine::PageRow, score: f64, why: Vec<String>| AnswerItem {
            updated: updated(&page),
            projects: page.properties.list("projects"),
            title: page.title,
            id: page.id,
            slug: page.slug,
            path: page.path,
            summary: page.summary,
            status: page.status,
            score,
            why,
        };
        let hits = match mode {
            Mode::Lexical => {
                let request =
                    SearchRequest { text: self.question, filter, limit: self.limit, ..Default::default() };
                let found = memory.search(&request)?.hits;
                found.into_iter().map(|hit| item(hit.page, hit.score, hit.why)).collect()
            }
            Mode::Fields => search_fields(memory, &self.question, &filter, self.limit)?
                .into_iter()
                .map(|hit| {
                    let why = hit.reasons.iter().map(|field| format!("matched {field}")).collect();
                    item(hit.page, f64::from(hit.score), why)
                })
                .collect(),
        };
        Ok(Answers { mode, hits })
    }
}

impl Render for Answers {
    fn human(&self) -> String {
        if self.hits.is_empty() {
            return "nothing found\n".into();
        }
        lines(self.hits.iter().map(|hit| {
            let summary = hit.summary.as_deref().map(|summary| format!(": {summary}")).unwrap_or_default();
            format!("{} ({}){summary}  [{}; {}]", hit.title, hit.id, hit.path, hit.why.join(", "))
        }))
    }

    fn brief(&self) -> String {
        lines(self.hits.iter().map(|hit| hit.slug.clone()))
    }

    fn exit(&self) -> u8 {
        u8::from(self.hits.is_empty())
    }
}
