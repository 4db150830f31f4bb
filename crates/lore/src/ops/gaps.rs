//! `gaps`, `gap add`, `gap approve` and `gap resolve`: questions that the memory answers badly.

use clap::{Args, ValueEnum};
use lore_engine::{Approval, GapRow, Memory, NewGap, Sensitivity, Which, add_gap, approve_gap, resolve_gap};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::views::timestamp;
use super::{Operation, Render};
use crate::failure::Result;
use crate::session::Session;

/// List the questions that found no answer, the oldest first
///
/// Only the checksum of a question is kept, so that most gaps have no words: whoever asked knows them. Words are there
/// once somebody has allowed it with `lore gap approve`. A gap that is `internal` is answered from the memory alone; of
/// one that is `redacted` only the redacted query may go outside; one that is `external` may go outside in its own words.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore gaps\n  lore gaps --resolved --limit 100 --json")]
pub struct Gaps {
    /// How many at the most
    #[arg(long, default_value_t = 20)]
    #[serde(default = "twenty")]
    limit: usize,
    /// Those that a page answers now too
    #[arg(long)]
    #[serde(default)]
    resolved: bool,
}

fn twenty() -> usize {
    20
}

/// Gaps.
#[derive(Debug, Serialize, JsonSchema)]
pub struct GapList {
    gaps: Vec<GapItem>,
    /// How many are open, shown or not.
    open: u64,
}

/// A question that found no answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct GapItem {
    /// Made of the question: the same wherever it is asked.
    id: u64,
    /// The SHA-256 of the question as it was asked.
    query_hash: String,
    /// `internal`, `redacted` or `external`.
    sensitivity: Sensitivity,
    /// How often it was asked in vain.
    times: u64,
    /// How well it was answered, from 0 to 1.
    confidence_score: Option<f64>,
    #[serde(skip_serializing_if = "String::is_empty")]
    context: String,
    /// Its words, once allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    query_text: Option<String>,
    /// Its words for outside.
    #[serde(skip_serializing_if = "Option::is_none")]
    redacted_query: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    approved_by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    approved_at: Option<String>,
    detected_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    resolved_at: Option<String>,
    /// The page that answers it.
    #[serde(skip_serializing_if = "Option::is_none")]
    resolved_by_slug: Option<String>,
}

impl GapItem {
    /// The item of a row; a page that answers it is named by its slug.
    pub fn new(memory: &Memory, gap: GapRow) -> Result<GapItem> {
        let (approved_by, approved_at) = gap.approved.unzip();
        let (resolved_by, resolved_at) = gap.resolved.unzip();
        let resolved_by_slug = match resolved_by {
            Some(path) => Some(memory.page_at(&path)?.map_or(path, |page| page.slug)),
            None => None,
        };
        Ok(GapItem {
            id: gap.id,
            query_hash: gap.query_hash.to_string(),
            sensitivity: gap.sensitivity,
            times: gap.times,
            confidence_score: gap.confidence.map(|score| (score * 100.0).round() / 100.0),
            context: gap.context,
            query_text: gap.query_text,
            redacted_query: gap.redacted_query,
            approved_by,
            approved_at: approved_at.map(timestamp),
            detected_at: timestamp(gap.detected),
            resolved_at: resolved_at.map(timestamp),
            resolved_by_slug,
        })
    }

    fn line(&self) -> String {
        let words = self.query_text.as_ref().or(self.redacted_query.as_ref());
        let words = words.map(|words| format!("  {words:?}")).unwrap_or_default();
        let times = if self.times > 1 { format!(", {} times", self.times) } else { String::new() };
        let state = match &self.resolved_by_slug {
            Some(slug) => format!(", answered by {slug}"),
            None => String::new(),
        };
        let approved = self.approved_by.as_ref().map(|name| format!(" (by {name})")).unwrap_or_default();
        let day = self.detected_at.get(..10).unwrap_or_default();
        let context = if self.context.is_empty() { String::new() } else { format!("  {}", self.context) };
        let level = self.sensitivity.name();
        format!("{}  {day}  {level}{approved}{times}{state}{words}{context}\n", self.id)
    }
}

impl Operation for Gaps {
    const NAME: &'static str = "gaps";
    type Output = GapList;

