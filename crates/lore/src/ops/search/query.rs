//! `query`: pages that answer a question, within a token budget.

mod answers;
mod format;

use clap::{Args, ValueEnum};
use lore_engine::{
    Depth as EngineDepth, MAX_HITS, Note, SearchRequest, VaultContext, Within, error_count, search,
};
use lore_memory::{is_watched, record_answer, unrecorded_answer};
use lore_ports::Filter;
use lore_text::PartialDate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::error::{AppError, Result};
use crate::app::session::Session;
use crate::ops::Operation;
use crate::ops::as_of::{Moment, View, date};
use crate::ops::filters::{Filters, nothing_left};
use crate::ops::search::request::{Mode, min_similarity, request};
use crate::ops::views::{check_not_zero, count};

use answers::Answers;

/// Find pages that answer a question, within a token budget
///
/// An exact match of title, slug or alias always comes first. Lines of all pages compete for a place in the answer, and
/// every hit has the passages that matched with their lines. Depth `auto` returns the best passages, and whole pages where
/// they are small or named by the question; it ends where more adds little, after about 1,000 tokens unless
/// --token-budget asks for more. Depth `list` returns one line of each page. The budget counts everything that is returned.
/// Without an embedding model the search is lexical, and a note reports it. In mode `fields`, each
/// field that contains a word of the question scores once: title 100, tag, project and status 50 each, summary 20,
/// body 5; ties are broken by the latest update. With --as-of, relations are evaluated on that day, timeline entries,
/// facts and relations dated later are not returned as passages, and pages that match only there are omitted.
///
/// `confidence` is the likelihood that the hits answer the question, and `verdict` says what to do with them.
/// `answered`: use them. `unsure`: read them and check that they answer it. `nothing`: no page answers it; say so, or
/// rephrase the question. Hits that do not answer are left out, and the nearest titles are listed instead; --all
/// returns them.
///
/// If the policy logs gaps, a question without mode, filter or date whose verdict is `nothing` is recorded as a gap, without
/// its text; a good answer closes its gap. A note reports it. A read-only token records nothing.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  lore query \"who knows Jensen Huang?\"\n  lore query \"how do we release\" --depth section --token-budget 1000\n  lore query \"dog training\" --mode semantic --json\n  lore query \"commit style\" --mode fields\n  lore query \"who was the CEO of Acme?\" --as-of 2024-06-01"
)]
pub struct Query {
    /// Question to answer
    question: String,
    /// Search mode [default: hybrid, or query.mode of the policy]
    #[arg(long, value_enum)]
    #[serde(default)]
    mode: Option<Mode>,
    /// How much of each hit to return [default: auto]
    #[arg(long, value_enum)]
    #[serde(default)]
    depth: Option<Depth>,
    /// Maximum tokens of the answer [default: 4000 or search.budget]
    #[arg(long, value_name = "TOKENS")]
    #[serde(default)]
    token_budget: Option<usize>,
    /// Maximum number of pages [default: 30 with depth auto, 50 with list, else 10]
    #[arg(long)]
    #[serde(default)]
    limit: Option<usize>,
    /// Include ids, hashes, projects and dates of change
    #[arg(long)]
    #[serde(default)]
    details: bool,
    /// Only content dated on or after this day, month or year
    #[arg(long, value_name = "DATE")]
    #[serde(default)]
    date_from: Option<String>,
    /// Only content dated on or before this day, month or year
    #[arg(long, value_name = "DATE")]
    #[serde(default)]
    date_to: Option<String>,
    /// Only pages in which this person speaks or takes part
    #[arg(long, value_name = "NAME")]
    #[serde(default)]
    participant: Option<String>,
    /// Minimum similarity of pages found by embedding, from 0 to 1
    #[arg(long, value_name = "COSINE")]
    #[serde(default)]
    min_similarity: Option<f64>,
    /// Also return hits that do not answer the question
    #[arg(long)]
    #[serde(default)]
    all: bool,
    /// Explain the score of each hit, stage by stage
    #[arg(long)]
    #[serde(default)]
    explain: bool,
    #[command(flatten)]
    #[serde(flatten)]
    moment: Moment,
    #[command(flatten)]
    #[serde(flatten)]
    filters: Filters,
}

/// Maximum tokens of an answer, unless set otherwise.
const TOKENS: usize = 4000;

/// Maximum number of pages, unless set otherwise.
const PAGES: usize = 10;

/// The same for passages, of which a page may have only one.
const PASSAGE_PAGES: usize = 30;

/// The same for a list.
const LISTED_PAGES: usize = 50;

/// How much of a hit to return.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Depth {
    /// Title and the line that matched
    List,
    /// Title, summary and the line that matched
    Summary,
    /// The section that matched
    Section,
    /// The whole page without its timeline
    Full,
    /// The best passages of all pages
    #[default]
    Auto,
}

impl From<Depth> for EngineDepth {
    fn from(depth: Depth) -> EngineDepth {
        match depth {
            Depth::List => EngineDepth::List,
            Depth::Summary => EngineDepth::Summary,
            Depth::Section => EngineDepth::Section,
            Depth::Full => EngineDepth::Full,
            Depth::Auto => EngineDepth::Auto,
        }
    }
}

