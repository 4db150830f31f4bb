//! What an operation works with: the configuration, the chosen vault, and a way to talk to the person.

use std::cell::{OnceCell, RefCell};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lore_engine::{
    Author, Chosen, Memory, Parts, Past, Policy, Projects, Scope, Store, Trust, refresh, unwatched, vault,
};

use crate::config::Config;
use crate::environment::Environment;
use crate::failure::{Failure, Result};
use crate::models::Library;
use crate::talk::Talk;

/// What the command line says for every operation.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// `--db`.
    pub db: Option<String>,
    /// `--project`.
    pub project: Option<String>,
    /// Whether to look for changed files first.
    pub sync: bool,
    /// Whether to embed the little that was written since, where nobody looks for changed files.
    pub keeps_up: bool,
    /// Which face is asking.
    pub face: &'static str,
}

/// One run of Lore.
pub struct Session {
    /// The surroundings.
    pub environment: Environment,
    /// The user's configuration as it was when the session began.
    pub config: Config,
    /// Where talk goes.
    pub talk: Talk,
    /// The models there are.
    pub models: Arc<Library>,
    options: Options,
    memory: OnceCell<Memory>,
    warnings: RefCell<Vec<String>>,
}

impl Session {
    /// A session with nothing opened yet.
    pub fn new(environment: Environment, options: Options, talk: Talk) -> Result<Session> {
        let config = Config::load(&environment.config_file)?;
        let models = Arc::new(Library::new(&environment, &config)?);
        Ok(Session {
            models,
            environment,
            config,
            talk,
            options,
            memory: OnceCell::new(),
            warnings: RefCell::default(),
        })
    }

    /// The same session, looking for changed files first or not.
    pub fn syncing(mut self, sync: bool) -> Session {
        self.options.sync = sync;
        self
    }

    /// The chosen vault, its index up to date unless the user said not to look.
    pub fn fresh(&self) -> Result<&Memory> {
        let memory = self.memory()?;
        if self.options.sync {
            let report = refresh(memory, Scope::Vault(Trust::Stat), &self.talk.progress("Indexing"))?;
            self.talk.finish();
            for recovered in &report.recovered {
                self.talk.warn(recovered);
            }
            for skipped in &report.skipped {
                self.talk.detail(&format!("skipped {}: {}", skipped.path, skipped.reason));
            }
        } else if self.options.keeps_up {
            refresh(memory, Scope::Watched, &unwatched)?;
        }
        Ok(memory)
    }

    /// The chosen vault, its index as it is.
    pub fn memory(&self) -> Result<&Memory> {
        if let Some(memory) = self.memory.get() {
            return Ok(memory);
        }
        let (name, root) = self.choose()?;
        let memory = self.open(&name, &root)?;
        Ok(self.memory.get_or_init(|| memory))
    }

    /// The chosen vault as it was at a commit, with an index that goes when it does.
    pub fn past(&self, revision: &str) -> Result<Past> {
        let open = |folder: &Path| -> lore_engine::Result<Box<dyn Store>> {
            Ok(Box::new(lore_index::open_temporary(&folder.join("lore.db"))?))
        };
        Ok(self.memory()?.at_commit(revision, &open)?)
    }

    /// Opens a vault under a name, its index up to date unless the user said not to look.
    pub fn open_fresh(&self, name: &str, root: &Path) -> Result<Memory> {
        let memory = self.open(name, root)?;
        if self.options.sync {
            refresh(&memory, Scope::Vault(Trust::Stat), &self.talk.progress("Indexing"))?;
            self.talk.finish();
        }
        Ok(memory)
    }

    /// Opens a vault under a name.
    pub fn open(&self, name: &str, root: &Path) -> Result<Memory> {
        Ok(Memory::open(Parts {
            name: name.to_owned(),
            root: root.to_owned(),
            store: self.store()?,
            state: self.environment.state.clone(),
            clock: self.environment.clock.clone(),
            author: Author {
                actor: self.environment.actor.clone(),
                face: self.options.face.to_owned(),
                session: self.environment.session.clone(),
            },
            models: self.models.clone(),
        })?)
    }

    /// Opens the database.
    pub fn store(&self) -> Result<Box<dyn Store>> {
        let opened = lore_index::open(&self.database()?)?;
        for warning in opened.warnings {
            self.talk.warn(&warning);
            self.warnings.borrow_mut().push(warning);
        }
        Ok(Box::new(opened.store))
    }

