//! Merges pages into one, and splits a page by its sections. A plan shows what would change; one write makes it so.

mod conflicts;
mod parts;
mod properties;
mod redirect;
mod split;

pub use properties::DroppedValue;
pub use split::{SplitPart, SplitPlan, apply_split, plan_split};

use std::collections::{BTreeMap, HashSet};

use lore_engine::{Action, Edit, Error, PageChange, Receipt, Result, VaultContext, WriteOptions, write_as};
use lore_page::{Format, LINKS_TO, Link, convert, edit, parse};
use lore_ports::{LinkFilter, PageNo, PageRow};
use lore_text::fold;
use lore_vault::{VaultPath, decode, exists, sidecar};

use crate::compact::rebase_links;
use crate::derived::widest_mode;

use conflicts::conflicts;
use properties::with_properties;
use redirect::{PageName, Redirects, node_targets};

/// A merge of pages.
#[derive(Debug)]
pub struct MergePlan {
    /// The page that remains.
    pub target: PageRow,
    /// Its text before.
    pub old: String,
    /// Its text after.
    pub text: String,
    /// The pages that are deleted.
    pub merged: Vec<PageRow>,
    /// Values of their properties that the page does not take over, and relations among the pages.
    pub dropped: Vec<DroppedValue>,
    /// Statements that cannot hold together, one sentence each. The merge is refused until they are settled.
    pub conflicts: Vec<String>,
    /// Pages whose links and pointers follow, with the number of changes.
    pub sources: BTreeMap<String, usize>,
    /// Pages that cannot be changed, with the reason; their links by name and id still resolve.
    pub blocked: BTreeMap<String, String>,
    redirects: Redirects,
}

/// Plans to merge pages into the first one. Changes nothing.
pub fn plan_merge(context: &VaultContext, target: &PageRow, others: &[PageRow]) -> Result<MergePlan> {
    check_pages(target, others)?;
    let old = text_of(context, target)?;
    let name = PageName::new(context, target, &old)?;
    let gone: Vec<PageNo> = others.iter().map(|page| page.number).collect();
    let own = own_links(context, target, others)?;
    let mut dropped = Vec::new();
    let mut text = without_self_links(&old, &target.path, &own, &name, &mut dropped)?;
    let mut texts = vec![text.clone()];
    for other in others {
        let body = without_self_links(&text_of(context, other)?, &other.path, &own, &name, &mut dropped)?;
        let body = rebase_links(&target.path, &other.path, &body)?;
        let body = convert(&body, Format::of(&other.path), Format::of(&target.path));
        let combined = edit::combine(Format::of(&target.path), &text, &body);
        text = combined.map_err(|source| failed(&target.path, source))?;
        text = with_properties(context, &text, &target.path, other, &body, &mut dropped)?;
        texts.push(body);
    }
    let conflicts = conflicts(context, target, others, &text, &texts)?;
    let redirects = Redirects::to_page(context, &gone, others, &name, target)?;
    let (sources, blocked) = redirects.sources(context)?;
    let (target, merged) = (target.clone(), others.to_vec());
    Ok(MergePlan { target, old, text, merged, dropped, conflicts, sources, blocked, redirects })
}

/// Merges the pages of a plan, all or nothing; fails if they contradict each other or if one has changed since.
pub fn apply_merge(context: &VaultContext, plan: &MergePlan) -> Result<Receipt> {
    if !plan.conflicts.is_empty() {
        return Err(Error::BadInput {
            message: format!("the pages contradict each other: {}", plan.conflicts.join("; ")),
            hint: "end or remove one line of each pair, then merge again; nothing was changed".into(),
        });
    }
    let new: Edit<'_> = Box::new(|_| Ok(plan.text.clone()));
    let mut changes = vec![PageChange {
        path: VaultPath::known(plan.target.path.clone()),
        action: Action::Edit(new),
        expected_version: Some(plan.target.version),
    }];
    let mut data = exists(&context.vault().root().join(sidecar(&plan.target.path)));
    for page in &plan.merged {
        changes.push(PageChange {
            path: VaultPath::known(page.path.clone()),
            action: Action::Delete,
            expected_version: Some(page.version),
        });
        changes.extend(moved_sidecar(context, &page.path, &plan.target.path, &mut data)?);
    }
    changes.extend(plan.redirects.changes(plan.sources.keys()));
    let names: Vec<&str> = plan.merged.iter().map(|page| page.path.as_str()).collect();
    let subject = Some(format!("Merge {} into {}", names.join(", "), plan.target.path));
    let mode = widest_mode(context, plan.merged.iter().chain([&plan.target]));
    let private = mode.map(|mode| (plan.target.path.clone(), mode)).into_iter().collect();
    write_as(context, &changes, &WriteOptions { subject, private, ..WriteOptions::default() })
}

