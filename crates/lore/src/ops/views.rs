//! Output types shared by several operations.

use std::fmt::Display;

use jiff::Timestamp;
use lore_engine::{Outcome, Receipt, VaultContext, Written};
use lore_page::edit::{LineChanges, TypedValue};
use lore_ports::{Filter, LinkRow, Order, PageRow, Window};
use lore_text::epoch_day;
use lore_vault::Skipped;
use schemars::JsonSchema;
use serde::Serialize;

use crate::app::error::{AppError, Result};
use crate::ops::Render;
use crate::ops::line::Line;

/// A page in a list.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PageItem {
    /// Slug of the page.
    pub slug: String,
    /// Title of the page.
    pub title: String,
    /// Type of the page.
    #[serde(rename = "type")]
    pub kind: String,
    /// Summary of the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// Status declared in its file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// Due date declared in its file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub due: Option<Line>,
    /// Tags of the page.
    pub tags: Vec<String>,
    /// Path relative to the vault's root.
    pub path: Line,
    /// When it last changed.
    pub updated: String,
    /// Version, incremented by every change.
    pub version: u64,
}

impl From<PageRow> for PageItem {
    fn from(row: PageRow) -> PageItem {
        PageItem {
            slug: row.slug,
            title: row.title,
            kind: row.kind,
            summary: row.summary,
            status: row.status,
            due: row.properties.text("due").map(|due| Line::from(shown_date(due))),
            tags: row.tags,
            path: row.path.into(),
            updated: timestamp(row.updated),
            version: row.version,
        }
    }
}

/// One page of a list of pages.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PageList {
    /// The pages, in the requested order.
    pub pages: Vec<PageItem>,
    /// Number of pages that match.
    pub total: u64,
    /// Whether more of them follow.
    pub more: bool,
}

/// The range of a list that a call asks for.
pub struct ListRange {
    /// Maximum number of results.
    pub limit: usize,
    /// Number of the page of results, from 1.
    pub page: usize,
}

impl ListRange {
    /// Returns the range; an error if either number is 0.
    pub fn new(limit: Option<usize>, page: Option<usize>) -> Result<ListRange> {
        check_not_zero(&[("limit", limit), ("page", page)])?;
        Ok(ListRange { limit: limit.unwrap_or(50), page: page.unwrap_or(1) })
    }

    /// Returns the window of the index.
    pub fn window(&self) -> Window {
        Window { limit: self.limit, offset: (self.page - 1).saturating_mul(self.limit) }
    }
}

impl PageList {
    /// Lists the pages that match a filter.
    pub fn read(
        context: &VaultContext,
        filter: &Filter,
        order: Order,
        range: &ListRange,
    ) -> Result<PageList> {
        let rows = context.store().list(context.project(), filter, order, range.window())?;
        let total = context.store().count(context.project(), filter)?;
        Ok(PageList::new(rows, total, range))
    }

    /// Returns a part of the pages that match.
    pub fn new(rows: Vec<PageRow>, total: u64, range: &ListRange) -> PageList {
        let before = range.window().offset as u64;
        let more = before.saturating_add(rows.len() as u64) < total && !rows.is_empty();
        PageList { pages: rows.into_iter().map(Into::into).collect(), total, more }
    }
}

impl Render for PageList {
    fn human(&self) -> String {
        if self.pages.is_empty() {
            return "no pages\n".into();
        }
        let width = self.pages.iter().map(|page| page.slug.chars().count()).max().unwrap_or(0).min(50);
        let line = |page: &PageItem| {
            let day = page.updated.get(..10).unwrap_or_default();
            let due = page.due.as_ref().map(|due| format!("  (due {due})")).unwrap_or_default();
            format!("{day}  {:<width$}  {:<8}  {}{due}", page.slug, page.kind, page.title)
        };
        let mut text = lines(self.pages.iter().map(line));
        if self.pages.len() as u64 != self.total {
            text.push_str(&format!("{} of {}\n", self.pages.len(), count(self.total, "page")));
        }
        text
    }

    fn brief(&self) -> String {
        lines(self.pages.iter().map(|page| page.slug.clone()))
    }

    fn exit(&self) -> u8 {
        u8::from(self.pages.is_empty())
    }
}

