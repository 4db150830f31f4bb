//! `search`: full-text search.

use clap::{Args, ValueEnum};
use lore_engine::{HitKind, MAX_HITS, SearchRequest, SearchResult, State, VaultContext, search, states};
use lore_page::Properties;
use lore_ports::{Filter, Order, PageRow, Window};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::error::{AppError, Result};
use crate::app::session::Session;
use crate::ops::external_text::PageText;
use crate::ops::filters::{Filters, nothing_left};
use crate::ops::line::Line;
use crate::ops::search::request::Mode;
use crate::ops::search::verdict::{Judgement, Verdict};
use crate::ops::views::{check_not_zero, lines, short};
use crate::ops::{Operation, Render};

/// Search full text: exact names first, then all words, then some
///
/// Without a query, the pages that match the filters are listed, last changed first. A query may contain "phrases" and the operators AND, OR and NOT in capitals; the last word matches as a prefix.
/// Every hit has the reason it matched, its path and lines, and the hash of the file they were read from.
///
/// `verdict` is `answered`, `unsure` (check the hits before relying on them) or `nothing`: hits that contain hardly any
/// of the words are left out, and the nearest titles are listed instead; --all returns them.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  lore search \"river ai\"\n  lore search pricing --type decision --since 90d\n  lore search ceo --kind fact --json\n  lore search --namespace clients"
)]
pub struct Search {
    /// Words to search for; optional with a filter
    #[serde(default)]
    pub query: Option<String>,
    #[command(flatten)]
    #[serde(flatten)]
    #[schemars(flatten)]
    filters: Filters,
    /// Search structured lines of this kind instead of pages
    #[arg(long, value_enum)]
    #[serde(default)]
    kind: Option<KindFilter>,
    /// Also return hits that match only weakly
    #[arg(long)]
    #[serde(default)]
    all: bool,
    /// Maximum number of results [default: 50]
    #[arg(long)]
    #[serde(default)]
    limit: Option<usize>,
    /// Page of results, starting at 1
    #[arg(long)]
    #[serde(default)]
    page: Option<usize>,
}

/// What a hit is.
#[derive(Debug, Clone, Copy, ValueEnum, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum KindFilter {
    Page,
    Observation,
    Relation,
    Fact,
    Entry,
}

/// Output of `search`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SearchOutput {
    #[serde(flatten)]
    judgement: Judgement,
    /// Best first.
    hits: Vec<HitItem>,
    /// Search mode: `lexical`, `semantic` or `hybrid`.
    mode: &'static str,
    /// Whether no page had all the words, so that any of them matched.
    relaxed: bool,
    /// Page of results.
    page: usize,
    /// Whether there are more hits.
    more: bool,
    /// Notes about the result.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
    /// How to get more hits.
    #[serde(skip)]
    hint: String,
}

/// A page that matched.
#[derive(Debug, Serialize, JsonSchema)]
struct HitItem {
    slug: String,
    title: String,
    #[serde(rename = "type")]
    kind: String,
    summary: Option<String>,
    /// Why it matched.
    why: Vec<String>,
    /// Score, comparable within this result only.
    score: f64,
    /// Confidence that this page is what was searched for, from 0 to 1.
    confidence: f64,
    verdict: Verdict,
    /// The passage that matched.
    excerpt: Option<ExcerptItem>,
    /// `active`, `stale`, `contested`, `superseded`, `compacted`, or the status declared in the file.
    status: String,
    /// Warnings about the page.
    warnings: Vec<String>,
    /// The entity it belongs to.
    wing: String,
    /// The topic within the wing, if the page declares one.
    #[serde(skip_serializing_if = "Option::is_none")]
    room: Option<String>,
}

/// A passage with enough data to verify it later.
#[derive(Debug, Serialize, JsonSchema)]
struct ExcerptItem {
    text: PageText,
    path: Line,
    /// First and last line.
    lines: [u32; 2],
    /// SHA-256 of the file it was read from.
    hash: String,
}

impl Operation for Search {
    const NAME: &'static str = "search";
    type Output = SearchOutput;

    fn run(self, session: &Session) -> Result<SearchOutput> {
        let context = session.fresh()?;
        let page = self.page.unwrap_or(1);
        let limit = match self.limit {
            Some(limit) => limit,
            None => session.config.get("search.limit")?.parse().unwrap_or(50),
        };
        check_not_zero(&[("page", self.page), ("limit", Some(limit))])?;
        if limit > MAX_HITS {
            return Err(AppError::usage(
                format!("--limit is {limit}"),
                format!("use a limit of at most {MAX_HITS}"),
            ));
        }
        let is_filtered = self.filters.is_given();
        let filter = self.filters.build(session, context)?;
        let offset = (page - 1).saturating_mul(limit).min(u32::MAX as usize);
        let Some(query) = self.query else {
            if !is_filtered || self.kind.is_some() {
                return Err(AppError::usage(
                    "no words to search for",
                    "pass words, or a filter such as --namespace",
                ));
            }
            let left = nothing_left(context, &filter)?;
            let pages = listed(context, &filter, limit, offset)?;
            return Ok(SearchOutput::listed(session, pages, page, limit).with_note(left));
        };
        let request = SearchRequest {
            text: query,
            filter: filter.clone(),
            kind: self.kind.map(hit_kind),
            judge: true,
            all: self.all,
            limit,
            // No vault has this many hits; the cap keeps later additions from overflowing.
            offset,
            ..SearchRequest::default()
        };
        let found = search(context, &request)?;
        let left = if found.hits.is_empty() { nothing_left(context, &filter)? } else { None };
        Ok(SearchOutput::new(session, context, found, page).with_note(left))
    }
}

