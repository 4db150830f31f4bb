//! `ingest`: a source taken in whole. Its bytes go to the ledger, its evidence to a page of its own, and what it says
//! about other pages to those pages: all of it in one change, or nothing.

mod evidence;
mod mentions;
mod page;
mod source;

use crate::error::{Error, Result};
use crate::gaps::check_gaps;
use crate::hash::ContentHash;
use crate::intake::ImportRow;
use crate::memory::Memory;
use crate::novelty::{Novelty, Verdict};
use crate::vault::exists;
use crate::write::{Noted, Outcome, PageChange, Receipt, TakenIn, Terms, Written, known_source, write_as};

pub use evidence::Evidence;
pub use mentions::Mention;
pub use page::{Derived, PageIngest};
pub use source::SourceNovelty;

pub(crate) use mentions::mentions;
use page::{Planned, plan_page};
use source::{SourcePage, plan_source, source_novelty};

/// How often it is tried again when another process takes the name of the source's page first.
const TRIES: usize = 20;

/// What is taken in.
#[derive(Debug, Default)]
pub struct IngestRequest {
    /// The source; none where it is in already and only pages follow from it.
    pub source: Option<SourceText>,
    /// What it is: `meeting`, `article`, `doc`, `conversation`.
    pub source_type: String,
    /// What it is known by: an address, a meeting's number.
    pub source_ref: Option<String>,
    /// Whether it is taken in although it is there, and pages are rewritten although they say the same.
    pub force: bool,
    /// The gaps that it fills.
    pub fills: Vec<u64>,
    /// What follows from it for pages.
    pub pages: Vec<PageIngest>,
}

/// A source as it came.
#[derive(Debug, Default)]
pub struct SourceText {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// The path it was read from.
    pub path: Option<String>,
}

/// What became of it.
#[derive(Debug)]
pub enum Ingested {
    /// Nothing: the very same bytes are in.
    Already(ImportRow),
    /// It is in.
    Done(Box<IngestReport>),
}

/// What was done.
#[derive(Debug, Default)]
pub struct IngestReport {
    /// The run that the source was kept under.
    pub batch: Option<String>,
    /// The page of the source.
    pub source: Option<Written>,
    /// What the source is to the page that is most like it.
    pub novelty: Option<SourceNovelty>,
    /// The other pages, in the order they were given.
    pub pages: Vec<PageReport>,
    /// Pages whose names stand in the source, the most named first.
    pub mentions: Vec<Mention>,
    /// The gaps that are closed.
    pub filled: Vec<u64>,
    /// The commit, where there is one.
    pub commit: Option<String>,
    /// What a person should know.
    pub warnings: Vec<String>,
}

/// What was done to a page.
#[derive(Debug)]
pub struct PageReport {
    /// The page.
    pub written: Written,
    /// What became of its new text.
    pub derived: Derived,
    /// What that text was to the page as it was.
    pub novelty: Option<Novelty>,
}

/// Takes a source in. The very same bytes change nothing, unless that is wanted.
pub fn ingest(memory: &Memory, request: &IngestRequest) -> Result<Ingested> {
    check(memory, request)?;
    for _ in 1..TRIES {
        match attempt(memory, request) {
            // Another process was quicker: to take in the same bytes, or to take the name.
            Err(Error::Exists { .. }) => {}
            Err(Error::Conflict { expected: 0, slug, .. }) if !is_asked_for(memory, request, &slug)? => {}
            done => return done,
        }
    }
    attempt(memory, request)
}

fn check(memory: &Memory, request: &IngestRequest) -> Result<()> {
    let empty =
        request.source.as_ref().is_some_and(|source| source.bytes.iter().all(u8::is_ascii_whitespace));
    if empty || request.source.is_none() && request.pages.is_empty() {
        return Err(Error::BadInput {
            message: "there is nothing to take in".into(),
            hint: "give a file, or `content`, or `pages`".into(),
        });
    }
    check_gaps(memory, &request.fills)
}

/// Whether a page that is there already is one that the caller wants to make.
fn is_asked_for(memory: &Memory, request: &IngestRequest, name: &str) -> Result<bool> {
    let path = match exists(&memory.vault().root().join(name)) {
        true => name.to_owned(),
        false => memory.page(name)?.path,
    };
    Ok(request.pages.iter().any(|page| page.path == path))
}

