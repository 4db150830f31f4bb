//! When this machine last ran each routine and how that ended, whatever became of its dossier since.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use lore_text::ContentHash;
use lore_vault::{read_text, write_private};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::environment::Environment;
use crate::app::error::Result;
use crate::app::session::Session;

/// The runs of a vault's routines on this machine.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Runs {
    /// When the vault was created here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    created: Option<String>,
    routines: BTreeMap<String, Record>,
}

/// The last runs of a routine.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Record {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    last_run: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    failure: Option<Failure>,
}

/// A run whose command failed, with none that succeeded since.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Failure {
    /// When it ran.
    pub at: String,
    /// What went wrong.
    pub reason: String,
}

impl Runs {
    /// Reads the runs. A damaged file counts as empty.
    pub fn read(session: &Session) -> Result<Runs> {
        let text = read_text(&file(&session.environment, session.context()?.vault().root()))?;
        let text = text.unwrap_or_default();
        // Earlier versions wrote the times alone.
        let times = |_| serde_json::from_str::<BTreeMap<String, String>>(&text).map(Runs::from_times);
        Ok(serde_json::from_str(&text).or_else(times).unwrap_or_default())
    }

    fn from_times(times: BTreeMap<String, String>) -> Runs {
        let record = |(name, time)| (name, Record { last_run: Some(time), failure: None });
        Runs { created: None, routines: times.into_iter().map(record).collect() }
    }

    /// Returns when a routine last ran.
    pub fn last_run(&self, name: &str) -> Option<Timestamp> {
        self.routines.get(name)?.last_run.as_ref()?.parse().ok()
    }

    /// Returns the time since which a routine counts as due: its last run, or the creation of the vault.
    pub fn since(&self, name: &str) -> Option<Timestamp> {
        let created = self.created.as_ref().and_then(|time| time.parse().ok());
        self.last_run(name).max(created)
    }

    /// Returns the failure of the last run of a routine.
    pub fn failure(&self, name: &str) -> Option<&Failure> {
        self.routines.get(name)?.failure.as_ref()
    }
}

/// Records that a vault was created now. Runs of an earlier vault at the same place are forgotten.
pub fn begin(environment: &Environment, root: &Path, now: Timestamp) -> Result<()> {
    let runs = Runs { created: Some(now.to_string()), routines: BTreeMap::new() };
    write(environment, root, &runs)
}

/// Records that a routine starts now, so that no other process starts it too. Returns when it ran before.
pub fn start(session: &Session, name: &str, now: Timestamp) -> Result<Option<Timestamp>> {
    let before = Runs::read(session)?.last_run(name);
    change(session, name, |record| record.last_run = Some(now.to_string()))?;
    Ok(before)
}

/// Records how a run ended: one that failed does not count, so the routine stays due.
pub fn finish(
    session: &Session,
    name: &str,
    before: Option<Timestamp>,
    failure: Option<Failure>,
) -> Result<()> {
    change(session, name, |record| {
        if failure.is_some() {
            record.last_run = before.map(|time| time.to_string());
        }
        record.failure = failure;
    })
}

fn change(session: &Session, name: &str, edit: impl FnOnce(&mut Record)) -> Result<()> {
    let mut runs = Runs::read(session)?;
    edit(runs.routines.entry(name.to_owned()).or_default());
    write(&session.environment, session.context()?.vault().root(), &runs)
}

fn write(environment: &Environment, root: &Path, runs: &Runs) -> Result<()> {
    let text = serde_json::to_string_pretty(runs).unwrap_or_default();
    Ok(write_private(&file(environment, root), text.as_bytes())?)
}

/// Returns the file of a vault.
fn file(environment: &Environment, root: &Path) -> PathBuf {
    let mut name = ContentHash::of(root.as_os_str().as_encoded_bytes()).to_string();
    name.truncate(16);
    environment.state.join("routines").join(format!("{name}.json"))
}