    fn run(self, session: &Session) -> Result<GapList> {
        let memory = session.fresh()?;
        let which = if self.resolved { Which::All } else { Which::Open };
        let rows = memory.store().gaps(memory.project(), which, self.limit)?;
        let gaps = rows.into_iter().map(|gap| GapItem::new(memory, gap)).collect::<Result<_>>()?;
        Ok(GapList { gaps, open: memory.store().count_gaps(memory.project())?.open })
    }
}

impl Render for GapList {
    fn human(&self) -> String {
        if self.gaps.is_empty() {
            return "no gaps\n".into();
        }
        let mut text: String = self.gaps.iter().map(GapItem::line).collect();
        let shown = self.gaps.iter().filter(|gap| gap.resolved_at.is_none()).count() as u64;
        if self.open > shown {
            text.push_str(&format!("{} more are open\n", self.open - shown));
        }
        text
    }

    fn exit(&self) -> u8 {
        u8::from(self.gaps.is_empty())
    }
}

/// Note a question that found no answer, by its checksum; its words are not kept
///
/// A new gap is `internal`, whoever notes it. The same question, word for word, is counted once more, and its gap opened
/// again where it was closed. The context is kept as it is: say what the question was for, not what it was; a context
/// with the whole question in it is refused.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  lore gap add \"who audits Acme?\"\n  lore gap add \"who audits Acme?\" --context \"for the board meeting\" --confidence 0.2"
)]
pub struct Add {
    /// The question, word for word
    question: String,
    /// What it was asked for; kept as it is, so not the question
    #[arg(long, allow_hyphen_values = true)]
    #[serde(default)]
    context: Option<String>,
    /// How well it was answered, from 0 to 1
    #[arg(long, value_name = "X")]
    #[serde(default)]
    confidence: Option<f64>,
}

impl Operation for Add {
    const NAME: &'static str = "gap add";
    const WRITES: bool = true;
    type Output = GapItem;

    fn run(self, session: &Session) -> Result<GapItem> {
        let memory = session.memory()?;
        let Add { question, context, confidence } = self;
        GapItem::new(memory, add_gap(memory, &NewGap { question, context, confidence })?)
    }
}

/// How far a gap may be carried outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Level {
    /// In the words of its redacted form only
    Redacted,
    /// In its own words
    External,
}

/// Allow a gap to be looked into outside, under somebody's name
///
/// The name and the time are kept. `redacted` needs the redacted query, which alone may go outside. The question itself
/// is kept only when it is given here again, word for word: it is held against the checksum. A later approval replaces
/// an earlier one, its words included.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  lore gap approve 1234 --sensitivity redacted --approver ada --redacted-query \"auditor of a mid-size maker of anvils\"\n  lore gap approve 1234 --sensitivity external --approver ada --query-text \"who audits Acme?\""
)]
pub struct Approve {
    /// The gap
    id: u64,
    /// How far it may be carried outside
    #[arg(long, value_enum)]
    sensitivity: Level,
    /// Who allows it
    #[arg(long, value_name = "NAME")]
    approver: String,
    /// The question without what must stay inside
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    #[serde(default)]
    redacted_query: Option<String>,
    /// The question itself, word for word
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    #[serde(default)]
    query_text: Option<String>,
}

impl Operation for Approve {
    const NAME: &'static str = "gap approve";
    const WRITES: bool = true;
    type Output = GapItem;

    fn run(self, session: &Session) -> Result<GapItem> {
        let memory = session.memory()?;
        let approval = Approval {
            sensitivity: match self.sensitivity {
                Level::Redacted => Sensitivity::Redacted,
                Level::External => Sensitivity::External,
            },
            approver: self.approver,
            redacted_query: self.redacted_query,
            query_text: self.query_text,
        };
        GapItem::new(memory, approve_gap(memory, self.id, &approval)?)
    }
}

/// Close a gap: a page answers it now
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore gap resolve 1234 --by companies/acme")]
pub struct Resolve {
    /// The gap
    id: u64,
    /// The page that answers it
    #[arg(long, value_name = "REF")]
    by: String,
}

impl Operation for Resolve {
    const NAME: &'static str = "gap resolve";
    const WRITES: bool = true;
    type Output = GapItem;

    fn run(self, session: &Session) -> Result<GapItem> {
        let memory = session.fresh()?;
        let page = memory.page(&self.by)?;
        GapItem::new(memory, resolve_gap(memory, self.id, &page.path)?)
    }
}

impl Render for GapItem {
    fn human(&self) -> String {
        self.line()
    }
}
