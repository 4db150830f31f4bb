//! The façade: one vault with its policy and its index, used by every face.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Zoned;
use serde::{Deserialize, Serialize};

use crate::embed::Models;
use crate::error::Result;
use crate::graph::{Chain, Neighbourhood, Reach, chain, neighbourhood};
use crate::index::{Forget, PageRow, ProjectNo, Store};
use crate::meaning::Opened;
use crate::policy::Policy;
use crate::resolve::{find, resolve};
use crate::search::{SearchRequest, SearchResult, search};
use crate::vault::{FileBytes, FolderLock, Vault, exists, is_page_path};

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

/// The parts of a [`Memory`].
pub struct Parts {
    /// The project's name.
    pub name: String,
    /// The vault's directory.
    pub root: PathBuf,
    /// Its index and ledger.
    pub store: Box<dyn Store>,
    /// Directory of private state, outside the vault.
    pub state: PathBuf,
    /// The clock.
    pub clock: Clock,
    /// Who acts.
    pub author: Author,
    /// The available models.
    pub models: Arc<dyn Models>,
}

/// A policy with the text it was parsed from.
struct LoadedPolicy {
    text: Option<String>,
    policy: Arc<Policy>,
}

/// One vault, ready to be asked and written to.
pub struct Memory {
    name: String,
    vault: Vault,
    policy: RefCell<LoadedPolicy>,
    store: Box<dyn Store>,
    project: ProjectNo,
    state: PathBuf,
    clock: Clock,
    author: Author,
    models: Arc<dyn Models>,
    pub(crate) opened: RefCell<Option<Opened>>,
}

