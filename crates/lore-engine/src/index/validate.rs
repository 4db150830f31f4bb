//! Checks that the index is consistent and matches the files. Changes nothing.

use std::collections::{BTreeMap, BTreeSet};

use lore_page::{LINKS_TO, overlapping_pairs};
use lore_ports::{
    Filter, LinkFilter, LinkRow, Order, PageNo, PageRow, StatementFilter, StatementKind, Window,
};
use lore_text::ContentHash;
use lore_vault::{Scan, scan};

use crate::context::VaultContext;
use crate::error::Result;
use crate::index::reconcile::is_below;
use crate::index::relink::resolve_targets;

/// What can be checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Check {
    /// The database itself.
    Database,
    /// Every page against its file.
    Files,
    /// Targets and intervals of links.
    Links,
    /// Intervals of facts, duplicate facts, and conflicting values of single-valued facts.
    Facts,
    /// Vectors and their model.
    Embeddings,
}

impl Check {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Check::Database => "database",
            Check::Files => "files",
            Check::Links => "links",
            Check::Facts => "facts",
            Check::Embeddings => "embeddings",
        }
    }
}

/// Returns the problems found, one sentence each.
pub fn validate(context: &VaultContext, check: Check) -> Result<Vec<String>> {
    match check {
        Check::Database => Ok(context.store().problems()?),
        Check::Files => {
            let FileProblems { index, unreadable } = file_problems(context)?;
            Ok(index.into_iter().chain(unreadable.into_values()).collect())
        }
        Check::Links => links(context),
        Check::Facts => bad_intervals(context, About::Facts),
        Check::Embeddings => embeddings(context),
    }
}

/// Checks every chunk against its vector and sign code, for each model of the database. Pending chunks are fine.
fn embeddings(context: &VaultContext) -> Result<Vec<String>> {
    let mut problems = Vec::new();
    for row in context.store().models()? {
        let name = &row.identity.name;
        let found = context.store().vector_problems(context.project(), row.number)?;
        problems.extend(found.into_iter().map(|problem| format!("{problem} ({name})")));
    }
    Ok(problems)
}

/// How the index and the files differ.
#[derive(Debug, Default)]
pub struct FileProblems {
    /// Problems of the index, one sentence each.
    pub index: Vec<String>,
    /// Indexed pages whose file cannot be read now, by path, with the reason as a sentence.
    pub unreadable: BTreeMap<String, String>,
}

/// Checks every page against its file.
pub fn file_problems(context: &VaultContext) -> Result<FileProblems> {
    let FileProblems { index: mut problems, unreadable: mut unread } = FileProblems::default();
    let known = context.store().fingerprints(context.project(), context.replica(), None)?;
    let mut by_path: BTreeMap<&str, ContentHash> =
        known.iter().map(|page| (page.path.as_str(), page.hash)).collect();
    let Scan { files, unreadable, .. } = scan(context.vault());
    let failed: BTreeSet<String> =
        context.store().failures(context.project())?.into_iter().map(|failure| failure.path).collect();
    let policy = context.policy();
    for file in files.iter().filter(|file| policy.indexes(&file.path)) {
        let has_failed = failed.contains(&file.path);
        let Some(hash) = by_path.remove(file.path.as_str()) else {
            if !has_failed {
                problems.push(format!("{} is not in the index", file.path));
            }
            continue;
        };
        match context.vault().read(&file.path, u64::MAX) {
            Ok(read) if read.as_ref().is_none_or(|read| ContentHash::of(&read.bytes) == hash) => {}
            // Sync says why it could not take the new text.
            Ok(_) if has_failed => {}
            Ok(_) => problems.push(format!("{} differs from the index", file.path)),
            // The others are checked even so.
            Err(error) => drop(unread.insert(file.path.clone(), error.to_string())),
        }
    }
    // What is in a directory that cannot be read may still be there.
    let is_hidden = |path: &str| unreadable.iter().any(|folder| is_below(path, folder));
    let gone = by_path.into_keys().filter(|path| !is_hidden(path));
    problems.extend(gone.map(|path| format!("{path} is in the index but not in the vault")));
    Ok(FileProblems { index: problems, unreadable: unread })
}

