//! `query`: pages that answer a question, within a token budget.

use clap::{Args, ValueEnum};
use lore_engine::{
    Budget, Budgeted, Depth as EngineDepth, ExpandedHit, Fusion, Mode as EngineMode, Note, SearchRequest,
    Signals, State, VaultContext, expand, search_fields, updated,
};
use lore_memory::weigh;
use lore_ports::{Filter, PageRow};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::config::signals;
use crate::app::error::{AppError, Result};
use crate::app::session::Session;
use crate::ops::as_of::{Moment, View};
use crate::ops::external_text::{fence_tokens, fenced};
use crate::ops::filters::Filters;
use crate::ops::lifecycle_view::standings;
use crate::ops::views::{lines, short};
use crate::ops::{Operation, Render};

/// Find pages that answer a question, within a token budget
///
/// An exact match of title, slug or alias always comes first. Every hit has the reason it was found, the passage that
/// matched with its lines, and the hash of the file. Depth `auto` starts with summaries and expands the best hits while
/// the budget lasts. Without an embedding model the search is lexical, and a note reports it. In mode `fields`, each
/// field that contains a word of the question scores once: title 100, tag, project and status 50 each, summary 20,
/// body 5; ties are broken by the latest update. With --as-of, relations are evaluated on that day, timeline entries,
/// facts and relations dated later are not returned as passages, and pages that match only there are omitted.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  lore query \"who knows Jensen Huang?\"\n  lore query \"how do we release\" --depth section --token-budget 1000\n  lore query \"dog training\" --mode semantic --json\n  lore query \"commit style\" --mode fields\n  lore query \"who was the CEO of Acme?\" --as-of 2024-06-01"
)]
pub struct Query {
    /// Question to answer
    question: String,
    /// Search mode [default: hybrid]
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
    /// Maximum number of results
    #[arg(long, default_value_t = 10)]
    #[serde(default = "ten")]
    limit: usize,
    #[command(flatten)]
    #[serde(flatten)]
    moment: Moment,
    #[command(flatten)]
    #[serde(flatten)]
    filters: Filters,
}

fn ten() -> usize {
    10
}

/// Search mode.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Lexical and semantic
    #[default]
    Hybrid,
    /// Full-text, weighted by term rarity
    Lexical,
    /// By embedding
    Semantic,
    /// By field, with fixed weights
    Fields,
}

impl Mode {
    /// Returns the name of the mode.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Hybrid => "hybrid",
            Mode::Lexical => "lexical",
            Mode::Semantic => "semantic",
            Mode::Fields => "fields",
        }
    }
}

/// How much of a hit to return.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Depth {
    /// Title and summary
    Summary,
    /// The section that matched
    Section,
    /// Everything above the first `---`
    Full,
    /// As much as the budget allows, best hits first
    #[default]
    Auto,
}

/// Output of `query`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answers {
    /// Search mode that was used.
    mode: Mode,
    /// Best first.
    hits: Vec<AnswerItem>,
    /// Tokens used by the hits.
    total_tokens: usize,
    /// Tokens left in the budget.
    budget_remaining: usize,
    /// Number of hits that did not fit the budget.
    left_out: usize,
    /// Notes about the answer.
    notes: Vec<String>,
}

/// A page that answers the question.
#[derive(Debug, Serialize, JsonSchema)]
struct AnswerItem {
    title: String,
    id: String,
    slug: String,
    path: String,
    #[serde(rename = "type")]
    kind: String,
    summary: Option<String>,
    projects: Vec<String>,
    /// `active`, `stale`, `contested`, `superseded`, `compacted`, or the status declared in the file.
    status: String,
    /// Date of the last update.
    updated: String,
    score: f64,
    /// Why it was found.
    why: Vec<String>,
    /// How much of the page is included: `summary`, `section` or `full`.
    depth: Depth,
    /// Text of the section or the truth.
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<String>,
    /// Headings above the section.
    #[serde(skip_serializing_if = "Option::is_none")]
    heading: Option<String>,
    /// First and last line of the content, or of the passage that matched.
    #[serde(skip_serializing_if = "Option::is_none")]
    lines: Option<[u32; 2]>,
    /// SHA-256 of the file that the lines were read from.
    #[serde(skip_serializing_if = "Option::is_none")]
    hash: Option<String>,
    /// Tokens used by this hit.
    tokens_used: usize,
    /// Warnings about the page.
    warnings: Vec<String>,
}