impl Memory {
    /// Opens a vault with its index.
    pub fn open(parts: Parts) -> Result<Memory> {
        let vault = Vault::open(&parts.root)?;
        let text = Policy::text(vault.root())?;
        let policy = Policy::from_text(vault.root(), text.as_deref())?;
        let project = parts.store.project(&parts.name, &vault.root().to_string_lossy())?;
        let Parts { name, store, state, clock, author, models, .. } = parts;
        let key = policy_key(project);
        if store.setting(&key)?.is_none() {
            store.set_setting(&key, &policy.index_mark())?;
        }
        let policy = RefCell::new(LoadedPolicy { text, policy: Arc::new(policy) });
        let opened = RefCell::default();
        Ok(Memory { name, vault, policy, store, project, state, clock, author, models, opened })
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

    /// Returns who acts.
    pub fn author(&self) -> &Author {
        &self.author
    }

    /// Returns the available models.
    pub fn models(&self) -> &dyn Models {
        &*self.models
    }

    /// Returns the models, to share with another [`Memory`].
    pub(crate) fn shared_models(&self) -> Arc<dyn Models> {
        self.models.clone()
    }

    /// Returns the local time.
    pub fn now(&self) -> Zoned {
        (self.clock)()
    }

    /// Returns today's local date as `YYYY-MM-DD`.
    pub fn today(&self) -> String {
        self.now().date().to_string()
    }

    /// Reads the policy file again where its text changed. Returns whether pages must be indexed again under it: the
    /// index is then empty, and the ledger is kept.
    pub(crate) fn reload_policy(&self) -> Result<bool> {
        let text = Policy::text(self.vault.root())?;
        if self.policy.borrow().text != text {
            let policy = Arc::new(Policy::from_text(self.vault.root(), text.as_deref())?);
            self.policy.replace(LoadedPolicy { text, policy });
        }
        let (key, mark) = (policy_key(self.project), self.policy().index_mark());
        if self.store.setting(&key)?.as_ref() == Some(&mark) {
            return Ok(false);
        }
        self.store.transaction(&mut || {
            // Another process may have done this while this one waited.
            if self.store.setting(&key)?.as_ref() == Some(&mark) {
                return Ok(());
            }
            self.store.forget(self.project, Forget::IndexOnly)?;
            for failure in self.store.failures(self.project)? {
                self.store.set_failure(self.project, &failure.path, None)?;
            }
            self.store.set_setting(&key, &mark)
        })?;
        Ok(true)
    }

    /// Resolves a reference to a page; an old path resolves to its new one.
    pub fn page(&self, reference: &str) -> Result<PageRow> {
        let alias = self.policy().alias(reference.strip_prefix("memory://").unwrap_or(reference));
        let key = resolve(&*self.store, self.project, alias.as_deref().unwrap_or(reference))?;
        let row = self.store.pages(self.project, &[key.page])?.pop();
        row.ok_or(crate::Error::NotFound { reference: reference.to_owned(), suggestions: Vec::new() })
    }

    /// Resolves a reference to a page, if there is one.
    pub fn find(&self, reference: &str) -> Result<Option<PageRow>> {
        let alias = self.policy().alias(reference.strip_prefix("memory://").unwrap_or(reference));
        match find(&*self.store, self.project, alias.as_deref().unwrap_or(reference))? {
            Some(key) => Ok(self.store.pages(self.project, &[key.page])?.pop()),
            None => Ok(None),
        }
    }

    /// Resolves a reference to a file path: a page's, or a file that a rule gives another extension.
    pub fn file(&self, reference: &str) -> Result<String> {
        let missing = match self.page(reference) {
            Ok(page) => return Ok(page.path),
            Err(error) => error,
        };
        let policy = self.policy();
        let plain = reference.strip_prefix("memory://").unwrap_or(reference);
        let plain = policy.alias(plain).unwrap_or_else(|| plain.to_owned());
        let extension = policy.rule(&plain).and_then(|rule| rule.extension.clone());
        let named = extension.map(|extension| match plain.ends_with(&format!(".{extension}")) {
            true => plain.clone(),
            false => format!("{plain}.{extension}"),
        });
        let captured = policy.raw.as_ref().is_some_and(|raw| plain.starts_with(&format!("{}/", raw.folder)));
        let named = named.or_else(|| captured.then(|| plain.clone()));
        match named.filter(|path| exists(&self.vault.root().join(path))) {
            Some(path) => self.vault.file_path(&path),
            None => Err(missing),
        }
    }

    /// Returns the indexed page at a path.
    pub fn page_at(&self, path: &str) -> Result<Option<PageRow>> {
        let known = self.store.fingerprints(self.project, Some(&BTreeSet::from([path.to_owned()])))?;
        match known.first() {
            Some(known) => Ok(self.store.pages(self.project, &[known.page])?.pop()),
            None => Ok(None),
        }
    }

    /// Whether a file at this path is indexed.
    pub fn indexes(&self, path: &str) -> bool {
        is_page_path(path) && self.policy().indexes(path)
    }

    /// Returns the version of the file at a path; 0 when it does not exist.
    pub fn version_of(&self, path: &str) -> Result<u64> {
        if self.indexes(path) {
            return Ok(self.page_at(path)?.map_or(0, |row| row.version));
        }
        if !exists(&self.vault.root().join(path)) {
            return Ok(0);
        }
        Ok(self.store.version(self.project, path)?.map_or(1, |(version, _)| version))
    }

    /// Reads a page's current bytes from disk.
    pub fn read(&self, page: &PageRow) -> Result<FileBytes> {
        let read = self.vault.read(&page.path, u64::MAX)?;
        read.ok_or_else(|| crate::Error::NotFound { reference: page.slug.clone(), suggestions: Vec::new() })
    }

    /// Searches the vault.
    pub fn search(&self, request: &SearchRequest) -> Result<SearchResult> {
        let mut found = None;
        self.store.reading(&mut || {
            found = Some(search(self, request)?);
            Ok(())
        })?;
        Ok(found.expect("the search ran"))
    }

    /// Returns a page's neighbourhood.
    pub fn graph(&self, page: &PageRow, reach: &Reach) -> Result<Neighbourhood> {
        neighbourhood(&*self.store, self.project, page.number, reach)
    }

    /// Finds the shortest chain of links between two pages, up to the length in `reach`.
    pub fn path(&self, from: &PageRow, to: &PageRow, reach: &Reach) -> Result<Option<Chain>> {
        chain(&*self.store, self.project, from.number, to.number, reach)
    }

    /// Acquires the vault's write lock.
    pub(crate) fn lock(&self) -> Result<FolderLock> {
        let holder = format!("{} (process {})", self.author.actor, std::process::id());
        FolderLock::acquire(self.vault.root(), self.state(), &holder)
    }

    /// Tries to acquire the vault's write lock without waiting.
    pub(crate) fn try_lock(&self) -> Result<Option<FolderLock>> {
        let holder = format!("{} (process {})", self.author.actor, std::process::id());
        FolderLock::try_acquire(self.vault.root(), self.state(), &holder)
    }

    fn state(&self) -> &Path {
        &self.state
    }
}

/// Returns the settings key of the policy that a project's pages were indexed with.
fn policy_key(project: ProjectNo) -> String {
    format!("policy/{project}")
}
