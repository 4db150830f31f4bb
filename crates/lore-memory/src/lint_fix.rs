//! Automatic lint fixes: properties with a default, values in the wrong case, slugs, generated files, and unlinked
//! mentions of pages.

use std::collections::BTreeSet;

use lore_engine::{
    Action, Edit, Finding, FormerLinks, Level, Lint, Outcome, PageChange, Result, Schema, ValueFormat,
    VaultContext, WriteOptions, lint, moved_pages, property_values, refresh_generated, write_as,
};
use lore_page::{Page, Value, edit, parse};
use lore_text::slugify;
use lore_vault::VaultPath;

use crate::generated;
use crate::mentions::{MissingLink, add_missing_links, missing_links};

/// What to fix.
#[derive(Debug, Default, Clone, Copy)]
pub struct FixRequest<'a> {
    /// Only these pages; `None` means all.
    pub only: Option<&'a BTreeSet<String>>,
    /// Whether to link unlinked mentions even if the policy does not ask for it.
    pub links: bool,
}

/// What was fixed, and what was not.
#[derive(Debug, Default)]
pub struct Fixed {
    /// Changed files.
    pub paths: Vec<String>,
    /// Mentions that were turned into links.
    pub linked: Vec<MissingLink>,
    /// Warnings for the user.
    pub warnings: Vec<String>,
    /// Remaining findings.
    pub remaining: Vec<Finding>,
}

/// Applies the safe fixes and lints again.
pub fn fix(context: &VaultContext, request: &FixRequest<'_>) -> Result<Fixed> {
    let only = request.only;
    let mut fixed = Fixed::default();
    let found = lint(context, only)?;
    let fixable = found
        .iter()
        .filter(|found| found.fixable && !matches!(found.lint, Lint::LinkMissing | Lint::LinkMoved));
    let pages: BTreeSet<&str> = fixable.map(|found| found.path.as_str()).collect();
    let pages: Vec<&str> = pages.into_iter().filter(|path| context.indexes(path)).collect();
    let has_moved = found.iter().any(|found| found.lint == Lint::LinkMoved);
    let moved = if has_moved { moved_pages(context)? } else { Vec::new() };
    fixed.paths.extend(fix_pages(context, &pages, &FormerLinks::find(context, &moved)?)?);
    if request.links || context.policy().lint.level(Lint::LinkMissing) > Level::Off {
        let links = add_missing_links(context, &missing_links(context, only)?)?;
        fixed.paths.extend(links.paths);
        fixed.linked = links.linked;
        fixed.warnings = links.warnings;
    }
    if !generated::stale_files(context)?.is_empty() && only.is_none() {
        fixed.paths.extend(refresh_generated(context)?.generated);
    }
    fixed.remaining = lint(context, only)?;
    fixed.remaining.retain(|found| found.level > Level::Off);
    Ok(fixed)
}

/// Fixes the properties of pages, and the links to pages that were moved, in one write; returns the pages that changed.
fn fix_pages(context: &VaultContext, pages: &[&str], links: &FormerLinks) -> Result<Vec<String>> {
    let all: BTreeSet<&str> =
        pages.iter().copied().chain(links.sources().iter().map(String::as_str)).collect();
    if all.is_empty() {
        return Ok(Vec::new());
    }
    let change = |path: &&str| {
        let path = (*path).to_owned();
        let schema = context.policy().schema(&path).cloned().unwrap_or_default();
        let (is_fixed, is_linking) = (pages.contains(&path.as_str()), links.sources().contains(&path));
        let target = VaultPath::known(path.clone());
        let edit: Edit<'_> = Box::new(move |text| {
            let text = if is_fixed { apply_fixes(context, &schema, &path, text) } else { text.to_owned() };
            if is_linking { links.follow(&path, &text) } else { Ok(text) }
        });
        PageChange { path: target, action: Action::Edit(edit), expected_version: None }
    };
    let changes: Vec<PageChange<'_>> = all.iter().map(change).collect();
    let subject = Some(match all.first() {
        Some(path) if all.len() == 1 => format!("Fix {path}"),
        _ => format!("Fix {} pages", all.len()),
    });
    let receipt =
        write_as(context, &changes, &WriteOptions { subject, is_fix: true, ..WriteOptions::default() })?;
    let changed = receipt.files.into_iter().filter(|file| file.outcome != Outcome::Unchanged);
    Ok(changed.map(|file| file.path).collect())
}

/// Returns the text with fixed properties. What cannot be fixed is left unchanged.
fn apply_fixes(context: &VaultContext, schema: &Schema, path: &str, text: &str) -> String {
    let mut text = text.to_owned();
    let page = parse(path, &text).page;
    let mut set = |key: &str, value: Value| {
        if let Ok(edited) = edit::set_property(lore_page::Format::of(path), &text, key, &value) {
            text = edited;
        }
    };
    for key in &schema.required {
        if let Some(default) = schema.defaults.get(key)
            && property_values(&page, key).iter().all(|value| value.trim().is_empty())
        {
            set(key, Value::Text(filled(context, default)));
        }
    }
    for (key, allowed) in &schema.values {
        replace(&page, key, &mut set, |value| {
            allowed.iter().find(|known| known.eq_ignore_ascii_case(value)).cloned()
        });
    }
    for (key, _) in schema.formats.iter().filter(|(_, format)| **format == ValueFormat::Slug) {
        replace(&page, key, &mut set, |value| Some(slugify(value)).filter(|slug| !slug.is_empty()));
    }
    text
}

/// Sets a property again if one of its values has a better form.
fn replace(
    page: &Page,
    key: &str,
    set: &mut impl FnMut(&str, Value),
    better: impl Fn(&str) -> Option<String>,
) {
    let before = property_values(page, key);
    let after: Vec<String> =
        before.iter().map(|value| better(value).unwrap_or_else(|| value.clone())).collect();
    if before == after {
        return;
    }
    let value = match (page.properties.get(key), after.as_slice()) {
        (Some(Value::Text(_)), [one]) => Value::Text(one.clone()),
        _ => Value::List(after.into_iter().map(Value::Text).collect()),
    };
    set(key, value);
}

/// Fills the date, the actor and a new id into a default.
pub(crate) fn filled(context: &VaultContext, default: &str) -> String {
    default
        .replace("{{date}}", &context.today())
        .replace("{{actor}}", &context.author().actor)
        .replace("{{id}}", &new_id())
}

/// Returns a new unique id.
pub fn new_id() -> String {
    uuid::Uuid::now_v7().to_string()
}
