//! Captures a note. Similar pages are reported first; otherwise the text extends or updates an existing page or becomes
//! a new one, with the properties its schema requires, tags already used in the vault and links to related pages.
//!
//! Pages are compared before the vault is locked, since a model may take its time. Under the lock, the comparison must
//! still be current: of several captures of one note at the same time, one is written and the others find it.

mod change;
mod current;
mod page;
mod related;
mod semantic_similarity;
mod similar;
mod tags;

pub(crate) use page::{Naming, NewPage, free_path_of, in_format, is_taken, is_title_taken, list, new_page};
pub use similar::{Comparison, Similar, SimilarityMethod, similar_pages, similar_pages_in};

use lore_engine::{
    Action, Error, LedgerNotes, PageChange, Receipt, Result, VaultContext, WriteOptions, is_committed,
    is_known_namespace, link_target, named_namespace, refuse_secret, target_of, write_as,
};
use lore_page::edit::Dropped;
use lore_page::{Format, Interval, edit};
use lore_ports::{Filter, PageRow};
use lore_vault::VaultPath;
use lore_vault::fault::fault;

use crate::gaps::check_gaps;
use crate::page_text::title_of;
use crate::raw_captures::{RawText, raw_changes};

use change::{ChangeMode, change};
use current::Current;
use page::{Place, place};
use related::{related_pages, with_links};

/// Maximum number of attempts to find a free file name.
const MAX_ATTEMPTS: usize = 20;

/// Number of comparisons after which a busy vault is only searched for the same words under the lock.
const MAX_COMPARISONS: usize = 5;

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
    /// Page that the new page replaces.
    pub supersedes: Option<String>,
    /// Page that the new page contradicts.
    pub contradicts: Option<String>,
    /// Namespace of the new page; only its pages are compared.
    pub namespace: Option<String>,
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
    create_unless_similar(context, request)
}

/// Creates a page, unless there are similar ones and the request does not accept them. A comparison that another writer
/// has made obsolete is made again.
fn create_unless_similar(context: &VaultContext, request: &CaptureRequest) -> Result<Captured> {
    let title = title_of(request.title.as_deref(), &request.text);
    let filter = namespace_filter(context, request)?;
    let accepts = request.keep || request.supersedes.is_some() || request.contradicts.is_some();
    let relations = stated_relations(context, request)?;
    let mut comparisons = 0;
    loop {
        comparisons += 1;
        let current = Current::new(context, &filter)?;
        let found = similar_pages_in(context, &title, &request.text, &filter)?;
        if !found.similar.is_empty() && !accepts {
            return Ok(Captured::Similar(found));
        }
        let current = match (accepts, comparisons < MAX_COMPARISONS) {
            (true, _) => current.whatever_happens(),
            (false, true) => current,
            (false, false) => current.unless_the_words_are_there(&title, &request.text),
        };
        let new = NewRequest { request, title: &title, relations: &relations, current: &current };
        match create(context, &new, found) {
            Err(_) if current.is_outdated() => {}
            created => return created.map(|new| Captured::New(Box::new(new))),
        }
    }
}

/// Returns the filter of pages that a note is compared with. A namespace that nothing belongs to is probably misspelt.
fn namespace_filter(context: &VaultContext, request: &CaptureRequest) -> Result<Filter> {
    let Some(name) = &request.namespace else { return Ok(Filter::default()) };
    if !is_known_namespace(context, name)? {
        return Err(Error::BadInput {
            message: format!("there is no namespace {name:?}"),
            hint: format!("create it with `lore ns create {name}`, or list namespaces with `lore ns list`"),
        });
    }
    Ok(Filter { namespace: Some(named_namespace(context, name)), ..Filter::default() })
}

/// Returns the relations of the new page that the request states.
fn stated_relations(context: &VaultContext, request: &CaptureRequest) -> Result<Vec<edit::NewRelation>> {
    let stated = [("supersedes", &request.supersedes), ("contradicts", &request.contradicts)];
    let given = stated.into_iter().filter_map(|(verb, page)| Some((verb, page.as_ref()?)));
    let relation = |(verb, name): (&str, &String)| -> Result<edit::NewRelation> {
        let page = context.page(name)?;
        context.refuse_node(&page, name)?;
        Ok(edit::NewRelation {
            relation: verb.to_owned(),
            target: target_of(context, &page)?,
            label: None,
            context: None,
            interval: Interval::default(),
        })
    };
    given.map(relation).collect()
}

