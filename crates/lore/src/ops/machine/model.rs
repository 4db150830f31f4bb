//! `model list|pull|use|path|remove`: embedding models.

use std::path::{Path, PathBuf};

use clap::Args;
use lore_embed::{DEFAULT_HUB, known_model, known_models, pull, verify};
use lore_engine::choose_model;
use lore_ports::{ModelIdentity, Models as _};
use lore_vault::{exists, real_folder};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::config::Config;
use crate::app::error::{AppError, Result};
use crate::app::models::{Known, Library};
use crate::app::session::Session;
use crate::ops::views::{Done, count, lines};
use crate::ops::{Operation, Render};

/// List embedding models: active, installed and available
///
/// The models that can be downloaded are for English. Pages and questions in other languages are found by full-text search; to
/// embed them as well, use a multilingual model of Ollama or of an OpenAI-compatible service, such as
/// `lore model use ollama:bge-m3`.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore model list")]
pub struct List {}

/// Output of `model list`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ModelList {
    models: Vec<ModelItem>,
}

/// An embedding model.
#[derive(Debug, Serialize, JsonSchema)]
struct ModelItem {
    name: String,
    /// Whether it is the active model.
    active: bool,
    /// Location; null if it is not installed.
    place: Option<String>,
    /// Dimensions of its vectors, if the database knows the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    dimensions: Option<usize>,
    /// Chunks of this vault without a vector of this model, if the database knows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pending: Option<u64>,
}

impl Operation for List {
    const NAME: &'static str = "model list";
    type Output = ModelList;

    fn run(self, session: &Session) -> Result<ModelList> {
        let mut models: Vec<ModelItem> = session.models.all().into_iter().map(ModelItem::unused).collect();
        // The list works without a vault.
        if let Ok(context) = session.context() {
            for row in context.store().models()? {
                let pending = Some(context.store().count_pending(context.project(), row.number)?);
                let dimensions = Some(row.identity.dimensions);
                match models
                    .iter_mut()
                    .find(|item| item.name == row.identity.name && item.dimensions.is_none())
                {
                    Some(item) => {
                        (item.active, item.dimensions, item.pending) = (row.active, dimensions, pending);
                    }
                    None => {
                        let place = endpoint(&row.identity);
                        let name = row.identity.name;
                        models.push(ModelItem { name, active: row.active, place, dimensions, pending });
                    }
                }
            }
        }
        for model in &mut models {
            model.place = model.place.take().map(|place| session.shown(&place));
        }
        Ok(ModelList { models })
    }
}

impl ModelItem {
    fn unused(Known { name, place }: Known) -> ModelItem {
        ModelItem { name, active: false, place, dimensions: None, pending: None }
    }
}

/// Returns the address of a remote model: its revision is the address followed by the model's name there.
fn endpoint(identity: &ModelIdentity) -> Option<String> {
    let (_, model) = identity.name.split_once(':')?;
    identity.revision.strip_suffix(model).map(|place| place.trim_end().to_owned())
}

impl Render for ModelList {
    fn human(&self) -> String {
        lines(self.models.iter().map(|model| {
            let mark = if model.active { "*" } else { " " };
            let place = model.place.as_deref().unwrap_or("not installed; run `lore model pull`");
            let pending_note = model.pending.filter(|pending| *pending > 0);
            let pending_note = pending_note
                .map(|pending| format!(", {} pending", count(pending, "chunk")))
                .unwrap_or_default();
            format!("{mark} {}  {place}{pending_note}", model.name)
        }))
    }
}

/// Download and verify a model
///
/// Files are verified against pinned hashes; a file with another hash is refused. Nothing is downloaded unless this is
/// run. An interrupted download is resumed.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore model pull all-MiniLM-L6-v2\n  lore model pull bge-small-en-v1.5")]
pub struct Pull {
    /// Name of the model
    name: String,
    /// URL of another hub with the same files
    #[arg(long, value_name = "URL")]
    #[serde(default)]
    hub: Option<String>,
}

impl Operation for Pull {
    const NAME: &'static str = "model pull";
    const MACHINE: bool = true;
    const WRITES: bool = true;
    type Output = Done;

    fn run(self, session: &Session) -> Result<Done> {
        let Some(model) = known_model(&self.name) else {
            let names: Vec<&str> = known_models().iter().map(|model| model.name).collect();
            return Err(AppError::usage(
                format!("unknown model {:?}", self.name),
                format!(
                    "available models: {}; to use another, pass its directory to `lore model path DIR`",
                    names.join(", ")
                ),
            ));
        };
        let progress = session.talk.progress("Fetching");
        let hub = self.hub.as_deref().unwrap_or(DEFAULT_HUB);
        let into = Library::home(&session.environment);
        // Downloaded data is kept, so cancellation is ignored and the download runs to its end.
        let mut report = |done: u64, all: u64| drop(progress(done as usize, all as usize));
        let folder = pull(model, &into, hub, &mut report);
        session.talk.finish();
        let folder = folder.map_err(lore_engine::Error::from)?;
        verify(&folder).map_err(lore_engine::Error::from)?;
        let hint = session.hint(&format!("activate it with `lore model use {}`", model.name));
        Ok(Done::new(format!("downloaded {} to {}; {hint}", model.name, folder.display())))
    }
}