fn check_pages(target: &PageRow, others: &[PageRow]) -> Result<()> {
    let mut seen = HashSet::from([target.number]);
    if others.is_empty() || !others.iter().all(|page| seen.insert(page.number)) {
        return Err(Error::BadInput {
            message: format!("there is no other page to merge into {}", target.slug),
            hint: "name two or more different pages; the first one remains".into(),
        });
    }
    Ok(())
}

/// Moves the data beside a merged page, if the remaining page has none; two of them only a person can combine.
fn moved_sidecar(
    context: &VaultContext,
    from: &str,
    to: &str,
    taken: &mut bool,
) -> Result<Option<PageChange<'static>>> {
    let (old, new) = (sidecar(from), sidecar(to));
    if !exists(&context.vault().root().join(&old)) {
        return Ok(None);
    }
    if std::mem::replace(taken, true) {
        return Err(Error::BadInput {
            message: format!("both {from} and {to} have data beside them"),
            hint: format!("combine {old} and {new} by hand first; nothing was changed"),
        });
    }
    let as_it_is: Edit<'static> = Box::new(|text| Ok(text.to_owned()));
    let action = Action::Move(VaultPath::known(new), as_it_is);
    Ok(Some(PageChange { path: VaultPath::known(old), action, expected_version: None }))
}

/// Returns the links among the pages, as path and target: once merged, they would lead from the page to itself.
fn own_links(
    context: &VaultContext,
    target: &PageRow,
    others: &[PageRow],
) -> Result<HashSet<(String, String)>> {
    let numbers: Vec<PageNo> = std::iter::once(target).chain(others).map(|page| page.number).collect();
    let rows = context.store().links(context.project(), &LinkFilter::From(&numbers))?;
    // A link to a heading that is a node leads to the same node afterwards.
    let nodes = node_targets(context, others, target)?;
    let inside = rows.into_iter().filter(|row| row.to.is_some_and(|to| numbers.contains(&to)));
    let inside = inside.filter(|row| !nodes.contains(&fold(&row.link.target)));
    Ok(inside.map(|row| (row.from_path, row.link.target)).collect())
}

/// Returns a text without the relations to the page itself, which are listed as dropped; links to it in prose lead to its new name.
fn without_self_links(
    text: &str,
    path: &str,
    own: &HashSet<(String, String)>,
    name: &PageName,
    dropped: &mut Vec<DroppedValue>,
) -> Result<String> {
    let leads_here = |link: &Link| own.contains(&(path.to_owned(), link.target.clone()));
    let is_relation =
        |link: &&Link| link.relation != LINKS_TO && link.span.start < link.span.end && leads_here(link);
    let links = parse(path, text).page.links;
    let mut lines: Vec<u32> = links.iter().filter(is_relation).map(|link| link.line).collect();
    lines.dedup();
    let written: Vec<&str> = text.lines().collect();
    dropped.extend(lines.iter().filter_map(|line| written.get(*line as usize - 1)).map(|line| {
        DroppedValue {
            path: path.to_owned(),
            property: "relation".to_owned(),
            value: line.trim().trim_start_matches(['-', '*', '+']).trim_start().to_owned(),
            kept: None,
        }
    }));
    // From last to first, so that the line numbers above stay valid.
    let removed = lines.iter().rev().try_fold(text.to_owned(), |text, line| {
        edit::remove_relation(Format::of(path), &text, *line).map_err(|source| failed(path, source))
    })?;
    let mut follow = |link: &Link| leads_here(link).then(|| name.target(path, link));
    edit::retarget_links(&removed, path, &mut follow).map_err(|source| failed(path, source))
}

/// Returns the text of a page, which must be UTF-8.
fn text_of(context: &VaultContext, page: &PageRow) -> Result<String> {
    let file = context.read(page)?;
    let decoded = decode(&file.bytes);
    match decoded.encoding {
        Some(_) => Err(Error::NotUtf8 { path: page.path.clone() }),
        None => Ok(decoded.text.into_owned()),
    }
}

fn failed(path: &str, source: edit::EditError) -> Error {
    Error::Edit { slug: path.to_owned(), source }
}
