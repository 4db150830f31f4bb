//! `write-note`: writes a page by title.

use std::collections::BTreeSet;

use clap::Args;
use lore_engine::{
    Action, Code, DEFAULT_TYPE, PageChange, VaultContext, WriteOptions, as_path, without_scheme, write_as,
};
use lore_page::edit::Dropped;
use lore_page::{Format, Value, edit, parse};
use lore_ports::{NameQuery, PageNo, PageRow};
use lore_text::{fold, slugify};
use lore_vault::{VaultPath, exists, folder, without_extension};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Map;

use crate::app::error::{AppError, Result};
use crate::app::session::Session;
use crate::ops::line::Line;
use crate::ops::pages::put::{differs, new_path};
use crate::ops::views::{WriteResult, typed};
use crate::ops::{Operation, Render};

/// Write a note; its file is named after its title
///
/// The note with this title or file name is looked for first; a new file is named as its neighbours are.
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
    /// Folder of the note; / is the root [default: that of the note with this title, else the root]
    #[arg(long)]
    #[serde(default)]
    directory: Option<String>,
    /// Tags of the note
    #[arg(long, value_delimiter = ',')]
    #[serde(default)]
    tags: Vec<String>,
    /// Type of the note [default: that in the text, else note]
    #[arg(long)]
    #[serde(default)]
    note_type: Option<String>,
    /// Other properties
    #[arg(skip)]
    #[serde(default)]
    pub(super) metadata: Map<String, serde_json::Value>,
    /// Replace an existing note
    #[arg(long)]
    #[serde(default)]
    overwrite: bool,
    /// Fail unless the file of the note has this SHA-256
    #[arg(long, value_name = "HASH")]
    #[serde(default)]
    expected_hash: Option<String>,
    /// Line to remove, or facts, relations, observations, timeline, all
    #[arg(long, value_name = "LINE", allow_hyphen_values = true)]
    #[serde(default)]
    drop: Vec<String>,
}

/// Maximum number of titles that may share a file name.
const MAX_NAMES: usize = 100;

/// Output of `write-note`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct NoteWritten {
    title: String,
    permalink: String,
    file_path: Line,
    /// SHA-256 of the file.
    hash: String,
    #[serde(flatten)]
    written: WriteResult,
}

impl Operation for WriteNote {
    const NAME: &'static str = "write-note";
    const WRITES: bool = true;
    const HIDDEN: bool = true;
    type Output = NoteWritten;

    fn run(mut self, session: &Session) -> Result<NoteWritten> {
        let context = session.fresh()?;
        self.place(session, context)?;
        let path = match self.existing(context)? {
            Some(page) => VaultPath::known(page.path),
            None => self.new_path(context)?,
        };
        if !self.overwrite && exists(&context.vault().root().join(path.as_str())) {
            let current_version = context.page_at(&path)?.map(|page| page.version);
            let hint = "use another title, or edit it with `lore edit-note`, or pass --overwrite";
            let failure = AppError::new(Code::Exists, format!("{path} already exists"), hint);
            return Err(AppError { current_version, ..failure });
        }
        let checked = checked_version(context, &path, self.expected_hash.as_deref())?;
        let text = self
            .text(old_head(context, &path)?.as_deref())
            .map_err(|error| AppError::usage(error.to_string(), "fix the content"))?;
        let expected_version = checked.or((!self.overwrite).then_some(0));
        let options = WriteOptions::dropping(&path, Dropped::parse(self.drop.iter().map(String::as_str)));
        let change = PageChange { path, action: Action::Put(text.into_bytes()), expected_version };
        let written = WriteResult::new(write_as(context, &[change], &options)?);
        Ok(NoteWritten {
            title: self.title,
            permalink: written.slug.clone(),
            file_path: written.path.clone(),
            hash: hash_of(context, &written.path)?,
            written,
        })
    }
}

impl WriteNote {
    /// Returns the parameters for a note that does not exist yet, named by a path or a title.
    pub(super) fn new(reference: &str, content: String) -> WriteNote {
        let reference = without_scheme(as_path(reference).unwrap_or(reference.trim()));
        let name = without_extension(reference);
        let (directory, title) = name.rsplit_once('/').unwrap_or(("", name));
        WriteNote {
            title: title.to_owned(),
            content,
            directory: Some(directory.to_owned()),
            tags: Vec::new(),
            note_type: None,
            metadata: Map::new(),
            overwrite: false,
            expected_hash: None,
            drop: Vec::new(),
        }
    }

    /// Writes the note and returns its title and the result of the write.
    pub(super) fn write(self, session: &Session) -> Result<(String, WriteResult)> {
        self.run(session).map(|written| (written.title, written.written))
    }

    /// Puts the directory into the folder of the session's namespace.
    fn place(&mut self, session: &Session, context: &VaultContext) -> Result<()> {
        let Some(namespace) = session.namespace_to_write(context)? else { return Ok(()) };
        let folder = context.policy().namespace_folder(&namespace);
        let given = self.directory.as_deref().map(|given| given.trim().trim_matches('/')).unwrap_or_default();
        let is_inside = given == folder || given.starts_with(&format!("{folder}/"));
        self.directory = Some(match (is_inside, given) {
            (true, given) => given.to_owned(),
            (false, "") => folder,
            (false, given) => format!("{folder}/{given}"),
        });
        Ok(())
    }

    /// Returns the directory of the note as it is spelled on disk; none if the call does not name one. An empty one, which
    /// is the default in many clients, names none; the root is `/`.
    fn directory(&self, context: &VaultContext) -> Option<String> {
        let given = self.directory.as_deref().map(str::trim).filter(|given| !given.is_empty())?;
        let directory = given.trim_matches('/');
        Some(context.folder_on_disk(directory))
    }

