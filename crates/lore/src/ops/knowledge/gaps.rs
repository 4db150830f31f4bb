//! `gaps`, `gap add`, `gap approve` and `gap resolve`: unanswered questions.

use clap::{Args, ValueEnum};
use lore_engine::VaultContext;
use lore_memory::{Approval, NewGap, add_gap, approve_gap, resolve_gap};
use lore_ports::{GapFilter, GapRow, Sensitivity};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::error::Result;
use crate::app::session::Session;
use crate::ops::views::timestamp;
use crate::ops::{Operation, Render};

/// List unanswered questions
///
/// Oldest first; with --namespace, those that were asked in it. Only the hash of a question is stored, so most gaps have no text; `lore gap approve` adds it. An
/// `internal` gap may only be answered from the vault; of a `redacted` gap only the redacted query may be sent outside;
/// an `external` gap may be sent outside in its own words.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore gaps\n  lore gaps --resolved --limit 100 --json")]
pub struct Gaps {
    /// Maximum number of results
    #[arg(long, default_value_t = 20)]
    #[serde(default = "default_limit")]
    limit: usize,
    /// Also list resolved gaps
    #[arg(long)]
    #[serde(default)]
    resolved: bool,
}

fn default_limit() -> usize {
    20
}

/// Output of `gaps`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct GapList {
    gaps: Vec<GapItem>,
    /// Number of open gaps, listed or not.
    open: u64,
}

/// An unanswered question.
#[derive(Debug, Serialize, JsonSchema)]
pub struct GapItem {
    /// Derived from the question: the same wherever it is asked.
    id: u64,
    /// SHA-256 of the question as asked.
    query_hash: String,
    /// `internal`, `redacted` or `external`.
    sensitivity: Sensitivity,
    /// Number of times it was asked without an answer.
    times: u64,
    /// Confidence of the best answer, from 0 to 1.
    confidence_score: Option<f64>,
    #[serde(skip_serializing_if = "String::is_empty")]
    context: String,
    /// Namespaces it was asked in.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    namespaces: Vec<String>,
    /// Text of the question, once approved.
    #[serde(skip_serializing_if = "Option::is_none")]
    query_text: Option<String>,
    /// Text that may be sent outside.
    #[serde(skip_serializing_if = "Option::is_none")]
    redacted_query: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    approved_by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    approved_at: Option<String>,
    detected_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    resolved_at: Option<String>,
    /// Page that answers it.
    #[serde(skip_serializing_if = "Option::is_none")]
    resolved_by_slug: Option<String>,
}

impl GapItem {
    /// Converts a row; the answering page is named by slug.
    pub fn new(context: &VaultContext, gap: GapRow) -> Result<GapItem> {
        let (approved_by, approved_at) = gap.approved.unzip();
        let (resolved_by, resolved_at) = gap.resolved.unzip();
        let resolved_by_slug = match resolved_by {
            Some(path) => Some(context.page_at(&path)?.map_or(path, |page| page.slug)),
            None => None,
        };
        Ok(GapItem {
            id: gap.id,
            query_hash: gap.query_hash.to_string(),
            sensitivity: gap.sensitivity,
            times: gap.times,
            confidence_score: gap.confidence.map(|score| (score * 100.0).round() / 100.0),
            context: gap.context,
            namespaces: gap.namespaces,
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
        let context = session.fresh()?;
        let namespace = asked_in(session, context)?;
        let filter = GapFilter { resolved: self.resolved, namespace: namespace.as_deref() };
        let rows = context.store().gaps(context.project(), &filter, self.limit)?;
        let gaps = rows.into_iter().map(|gap| GapItem::new(context, gap)).collect::<Result<_>>()?;
        Ok(GapList { gaps, open: context.store().count_gaps(context.project(), namespace.as_deref())?.open })
    }
}

/// Returns the name of the namespace that a request is about; none if it is about the whole vault.
pub fn asked_in(session: &Session, context: &VaultContext) -> Result<Option<String>> {
    Ok(session.namespace_filter(context, None)?.map(|namespace| namespace.name))
}

impl Render for GapList {
    fn human(&self) -> String {
        if self.gaps.is_empty() {
            return "no gaps\n".into();
        }
        let mut text: String = self.gaps.iter().map(GapItem::line).collect();
        let shown = self.gaps.iter().filter(|gap| gap.resolved_at.is_none()).count() as u64;
        if self.open > shown {
            text.push_str(&format!("{} more open\n", self.open - shown));
        }
        text
    }

    fn exit(&self) -> u8 {
        u8::from(self.gaps.is_empty())
    }
}

/// Record an unanswered question by its hash; its text is not stored
///
/// A new gap is `internal`, whoever records it. Recording the same question again increments its count and reopens its
/// gap if it was resolved. The context is stored verbatim: describe what the question was for, not the question; a
/// context that contains the whole question is refused.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  lore gap add \"who audits Acme?\"\n  lore gap add \"who audits Acme?\" --context \"for the board meeting\" --confidence 0.2"
)]
pub struct Add {
    /// Exact question
    question: String,
    /// Purpose of the question; stored verbatim
    #[arg(long, allow_hyphen_values = true)]
    #[serde(default)]
    context: Option<String>,
    /// Confidence of the best answer, from 0 to 1
    #[arg(long, value_name = "X")]
    #[serde(default)]
    confidence: Option<f64>,
}