    /// Where the database is: flag, environment, configuration, then the data directory.
    pub fn database(&self) -> Result<PathBuf> {
        let asked = self.options.db.clone().or_else(|| self.environment.db.clone());
        let asked = asked.or_else(|| self.config.set_value("db")).filter(|place| !place.is_empty());
        match asked {
            Some(place) if place.starts_with("postgres://") || place.starts_with("postgresql://") => {
                Err(Failure::usage(
                    "this build keeps its index in SQLite only",
                    "name a file with --db, or leave it out",
                ))
            }
            Some(place) => Ok(self.environment.here.as_deref().unwrap_or(Path::new(".")).join(place)),
            None => Ok(self.environment.data.join("lore.db")),
        }
    }

    /// What had to be said when the database was opened.
    pub fn warnings(&self) -> Vec<String> {
        self.warnings.borrow().clone()
    }

    /// The project that the command line names.
    pub fn named_project(&self) -> Option<&str> {
        self.options.project.as_deref()
    }

    /// The project that was asked for by name.
    pub fn asked_project(&self) -> Option<&str> {
        self.options.project.as_deref().or(self.environment.project.as_deref())
    }

    /// The name and root of the vault that is meant. One that is not registered yet is registered.
    pub fn choose(&self) -> Result<(String, PathBuf)> {
        let asked = self.asked_project();
        match self.config.projects().choose(asked, self.environment.here.as_deref())? {
            Chosen::Known(name, root) => Ok((name, root)),
            Chosen::Found(root) => {
                let name = self.register(None, &root)?;
                self.talk.note(&format!("registered the vault {} as {name}", root.display()));
                Ok((name, root))
            }
        }
    }

    /// Registers a vault under the wanted name, else its policy's, else its directory's; gives the name.
    pub fn register(&self, wanted: Option<&str>, root: &Path) -> Result<String> {
        let mut chosen = String::new();
        Config::change(&self.environment, |config| {
            chosen = free_name(&config.projects(), wanted, root)?;
            config.add_project(&chosen, root);
            Ok(())
        })?;
        Ok(chosen)
    }

    /// Refuses a name that another vault has, before anything is made.
    pub fn check_name(&self, wanted: &str, root: &Path) -> Result<()> {
        free_name(&self.config.projects(), Some(wanted), root).map(drop)
    }

    /// What is typed or piped in.
    pub fn stdin(&self) -> Result<Vec<u8>> {
        if self.options.face != "cli" {
            return Err(Failure::usage("there is no content", "give the page's text as `content`"));
        }
        let mut bytes = Vec::new();
        let failed = |error: std::io::Error| {
            Failure::usage(format!("cannot read standard input: {error}"), "pipe the page in")
        };
        std::io::stdin().lock().read_to_end(&mut bytes).map_err(failed)?;
        Ok(bytes)
    }

    /// A path as the user means it: from the working directory.
    pub fn path(&self, path: &Path) -> PathBuf {
        self.environment.here.as_deref().unwrap_or(Path::new(".")).join(path)
    }

    /// Agrees to something that cannot be undone: by `yes`, or by a person at the terminal.
    pub fn confirm(&self, yes: bool, question: &str) -> Result<()> {
        if yes {
            return Ok(());
        }
        if self.options.face != "cli" || !self.environment.interactive {
            let message = format!("this needs a yes: {question}");
            return Err(Failure::usage(
                message,
                "say it with --yes (in JSON: \"yes\": true); nothing was done",
            ));
        }
        if self.talk.ask(question) {
            Ok(())
        } else {
            Err(Failure::usage("nothing was done", "answer y to go on"))
        }
    }

    /// The bytes of a file the user named.
    pub fn read_file(&self, path: &Path) -> Result<Vec<u8>> {
        Ok(vault::read_bytes(&self.path(path))?)
    }
}

/// The name to register a vault under: the one it has, the wanted one, or one made from its policy or directory.
fn free_name(projects: &Projects, wanted: Option<&str>, root: &Path) -> Result<String> {
    let known =
        projects.roots.iter().find(|(_, known)| known.as_path() == root).map(|(name, _)| name.clone());
    match (known, wanted) {
        (Some(known), None) => Ok(known),
        (Some(known), Some(wanted)) if known == wanted => Ok(known),
        (Some(known), Some(_)) => Err(Failure::usage(
            format!("{} is registered as {known} already", root.display()),
            format!("use that name, or forget it first with `lore project remove {known}`"),
        )),
        (None, Some(wanted)) => match projects.roots.get(wanted) {
            Some(other) => Err(Failure::usage(
                format!("the name {wanted:?} is taken by {}", other.display()),
                format!("choose another name, or forget that one with `lore project remove {wanted}`"),
            )),
            None => Ok(wanted.to_owned()),
        },
        (None, None) => {
            let folder = root.file_name().map(|name| lore_page::slugify(&name.to_string_lossy()));
            Ok(projects.free_name(&Policy::load(root)?.name.or(folder).unwrap_or_default()))
        }
    }
}
