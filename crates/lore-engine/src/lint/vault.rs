//! Lints across files: broken links, duplicate ids and names, raw captures, generated files that are out of date.

use std::collections::{BTreeMap, BTreeSet};

use lore_page::{Format, Node, parse};
use lore_ports::{KeyKind, NameQuery, PageRow};
use lore_text::fold;
use lore_vault::{decode, files_below, is_page_path};

use super::Finding;
use super::links::broken_links;
use super::page::{Findings, file_findings, not_indexed, unreadable};
use crate::context::VaultContext;
use crate::error::Result;
use crate::index::{Proposal, links_by_former, moved_pages};
use crate::policy::{Level, Lint};

/// Maximum number of other pages that a finding about a duplicate id names.
const NAMED: usize = 3;

/// Finds broken links of these pages, or of all.
pub(super) fn links(
    context: &VaultContext,
    only: Option<&BTreeSet<String>>,
    proposal: Option<&Proposal>,
) -> Result<Vec<Finding>> {
    let policy = context.policy();
    if policy.lint.level(Lint::LinkBroken) == Level::Off {
        return Ok(Vec::new());
    }
    let mut findings = Vec::new();
    for broken in broken_links(context, only, proposal)? {
        let mut found = Findings { policy: &policy, path: &broken.path, list: Vec::new() };
        found.add(Lint::LinkBroken, Some(broken.line), broken.message, false);
        findings.append(&mut found.list);
    }
    Ok(findings)
}

/// Reports the files that could not be indexed: nothing is known about them.
pub(super) fn failures(context: &VaultContext, only: Option<&BTreeSet<String>>) -> Result<Vec<Finding>> {
    let failures = context.store().failures(context.project())?.into_iter();
    let wanted = failures.filter(|failure| only.is_none_or(|only| only.contains(&failure.path)));
    Ok(wanted.map(|failure| not_indexed(&failure.path, &failure.reason)).collect())
}

/// Finds links that use the path that a page had before it was moved outside Lore.
pub(super) fn moved(context: &VaultContext, only: Option<&BTreeSet<String>>) -> Result<Vec<Finding>> {
    let policy = context.policy();
    let mut findings = Vec::new();
    for (page, _) in moved_pages(context)? {
        for row in links_by_former(context, std::slice::from_ref(&page))? {
            if only.is_none_or(|only| only.contains(&row.from_path)) {
                let mut found = Findings { policy: &policy, path: &row.from_path, list: Vec::new() };
                let message =
                    format!("the link to {:?} uses the former path of {}", row.link.target, page.path);
                found.add(Lint::LinkMoved, Some(row.link.line), message, true);
                findings.append(&mut found.list);
            }
        }
    }
    Ok(findings)
}

/// Returns the nodes of an Org file as it is on disk.
fn nodes(context: &VaultContext, row: &PageRow) -> Vec<Node> {
    let is_org = Format::of(&row.path) == Format::Org;
    let file = is_org.then(|| context.read(row).ok()).flatten();
    file.map(|file| parse(&row.path, &decode(&file.bytes).text).page.nodes).unwrap_or_default()
}

