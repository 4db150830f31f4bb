//! Finds the project of a vault in its database.

use std::path::Path;

use lore_ports::{ProjectKey, ProjectNo, ReplicaNo, Store, local_id};
use lore_vault::real_folder;

use crate::error::Result;
use crate::policy::Policy;

/// Finds or creates the vault's project. A vault that was moved keeps its rows. A copy of a vault beside the original is
/// a project of its own, although both have the same id: they would take turns at replacing each other's pages.
pub(super) fn register(
    store: &dyn Store,
    name: &str,
    root: &Path,
    vault_id: Option<&str>,
) -> Result<(ProjectNo, ReplicaNo)> {
    let checkout = root.to_string_lossy();
    let vault_id = match vault_id.filter(|id| !id.is_empty()) {
        Some(id) => Some(own_id(store, id, &checkout)?),
        None => None,
    };
    let vault_id = vault_id.as_deref();
    let moved_from = moved_from(store, name, &checkout, vault_id)?;
    Ok(store.project(&ProjectKey {
        vault_id,
        name,
        checkout: &checkout,
        moved_from: moved_from.as_deref(),
    })?)
}

/// Returns the id of the vault at this checkout: the one in its policy, unless the vault is a copy.
fn own_id(store: &dyn Store, id: &str, checkout: &str) -> Result<String> {
    let known = store.checkouts(id)?;
    if known.is_empty() || known.iter().any(|known| known == checkout) {
        return Ok(id.to_owned());
    }
    let copy_id = local_id(checkout);
    let has_original = known.iter().any(|known| may_contain(Path::new(known), id));
    // A copy with rows of its own remains one when the original is removed.
    let is_copy = has_original || !store.checkouts(&copy_id)?.is_empty();
    Ok(if is_copy { copy_id } else { id.to_owned() })
}

/// Whether a directory may contain the vault with this id: it exists and has no other id.
fn may_contain(root: &Path, id: &str) -> bool {
    let has_other_id = || Policy::load(root).is_ok_and(|policy| policy.id.is_some_and(|other| other != id));
    real_folder(root).is_some() && !has_other_id()
}

/// Returns the checkout that a new one replaces: the last one of its vault or, if the vault is new too, of its name,
/// provided that none of them exists any more.
fn moved_from(
    store: &dyn Store,
    name: &str,
    checkout: &str,
    vault_id: Option<&str>,
) -> Result<Option<String>> {
    let mut known = vault_id.map_or_else(|| Ok(Vec::new()), |id| store.checkouts(id))?;
    if known.iter().any(|known| known == checkout) {
        return Ok(None);
    }
    // The directory of a vault with an id may meanwhile contain another one; that was checked above.
    let is_moved = !known.is_empty();
    if !is_moved && store.projects_at(checkout)?.is_empty() {
        known = store.checkouts_named(name)?;
    }
    let is_gone = |known: &String| is_moved || real_folder(Path::new(known)).is_none();
    Ok(if known.iter().all(is_gone) { known.pop() } else { None })
}
