//! The vault's ignore files, read like everything else in a vault: regular files of a bounded size, no symlink out of it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::error::Error;
use crate::names::{IGNORE_FILES, OBSIDIAN, PACKAGES};
use crate::obsidian::template_folders;
use crate::vault::Vault;
use crate::walk::Skipped;

/// Maximum size of an ignore file. Its patterns are compiled, which costs far more than reading them.
const LIMIT: u64 = 32 * 1024;

/// The ignore files that could not be used, each with the reason.
#[derive(Debug, Clone, Default)]
pub(crate) struct Unusable(Arc<Mutex<Vec<Skipped>>>);

impl Unusable {
    /// Returns them, in order.
    pub(crate) fn take(&self) -> Vec<Skipped> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn add(&self, path: String, reason: String) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(Skipped { path, reason });
    }
}

/// Number of kinds of rules: one per name of an ignore file, then the template folders in Obsidian's settings.
const KINDS: usize = IGNORE_FILES.len() + 1;

/// The rules that apply in a directory, by precedence: those of each kind from the nearest directory up.
type Rules = Arc<[Vec<Arc<Gitignore>>; KINDS]>;

/// The ignore files of a vault, each read once, when a directory is first looked at.
pub(crate) struct IgnoreRules {
    vault: Vault,
    known: Mutex<HashMap<PathBuf, Rules>>,
    unusable: Unusable,
}

impl IgnoreRules {
    pub(crate) fn new(vault: Vault, unusable: Unusable) -> IgnoreRules {
        IgnoreRules { vault, known: Mutex::default(), unusable }
    }

    /// Whether the ignore files of the directories above exclude a file or directory.
    pub(crate) fn ignore(&self, full: &Path, is_folder: bool) -> bool {
        let Some(parent) = full.parent() else { return false };
        for rules in self.rules(parent).iter().flatten() {
            match rules.matched(full, is_folder) {
                Match::Ignore(_) => return true,
                Match::Whitelist(_) => return false,
                Match::None => {}
            }
        }
        is_folder && full.file_name().is_some_and(|name| name == PACKAGES)
    }

    fn rules(&self, folder: &Path) -> Rules {
        if let Some(rules) = self.known.lock().unwrap_or_else(PoisonError::into_inner).get(folder) {
            return rules.clone();
        }
        let above = match folder.parent() {
            Some(parent) if folder != self.vault.root() && folder.starts_with(self.vault.root()) => {
                self.rules(parent)
            }
            _ => Rules::default(),
        };
        let own: [Option<Arc<Gitignore>>; KINDS] = std::array::from_fn(|kind| match IGNORE_FILES.get(kind) {
            Some(name) => self.read(folder, name),
            None => self.templates(folder),
        });
        let rules = match own.iter().all(Option::is_none) {
            true => above,
            false => {
                let mut own = own.into_iter();
                let joined = std::array::from_fn(|kind| {
                    own.next().flatten().into_iter().chain(above[kind].iter().cloned()).collect()
                });
                Arc::new(joined)
            }
        };
        self.known.lock().unwrap_or_else(PoisonError::into_inner).insert(folder.to_owned(), rules.clone());
        rules
    }

    /// Returns the rules for the template folders that the settings of an Obsidian vault name: templates are not notes.
    fn templates(&self, folder: &Path) -> Option<Arc<Gitignore>> {
        let settings = folder.strip_prefix(self.vault.root()).ok()?.join(OBSIDIAN);
        if !self.vault.root().join(&settings).is_dir() {
            return None;
        }
        let mut builder = GitignoreBuilder::new(folder);
        let settings = settings.to_str()?;
        let read = |name: &str| self.vault.read_text(&format!("{settings}/{name}")).ok().flatten();
        for name in template_folders(read) {
            let _ = builder.add_line(None, &format!("/{}/", escaped(&name)));
        }
        builder.build().ok().filter(|rules| !rules.is_empty()).map(Arc::new)
    }

    fn read(&self, folder: &Path, name: &str) -> Option<Arc<Gitignore>> {
        let inside = folder.strip_prefix(self.vault.root()).ok()?.join(name);
        let path = inside.to_str()?;
        let file = match self.vault.read(path, LIMIT) {
            Ok(file) => file?,
            Err(error) => {
                let why = match error {
                    Error::Read { source, .. } => source.to_string(),
                    Error::BadPath { reason, .. } => reason.to_owned(),
                    other => other.to_string(),
                };
                self.unusable.add(path.to_owned(), format!("this ignore file is not used: {why}"));
                return None;
            }
        };
        let mut builder = GitignoreBuilder::new(folder);
        for line in String::from_utf8_lossy(&file.bytes).lines() {
            // Like git, skips a pattern that is none.
            let _ = builder.add_line(None, line.strip_prefix('\u{feff}').unwrap_or(line));
        }
        builder.build().ok().map(Arc::new)
    }
}

/// Escapes the characters of a path that have a meaning in an ignore file.
fn escaped(path: &str) -> String {
    let mut escaped = String::with_capacity(path.len());
    for letter in path.chars() {
        if "\\*?[]!# ".contains(letter) {
            escaped.push('\\');
        }
        escaped.push(letter);
    }
    escaped
}
