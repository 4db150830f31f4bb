//! The output of `query`.

use lore_engine::{Depth as EngineDepth, Hit, SearchResult, VaultContext, updated};
use schemars::JsonSchema;
use serde::Serialize;

use super::Depth;
use crate::app::session::Session;
use crate::ops::Render;
use crate::ops::external_text::PageText;
use crate::ops::line::Line;
use crate::ops::search::request::Mode;
use crate::ops::views::{lines, short};

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
    /// Whether lint errors or files that could not be indexed make it unreliable.
    #[serde(skip)]
    broken: bool,
}

/// A page that answers the question.
#[derive(Debug, Serialize, JsonSchema)]
struct AnswerItem {
    title: String,
    id: String,
    slug: String,
    path: Line,
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
    content: Option<PageText>,
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

impl Answers {
    /// Converts the result of the engine.
    pub(super) fn new(session: &Session, context: &VaultContext, found: SearchResult) -> Answers {
        let spent = found.spent;
        Answers {
            mode: found.mode.into(),
            hits: found.hits.into_iter().map(|hit| AnswerItem::new(context, hit)).collect(),
            total_tokens: spent.map_or(0, |spent| spent.total),
            budget_remaining: spent.map_or(0, |spent| spent.remaining),
            left_out: spent.map_or(0, |spent| spent.left_out),
            notes: found.notes.iter().map(|note| session.note(note)).collect(),
            broken: false,
        }
    }
}

impl AnswerItem {
    fn new(context: &VaultContext, hit: Hit) -> AnswerItem {
        let Hit { page, state, warnings, why, score, excerpt, chunk, content, .. } = hit;
        let depth = match content.as_ref().map(|content| content.depth) {
            Some(EngineDepth::Full) => Depth::Full,
            Some(EngineDepth::Section) => Depth::Section,
            Some(EngineDepth::Summary | EngineDepth::Auto) | None => Depth::Summary,
        };
        let (text, shown, tokens_used) =
            content.map_or((None, None, 0), |content| (content.text, content.lines, content.tokens));
        let shown = shown.or(excerpt.as_ref().map(|excerpt| excerpt.lines));
        let heading = chunk.filter(|_| depth == Depth::Section).map(|chunk| chunk.heading);
        AnswerItem {
            depth,
            content: text.map(|text| PageText::new(context, &page, text)),
            heading: heading.filter(|heading| !heading.is_empty()),
            lines: shown.map(|lines| [lines.first, lines.last]),
            hash: excerpt.map(|excerpt| excerpt.hash.to_string()),
            tokens_used,
            updated: updated(&page),
            projects: page.properties.list("projects"),
            title: page.title,
            id: page.id,
            slug: page.slug,
            path: page.path.into(),
            kind: page.kind,
            summary: page.summary,
            warnings,
            status: state.status,
            score: short(score),
            why,
        }
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
        if self.broken { 4 } else { u8::from(self.hits.is_empty()) }
    }
}

impl Answers {
    /// Returns the answers, marked as unreliable or not.
    pub(super) fn broken(self, broken: bool) -> Answers {
        Answers { broken, ..self }
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
            text.extend(content.fenced().lines().map(|line| format!("    {}\n", line.trim_end())));
        }
        text
    }
}