/// A link between two pages.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LinkItem {
    /// Link id, the same on every machine and after every rebuild.
    pub id: u64,
    /// Page with the link.
    pub from: String,
    /// Verb of the relation, or `links_to`.
    pub relationship: String,
    /// Target page, or null if it does not exist yet.
    pub to: Option<String>,
    /// The target as written.
    pub target: String,
    /// Surrounding words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// Start of its validity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid_from: Option<String>,
    /// End of its validity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid_until: Option<String>,
    /// Path of the file with the link.
    pub path: Line,
    /// Line of the link.
    pub line: u32,
}

impl LinkItem {
    /// Converts a row; pages are named by slug.
    pub fn new(context: &VaultContext, row: LinkRow) -> Result<LinkItem> {
        let ends: Vec<i64> = std::iter::once(row.from).chain(row.to).collect();
        let pages = context.store().pages(context.project(), &ends)?;
        let slug =
            |number: i64| pages.iter().find(|page| page.number == number).map(|page| page.slug.clone());
        Ok(LinkItem {
            id: row.link.id,
            from: slug(row.from).unwrap_or_default(),
            relationship: row.link.relation,
            to: row.to.and_then(slug),
            target: row.link.target,
            context: row.link.context,
            valid_from: row.link.interval.from.map(|date| date.to_string()),
            valid_until: row.link.interval.until.map(|date| date.to_string()),
            path: row.from_path.into(),
            line: row.link.line,
        })
    }

    /// Returns `page verb target {from..until}`.
    pub fn sentence(&self) -> String {
        let to = self.to.clone().unwrap_or_else(|| format!("{} (no page yet)", self.target));
        format!("{} {} {to}{}", self.from, self.relationship, self.interval())
    }

    /// Returns ` {from..until}`, or an empty string.
    pub fn interval(&self) -> String {
        match (&self.valid_from, &self.valid_until) {
            (None, None) => String::new(),
            (from, until) => {
                format!(
                    " {{{}..{}}}",
                    from.as_deref().unwrap_or_default(),
                    until.as_deref().unwrap_or_default()
                )
            }
        }
    }
}

/// Result of a write.
#[derive(Debug, Serialize, JsonSchema)]
pub struct WriteResult {
    /// Slug after the write.
    pub slug: String,
    /// Path after the write.
    pub path: Line,
    /// Version after the write.
    pub version: u64,
    /// `created`, `updated`, `moved`, `deleted` or `unchanged`.
    pub outcome: &'static str,
    /// Commit id, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Other pages that changed in the same write.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<String>,
    /// What happened to the structured lines of the page.
    #[serde(flatten)]
    pub lines: LineResult,
    /// Warnings for the user.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Result of a write that moves or deletes a page.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TitledWrite {
    /// Title of the page.
    pub title: String,
    #[serde(flatten)]
    pub written: WriteResult,
}

impl Render for TitledWrite {
    fn human(&self) -> String {
        self.written.human()
    }
}

/// Structured lines that a new text kept, added and removed.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct LineResult {
    /// Structured lines that the new text does not mention and that were kept.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<String>,
    /// Structured lines that were added.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub added: Vec<String>,
    /// Structured lines that were removed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<String>,
}

impl LineResult {
    /// Returns a warning about lines that were kept, with the way to remove them.
    pub fn warning(&self) -> Option<String> {
        let lines = match self.kept.len() {
            0 => return None,
            1 => "1 line".to_owned(),
            many => format!("{many} lines"),
        };
        Some(format!("kept {lines} that the new text does not mention; to remove lines, name them in drop"))
    }

    /// Returns one line of text per structured line.
    pub fn human(&self) -> String {
        let parts = [("kept", &self.kept), ("added", &self.added), ("removed", &self.removed)];
        let items = parts.into_iter().flat_map(|(what, items)| items.iter().map(move |item| (what, item)));
        lines(items.map(|(what, item)| format!("{what:<7}  {item}")))
    }
}

impl From<LineChanges> for LineResult {
    fn from(changes: LineChanges) -> LineResult {
        LineResult { kept: changes.kept, added: changes.added, removed: changes.removed }
    }
}

