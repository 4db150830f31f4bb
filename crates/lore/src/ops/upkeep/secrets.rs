//! `secrets scan|purge`: credentials that are already in the vault, its ledger or its history.

mod advice;
mod purge;

use clap::Args;
use lore_engine::shown;
use lore_memory::{SecretLocation, SecretOccurrence, scan_history, scan_secrets};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::error::Result;
use crate::app::session::Session;
use crate::ops::views::count;
use crate::ops::{Operation, Render};

pub use purge::Purge;

/// Find credentials in files, the ledger and the git history
///
/// Looks at every file that git would take or that Lore reads, hidden ones and data included, and at the snapshots, imports
/// and gaps in the ledger; with --history also at all commits, their messages, and objects that no branch leads to. Shows
/// where each credential is and a fingerprint to name it by, never the credential. Exits with 4 if there is one.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore secrets scan\n  lore secrets scan --history")]
pub struct Scan {
    /// Search all commits as well
    #[arg(long)]
    #[serde(default)]
    history: bool,
}

/// Output of `secrets scan`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ScanView {
    /// Whether the history was searched.
    history: bool,
    secrets: Vec<SecretItem>,
    /// What to do, in this order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    advice: Vec<String>,
}

/// A credential and where it is.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SecretItem {
    /// Names the credential; the same wherever it is.
    fingerprint: String,
    /// The kind of credential.
    kind: &'static str,
    /// Whether it is a credential beyond reasonable doubt.
    certain: bool,
    /// How it is written, unless plainly.
    #[serde(skip_serializing_if = "Option::is_none")]
    form: Option<&'static str>,
    /// `file`, `name`, `snapshot`, `import`, `gap`, `state`, `commit`, `message` or `unreachable`.
    place: &'static str,
    /// The file, the source, or the id of the gap.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    /// The version of the file in a snapshot.
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<u64>,
    /// The oldest commit that has it, or the object.
    #[serde(skip_serializing_if = "Option::is_none")]
    commit: Option<String>,
    /// Number of versions of the file in the history that have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    versions: Option<usize>,
}

impl From<SecretOccurrence> for SecretItem {
    fn from(one: SecretOccurrence) -> SecretItem {
        let mut item = SecretItem {
            fingerprint: one.secret,
            kind: one.rule,
            certain: one.certain,
            form: one.form.what(),
            place: "file",
            path: None,
            line: Some(one.line),
            version: None,
            commit: None,
            versions: None,
        };
        match one.location {
            SecretLocation::File { path } => item.path = Some(shown(&path)),
            SecretLocation::Name { path } => {
                (item.place, item.path, item.line) = ("name", Some(shown(&path)), None);
            }
            SecretLocation::Snapshot { path, version } => {
                (item.place, item.path, item.version) = ("snapshot", Some(shown(&path)), Some(version));
            }
            SecretLocation::Import { source } => {
                (item.place, item.path) = ("import", Some(shown(&source)));
            }
            SecretLocation::Gap { id } => (item.place, item.path) = ("gap", Some(id.to_string())),
            SecretLocation::GitState => item.place = "state",
            SecretLocation::Committed { path, commit, versions } => {
                (item.place, item.path) = ("commit", Some(shown(&path)));
                (item.commit, item.versions) = (Some(commit), Some(versions));
            }
            SecretLocation::Message { id } => (item.place, item.commit) = ("message", Some(id)),
            SecretLocation::Unreachable { id } => (item.place, item.commit) = ("unreachable", Some(id)),
        }
        item
    }
}

impl SecretItem {
    /// Returns the place as one phrase.
    fn place(&self) -> String {
        let path = self.path.as_deref().unwrap_or_default();
        let line = self.line.map(|line| format!(":{line}")).unwrap_or_default();
        let commit = self.commit.as_deref().map(|id| &id[..id.len().min(12)]).unwrap_or_default();
        match self.place {
            "name" => format!("{path}, in its name"),
            "snapshot" => format!("{path}{line}, snapshot of version {}", self.version.unwrap_or_default()),
            "import" => format!("{path}{line}, imported source"),
            "gap" => format!("gap {path}"),
            "state" => "what the ledger remembers of git".into(),
            "commit" => match self.versions {
                Some(1) | None => format!("{path}{line}, commit {commit}"),
                Some(versions) => format!("{path}{line}, commit {commit} and {versions} versions in all"),
            },
            "message" => format!("message of {commit}"),
            "unreachable" => format!("object {commit}, not in any branch"),
            _ => format!("{path}{line}"),
        }
    }

    /// Returns the item as one line.
    fn line(&self) -> String {
        let form = self.form.map(|form| format!(", {form}")).unwrap_or_default();
        let doubt = if self.certain { "" } else { "possible " };
        format!("{}  {doubt}{}{form}  {}", self.fingerprint, self.kind, self.place())
    }
}

impl Operation for Scan {
    const NAME: &'static str = "secrets scan";
    type Output = ScanView;

    fn run(self, session: &Session) -> Result<ScanView> {
        let context = session.fresh()?;
        let mut found = scan_secrets(context)?;
        if self.history {
            found.extend(scan_history(context)?);
        }
        let secrets: Vec<SecretItem> = found.into_iter().map(SecretItem::from).collect();
        let advice = advice::advice(&secrets, self.history);
        Ok(ScanView { history: self.history, secrets, advice })
    }
}

impl Render for ScanView {
    fn human(&self) -> String {
        let mut text: String = self.secrets.iter().map(|item| item.line() + "\n").collect();
        text.extend(self.advice.iter().map(|step| format!("{step}\n")));
        let mut names: Vec<&str> = self.secrets.iter().map(|item| item.fingerprint.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        let places = count(self.secrets.len() as u64, "place");
        text + &format!("{} in {places}\n", count(names.len() as u64, "secret"))
    }

    fn brief(&self) -> String {
        self.secrets.iter().map(|item| format!("{} {}\n", item.fingerprint, item.place())).collect()
    }

    fn exit(&self) -> u8 {
        if self.secrets.iter().any(|item| item.certain) { 4 } else { 0 }
    }
}
