//! The embedding models that can be used: the built-in one, transformers in directories, and configured endpoints.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock, Weak};
use std::time::{Duration, SystemTime};

use lore_embed::{
    Endpoint, EndpointSettings, StaticModel, Transformer, TransformerOptions, count_tokens, known_models,
};
use lore_ports::{EmbedError, EmbedResult, Embedder, Models};
use lore_vault::{exists, list_folder, modified};

use crate::app::config::Config;
use crate::app::environment::{Environment, secret};
use crate::app::error::Result;

/// Name of the static model.
pub const STATIC: &str = "wordllama-256";

/// The preferred transformers, used when installed, best first; see `docs/benchmarks.md`.
const TRANSFORMERS: [&str; 2] = ["granite-embedding-30m-english", "all-MiniLM-L6-v2"];

/// Number of directories above the executable to search for `models`: a build puts the executable two levels down.
const ABOVE: usize = 3;

/// Where `make install` puts models, seen from the parent of the binary's directory.
const SHARED: &str = "share/lore/models";

/// The mtime of a model's weights, and its directory.
type Weights = (Option<SystemTime>, PathBuf);

/// The open transformers of this process: sessions of a server share them.
static OPENED: Mutex<BTreeMap<Weights, Weak<dyn Embedder>>> = Mutex::new(BTreeMap::new());

/// Model directories and the user's model settings.
pub struct Library {
    folders: RwLock<Vec<PathBuf>>,
    wanted: Option<String>,
    ollama: String,
    openai: String,
    key_variable: String,
    timeout: Duration,
}

/// A model that can be used or downloaded.
pub struct Known {
    /// The model name.
    pub name: String,
    /// Where it is installed, if it is.
    pub place: Option<String>,
}

impl Library {
    /// Returns the library for an environment and a configuration.
    pub fn new(environment: &Environment, config: &Config) -> Result<Library> {
        let beside = environment.program.iter().flat_map(|program| program.ancestors().skip(1).take(ABOVE));
        let beside = beside.map(|folder| folder.join("models"));
        let shared = environment.program.iter().flat_map(|program| program.ancestors().nth(2));
        let shared = shared.map(|prefix| prefix.join(SHARED));
        let given = environment.models.clone();
        let noted = config.set_value("embedding.folder").map(PathBuf::from);
        let kept = environment.data.join("models");
        let folders = given.into_iter().chain(noted).chain([kept]).chain(beside).chain(shared).collect();
        Ok(Library {
            folders: RwLock::new(folders),
            wanted: environment
                .model
                .clone()
                .or_else(|| config.set_value("embedding.model"))
                .filter(|name| !name.is_empty()),
            ollama: config.get("embedding.ollama")?,
            openai: config.get("embedding.openai")?,
            key_variable: config.get("embedding.key_variable")?,
            timeout: Duration::from_millis(config.get("embedding.timeout_ms")?.parse().unwrap_or(60_000)),
        })
    }

    /// Returns the directories that are searched for models.
    pub fn folders(&self) -> Vec<PathBuf> {
        self.folders.read().map(|folders| folders.clone()).unwrap_or_default()
    }

    /// Puts a directory first in the search order.
    pub fn look_in(&self, folder: &Path) {
        if let Ok(mut folders) = self.folders.write() {
            folders.insert(0, folder.to_owned());
        }
    }

    /// Returns the path of an installed model.
    fn place(&self, name: &str) -> Option<PathBuf> {
        let file = if name == STATIC { format!("{STATIC}.lore") } else { name.to_owned() };
        let plain = !name.is_empty() && !name.contains(['/', '\\']) && !name.starts_with('.');
        plain.then(|| {
            self.folders().into_iter().map(|folder| folder.join(&file)).find(|place| exists(place))
        })?
    }

    /// Whether a name is that of an installed, downloadable or remote model.
    pub fn knows(&self, name: &str) -> bool {
        let is_remote = name.starts_with("ollama:") || name.starts_with("openai:");
        let can_be_fetched = known_models().iter().any(|model| model.name == name);
        is_remote || can_be_fetched || name == STATIC || self.place(name).is_some()
    }