impl WriteResult {
    /// Converts a receipt: the first file is the requested one, the others changed with it.
    pub fn new(receipt: Receipt) -> WriteResult {
        let mut files = receipt.files.into_iter();
        let nothing = || Written {
            path: String::new(),
            slug: String::new(),
            version: 0,
            outcome: Outcome::Unchanged,
            lines: LineChanges::default(),
        };
        let first = files.next().unwrap_or_else(nothing);
        let also = files.filter(|one| one.outcome != Outcome::Unchanged).map(|one| one.slug).collect();
        let lines = LineResult::from(first.lines);
        let warnings = receipt.warnings.into_iter().chain(lines.warning()).collect();
        WriteResult {
            slug: first.slug,
            path: first.path.into(),
            version: first.version,
            outcome: outcome(first.outcome),
            commit: receipt.commit,
            also,
            lines,
            warnings,
        }
    }
}

impl Render for WriteResult {
    fn human(&self) -> String {
        let mut text = format!("{} {} (version {})\n", self.outcome, self.slug, self.version);
        if !self.also.is_empty() {
            text.push_str(&format!("also changed: {}\n", self.also.join(", ")));
        }
        text.push_str(&self.lines.human());
        text.push_str(&warning_lines(&self.warnings));
        text
    }
}

/// A file that was not indexed.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SkippedItem {
    /// Path relative to the vault's root.
    pub path: Line,
    /// Why it was not indexed.
    pub reason: String,
}

impl From<Skipped> for SkippedItem {
    fn from(skipped: Skipped) -> SkippedItem {
        SkippedItem { path: skipped.path.into(), reason: skipped.reason }
    }
}

/// A completed action, described in a sentence.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Done {
    /// What was done.
    pub message: String,
}

impl Done {
    /// Creates it from a message.
    pub fn new(message: impl Into<String>) -> Done {
        Done { message: message.into() }
    }
}

impl Render for Done {
    fn human(&self) -> String {
        format!("{}\n", self.message)
    }
}

/// Formats milliseconds since 1970 as RFC 3339, in UTC and to the second.
pub fn timestamp(millis: i64) -> String {
    let second = Timestamp::from_second(millis.div_euclid(1000)).unwrap_or(Timestamp::UNIX_EPOCH);
    second.to_string()
}

/// Returns a date as written, or the day of a number of milliseconds or seconds since 1970.
pub fn shown_date(text: &str) -> String {
    epoch_day(text).unwrap_or_else(|| text.to_owned())
}

/// Formats a number with its noun: `1 page`, `2 pages`.
pub fn count(number: u64, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// Returns an error for the first of these options whose number is 0.
pub fn check_not_zero(options: &[(&str, Option<usize>)]) -> Result<()> {
    match options.iter().find(|(_, number)| *number == Some(0)) {
        Some((name, _)) => Err(AppError::usage(format!("--{name} is 0"), "use 1 or more")),
        None => Ok(()),
    }
}

/// Returns warnings as lines of the text for people.
pub fn warning_lines(warnings: &[impl Display]) -> String {
    lines(warnings.iter().map(|warning| format!("warning: {warning}")))
}

/// Joins items, one per line.
pub fn lines(items: impl Iterator<Item = String>) -> String {
    items.fold(String::new(), |mut text, item| {
        text.push_str(item.trim_end());
        text.push('\n');
        text
    })
}

/// Returns the name of an outcome.
pub fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Created => "created",
        Outcome::Updated => "updated",
        Outcome::Moved => "moved",
        Outcome::Deleted => "deleted",
        Outcome::Unchanged => "unchanged",
    }
}

/// Rounds to five significant digits: enough to compare, and a small score does not become 0.
pub fn short(score: f64) -> f64 {
    format!("{score:.4e}").parse().unwrap_or(score)
}

/// Converts JSON to a property value of the same type.
pub fn typed(value: &serde_json::Value) -> TypedValue {
    match value {
        serde_json::Value::Null => TypedValue::Null,
        serde_json::Value::Bool(value) => TypedValue::Bool(*value),
        serde_json::Value::Number(number) => TypedValue::Number(number.to_string()),
        serde_json::Value::String(text) => TypedValue::Text(text.clone()),
        serde_json::Value::Array(items) => TypedValue::List(items.iter().map(typed).collect()),
        serde_json::Value::Object(map) => {
            TypedValue::Map(map.iter().map(|(key, value)| (key.clone(), typed(value))).collect())
        }
    }
}
