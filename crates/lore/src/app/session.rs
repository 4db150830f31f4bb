//! The context of an operation: configuration, selected vault and messages to the user.

mod limits;
mod namespace;
mod trust;
mod words;

use std::cell::{Cell, OnceCell, RefCell};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use lore_engine::{
    Author, Chosen, CommitView, ContextParts, Error, Policy, Projects, ScanMode, Scope, VaultContext, refresh,
};
use lore_memory::FeatureHooks;
use lore_ports::{Store, no_progress};
use lore_sqlite::{OpenOptions, SqliteStore};
use lore_vault::{read_bytes, read_to_limit};

use crate::app::access::Limits;
use crate::app::config::Config;
use crate::app::environment::Environment;
use crate::app::error::{AppError, Result};
use crate::app::models::Library;
use crate::app::stderr::Stderr;
use crate::app::wording::Wording;

pub use limits::path_names;

/// Maximum size of a file or a stream that a person gives to a command, in bytes.
pub const INPUT: u64 = 256 * 1024 * 1024;

/// Options common to all operations.
#[derive(Debug, Clone, Default)]
pub struct SessionOptions {
    /// `--db`.
    pub db: Option<String>,
    /// `--project`.
    pub project: Option<String>,
    /// `--namespace`.
    pub namespace: Option<String>,
    /// The server's own directory, if `environment.here` is that of a client.
    pub server_directory: Option<PathBuf>,
    /// Whether to sync first.
    pub sync: bool,
    /// Whether to embed a few pending chunks inline when not syncing.
    pub keeps_up: bool,
    /// The calling face.
    pub face: &'static str,
    /// Whether the caller may not write.
    pub read_only: bool,
}

/// One run of Lore.
pub struct Session {
    /// The process environment.
    pub environment: Environment,
    /// The user's configuration, as read when the session was created.
    pub config: Config,
    /// Messages on standard error.
    pub talk: Stderr,
    /// The available models.
    pub models: Arc<Library>,
    options: SessionOptions,
    limits: Limits,
    context: OnceCell<VaultContext>,
    warnings: RefCell<Vec<String>>,
    wording: RefCell<Option<Arc<dyn Wording>>>,
    /// Whether the running operation writes.
    writes: Cell<bool>,
    /// When the decision about the open vault was last looked up.
    checked: Cell<Option<Instant>>,
    /// Vaults that the person has declined to trust in this run.
    declined: RefCell<Vec<PathBuf>>,
    /// The project that was chosen because none was selected.
    assumed: RefCell<Option<String>>,
}

impl Session {
    /// Returns a session; the vault is opened on first use.
    pub fn new(environment: Environment, options: SessionOptions, talk: Stderr) -> Result<Session> {
        let config = Config::load(&environment.config_file)?;
        let models = Arc::new(Library::new(&environment, &config)?);
        Ok(Session {
            models,
            environment,
            config,
            talk,
            options,
            limits: Limits::default(),
            context: OnceCell::new(),
            warnings: RefCell::default(),
            wording: RefCell::default(),
            writes: Cell::default(),
            checked: Cell::default(),
            declined: RefCell::default(),
            assumed: RefCell::default(),
        })
    }

    /// Returns the session with syncing turned on or off.
    pub fn syncing(mut self, sync: bool) -> Session {
        self.options.sync = sync;
        self
    }

    /// Returns whether the caller may not write, so that an operation that only reads must not log either.
    pub fn is_read_only(&self) -> bool {
        self.options.read_only
    }

    /// Returns the selected vault, synced first unless `--no-sync` was given.
    pub fn fresh(&self) -> Result<&VaultContext> {
        let context = self.synced()?;
        // An unknown namespace is an error even for operations that ignore it.
        context.set_scope(self.namespace_filter(context, None)?);
        Ok(context)
    }

    fn synced(&self) -> Result<&VaultContext> {
        let context = self.context()?;
        if self.options.sync {
            let refreshed = refresh(context, Scope::Vault(ScanMode::Stat), &self.talk.progress("Indexing"));
            self.talk.finish();
            let report = match refreshed {
                Err(error) if is_unwritable(&error) => {
                    self.warn_of_old_index(&error);
                    return Ok(context);
                }
                refreshed => refreshed?,
            };
            for recovered in &report.recovered {
                self.talk.warn(recovered);
            }
            for skipped in &report.skipped {
                self.talk.detail(&format!("skipped {}: {}", skipped.path, skipped.reason));
            }
        } else if self.options.keeps_up {
            match refresh(context, Scope::Watched, &no_progress) {
                Err(error) if is_unwritable(&error) => self.warn_of_old_index(&error),
                refreshed => drop(refreshed?),
            }
        }
        Ok(context)
    }

    /// Warns that the index could not be brought up to date, so that answers may be old.
    fn warn_of_old_index(&self, error: &lore_engine::Error) {
        let warning = format!("the index was not updated ({error}); answers come from the index as it is");
        self.talk.warn(&warning);
        self.warnings.borrow_mut().push(warning);
    }

