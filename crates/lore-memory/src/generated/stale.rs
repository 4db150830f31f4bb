//! Finds generated files that are out of date.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use lore_engine::{Generated, Make, Result, VaultContext, states};
use lore_page::Format;
use lore_ports::{Filter, Order, PageNo, PageRow, Window};
use lore_text::{fold, secrets};
use lore_vault::{exists, folder, list_names, without_extension};

use super::{
    CLOSE, CatalogueEntry, EditState, FileLine, OPEN, PolicyLine, active_list, catalogue, file_catalogue,
    flow_table, folder_list, inbox_list, put_block, put_block_in, redaction, registry, state_of,
    without_block,
};
use crate::inbox::unread;
use crate::routine_list::{RoutineInfo, routines};

/// Path of a generated file and its expected content; `None` if it should not exist.
pub type StaleGeneratedFile = (String, Option<String>);

/// Returns the generated files that must be written or deleted.
pub fn stale_files(context: &VaultContext) -> Result<Vec<StaleGeneratedFile>> {
    let policy = context.policy();
    if policy.generated.is_empty() {
        return Ok(Vec::new());
    }
    let pages = every_page(context)?;
    let mut files = Vec::new();
    for generated in &policy.generated {
        match generated.make {
            Make::Catalogue => files.extend(catalogue_files(context, generated, &pages)?),
            _ => files.extend(blocks(context, generated, &pages)?),
        }
    }
    let mut stale = Vec::new();
    for (path, text) in files {
        let current = context.vault().read(&path, u64::MAX)?.map(|file| file.bytes);
        if current.as_deref() != text.as_deref().map(str::as_bytes) {
            stale.push((path, text));
        }
    }
    Ok(stale)
}

/// Returns the existing files that are generated as a whole.
pub fn whole_files(context: &VaultContext) -> Result<Vec<String>> {
    let policy = context.policy();
    let catalogues = policy.generated.iter().filter(|generated| generated.make == Make::Catalogue);
    Ok(catalogues.flat_map(|generated| parts(context, generated.path.as_str())).collect())
}

/// Returns all generated files, whole or with a block, that exist or should exist.
pub fn every_path(context: &VaultContext) -> Result<Vec<String>> {
    let policy = context.policy();
    let pages = if policy.generated.is_empty() { Vec::new() } else { every_page(context)? };
    let blocks = policy.generated.iter().filter(|generated| generated.make != Make::Catalogue);
    let mut paths = whole_files(context)?;
    paths.extend(blocks.flat_map(|generated| targets(generated, &pages)));
    Ok(paths)
}

/// Returns the files whose block markers are broken, so that they cannot be written.
pub fn broken_blocks(context: &VaultContext) -> Result<Vec<String>> {
    let policy = context.policy();
    let pages = if policy.generated.is_empty() { Vec::new() } else { every_page(context)? };
    let mut broken = Vec::new();
    for generated in policy.generated.iter().filter(|generated| generated.make != Make::Catalogue) {
        for path in targets(generated, &pages) {
            let text = read(context, &path)?;
            if text.is_some_and(|text| put_block(&text, OPEN, CLOSE, "").is_none()) {
                broken.push(path);
            }
        }
    }
    Ok(broken)
}

fn every_page(context: &VaultContext) -> Result<Vec<PageRow>> {
    let all = Window { limit: i64::MAX as usize, offset: 0 };
    Ok(context.store().list(context.project(), &Filter::default(), Order::Title, all)?)
}

