//! `secrets purge`: removes credentials from files, ledger and index.

use clap::Args;
use lore_engine::{Code, shown};
use lore_memory::{Purged, purge_secrets};
use lore_vault::{list_names, read_bytes};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::SecretItem;
use crate::app::error::{AppError, Result};
use crate::app::session::Session;
use crate::ops::views::{count, lines, warning_lines};
use crate::ops::{Operation, Render};

/// Remove credentials from pages, snapshots, ledger and index
///
/// Each is replaced by `[removed secret]` in the files that Lore may write and in the ledger; then the database is rewritten,
/// so that nothing of it is left in its files. What was there is not committed, but commits that have it already are not
/// changed: `lore secrets scan --history` shows the git commands for that. Revoke the credential first. Not offered over MCP
/// and HTTP.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  lore secrets purge 3f1c9a0b2d4e\n  lore secrets purge 3f1c9a0b2d4e --yes"
)]
pub struct Purge {
    /// Fingerprints that `lore secrets scan` shows, or their first digits
    #[arg(value_name = "FINGERPRINT", required = true)]
    fingerprints: Vec<String>,
    /// Skip the confirmation prompt
    #[arg(long, short)]
    #[serde(default)]
    yes: bool,
}

/// Output of `secrets purge`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PurgeView {
    /// Fingerprints of the removed credentials.
    purged: Vec<String>,
    /// Files in which they were replaced.
    files: Vec<String>,
    /// Number of snapshots, imports and gaps in which they were replaced.
    ledger: usize,
    /// Where they still are, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    left: Vec<LeftItem>,
    /// Copies of the database that still have them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    copies: Vec<String>,
    /// Whether nothing of them is left in the database.
    erased: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

/// An occurrence that was not removed.
#[derive(Debug, Serialize, JsonSchema)]
struct LeftItem {
    #[serde(flatten)]
    secret: SecretItem,
    /// Why it was not removed.
    reason: String,
}

impl Operation for Purge {
    const NAME: &'static str = "secrets purge";
    const MACHINE: bool = true;
    const WRITES: bool = true;
    type Output = PurgeView;

    fn run(self, session: &Session) -> Result<PurgeView> {
        if !session.is_local() {
            let message = "secrets are only purged on the command line";
            return Err(AppError::new(Code::Denied, message, "ask the person who owns the vault"));
        }
        if self.fingerprints.is_empty() {
            return Err(AppError::usage("no fingerprint", "list them with `lore secrets scan`"));
        }
        let context = session.fresh()?;
        let names = self.fingerprints.join(", ");
        session.confirm(self.yes, &format!("Remove {names} from files, snapshots and the index?"))?;
        let purged = purge_secrets(context, &self.fingerprints)?;
        let copies = copies(session, &purged)?;
        let left = purged
            .left
            .into_iter()
            .map(|(one, reason)| LeftItem { secret: one.into(), reason: shown(&reason) });
        Ok(PurgeView {
            left: left.collect(),
            copies,
            purged: purged.secrets,
            files: purged.files.iter().map(|path| shown(path)).collect(),
            ledger: purged.ledger,
            erased: purged.erased,
            warnings: purged.warnings,
        })
    }
}

/// Returns the files beside the database, such as backups, that contain one of the credentials.
fn copies(session: &Session, purged: &Purged) -> Result<Vec<String>> {
    let database = session.database()?;
    let (Some(folder), Some(name)) = (database.parent(), database.file_name()) else { return Ok(Vec::new()) };
    let name = name.to_string_lossy();
    let own = [name.to_string(), format!("{name}-wal"), format!("{name}-shm")];
    let mut copies = Vec::new();
    for other in list_names(folder).unwrap_or_default() {
        let path = folder.join(&other);
        let is_copy = other.starts_with(name.as_ref()) && !own.contains(&other);
        if is_copy && read_bytes(&path, u64::MAX).is_ok_and(|bytes| purged.is_in(&bytes)) {
            copies.push(path.display().to_string());
        }
    }
    Ok(copies)
}

impl Render for PurgeView {
    fn human(&self) -> String {
        let mut text = lines(self.files.iter().map(|path| format!("cleaned  {path}")));
        if self.ledger > 0 {
            text.push_str(&format!("cleaned  {} of the ledger\n", count(self.ledger as u64, "row")));
        }
        text.extend(
            self.left.iter().map(|left| format!("left     {}: {}\n", left.secret.place(), left.reason)),
        );
        text.extend(
            self.copies.iter().map(|path| format!("left     {path}: delete this copy of the database\n")),
        );
        text.push_str(&warning_lines(&self.warnings));
        if !self.erased {
            text.push_str(
                "warning: another process uses the database; stop it and run `lore db checkpoint`\n",
            );
        }
        text + "commits are not changed; see `lore secrets scan --history`\n"
    }

    fn exit(&self) -> u8 {
        if self.left.is_empty() && self.copies.is_empty() && self.erased { 0 } else { 4 }
    }
}
