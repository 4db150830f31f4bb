//! `edit-note`: edits a note by text or a JSON object.

use clap::Args;
use lore_engine::Error;
use lore_page::Format;
use lore_page::edit::{self, Dropped};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::write::WriteNote;
use crate::app::error::{AppError, Result};
use crate::app::session::Session;
use crate::ops::change::rewrite;
use crate::ops::pages::edit::Edit;
use crate::ops::views::WriteResult;
use crate::ops::{Operation, read_json};

/// Edit part of a note, leaving the rest unchanged
///
/// Text is appended, whatever it starts with; a note that does not exist is created. A JSON object names another change:
/// append, prepend, find and replace, section and with, before_section, after_section, set, unset, drop.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  lore edit-note habits/tea-times '- [time] Five on Sundays'\n  lore edit-note habits/tea-times '{\"find\": \"Four\", \"replace\": \"Five\"}'"
)]
pub struct EditNote {
    /// Permalink or file path
    path: String,
    /// New text, or the change as a JSON object
    #[arg(allow_hyphen_values = true)]
    content_updates: String,
    /// Fail unless the note is at this version
    #[arg(long, value_name = "N")]
    #[serde(default)]
    expected_version: Option<u64>,
}

impl Operation for EditNote {
    const NAME: &'static str = "edit-note";
    const WRITES: bool = true;
    const HIDDEN: bool = true;
    type Output = WriteResult;

    fn run(self, session: &Session) -> Result<WriteResult> {
        let named = match serde_json::from_str(&self.content_updates) {
            Ok(Value::Object(named)) => Some(named),
            _ => None,
        };
        if let Some(content) = self.new_content(named.as_ref())
            && is_missing(session, &self.path)?
        {
            return WriteNote::new(&self.path, content).write(session);
        }
        if let Some(mut named) = named {
            named.insert("reference".into(), json!(self.path));
            if let Some(version) = self.expected_version {
                named.insert("expected_version".into(), json!(version));
            }
            let edit: Edit = read_json(Value::Object(named))?;
            return edit.run(session).map_err(name_fields);
        }
        let edit = |format: Format, text: &str| {
            edit::append(format, text, &format!("\n{}", self.content_updates.trim_end()))
        };
        rewrite(session, &self.path, self.expected_version, edit, Dropped::default(), None)
    }
}

impl EditNote {
    /// Returns the text of a note that the call creates if it does not exist: what it appends or prepends.
    fn new_content(&self, named: Option<&Map<String, Value>>) -> Option<String> {
        let content = match named {
            None => Some(self.content_updates.as_str()),
            Some(named) => ["append", "prepend"].iter().find_map(|key| named.get(*key)?.as_str()),
        };
        content.filter(|_| self.expected_version.unwrap_or_default() == 0).map(str::to_owned)
    }
}

/// Whether no page and no other file has this name.
fn is_missing(session: &Session, reference: &str) -> Result<bool> {
    match session.fresh()?.file_to_write(reference) {
        Ok(_) => Ok(false),
        Err(Error::NotFound { .. }) => Ok(true),
        Err(error) => Err(error.into()),
    }
}

/// Names the fields of the JSON object where the error of `edit` names flags.
fn name_fields(failure: AppError) -> AppError {
    if !failure.hint.contains("--") {
        return failure;
    }
    let hint = "name one change: append, prepend, find with replace, section, before_section or after_section with \
                with, or set and unset";
    AppError { message: failure.message.replace("--", ""), hint: hint.into(), ..failure }
}