/// Returns the files of a catalogue, and obsolete parts to delete.
fn catalogue_files(
    context: &VaultContext,
    generated: &Generated,
    pages: &[PageRow],
) -> Result<Vec<StaleGeneratedFile>> {
    let stem = generated.path.as_str();
    let format = context.policy().format.map(Format::from).unwrap_or_default();
    let updated: Vec<String> = pages.iter().map(last_change).collect();
    let mut issues = issues(context, pages)?;
    let nodes: Vec<CatalogueEntry<'_>> = pages
        .iter()
        .zip(&updated)
        .map(|(page, updated)| node(page, updated, issues.remove(&page.number)))
        .collect();
    let sections: Vec<super::CatalogueSection> = generated
        .sections
        .iter()
        .map(|section| super::CatalogueSection { title: section.title.clone(), tag: section.tag.clone() })
        .collect();
    let mut files: BTreeMap<String, Option<String>> =
        catalogue(stem, format, &nodes, &sections, generated.budget)
            .into_iter()
            .map(|(path, text)| (path, Some(text)))
            .collect();
    for part in parts(context, stem) {
        let sealed = read(context, &part)?.is_some_and(|text| state_of(&text) == EditState::Unchanged);
        if sealed {
            files.entry(part).or_insert(None);
        }
    }
    Ok(files.into_iter().collect())
}

/// Returns the existing catalogue file and its parts: `index.md`, `index-procedures.md`.
fn parts(context: &VaultContext, stem: &str) -> Vec<String> {
    let parent = folder(stem);
    let name = stem.rsplit('/').next().unwrap_or(stem);
    let names = list_names(&context.vault().root().join(parent)).unwrap_or_default();
    let is_part = |file: &String| {
        let rest = file
            .strip_prefix(name)
            .and_then(|rest| rest.strip_suffix(".md").or_else(|| rest.strip_suffix(".org")));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    };
    let full = |file: String| if parent.is_empty() { file } else { format!("{parent}/{file}") };
    names.into_iter().filter(is_part).map(full).collect()
}

/// Returns what is contested, by page: what its file says, else the pages that it contradicts.
fn issues(context: &VaultContext, pages: &[PageRow]) -> Result<HashMap<PageNo, String>> {
    let is_contested = |page: &&PageRow| page.status.as_deref().map(fold).as_deref() == Some("contested");
    let contested: Vec<PageRow> = pages.iter().filter(is_contested).cloned().collect();
    let title = |slug: &str| {
        pages.iter().find(|page| page.slug == slug).map_or_else(|| slug.to_owned(), |page| page.title.clone())
    };
    let mut found = HashMap::new();
    for (page, state) in contested.iter().zip(states(context, &contested)?) {
        let others: Vec<String> = state.contradicts.iter().map(|(slug, _)| title(slug)).collect();
        if !others.is_empty() {
            found.insert(page.number, format!("contradicts {}", others.join(", ")));
        }
    }
    let stated = |page: &PageRow| Some((page.number, page.properties.text("issue")?.to_owned()));
    found.extend(pages.iter().filter_map(stated));
    Ok(found)
}

fn node<'a>(page: &'a PageRow, updated: &'a str, issue: Option<String>) -> CatalogueEntry<'a> {
    CatalogueEntry {
        title: &page.title,
        id: &page.id,
        summary: page.summary.as_deref().unwrap_or_default(),
        tags: &page.tags,
        projects: page.properties.list("projects"),
        status: page.status.as_deref(),
        updated,
        issue,
    }
}

fn last_change(page: &PageRow) -> String {
    // Never use the mtime: a clone or a copy would make the generated file stale.
    let properties = ["updated", "captured", "date", "created"];
    properties.iter().find_map(|key| page.properties.text(key)).unwrap_or_default().to_owned()
}

/// Returns the files with a block and their regenerated content.
fn blocks(
    context: &VaultContext,
    generated: &Generated,
    pages: &[PageRow],
) -> Result<Vec<StaleGeneratedFile>> {
    let mut files = Vec::new();
    for path in targets(generated, pages) {
        let inner = inner(context, generated, &path, pages)?;
        let text = match read(context, &path)? {
            Some(text) => text,
            None if exists(&context.vault().root().join(&path)) => continue,
            // A block in a section belongs to a page that somebody else writes.
            None if generated.section.is_some() => continue,
            None => format!("# {}\n", name_of(&path)),
        };
        let text = match &generated.section {
            _ if inner.is_empty() && generated.make == Make::Inbox => Some(without_block(&text)),
            Some(section) => put_block_in(&text, section, &inner),
            None => put_block(&text, OPEN, CLOSE, &inner),
        };
        if let Some(text) = text {
            files.push((path, Some(text)));
        }
    }
    Ok(files)
}

