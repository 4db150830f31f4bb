//! Recognizes a vault that is no longer there although its directory is: a file system that is not mounted, or a directory
//! that was emptied or replaced. Its pages are not deleted, and its policy is not void.

use lore_ports::{Filter, Order, StateChange, Window};
use lore_vault::{exists, scan};

use super::VaultContext;
use crate::error::{Error, Result};
use crate::policy::{POLICY_FILE, Policy};

/// Ends the mark of an index whose vault had a policy file.
const WITH_FILE: &str = "+file";

/// Number of pages looked for before the whole vault is scanned.
const SAMPLE: usize = 20;

/// Returns what the database remembers of a policy: the settings that decide how pages are indexed, and whether they came
/// from a file.
pub(super) fn mark(policy: &Policy, has_file: bool) -> String {
    format!("{}{}", policy.index_mark(), if has_file { WITH_FILE } else { "" })
}

/// Whether pages are indexed in the same way under both marks.
pub(super) fn is_same_index(one: &str, other: &str) -> bool {
    let settings = |mark: &str| mark.strip_suffix(WITH_FILE).unwrap_or(mark).to_owned();
    settings(one) == settings(other)
}

impl VaultContext {
    /// Accepts that the policy file or all pages were deleted on purpose.
    pub fn accept_missing(&self) -> Result<()> {
        self.accepts_missing.set(true);
        Ok(())
    }

    /// Refuses to go on without the policy file of a vault that had one: no file means that everything is allowed.
    pub(super) fn check_policy_present(&self, is_there: bool) -> Result<()> {
        if is_there || self.accepts_missing.get() {
            return Ok(());
        }
        let known = self.store.state(self.project)?.index_mark.is_some_and(|mark| mark.ends_with(WITH_FILE));
        if known || self.policy.borrow().text.is_some() {
            return Err(Error::PolicyMissing { path: self.vault.root().join(POLICY_FILE) });
        }
        Ok(())
    }

    /// Remembers whether the vault has a policy file.
    pub(super) fn note_policy_file(&self, mark: &str) -> Result<()> {
        if self.store.state(self.project)?.index_mark.as_deref() == Some(mark) {
            return Ok(());
        }
        Ok(self.store.set_state(self.project, &StateChange::IndexMark(mark))?)
    }

    /// Refuses to take the pages of a vault as deleted if none is left and nothing shows that this is the vault.
    pub(crate) fn check_not_vanished(&self, indexed: usize) -> Result<()> {
        let has_policy = self.policy.borrow().text.is_some();
        if indexed == 0 || has_policy || self.accepts_missing.get() {
            return Ok(());
        }
        Err(Error::VaultEmpty { path: self.vault.root().to_owned(), pages: indexed })
    }

    /// Refuses a write to a vault that has vanished.
    pub(crate) fn check_writable_vault(&self) -> Result<()> {
        if self.policy.borrow().text.is_some() {
            return Ok(());
        }
        let some = Window { limit: SAMPLE, offset: 0 };
        let pages = self.store.list(self.project, &Filter::default(), Order::Title, some)?;
        let is_there = pages.iter().any(|page| exists(&self.vault.root().join(&page.path)));
        if pages.is_empty() || is_there || !scan(&self.vault).files.is_empty() {
            return Ok(());
        }
        self.check_not_vanished(usize::try_from(self.store.counts(self.project)?.pages).unwrap_or(1))
    }
}
