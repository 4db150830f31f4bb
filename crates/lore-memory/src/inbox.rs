//! The inbox: which files are there, and which of them nobody has sorted yet.

use jiff::Timestamp;
use lore_engine::{Error, Result, Rotate, VaultContext, property_values};
use lore_page::parse;
use lore_text::secrets::looks_binary;
use lore_vault::{decode, files_below, is_page_path, modified, without_extension};

/// Values of the mark that mean that a page is not sorted.
const NOT_TRIAGED: [&str; 4] = ["", "false", "no", "0"];

/// A file in the inbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InboxItem {
    /// Path.
    pub path: String,
    /// Size in bytes.
    pub size: u64,
    /// When it last changed.
    pub changed: Option<Timestamp>,
    /// Whether it is marked as sorted.
    pub triaged: bool,
}

/// Returns the files of the inbox that nobody has sorted, oldest first.
pub fn unread(context: &VaultContext) -> Result<Vec<InboxItem>> {
    let mut items = inbox_items(context)?;
    items.retain(|item| !item.triaged);
    Ok(items)
}

/// Returns every file of the inbox, oldest first.
pub(crate) fn inbox_items(context: &VaultContext) -> Result<Vec<InboxItem>> {
    let policy = context.policy();
    let Some((plan, folder)) = inbox(policy.rotate.as_ref()) else { return Ok(Vec::new()) };
    let mut items = Vec::new();
    for (path, size) in files_below(context.vault(), folder) {
        let changed = modified(&context.vault().root().join(&path)).and_then(|time| time.try_into().ok());
        let triaged = is_page_path(&path) && is_marked(context, plan, &path);
        items.push(InboxItem { path, size, changed, triaged });
    }
    items.sort_by(|a, b| (a.changed, &a.path).cmp(&(b.changed, &b.path)));
    Ok(items)
}

fn inbox(plan: Option<&Rotate>) -> Option<(&Rotate, &String)> {
    plan.and_then(|plan| Some((plan, plan.inbox.as_ref()?)))
}

/// Whether a page says that it is sorted. One that cannot be read is not.
fn is_marked(context: &VaultContext, plan: &Rotate, path: &str) -> bool {
    let Ok(Some(file)) = context.vault().read(path, context.policy().limits.page_bytes) else { return false };
    let page = parse(path, &decode(&file.bytes).text).page;
    let values = property_values(&page, &plan.triaged);
    !values.is_empty()
        && values.iter().all(|value| !NOT_TRIAGED.contains(&value.trim().to_lowercase().as_str()))
}

/// Returns the file of the inbox that a reference means: its path, its name, or its name without extension.
pub fn inbox_item(context: &VaultContext, reference: &str) -> Result<InboxItem> {
    let policy = context.policy();
    let plain = policy.alias(reference).unwrap_or_else(|| reference.to_owned());
    let plain = plain.trim_start_matches("./");
    let items = inbox_items(context)?;
    let name = |item: &InboxItem| item.path.rsplit('/').next().unwrap_or(&item.path).to_owned();
    let is_meant = |item: &&InboxItem| {
        [item.path.as_str(), &name(item)].contains(&plain)
            || [without_extension(&item.path), without_extension(&name(item))].contains(&plain)
    };
    let mut found: Vec<&InboxItem> = items.iter().filter(is_meant).collect();
    if found.len() > 1 {
        found.retain(|item| item.path == plain || name(item) == plain);
    }
    match found.as_slice() {
        [one] => Ok((*one).clone()),
        [] => Err(Error::NotFound { reference: reference.to_owned(), suggestions: Vec::new() }),
        some => Err(Error::Ambiguous {
            reference: reference.to_owned(),
            candidates: some.iter().map(|item| item.path.clone()).collect(),
        }),
    }
}

/// Returns the text of an inbox file; none if it is not text or too large.
pub fn inbox_text(context: &VaultContext, item: &InboxItem) -> Result<Option<String>> {
    let limit = context.policy().limits.page_bytes;
    if item.size > limit {
        return Ok(None);
    }
    let Some(file) = context.vault().read(&item.path, limit)? else { return Ok(None) };
    Ok((!looks_binary(&file.bytes)).then(|| decode(&file.bytes).text.into_owned()))
}
