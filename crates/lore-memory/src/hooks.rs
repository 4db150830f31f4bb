//! What the features add to the one write path.

use lore_engine::{Derived, Error, Finding, FindingScope, Hooks, Memory, Noted, Ready, Result, Rewrites};

use crate::check::guard::mark_contradictions;
use crate::gaps::resolve_gap;
use crate::generated::{self, edited_findings, generated_findings};
use crate::ingest::record_import;
use crate::mentions::mention_findings;

/// The hooks of every feature: contradictions are marked, imports and gaps recorded, generated files kept current.
pub struct FeatureHooks;

impl Hooks for FeatureHooks {
    fn before_commit(&self, memory: &Memory, changes: &[Ready]) -> Result<Rewrites> {
        mark_contradictions(memory, changes)
    }

    fn in_transaction(&self, memory: &Memory, notes: &Noted, recovering: bool) -> Result<()> {
        if let Some(import) = &notes.import {
            record_import(memory, import, recovering)?;
        }
        for (gap, path) in &notes.fills {
            match resolve_gap(memory, *gap, path) {
                // The gap was deleted meanwhile, so there is nothing to close.
                Err(Error::NoGap { .. }) => {}
                done => drop(done?),
            }
        }
        Ok(())
    }

    fn derived_files(&self, memory: &Memory) -> Result<Vec<Derived>> {
        generated::due(memory)
    }

    fn derived_paths(&self, memory: &Memory) -> Result<Vec<String>> {
        generated::every_path(memory)
    }

    fn findings(&self, memory: &Memory, scope: FindingScope<'_>) -> Result<Vec<Finding>> {
        match scope {
            FindingScope::Pages(paths) => mention_findings(memory, Some(paths)),
            FindingScope::Vault => {
                Ok([mention_findings(memory, None)?, generated_findings(memory)?].concat())
            }
            FindingScope::Gate => edited_findings(memory),
        }
    }
}
