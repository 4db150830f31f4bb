//! `stats`: counts.

use clap::Args;
use lore_engine::{ImportsOf, LabelKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Operation, Render};
use crate::failure::Result;
use crate::session::Session;

/// Count what the vault holds: pages by type, links, tags, statements
#[derive(Debug, Args, Deserialize, JsonSchema)]
pub struct Stats {}

/// Counts.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Numbers {
    pages: u64,
    /// Pages by type.
    types: Vec<TypeCount>,
    links: u64,
    /// Links that lead nowhere yet.
    pending_links: u64,
    tags: u64,
    observations: u64,
    facts: u64,
    timeline_entries: u64,
    /// Pieces of pages that are embedded, or wait for it.
    chunks: u64,
    /// Questions that found no answer.
    open_gaps: u64,
    /// Questions that a page answers by now.
    resolved_gaps: u64,
    /// Sources that were taken in, as they came.
    imports: u64,
    /// Pages with something odd about their text.
    pages_with_diagnostics: u64,
    /// Bytes of the database, all projects together.
    database_bytes: u64,
}

/// How many pages a type has.
#[derive(Debug, Serialize, JsonSchema)]
struct TypeCount {
    #[serde(rename = "type")]
    kind: String,
    pages: u64,
}

impl Operation for Stats {
    const NAME: &'static str = "stats";
    type Output = Numbers;

    fn run(self, session: &Session) -> Result<Numbers> {
        let memory = session.fresh()?;
        let counts = memory.store().counts(memory.project())?;
        let types = memory.store().labels(memory.project(), LabelKind::Type)?;
        let gaps = memory.store().count_gaps(memory.project())?;
        let imports = memory.store().imports(memory.project(), &ImportsOf::All)?;
        Ok(Numbers {
            pages: counts.pages,
            types: types.into_iter().map(|(kind, pages)| TypeCount { kind, pages }).collect(),
            links: counts.links,
            pending_links: counts.pending,
            tags: counts.tags,
            observations: counts.observations,
            facts: counts.facts,
            timeline_entries: counts.entries,
            chunks: memory.store().count_chunks(memory.project())?,
            open_gaps: gaps.open,
            resolved_gaps: gaps.resolved,
            imports: imports.iter().filter(|import| import.active).count() as u64,
            pages_with_diagnostics: counts.diagnosed,
            database_bytes: counts.bytes,
        })
    }
}

impl Render for Numbers {
    fn human(&self) -> String {
        let mut text = format!("pages             {}\n", self.pages);
        text.extend(self.types.iter().map(|kind| format!("  {:<14}  {}\n", kind.kind, kind.pages)));
        for (name, number) in [
            ("links", self.links),
            ("pending links", self.pending_links),
            ("tags", self.tags),
            ("observations", self.observations),
            ("facts", self.facts),
            ("timeline entries", self.timeline_entries),
            ("chunks", self.chunks),
            ("open gaps", self.open_gaps),
            ("resolved gaps", self.resolved_gaps),
            ("imports", self.imports),
            ("odd pages", self.pages_with_diagnostics),
        ] {
            text.push_str(&format!("{name:<16}  {number}\n"));
        }
        text.push_str(&format!("database          {:.1} MB\n", self.database_bytes as f64 / 1e6));
        text
    }
}