impl Operation for Query {
    const NAME: &'static str = "query";
    const LOGS: bool = true;
    type Output = Answers;

    fn run(self, session: &Session) -> Result<Answers> {
        let view = self.moment.view(session)?;
        if let View::Then(past) = &view {
            past.embed()?;
        }
        let context = &*view;
        let mode = self.mode.unwrap_or_else(|| context.policy().query.mode.into());
        let (tokens, limit) = (self.tokens(session)?, self.limit(mode));
        let within = self.within(context)?;
        let filter = self.filters.build(session, context)?;
        let as_of = self.moment.day(context)?;
        // Only a plain question about the present can reveal a gap; a mode or a filter targets something specific.
        let plain = self.mode.is_none() && Filter { namespace: None, ..filter.clone() } == Filter::default();
        let plain = plain && within.is_everything() && as_of.is_none() && matches!(view, View::Now(_));
        let watched = if plain { is_watched(context, &self.question) } else { Ok(false) };
        let shape = format::Shape::new(tokens, self.details, mode);
        let depth = self.depth.unwrap_or_default().into();
        let budget = format::budget(context, depth, &shape, self.token_budget.is_some());
        let mut found = search(
            context,
            &SearchRequest {
                text: self.question.clone(),
                filter: filter.clone(),
                within,
                as_of,
                limit,
                explain: self.explain,
                judge: true,
                all: self.all,
                min_similarity: min_similarity(session, self.min_similarity)?,
                budget: Some(budget),
                ..request(session, mode)?
            },
        )?;
        if let Err(error) = &watched {
            let note = format!("cannot record how well this was answered: {error}");
            found.notes.push(Note::Remark(note));
        }
        if let (Ok(true), Some(quality)) = (&watched, &found.quality) {
            let namespace = filter.namespace.as_ref().map(|namespace| namespace.name.as_str());
            let note = match session.is_read_only() {
                true => unrecorded_answer(context, &self.question, quality),
                false => record_answer(context, &self.question, namespace, quality),
            };
            found.notes.extend(note.map(Note::Remark));
        }
        if found.hits.is_empty() {
            found.notes.extend(nothing_left(context, &filter)?.map(Note::Remark));
        }
        let broken = match matches!(view, View::Now(_)) && context.policy().query.checks {
            true => problems(context)?,
            false => None,
        };
        if let Some(problem) = &broken {
            found.notes.push(Note::Remark(problem.clone()));
        }
        Ok(Answers::new(session, context, found, &shape).broken(broken.is_some()))
    }
}

/// Returns what makes the answer unreliable: pages with lint errors, files that could not be indexed.
fn problems(context: &VaultContext) -> Result<Option<String>> {
    let errors = error_count(context)?;
    let failures = context.store().failures(context.project())?.len();
    let mut problems = Vec::new();
    if errors > 0 {
        problems.push(format!("{}: see `lore lint`", count(errors, "lint error")));
    }
    if failures > 0 {
        problems.push(format!("{} not indexed: see `lore doctor`", count(failures as u64, "file")));
    }
    Ok((!problems.is_empty()).then(|| problems.join("; ")))
}

impl Query {
    /// Returns the period and the participant to search.
    fn within(&self, context: &VaultContext) -> Result<Within> {
        let day = |name: &str, text: &Option<String>| -> Result<Option<PartialDate>> {
            let Some(text) = text.as_deref().map(str::trim).filter(|text| !text.is_empty()) else {
                return Ok(None);
            };
            date(&format!("--{name}"), text, context).map(Some)
        };
        let participant = self.participant.clone().filter(|name| !name.trim().is_empty());
        let (from, until) = (day("date-from", &self.date_from)?, day("date-to", &self.date_to)?);
        Ok(Within { from, until, participant })
    }

    fn limit(&self, mode: Mode) -> usize {
        let usual = match self.depth.unwrap_or_default() {
            _ if mode == Mode::Fields => PAGES,
            Depth::List => LISTED_PAGES,
            Depth::Auto => PASSAGE_PAGES,
            Depth::Summary | Depth::Section | Depth::Full => PAGES,
        };
        self.limit.unwrap_or(usual)
    }

    /// Returns the token budget, after checking the parameters.
    fn tokens(&self, session: &Session) -> Result<usize> {
        let tokens = match self.token_budget {
            Some(tokens) => tokens,
            None => session.config.get("search.budget")?.parse().unwrap_or(TOKENS),
        };
        if self.question.trim().is_empty() {
            return Err(AppError::usage(
                "the question is empty",
                "pass a question, as in `lore query \"who knows Ada?\"`",
            ));
        }
        check_not_zero(&[("limit", self.limit), ("token-budget", Some(tokens))])?;
        if let Some(limit) = self.limit.filter(|limit| *limit > MAX_HITS) {
            return Err(AppError::usage(
                format!("--limit is {limit}"),
                format!("use a limit of at most {MAX_HITS}"),
            ));
        }
        Ok(tokens)
    }
}
