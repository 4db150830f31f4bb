//! `timeline` and `timeline-add`.

use std::collections::{BTreeSet, HashMap};

use clap::Args;
use lore_engine::VaultContext;
use lore_page::{Interval, edit};
use lore_ports::{StatementFilter, StatementKind, StatementRow};
use lore_text::{PartialDate, date_on};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::error::Result;
use crate::app::session::Session;
use crate::ops::as_of::day_of;
use crate::ops::change::change;
use crate::ops::views::WriteResult;
use crate::ops::{Operation, Render};

/// Show the timeline of a page, or the latest entries of all pages
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  lore timeline companies/acme --limit 5\n  lore timeline --since 7d\n  lore timeline --since yesterday --json"
)]
pub struct Timeline {
    /// Page [default: all pages]
    #[arg(value_name = "REF")]
    #[serde(default)]
    reference: Option<String>,
    /// Only entries since: `7d`, `last week`, `yesterday`, a date
    #[arg(long, value_name = "TIMEFRAME")]
    #[serde(default)]
    since: Option<String>,
    /// Maximum number of results [default: all of a page, 50 of the vault]
    #[arg(long)]
    #[serde(default)]
    limit: Option<usize>,
}

/// Output of `timeline`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Entries {
    /// The requested page.
    #[serde(skip_serializing_if = "Option::is_none")]
    slug: Option<String>,
    entries: Vec<EntryItem>,
}

/// A timeline entry.
#[derive(Debug, Serialize, JsonSchema)]
struct EntryItem {
    /// The page it is on, if entries of all pages are listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    slug: Option<String>,
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
        let context = session.fresh()?;
        let page = self.reference.as_deref().map(|reference| context.page(reference)).transpose()?;
        let only = page.as_ref().map(|page| [page.number]);
        let filter = StatementFilter {
            pages: only.as_ref().map(<[_; 1]>::as_slice),
            kind: Some(StatementKind::Entry),
            naming: None,
        };
        let mut rows = context.store().statements(context.project(), &filter)?;
        let day = |row: &StatementRow| row.statement.interval.from.map(|date| date.to_string());
        if let Some(since) = &self.since {
            let (first, last) = (day_of(since, context)?, context.today());
            rows.retain(|row| row.statement.interval.meets(&first, &last));
        }
        let slugs = if page.is_some() { HashMap::new() } else { slugs(context, &rows)? };
        // The sort is stable: entries of one day stay ordered by file and by line.
        rows.sort_by(|a, b| slugs.get(&a.page).cmp(&slugs.get(&b.page)));
        rows.sort_by_cached_key(|row| std::cmp::Reverse(day(row)));
        let default_limit = if page.is_some() { usize::MAX } else { 50 };
        rows.truncate(self.limit.unwrap_or(default_limit));
        let item = |row: StatementRow| EntryItem::new(slugs.get(&row.page).cloned(), row);
        let entries = rows.into_iter().map(item).collect();
        Ok(Entries { slug: page.map(|page| page.slug), entries })
    }
}

/// Returns the slugs of the pages of these rows.
fn slugs(context: &VaultContext, rows: &[StatementRow]) -> Result<HashMap<i64, String>> {
    let numbers: BTreeSet<i64> = rows.iter().map(|row| row.page).collect();
    let pages = context.store().pages(context.project(), &numbers.into_iter().collect::<Vec<_>>())?;
    Ok(pages.into_iter().map(|page| (page.number, page.slug)).collect())
}

impl EntryItem {
    fn new(slug: Option<String>, row: StatementRow) -> EntryItem {
        EntryItem {
            slug,
            date: dates(row.statement.interval),
            detail: row.statement.note("detail").map(str::to_owned),
            source: Some(row.statement.predicate).filter(|source| !source.is_empty()),
            summary: row.statement.object,
            line: row.statement.lines.first,
        }
    }
}

/// Returns a date, or a range as `from..until`.
fn dates(interval: Interval) -> String {
    let text = |date: Option<PartialDate>| date.map(|date| date.to_string()).unwrap_or_default();
    match interval.from == interval.until {
        true => text(interval.from),
        false => format!("{}..{}", text(interval.from), text(interval.until)),
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
            let page = entry.slug.as_ref().map(|slug| format!("{slug}  ")).unwrap_or_default();
            text.push_str(&format!("{}  {page}{source}{}\n", entry.date, entry.summary));
            let detail = entry.detail.as_deref().unwrap_or_default();
            text.extend(detail.lines().map(|line| format!("            {line}\n")));
        }
        text
    }

    fn exit(&self) -> u8 {
        u8::from(self.entries.is_empty())
    }
}

/// Add an entry to the timeline of a page, in date order
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  lore timeline-add companies/acme --date 2024-03-01 --summary 'Closed the round' --source meeting/123"
)]
pub struct TimelineAdd {
    /// Page to change
    #[arg(value_name = "REF")]
    reference: String,
    /// Date: YYYY-MM-DD, `today`, YYYY-MM, YYYY, or a range such as 2022-03-10..2022-03-16
    #[arg(long)]
    date: String,
    /// What happened, in one line
    #[arg(long, allow_hyphen_values = true)]
    summary: String,
    /// Source of the information
    #[arg(long)]
    #[serde(default)]
    source: Option<String>,
    /// More lines of detail
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
        // A month, a year or a range is left as written.
        let today = session.fresh()?.now().date();
        let entry = edit::NewEntry {
            date: date_on(&self.date, today).map_or(self.date, |date| date.to_string()),
            source: self.source,
            summary: self.summary,
            detail: self.detail,
        };
        change(session, &self.reference, self.expected_version, |format, text| {
            edit::add_entry(format, text, &entry)
        })
    }
}
