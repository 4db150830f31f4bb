//! A vault as of a commit: its files are read from git into a temporary directory and indexed there by the same
//! reconcile. The vault itself is not touched.

use std::ops::Deref;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use lore_ports::{Store, no_progress};
use lore_vault::git::Revision;
use lore_vault::{POLICY_FILE, TemporaryFolder, is_page_path, make_folder, write_dated};

use crate::context::{ContextParts, VaultContext};
use crate::error::{Error, Result};
use crate::index::{ReconcileScope, ScanMode, reconcile};
use crate::refresh::SCAN_EMBED_LIMIT;

/// Opens the database of a temporary vault, inside its temporary directory.
pub type OpenStore<'a> = &'a dyn Fn(&Path) -> Result<Box<dyn Store>>;

/// Files besides the policy that decide which files are pages.
const IGNORE_FILES: [&str; 2] = [".gitignore", ".loreignore"];

/// A read-only memory of a vault as of a commit; today is the day of the commit.
pub struct CommitView {
    context: VaultContext,
    commit: Revision,
    // Last, so that the database is closed before its directory is deleted.
    _folder: TemporaryFolder,
}

impl Deref for CommitView {
    type Target = VaultContext;

    fn deref(&self) -> &VaultContext {
        &self.context
    }
}

impl CommitView {
    /// Returns the commit.
    pub fn commit(&self) -> &Revision {
        &self.commit
    }

    /// Embeds the chunks of its pages, if the model is available.
    pub fn embed(&self) -> Result<()> {
        self.context.embed_pending_inline(SCAN_EMBED_LIMIT)
    }
}

impl VaultContext {
    /// Opens this vault as of a commit.
    pub fn at_commit(&self, revision: &str, open: OpenStore<'_>) -> Result<CommitView> {
        let root = self.vault().root();
        let repo = self.repo().ok_or_else(|| not_a_repository(root))?;
        let found = repo.revision(revision).map_err(|error| Error::Git { message: error.to_string() })?;
        let commit = found.ok_or_else(|| no_commit(revision, root))?;
        let folder = TemporaryFolder::new("lore-past-")?;
        let vault = folder.path().join("vault");
        make_folder(&vault)?;
        let mut made = None;
        repo.files_at(&commit.id, is_wanted, |path, bytes| {
            let full = inside(&vault, path)?;
            if let Some(parent) = full.parent().filter(|parent| made.as_deref() != Some(*parent)) {
                make_folder(parent)?;
                made = Some(parent.to_owned());
            }
            write_dated(&full, bytes, commit.at)
        })?;
        let context = self.open_at(&vault, folder.path(), &commit, open)?;
        reconcile(&context, &ReconcileScope::Everything(ScanMode::Nothing), &no_progress)?;
        Ok(CommitView { context, commit, _folder: folder })
    }

    fn open_at(
        &self,
        vault: &Path,
        folder: &Path,
        commit: &Revision,
        open: OpenStore<'_>,
    ) -> Result<VaultContext> {
        let at = Timestamp::from_second(commit.at).unwrap_or(Timestamp::UNIX_EPOCH);
        let at = at.to_zoned(self.now().time_zone().clone());
        let opened = VaultContext::open(ContextParts {
            name: self.name().to_owned(),
            root: vault.to_owned(),
            store: open(folder)?,
            access: self.access(),
            state: folder.join("state"),
            clock: std::sync::Arc::new(move || at.clone()),
            author: self.author().clone(),
            models: self.shared_models(),
            hooks: self.shared_hooks(),
        });
        opened.map_err(|error| match error {
            // The temporary path will no longer exist when the error is read.
            Error::Policy { line, message, .. } => {
                let path = PathBuf::from(format!("{POLICY_FILE} at commit {}", &commit.id));
                Error::Policy { path, line, message }
            }
            other => other,
        })
    }
}

/// Whether a file is a page or decides what the pages are.
fn is_wanted(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    is_page_path(path) || path == POLICY_FILE || IGNORE_FILES.contains(&name)
}

/// Returns where a path of the commit is written. git creates no tree that escapes its directory, but others can.
fn inside(vault: &Path, path: &str) -> lore_vault::Result<PathBuf> {
    let odd = |name: &str| name.is_empty() || name == "." || name == ".." || name.contains(['\\', '\0']);
    if path.split('/').any(odd) {
        return Err(lore_vault::Error::BadPath {
            path: path.to_owned(),
            reason: "it leads outside the vault",
        });
    }
    Ok(vault.join(path))
}

fn not_a_repository(root: &Path) -> Error {
    Error::BadInput {
        message: format!("{} is not in a git repository, so it has no commits", root.display()),
        hint: "omit the commit, or put the vault under git with `git init`".into(),
    }
}

fn no_commit(revision: &str, root: &Path) -> Error {
    Error::BadInput {
        message: format!("no commit {revision:?} in the repository of {}", root.display()),
        hint: "use a commit, a tag or a branch; `git log` lists commits".into(),
    }
}
