//! What a source does to one page: a new page, a rewrite where it says something new, and evidence always.

use lore_page::{edit, parse};

use super::IngestRequest;
use super::evidence::{Evidence, entries};
use crate::error::{Error, Result};
use crate::index::PageRow;
use crate::memory::Memory;
use crate::novelty::{Novelty, Verdict, novelty};
use crate::vault::{decode, without_extension};
use crate::write::{Action, PageChange};

/// What follows from a source for a page.
#[derive(Debug)]
pub struct PageIngest {
    /// Its path.
    pub path: String,
    /// Its whole new text; none where evidence is added only.
    pub content: Option<String>,
    /// The version the caller has read; 0 for a new page.
    pub expected_version: u64,
    /// What the source shows about it.
    pub evidence: Evidence,
}

/// What became of a page's new text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Derived {
    /// None was given.
    None,
    /// It was written.
    Written,
    /// It says what the page says, and was left out.
    Skipped,
}

impl Derived {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Derived::None => "none",
            Derived::Written => "written",
            Derived::Skipped => "skipped",
        }
    }
}

/// A page's change, ready for the one write path.
pub(super) struct Planned<'a> {
    pub change: PageChange<'a>,
    pub derived: Derived,
    pub novelty: Option<Novelty>,
}

/// Plans a page's change.
pub(super) fn plan_page<'a>(
    memory: &Memory,
    request: &IngestRequest,
    page: &'a PageIngest,
) -> Result<Planned<'a>> {
    let old = match (page.expected_version, memory.page_at(&page.path)?) {
        (1.., Some(row)) => memory.vault().read(&page.path, u64::MAX)?.map(|file| (row, file.bytes)),
        _ => None,
    };
    match (&page.content, old) {
        (Some(content), Some((row, bytes))) => {
            rewrite(memory, request, page, content, &row, &decode(&bytes).text)
        }
        (Some(content), None) => {
            let text = page.evidence.add_to(content).map_err(|source| failed(page, source))?;
            Ok(Planned { change: put(page, text), derived: Derived::Written, novelty: None })
        }
        (None, _) if page.expected_version == 0 => Err(Error::BadInput {
            message: format!("{}: a new page needs its text", page.path),
            hint: "give its `content`, or the version of the page that is there".into(),
        }),
        (None, _) => {
            Ok(Planned { change: add(page, page.evidence.clone()), derived: Derived::None, novelty: None })
        }
    }
}

/// A new text for a page: written where it says something new or is forced; else its evidence alone is.
fn rewrite<'a>(
    memory: &Memory,
    request: &IngestRequest,
    page: &'a PageIngest,
    content: &str,
    row: &PageRow,
    old: &str,
) -> Result<Planned<'a>> {
    let (new_page, old_page) = (parse(&page.path, content).page, parse(&page.path, old).page);
    let found = novelty(memory, new_page.truth.of(content), old_page.truth.of(old), row)?;
    if found.verdict != Verdict::Novel && !request.force {
        // What the text itself says of entries, relations, facts and tags is evidence as much as what came beside it.
        let mut evidence = Evidence::of(&new_page);
        evidence.entries.extend(page.evidence.entries.iter().cloned());
        evidence.relations.extend(page.evidence.relations.iter().cloned());
        evidence.facts.extend(page.evidence.facts.iter().cloned());
        evidence.tags.extend(page.evidence.tags.iter().cloned());
        return Ok(Planned { change: add(page, evidence), derived: Derived::Skipped, novelty: Some(found) });
    }
    let text = keep_timeline(content, old).and_then(|text| page.evidence.add_to(&text));
    let text = text.map_err(|source| failed(page, source))?;
    Ok(Planned { change: put(page, text), derived: Derived::Written, novelty: Some(found) })
}

/// A rewritten page with the timeline it had: the timeline is only ever added to. Where the new text has none, the old
/// one stays as it is; else the entries that are missing are added.
fn keep_timeline(content: &str, old: &str) -> std::result::Result<String, edit::EditError> {
    let (new_page, old_page) = (parse("", content).page, parse("", old).page);
    let timeline = old_page.timeline.map(|range| range.of(old)).unwrap_or_default();
    if new_page.timeline.is_none() && !timeline.trim().is_empty() {
        let ending = if old.contains("\r\n") { "\r\n" } else { "\n" };
        let truth = content.trim_end();
        return Ok(format!(
            "{truth}{ending}{ending}---{ending}{}",
            timeline.trim_start_matches(['\r', '\n'])
        ));
    }
    let mut text = content.to_owned();
    for entry in entries(&old_page) {
        text = edit::add_entry(&text, &entry)?;
    }
    Ok(text)
}

fn put(page: &PageIngest, text: String) -> PageChange<'_> {
    let expected_version = Some(page.expected_version);
    PageChange { path: page.path.clone(), action: Action::Put(text.into_bytes()), expected_version }
}

fn add(page: &PageIngest, evidence: Evidence) -> PageChange<'_> {
    let edit = move |text: &str| evidence.add_to(text).map_err(|source| failed(page, source));
    let expected_version = Some(page.expected_version);
    PageChange { path: page.path.clone(), action: Action::Edit(Box::new(edit)), expected_version }
}

fn failed(page: &PageIngest, source: edit::EditError) -> Error {
    Error::Edit { slug: without_extension(&page.path).to_owned(), source }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str = "# Ada\n\nOld.\n\n---\n\nSome words.\n\n## Timeline\n- **2024-01-02** | meeting — First\n  with detail\n";

    #[test]
    fn a_rewrite_without_a_timeline_keeps_the_old_one_as_it_is() {
        let text = keep_timeline("# Ada\n\nNew.\n", OLD).expect("it fits");
        assert_eq!(text, OLD.replace("Old.", "New.").replace("---\n\n", "---\n"));
    }

    #[test]
    fn a_rewrite_with_a_timeline_gets_the_entries_that_it_lacks() {
        let new = "# Ada\n\nNew.\n\n---\n\n## Timeline\n- **2025-01-01** | call — Second\n";
        let text = keep_timeline(new, OLD).expect("it fits");
        let summaries: Vec<String> =
            parse("", &text).page.entries.into_iter().map(|entry| entry.summary).collect();
        assert_eq!(summaries, ["Second", "First"]);
        assert!(text.contains("  with detail"), "{text}");
        assert_eq!(keep_timeline(&text, OLD).as_deref(), Ok(text.as_str()), "and not twice");
    }

    #[test]
    fn a_page_without_a_timeline_gets_none() {
        assert_eq!(keep_timeline("# New\n", "# Old\n").as_deref(), Ok("# New\n"));
    }
}
