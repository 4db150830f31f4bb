//! The façade: one vault with its policy and its index, as every face uses it.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Zoned;

use crate::diff::Trust;
use crate::error::Result;
use crate::graph::{Neighbourhood, Reach, neighbourhood};
use crate::index::{Forget, PageRow, ProjectNo, Store};
use crate::policy::Policy;
use crate::reconcile::{Look, Progress, Report, reconcile};
use crate::resolve::resolve;
use crate::search::{SearchRequest, SearchResult, search};
use crate::vault::{FileBytes, FolderLock, Vault};

/// Tells the time; a test gives another one.
pub type Clock = Arc<dyn Fn() -> Zoned + Send + Sync>;

/// Who writes, through which face.
#[derive(Debug, Clone)]
pub struct Author {
    /// A person's or agent's name.
    pub actor: String,
    /// `cli`, `mcp`, `http`, `emacs`.
    pub face: &'static str,
}

/// What a memory is made of.
pub struct Parts {
    /// The project's name.
    pub name: String,
    /// The vault's directory.
    pub root: PathBuf,
    /// Its index and ledger.
    pub store: Box<dyn Store>,
    /// Where private state is kept, outside the vault.
    pub state: PathBuf,
    /// The time.
    pub clock: Clock,
    /// Who acts.
    pub author: Author,
}

/// One vault, ready to be asked and written to.
pub struct Memory {
    name: String,
    vault: Vault,
    policy: RefCell<Arc<Policy>>,
    store: Box<dyn Store>,
    project: ProjectNo,
    state: PathBuf,
    clock: Clock,
    author: Author,
}

impl Memory {
    /// Opens a vault with its index.
    pub fn open(parts: Parts) -> Result<Memory> {
        let vault = Vault::open(&parts.root)?;
        let policy = Policy::load(vault.root())?;
        let project = parts.store.project(&parts.name, &vault.root().to_string_lossy())?;
        let Parts { name, store, state, clock, author, .. } = parts;
        let key = policy_key(project);
        if store.setting(&key)?.is_none() {
            store.set_setting(&key, &policy.index_mark())?;
        }
        let policy = RefCell::new(Arc::new(policy));
        Ok(Memory { name, vault, policy, store, project, state, clock, author })
    }

    /// The project's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The vault's files.
    pub fn vault(&self) -> &Vault {
        &self.vault
    }

    /// The vault's policy.
    pub fn policy(&self) -> Arc<Policy> {
        self.policy.borrow().clone()
    }

    /// The vault's rows.
    pub fn store(&self) -> &dyn Store {
        &*self.store
    }

    /// The project's number in its database.
    pub fn project(&self) -> ProjectNo {
        self.project
    }

    /// Who acts.
    pub fn author(&self) -> &Author {
        &self.author
    }

    /// The time, here.
    pub fn now(&self) -> Zoned {
        (self.clock)()
    }

    /// Today as `YYYY-MM-DD`, here.
    pub fn today(&self) -> String {
        self.now().date().to_string()
    }

    /// Makes the index follow the files, and the policy as it is now.
    pub fn sync(&self, trust: Trust, progress: Progress<'_>) -> Result<Report> {
        self.follow_policy()?;
        reconcile(self, &Look::Everything(trust), progress)
    }

    /// Reads the policy again. One that would have indexed the pages otherwise empties the index, so that the next
    /// look makes it anew; the ledger stays.
    fn follow_policy(&self) -> Result<()> {
        let policy = Policy::load(self.vault.root())?;
        let (key, mark) = (policy_key(self.project), policy.index_mark());
        self.policy.replace(Arc::new(policy));
        match self.store.setting(&key)? {
            Some(known) if known == mark => return Ok(()),
            _ => {}
        }
        self.store.transaction(&mut || {
            // Another process may have done it while this one waited.
            if self.store.setting(&key)?.as_ref() == Some(&mark) {
                return Ok(());
            }
            self.store.forget(self.project, Forget::IndexOnly)?;
            for failure in self.store.failures(self.project)? {
                self.store.set_failure(self.project, &failure.path, None)?;
            }
            self.store.set_setting(&key, &mark)
        })
    }

    /// Makes the index follow these files.
    pub fn sync_paths(&self, paths: &BTreeSet<String>) -> Result<Report> {
        reconcile(self, &Look::Paths { paths, moved: &[] }, &|_, _| ())
    }

    /// The page that a reference means.
    pub fn page(&self, reference: &str) -> Result<PageRow> {
        let key = resolve(&*self.store, self.project, reference)?;
        let row = self.store.pages(self.project, &[key.page])?.pop();
        row.ok_or(crate::Error::NotFound { reference: reference.to_owned(), suggestions: Vec::new() })
    }

    /// The page at a path, as the index knows it.
    pub fn page_at(&self, path: &str) -> Result<Option<PageRow>> {
        let known = self.store.fingerprints(self.project, Some(&BTreeSet::from([path.to_owned()])))?;
        match known.first() {
            Some(known) => Ok(self.store.pages(self.project, &[known.page])?.pop()),
            None => Ok(None),
        }
    }

    /// A page's bytes as they are on the disk now.
    pub fn read(&self, page: &PageRow) -> Result<FileBytes> {
        let read = self.vault.read(&page.path, u64::MAX)?;
        read.ok_or_else(|| crate::Error::NotFound { reference: page.slug.clone(), suggestions: Vec::new() })
    }

    /// Pages that answer a query.
    pub fn search(&self, request: &SearchRequest) -> Result<SearchResult> {
        search(&*self.store, self.project, &self.vault, request)
    }

    /// A page's neighbourhood.
    pub fn graph(&self, page: &PageRow, reach: &Reach) -> Result<Neighbourhood> {
        neighbourhood(&*self.store, self.project, page.number, reach)
    }

    /// The right to write to the vault.
    pub(crate) fn lock(&self) -> Result<FolderLock> {
        let holder = format!("{} (process {})", self.author.actor, std::process::id());
        FolderLock::acquire(self.vault.root(), self.state(), &holder)
    }

    fn state(&self) -> &Path {
        &self.state
    }
}

/// Where the database keeps what the policy was when a project's pages were indexed.
fn policy_key(project: ProjectNo) -> String {
    format!("policy/{project}")
}