    /// Returns the note with this title or file name: in the given directory, else the only one anywhere.
    fn existing(&self, context: &VaultContext) -> Result<Option<PageRow>> {
        let slug = slugify(&self.title).replace('/', "-");
        let (title, directory) = (fold(self.title.trim()), self.directory(context));
        let rows = context.store().lookup(context.project(), &NameQuery::Exact(&[&title, &slug]))?;
        let numbers: BTreeSet<PageNo> = rows.iter().map(|row| row.page).collect();
        let mut pages = context.store().pages(context.project(), &numbers.into_iter().collect::<Vec<_>>())?;
        let has_title = |page: &PageRow| fold(&page.title) == title;
        let has_name =
            |page: &PageRow| slugify(file_stem(&page.path)) == slug && !differs(&self.title, &page.title);
        pages.retain(|page| {
            let is_there =
                directory.as_deref().is_none_or(|directory| fold(folder(&page.path)) == fold(directory));
            is_there && (has_title(page) || has_name(page))
        });
        // The title is what the caller named; a file name is only derived from it.
        if pages.iter().any(has_title) {
            pages.retain(has_title);
        }
        match pages.len() {
            0 | 1 => Ok(pages.pop()),
            _ => Err(AppError::new(
                Code::Ambiguous,
                format!("several notes have the title {:?}: {}", self.title, paths(&pages)),
                "pass --directory",
            )),
        }
    }

    /// Returns a free path for a new note, named as its neighbours are: `C#` is not written to the file of `C++`.
    fn new_path(&self, context: &VaultContext) -> Result<VaultPath> {
        let directory = self.directory(context).unwrap_or_default();
        let name = context.file_name_for(&directory, &self.title)?;
        if name.is_empty() {
            return Err(AppError::usage(
                format!("cannot derive a file name from the title {:?}", self.title),
                "use a title with a letter or a digit",
            ));
        }
        let directory = if directory.is_empty() { directory } else { format!("{directory}/") };
        for number in 1..=MAX_NAMES {
            let number = if number == 1 { String::new() } else { format!("-{number}") };
            let path = new_path(context, &format!("{directory}{name}{number}.md"))?;
            let is_free = !exists(&context.vault().root().join(path.as_str()));
            // A file that is not a page must not be replaced either.
            if is_free || context.page_at(&path)?.is_none() {
                return Ok(path);
            }
        }
        let message = format!("{MAX_NAMES} notes have the file name {name}");
        Err(AppError::new(Code::Exists, message, "use a title with other letters or digits"))
    }

    /// Returns the new text. Without frontmatter of its own, it gets that of the note that it replaces.
    fn text(&self, head: Option<&str>) -> std::result::Result<String, edit::EditError> {
        let mut text = self.content.trim_start_matches('\u{feff}').to_owned();
        if !text.ends_with('\n') {
            text.push('\n');
        }
        let own = parse("x.md", &text).page;
        if own.frontmatter.is_none() {
            text = format!("{}\n{text}", head.unwrap_or("---\n---\n"));
        }
        text = edit::set_property(Format::Markdown, &text, "title", &Value::Text(self.title.clone()))?;
        // The type in the content is more specific than the default.
        let kind = self.note_type.clone().or(own.kind).unwrap_or_else(|| DEFAULT_TYPE.into());
        text = edit::set_property(Format::Markdown, &text, "type", &Value::Text(kind))?;
        if !self.tags.is_empty() {
            let tags = self.tags.iter().cloned().map(Value::Text).collect();
            text = edit::set_property(Format::Markdown, &text, "tags", &Value::List(tags))?;
        }
        for (key, value) in &self.metadata {
            text = edit::set_typed_property(Format::Markdown, &text, key, &typed(value))?;
        }
        Ok(text)
    }
}

/// Returns the frontmatter of a note, if it has one.
fn old_head(context: &VaultContext, path: &str) -> Result<Option<String>> {
    let Some(file) = context.vault().read(path, u64::MAX)? else { return Ok(None) };
    let text = lore_vault::decode(&file.bytes).text.into_owned();
    let head = parse(path, &text).page.frontmatter;
    let head = head.map(|lines| text.split_inclusive('\n').take(lines.last as usize).collect::<String>());
    Ok(head.filter(|head| head.ends_with('\n')))
}

/// Returns the version of a file that has the expected hash; an error if it has another.
pub(super) fn checked_version(
    context: &VaultContext,
    path: &str,
    expected_hash: Option<&str>,
) -> Result<Option<u64>> {
    let Some(expected) = expected_hash else { return Ok(None) };
    // The version is read first: a change in between is then refused.
    let version = context.version_of(path)?;
    let found = hash_of(context, path)?;
    if found == expected {
        return Ok(Some(version));
    }
    let message = match found.is_empty() {
        true => format!("{path} does not exist"),
        false => format!("{path} changed since it was read: its hash is now {found}"),
    };
    let failure = AppError::new(Code::Conflict, message, "read it again, then retry with its hash");
    Err(AppError { current_version: Some(version), ..failure })
}

/// Returns the hash of a file; empty if there is none.
pub(super) fn hash_of(context: &VaultContext, path: &str) -> Result<String> {
    let file = context.vault().read(path, u64::MAX)?;
    Ok(file.map(|file| lore_text::ContentHash::of(&file.bytes).to_string()).unwrap_or_default())
}

fn file_stem(path: &str) -> &str {
    let stem = without_extension(path);
    stem.rsplit('/').next().unwrap_or(stem)
}

fn paths(pages: &[PageRow]) -> String {
    pages.iter().map(|page| page.path.as_str()).collect::<Vec<_>>().join(", ")
}

impl Render for NoteWritten {
    fn human(&self) -> String {
        self.written.human()
    }
}