/// Finds ids used by more than one page. They do not harm the index, but references by such an id are ambiguous.
pub fn duplicate_ids(context: &VaultContext) -> Result<Vec<String>> {
    let mut by_id: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for page in all_pages(context)? {
        by_id.entry(page.id).or_default().push(page.path);
    }
    let twice = by_id.into_iter().filter(|(_, paths)| paths.len() > 1);
    Ok(twice.map(|(id, paths)| format!("the id {id} is used by {}", paths.join(" and "))).collect())
}

fn links(context: &VaultContext) -> Result<Vec<String>> {
    let (store, project) = (context.store(), context.project());
    let numbers: Vec<PageNo> = all_pages(context)?.into_iter().map(|page| page.number).collect();
    let rows = store.links(project, &LinkFilter::From(&numbers))?;
    let mut problems = Vec::new();
    for (row, resolve_targets) in rows.iter().zip(resolve_targets(store, project, &rows)?) {
        if resolve_targets != row.to {
            problems.push(format!(
                "{}:{} resolves to the wrong page: {}",
                row.from_path, row.link.line, row.link.target
            ));
        }
    }
    problems.extend(bad_intervals(context, About::Links)?);
    problems.extend(overlaps(&rows));
    Ok(problems)
}

/// Finds overlapping intervals of one relation between two pages. Plain links, and relations without any date, may be
/// repeated.
fn overlaps(rows: &[LinkRow]) -> Vec<String> {
    let mut groups: BTreeMap<(PageNo, PageNo, &str), Vec<&LinkRow>> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.link.relation != LINKS_TO) {
        if let Some(to) = row.to {
            groups.entry((row.from, to, &row.link.relation)).or_default().push(row);
        }
    }
    let mut problems = Vec::new();
    for group in groups.into_values() {
        // Links without a date do not conflict with each other.
        let value = |(at, row): (usize, &&LinkRow)| {
            let interval = row.link.interval;
            (interval, if interval.is_unbounded() { None } else { Some(at) })
        };
        let items: Vec<_> = group.iter().enumerate().map(value).collect();
        for (one, other) in overlapping_pairs(&items) {
            let (path, a, b) = (&group[one].from_path, group[one].link.line, group[other].link.line);
            problems.push(format!("{path}: the intervals of lines {a} and {b} overlap"));
        }
    }
    problems
}

/// Which lines are checked.
#[derive(Clone, Copy, PartialEq, Eq)]
enum About {
    Links,
    Facts,
}

/// Finds intervals that cannot be parsed, or that end before they begin: the line is treated as undated.
fn bad_intervals(context: &VaultContext, about: About) -> Result<Vec<String>> {
    let (store, project) = (context.store(), context.project());
    let mut problems = Vec::new();
    for page in all_pages(context)? {
        let bad: Vec<_> = page.diagnostics.iter().filter(|odd| odd.is_about_an_interval()).collect();
        if bad.is_empty() {
            continue;
        }
        let wanted =
            StatementFilter { pages: Some(&[page.number]), kind: Some(StatementKind::Fact), naming: None };
        let facts = store.statements(project, &wanted)?;
        let facts: BTreeSet<u32> = facts.iter().map(|row| row.statement.lines.first).collect();
        let of_facts = about == About::Facts;
        let mine = bad.into_iter().filter(|odd| facts.contains(&odd.line) == of_facts);
        problems.extend(mine.map(|odd| format!("{}:{}: {}", page.path, odd.line, odd.message)));
    }
    Ok(problems)
}

fn all_pages(context: &VaultContext) -> Result<Vec<PageRow>> {
    let all = Window { limit: i64::MAX as usize, offset: 0 };
    Ok(context.store().list(context.project(), &Filter::default(), Order::Title, all)?)
}
