//! Pages of other vaults that point to a page by its id.

use lore_engine::VaultContext;
use lore_vault::decode;

use crate::app::session::Session;

/// Minimum length of an id that is looked for in texts.
const ID_LENGTH: usize = 12;

/// Maximum number of pages that are listed.
const LISTED: usize = 100;

/// Returns the pages of the other trusted vaults that contain one of these ids, as `project: path`. They are listed and
/// never changed: a write in one vault changes no other.
pub(super) fn pointers(session: &Session, context: &VaultContext, ids: &[&str]) -> Vec<String> {
    let ids: Vec<&str> = ids.iter().copied().filter(|id| id.len() >= ID_LENGTH).collect();
    let mut found = Vec::new();
    for (name, root) in session.projects().roots {
        if ids.is_empty() || root == context.vault().root() || !session.is_trusted(&root) {
            continue;
        }
        // A vault that cannot be opened now is no reason to refuse.
        let Ok(other) = session.open(&name, &root) else { continue };
        let known = other.store().fingerprints(other.project(), other.replica(), None).unwrap_or_default();
        for path in known.into_iter().map(|page| page.path) {
            let Ok(Some(file)) = other.vault().read(&path, u64::MAX) else { continue };
            let text = decode(&file.bytes).text;
            if ids.iter().any(|id| text.contains(id)) {
                found.push(format!("{name}: {path}"));
            }
        }
    }
    found.sort();
    found.truncate(LISTED);
    found
}