/// Switch the embedding model
///
/// Every page is embedded with the new model before the switch; until then the previous model is used. Its vectors are
/// kept, so switching back is instant.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  lore model use all-MiniLM-L6-v2\n  lore model use wordllama-256\n  lore model use ollama:nomic-embed-text\n  lore model use ollama:bge-m3              # many languages"
)]
pub struct Use {
    /// Name of a model, `ollama:NAME`, `openai:NAME`, or a directory
    name: String,
}

/// Output of `model use`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ModelSwitched {
    /// Name of the active model.
    model: String,
    dimensions: usize,
    /// Number of chunks that were embedded.
    embedded: u64,
}

impl Operation for Use {
    const NAME: &'static str = "model use";
    const MACHINE: bool = true;
    const WRITES: bool = true;
    type Output = ModelSwitched;

    fn run(self, session: &Session) -> Result<ModelSwitched> {
        let given = folder(session, &self.name);
        let name = given.as_deref().map_or(self.name, |folder| register_folder(session, folder));
        if given.is_none() && !session.models.knows(&name) {
            let hint = "run `lore model list`, or pass the directory of a model";
            return Err(AppError::usage(format!("unknown model {name:?}"), hint));
        }
        // The model is opened before the vault is read and the directory recorded, so that an invalid one changes
        // nothing.
        session.models.open(&name).map_err(lore_engine::Error::from)?;
        if let Some(folder) = &given {
            save_folder(session, folder)?;
        }
        let context = session.fresh()?;
        let chosen = choose_model(context, &name, &session.talk.progress("Embedding"));
        session.talk.finish();
        let (row, embedded) = chosen?;
        Ok(ModelSwitched {
            model: row.identity.name,
            dimensions: row.identity.dimensions,
            embedded: embedded.chunks,
        })
    }
}

impl Render for ModelSwitched {
    fn human(&self) -> String {
        format!("switched to {}; {} embedded\n", self.model, count(self.embedded, "chunk"))
    }
}

/// Print the model directories, or add one
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore model path\n  lore model path ~/models/bge-small-en-v1.5")]
pub struct PathOf {
    /// Directory with the files of a model, or its parent
    ///
    /// The files are model.safetensors, tokenizer.json and config.json.
    #[serde(default)]
    folder: Option<String>,
}

/// Output of `model path`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ModelFolders {
    folders: Vec<String>,
}

impl Operation for PathOf {
    const NAME: &'static str = "model path";
    const MACHINE: bool = true;
    const WRITES: bool = true;
    type Output = ModelFolders;

    fn run(self, session: &Session) -> Result<ModelFolders> {
        let mut folders = session.models.folders();
        if let Some(given) = &self.folder {
            let path = session.environment.here.clone().unwrap_or_default().join(given);
            let Some(folder) = real_folder(&path) else {
                return Err(AppError::usage(
                    format!("{given} is not a directory"),
                    "pass the directory with the model's files",
                ));
            };
            register_folder(session, &folder);
            save_folder(session, &folder)?;
            folders.insert(0, folder);
        }
        Ok(ModelFolders { folders: folders.iter().map(|folder| folder.display().to_string()).collect() })
    }
}

impl Render for ModelFolders {
    fn human(&self) -> String {
        lines(self.folders.iter().cloned())
    }
}

/// Returns the directory if the name is a path.
fn folder(session: &Session, name: &str) -> Option<PathBuf> {
    let path = session.environment.here.clone().unwrap_or_default().join(name);
    name.contains(['/', '\\']).then(|| real_folder(&path)).flatten()
}

/// Returns the directory to search for models, given that or the directory of a model.
fn models_folder(folder: &Path) -> &Path {
    let is_model = exists(&folder.join("model.safetensors")) || exists(&folder.join("config.json"));
    if is_model { folder.parent().unwrap_or(folder) } else { folder }
}

/// Searches this directory first for the rest of this run; returns the name of the model.
fn register_folder(session: &Session, folder: &Path) -> String {
    session.models.look_in(models_folder(folder));
    folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Records a directory in the configuration.
fn save_folder(session: &Session, folder: &Path) -> Result<()> {
    let place = models_folder(folder).to_string_lossy();
    Config::change(&session.environment, |config| config.set("embedding.folder", &place)).map(drop)
}

/// Delete the vectors of a model; its files stay
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore model remove wordllama-256")]
pub struct Remove {
    /// Name of the model
    name: String,
}

impl Operation for Remove {
    const NAME: &'static str = "model remove";
    const MACHINE: bool = true;
    const WRITES: bool = true;
    type Output = Done;

    fn run(self, session: &Session) -> Result<Done> {
        let context = session.context()?;
        let rows = context.store().models()?.into_iter().filter(|row| row.identity.name == self.name);
        let (active, found): (Vec<_>, Vec<_>) = rows.partition(|row| row.active);
        if found.is_empty() && active.is_empty() {
            let message = format!("no vectors of {:?} in the database", self.name);
            return Err(AppError::usage(message, "run `lore model list`"));
        }
        if found.is_empty() {
            let message = format!("{} is the active model", self.name);
            return Err(AppError::usage(message, "switch to another model first: `lore model use NAME`"));
        }
        for row in &found {
            context.store().remove_model(row.number)?;
        }
        Ok(Done::new(match active.is_empty() {
            true => format!("removed {} and its vectors", self.name),
            // Earlier weights with the same name.
            false => format!("removed the vectors of an earlier {}", self.name),
        }))
    }
}
