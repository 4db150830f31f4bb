//! `stats`: counts.

use clap::Args;
use lore_ports::{ImportFilter, LabelKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::error::Result;
use crate::app::session::Session;
use crate::ops::{Operation, Render};

/// Count pages by type, links, tags and statements
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore stats\n  lore stats --json")]
pub struct Stats {}

/// Output of `stats`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct StatsOutput {
    pages: u64,
    /// Pages by type.
    types: Vec<TypeCount>,
    links: u64,
    /// Links whose target does not exist yet.
    pending_links: u64,
    tags: u64,
    observations: u64,
    facts: u64,
    timeline_entries: u64,
    /// Chunks, embedded or pending.
    chunks: u64,
    /// Unanswered questions.
    open_gaps: u64,
    /// Questions answered by a page since.
    resolved_gaps: u64,
    /// Imported sources.
    imports: u64,
    /// Pages with parse warnings.
    pages_with_diagnostics: u64,
    /// Size of the database in bytes, all projects included.
    database_bytes: u64,
}

/// Number of pages of a type.
#[derive(Debug, Serialize, JsonSchema)]
struct TypeCount {
    #[serde(rename = "type")]
    kind: String,
    pages: u64,
}

impl Operation for Stats {
    const NAME: &'static str = "stats";
    type Output = StatsOutput;

    fn run(self, session: &Session) -> Result<StatsOutput> {
        let context = session.fresh()?;
        let counts = context.store().counts(context.project())?;
        let types = context.store().labels(context.project(), LabelKind::Type)?;
        let gaps = context.store().count_gaps(context.project())?;
        let imports = context.store().imports(context.project(), &ImportFilter::All)?;
        Ok(StatsOutput {
            pages: counts.pages,
            types: types.into_iter().map(|(kind, pages)| TypeCount { kind, pages }).collect(),
            links: counts.links,
            pending_links: counts.pending,
            tags: counts.tags,
            observations: counts.observations,
            facts: counts.facts,
            timeline_entries: counts.entries,
            chunks: context.store().count_chunks(context.project())?,
            open_gaps: gaps.open,
            resolved_gaps: gaps.resolved,
            imports: imports.iter().filter(|import| import.active).count() as u64,
            pages_with_diagnostics: counts.diagnosed,
            database_bytes: counts.bytes,
        })
    }
}

impl Render for StatsOutput {
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
            ("parse warnings", self.pages_with_diagnostics),
        ] {
            text.push_str(&format!("{name:<16}  {number}\n"));
        }
        text.push_str(&format!("database          {:.1} MB\n", self.database_bytes as f64 / 1e6));
        text
    }
}
