//! The output of `query`.

use std::collections::BTreeMap;

use lore_engine::{
    Content, Depth as EngineDepth, Hit, Passage, SearchResult, VaultContext, node_place, page_date, updated,
};
use lore_page::{Format, LineRange, Page, parse};
use lore_ports::PageRow;
use lore_vault::decode;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::Depth;
use super::format::Shape;
use crate::app::session::Session;
use crate::ops::Render;
use crate::ops::external_text::{AGENTS, PageText};
use crate::ops::line::Line;
use crate::ops::search::full_text::room;
use crate::ops::search::request::Mode;
use crate::ops::search::verdict::{Judgement, Verdict};
use crate::ops::views::{lines, short, warning_lines};

/// Output of `query`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answers {
    #[serde(flatten)]
    judgement: Judgement,
    /// Search mode that was used.
    mode: Mode,
    /// Best first.
    hits: Vec<AnswerItem>,
    /// Tokens used by the answer.
    total_tokens: usize,
    /// Tokens left in the budget.
    budget_remaining: usize,
    /// Number of pages that matched less well or did not fit the budget.
    left_out: usize,
    /// Notes about the answer.
    notes: Vec<String>,
    /// Whether lint errors or files that could not be indexed make it unreliable.
    #[serde(skip)]
    broken: bool,
}

/// A page that answers the question.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct AnswerItem {
    title: String,
    slug: String,
    path: Line,
    #[serde(rename = "type")]
    kind: String,
    /// The day that the page is about, if its title does not name it.
    #[serde(skip_serializing_if = "Option::is_none")]
    date: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<String>,
    /// `active`, `stale`, `contested`, `superseded`, `compacted`, or the status declared in the file.
    status: String,
    score: f64,
    /// Confidence that this page answers the question, from 0 to 1.
    confidence: f64,
    verdict: Verdict,
    /// Why it was found.
    why: Vec<String>,
    /// How the stages of the search arrived at the score; with `explain` only.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    explain: Vec<String>,
    /// The entity it belongs to.
    wing: String,
    /// The topic within the wing, if the page declares one.
    #[serde(skip_serializing_if = "Option::is_none")]
    room: Option<String>,
    /// How much of the page is included: `list`, `summary`, `section` or `full`.
    depth: Depth,
    /// The passages that matched, or the whole page.
    passages: Vec<PassageItem>,
    /// The position of the passage that matched, which is dropped only with the whole hit.
    #[serde(skip)]
    matched: usize,
    /// Warnings about the page.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
    #[serde(flatten)]
    details: Option<Details>,
}

/// Consecutive lines of a page.
#[derive(Debug, Serialize, JsonSchema)]
struct PassageItem {
    /// First and last line.
    lines: [u32; 2],
    /// Headings above it.
    #[serde(skip_serializing_if = "Option::is_none")]
    heading: Option<String>,
    /// The node of an Org file that it is in, or the first ones that begin in it: `path.org::*Heading`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    nodes: Vec<Line>,
    text: PageText,
    /// Relative dates in the text, and the days they mean.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    dates: BTreeMap<String, String>,
}

/// What is included on request.
#[derive(Debug, Serialize, JsonSchema)]
struct Details {
    id: String,
    projects: Vec<String>,
    /// Date of the last update.
    updated: String,
    /// SHA-256 of the file that the passages were read from.
    #[serde(skip_serializing_if = "Option::is_none")]
    hash: Option<String>,
    /// Tokens used by this hit.
    tokens_used: usize,
}

impl Details {
    fn of(page: &PageRow, hash: Option<String>, tokens_used: usize) -> Details {
        let projects = page.properties.list("projects");
        Details { id: page.id.clone(), projects, updated: updated(page), hash, tokens_used }
    }
}

impl Answers {
    /// Converts the result of the engine. Costs were estimated before; where the exact ones exceed the budget, the last
    /// passages are dropped.
    pub(super) fn new(
        session: &Session,
        context: &VaultContext,
        found: SearchResult,
        shape: &Shape,
    ) -> Answers {
        let is_for_agents = context.author().face == AGENTS;
        let mut answers = Answers {
            judgement: Judgement::new(session, &found),
            mode: found.mode.into(),
            left_out: found.spent.map_or(0, |spent| spent.left_out),
            hits: found.hits.into_iter().map(|hit| AnswerItem::new(context, hit, shape)).collect(),
            total_tokens: shape.tokens,
            budget_remaining: 0,
            notes: found.notes.iter().map(|note| session.note(note)).collect(),
            broken: false,
        };
        let count = |text: &str| context.models().count_tokens(text);
        let mut total = answers.tokens(is_for_agents, &count);
        while total > shape.tokens && answers.drop_last() {
            total = answers.tokens(is_for_agents, &count);
        }
        // What nobody asked for goes before a passage exceeds the budget.
        if total > shape.tokens && !shape.has_hashes {
            answers.hits.iter_mut().for_each(|hit| hit.details = None);
            total = answers.tokens(is_for_agents, &count);
        }
        if total > shape.tokens && (!answers.hits.is_empty() || answers.left_out > 0) {
            let least = if answers.hits.is_empty() { "any passage" } else { "more than the best passage" };
            answers.notes.push(format!("the token budget is too small for {least}; raise it"));
            total = answers.tokens(is_for_agents, &count);
        }
        answers.total_tokens = total;
        answers.budget_remaining = shape.tokens.saturating_sub(total);
        answers
    }

