//! What the features add to the one write path.

use lore_engine::{
    Derived, Error, Finding, FindingScope, Hooks, LedgerNotes, PreparedChange, Result, Rewrites, VaultContext,
};

use crate::check::guard::mark_contradictions;
use crate::gaps::resolve_gap;
use crate::generated::{self, edited_findings, generated_findings};
use crate::import::record_batch;
use crate::ingest::record_import;
use crate::mentions::mention_findings;

/// The hooks of every feature: contradictions are marked, imports and gaps recorded, generated files kept current.
pub struct FeatureHooks;

impl Hooks for FeatureHooks {
    fn before_commit(&self, context: &VaultContext, changes: &[PreparedChange]) -> Result<Rewrites> {
        mark_contradictions(context, changes)
    }

    fn in_transaction(&self, context: &VaultContext, notes: &LedgerNotes, recovering: bool) -> Result<()> {
        if let Some(import) = &notes.import {
            record_import(context, import, recovering)?;
        }
        if let Some(batch) = &notes.batch {
            record_batch(context, batch)?;
        }
        for (gap, path) in &notes.fills {
            match resolve_gap(context, *gap, path) {
                // The gap was deleted meanwhile, so there is nothing to close.
                Err(Error::NoGap { .. }) => {}
                result => drop(result?),
            }
        }
        Ok(())
    }

    fn derived_files(&self, context: &VaultContext) -> Result<Vec<Derived>> {
        generated::stale_files(context)
    }

    fn derived_paths(&self, context: &VaultContext) -> Result<Vec<String>> {
        generated::every_path(context)
    }

    fn findings(&self, context: &VaultContext, scope: FindingScope<'_>) -> Result<Vec<Finding>> {
        match scope {
            FindingScope::Pages(paths) => mention_findings(context, Some(paths)),
            FindingScope::Vault => {
                Ok([mention_findings(context, None)?, generated_findings(context)?].concat())
            }
            FindingScope::Gate => edited_findings(context),
        }
    }
}