impl Operation for Add {
    const NAME: &'static str = "gap add";
    const WRITES: bool = true;
    type Output = GapItem;

    fn run(self, session: &Session) -> Result<GapItem> {
        let context = session.context()?;
        let Add { question, context: note, confidence } = self;
        let namespace = asked_in(session, context)?;
        GapItem::new(context, add_gap(context, &NewGap { question, context: note, confidence, namespace })?)
    }
}

/// How far a gap may be shared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum ApprovalLevel {
    /// Only its redacted query
    Redacted,
    /// In its own words
    External,
}

/// Approve a gap for outside research
///
/// The name and the time are recorded. `redacted` requires the redacted query, the only text that may be sent outside.
/// The question is stored only if passed again with --query-text, word for word: it is verified against the hash. A
/// later approval replaces an earlier one and keeps its texts unless it gives others; a narrower one drops the question.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  lore gap approve 1234 --sensitivity redacted --approver ada --redacted-query \"auditor of a mid-size maker of anvils\"\n  lore gap approve 1234 --sensitivity external --approver ada --query-text \"who audits Acme?\""
)]
pub struct Approve {
    /// Gap id
    id: u64,
    /// How far it may be shared
    #[arg(long, value_enum)]
    sensitivity: ApprovalLevel,
    /// Name of the person who approves
    #[arg(long, value_name = "NAME")]
    approver: String,
    /// Question without confidential parts
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    #[serde(default)]
    redacted_query: Option<String>,
    /// Exact question
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    #[serde(default)]
    query_text: Option<String>,
}

impl Operation for Approve {
    const NAME: &'static str = "gap approve";
    const WRITES: bool = true;
    type Output = GapItem;

    fn run(self, session: &Session) -> Result<GapItem> {
        let context = session.context()?;
        let approval = Approval {
            sensitivity: match self.sensitivity {
                ApprovalLevel::Redacted => Sensitivity::Redacted,
                ApprovalLevel::External => Sensitivity::External,
            },
            approver: self.approver,
            redacted_query: self.redacted_query,
            query_text: self.query_text,
        };
        GapItem::new(context, approve_gap(context, self.id, &approval)?)
    }
}

/// Resolve a gap with the page that answers it
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore gap resolve 1234 --by companies/acme")]
pub struct Resolve {
    /// Gap id
    id: u64,
    /// Page that answers it
    #[arg(long, value_name = "REF")]
    by: String,
}

impl Operation for Resolve {
    const NAME: &'static str = "gap resolve";
    const WRITES: bool = true;
    type Output = GapItem;

    fn run(self, session: &Session) -> Result<GapItem> {
        let context = session.fresh()?;
        let page = context.page(&self.by)?;
        GapItem::new(context, resolve_gap(context, self.id, &page.path)?)
    }
}

impl Render for GapItem {
    fn human(&self) -> String {
        self.line()
    }
}
