//! `triage`: the inbox, one file at a time.

use clap::Args;
use lore_memory::daily::{Destination, finish_triage, suggestions};
use lore_memory::inbox::{InboxItem, inbox_item, inbox_text, unread};
use lore_vault::without_extension;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::error::{AppError, Result};
use crate::app::session::Session;
use crate::ops::external_text::AGENTS;
use crate::ops::line::Line;
use crate::ops::views::{count, warning_lines};
use crate::ops::{Operation, Render, fenced_part};

/// Maximum length of the shown text in bytes.
const SHOWN: usize = 4000;

/// Show the next inbox file and where it could go
///
/// Without arguments, shows the oldest unsorted file of the inbox with suggested destinations. Copy its content to
/// where it belongs, then pass the file with --done to move it to the scratch folder, where it expires. A file stays in
/// the inbox until then.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  lore triage\n  lore triage --list\n  lore triage 2026-05-18-call.md\n  lore triage 2026-05-18-call.md --done --into plans/projects/engine"
)]
pub struct Triage {
    /// File of the inbox [default: the oldest one]
    #[arg(value_name = "FILE")]
    #[serde(default)]
    reference: Option<String>,
    /// Mark the file as sorted and move it to the scratch folder
    #[arg(long, requires = "reference", conflicts_with = "list")]
    #[serde(default)]
    done: bool,
    /// Page that its content was copied to; repeatable
    #[arg(long, value_name = "REF", requires = "done")]
    #[serde(default)]
    into: Vec<String>,
    /// List every unsorted file
    #[arg(long)]
    #[serde(default)]
    list: bool,
}

/// Output of `triage`.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Triaged {
    /// Number of files that are not sorted.
    unread: usize,
    /// The file that is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    item: Option<Item>,
    /// The files that are not sorted, if a list was requested.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    items: Vec<Line>,
    /// Where the sorted file is now.
    #[serde(skip_serializing_if = "Option::is_none")]
    moved_to: Option<Line>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

/// A file of the inbox.
#[derive(Debug, Serialize, JsonSchema)]
struct Item {
    path: Line,
    bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    changed: Option<String>,
    /// Its text, or the beginning of it; none if it is not text.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// The text with its fence if it is external, for an agent.
    #[serde(skip)]
    fenced: Option<String>,
    /// Whether the text is only the beginning.
    truncated: bool,
    /// Where its content could go, best first.
    suggestions: Vec<Suggestion>,
}

/// A place for the content.
#[derive(Debug, Serialize, JsonSchema)]
struct Suggestion {
    path: Line,
    #[serde(skip_serializing_if = "Option::is_none")]
    section: Option<String>,
    /// Whether the page exists.
    exists: bool,
    reason: String,
}

impl Operation for Triage {
    const NAME: &'static str = "triage";
    const WRITES: bool = true;
    type Output = Triaged;

    fn run(self, session: &Session) -> Result<Triaged> {
        let context = session.fresh()?;
        if self.done {
            return self.finish(session);
        }
        if !self.into.is_empty() {
            return Err(AppError::usage("into without done", "pass done too, once the content is there"));
        }
        let waiting = unread(context)?;
        if self.list {
            let items = waiting.iter().map(|item| item.path.clone().into()).collect();
            return Ok(Triaged { unread: waiting.len(), items, ..Triaged::default() });
        }
        let item = match &self.reference {
            Some(reference) => Some(inbox_item(context, reference)?),
            None => waiting.first().cloned(),
        };
        let item = item.map(|item| shown(session, item)).transpose()?;
        Ok(Triaged { unread: waiting.len(), item, ..Triaged::default() })
    }
}

impl Triage {
    fn finish(&self, session: &Session) -> Result<Triaged> {
        let context = session.fresh()?;
        let Some(reference) = &self.reference else {
            return Err(AppError::usage("no file given", "pass the file of the inbox that is sorted"));
        };
        let item = inbox_item(context, reference)?;
        let into = self.into.iter().map(|page| Ok(without_extension(&context.file(page)?).to_owned()));
        let into = into.collect::<Result<Vec<String>>>()?;
        let (to, receipt) = finish_triage(context, &item, &into)?;
        let warnings = receipt.warnings;
        Ok(Triaged {
            unread: unread(context)?.len(),
            moved_to: Some(to.into()),
            warnings,
            ..Triaged::default()
        })
    }
}

fn shown(session: &Session, item: InboxItem) -> Result<Item> {
    let context = session.fresh()?;
    let text = inbox_text(context, &item)?;
    let places = suggestions(context, &item, text.as_deref())?;
    let end = |text: &str| (0..=SHOWN.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
    let truncated = text.as_ref().is_some_and(|text| text.len() > SHOWN);
    let part = text.as_ref().map(|text| text[..end(text).unwrap_or_default()].to_owned());
    let whole = text.as_deref().filter(|_| context.author().face == AGENTS);
    let fenced = whole.zip(part.as_deref()).map(|(whole, part)| fenced_part(&item.path, whole, part));
    Ok(Item {
        path: item.path.into(),
        bytes: item.size,
        changed: item.changed.map(|time| time.to_string()),
        text: part,
        fenced,
        truncated,
        suggestions: places.into_iter().map(Suggestion::from).collect(),
    })
}

impl From<Destination> for Suggestion {
    fn from(place: Destination) -> Suggestion {
        let Destination { path, section, exists, reason } = place;
        Suggestion { path: path.into(), section, exists, reason }
    }
}

impl Render for Triaged {
    fn human(&self) -> String {
        let mut text = String::new();
        if let Some(to) = &self.moved_to {
            text.push_str(&format!("moved to {to}\n"));
        }
        text.extend(self.items.iter().map(|path| format!("{path}\n")));
        if let Some(item) = &self.item {
            text.push_str(&format!("{} ({})\n\n", item.path, count(item.bytes, "byte")));
            match item.fenced.as_ref().or(item.text.as_ref()) {
                Some(body) => text.push_str(&format!("{}\n", body.trim_end())),
                None => text.push_str("(not text)\n"),
            }
            text.push_str(if item.truncated { "…\n\n" } else { "\n" });
            text.push_str("Suggested destinations:\n");
            for place in &item.suggestions {
                let section = place.section.as_ref().map(|name| format!(", section {name}"));
                let new = if place.exists { "" } else { " (new page)" };
                let section = section.unwrap_or_default();
                text.push_str(&format!("  {}{section}{new}: {}\n", place.path, place.reason));
            }
        }
        text.push_str(&match self.unread {
            0 => "nothing left to sort\n".to_owned(),
            unread => format!("{} to sort\n", count(unread as u64, "file")),
        });
        text.push_str(&warning_lines(&self.warnings));
        text
    }
}
