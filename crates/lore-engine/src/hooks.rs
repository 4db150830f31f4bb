//! How features take part in the one write path. The engine declares the trait, the features implement it and the binary
//! wires them together.

use std::collections::BTreeSet;

use crate::change::{LedgerNotes, PageChange, PreparedChange};
use crate::context::VaultContext;
use crate::error::Result;
use crate::policy::Finding;

/// What features add to a write. Every method is called with the vault's lock held, except [`Hooks::findings`].
pub trait Hooks: Send + Sync {
    /// Looks at the prepared changes before anything is staged; returns what else has to change.
    fn before_commit(&self, context: &VaultContext, changes: &[PreparedChange]) -> Result<Rewrites>;

    /// Records notes in the ledger, inside the transaction of the write. `recovering` is set when the write was
    /// interrupted and its notes were accepted before.
    fn in_transaction(&self, context: &VaultContext, notes: &LedgerNotes, recovering: bool) -> Result<()>;

    /// Returns the derived files that are out of date.
    fn derived_files(&self, context: &VaultContext) -> Result<Vec<Derived>>;

    /// Returns the paths of all derived files that exist or should exist.
    fn derived_paths(&self, context: &VaultContext) -> Result<Vec<String>>;

    /// Returns findings beyond those of single pages, links and names.
    fn findings(&self, context: &VaultContext, scope: FindingScope<'_>) -> Result<Vec<Finding>>;
}

/// What the findings are for.
#[derive(Debug, Clone, Copy)]
pub enum FindingScope<'a> {
    /// `lore lint` of the whole vault.
    Vault,
    /// `lore lint` of these pages.
    Pages(&'a BTreeSet<String>),
    /// A write that requires the rest of the vault to be valid.
    Gate,
}

/// A derived file: its path, and its text; `None` deletes it.
pub type Derived = (String, Option<String>);

/// What a hook changes beyond the caller's changes.
#[derive(Default)]
pub struct Rewrites {
    /// New texts of pages of the change itself, by their path after the change.
    pub texts: Vec<(String, String)>,
    /// Changes to other pages.
    pub further: Vec<FurtherChange>,
    /// Warnings for the user.
    pub warnings: Vec<String>,
}

/// A change to a page that the caller did not ask for. It is made under the policy's own authority; if it cannot be
/// made, the write goes on with a warning.
pub struct FurtherChange {
    /// The change.
    pub change: PageChange<'static>,
    /// What it does, as a participle for the warning: `marked as contested`.
    pub purpose: &'static str,
}

/// No features: for tests of the engine, and for vaults that are only read.
pub struct NoHooks;

impl Hooks for NoHooks {
    fn before_commit(&self, _: &VaultContext, _: &[PreparedChange]) -> Result<Rewrites> {
        Ok(Rewrites::default())
    }

    fn in_transaction(&self, _: &VaultContext, _: &LedgerNotes, _: bool) -> Result<()> {
        Ok(())
    }

    fn derived_files(&self, _: &VaultContext) -> Result<Vec<Derived>> {
        Ok(Vec::new())
    }

    fn derived_paths(&self, _: &VaultContext) -> Result<Vec<String>> {
        Ok(Vec::new())
    }

    fn findings(&self, _: &VaultContext, _: FindingScope<'_>) -> Result<Vec<Finding>> {
        Ok(Vec::new())
    }
}
