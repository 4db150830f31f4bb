//! The façade: one vault with its policy and its index, used by every face.

mod presence;
mod register;

use std::cell::{Cell, RefCell};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use lore_ports::{
    EmbedResult, Embedder, Filter, Forget, ModelNo, Models, Namespace, Order, ProjectNo, ReplicaNo,
    StateChange, Store, Window, transaction,
};
use lore_text::day_of;
use lore_vault::git::Repo;
use lore_vault::{FolderLock, Vault, WatchLock};
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::hooks::Hooks;
use crate::policy::{Policy, is_type_name};
use register::register;

/// Returns the current time; tests use a fixed one.
pub type Clock = Arc<dyn Fn() -> Zoned + Send + Sync>;

/// Who writes, and through which face.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Author {
    /// A person's or agent's name.
    pub actor: String,
    /// `cli`, `mcp`, `http`, `emacs`.
    pub face: String,
    /// Groups the writes of one run.
    pub session: String,
}

/// What may be done with a vault, by the decision of a person.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Access {
    /// Everything that its policy allows.
    #[default]
    Full,
    /// Only reading: nothing in it is changed, and nothing of it is run. git is not called.
    ReadOnly,
}

/// The parts of a [`VaultContext`].
pub struct ContextParts {
    /// The project's name.
    pub name: String,
    /// The vault's directory.
    pub root: PathBuf,
    /// Its index and ledger.
    pub store: Box<dyn Store>,
    /// What may be done with it.
    pub access: Access,
    /// Directory of private state, outside the vault.
    pub state: PathBuf,
    /// The clock.
    pub clock: Clock,
    /// Who acts.
    pub author: Author,
    /// The available models.
    pub models: Arc<dyn Models>,
    /// What features add to writes.
    pub hooks: Arc<dyn Hooks>,
}

/// The last model that was opened, or why it could not be.
pub(crate) struct EmbedderCache {
    pub(crate) model: ModelNo,
    pub(crate) embedder: EmbedResult<Arc<dyn Embedder>>,
}

/// A policy with the text it was parsed from.
struct LoadedPolicy {
    text: Option<String>,
    policy: Arc<Policy>,
}

/// One vault, ready to be asked and written to.
pub struct VaultContext {
    name: String,
    vault: Vault,
    policy: RefCell<LoadedPolicy>,
    store: Box<dyn Store>,
    project: ProjectNo,
    replica: ReplicaNo,
    access: Access,
    state: PathBuf,
    clock: Clock,
    author: Author,
    models: Arc<dyn Models>,
    hooks: Arc<dyn Hooks>,
    pub(crate) embedder: RefCell<Option<EmbedderCache>>,
    /// Whether missing files were said to be deleted on purpose.
    accepts_missing: Cell<bool>,
    /// The pages that a title may name; all of them if there is none.
    scope: RefCell<Option<Namespace>>,
}

impl VaultContext {
    /// Opens a vault with its index.
    pub fn open(parts: ContextParts) -> Result<VaultContext> {
        let vault = Vault::open(&parts.root)?.with_state(&parts.state);
        let text = Policy::text(&vault)?;
        let policy = Policy::from_text(vault.root(), text.as_deref())?;
        let (project, replica) = register(&*parts.store, &parts.name, vault.root(), policy.id.as_deref())?;
        let ContextParts { name, store, access, state, clock, author, models, hooks, .. } = parts;
        if store.state(project)?.index_mark.is_none() {
            let mark = presence::mark(&policy, text.is_some());
            store.set_state(project, &StateChange::IndexMark(&mark))?;
        }
        let policy = RefCell::new(LoadedPolicy { text, policy: Arc::new(policy) });
        let embedder = RefCell::default();
        Ok(VaultContext {
            name,
            vault,
            policy,
            store,
            project,
            replica,
            access,
            state,
            clock,
            author,
            models,
            hooks,
            embedder,
            accepts_missing: Cell::new(false),
            scope: RefCell::default(),
        })
    }

    /// Limits what titles, aliases and ends of slugs name to a namespace. Slugs, paths and ids still name any page.
    pub fn set_scope(&self, scope: Option<Namespace>) {
        *self.scope.borrow_mut() = scope;
    }

    /// Returns whether a title may name a page.
    pub(crate) fn is_in_scope(&self, slug: &str) -> Result<bool> {
        let Some(namespace) = self.scope.borrow().clone() else { return Ok(true) };
        let filter = Filter { slug: Some(slug.to_owned()), namespace: Some(namespace), ..Filter::default() };
        let window = Window { limit: 1, offset: 0 };
        Ok(!self.store.list(self.project, &filter, Order::Title, window)?.is_empty())
    }

    /// The project's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the vault's files.
    pub fn vault(&self) -> &Vault {
        &self.vault
    }

    /// Returns the vault's policy.
    pub fn policy(&self) -> Arc<Policy> {
        self.policy.borrow().policy.clone()
    }

    /// Returns the database.
    pub fn store(&self) -> &dyn Store {
        &*self.store
    }

    /// Returns the project's number in its database.
    pub fn project(&self) -> ProjectNo {
        self.project
    }

    /// Returns the number of this checkout of the project.
    pub fn replica(&self) -> ReplicaNo {
        self.replica
    }

    /// Returns what may be done with the vault.
    pub fn access(&self) -> Access {
        self.access
    }

