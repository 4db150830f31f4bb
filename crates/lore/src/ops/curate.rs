//! `curate`: what a person should look over.

use std::collections::BTreeMap;

use clap::Args;
use lore_engine::{Broken as BrokenLink, Curation, Memory, curate, mark_curated};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::check::FindingItem;
use super::gaps::GapItem;
use super::lint::MissingLinkItem;
use super::views::count;
use super::{Operation, Render};
use crate::failure::{Failure, Result};
use crate::session::Session;

/// List what a person should look over, all that a maintenance session needs in one call
///
/// Pages that may be one, pages without links, what is contested, superseded or stale by the states that follow from links
/// and dates, what `lore check` finds, open gaps, names of pages that are no links, links that lead nowhere, tags that are
/// written in several ways, old and broad pages, unused captures. Nothing is changed: merging, splitting and deleting are a
/// person's decisions. Of findings, gaps, missing and broken links the first are given, and how many there are.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  lore curate --dry-run\n  lore curate --dry-run --limit 100 --json\n  lore curate --done"
)]
pub struct Curate {
    /// Only list
    #[arg(long)]
    #[serde(default)]
    dry_run: bool,
    /// Note that the pages were looked over, so that the next look is due later
    #[arg(long, conflicts_with = "dry_run")]
    #[serde(default)]
    done: bool,
    /// How many findings, gaps, missing and broken links are given at the most
    #[arg(long, default_value_t = 10)]
    #[serde(default = "ten")]
    limit: usize,
}

fn ten() -> usize {
    10
}

/// What to look over.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ToLookOver {
    /// How many pages there are.
    pages: u64,
    /// Whether a look is due.
    due: bool,
    duplicates: Vec<Duplicate>,
    orphans: Vec<String>,
    contested: Vec<String>,
    superseded: Vec<String>,
    /// Stale by age, for want of links, or by what the file states.
    stale: Vec<String>,
    /// Why each of the contested, superseded and stale pages is.
    why: BTreeMap<String, String>,
    /// What cannot all be true and is not resolved.
    findings: First<FindingItem>,
    /// Questions that found no answer.
    gaps: First<GapItem>,
    /// Names of pages that are no links; `lore lint --fix --links` makes links of them.
    missing_links: First<MissingLinkItem>,
    /// Links that lead to no page.
    broken_links: First<Broken>,
    /// Tags that differ only in how they are written, most used first.
    tags: Vec<Vec<String>>,
    /// Untouched for long, the longest first.
    untouched: Vec<String>,
    broad: Vec<Broad>,
    /// Captures that no page names as its source.
    unused_captures: Vec<String>,
    large_captures: Vec<Large>,
}

/// The first of many.
#[derive(Debug, Serialize, JsonSchema)]
struct First<T> {
    /// How many there are.
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

/// A link that leads to no page.
#[derive(Debug, Serialize, JsonSchema)]
struct Broken {
    path: String,
    line: u32,
    target: String,
}

/// Two pages that may be one.
#[derive(Debug, Serialize, JsonSchema)]
struct Duplicate {
    one: String,
    other: String,
    likeness: f64,
}

/// A page that may be several.
#[derive(Debug, Serialize, JsonSchema)]
struct Broad {
    path: String,
    words: usize,
}

/// A capture that is unusually large.
#[derive(Debug, Serialize, JsonSchema)]
struct Large {
    path: String,
    bytes: u64,
}

impl Operation for Curate {
    const NAME: &'static str = "curate";
    type Output = ToLookOver;

