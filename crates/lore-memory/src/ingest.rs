//! Imports a source. Its bytes go to the ledger, its evidence to a page of its own, and what it says about other pages
//! to those pages, all in one atomic change.

mod evidence;
mod imports;
mod page;
mod source;
mod source_date;

use lore_engine::{
    Error, ImportNote, LedgerNotes, Outcome, PageChange, Receipt, Result, VaultContext, WriteOptions,
    Written, write_as,
};
use lore_page::edit::LineChanges;
use lore_ports::ImportRow;
use lore_text::{ContentHash, PartialDate};
use lore_vault::exists;

use crate::gaps::check_gaps;
use crate::mentions::{Mention, mentions};
use crate::novelty::{Novelty, NoveltyKind};

pub use evidence::Evidence;
pub use page::{PageIngest, RewriteOutcome};
pub use source::SourceNovelty;
pub use source_date::DateOrigin;

use imports::known_source;

pub(crate) use imports::record_import;
use page::{PlannedPage, plan_page};
use source::{SourcePage, plan_source, source_novelty};

/// Maximum number of attempts when another process takes the name of the source's page.
const MAX_ATTEMPTS: usize = 20;

/// A source to import.
#[derive(Debug, Default)]
pub struct IngestRequest {
    /// The source; none if it is already imported and only pages change.
    pub source: Option<SourceText>,
    /// Type: `meeting`, `article`, `doc`, `conversation`.
    pub source_type: String,
    /// External reference: a URL or a meeting number.
    pub source_ref: Option<String>,
    /// Date of the source; none to take it from the source.
    pub date: Option<PartialDate>,
    /// Path of the page of the source; none to derive it from the title.
    pub source_path: Option<String>,
    /// Whether to import a known source again, and to rewrite pages that already say the same.
    pub force: bool,
    /// Gaps that the source fills.
    pub fills: Vec<u64>,
    /// Changes to pages derived from the source.
    pub pages: Vec<PageIngest>,
}

/// A source as received.
#[derive(Debug, Default)]
pub struct SourceText {
    /// Contents.
    pub bytes: Vec<u8>,
    /// Path it was read from.
    pub path: Option<String>,
}

/// Outcome of an import.
#[derive(Debug)]
pub enum Ingested {
    /// The same bytes are already imported.
    Already(ImportRow),
    /// The source was imported.
    Done(Box<IngestReport>),
}

/// Report of an import.
#[derive(Debug, Default)]
pub struct IngestReport {
    /// Id of the import in the ledger.
    pub batch: Option<String>,
    /// Page of the source.
    pub source: Option<Written>,
    /// Date of a new page of the source, and where it comes from.
    pub date: Option<(String, DateOrigin)>,
    /// Novelty of the source compared with the most similar page.
    pub novelty: Option<SourceNovelty>,
    /// The other pages, in the given order.
    pub pages: Vec<PageReport>,
    /// Pages mentioned in the source, most frequent first.
    pub mentions: Vec<Mention>,
    /// Gaps that were closed.
    pub filled: Vec<u64>,
    /// Commit, if there is one.
    pub commit: Option<String>,
    /// Warnings.
    pub warnings: Vec<String>,
}

/// Result for one page.
#[derive(Debug)]
pub struct PageReport {
    /// Written file.
    pub written: Written,
    /// What happened to the new text.
    pub derived: RewriteOutcome,
    /// Novelty of that text compared with the previous page.
    pub novelty: Option<Novelty>,
}

/// Imports a source. Known bytes change nothing unless forced.
pub fn ingest(context: &VaultContext, request: &IngestRequest) -> Result<Ingested> {
    check(context, request)?;
    for _ in 1..MAX_ATTEMPTS {
        match attempt(context, request) {
            // Another process imported the same bytes or took the name first.
            Err(Error::Exists { path }) if request.source_path.as_ref() != Some(&path) => {}
            Err(Error::Conflict { expected: 0, slug, .. }) if !is_requested(context, request, &slug)? => {}
            result => return result,
        }
    }
    attempt(context, request)
}

fn check(context: &VaultContext, request: &IngestRequest) -> Result<()> {
    let empty =
        request.source.as_ref().is_some_and(|source| source.bytes.iter().all(u8::is_ascii_whitespace));
    if empty || request.source.is_none() && request.pages.is_empty() {
        return Err(Error::BadInput {
            message: "nothing to ingest".into(),
            hint: "pass the text of the source as `content`, a file, or `pages`".into(),
        });
    }
    check_gaps(context, &request.fills)
}

/// Returns whether an existing page is one that the caller wants to create.
fn is_requested(context: &VaultContext, request: &IngestRequest, name: &str) -> Result<bool> {
    let path = match exists(&context.vault().root().join(name)) {
        true => name.to_owned(),
        false => context.page(name)?.path,
    };
    Ok(request.pages.iter().any(|page| page.path == path))
}

