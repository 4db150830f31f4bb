//! The files that every agent is given at the start of its work, within their limits.

use crate::error::Result;
use crate::memory::Memory;
use crate::policy::Inject;
use crate::upkeep::last_entries;
use crate::vault::{decode, without_extension};

/// A file that is given.
#[derive(Debug, Clone)]
pub struct Injected {
    /// What it is called there.
    pub name: String,
    /// Its path.
    pub path: String,
    /// Its text, as far as its limits let it.
    pub text: String,
}

/// The files that are there, in the policy's order, and what a person should know. With `whole`, no list is cut.
pub fn injected(memory: &Memory, whole: bool) -> Result<(Vec<Injected>, Vec<String>)> {
    let (mut files, mut warnings) = (Vec::new(), Vec::new());
    for wanted in &memory.policy().inject {
        let path = format!("{}.md", without_extension(&wanted.path));
        let Some(file) = memory.vault().read(&path, u64::MAX)? else { continue };
        let (size, text) = (file.bytes.len() as u64, decode(&file.bytes).text.into_owned());
        match wanted.max_bytes.filter(|limit| size > *limit) {
            Some(limit) => {
                warnings.push(format!("{path} is left out: it has {size} bytes, over its limit of {limit}"));
            }
            None => files.push(Injected { name: wanted.name.clone(), text: cut(wanted, text, whole), path }),
        }
    }
    Ok((files, warnings))
}

fn cut(wanted: &Inject, text: String, whole: bool) -> String {
    let section = wanted.section.as_deref().filter(|_| !whole);
    match section.and_then(|section| last_entries(&text, section, wanted.last)) {
        Some((short, _)) => short,
        None => text,
    }
}