/// A new page to write.
struct NewRequest<'a> {
    request: &'a CaptureRequest,
    title: &'a str,
    /// Relations that the request states.
    relations: &'a [edit::NewRelation],
    current: &'a Current,
}

/// Rejects credentials before a file name is derived from the text, because the error names the file, and before a
/// model reads the text, because the model may be a remote service.
fn refuse_secrets(context: &VaultContext, request: &CaptureRequest) -> Result<()> {
    refuse_secret(context, "the text", &request.text)?;
    refuse_secret(context, "the title", request.title.as_deref().unwrap_or_default())
}

/// Writes a new page. The name is chosen before the vault is locked, so another writer may take it first; then the next
/// name is tried.
fn create(context: &VaultContext, new: &NewRequest<'_>, compared: Comparison) -> Result<NewCapture> {
    let mut near = related_pages(context, &compared, &new.request.text)?;
    let stated: Vec<&str> = new.relations.iter().map(|relation| relation.target.as_str()).collect();
    near.retain(|page| !stated.contains(&page.slug.as_str()));
    fault("compared");
    let mut attempts = 1..=MAX_ATTEMPTS;
    let (receipt, related) = loop {
        match (try_create(context, new, &near), attempts.next()) {
            (Err(Error::Conflict { expected: 0, .. }), Some(_)) if !new.current.is_outdated() => {}
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
    new: &NewRequest<'_>,
    near: &[PageRow],
) -> Result<(Receipt, Vec<PageRow>)> {
    let NewRequest { request, title, relations, current } = new;
    let Place { path, project, namespace } = place(context, title, request.namespace.as_deref())?;
    let (raw, source) = match &request.raw {
        Some(raw) => raw_changes(context, raw, title, request.source.as_deref())?,
        None => (Vec::new(), request.source.clone()),
    };
    let new = NewPage {
        text: &request.text,
        title,
        tags: tags::tags(context, request, &path, title)?,
        source,
        directory: project.as_deref().or(request.directories.first().map(String::as_str)),
        extra: provenance(context, request, &path, namespace),
    };
    let mut text = new_page(context, &path, &new)?;
    for relation in *relations {
        let to = context.find(&relation.target)?;
        let (target, label) = match &to {
            Some(to) => link_target(&path, to, relation.target.clone()),
            None => (relation.target.clone(), None),
        };
        let relation = &edit::NewRelation { target, label, ..relation.clone() };
        let added = edit::add_relation(Format::of(&path), &text, relation);
        text = added.map_err(|source| Error::Edit { slug: path.clone(), source })?;
    }
    let (text, related) = with_links(context, &path, text, title, near.to_vec())?;
    let page = PageChange {
        path: VaultPath::known(path.clone()),
        action: Action::Put(text.into_bytes()),
        expected_version: Some(0),
    };
    let changes: Vec<PageChange<'_>> = std::iter::once(page).chain(raw).collect();
    let options = WriteOptions {
        precondition: Some(current.precondition()),
        ..write_options(format!("Capture {path}"), request, &path)
    };
    Ok((write_as(context, &changes, &options)?, related))
}

/// Returns provenance properties for pages without a schema; a schema lists the ones it needs itself. The commit
/// records the session, so it is only written when there is no commit.
fn provenance(
    context: &VaultContext,
    request: &CaptureRequest,
    path: &str,
    namespace: Option<String>,
) -> Vec<(&'static str, String)> {
    let mut properties: Vec<(&'static str, String)> =
        namespace.map(|name| ("namespace", name)).into_iter().collect();
    if context.policy().schema(path).is_none() {
        let session = request.session.clone().filter(|_| !is_committed(context));
        properties.push(("source_type", "capture".to_owned()));
        properties.extend(session.map(|session| ("session", session)));
    }
    properties
}

fn write_options(subject: String, request: &CaptureRequest, path: &str) -> WriteOptions {
    WriteOptions {
        subject: Some(subject),
        noted: LedgerNotes::filling(&request.fills, path),
        ..WriteOptions::dropping(path, request.dropped.clone())
    }
}
