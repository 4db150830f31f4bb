//! `curate`: pages that need review.

use std::collections::BTreeMap;

use clap::Args;
use lore_engine::VaultContext;
use lore_memory::{BrokenLink, Curation, curate, mark_curated};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::error::{AppError, Result};
use crate::app::session::Session;
use crate::ops::knowledge::check::FindingItem;
use crate::ops::knowledge::gaps::GapItem;
use crate::ops::knowledge::lint::MissingLinkItem;
use crate::ops::line::Line;
use crate::ops::views::count;
use crate::ops::{Operation, Render};

/// List pages that need review
///
/// One call returns everything for a maintenance session: possible duplicates, orphans, contested, superseded and stale
/// pages, contradictions, unanswered questions, unlinked mentions, broken links, similar tags, old and broad pages,
/// unused captures. Nothing is changed: a person decides about merging, splitting and deleting. Of contradictions,
/// questions, mentions and broken links, the first are listed with their total. `--done` writes the date of the review,
/// `last_curated`, into the pages that were reviewed. With --namespace, everything is about its pages; unanswered
/// questions and similar tags are the vault's and left out.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  lore curate --dry-run\n  lore curate --dry-run --limit 100 --json\n  lore curate --dry-run --namespace clients\n  lore curate --done\n  lore curate --done procedures/release notes/plan"
)]
pub struct Curate {
    /// Pages that were reviewed [default: those untouched for longest]
    #[arg(value_name = "REF", requires = "done")]
    #[serde(default)]
    reviewed: Vec<String>,
    /// Only pages of this namespace; `all` for every page
    #[arg(long, value_name = "NAME")]
    #[serde(default)]
    namespace: Option<String>,
    /// Only list
    #[arg(long)]
    #[serde(default)]
    dry_run: bool,
    /// Record that the review is done, so that the next one is due later
    #[arg(long, conflicts_with = "dry_run")]
    #[serde(default)]
    done: bool,
    /// Maximum number of items in the lists of findings, gaps and links
    #[arg(long, default_value_t = 10)]
    #[serde(default = "default_limit")]
    limit: usize,
}

fn default_limit() -> usize {
    10
}

/// Output of `curate`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CurateOutput {
    /// Number of pages.
    pages: u64,
    /// Whether a review is due.
    due: bool,
    duplicates: Vec<Duplicate>,
    orphans: Vec<String>,
    contested: Vec<String>,
    superseded: Vec<String>,
    /// Stale by age, without inbound links, or by declared status.
    stale: Vec<String>,
    /// Reasons for the contested, superseded and stale pages.
    why: BTreeMap<String, String>,
    /// Unresolved contradictions.
    findings: First<FindingItem>,
    /// Unanswered questions.
    gaps: First<GapItem>,
    /// Unlinked mentions; `lore lint --fix --links` turns them into links.
    missing_links: First<MissingLinkItem>,
    /// Links whose target does not exist.
    broken_links: First<BrokenLinkItem>,
    /// Tags that differ only in spelling, most used first.
    tags: Vec<Vec<String>>,
    /// Unchanged for long, the longest first.
    untouched: Vec<String>,
    broad: Vec<Broad>,
    /// Captures that no page names as its source.
    unused_captures: Vec<String>,
    large_captures: Vec<Large>,
    /// Pages whose review was recorded.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    marked: Vec<String>,
}

/// The first items of a list.
#[derive(Debug, Serialize, JsonSchema)]
struct First<T> {
    /// Total number of items.
    count: usize,
    /// The first of them.
    first: Vec<T>,
}

impl<T> First<T> {
    fn of<S>(all: Vec<S>, limit: usize, item: impl FnMut(S) -> Result<T>) -> Result<First<T>> {
        let count = all.len();
        Ok(First { count, first: all.into_iter().take(limit).map(item).collect::<Result<_>>()? })
    }
}

/// A link whose target does not exist.
#[derive(Debug, Serialize, JsonSchema)]
struct BrokenLinkItem {
    path: Line,
    line: u32,
    target: String,
}

/// Two pages that may be duplicates.
#[derive(Debug, Serialize, JsonSchema)]
struct Duplicate {
    one: String,
    other: String,
    likeness: f64,
}

/// A page that may cover several subjects.
#[derive(Debug, Serialize, JsonSchema)]
struct Broad {
    path: Line,
    words: usize,
}

/// A capture that is unusually large.
#[derive(Debug, Serialize, JsonSchema)]
struct Large {
    path: Line,
    bytes: u64,
}

impl Operation for Curate {
    const NAME: &'static str = "curate";
    const WRITES: bool = true;
    type Output = CurateOutput;

    fn run(self, session: &Session) -> Result<CurateOutput> {
        if !self.dry_run && !self.done {
            return Err(AppError::usage(
                "curate cannot change pages on its own",
                "run `lore curate --dry-run` to list pages, then `lore curate --done` after the review",
            ));
        }
        let context = session.fresh()?;
        if !self.reviewed.is_empty() && !self.done {
            return Err(AppError::usage(
                "only a review that is done names pages",
                "pass --done with the pages",
            ));
        }
        let namespace = session.namespace_filter(context, self.namespace.as_deref())?;
        let marked = if self.done {
            mark_curated(context, &self.reviewed, namespace.as_ref())?.files
        } else {
            Vec::new()
        };
        let found = curate(context, &session.talk.progress("Checking"));
        session.talk.finish();
        let mut found = found?;
        if let Some(namespace) = &namespace {
            found.restrict(context, namespace)?;
        }
        let marked = marked.into_iter().map(|file| file.path).collect();
        Ok(CurateOutput { marked, ..CurateOutput::new(context, found, self.limit)? })
    }
}

