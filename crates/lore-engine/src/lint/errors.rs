//! The number of lint errors of a vault, known until something changes that lint looks at: in some vaults every query asks
//! for it.

use lore_ports::StateChange;
use lore_text::ContentHasher;
use lore_vault::stat_files;

use super::lint;
use crate::context::VaultContext;
use crate::error::Result;
use crate::policy::Level;

/// Returns the number of errors that [`lint`] finds in the whole vault.
pub fn error_count(context: &VaultContext) -> Result<u64> {
    let (store, project) = (context.store(), context.project());
    let mark = mark(context);
    if let Some((_, errors)) = store.state(project)?.lint_errors.filter(|(known, _)| *known == mark) {
        return Ok(errors);
    }
    let errors = lint(context, None)?.iter().filter(|found| found.level == Level::Error).count() as u64;
    // Without it, the next caller lints again.
    let _ = store.set_state(project, &StateChange::LintErrors(&mark, errors));
    Ok(errors)
}

/// Returns a hash of what lint looks at beside the index: every file (captures are no pages, links may lead to any file,
/// and one of them is the policy), the day, and the program. What is stored is gone as soon as the index changes.
fn mark(context: &VaultContext) -> String {
    let mut files = stat_files(context.vault());
    files.sort_by(|a, b| a.path.cmp(&b.path));
    let mut hasher = ContentHasher::default();
    let day = context.day();
    hasher.update(format!("{} {day} {:?}\n", env!("CARGO_PKG_VERSION"), context.replica()).as_bytes());
    for file in files {
        hasher.update(format!("{} {} {}\n", file.size, file.mtime, file.path).as_bytes());
    }
    hasher.finish().to_string()
}
