//! `embed`: embeds pending chunks.

use clap::Args;
use lore_engine::{Error, VaultContext, embed_pending};
use lore_ports::ModelRow;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::error::{AppError, Result};
use crate::app::session::Session;
use crate::ops::views::count;
use crate::ops::{Operation, Render};

/// Embed pending chunks for semantic search
///
/// Full-text search finds pages as soon as they are indexed. Finished embeddings are kept if the command is
/// interrupted, and the next run continues from there. Unchanged text is never embedded again, unless requested.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore embed\n  lore embed people/ada\n  lore embed --all")]
pub struct Embed {
    /// Page to embed again, even if it did not change
    #[serde(default)]
    reference: Option<String>,
    /// Embed every page again
    #[arg(long, conflicts_with_all = ["reference", "stale"])]
    #[serde(default)]
    all: bool,
    /// Only chunks that changed (the default without REF or --all)
    #[arg(long)]
    #[serde(default)]
    stale: bool,
}

/// Output of `embed`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Embedded {
    /// Name of the model.
    model: String,
    /// Number of chunks that were embedded.
    embedded: u64,
    /// Number of chunks still pending.
    pending: u64,
    /// Total number of chunks.
    chunks: u64,
}

impl Operation for Embed {
    const NAME: &'static str = "embed";
    const WRITES: bool = true;
    type Output = Embedded;

    fn run(self, session: &Session) -> Result<Embedded> {
        let context = session.fresh()?;
        let row = active(context)?;
        // The model is opened before vectors are deleted, because a broken model could not recreate them.
        context.embedder(&row).map_err(Error::from)?;
        let (store, project) = (context.store(), context.project());
        if let Some(reference) = &self.reference {
            let page = context.page(reference)?;
            store.forget_vectors(project, row.number, Some(&[page.number]))?;
        } else if self.all {
            store.forget_vectors(project, row.number, None)?;
        }
        let result = embed_pending(context, &row, &session.talk.progress("Embedding"));
        session.talk.finish();
        let result = result?;
        Ok(Embedded {
            model: row.identity.name,
            embedded: result.chunks,
            pending: result.left,
            chunks: store.count_chunks(project)?,
        })
    }
}

/// Returns the active model, or an error if there is none.
pub fn active(context: &VaultContext) -> Result<ModelRow> {
    let missing = || {
        let hint = "run `lore model pull all-MiniLM-L6-v2`, then `lore model use all-MiniLM-L6-v2`";
        AppError::new(lore_engine::Code::Model, "no embedding model: search is lexical", hint)
    };
    context.active_model().map_err(|error: Error| AppError::from(error))?.ok_or_else(missing)
}

impl Render for Embedded {
    fn human(&self) -> String {
        let pending_note = match self.pending {
            0 => String::new(),
            pending => format!(
                "; {} still pending because files changed meanwhile: run `lore embed` again",
                count(pending, "chunk")
            ),
        };
        format!(
            "{} embedded with {} ({} in total){pending_note}\n",
            count(self.embedded, "chunk"),
            self.model,
            self.chunks
        )
    }
}
