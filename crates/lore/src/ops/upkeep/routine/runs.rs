//! When this machine last ran each routine, whatever became of its dossier since.

use std::collections::BTreeMap;
use std::path::PathBuf;

use jiff::Timestamp;
use lore_text::ContentHash;
use lore_vault::{read_text, write_private};

use crate::app::error::Result;
use crate::app::session::Session;

/// Returns the times of the last runs by routine. A damaged file counts as empty.
pub fn read(session: &Session) -> Result<BTreeMap<String, Timestamp>> {
    let text = read_text(&file(session)?)?.unwrap_or_default();
    let runs: BTreeMap<String, String> = serde_json::from_str(&text).unwrap_or_default();
    Ok(runs.into_iter().filter_map(|(name, time)| Some((name, time.parse().ok()?))).collect())
}

/// Records that a routine runs now.
pub fn record(session: &Session, name: &str, now: Timestamp) -> Result<()> {
    let mut runs = read(session)?;
    runs.insert(name.to_owned(), now);
    let runs: BTreeMap<String, String> =
        runs.into_iter().map(|(name, time)| (name, time.to_string())).collect();
    let text = serde_json::to_string_pretty(&runs).unwrap_or_default();
    Ok(write_private(&file(session)?, text.as_bytes())?)
}

/// Returns the file of this vault.
fn file(session: &Session) -> Result<PathBuf> {
    let root = session.context()?.vault().root().as_os_str().as_encoded_bytes().to_vec();
    let mut name = ContentHash::of(&root).to_string();
    name.truncate(16);
    Ok(session.environment.state.join("routines").join(format!("{name}.json")))
}