    /// Returns every model that can be used or downloaded, the built-in one first.
    pub fn all(&self) -> Vec<Known> {
        let inside = StaticModel::embedded().map(|_| "built in".to_owned());
        let place = |name: &str| self.place(name).map(|place| place.display().to_string());
        let mut all = vec![Known { name: STATIC.into(), place: inside.or_else(|| place(STATIC)) }];
        for model in known_models() {
            all.push(Known { name: model.name.into(), place: place(model.name) });
        }
        for folder in self.folders() {
            for (name, is_folder) in list_folder(&folder).unwrap_or_default() {
                let is_model = is_folder && exists(&folder.join(&name).join("model.safetensors"));
                if is_model && !all.iter().any(|known| known.name == name) {
                    all.push(Known { place: Some(folder.join(&name).display().to_string()), name });
                }
            }
        }
        all
    }

    /// Returns the directory for downloaded models.
    pub fn home(environment: &Environment) -> PathBuf {
        environment.models.clone().unwrap_or_else(|| environment.data.join("models"))
    }

    fn open_static(&self) -> EmbedResult<Arc<dyn Embedder>> {
        if let Some(model) = StaticModel::embedded() {
            return Ok(Arc::new(model));
        }
        match self.place(STATIC) {
            Some(file) => Ok(Arc::new(StaticModel::open(&file)?)),
            None => {
                Err(missing(STATIC, "this build does not include it; run `make models` and `make build`"))
            }
        }
    }

    /// Opens a transformer, or shares one that is open in this process.
    fn open_folder(&self, name: &str) -> EmbedResult<Arc<dyn Embedder>> {
        let Some(folder) = self.place(name) else {
            let known = known_models().iter().any(|model| model.name == name);
            return Err(EmbedError::Missing { model: name.to_owned(), known });
        };
        let key = (modified(&folder.join("model.safetensors")), folder);
        let mut opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(model) = opened.get(&key).and_then(Weak::upgrade) {
            return Ok(model);
        }
        let options = TransformerOptions { threads: 0, ..TransformerOptions::default() };
        let model: Arc<dyn Embedder> = Arc::new(Transformer::open(&key.1, &options)?);
        opened.retain(|_, model| model.strong_count() > 0);
        opened.insert(key, Arc::downgrade(&model));
        Ok(model)
    }

    fn connect(&self, mut settings: EndpointSettings) -> EmbedResult<Arc<dyn Embedder>> {
        let policy = &mut settings.policy;
        (policy.request, policy.connect) = (self.timeout, policy.connect.min(self.timeout));
        Ok(Arc::new(Endpoint::connect(settings)?))
    }
}

impl Models for Library {
    fn preferred(&self) -> Vec<String> {
        match &self.wanted {
            Some(name) if name == "none" => Vec::new(),
            Some(name) => vec![name.clone()],
            None => TRANSFORMERS.into_iter().chain([STATIC]).map(str::to_owned).collect(),
        }
    }

    fn open(&self, name: &str) -> EmbedResult<Arc<dyn Embedder>> {
        match name.split_once(':') {
            _ if name == STATIC => self.open_static(),
            Some(("ollama", model)) => self
                .connect(EndpointSettings { base: self.ollama.clone(), ..EndpointSettings::ollama(model) }),
            Some(("openai", model)) => {
                self.connect(EndpointSettings::openai(&self.openai, model, secret(&self.key_variable)))
            }
            _ => self.open_folder(name),
        }
    }

    fn is_instant(&self, name: &str) -> bool {
        name == STATIC
    }

    fn instant(&self) -> Option<String> {
        // An explicit choice of the static model, of no model or of an endpoint is used alone.
        let is_alone = |name: &str| name == STATIC || name == "none" || name.contains(':');
        let is_wanted = !self.wanted.as_deref().is_some_and(is_alone);
        (is_wanted && StaticModel::embedded().is_some()).then(|| STATIC.to_owned())
    }

    fn embed_words(&self, words: &[&str]) -> Option<Vec<Vec<f32>>> {
        let model = StaticModel::embedded().filter(|_| self.wanted.as_deref() != Some("none"))?;
        words.iter().any(|word| model.reads(word)).then(|| model.embed_words(words))
    }

    fn count_tokens(&self, text: &str) -> usize {
        count_tokens(text)
    }
}

fn missing(name: &str, reason: &str) -> EmbedError {
    EmbedError::Model { place: name.to_owned(), reason: reason.to_owned() }
}