    fn run(self, session: &Session) -> Result<ToLookOver> {
        if !self.dry_run && !self.done {
            return Err(Failure::usage(
                "curation is a person's decision, page by page",
                "see what there is with `lore curate --dry-run`; say that it is done with `lore curate --done`",
            ));
        }
        let memory = session.fresh()?;
        if self.done {
            mark_curated(memory)?;
        }
        let found = curate(memory, &session.talk.progress("Checking"));
        session.talk.finish();
        ToLookOver::new(memory, found?, self.limit)
    }
}

impl ToLookOver {
    fn new(memory: &Memory, found: Curation, limit: usize) -> Result<ToLookOver> {
        let round = |likeness: f64| (likeness * 100.0).round() / 100.0;
        let told = found.contested.iter().chain(&found.superseded).chain(&found.stale);
        let paths = |list: &[(String, String)]| list.iter().map(|(path, _)| path.clone()).collect();
        let broken = |BrokenLink { path, line, target }| Ok(Broken { path, line, target });
        let duplicate = |(one, other, likeness)| Duplicate { one, other, likeness: round(likeness) };
        Ok(ToLookOver {
            pages: found.pages,
            due: found.due,
            duplicates: found.duplicates.into_iter().map(duplicate).collect(),
            orphans: found.orphans,
            why: told.cloned().collect(),
            contested: paths(&found.contested),
            superseded: paths(&found.superseded),
            stale: paths(&found.stale),
            findings: First::of(found.findings, limit, |finding| Ok(finding.into()))?,
            gaps: First::of(found.gaps, limit, |gap| GapItem::new(memory, gap))?,
            missing_links: First::of(found.missing_links, limit, |missing| Ok(missing.into()))?,
            broken_links: First::of(found.broken_links, limit, broken)?,
            tags: found.tags.into_iter().map(|tags| tags.into_iter().map(|(tag, _)| tag).collect()).collect(),
            untouched: found.untouched,
            broad: found.broad.into_iter().map(|(path, words)| Broad { path, words }).collect(),
            unused_captures: found.unused_captures,
            large_captures: found
                .large_captures
                .into_iter()
                .map(|(path, bytes)| Large { path, bytes })
                .collect(),
        })
    }
}

impl Render for ToLookOver {
    fn human(&self) -> String {
        let due = if self.due { "a look is due" } else { "no look is due" };
        let mut lists = Lists { text: format!("{}; {due}\n", count(self.pages, "page")) };
        let why = |paths: &[String]| -> Vec<String> {
            paths
                .iter()
                .map(|path| format!("{path}  {}", self.why.get(path).map_or("", String::as_str)))
                .collect()
        };
        lists.first("Cannot all be true", &self.findings, |finding| finding.human().trim_end().to_owned());
        lists.add("Contested", why(&self.contested));
        lists.add("Superseded", why(&self.superseded));
        lists.add("Stale", why(&self.stale));
        lists.first("Asked in vain", &self.gaps, |gap| gap.human().trim_end().to_owned());
        let pair = |two: &Duplicate| format!("{:.2}  {}  {}", two.likeness, two.one, two.other);
        lists.add("May be one page", self.duplicates.iter().map(pair).collect());
        lists.first("Names that are no links", &self.missing_links, MissingLinkItem::line);
        lists.first("Links that lead nowhere", &self.broken_links, |link| {
            format!("{}:{}  {}", link.path, link.line, link.target)
        });
        lists.add("No link from or to another page", self.orphans.clone());
        lists.add("Tags that may be one", self.tags.iter().map(|tags| tags.join(", ")).collect());
        lists.add("Untouched for long", self.untouched.clone());
        let broad = |page: &Broad| format!("{} ({} words)", page.path, page.words);
        lists.add("May be several pages", self.broad.iter().map(broad).collect());
        lists.add("Captures that no page rests on", self.unused_captures.clone());
        let large = |file: &Large| format!("{} ({} bytes)", file.path, file.bytes);
        lists.add("Unusually large captures", self.large_captures.iter().map(large).collect());
        lists.text
    }
}

/// Lists one below the other; those with nothing in them are left out.
struct Lists {
    text: String,
}

impl Lists {
    fn add(&mut self, title: &str, items: Vec<String>) {
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
