//! `write-note`: writes a page by title.

use clap::Args;
use lore_engine::{Action, Code, PageChange, VaultContext, WriteOptions, write_as};
use lore_page::edit::Dropped;
use lore_page::{Value, edit};
use lore_text::slugify;
use lore_vault::{VaultPath, exists};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Map;

use crate::app::error::{AppError, Result};
use crate::app::session::Session;
use crate::ops::line::Line;
use crate::ops::pages::put::{differs, new_path};
use crate::ops::views::{WriteResult, value_of};
use crate::ops::{Operation, Render};

/// Write a note; its file is named after its title
///
/// An existing note is replaced only with overwrite; facts, relations, observations and timeline entries that the new
/// text does not mention are kept unless dropped. A title whose file name is taken by another title gets a number.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  lore write-note \"Tea times\" \"Four o'clock.\" --directory habits --tags home"
)]
pub struct WriteNote {
    /// Title; the file is named after it
    title: String,
    /// Text in Markdown
    content: String,
    /// Folder of the note
    #[arg(long, default_value = "")]
    #[serde(default)]
    directory: String,
    /// Tags of the note
    #[arg(long, value_delimiter = ',')]
    #[serde(default)]
    tags: Vec<String>,
    /// Type of the note
    #[arg(long, default_value = "note")]
    #[serde(default = "default_type")]
    note_type: String,
    /// Other properties
    #[arg(skip)]
    #[serde(default)]
    metadata: Map<String, serde_json::Value>,
    /// Replace an existing note
    #[arg(long)]
    #[serde(default)]
    overwrite: bool,
    /// Line to remove, or facts, relations, observations, timeline, all
    #[arg(long, value_name = "LINE", allow_hyphen_values = true)]
    #[serde(default)]
    drop: Vec<String>,
}

/// Maximum number of titles that may share a file name.
const MAX_NAMES: usize = 100;

fn default_type() -> String {
    "note".into()
}

/// Output of `write-note`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct NoteWritten {
    title: String,
    permalink: String,
    file_path: Line,
    #[serde(flatten)]
    written: WriteResult,
}

impl Operation for WriteNote {
    const NAME: &'static str = "write-note";
    const WRITES: bool = true;
    const HIDDEN: bool = true;
    type Output = NoteWritten;

    fn run(self, session: &Session) -> Result<NoteWritten> {
        let context = session.fresh()?;
        let name = slugify(&self.title).replace('/', "-");
        if name.is_empty() {
            return Err(AppError::usage(
                format!("cannot derive a file name from the title {:?}", self.title),
                "use a title with a letter or a digit",
            ));
        }
        let path = self.path(context, &name)?;
        if !self.overwrite && exists(&context.vault().root().join(path.as_str())) {
            let current_version = context.page_at(&path)?.map(|page| page.version);
            let hint = "use another title, or edit it with `lore edit-note`, or pass --overwrite";
            let failure = AppError::new(Code::Exists, format!("{path} already exists"), hint);
            return Err(AppError { current_version, ..failure });
        }
        let text = self.text().map_err(|error| AppError::usage(error.to_string(), "fix the content"))?;
        let expected_version = (!self.overwrite).then_some(0);
        let options = WriteOptions::dropping(&path, Dropped::parse(self.drop.iter().map(String::as_str)));
        let change = PageChange { path, action: Action::Put(text.into_bytes()), expected_version };
        let written = WriteResult::new(write_as(context, &[change], &options)?);
        Ok(NoteWritten {
            title: self.title,
            permalink: written.slug.clone(),
            file_path: written.path.clone(),
            written,
        })
    }
}

impl WriteNote {
    /// Returns the file of the note with this title, or a free one: `C#` is not written to the file of `C++`.
    fn path(&self, context: &VaultContext, name: &str) -> Result<VaultPath> {
        let folder = self.directory.trim_matches('/');
        let folder = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        for number in 1..=MAX_NAMES {
            let number = if number == 1 { String::new() } else { format!("-{number}") };
            let path = new_path(context, &format!("{folder}{name}{number}.md"))?;
            let is_free = !exists(&context.vault().root().join(path.as_str()));
            if is_free || context.page_at(&path)?.is_none_or(|page| !differs(&self.title, &page.title)) {
                return Ok(path);
            }
        }
        let message = format!("{MAX_NAMES} notes have the file name {name}");
        Err(AppError::new(Code::Exists, message, "use a title with other letters or digits"))
    }

    fn text(&self) -> std::result::Result<String, edit::EditError> {
        let mut text = self.content.trim_start_matches('\u{feff}').to_owned();
        if !text.ends_with('\n') {
            text.push('\n');
        }
        if !text.starts_with("---\n") && !text.starts_with("---\r\n") {
            text = format!("---\n---\n\n{text}");
        }
        text = edit::set_property(&text, "title", &Value::Text(self.title.clone()))?;
        text = edit::set_property(&text, "type", &Value::Text(self.note_type.clone()))?;
        if !self.tags.is_empty() {
            let tags = self.tags.iter().cloned().map(Value::Text).collect();
            text = edit::set_property(&text, "tags", &Value::List(tags))?;
        }
        for (key, value) in &self.metadata {
            text = edit::set_property(&text, key, &value_of(value))?;
        }
        Ok(text)
    }
}

impl Render for NoteWritten {
    fn human(&self) -> String {
        self.written.human()
    }
}