    /// Returns whether the database, if it is open, is still the one at its path.
    pub fn is_in_place(&self) -> bool {
        self.context.get().is_none_or(|context| context.store().check_in_place().is_ok())
    }

    /// Returns the selected vault without syncing.
    pub fn context(&self) -> Result<&VaultContext> {
        if let Some(context) = self.context.get() {
            self.recheck(context.vault().root(), context.access())?;
            return Ok(context);
        }
        let (name, root) = self.choose()?;
        let context = self.open(&name, &root)?;
        self.checked.set(Some(Instant::now()));
        self.check_operation(context.vault().root(), context.access())?;
        Ok(self.context.get_or_init(|| context))
    }

    /// Returns the selected vault as of a commit, with a temporary index that is deleted when dropped.
    pub fn past(&self, revision: &str) -> Result<CommitView> {
        let open = |folder: &Path| -> lore_engine::Result<Box<dyn Store>> {
            Ok(Box::new(lore_sqlite::open_temporary(&folder.join("lore.db"))?))
        };
        Ok(self.context()?.at_commit(revision, &open)?)
    }

    /// Opens a vault under a name, synced first unless `--no-sync` was given.
    pub fn open_fresh(&self, name: &str, root: &Path) -> Result<VaultContext> {
        let context = self.open(name, root)?;
        if self.options.sync {
            refresh(&context, Scope::Vault(ScanMode::Stat), &self.talk.progress("Indexing"))?;
            self.talk.finish();
        }
        Ok(context)
    }

    /// Opens a vault under a name, if it is trusted.
    pub fn open(&self, name: &str, root: &Path) -> Result<VaultContext> {
        let access = self.access(root)?;
        Ok(VaultContext::open(ContextParts {
            name: name.to_owned(),
            root: root.to_owned(),
            store: self.store()?,
            access,
            state: self.environment.state.clone(),
            clock: self.environment.clock.clone(),
            author: Author {
                actor: self.environment.actor.clone(),
                face: self.options.face.to_owned(),
                session: self.environment.session.clone(),
            },
            models: self.models.clone(),
            hooks: Arc::new(FeatureHooks),
        })?)
    }

    /// Opens the database.
    pub fn store(&self) -> Result<Box<dyn Store>> {
        Ok(Box::new(self.sqlite()?))
    }

    /// Opens the SQLite database.
    pub fn sqlite(&self) -> Result<SqliteStore> {
        let path = self.database()?;
        let opened = lore_sqlite::open_with(&self.open_options(&path))?;
        for warning in opened.warnings {
            self.talk.warn(&warning);
            self.warnings.borrow_mut().push(warning);
        }
        Ok(opened.store)
    }

    /// Renames a database that turned out to be damaged; returns the warning for the user.
    pub fn set_database_aside(&self, message: &str) -> Result<String> {
        let path = self.database()?;
        Ok(lore_sqlite::set_aside(&self.open_options(&path), message)?)
    }

