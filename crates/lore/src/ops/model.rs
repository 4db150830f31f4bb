//! `model list|pull|use|path|remove`: the models that give search its meaning.

use std::path::{Path, PathBuf};

use clap::Args;
use lore_embed::{DEFAULT_HUB, known_model, known_models, pull, verify};
use lore_engine::vault::{exists, real_folder};
use lore_engine::{ModelIdentity, Models as _, choose_model};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::views::{Done, count, lines};
use super::{Operation, Render};
use crate::config::Config;
use crate::failure::{Failure, Result};
use crate::models::{Known, Library};
use crate::session::Session;

/// List the models: which one answers, which are here, which can be fetched
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore model list")]
pub struct List {}

/// The models.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ModelList {
    models: Vec<ModelItem>,
}

/// A model.
#[derive(Debug, Serialize, JsonSchema)]
struct ModelItem {
    name: String,
    /// Whether it answers.
    active: bool,
    /// Where it is; nothing where it has to be fetched first.
    place: Option<String>,
    /// Numbers in a vector, where the database knows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    dimensions: Option<usize>,
    /// Chunks of this vault that have no vector of it, where the database knows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pending: Option<u64>,
}

impl Operation for List {
    const NAME: &'static str = "model list";
    type Output = ModelList;

    fn run(self, session: &Session) -> Result<ModelList> {
        let mut models: Vec<ModelItem> = session.models.all().into_iter().map(ModelItem::unused).collect();
        // Without a vault there is still a list.
        if let Ok(memory) = session.memory() {
            for row in memory.store().models()? {
                let pending = Some(memory.store().count_pending(memory.project(), row.number)?);
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
        Ok(ModelList { models })
    }
}

impl ModelItem {
    fn unused(Known { name, place }: Known) -> ModelItem {
        ModelItem { name, active: false, place, dimensions: None, pending: None }
    }
}

/// Where a model is asked that runs elsewhere: its revision is the address and the name there.
fn endpoint(identity: &ModelIdentity) -> Option<String> {
    let (_, model) = identity.name.split_once(':')?;
    identity.revision.strip_suffix(model).map(|place| place.trim_end().to_owned())
}

impl Render for ModelList {
    fn human(&self) -> String {
        lines(self.models.iter().map(|model| {
            let mark = if model.active { "*" } else { " " };
            let place = model.place.as_deref().unwrap_or("not here; `lore model pull` fetches it");
            let waiting = model.pending.filter(|pending| *pending > 0);
            let waiting =
                waiting.map(|pending| format!(", {} wait", count(pending, "chunk"))).unwrap_or_default();
            format!("{mark} {}  {place}{waiting}", model.name)
        }))
    }
}

/// Fetch a model from the public hub, held against its pinned checksums
///
/// Nothing is fetched unless this is run. A download that was interrupted goes on where it stopped; a file with another
/// checksum is refused.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore model pull all-MiniLM-L6-v2\n  lore model pull bge-small-en-v1.5")]
pub struct Pull {
    /// The model's name
    name: String,
    /// Another hub with the same files
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
            return Err(Failure::usage(
                format!("no model is called {:?}", self.name),
                format!(
                    "these can be fetched: {}; any other works from its folder: `lore model path DIR`",
                    names.join(", ")
                ),
            ));
        };
        let progress = session.talk.progress("Fetching");
        let hub = self.hub.as_deref().unwrap_or(DEFAULT_HUB);
        let into = Library::home(&session.environment);
        // What was fetched is kept, so that a download goes on to its end even when nobody waits.
        let mut told = |done: u64, all: u64| drop(progress(done as usize, all as usize));
        let folder = pull(model, &into, hub, &mut told);
        session.talk.finish();
        let folder = folder.map_err(lore_engine::Error::from)?;
        verify(&folder).map_err(lore_engine::Error::from)?;
        Ok(Done::new(format!("{} is in {}; use it with `lore model use {0}`", model.name, folder.display())))
    }
}

/// Let another model answer: embed every page with it first, then change over at once
///
/// The vectors of the model before are kept, so that going back costs nothing. Until all is embedded the model before
/// answers.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  lore model use all-MiniLM-L6-v2\n  lore model use wordllama-256\n  lore model use ollama:nomic-embed-text"
)]
pub struct Use {
    /// A model's name, `ollama:NAME`, `openai:NAME`, or a folder
    name: String,
}

/// What a change of models did.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Changed {
    /// The model that answers now.
    model: String,
    dimensions: usize,
    /// Chunks that were embedded for it.
    embedded: u64,
}

impl Operation for Use {
    const NAME: &'static str = "model use";
    const MACHINE: bool = true;
    const WRITES: bool = true;
    type Output = Changed;