impl Operation for Query {
    const NAME: &'static str = "query";
    type Output = Answers;

    fn run(self, session: &Session) -> Result<Answers> {
        let view = self.moment.view(session)?;
        if let View::Then(past) = &view {
            past.embed()?;
        }
        let context = &*view;
        let budget = match self.token_budget {
            Some(budget) => budget,
            None => session.config.get("search.budget")?.parse().unwrap_or(4000),
        };
        if self.question.trim().is_empty() {
            return Err(AppError::usage(
                "the question is empty",
                "pass a question, as in `lore query \"who knows Ada?\"`",
            ));
        }
        if self.limit == 0 || self.limit > 10_000 || budget == 0 {
            return Err(AppError::usage(
                "--limit or --token-budget is out of range",
                "use 1 or more, and a limit of at most 10000",
            ));
        }
        let filter = self.filters.build(context)?;
        let mode = self.mode.unwrap_or_default();
        let Some(request) = request(session, &self.question, mode, &filter, self.limit)? else {
            return by_fields(context, &self.question, &filter, self.limit, budget);
        };
        let as_of = self.moment.day()?;
        let present = as_of.is_none() && matches!(view, View::Now(_));
        let mut found = context.search(&SearchRequest { as_of, ..request })?;
        // Only a plain question can reveal a gap; one with a mode or a filter targets something specific.
        if present && self.mode.is_none() && filter == Filter::default() {
            found.notes.extend(weigh(context, &self.question, &found.hits).map(Note::Remark));
        }
        let depth = engine_depth(self.depth.unwrap_or_default());
        let (mode, notes) = (named(found.mode), found.notes.iter().map(|note| session.note(note)).collect());
        let budget = Budget { tokens: budget, around: &|page| fence_tokens(context, page) };
        Answers::new(context, mode, notes, expand(context, found.hits, depth, budget)?)
    }
}

/// Returns the slugs of the pages that answer a question, best first.
pub fn find(
    session: &Session,
    context: &VaultContext,
    question: &str,
    mode: Mode,
    filter: &Filter,
    limit: usize,
) -> Result<Vec<String>> {
    Ok(match request(session, question, mode, filter, limit)? {
        Some(request) => context.search(&request)?.hits.into_iter().map(|hit| hit.page.slug).collect(),
        None => {
            let found = search_fields(context, question, filter, limit)?;
            found.into_iter().map(|hit| hit.page.slug).collect()
        }
    })
}

/// Builds the request from the configuration; `None` in mode `fields`.
pub fn request(
    session: &Session,
    question: &str,
    mode: Mode,
    filter: &Filter,
    limit: usize,
) -> Result<Option<SearchRequest>> {
    let mode = match mode {
        Mode::Hybrid => EngineMode::Hybrid,
        Mode::Lexical => EngineMode::Lexical,
        Mode::Semantic => EngineMode::Semantic,
        Mode::Fields => return Ok(None),
    };
    let config = &session.config;
    let weight = config.get("search.weight")?.parse().unwrap_or(0.5);
    let fusion = match config.get("search.fusion")?.as_str() {
        "union" => Fusion::Union,
        "rrf" => Fusion::Reciprocal(60.0),
        _ => Fusion::Weighted(weight),
    };
    let signals = signals(&config.get("search.signals")?).unwrap_or_else(|_| Signals::default());
    let (text, filter) = (question.to_owned(), filter.clone());
    Ok(Some(SearchRequest { text, mode, fusion, signals, filter, limit, ..SearchRequest::default() }))
}

fn engine_depth(depth: Depth) -> EngineDepth {
    match depth {
        Depth::Summary => EngineDepth::Summary,
        Depth::Section => EngineDepth::Section,
        Depth::Full => EngineDepth::Full,
        Depth::Auto => EngineDepth::Auto,
    }
}

/// Converts a mode of the engine.
pub fn named(mode: EngineMode) -> Mode {
    match mode {
        EngineMode::Hybrid => Mode::Hybrid,
        EngineMode::Lexical | EngineMode::Words => Mode::Lexical,
        EngineMode::Semantic => Mode::Semantic,
    }
}

