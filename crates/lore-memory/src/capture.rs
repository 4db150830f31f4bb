//! Captures a note. Similar pages are reported first; otherwise the text extends or updates an existing page or becomes
//! a new one, with the properties its schema requires, tags already used in the vault and links to related pages.

mod change;
mod page;
mod related;
mod semantic_similarity;
mod similar;
mod tags;

pub(crate) use page::{Naming, NewPage, free_path_of, is_taken, list, new_page};
pub use similar::{Comparison, Similar, SimilarityMethod, similar_pages};

use lore_engine::{
    Action, Error, LedgerNotes, PageChange, Receipt, Result, VaultContext, WriteOptions, is_committed,
    refuse_secret, write_as,
};
use lore_page::edit::Dropped;
use lore_ports::PageRow;
use lore_vault::VaultPath;

use crate::gaps::check_gaps;
use crate::page_text::title_of;
use crate::raw_captures::{RawText, raw_changes};

use change::{ChangeMode, change};
use page::free_path;
use related::{related_pages, with_links};

/// Maximum number of attempts to find a free file name.
const MAX_ATTEMPTS: usize = 20;

/// A note to capture.
#[derive(Debug, Default)]
pub struct CaptureRequest {
    /// Text of the note.
    pub text: String,
    /// Title; defaults to the first heading or the first sentence.
    pub title: Option<String>,
    /// Tags to set.
    pub tags: Vec<String>,
    /// Source of the information.
    pub source: Option<String>,
    /// Page to append the text to.
    pub extend: Option<String>,
    /// Page whose truth the text replaces.
    pub update: Option<String>,
    /// Version of that page the caller has read.
    pub expected_version: Option<u64>,
    /// Whether to write a new page even if similar pages exist.
    pub keep: bool,
    /// Names of the working directories outside the vault, nearest first.
    pub directories: Vec<String>,
    /// Session name given by the person or agent.
    pub session: Option<String>,
    /// External text the note is based on.
    pub raw: Option<RawText>,
    /// Gaps that the new page fills.
    pub fills: Vec<u64>,
    /// Structured lines that an update removes.
    pub dropped: Dropped,
}

/// Outcome of a capture.
#[derive(Debug)]
pub enum Captured {
    /// A new page was written.
    New(Box<NewCapture>),
    /// An existing page was changed.
    Changed(Receipt),
    /// Nothing was written because similar pages exist.
    Similar(Comparison),
}

/// A page created by a capture.
#[derive(Debug)]
pub struct NewCapture {
    /// Receipt of the write; its first file is the page.
    pub receipt: Receipt,
    /// Index row of the page.
    pub page: Option<PageRow>,
    /// Related pages that the page links to.
    pub related: Vec<PageRow>,
    /// Result of the similarity check.
    pub compared: Comparison,
}

/// Captures a text.
pub fn capture(context: &VaultContext, request: &CaptureRequest) -> Result<Captured> {
    if request.text.trim().is_empty() {
        return Err(Error::BadInput {
            message: "the text is empty".into(),
            hint: "pass the text to save".into(),
        });
    }
    refuse_secrets(context, request)?;
    check_gaps(context, &request.fills)?;
    match (&request.extend, &request.update) {
        (Some(_), Some(_)) => {
            return Err(Error::BadInput {
                message: "extend and update cannot be used together".into(),
                hint: "pass only one of them".into(),
            });
        }
        (Some(page), None) => {
            return change(context, page, request, ChangeMode::Extend).map(Captured::Changed);
        }
        (None, Some(page)) => {
            return change(context, page, request, ChangeMode::Update).map(Captured::Changed);
        }
        (None, None) => {}
    }
    let title = title_of(request.title.as_deref(), &request.text);
    let found = similar_pages(context, &title, &request.text)?;
    if !found.similar.is_empty() && !request.keep {
        return Ok(Captured::Similar(found));
    }
    create(context, request, &title, found).map(|new| Captured::New(Box::new(new)))
}

/// Rejects credentials before a file name is derived from the text, because the error names the file, and before a
/// model reads the text, because the model may be a remote service.
fn refuse_secrets(context: &VaultContext, request: &CaptureRequest) -> Result<()> {
    refuse_secret(context, "the text", &request.text)?;
    refuse_secret(context, "the title", request.title.as_deref().unwrap_or_default())
}

/// Writes a new page. The name is chosen before the vault is locked, so another writer may take it first; then the next
/// name is tried.
fn create(
    context: &VaultContext,
    request: &CaptureRequest,
    title: &str,
    compared: Comparison,
) -> Result<NewCapture> {
    let near = related_pages(context, &compared, &request.text)?;
    let mut attempts = 1..=MAX_ATTEMPTS;
    let (receipt, related) = loop {
        match (try_create(context, request, title, &near), attempts.next()) {
            (Err(Error::Conflict { expected: 0, .. }), Some(_)) => {}
            (result, _) => break result?,
        }
    };
    let page = match receipt.files.first() {
        Some(file) => context.page_at(&file.path)?,
        None => None,
    };
    Ok(NewCapture { receipt, page, related, compared })
}

fn try_create(
    context: &VaultContext,
    request: &CaptureRequest,
    title: &str,
    near: &[PageRow],
) -> Result<(Receipt, Vec<PageRow>)> {
    let path = free_path(context, title)?;
    let (raw, source) = match &request.raw {
        Some(raw) => raw_changes(context, raw, title, request.source.as_deref())?,
        None => (Vec::new(), request.source.clone()),
    };
    let new = NewPage {
        text: &request.text,
        title,
        tags: tags::tags(context, request, &path, title)?,
        source,
        directory: request.directories.first().map(String::as_str),
        extra: provenance(context, request, &path),
    };
    let text = new_page(context, &path, &new)?;
    let (text, related) = with_links(context, text, title, near.to_vec())?;
    let page = PageChange {
        path: VaultPath::known(path.clone()),
        action: Action::Put(text.into_bytes()),
        expected_version: Some(0),
    };
    let changes: Vec<PageChange<'_>> = std::iter::once(page).chain(raw).collect();
    Ok((write_as(context, &changes, &write_options(format!("Capture {path}"), request, &path))?, related))
}

/// Returns provenance properties for pages without a schema; a schema lists the ones it needs itself. The commit
/// records the session, so it is only written when there is no commit.
fn provenance(context: &VaultContext, request: &CaptureRequest, path: &str) -> Vec<(&'static str, String)> {
    if context.policy().schema(path).is_some() {
        return Vec::new();
    }
    let session = request.session.clone().filter(|_| !is_committed(context));
    let kind = ("source_type", "capture".to_owned());
    std::iter::once(kind).chain(session.map(|session| ("session", session))).collect()
}

fn write_options(subject: String, request: &CaptureRequest, path: &str) -> WriteOptions {
    WriteOptions {
        subject: Some(subject),
        noted: LedgerNotes::filling(&request.fills, path),
        ..WriteOptions::dropping(path, request.dropped.clone())
    }
}
