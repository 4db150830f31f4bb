//! `edit-note`: edits a note by text or a JSON object.

use clap::Args;
use lore_engine::Error;
use lore_page::edit::{self, Dropped};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::item::permalink;
use super::write::{WriteNote, checked_version, hash_of};
use crate::app::error::{AppError, Result};
use crate::app::session::Session;
use crate::ops::change::{EditTarget, rewrite};
use crate::ops::line::Line;
use crate::ops::pages::edit::Edit;
use crate::ops::views::{WriteResult, typed};
use crate::ops::{Operation, Render, read_json};

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
    /// Fail unless the file of the note has this SHA-256
    #[arg(long, value_name = "HASH")]
    #[serde(default)]
    expected_hash: Option<String>,
    /// Properties to set as well
    #[arg(skip)]
    #[serde(default)]
    metadata: Map<String, Value>,
    /// Replace only the text of a section, and keep its subsections
    #[arg(long)]
    #[serde(default)]
    keep_subsections: bool,
}

/// Output of `edit-note`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct NoteEdited {
    title: String,
    permalink: String,
    file_path: Line,
    /// SHA-256 of the file.
    hash: String,
    #[serde(flatten)]
    written: WriteResult,
}

impl Render for NoteEdited {
    fn human(&self) -> String {
        self.written.human()
    }
}

impl Operation for EditNote {
    const NAME: &'static str = "edit-note";
    const WRITES: bool = true;
    const HIDDEN: bool = true;
    type Output = NoteEdited;

    fn run(mut self, session: &Session) -> Result<NoteEdited> {
        let context = session.fresh()?;
        if let Some(expected) = &self.expected_hash {
            let path = context.file_to_write(&self.path)?;
            self.expected_version = checked_version(context, &path, Some(expected))?;
        }
        let (title, written) = self.edit(session)?;
        let page = context.page_at(&written.path)?;
        Ok(NoteEdited {
            permalink: page.as_ref().map_or_else(|| written.slug.clone(), permalink),
            title: title.or(page.map(|page| page.title)).unwrap_or_else(|| written.slug.clone()),
            file_path: written.path.clone(),
            hash: hash_of(context, &written.path)?,
            written,
        })
    }
}

impl EditNote {
    /// Makes the change; returns the title of a note that it created.
    fn edit(&self, session: &Session) -> Result<(Option<String>, WriteResult)> {
        let named = match serde_json::from_str(&self.content_updates) {
            Ok(Value::Object(named)) => Some(named),
            _ => None,
        };
        if let Some(content) = self.new_content(named.as_ref())
            && is_missing(session, &self.path)?
        {
            let mut note = WriteNote::new(&self.path, content);
            note.metadata.clone_from(&self.metadata);
            return note.write(session).map(|(title, written)| (Some(title), written));
        }
        let edit = match named {
            Some(mut named) => {
                named.insert("reference".into(), json!(self.path));
                Some(read_json::<Edit>(Value::Object(named))?)
            }
            None => None,
        };
        let (dropped, section) = match &edit {
            Some(edit) => (edit.prepare().map_err(name_fields)?, edit.named_section()),
            None => (Dropped::default(), None),
        };
        let change = |target: EditTarget<'_>, text: &str| {
            let EditTarget { format, node } = target;
            let addition = self.content_updates.trim_end();
            let changed = match (&edit, node) {
                (Some(edit), _) if self.keep_subsections => edit.apply_to_own_text(target, text)?,
                (Some(edit), _) => edit.apply_to(target, text)?,
                // Nothing to append: nothing is written.
                (None, _) if addition.is_empty() => text.to_owned(),
                (None, Some(node)) => edit::append_to_node(text, node.lines.first, addition)?,
                (None, None) => edit::append(format, text, &format!("\n{addition}"))?,
            };
            let set = |text: String, (key, value): (&String, &Value)| {
                let set = |text: &str| edit::set_typed_property(format, text, key, &typed(value));
                match node {
                    Some(node) => edit::edit_node_property(&text, node.lines.first, key, set),
                    None => set(&text),
                }
            };
            self.metadata.iter().try_fold(changed, set)
        };
        let written = rewrite(session, &self.path, self.expected_version, change, dropped, section);
        Ok((None, written.map_err(name_fields)?))
    }

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
    let context = session.fresh()?;
    if context.find_to_write(reference)?.is_some() {
        return Ok(false);
    }
    match context.file_to_write(reference) {
        // Found by the start of its id only, which may as well be the name of the new note.
        Ok(path) => Ok(context.page_at(&path)?.is_some()),
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