/// Returns the pages of a filter with their states, last touched first, and one more than wanted if there are more.
fn listed(
    context: &VaultContext,
    filter: &Filter,
    limit: usize,
    offset: usize,
) -> Result<Vec<(PageRow, State)>> {
    let window = Window { limit: limit.saturating_add(1), offset };
    let rows = context.store().list(context.project(), filter, Order::Touched, window)?;
    let states = states(context, &rows)?;
    Ok(rows.into_iter().zip(states).collect())
}

impl SearchOutput {
    /// Lists pages without a query.
    fn listed(
        session: &Session,
        mut pages: Vec<(PageRow, State)>,
        page: usize,
        limit: usize,
    ) -> SearchOutput {
        let more = pages.len() > limit;
        pages.truncate(limit);
        let hits = pages.into_iter().map(|(row, state)| HitItem {
            room: room(&row.properties),
            slug: row.slug,
            title: row.title,
            kind: row.kind,
            summary: row.summary,
            why: vec!["filter".into()],
            score: 0.0,
            confidence: 1.0,
            verdict: Verdict::Answered,
            excerpt: None,
            warnings: state.warnings(),
            status: state.status,
            wing: row.wing,
        });
        let next = || session.hint(&format!("pass --page {}, or raise --limit", page.saturating_add(1)));
        let (hits, hint): (Vec<HitItem>, String) = (hits.collect(), more.then(next).unwrap_or_default());
        let judgement = Judgement::listed(hits.is_empty());
        SearchOutput {
            judgement,
            hits,
            mode: Mode::Lexical.name(),
            relaxed: false,
            page,
            more,
            notes: Vec::new(),
            hint,
        }
    }

    fn with_note(mut self, note: Option<String>) -> SearchOutput {
        self.notes.extend(note);
        self
    }

    /// Converts the result of the engine.
    pub fn new(session: &Session, context: &VaultContext, found: SearchResult, page: usize) -> SearchOutput {
        let judgement = Judgement::new(session, &found);
        let notes = found.notes.iter().map(|note| session.note(note)).collect();
        let hits = found.hits.into_iter().map(|hit| HitItem {
            confidence: Verdict::of_hit(hit.confidence).0,
            verdict: Verdict::of_hit(hit.confidence).1,
            excerpt: hit.excerpt.map(|excerpt| ExcerptItem {
                text: PageText::new(context, &hit.page, excerpt.text),
                path: hit.page.path.clone().into(),
                lines: [excerpt.lines.first, excerpt.lines.last],
                hash: excerpt.hash.to_string(),
            }),
            room: room(&hit.page.properties),
            slug: hit.page.slug,
            title: hit.page.title,
            kind: hit.page.kind,
            summary: hit.page.summary,
            why: hit.why,
            score: short(hit.score),
            warnings: hit.warnings,
            status: hit.state.status,
            wing: hit.page.wing,
        });
        let (hits, mode) = (hits.collect(), Mode::from(found.mode).name());
        let next = || session.hint(&format!("pass --page {}, or raise --limit", page.saturating_add(1)));
        let hint = found.more.then(next).unwrap_or_default();
        SearchOutput { judgement, hits, mode, relaxed: found.relaxed, page, more: found.more, notes, hint }
    }
}

/// Returns the topic that a page declares.
pub fn room(properties: &Properties) -> Option<String> {
    properties.text("room").map(str::to_owned)
}

fn hit_kind(kind: KindFilter) -> HitKind {
    match kind {
        KindFilter::Page => HitKind::Page,
        KindFilter::Observation => HitKind::Observation,
        KindFilter::Relation => HitKind::Relation,
        KindFilter::Fact => HitKind::Fact,
        KindFilter::Entry => HitKind::Entry,
    }
}

impl Render for SearchOutput {
    fn human(&self) -> String {
        let notes: String = self.notes.iter().map(|note| format!("note: {note}\n")).collect();
        if self.hits.is_empty() {
            return self.judgement.nothing("nothing found; try fewer or different words") + &notes;
        }
        let mut text = self.judgement.head();
        for hit in &self.hits {
            // In a vault of a few pages no word is rare, so scores carry no information.
            let score = if hit.score >= 0.005 { format!("  {:.2}", hit.score) } else { String::new() };
            text.push_str(&format!("{}  {} ({}){score}\n", hit.slug, hit.title, hit.kind));
            text.push_str(&format!("  why: {}\n", hit.why.join(", ")));
            text.extend(hit.warnings.iter().map(|warning| format!("  warning: {warning}\n")));
            if let Some(excerpt) = &hit.excerpt {
                let [first, last] = excerpt.lines;
                let lines = if first == last { first.to_string() } else { format!("{first}-{last}") };
                text.push_str(&format!("  {}:{lines}\n", excerpt.path));
                text.extend(excerpt.text.fenced().lines().map(|line| format!("    {}\n", line.trim_end())));
            }
        }
        if self.relaxed {
            text.push_str("no page has all the words; these have some of them\n");
        }
        if self.more {
            text.push_str(&format!("more results: {}\n", self.hint));
        }
        text + &notes
    }

    fn brief(&self) -> String {
        lines(self.hits.iter().map(|hit| {
            let place = hit.excerpt.as_ref().map(|excerpt| format!("{}:{}", excerpt.path, excerpt.lines[0]));
            format!("{}  {}", place.unwrap_or_else(|| hit.slug.clone()), hit.title)
        }))
    }

    fn exit(&self) -> u8 {
        u8::from(self.hits.is_empty() || self.judgement.verdict == Verdict::Nothing)
    }
}