    fn open_options<'a>(&self, path: &'a Path) -> OpenOptions<'a> {
        let own_location = path == self.environment.data.join("lore.db");
        OpenOptions { path, own_location, step: lore_vault::fault::fault }
    }

    /// Returns the path of the database: flag, environment, configuration, then the data directory.
    pub fn database(&self) -> Result<PathBuf> {
        let asked = self.options.db.clone().or_else(|| self.environment.db.clone());
        let asked = asked.or_else(|| self.config.set_value("db")).filter(|place| !place.is_empty());
        match asked {
            Some(place) if place.starts_with("postgres://") || place.starts_with("postgresql://") => {
                Err(AppError::usage(
                    "this build supports only SQLite",
                    "set the database to a file path, with --db or in the configuration",
                ))
            }
            Some(place) => Ok(self.own_directory().unwrap_or(Path::new(".")).join(place)),
            None => Ok(self.environment.data.join("lore.db")),
        }
    }

    /// Returns the working directory of this process.
    fn own_directory(&self) -> Option<&Path> {
        self.options.server_directory.as_deref().or(self.environment.here.as_deref())
    }

    /// Returns the warnings from opening the database.
    pub fn warnings(&self) -> Vec<String> {
        self.warnings.borrow().iter().map(|warning| self.shown(warning)).collect()
    }

    /// Returns the project given with `--project`.
    pub fn named_project(&self) -> Option<&str> {
        self.options.project.as_deref()
    }

    /// Returns the project given with `--project` or `LORE_PROJECT`.
    pub fn asked_project(&self) -> Option<&str> {
        self.options.project.as_deref().or(self.environment.project.as_deref())
    }

    /// Returns the name and root of the selected vault, registering it if needed.
    pub fn choose(&self) -> Result<(String, PathBuf)> {
        let projects = self.projects();
        // The directory of a client selects only among registered vaults.
        let own = self.environment.here.as_deref().filter(|_| self.options.server_directory.is_some());
        let of_client = own.and_then(|here| projects.of_place(here));
        let asked = self.asked_project().map(str::to_owned).or(of_client);
        match projects.choose(asked.as_deref(), self.own_directory())? {
            Chosen::Known(name, root) => Ok((name, root)),
            Chosen::First(name, root) => {
                if self.assumed.replace(Some(name.clone())).is_none() {
                    self.talk.note(&format!("no vault is selected; using the first one, {name}"));
                }
                Ok((name, root))
            }
            // A caller that is limited to projects cannot register one.
            Chosen::Found(_) if self.limits.projects.is_some() => Ok(match projects.choose(None, None)? {
                Chosen::Known(name, root) | Chosen::First(name, root) => (name, root),
                Chosen::Found(_) => return Err(Error::NoProject { known: projects.names() }.into()),
            }),
            Chosen::Found(root) => {
                // Nothing is registered for a vault that is not trusted.
                self.access(&root)?;
                let name = self.register(None, &root)?;
                self.talk.note(&format!("registered vault {} as {name}", root.display()));
                Ok((name, root))
            }
        }
    }

    /// Returns the project that was chosen because several are registered and none was selected.
    pub fn assumed_project(&self) -> Option<String> {
        self.assumed.borrow().clone()
    }

    /// Registers a vault under the given name, else its policy's, else its directory's; returns the name.
    pub fn register(&self, wanted: Option<&str>, root: &Path) -> Result<String> {
        let mut chosen = String::new();
        Config::change(&self.environment, |config| {
            chosen = free_name(&config.projects(), wanted, root)?;
            config.add_project(&chosen, root);
            Ok(())
        })?;
        Ok(chosen)
    }

    /// Returns an error if another vault has the name, before anything is created.
    pub fn check_name(&self, wanted: &str, root: &Path) -> Result<()> {
        free_name(&self.config.projects(), Some(wanted), root).map(drop)
    }

    /// Reads standard input to the end.
    pub fn stdin(&self) -> Result<Vec<u8>> {
        if self.options.face != "cli" {
            return Err(AppError::usage("missing content", "pass the page's text as `content`"));
        }
        let failed = |error: std::io::Error| {
            AppError::usage(format!("cannot read standard input: {error}"), "pipe the page in")
        };
        read_to_limit(std::io::stdin().lock(), INPUT).map_err(failed)
    }

    /// Resolves a path against the working directory.
    pub fn path(&self, path: &Path) -> PathBuf {
        self.own_directory().unwrap_or(Path::new(".")).join(path)
    }

    /// Returns whether the caller is at this machine: the command line or a pipe, not a server's client.
    pub fn is_local(&self) -> bool {
        matches!(self.options.face, "cli" | "pipe")
    }

    /// Returns an error unless a destructive action is confirmed, by `yes` or at the terminal.
    pub fn confirm(&self, yes: bool, question: &str) -> Result<()> {
        if yes {
            return Ok(());
        }
        if self.options.face != "cli" || !self.environment.interactive {
            let message = format!("confirmation required: {question}");
            let hint = match self.options.face {
                "pipe" => "pass `\"yes\": true`; nothing was changed",
                _ => "pass --yes; nothing was changed",
            };
            return Err(AppError::usage(message, hint));
        }
        if self.talk.ask(question) {
            Ok(())
        } else {
            Err(AppError::usage("cancelled; nothing was changed", "answer y to confirm"))
        }
    }

    /// Reads a file, relative to the working directory.
    pub fn read_file(&self, path: &Path) -> Result<Vec<u8>> {
        Ok(read_bytes(&self.path(path), INPUT)?)
    }
}

/// Whether an error only says that the database cannot be written now: it is locked, full or read-only.
fn is_unwritable(error: &lore_engine::Error) -> bool {
    use lore_ports::Error::{Index, IndexReadOnly};
    matches!(error, lore_engine::Error::Port(Index { transient: true, .. } | IndexReadOnly { .. }))
}

/// Returns the name to register a vault under: its current one, the wanted one, or one derived from its policy or
/// directory.
fn free_name(projects: &Projects, wanted: Option<&str>, root: &Path) -> Result<String> {
    let known =
        projects.roots.iter().find(|(_, known)| known.as_path() == root).map(|(name, _)| name.clone());
    match (known, wanted) {
        (Some(known), None) => Ok(known),
        (Some(known), Some(wanted)) if known == wanted => Ok(known),
        (Some(known), Some(_)) => Err(AppError::usage(
            format!("{} is already registered as {known}", root.display()),
            format!("use that name, or remove it first with `lore project remove {known}`"),
        )),
        (None, Some(wanted)) => match projects.roots.get(wanted) {
            Some(other) => Err(AppError::usage(
                format!("the name {wanted:?} is taken by {}", other.display()),
                format!("choose another name, or remove that one with `lore project remove {wanted}`"),
            )),
            None => Ok(wanted.to_owned()),
        },
        (None, None) => {
            let folder = root.file_name().map(|name| lore_text::slugify(&name.to_string_lossy()));
            Ok(projects.free_name(&Policy::load(root)?.name.or(folder).unwrap_or_default()))
        }
    }
}
