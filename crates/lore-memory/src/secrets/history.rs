//! Credentials in the history of the repository.

use std::collections::{BTreeMap, HashMap, HashSet};

use lore_engine::{Error, Result, VaultContext, secrets_in};
use lore_text::secrets::Leak;
use lore_vault::git::{ObjectKind, Origin, Repo};

use super::{SecretLocation, SecretOccurrence, git_failed, occurrences};

/// Returns the credentials in every commit, in messages, and in objects that no branch or tag leads to. A credential
/// that many versions of a file have is reported once, with the oldest commit.
pub fn scan_history(context: &VaultContext) -> Result<Vec<SecretOccurrence>> {
    let repo = Repo::find(context.vault().root()).ok_or(Error::NoRepository)?;
    let policy = context.policy();
    let mut files: HashMap<String, Vec<Leak>> = HashMap::new();
    let mut found = Vec::new();
    repo.each_object(|object, bytes| {
        let leaks = secrets_in(&policy, bytes);
        if leaks.is_empty() {
            return;
        }
        match object.kind {
            ObjectKind::File => drop(files.insert(object.id.clone(), leaks)),
            ObjectKind::Commit | ObjectKind::Tag => {
                found.extend(occurrences(&leaks, &SecretLocation::Message { id: object.id.clone() }));
            }
        }
    })
    .map_err(git_failed)?;
    if !files.is_empty() {
        found.extend(committed(&repo, &files)?);
    }
    Ok(found)
}

/// Returns where the files with credentials are in the history.
fn committed(repo: &Repo, files: &HashMap<String, Vec<Leak>>) -> Result<Vec<SecretOccurrence>> {
    let ids: HashSet<String> = files.keys().cloned().collect();
    let origins = repo.origins(&ids).map_err(git_failed)?;
    let mut by_path: BTreeMap<(String, String), Vec<(usize, SecretOccurrence)>> = BTreeMap::new();
    let mut unreachable = Vec::new();
    for (id, leaks) in files {
        for Origin { commit, path, newer } in origins.get(id).into_iter().flatten() {
            let (path, commit) = (path.clone(), commit.clone());
            let location = SecretLocation::Committed { path: path.clone(), commit, versions: 1 };
            for one in occurrences(leaks, &location) {
                by_path.entry((path.clone(), one.secret.clone())).or_default().push((*newer, one));
            }
        }
        if !origins.contains_key(id) {
            unreachable.extend(occurrences(leaks, &SecretLocation::Unreachable { id: id.clone() }));
        }
    }
    unreachable.sort_by_key(|one| (one.secret.clone(), one.line));
    Ok(by_path.into_values().filter_map(oldest).chain(unreachable).collect())
}

/// Returns the oldest of the versions of a file that have a credential, with their number.
fn oldest(mut versions: Vec<(usize, SecretOccurrence)>) -> Option<SecretOccurrence> {
    let count = versions.len();
    versions.sort_by_key(|(newer, one)| (*newer, std::cmp::Reverse(one.line)));
    let (_, mut first) = versions.pop()?;
    if let SecretLocation::Committed { versions, .. } = &mut first.location {
        *versions = count;
    }
    Some(first)
}