    fn run(self, session: &Session) -> Result<Changed> {
        let given = folder(session, &self.name);
        let name = given.as_deref().map_or(self.name, |folder| look_into(session, folder));
        if given.is_none() && !session.models.knows(&name) {
            let hint = "see `lore model list`, or give the folder of one";
            return Err(Failure::usage(format!("no model is called {name:?}"), hint));
        }
        // Opened before the vault is looked at and the folder noted: what is no model changes nothing.
        session.models.open(&name).map_err(lore_engine::Error::from)?;
        if let Some(folder) = &given {
            keep(session, folder)?;
        }
        let memory = session.fresh()?;
        let chosen = choose_model(memory, &name, &session.talk.progress("Embedding"));
        session.talk.finish();
        let (row, embedded) = chosen?;
        Ok(Changed {
            model: row.identity.name,
            dimensions: row.identity.dimensions,
            embedded: embedded.chunks,
        })
    }
}

impl Render for Changed {
    fn human(&self) -> String {
        format!("{} answers now; {} embedded for it\n", self.model, count(self.embedded, "chunk"))
    }
}

/// Say where models are looked for, or add a folder that holds one
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore model path\n  lore model path ~/models/bge-small-en-v1.5")]
pub struct PathOf {
    /// A folder with model.safetensors, tokenizer.json and config.json, or a folder of such folders
    #[serde(default)]
    folder: Option<String>,
}

/// Where models are looked for.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Places {
    folders: Vec<String>,
}

impl Operation for PathOf {
    const NAME: &'static str = "model path";
    const MACHINE: bool = true;
    const WRITES: bool = true;
    type Output = Places;

    fn run(self, session: &Session) -> Result<Places> {
        let mut folders = session.models.folders();
        if let Some(given) = &self.folder {
            let there = session.environment.here.clone().unwrap_or_default().join(given);
            let Some(folder) = real_folder(&there) else {
                return Err(Failure::usage(
                    format!("{given} is no folder"),
                    "give the folder that holds the model's files",
                ));
            };
            look_into(session, &folder);
            keep(session, &folder)?;
            folders.insert(0, folder);
        }
        Ok(Places { folders: folders.iter().map(|folder| folder.display().to_string()).collect() })
    }
}

impl Render for Places {
    fn human(&self) -> String {
        lines(self.folders.iter().cloned())
    }
}

/// The folder that a name is the path of.
fn folder(session: &Session, name: &str) -> Option<PathBuf> {
    let there = session.environment.here.clone().unwrap_or_default().join(name);
    name.contains(['/', '\\']).then(|| real_folder(&there)).flatten()
}

/// The folder in which models are looked for, given that or a model's own.
fn holder(folder: &Path) -> &Path {
    let is_model = exists(&folder.join("model.safetensors")) || exists(&folder.join("config.json"));
    if is_model { folder.parent().unwrap_or(folder) } else { folder }
}

/// Looks there first as long as this run lasts; gives the name the model has.
fn look_into(session: &Session, folder: &Path) -> String {
    session.models.look_in(holder(folder));
    folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Notes a folder, so that it is found from anywhere.
fn keep(session: &Session, folder: &Path) -> Result<()> {
    let place = holder(folder).to_string_lossy();
    Config::change(&session.environment, |config| config.set("embedding.folder", &place)).map(drop)
}

/// Forget a model and its vectors; its files stay
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore model remove wordllama-256")]
pub struct Remove {
    /// The model's name
    name: String,
}

impl Operation for Remove {
    const NAME: &'static str = "model remove";
    const MACHINE: bool = true;
    const WRITES: bool = true;
    type Output = Done;

    fn run(self, session: &Session) -> Result<Done> {
        let memory = session.memory()?;
        let rows = memory.store().models()?.into_iter().filter(|row| row.identity.name == self.name);
        let (active, found): (Vec<_>, Vec<_>) = rows.partition(|row| row.active);
        if found.is_empty() && active.is_empty() {
            let message = format!("the database has no vectors of {:?}", self.name);
            return Err(Failure::usage(message, "see `lore model list`"));
        }
        if found.is_empty() {
            let message = format!("{} is the model that answers", self.name);
            return Err(Failure::usage(message, "let another one answer first: `lore model use NAME`"));
        }
        for row in &found {
            memory.store().remove_model(row.number)?;
        }
        Ok(Done::new(match active.is_empty() {
            true => format!("{} and its vectors are forgotten", self.name),
            // Other weights had the same name before.
            false => format!("the vectors of an earlier {} are forgotten", self.name),
        }))
    }
}
