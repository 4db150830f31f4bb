//! Files injected into every agent's context, within their limits.

mod last_entries;

use lore_engine::{Inject, Result, VaultContext};
use lore_vault::{decode, without_extension};

pub use last_entries::last_entries;

use crate::derived::is_external_text;

/// A file to inject.
#[derive(Debug, Clone)]
pub struct Injected {
    /// Name shown in the context.
    pub name: String,
    /// Path.
    pub path: String,
    /// Text, shortened to its limits.
    pub text: String,
    /// Whether its text comes from outside. Its frontmatter, which says so, may not be part of the text.
    pub is_external: bool,
    /// When it was read, if it changes during a session.
    pub snapshot_at: Option<String>,
}

/// Returns the existing files in the policy's order, and warnings. With `whole`, no list is shortened.
pub fn injected(context: &VaultContext, whole: bool) -> Result<(Vec<Injected>, Vec<String>)> {
    let (mut files, mut warnings) = (Vec::new(), Vec::new());
    for file_rule in &context.policy().inject {
        let path = format!("{}.md", without_extension(&file_rule.path));
        let Some(file) = context.vault().read(&path, u64::MAX)? else { continue };
        let (size, text) = (file.bytes.len() as u64, decode(&file.bytes).text.into_owned());
        match file_rule.max_bytes.filter(|limit| size > *limit) {
            Some(limit) => {
                warnings.push(format!("{path} is not injected: {size} bytes exceed the limit of {limit}"));
            }
            None => {
                let now = || context.local_now().strftime("%Y-%m-%dT%H:%M:%S%:z").to_string();
                files.push(Injected {
                    name: file_rule.name.clone(),
                    is_external: is_external_text(&path, &text),
                    text: cut(file_rule, text, whole),
                    path,
                    snapshot_at: file_rule.snapshot.then(now),
                });
            }
        }
    }
    Ok((files, warnings))
}

fn cut(file_rule: &Inject, text: String, whole: bool) -> String {
    let section = file_rule.section.as_deref().filter(|_| !whole);
    match section.and_then(|section| last_entries(&text, section, file_rule.last)) {
        Some((short, _)) => short,
        None => text,
    }
}