    /// Returns the tokens of what is read: by agents the text, by others JSON.
    fn tokens(&self, is_for_agents: bool, count: &dyn Fn(&str) -> usize) -> usize {
        match is_for_agents {
            true => count(&crate::ops::data_block(&self.human())),
            false => count(&serde_json::to_string(self).unwrap_or_default()),
        }
    }

    /// Drops what adds least: the last hit, or a passage of the last one that has several, but never the passage that
    /// matched best.
    fn drop_last(&mut self) -> bool {
        let several = self.hits.len() > 1;
        let Some(last) = self.hits.last_mut() else { return false };
        if last.drop_passage() {
            return true;
        }
        if several {
            self.hits.pop();
            self.left_out += 1;
        }
        several
    }

    fn reference_list(&self) -> Value {
        let hits: Vec<Value> = self.hits.iter().map(AnswerItem::reference).collect();
        json!({
            "confidence": self.judgement.confidence,
            "verdict": self.judgement.verdict,
            "hits": hits,
            "total_tokens": self.total_tokens,
            "budget_remaining": self.budget_remaining,
            "notes": self.notes,
        })
    }
}

impl AnswerItem {
    /// Returns a hit without its passages.
    pub(super) fn bare(hit: &Hit, depth: EngineDepth) -> AnswerItem {
        let page = &hit.page;
        let (confidence, verdict) = Verdict::of_hit(hit.confidence);
        let depth = match depth {
            EngineDepth::Full => Depth::Full,
            EngineDepth::Section | EngineDepth::Auto => Depth::Section,
            EngineDepth::Summary => Depth::Summary,
            EngineDepth::List => Depth::List,
        };
        AnswerItem {
            title: page.title.clone(),
            slug: page.slug.clone(),
            path: page.path.clone().into(),
            kind: page.kind.clone(),
            date: page_date(page).filter(|date| !date.in_title).map(|date| date.day),
            summary: page.summary.clone().filter(|_| depth == Depth::Summary),
            status: hit.state.status.clone(),
            score: short(hit.score),
            confidence,
            verdict,
            why: hit.why.clone(),
            wing: page.wing.clone(),
            room: room(&page.properties),
            depth,
            passages: Vec::new(),
            matched: 0,
            warnings: hit.warnings.clone(),
            explain: hit.steps.clone(),
            details: None,
        }
    }

    /// Returns a hit without its passages, with its id and the like.
    pub(super) fn detailed(hit: &Hit, depth: EngineDepth) -> AnswerItem {
        let details = Some(Details::of(&hit.page, None, 0));
        AnswerItem { details, ..AnswerItem::bare(hit, depth) }
    }

    fn new(context: &VaultContext, hit: Hit, shape: &Shape) -> AnswerItem {
        let nothing = Content { depth: EngineDepth::Summary, passages: Vec::new(), matched: 0, tokens: 0 };
        let mut item = AnswerItem::bare(&hit, hit.content.as_ref().unwrap_or(&nothing).depth);
        let Hit { page, excerpt, content, .. } = hit;
        let content = content.unwrap_or(nothing);
        let nodes = parsed_org(context, &page);
        item.matched = content.matched;
        item.passages = content
            .passages
            .into_iter()
            .map(|Passage { lines, heading, text, dates }| PassageItem {
                lines: [lines.first, lines.last],
                heading,
                nodes: nodes.as_ref().map(|parsed| places(&page.path, parsed, lines)).unwrap_or_default(),
                dates: dates.into_iter().map(|date| (date.words, date.meaning)).collect(),
                text: PageText::new(context, &page, text),
            })
            .collect();
        let hash = excerpt.filter(|_| shape.has_hashes).map(|excerpt| excerpt.hash.to_string());
        item.details = shape.has_details.then(|| Details::of(&page, hash, content.tokens));
        item
    }

