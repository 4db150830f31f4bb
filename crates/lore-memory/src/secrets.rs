//! Credentials that are already there: where they are, and how they are removed.

mod history;
mod purge;

use std::collections::BTreeSet;

use lore_engine::{Error, Policy, Result, VaultContext, secrets_in};
use lore_ports::{GapFilter, GapRow, ImportFilter};
use lore_text::secrets::{Form, Leak};
use lore_vault::git::{GitError, Repo};
use lore_vault::{all_files, exists, files_below, read_entry, sidecar};

use crate::import::stored_originals;

pub use history::scan_history;
pub use purge::{Purged, purge_secrets};

/// A credential and where it is, without the credential itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecretOccurrence {
    /// Identifies the credential; the same wherever it is.
    pub secret: String,
    /// The rule that matched.
    pub rule: &'static str,
    /// Whether it is a credential beyond reasonable doubt.
    pub certain: bool,
    /// How it is written.
    pub form: Form,
    /// The line, from 1.
    pub line: u32,
    /// Where it is.
    pub location: SecretLocation,
}

/// Where a credential is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SecretLocation {
    /// In a file of the vault.
    File {
        /// Its path.
        path: String,
    },
    /// In the name of a file.
    Name {
        /// Its path.
        path: String,
    },
    /// In an earlier version of a file, in the ledger.
    Snapshot {
        /// The file's path.
        path: String,
        /// The version.
        version: u64,
    },
    /// In an imported source, in the ledger.
    Import {
        /// Where the source came from.
        source: String,
    },
    /// In an unanswered question, in the ledger.
    Gap {
        /// Its id.
        id: u64,
    },
    /// In what the ledger remembers of git.
    GitState,
    /// In a file of a commit.
    Committed {
        /// The file's path in the repository.
        path: String,
        /// The oldest commit that has it.
        commit: String,
        /// Number of versions of the file that have it.
        versions: usize,
    },
    /// In the message of a commit or tag.
    Message {
        /// Id of the commit or tag.
        id: String,
    },
    /// In an object of the repository that no branch or tag leads to.
    Unreachable {
        /// Its id.
        id: String,
    },
}

/// Returns the credentials in the files that git or Lore reads, and in the ledger.
pub fn scan_secrets(context: &VaultContext) -> Result<Vec<SecretOccurrence>> {
    let mut found = file_secrets(context)?;
    found.extend(ledger_secrets(context)?);
    Ok(found)
}

/// Returns the credentials in files and in their names.
fn file_secrets(context: &VaultContext) -> Result<Vec<SecretOccurrence>> {
    let policy = context.policy();
    let mut found = Vec::new();
    for path in files(context)? {
        let named = secrets_in(&policy, path.as_bytes());
        found.extend(occurrences(&named, &SecretLocation::Name { path: path.clone() }));
        if let Some(bytes) = read_entry(&context.vault().root().join(&path)) {
            found.extend(occurrences(&secrets_in(&policy, &bytes), &SecretLocation::File { path }));
        }
    }
    Ok(found)
}

/// Returns the files that git would take or that Lore reads. Without a repository, all files count.
fn files(context: &VaultContext) -> Result<BTreeSet<String>> {
    let Some(repo) = Repo::find(context.vault().root()) else {
        return Ok(all_files(context.vault()).into_iter().collect());
    };
    let mut files: BTreeSet<String> = repo.listed_files().map_err(git_failed)?.into_iter().collect();
    // git may ignore what Lore reads.
    let known = context.store().fingerprints(context.project(), context.replica(), None)?;
    for page in known {
        let data = sidecar(&page.path);
        if exists(&context.vault().root().join(&data)) {
            files.insert(data);
        }
        files.insert(page.path);
    }
    if let Some(raw) = &context.policy().raw {
        files.extend(files_below(context.vault(), &raw.folder).into_iter().map(|(path, _)| path));
    }
    Ok(files)
}

/// Returns the credentials in snapshots, imports, gaps and the state of git.
fn ledger_secrets(context: &VaultContext) -> Result<Vec<SecretOccurrence>> {
    let (store, project, policy) = (context.store(), context.project(), context.policy());
    let mut found = Vec::new();
    for (path, row) in store.all_snapshots(project)? {
        let bytes = store.snapshot_bytes(project, row.number)?.unwrap_or_default();
        let location = SecretLocation::Snapshot { path, version: row.version };
        found.extend(occurrences(&secrets_in(&policy, &bytes), &location));
    }
    for row in store.imports(project, &ImportFilter::All)? {
        let bytes = store.import_bytes(project, row.number)?.unwrap_or_default();
        let location = SecretLocation::Import { source: row.source.clone() };
        let leaks = [secrets_in(&policy, &bytes), secrets_in(&policy, row.source.as_bytes())].concat();
        found.extend(occurrences(&leaks, &location));
    }
    for (path, hash) in stored_originals(context)? {
        let bytes = store.blob(project, hash)?.unwrap_or_default();
        let location = SecretLocation::Import { source: path };
        found.extend(occurrences(&secrets_in(&policy, &bytes), &location));
    }
    for gap in store.gaps(project, &GapFilter::ALL, usize::MAX)? {
        found.extend(occurrences(&gap_leaks(&policy, &gap), &SecretLocation::Gap { id: gap.id }));
    }
    let state = store.state(project)?.git.unwrap_or_default();
    found.extend(occurrences(&secrets_in(&policy, state.as_bytes()), &SecretLocation::GitState));
    Ok(found)
}

fn gap_leaks(policy: &Policy, gap: &GapRow) -> Vec<Leak> {
    let approver = gap.approved.as_ref().map(|(name, _)| name);
    let texts = [Some(&gap.context), gap.query_text.as_ref(), gap.redacted_query.as_ref(), approver];
    texts.into_iter().flatten().flat_map(|text| secrets_in(policy, text.as_bytes())).collect()
}

fn occurrences(leaks: &[Leak], location: &SecretLocation) -> Vec<SecretOccurrence> {
    let occurrence = |leak: &Leak| SecretOccurrence {
        secret: leak.secret.clone(),
        rule: leak.rule,
        certain: leak.certain,
        form: leak.form,
        line: leak.line,
        location: location.clone(),
    };
    leaks.iter().map(occurrence).collect()
}

fn git_failed(error: GitError) -> Error {
    Error::Git { message: error.to_string() }
}