fn attempt(context: &VaultContext, request: &IngestRequest) -> Result<Ingested> {
    let mut source = None;
    if let Some(text) = &request.source {
        let hash = ContentHash::of(&text.bytes);
        match known_source(context, hash, &text.bytes)? {
            Some(known) if !request.force => return Ok(Ingested::Already(known)),
            _ => source = Some(plan_source(context, request, text, hash)?),
        }
    }
    let mut report = IngestReport { filled: request.fills.clone(), ..IngestReport::default() };
    let mut changes: Vec<PageChange<'_>> = Vec::new();
    if let Some(source) = &source {
        // Computed before the source has a page of its own, which would be the most similar one.
        report.novelty = source_novelty(context, source)?;
        report.date.clone_from(&source.date);
        changes.extend(source.change());
    }
    let mut outcomes = Vec::new();
    for page in &request.pages {
        let PlannedPage { change, derived, novelty } = plan_page(context, request, page)?;
        report.warnings.extend(warning(&change, derived, novelty));
        outcomes.push((derived, novelty));
        changes.push(change);
    }
    let (receipt, batch) = execute(context, request, source.as_ref(), &changes)?;
    let mut files = receipt.files.into_iter();
    let own = if changes.len() > outcomes.len() { files.next() } else { None };
    let reports =
        files.zip(outcomes).map(|(written, (derived, novelty))| PageReport { written, derived, novelty });
    (report.pages, report.batch, report.commit) = (reports.collect(), batch, receipt.commit);
    report.warnings.extend(receipt.warnings);
    if let Some(source) = &source {
        report.source = own.map_or_else(|| existing_page(context, &source.path), |own| Ok(Some(own)))?;
        let (mentions, cut) = mentions(context, &source.text, &source.path)?;
        report.mentions = mentions;
        report.warnings.extend(cut);
    }
    Ok(Ingested::Done(Box::new(report)))
}

fn execute(
    context: &VaultContext,
    request: &IngestRequest,
    source: Option<&SourcePage<'_>>,
    changes: &[PageChange<'_>],
) -> Result<(Receipt, Option<String>)> {
    let now = context.now();
    let import = source.map(|source| ImportNote {
        batch: format!("{}-{}", now.strftime("%Y%m%dT%H%M%S%3f"), &source.hash.to_string()[..12]),
        source: source.from.clone(),
        source_type: request.source_type.clone(),
        page: source.path.clone(),
        hash: source.hash,
        bytes: source.bytes.to_vec(),
        again: request.force,
    });
    // A gap is filled by the first page that the caller gave; by the source itself if there is none.
    let filler = request.pages.first().map(|page| page.path.clone());
    let filler = filler.or_else(|| source.map(|source| source.path.clone())).unwrap_or_default();
    let batch = import.as_ref().map(|import| import.batch.clone());
    let about = source.map(|source| source.path.as_str()).or(request.source_ref.as_deref());
    let subject = Some(format!("Ingest {}", about.unwrap_or(&filler)));
    let notes = LedgerNotes { import, ..LedgerNotes::filling(&request.fills, &filler) };
    let dropped = request.pages.iter().map(|page| (page.path.clone(), page.dropped.clone())).collect();
    let options = WriteOptions { subject, noted: notes, dropped, ..WriteOptions::default() };
    Ok((write_as(context, changes, &options)?, batch))
}

/// Returns the existing page that already holds the source.
fn existing_page(context: &VaultContext, path: &str) -> Result<Option<Written>> {
    let outcome = Outcome::Unchanged;
    let page = context.page_at(path)?;
    Ok(page.map(|page| Written {
        path: page.path,
        slug: page.slug,
        version: page.version,
        outcome,
        lines: LineChanges::default(),
    }))
}

/// Returns a warning about a text that was skipped, or written although it is hardly new.
fn warning(change: &PageChange<'_>, derived: RewriteOutcome, novelty: Option<Novelty>) -> Option<String> {
    let Novelty { kind, jaccard, cosine } = novelty.filter(|novelty| novelty.kind != NoveltyKind::Novel)?;
    let similarity = match (kind, cosine) {
        (NoveltyKind::NearDuplicate, Some(cosine)) => {
            format!("says the same as the page (cosine {cosine:.2})")
        }
        _ => format!("has the same words as the page (overlap {jaccard:.2})"),
    };
    Some(match derived {
        RewriteOutcome::Skipped => format!(
            "{}: the new text {similarity}, so only its evidence was added; use force to rewrite the page",
            change.path
        ),
        _ => format!("{}: rewritten because of force, although the new text {similarity}", change.path),
    })
}
