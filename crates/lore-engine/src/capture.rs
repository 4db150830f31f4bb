//! `capture`: the front door for something worth keeping. Pages that say much the same come first; then one of them is
//! extended or updated, or a new one is written, with the properties its schema wants, tags that the vault knows and
//! links to what is related.

mod change;
mod nearness;
mod page;
mod related;
mod similar;
mod tags;

pub(crate) use page::{Naming, NewPage, first_sentence, free_path_of, list, new_page, title_of};
pub(crate) use similar::page_terms;
pub use similar::{Comparison, Similar, Way, similar_pages};

use change::{Onto, change};
use page::free_path;
use related::{related_pages, with_links};

use crate::error::{Error, Result};
use crate::gaps::check_gaps;
use crate::index::PageRow;
use crate::lint::{page_findings, refuse};
use crate::memory::Memory;
use crate::policy::Lint;
use crate::raw::{RawText, raw_changes};
use crate::write::{Action, Noted, PageChange, Receipt, Terms, is_committed, write_as};

/// How often another name is tried.
const TRIES: usize = 20;

/// What is to be kept.
#[derive(Debug, Default)]
pub struct CaptureRequest {
    /// The text.
    pub text: String,
    /// Its title; without one, its first heading or sentence.
    pub title: Option<String>,
    /// Its tags.
    pub tags: Vec<String>,
    /// Where it was learnt.
    pub source: Option<String>,
    /// The page to add it to.
    pub extend: Option<String>,
    /// The page whose truth it replaces.
    pub update: Option<String>,
    /// The version of that page which the caller has read.
    pub expected_version: Option<u64>,
    /// Whether to write it whatever is there.
    pub keep: bool,
    /// The names of the directories the work is done in, the nearest first, where that is not the vault.
    pub directories: Vec<String>,
    /// What the person or agent calls the session.
    pub session: Option<String>,
    /// The outside text it rests on.
    pub raw: Option<RawText>,
    /// The gaps that its page fills.
    pub fills: Vec<u64>,
}

/// What became of it.
#[derive(Debug)]
pub enum Captured {
    /// A new page is written.
    New(Box<NewCapture>),
    /// A page that was there has it now.
    Changed(Receipt),
    /// Nothing is written yet: these pages say much the same.
    Similar(Comparison),
}

/// A new page.
#[derive(Debug)]
pub struct NewCapture {
    /// What was written; the first file is the page.
    pub receipt: Receipt,
    /// The page.
    pub page: Option<PageRow>,
    /// The pages it links to because they are related.
    pub related: Vec<PageRow>,
    /// What it was held against.
    pub compared: Comparison,
}

/// Keeps a text.
pub fn capture(memory: &Memory, request: &CaptureRequest) -> Result<Captured> {
    if request.text.trim().is_empty() {
        return Err(Error::BadInput {
            message: "there is nothing to keep".into(),
            hint: "give the text, or --file, or pipe it in".into(),
        });
    }
    refuse_secrets(memory, request)?;
    check_gaps(memory, &request.fills)?;
    match (&request.extend, &request.update) {
        (Some(_), Some(_)) => {
            return Err(Error::BadInput {
                message: "a text cannot both be added to a page and take its place".into(),
                hint: "give either --extend or --update".into(),
            });
        }
        (Some(page), None) => return change(memory, page, request, Onto::Extend).map(Captured::Changed),
        (None, Some(page)) => return change(memory, page, request, Onto::Update).map(Captured::Changed),
        (None, None) => {}
    }
    let title = title_of(request.title.as_deref(), &request.text);
    let found = similar_pages(memory, &title, &request.text)?;
    if !found.similar.is_empty() && !request.keep {
        return Ok(Captured::Similar(found));
    }
    create(memory, request, &title, found).map(|new| Captured::New(Box::new(new)))
}

/// Looked for before a name is made of the text, since a refusal names the file; and before a model reads it, since that
/// may be a service.
fn refuse_secrets(memory: &Memory, request: &CaptureRequest) -> Result<()> {
    refuse_secret(memory, "the text", &request.text)?;
    refuse_secret(memory, "the title", request.title.as_deref().unwrap_or_default())
}

/// Fails where a text has a credential in it.
pub(crate) fn refuse_secret(memory: &Memory, what: &str, text: &str) -> Result<()> {
    let mut found = page_findings(&memory.policy(), what, text);
    found.retain(|found| found.lint == Lint::Secret);
    refuse(found).map(drop)
}

/// Writes a new page. Its name is chosen before the vault is locked, so that another may take it first: then another
/// name is.
fn create(
    memory: &Memory,
    request: &CaptureRequest,
    title: &str,
    compared: Comparison,
) -> Result<NewCapture> {
    let near = related_pages(memory, &compared, &request.text)?;
    let mut tries = 1..=TRIES;
    let (receipt, related) = loop {
        match (try_create(memory, request, title, &near), tries.next()) {
            (Err(Error::Conflict { expected: 0, .. }), Some(_)) => {}
            (done, _) => break done?,
        }
    };
    let page = match receipt.files.first() {
        Some(file) => memory.page_at(&file.path)?,
        None => None,
    };
    Ok(NewCapture { receipt, page, related, compared })
}

fn try_create(
    memory: &Memory,
    request: &CaptureRequest,
    title: &str,
    near: &[PageRow],
) -> Result<(Receipt, Vec<PageRow>)> {
    let path = free_path(memory, title)?;
    let (raw, source) = match &request.raw {
        Some(raw) => raw_changes(memory, raw, title, request.source.as_deref())?,
        None => (Vec::new(), request.source.clone()),
    };
    let new = NewPage {
        text: &request.text,
        title,
        tags: tags::tags(memory, request, &path, title)?,
        source,
        directory: request.directories.first().map(String::as_str),
        more: more(memory, request, &path),
    };
    let text = new_page(memory, &path, &new)?;
    let (text, related) = with_links(memory, text, title, near.to_vec())?;
    let page =
        PageChange { path: path.clone(), action: Action::Put(text.into_bytes()), expected_version: Some(0) };
    let changes: Vec<PageChange<'_>> = std::iter::once(page).chain(raw).collect();
    Ok((write_as(memory, &changes, &terms_of(format!("Capture {path}"), request, &path))?, related))
}

/// Where a page comes from, on pages without a schema: one that has a schema has what that asks for. The session stands
/// in the commit, so it is written only where there is none.
fn more(memory: &Memory, request: &CaptureRequest, path: &str) -> Vec<(&'static str, String)> {
    if memory.policy().schema(path).is_some() {
        return Vec::new();
    }
    let session = request.session.clone().filter(|_| !is_committed(memory));
    let kind = ("source_type", "capture".to_owned());
    std::iter::once(kind).chain(session.map(|session| ("session", session))).collect()
}

fn terms_of(subject: String, request: &CaptureRequest, path: &str) -> Terms {
    Terms { subject: Some(subject), noted: Noted::filling(&request.fills, path), ..Terms::default() }
}