    /// Returns the repository around the vault, if git may be called in it.
    pub fn repo(&self) -> Option<Repo> {
        match self.access {
            Access::ReadOnly => None,
            Access::Full => Some(Repo::find(self.vault.root())?.with_hooks(self.policy().git.hooks)),
        }
    }

    /// Returns the template of pages of a type: the vault's own, else the profile's.
    pub fn template(&self, kind: &str) -> Result<Option<String>> {
        let own = match is_type_name(kind) {
            true => self.vault.read_text(&format!(".lore/templates/{kind}.md"))?,
            false => None,
        };
        Ok(own.or_else(|| self.policy().profile.template(kind).map(str::to_owned)))
    }

    /// Returns who acts.
    pub fn author(&self) -> &Author {
        &self.author
    }

    /// Returns the available models.
    pub fn models(&self) -> &dyn Models {
        &*self.models
    }

    /// Returns the models, to share with another [`VaultContext`].
    pub(crate) fn shared_models(&self) -> Arc<dyn Models> {
        self.models.clone()
    }

    /// Returns what features add to writes.
    pub fn hooks(&self) -> &dyn Hooks {
        &*self.hooks
    }

    /// Returns the hooks, for another context.
    pub(crate) fn shared_hooks(&self) -> Arc<dyn Hooks> {
        self.hooks.clone()
    }

    /// Returns the local time.
    pub fn now(&self) -> Zoned {
        (self.clock)()
    }

    /// Returns the local time in the time zone of the policy, else the system's.
    pub fn local_now(&self) -> Zoned {
        let policy = self.policy();
        let zone = policy.rotate.as_ref().and_then(|rotate| rotate.time_zone.as_ref());
        let zone = zone.and_then(|name| TimeZone::get(name.get_ref()).ok());
        zone.map_or_else(|| self.now(), |zone| self.now().with_time_zone(zone))
    }

    /// Returns the current day, by the hour at which the policy begins a day.
    pub fn day(&self) -> Date {
        let begins = self.policy().rotate.as_ref().map(|rotate| *rotate.day_begins.get_ref());
        day_of(&self.local_now(), begins.unwrap_or_default())
    }

    /// Returns the day of a time in milliseconds since 1970, as [`VaultContext::day`] counts days.
    pub fn day_at(&self, millis: i64) -> Option<Date> {
        let begins = self.policy().rotate.as_ref().map(|rotate| *rotate.day_begins.get_ref());
        let at = Timestamp::from_millisecond(millis).ok()?;
        Some(day_of(&at.to_zoned(self.local_now().time_zone().clone()), begins.unwrap_or_default()))
    }

    /// Returns today's local date as `YYYY-MM-DD`.
    pub fn today(&self) -> String {
        self.now().date().to_string()
    }

    /// Reads the policy file again where its text changed. Returns whether pages must be indexed again under it: the
    /// index is then empty, and the ledger is kept.
    pub(crate) fn reload_policy(&self) -> Result<bool> {
        let text = Policy::text(&self.vault)?;
        self.check_policy_present(text.is_some())?;
        if self.policy.borrow().text != text {
            let policy = Arc::new(Policy::from_text(self.vault.root(), text.as_deref())?);
            self.policy.replace(LoadedPolicy { text, policy });
        }
        let mark = presence::mark(&self.policy(), self.policy.borrow().text.is_some());
        let is_current = || {
            let known = self.store.state(self.project)?.index_mark;
            Ok::<bool, Error>(known.is_some_and(|known| presence::is_same_index(&known, &mark)))
        };
        if is_current()? {
            self.note_policy_file(&mark)?;
            return Ok(false);
        }
        transaction(&*self.store, || -> Result<()> {
            // Another process may have done this while this one waited.
            if is_current()? {
                return Ok(());
            }
            self.store.forget(self.project, Forget::IndexOnly)?;
            let failures = self.store.failures(self.project)?;
            let cleared: Vec<_> = failures.iter().map(|failure| (failure.path.as_str(), None)).collect();
            self.store.set_failures(self.project, &cleared)?;
            Ok(self.store.set_state(self.project, &StateChange::IndexMark(&mark))?)
        })?;
        Ok(true)
    }

    /// Acquires the vault's write lock.
    pub(crate) fn lock(&self) -> Result<FolderLock> {
        self.check_writable()?;
        let holder = format!("{} (process {})", self.author.actor, std::process::id());
        Ok(FolderLock::acquire(self.vault.root(), self.state(), &holder)?)
    }

    /// Tries to acquire the vault's write lock without waiting.
    pub(crate) fn try_lock(&self) -> Result<Option<FolderLock>> {
        self.check_writable()?;
        let holder = format!("{} (process {})", self.author.actor, std::process::id());
        Ok(FolderLock::try_acquire(self.vault.root(), self.state(), &holder)?)
    }

    /// Waits until no other process imports to the vault, and keeps others waiting until the lock is dropped.
    pub fn import_lock(&self) -> Result<WatchLock> {
        Ok(WatchLock::wait(self.state(), &[self.vault.root(), Path::new("import")])?)
    }

    /// Fails if the vault may only be read. Every write takes the lock, so none can omit this.
    fn check_writable(&self) -> Result<()> {
        match self.access {
            Access::Full => Ok(()),
            Access::ReadOnly => Err(Error::Untrusted {
                path: self.vault.root().to_owned(),
                why: "it is trusted for reading only".into(),
            }),
        }
    }

    fn state(&self) -> &Path {
        &self.state
    }
}