impl CurateOutput {
    fn new(context: &VaultContext, found: Curation, limit: usize) -> Result<CurateOutput> {
        let round = |similarity: f64| (similarity * 100.0).round() / 100.0;
        let with_reasons = found.contested.iter().chain(&found.superseded).chain(&found.stale);
        let paths = |list: &[(String, String)]| list.iter().map(|(path, _)| path.clone()).collect();
        let broken =
            |BrokenLink { path, line, target, .. }| Ok(BrokenLinkItem { path: path.into(), line, target });
        let duplicate = |(one, other, similarity)| Duplicate { one, other, likeness: round(similarity) };
        Ok(CurateOutput {
            pages: found.pages,
            due: found.due,
            duplicates: found.duplicates.into_iter().map(duplicate).collect(),
            orphans: found.orphans,
            why: with_reasons.cloned().collect(),
            contested: paths(&found.contested),
            superseded: paths(&found.superseded),
            stale: paths(&found.stale),
            findings: First::of(found.findings, limit, |finding| Ok(finding.into()))?,
            gaps: First::of(found.gaps, limit, |gap| GapItem::new(context, gap))?,
            missing_links: First::of(found.missing_links, limit, |missing| Ok(missing.into()))?,
            broken_links: First::of(found.broken_links, limit, broken)?,
            tags: found.tags.into_iter().map(|tags| tags.into_iter().map(|(tag, _)| tag).collect()).collect(),
            untouched: found.untouched,
            broad: found.broad.into_iter().map(|(path, words)| Broad { path: path.into(), words }).collect(),
            unused_captures: found.unused_captures,
            large_captures: found
                .large_captures
                .into_iter()
                .map(|(path, bytes)| Large { path: path.into(), bytes })
                .collect(),
            marked: Vec::new(),
        })
    }
}

impl Render for CurateOutput {
    fn human(&self) -> String {
        let due = if self.due { "review due" } else { "no review due" };
        let mut lists = Lists { text: format!("{}; {due}\n", count(self.pages, "page")) };
        let why = |paths: &[String]| -> Vec<String> {
            paths
                .iter()
                .map(|path| format!("{path}  {}", self.why.get(path).map_or("", String::as_str)))
                .collect()
        };
        if !self.marked.is_empty() {
            lists
                .text
                .push_str(&format!("recorded the review of {}\n", count(self.marked.len() as u64, "page")));
        }
        lists.first("Contradictions", &self.findings, |finding| finding.human().trim_end().to_owned());
        lists.add("Contested", why(&self.contested));
        lists.add("Superseded", why(&self.superseded));
        lists.add("Stale", why(&self.stale));
        lists.first("Unanswered questions", &self.gaps, |gap| gap.human().trim_end().to_owned());
        let pair = |two: &Duplicate| format!("{:.2}  {}  {}", two.likeness, two.one, two.other);
        lists.add("Possible duplicates", self.duplicates.iter().map(pair).collect());
        lists.first("Unlinked mentions", &self.missing_links, MissingLinkItem::line);
        lists.first("Broken links", &self.broken_links, |link| {
            format!("{}:{}  {}", link.path, link.line, link.target)
        });
        lists.add("Orphans", self.orphans.clone());
        lists.add("Similar tags", self.tags.iter().map(|tags| tags.join(", ")).collect());
        lists.add("Unchanged for long", self.untouched.clone());
        let broad = |page: &Broad| format!("{} ({} words)", page.path, page.words);
        lists.add("Broad pages", self.broad.iter().map(broad).collect());
        lists.add("Unused captures", self.unused_captures.clone());
        let large = |file: &Large| format!("{} ({} bytes)", file.path, file.bytes);
        lists.add("Large captures", self.large_captures.iter().map(large).collect());
        lists.text
    }
}

/// Titled lists; empty ones are omitted.
struct Lists {
    text: String,
}

impl Lists {
    fn add(&mut self, title: &str, items: Vec<String>) {
        let items: Vec<String> = items.into_iter().map(|item| Line::from(item).to_string()).collect();
        self.titled(title, items.len(), items);
    }

    fn first<T>(&mut self, title: &str, list: &First<T>, line: impl FnMut(&T) -> String) {
        let mut items: Vec<String> = list.first.iter().map(line).collect();
        if list.count > items.len() {
            items.push(format!("and {} more", list.count - items.len()));
        }
        self.titled(title, list.count, items);
    }

    fn titled(&mut self, title: &str, count: usize, items: Vec<String>) {
        if count > 0 {
            self.text.push_str(&format!("\n{title} ({count})\n"));
            let indented = items.iter().flat_map(|item| item.lines()).map(|line| format!("  {line}\n"));
            self.text.extend(indented);
        }
    }
}
