//! Applies a source to one page: a new page, a rewrite if it says something new, and its evidence in any case.

use lore_engine::{Action, Error, PageChange, Result, VaultContext};
use lore_page::edit::Dropped;
use lore_page::{Format, edit, parse};
use lore_ports::PageRow;
use lore_vault::{VaultPath, decode, without_extension};

use super::IngestRequest;
use super::evidence::Evidence;
use crate::novelty::{Novelty, NoveltyKind, novelty};

/// Changes to a page derived from a source.
#[derive(Debug)]
pub struct PageIngest {
    /// Path.
    pub path: String,
    /// Complete new text; none to add evidence only.
    pub content: Option<String>,
    /// Text to add to the existing text.
    pub append: Option<String>,
    /// Version the caller has read; 0 for a new page.
    pub expected_version: u64,
    /// Evidence in the source.
    pub evidence: Evidence,
    /// Structured lines that the new text removes.
    pub dropped: Dropped,
}

/// What happened to a page's new text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RewriteOutcome {
    /// No text was given.
    None,
    /// The text was written.
    Written,
    /// The text was added to the page.
    Appended,
    /// The text was skipped because the page already says the same.
    Skipped,
}

impl RewriteOutcome {
    /// Returns the name.
    pub fn name(self) -> &'static str {
        match self {
            RewriteOutcome::None => "none",
            RewriteOutcome::Written => "written",
            RewriteOutcome::Appended => "appended",
            RewriteOutcome::Skipped => "skipped",
        }
    }
}

/// A change ready for the write path.
pub(super) struct PlannedPage<'a> {
    pub change: PageChange<'a>,
    pub derived: RewriteOutcome,
    pub novelty: Option<Novelty>,
}

/// Plans the change to a page.
pub(super) fn plan_page<'a>(
    context: &'a VaultContext,
    request: &IngestRequest,
    page: &'a PageIngest,
) -> Result<PlannedPage<'a>> {
    let old = match (page.expected_version, context.page_at(&page.path)?) {
        (1.., Some(row)) => context.vault().read(&page.path, u64::MAX)?.map(|file| (row, file.bytes)),
        _ => None,
    };
    match (&page.content, old) {
        (Some(content), Some((row, bytes))) => {
            rewrite(context, request, page, content, &row, &decode(&bytes).text)
        }
        (Some(content), None) => Ok(PlannedPage {
            change: put(context, page, content),
            derived: RewriteOutcome::Written,
            novelty: None,
        }),
        (None, _) if page.expected_version == 0 => Err(Error::BadInput {
            message: format!("{}: a new page needs content", page.path),
            hint: "pass `content`, or the version of the existing page as `expected_version`".into(),
        }),
        (None, _) => Ok(PlannedPage {
            change: add(context, page, page.evidence.clone()),
            derived: page.append.as_ref().map_or(RewriteOutcome::None, |_| RewriteOutcome::Appended),
            novelty: None,
        }),
    }
}

/// Plans a rewrite: the text is written if it is new or forced, else only its evidence.
fn rewrite<'a>(
    context: &'a VaultContext,
    request: &IngestRequest,
    page: &'a PageIngest,
    content: &str,
    row: &PageRow,
    old: &str,
) -> Result<PlannedPage<'a>> {
    let (new_page, old_page) = (parse(&page.path, content).page, parse(&page.path, old).page);
    let found = novelty(context, new_page.truth.of(content), old_page.truth.of(old), row)?;
    if found.kind != NoveltyKind::Novel && !request.force {
        // Entries, relations, facts and tags in the text itself are evidence too.
        let mut evidence = Evidence::of(&new_page);
        evidence.entries.extend(page.evidence.entries.iter().cloned());
        evidence.relations.extend(page.evidence.relations.iter().cloned());
        evidence.facts.extend(page.evidence.facts.iter().cloned());
        evidence.tags.extend(page.evidence.tags.iter().cloned());
        return Ok(PlannedPage {
            change: add(context, page, evidence),
            derived: RewriteOutcome::Skipped,
            novelty: Some(found),
        });
    }
    let change = put(context, page, content);
    Ok(PlannedPage { change, derived: RewriteOutcome::Written, novelty: Some(found) })
}

/// Writes the text; the evidence is added to it together with the lines that it keeps.
fn put<'a>(context: &'a VaultContext, page: &'a PageIngest, content: &str) -> PageChange<'a> {
    let edit = move |text: &str| page.evidence.add_to(context, &page.path, text);
    PageChange {
        path: VaultPath::known(page.path.clone()),
        action: Action::PutThen(content.to_owned().into_bytes(), Box::new(edit)),
        expected_version: Some(page.expected_version),
    }
}

fn add<'a>(context: &'a VaultContext, page: &'a PageIngest, evidence: Evidence) -> PageChange<'a> {
    let edit = move |text: &str| {
        let text = appended(page, text)?;
        evidence.add_to(context, &page.path, &text)
    };
    PageChange {
        path: VaultPath::known(page.path.clone()),
        action: Action::Edit(Box::new(edit)),
        expected_version: Some(page.expected_version),
    }
}

/// Returns a page's text with the text to append at the end of its truth, unless it is already in it.
fn appended(page: &PageIngest, text: &str) -> Result<String> {
    let Some(addition) = page.append.as_deref().map(str::trim).filter(|addition| !addition.is_empty()) else {
        return Ok(text.to_owned());
    };
    if parse(&page.path, text).page.truth.of(text).contains(addition) {
        return Ok(text.to_owned());
    }
    let failed = |source| Error::Edit { slug: without_extension(&page.path).to_owned(), source };
    edit::add_to_truth(Format::of(&page.path), text, addition).map_err(failed)
}