fn attempt(memory: &Memory, request: &IngestRequest) -> Result<Ingested> {
    let mut source = None;
    if let Some(text) = &request.source {
        let hash = ContentHash::of(&text.bytes);
        match known_source(memory, hash, &text.bytes)? {
            Some(known) if !request.force => return Ok(Ingested::Already(known)),
            _ => source = Some(plan_source(memory, request, text, hash)?),
        }
    }
    let mut report = IngestReport { filled: request.fills.clone(), ..IngestReport::default() };
    let mut changes: Vec<PageChange<'_>> = Vec::new();
    if let Some(source) = &source {
        // Asked before the source has a page of its own, which would be the most alike of all.
        report.novelty = source_novelty(memory, source)?;
        changes.extend(source.change());
    }
    let mut fates = Vec::new();
    for page in &request.pages {
        let Planned { change, derived, novelty } = plan_page(memory, request, page)?;
        report.warnings.extend(warning(&change, derived, novelty));
        fates.push((derived, novelty));
        changes.push(change);
    }
    let (receipt, batch) = carry_out(memory, request, source.as_ref(), &changes)?;
    let mut files = receipt.files.into_iter();
    let own = if changes.len() > fates.len() { files.next() } else { None };
    let told = files.zip(fates).map(|(written, (derived, novelty))| PageReport { written, derived, novelty });
    (report.pages, report.batch, report.commit) = (told.collect(), batch, receipt.commit);
    report.warnings.extend(receipt.warnings);
    if let Some(source) = &source {
        report.source = own.map_or_else(|| as_it_is(memory, &source.path), |own| Ok(Some(own)))?;
        let (mentions, cut) = mentions(memory, &source.text, &source.path)?;
        report.mentions = mentions;
        report.warnings.extend(cut);
    }
    Ok(Ingested::Done(Box::new(report)))
}

fn carry_out(
    memory: &Memory,
    request: &IngestRequest,
    source: Option<&SourcePage<'_>>,
    changes: &[PageChange<'_>],
) -> Result<(Receipt, Option<String>)> {
    let now = memory.now();
    let import = source.map(|source| TakenIn {
        batch: format!("{}-{}", now.strftime("%Y%m%dT%H%M%S%3f"), &source.hash.to_string()[..12]),
        source: source.from.clone(),
        source_type: request.source_type.clone(),
        page: source.path.clone(),
        hash: source.hash,
        bytes: source.bytes.to_vec(),
        again: request.force,
    });
    // What fills a gap is the first page that the caller wrote; the source itself, where there is no other.
    let filler = request.pages.first().map(|page| page.path.clone());
    let filler = filler.or_else(|| source.map(|source| source.path.clone())).unwrap_or_default();
    let batch = import.as_ref().map(|import| import.batch.clone());
    let about = source.map(|source| source.path.as_str()).or(request.source_ref.as_deref());
    let subject = Some(format!("Ingest {}", about.unwrap_or(&filler)));
    let noted = Noted { import, ..Noted::filling(&request.fills, &filler) };
    Ok((write_as(memory, changes, &Terms { subject, noted, ..Terms::default() })?, batch))
}

/// A page that was found to hold the source's very bytes already.
fn as_it_is(memory: &Memory, path: &str) -> Result<Option<Written>> {
    let outcome = Outcome::Unchanged;
    let page = memory.page_at(path)?;
    Ok(page.map(|page| Written { path: page.path, slug: page.slug, version: page.version, outcome }))
}

/// What to say about a text that was not written, or was written although it is hardly new.
fn warning(change: &PageChange<'_>, derived: Derived, novelty: Option<Novelty>) -> Option<String> {
    let Novelty { verdict, jaccard, cosine } = novelty.filter(|novelty| novelty.verdict != Verdict::Novel)?;
    let alike = match (verdict, cosine) {
        (Verdict::NearDuplicate, Some(cosine)) => format!("means what the page says (cosine {cosine:.2})"),
        _ => format!("has the page's own words (overlap {jaccard:.2})"),
    };
    Some(match derived {
        Derived::Skipped => format!(
            "{}: the new text {alike}, so the page was not rewritten; its evidence was added; force rewrites it",
            change.path
        ),
        _ => format!("{}: rewritten as it was forced, although the new text {alike}", change.path),
    })
}