/// Returns the files of a pattern: itself, or one in every folder with pages that match it.
fn targets(generated: &Generated, pages: &[PageRow]) -> BTreeSet<String> {
    let pattern = generated.path.as_str();
    if !pattern.contains(['*', '{', '?', '[']) {
        return BTreeSet::from([format!("{}.md", without_extension(pattern))]);
    }
    let name = pattern.rsplit('/').next().unwrap_or(pattern);
    let mut found = BTreeSet::new();
    for page in pages {
        let mut at = folder(&page.path);
        while !at.is_empty() {
            let path = format!("{at}/{}.md", without_extension(name));
            if generated.path.matches(&path) {
                found.insert(path);
            }
            at = folder(at);
        }
    }
    found
}

fn inner(context: &VaultContext, generated: &Generated, path: &str, pages: &[PageRow]) -> Result<String> {
    let parent = generated.from.as_deref().unwrap_or_else(|| folder(path));
    let line =
        |page: &'_ PageRow| (page.path.clone(), page.title.clone(), page.summary.clone().unwrap_or_default());
    let below = |page: &&PageRow| {
        let inside =
            parent.is_empty() || page.path.strip_prefix(parent).is_some_and(|rest| rest.starts_with('/'));
        inside && page.path != path
    };
    let lines: Vec<(String, String, String)> = pages.iter().filter(below).map(line).collect();
    let files: Vec<FileLine<'_>> =
        lines.iter().map(|(path, title, summary)| FileLine { path, title, summary }).collect();
    Ok(match generated.make {
        Make::Files => file_catalogue(&files) + &flow_table(&flows(context)?),
        Make::Inbox => {
            let paths: Vec<String> = unread(context)?.into_iter().map(|item| item.path).collect();
            inbox_list(&paths)
        }
        Make::Active => active_list(&policy_lines(&policy_pages(parent, pages))),
        Make::Folder => folder_list(parent, &files),
        Make::Secrets => {
            let rules: Vec<(&str, &str)> = secrets::rules().map(|rule| (rule.name, rule.what)).collect();
            redaction(&rules)
        }
        Make::Registry | Make::Catalogue => registry(&policy_lines(&policy_pages(parent, pages))),
    })
}

/// Returns the pages that each routine reads, and where the person's own routines are.
fn flows(context: &VaultContext) -> Result<Vec<(String, Vec<String>)>> {
    let flow = |one: RoutineInfo| (one.name, one.pages);
    Ok(routines(context)?.into_iter().map(flow).collect())
}

fn policy_pages<'a>(parent: &str, pages: &'a [PageRow]) -> Vec<(&'a PageRow, String)> {
    let own = pages.iter().filter(|page| folder(&page.path) == parent && !page.path.ends_with("/_index.md"));
    own.map(|page| (page, last_change(page))).collect()
}

fn policy_lines<'a>(pages: &'a [(&'a PageRow, String)]) -> Vec<PolicyLine<'a>> {
    pages
        .iter()
        .map(|(page, updated)| PolicyLine {
            slug: page.slug.rsplit('/').next().unwrap_or(&page.slug),
            title: &page.title,
            status: page.status.as_deref().unwrap_or("active"),
            updated,
            reason: page.properties.text("reason").or(page.summary.as_deref()).unwrap_or_default(),
        })
        .collect()
}

fn read(context: &VaultContext, path: &str) -> Result<Option<String>> {
    let file = context.vault().read(path, u64::MAX)?;
    Ok(file.and_then(|file| String::from_utf8(file.bytes).ok()))
}

/// Returns the name of a folder's index file: that of `knowledge/entities/work/_index.md` is `work`.
fn name_of(path: &str) -> String {
    let parent = folder(path);
    parent.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or("Index").to_owned()
}