    /// Drops the last passage besides the one that matched.
    fn drop_passage(&mut self) -> bool {
        let Some(last) = (0..self.passages.len()).rfind(|at| *at != self.matched) else { return false };
        self.passages.remove(last);
        self.matched -= usize::from(last < self.matched);
        true
    }

    fn reference(&self) -> Value {
        json!({ "slug": self.slug, "lines": self.line_list(), "confidence": self.confidence })
    }

    /// Returns the lines of the passages: `12-14,20`.
    fn line_list(&self) -> String {
        let lines = self.passages.iter().map(|passage| passage.place());
        lines.collect::<Vec<_>>().join(",")
    }

    /// Returns the lines above the passages.
    pub(super) fn head(&self) -> String {
        let date = self.date.as_deref().map(|date| format!(", {date}")).unwrap_or_default();
        let summary = self.summary.as_deref().map(|summary| format!(": {summary}")).unwrap_or_default();
        let mut text = format!("{} [{}]{date}{summary}\n", self.title, self.slug);
        text.extend(self.explain.iter().map(|step| format!("explain: {step}\n")));
        text.push_str(&warning_lines(&self.warnings));
        if let Some(Details { id, hash, updated, .. }) = &self.details {
            let hash = hash.as_deref().map(|hash| format!(", hash {hash}")).unwrap_or_default();
            text.push_str(&format!("id {id}, updated {updated}{hash}, {}\n", self.why.join(", ")));
        }
        text
    }

    fn human(&self) -> String {
        let mut text = self.head();
        for passage in &self.passages {
            let heading = passage.heading.as_deref().map(|heading| format!(" {heading}")).unwrap_or_default();
            // Only the first line of a passage begins at the margin, so that no text can pass for the head of a page.
            let shown = passage.text.fenced().trim_end().replace('\n', "\n ");
            let line = if shown.starts_with('[') { "\n" } else { " " };
            let dates: Vec<String> =
                passage.dates.iter().map(|(words, day)| format!("{words} = {day}")).collect();
            let dates = if dates.is_empty() { String::new() } else { format!(" [{}]", dates.join(", ")) };
            text.push_str(&format!("{}{heading}:{line}{shown}{dates}\n", passage.place()));
        }
        text
    }
}

impl PassageItem {
    fn place(&self) -> String {
        let [first, last] = self.lines;
        if first == last { first.to_string() } else { format!("{first}-{last}") }
    }
}

impl Render for Answers {
    fn human(&self) -> String {
        let notes: String = self.notes.iter().map(|note| format!("note: {note}\n")).collect();
        if self.hits.is_empty() {
            return self.judgement.nothing("nothing found") + &notes;
        }
        let blocks: Vec<String> = self.hits.iter().map(AnswerItem::human).collect();
        let mut text = self.judgement.head() + &blocks.join("\n");
        if self.left_out > 0 {
            let (noun, verb) = if self.left_out == 1 { ("page", "matches") } else { ("pages", "match") };
            text.push_str(&format!("{} more {noun} {verb} less well\n", self.left_out));
        }
        text + &notes
    }

    fn brief(&self) -> String {
        lines(self.hits.iter().map(|hit| hit.slug.clone()))
    }

    fn references(&self) -> Option<Value> {
        Some(self.reference_list())
    }

    fn exit(&self) -> u8 {
        let is_answered = !self.hits.is_empty() && self.judgement.verdict != Verdict::Nothing;
        if self.broken { 4 } else { u8::from(!is_answered) }
    }
}

impl Answers {
    /// Returns the answers, marked as unreliable or not.
    pub(super) fn broken(self, broken: bool) -> Answers {
        Answers { broken, ..self }
    }
}

/// Maximum number of nodes that a passage names.
const NODES: usize = 3;

/// Returns the node that lines are in, or the first ones that begin in them.
fn places(path: &str, page: &Page, lines: LineRange) -> Vec<Line> {
    let inside = page.nodes.iter().filter(|node| (lines.first..=lines.last).contains(&node.lines.first));
    let around = page.node_at(lines.first).into_iter();
    around.chain(inside).take(NODES).map(|node| node_place(path, node).into()).collect()
}

/// Returns the parsed page of an Org file that has nodes; `None` for any other page.
fn parsed_org(context: &VaultContext, page: &PageRow) -> Option<Page> {
    if Format::of(&page.path) != Format::Org {
        return None;
    }
    let bytes = context.read(page).ok()?.bytes;
    let parsed = parse(&page.path, &decode(&bytes).text).page;
    (!parsed.nodes.is_empty()).then_some(parsed)
}
