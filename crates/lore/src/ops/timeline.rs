//! `timeline` and `timeline-add`.

use clap::Args;
use lore_engine::{StatementKind, Wanted};
use lore_page::edit;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::change::change;
use super::views::WriteResult;
use super::{Operation, Render};
use crate::failure::Result;
use crate::session::Session;

/// Show a page's timeline, newest first
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore timeline companies/acme --limit 5")]
pub struct Timeline {
    /// The page
    #[arg(value_name = "REF")]
    reference: String,
    /// How many entries at the most
    #[arg(long)]
    #[serde(default)]
    limit: Option<usize>,
}

/// Timeline entries.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Entries {
    slug: String,
    entries: Vec<EntryItem>,
}

/// One entry.
#[derive(Debug, Serialize, JsonSchema)]
struct EntryItem {
    date: String,
    source: Option<String>,
    summary: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<String>,
    line: u32,
}

impl Operation for Timeline {
    const NAME: &'static str = "timeline";
    type Output = Entries;

    fn run(self, session: &Session) -> Result<Entries> {
        let memory = session.fresh()?;
        let page = memory.page(&self.reference)?;
        let wanted = Wanted { pages: Some(&[page.number]), kind: Some(StatementKind::Entry) };
        let rows = memory.store().statements(memory.project(), &wanted)?;
        let mut entries: Vec<EntryItem> = rows
            .into_iter()
            .map(|row| EntryItem {
                date: row.statement.interval.from.map(|date| date.to_string()).unwrap_or_default(),
                detail: row.statement.note("detail").map(str::to_owned),
                source: Some(row.statement.predicate).filter(|source| !source.is_empty()),
                summary: row.statement.object,
                line: row.statement.lines.first,
            })
            .collect();
        // A stable sort: entries of one day stay in the order of the file.
        entries.sort_by(|a, b| b.date.cmp(&a.date));
        entries.truncate(self.limit.unwrap_or(usize::MAX));
        Ok(Entries { slug: page.slug, entries })
    }
}

impl Render for Entries {
    fn human(&self) -> String {
        if self.entries.is_empty() {
            return "no entries\n".into();
        }
        let mut text = String::new();
        for entry in &self.entries {
            let source = entry.source.as_ref().map(|source| format!("{source} — ")).unwrap_or_default();
            text.push_str(&format!("{}  {source}{}\n", entry.date, entry.summary));
            let detail = entry.detail.as_deref().unwrap_or_default();
            text.extend(detail.lines().map(|line| format!("            {line}\n")));
        }
        text
    }

    fn exit(&self) -> u8 {
        u8::from(self.entries.is_empty())
    }
}

/// Add a timeline entry to a page, in its place by date
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  lore timeline-add companies/acme --date 2024-03-01 --summary 'Closed the round' --source meeting/123"
)]
pub struct TimelineAdd {
    /// The page
    #[arg(value_name = "REF")]
    reference: String,
    /// The day, as YYYY-MM-DD
    #[arg(long)]
    date: String,
    /// What happened, in one line
    #[arg(long, allow_hyphen_values = true)]
    summary: String,
    /// Where it was learnt
    #[arg(long)]
    #[serde(default)]
    source: Option<String>,
    /// More lines
    #[arg(long, allow_hyphen_values = true)]
    #[serde(default)]
    detail: Option<String>,
    /// Fail unless the page is at this version
    #[arg(long, value_name = "N")]
    #[serde(default)]
    expected_version: Option<u64>,
}

impl Operation for TimelineAdd {
    const NAME: &'static str = "timeline-add";
    const WRITES: bool = true;
    type Output = WriteResult;

    fn run(self, session: &Session) -> Result<WriteResult> {
        let entry = edit::NewEntry {
            date: self.date,
            source: self.source,
            summary: self.summary,
            detail: self.detail,
        };
        change(session, &self.reference, self.expected_version, |text| edit::add_entry(text, &entry))
    }
}