/// Finds ids used by more than one page, and paths that are equal on case-insensitive systems.
pub(super) fn names(context: &VaultContext, only: Option<&BTreeSet<String>>) -> Result<Vec<Finding>> {
    let policy = context.policy();
    let (store, project) = (context.store(), context.project());
    let known = store.fingerprints(project, context.replica(), only)?;
    let numbers: Vec<i64> = known.iter().map(|page| page.page).collect();
    let mut findings = Vec::new();
    if only.is_none() {
        findings.extend(collisions(context, known.iter().map(|page| page.path.as_str())));
    }
    let rows = store.pages(project, &numbers)?;
    let own: Vec<&str> =
        rows.iter().filter(|row| row.properties.get("id").is_some()).map(|row| row.id.as_str()).collect();
    let nodes: BTreeMap<&str, Vec<Node>> =
        rows.iter().map(|row| (row.path.as_str(), nodes(context, row))).collect();
    let node_ids = nodes.values().flatten().map(|node| node.id.as_str());
    // Each id once: looking one up returns every page that has it.
    let folded: BTreeSet<String> = own.into_iter().chain(node_ids).map(fold).collect();
    let keys =
        store.lookup(project, &NameQuery::Exact(&folded.iter().map(String::as_str).collect::<Vec<_>>()))?;
    let mut by_id: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for key in keys.iter().filter(|key| key.kind == KeyKind::Id) {
        by_id.entry(&key.key).or_default().insert(&key.path);
    }
    for (path, node) in nodes.iter().flat_map(|(path, nodes)| nodes.iter().map(move |node| (*path, node))) {
        let paths = by_id.get(fold(&node.id).as_str()).filter(|paths| paths.len() > 1);
        if let Some(other) = paths.and_then(|paths| paths.iter().find(|other| **other != path)) {
            let mut found = Findings { policy: &policy, path, list: Vec::new() };
            let message =
                format!("the id {} of the heading {:?} is also used in {other}", node.id, node.title);
            found.add(Lint::IdDuplicate, Some(node.lines.first), message, false);
            findings.append(&mut found.list);
        }
    }
    for row in &rows {
        let paths = by_id.get(fold(&row.id).as_str()).filter(|paths| paths.len() > 1);
        let Some(paths) = paths else { continue };
        // Each of many pages with one id names only the first few others.
        let others: Vec<&str> = paths.iter().filter(|path| **path != row.path).take(NAMED).copied().collect();
        let more = paths.len() - 1 - others.len();
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let mut found = Findings { policy: &policy, path: &row.path, list: Vec::new() };
        let message = format!("the id {} is also used by {}{more}", row.id, others.join(" and "));
        found.add(Lint::IdDuplicate, Some(1), message, false);
        findings.append(&mut found.list);
    }
    Ok(findings)
}

fn collisions<'a>(context: &VaultContext, paths: impl Iterator<Item = &'a str>) -> Vec<Finding> {
    let policy = context.policy();
    let mut by_name: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for path in paths {
        by_name.entry(fold(path)).or_default().push(path);
    }
    let mut findings = Vec::new();
    for same in by_name.into_values().filter(|same| same.len() > 1) {
        let mut found = Findings { policy: &policy, path: same[1], list: Vec::new() };
        let message = format!("its name differs from {} only in case", same[0]);
        found.add(Lint::Slug, None, message, false);
        findings.append(&mut found.list);
    }
    findings
}

/// Lints raw captures: credentials in their text, and files that are too large.
pub(super) fn raw(context: &VaultContext) -> Result<Vec<Finding>> {
    let policy = context.policy();
    let Some(raw) = &policy.raw else { return Ok(Vec::new()) };
    let mut findings = Vec::new();
    for (path, size) in files_below(context.vault(), &raw.folder) {
        let file = match context.vault().read(&path, u64::MAX) {
            Ok(Some(file)) => file,
            Ok(None) => continue,
            Err(error) => {
                findings.push(unreadable(&path, &error));
                continue;
            }
        };
        findings.extend(file_findings(&policy, &path, &file.bytes));
        let mut found = Findings { policy: &policy, path: &path, list: Vec::new() };
        let stub = is_page_path(&path) && !path.starts_with(&format!("{}/files/", raw.folder));
        if size > raw.large_bytes {
            let message = format!("{size} bytes is unusually large; the limit is {}", raw.large_bytes);
            found.add(Lint::Size, None, message, false);
        } else if stub && size > raw.excerpt_bytes as u64 + 4096 {
            let message =
                format!("the capture has {size} bytes; an excerpt has at most {}", raw.excerpt_bytes);
            found.add(Lint::Size, None, message, false);
        }
        findings.append(&mut found.list);
    }
    Ok(findings)
}
