//! `embed`: drain the queue of chunks that have no vector yet.

use clap::Args;
use lore_engine::{Error, Memory, ModelRow, embed_pending};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::views::count;
use super::{Operation, Render};
use crate::failure::{Failure, Result};
use crate::session::Session;

/// Embed what waits, so that it is found by its meaning too
///
/// Pages are found by their words as soon as they are indexed. What is embedded stays, also when the command is
/// interrupted: the next run goes on from there. Text that did not change is never embedded again, unless it is asked for.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore embed\n  lore embed people/ada\n  lore embed --all")]
pub struct Embed {
    /// A page to embed again, whether it changed or not
    #[serde(default)]
    reference: Option<String>,
    /// Embed every page again
    #[arg(long, conflicts_with_all = ["reference", "stale"])]
    #[serde(default)]
    all: bool,
    /// Only what changed since it was embedded: what happens without a page or --all
    #[arg(long)]
    #[serde(default)]
    stale: bool,
}

/// What was embedded.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Embedded {
    /// The model.
    model: String,
    /// Chunks that have a vector now and had none.
    embedded: u64,
    /// Chunks that still wait.
    pending: u64,
    /// Chunks in all.
    chunks: u64,
}

impl Operation for Embed {
    const NAME: &'static str = "embed";
    const WRITES: bool = true;
    type Output = Embedded;

    fn run(self, session: &Session) -> Result<Embedded> {
        let memory = session.fresh()?;
        let row = active(memory)?;
        // Opened before anything is forgotten: with a model that does not work no vector would come back.
        memory.embedder(&row).map_err(Error::from)?;
        let (store, project) = (memory.store(), memory.project());
        if let Some(reference) = &self.reference {
            let page = memory.page(reference)?;
            store.forget_vectors(project, row.number, Some(&[page.number]))?;
        } else if self.all {
            store.forget_vectors(project, row.number, None)?;
        }
        let done = embed_pending(memory, &row, &session.talk.progress("Embedding"));
        session.talk.finish();
        let done = done?;
        Ok(Embedded {
            model: row.identity.name,
            embedded: done.chunks,
            pending: done.left,
            chunks: store.count_chunks(project)?,
        })
    }
}

/// The model that answers; without one there is nothing to embed with.
pub fn active(memory: &Memory) -> Result<ModelRow> {
    let missing = || Failure {
        code: lore_engine::Code::Model,
        message: "there is no embedding model: search is by words".into(),
        hint: "fetch one with `lore model pull all-MiniLM-L6-v2`, then `lore model use all-MiniLM-L6-v2`"
            .into(),
        current_version: None,
    };
    memory.active_model().map_err(|error: Error| Failure::from(error))?.ok_or_else(missing)
}

impl Render for Embedded {
    fn human(&self) -> String {
        let waiting = match self.pending {
            0 => String::new(),
            pending => format!(
                "; {} still wait: their files changed meanwhile, run it again",
                count(pending, "chunk")
            ),
        };
        format!(
            "{} embedded with {} ({} in all){waiting}\n",
            count(self.embedded, "chunk"),
            self.model,
            self.chunks
        )
    }
}