fn by_fields(
    context: &VaultContext,
    question: &str,
    filter: &Filter,
    limit: usize,
    budget: usize,
) -> Result<Answers> {
    let found = search_fields(context, question, filter, limit)?;
    let states = standings(context, found.iter().map(|hit| &hit.page))?;
    let hits: Vec<AnswerItem> = found
        .into_iter()
        .zip(states)
        .map(|(hit, state)| {
            let why = hit.reasons.iter().map(|field| format!("matched {field}")).collect();
            let about = format!("{}\n{}", hit.page.title, hit.page.summary.as_deref().unwrap_or_default());
            let tokens = context.models().count_tokens(&about);
            AnswerItem { tokens_used: tokens, ..item(hit.page, state, f64::from(hit.score), why) }
        })
        .collect();
    let total_tokens = hits.iter().map(|hit| hit.tokens_used).sum();
    Ok(Answers {
        mode: Mode::Fields,
        hits,
        total_tokens,
        budget_remaining: budget.saturating_sub(total_tokens),
        left_out: 0,
        notes: Vec::new(),
    })
}

fn item(page: PageRow, state: State, score: f64, why: Vec<String>) -> AnswerItem {
    AnswerItem {
        updated: updated(&page),
        projects: page.properties.list("projects"),
        title: page.title,
        id: page.id,
        slug: page.slug,
        path: page.path,
        kind: page.kind,
        summary: page.summary,
        warnings: state.warnings(),
        status: state.status,
        score: short(score),
        why,
        depth: Depth::Summary,
        content: None,
        heading: None,
        lines: None,
        hash: None,
        tokens_used: 0,
    }
}

impl Answers {
    fn new(context: &VaultContext, mode: Mode, notes: Vec<String>, found: Budgeted) -> Result<Answers> {
        let states = standings(context, found.hits.iter().map(|opened| &opened.hit.page))?;
        Ok(Answers {
            mode,
            hits: found
                .hits
                .into_iter()
                .zip(states)
                .map(|(hit, state)| opened(context, hit, state))
                .collect(),
            total_tokens: found.total,
            budget_remaining: found.remaining,
            left_out: found.left_out,
            notes,
        })
    }
}

fn opened(context: &VaultContext, found: ExpandedHit, state: State) -> AnswerItem {
    let ExpandedHit { hit, depth, content, lines, tokens } = found;
    let depth = match depth {
        EngineDepth::Full => Depth::Full,
        EngineDepth::Section => Depth::Section,
        EngineDepth::Summary | EngineDepth::Auto => Depth::Summary,
    };
    let shown = lines.or(hit.excerpt.as_ref().map(|excerpt| excerpt.lines));
    let heading = hit.chunk.filter(|_| depth == Depth::Section).map(|chunk| chunk.heading);
    AnswerItem {
        depth,
        content: content.map(|text| fenced(context, &hit.page, text)),
        heading: heading.filter(|heading| !heading.is_empty()),
        lines: shown.map(|lines| [lines.first, lines.last]),
        hash: hit.excerpt.map(|excerpt| excerpt.hash.to_string()),
        tokens_used: tokens,
        ..item(hit.page, state, hit.score, hit.why)
    }
}

impl Render for Answers {
    fn human(&self) -> String {
        let notes: String = self.notes.iter().map(|note| format!("note: {note}\n")).collect();
        if self.hits.is_empty() {
            return format!("nothing found\n{notes}");
        }
        let mut text: String = self.hits.iter().map(AnswerItem::human).collect();
        let left_out = match self.left_out {
            0 => String::new(),
            more => format!("; {more} more did not fit the budget"),
        };
        if self.mode != Mode::Fields {
            text.push_str(&format!(
                "{} tokens, {} left{left_out}\n",
                self.total_tokens, self.budget_remaining
            ));
        }
        text + &notes
    }

    fn brief(&self) -> String {
        lines(self.hits.iter().map(|hit| hit.slug.clone()))
    }

    fn exit(&self) -> u8 {
        u8::from(self.hits.is_empty())
    }
}

impl AnswerItem {
    fn human(&self) -> String {
        let summary = self.summary.as_deref().map(|summary| format!(": {summary}")).unwrap_or_default();
        let mut text =
            format!("{} ({}){summary}  [{}; {}]\n", self.title, self.id, self.path, self.why.join(", "));
        text.extend(self.warnings.iter().map(|warning| format!("  warning: {warning}\n")));
        if let (Some(content), Some([first, last])) = (&self.content, self.lines) {
            let heading = self.heading.as_deref().map(|heading| format!("  {heading}")).unwrap_or_default();
            text.push_str(&format!("  {}:{first}-{last}{heading}\n", self.path));
            text.extend(content.lines().map(|line| format!("    {}\n", line.trim_end())));
        }
        text
    }
}
