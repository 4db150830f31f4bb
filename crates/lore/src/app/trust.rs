//! Which vaults this person trusts: a private file of this machine, never in a vault and never in a shared database.
//!
//! A vault is trusted if it was made here or if the person said so. The decision belongs to one directory, its owner, and
//! what in it could do harm when it was made: settings and hooks of git, and a few keys of `lore.toml`. If any of these
//! is new or different, the person is asked again; what has gone needs no question.

mod policy_risks;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use lore_engine::{Access, Error, Policy};
use lore_vault::git::{Risk, risks};
use lore_vault::{
    FolderLock, identity_of, is_private, make_folder, own_user, read_text, real_folder, write_private,
};
use serde::{Deserialize, Serialize};

use crate::app::environment::Environment;
use crate::app::error::{AppError, Result};
use crate::app::shell::quote;

use policy_risks::policy_risks;

/// Name of the file in the state directory.
const FILE: &str = "trust.json";

/// How far a vault is trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TrustLevel {
    /// Everything its policy allows.
    Full,
    /// Searched and shown to the person; not to agents, and nothing of it is run.
    ReadOnly,
}

impl TrustLevel {
    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            TrustLevel::Full => "full",
            TrustLevel::ReadOnly => "read-only",
        }
    }
}

/// A trusted vault.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrustedVault {
    /// Its directory, with symlinks resolved.
    pub path: PathBuf,
    /// How far it is trusted.
    pub level: TrustLevel,
    /// Its owner.
    #[serde(default)]
    owner: Option<u32>,
    /// The directory's number on its file system.
    #[serde(default)]
    inode: Option<u64>,
    /// The `id` in its `lore.toml`.
    #[serde(default)]
    id: Option<String>,
    /// What could do harm when it was trusted, each with a hash.
    #[serde(default)]
    risks: BTreeMap<String, String>,
}

/// The person's decisions.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Trust {
    /// Trusted vaults.
    #[serde(default)]
    pub vaults: Vec<TrustedVault>,
    /// Directories below which every vault is trusted.
    #[serde(default)]
    pub below: Vec<PathBuf>,
}

/// What the decisions say about a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Judgement {
    /// It is trusted.
    Trusted(Access),
    /// It is not, and why.
    Untrusted(String),
}

impl Trust {
    /// Reads the decisions.
    pub fn load(environment: &Environment) -> Result<Trust> {
        let file = environment.state.join(FILE);
        let Some(text) = read_text(&file)? else { return Ok(Trust::default()) };
        if !is_private(&file) {
            let shown = file.display();
            return Err(AppError::usage(
                format!("other users can read {shown}"),
                format!("check it, then make it private with `chmod 600 {}`", quote(&shown.to_string())),
            ));
        }
        let failed = |error: serde_json::Error| Error::Config {
            line: Some(error.line()),
            message: error.to_string(),
            path: file.clone(),
        };
        Ok(serde_json::from_str(&text).map_err(failed)?)
    }

    /// Changes the decisions, under a lock that only one process can hold.
    pub fn change(environment: &Environment, work: impl FnOnce(&mut Trust)) -> Result<()> {
        make_folder(&environment.state)?;
        let _lock = FolderLock::acquire(&environment.state, &environment.state, &environment.actor)?;
        let mut trust = Trust::load(environment)?;
        work(&mut trust);
        let text = serde_json::to_vec_pretty(&trust).unwrap_or_default();
        Ok(write_private(&environment.state.join(FILE), &text)?)
    }

    /// Returns what is decided about a directory.
    pub fn judge(&self, root: &Path) -> Judgement {
        let root = real_folder(root).unwrap_or_else(|| root.to_owned());
        if self.covers(&root) {
            return Judgement::Trusted(Access::Full);
        }
        let Some(known) = self.vaults.iter().find(|known| known.path == root) else {
            return Judgement::Untrusted(stranger(&dangers(&root)));
        };
        match (known.difference(&root), known.level) {
            (Some(why), _) => Judgement::Untrusted(why),
            (None, TrustLevel::Full) => Judgement::Trusted(Access::Full),
            (None, TrustLevel::ReadOnly) => Judgement::Trusted(Access::ReadOnly),
        }
    }

    /// Returns whether a directory is below one whose vaults are all trusted.
    pub fn covers(&self, root: &Path) -> bool {
        self.below.iter().any(|folder| root.starts_with(folder))
    }

    /// Records a decision about a directory.
    pub fn add(&mut self, root: &Path, level: TrustLevel) {
        self.vaults.retain(|known| known.path != root);
        self.vaults.push(TrustedVault::new(root, level));
    }

    /// Removes every decision about a directory; returns whether there was one.
    pub fn remove(&mut self, root: &Path) -> bool {
        let before = self.vaults.len() + self.below.len();
        self.vaults.retain(|known| known.path != root);
        self.below.retain(|known| known != root);
        self.vaults.len() + self.below.len() != before
    }
}

impl TrustedVault {
    fn new(root: &Path, level: TrustLevel) -> TrustedVault {
        let identity = identity_of(root);
        TrustedVault {
            path: root.to_owned(),
            level,
            owner: identity.map(|identity| identity.owner),
            inode: identity.map(|identity| identity.inode),
            id: id_of(root),
            risks: dangers(root).into_iter().map(|risk| (risk.what, risk.mark)).collect(),
        }
    }

    /// Returns how the directory differs from the one that was trusted, if that matters.
    fn difference(&self, root: &Path) -> Option<String> {
        let identity = identity_of(root);
        if identity.map(|identity| identity.owner) != self.owner {
            return Some("its owner has changed since it was trusted".into());
        }
        // Some file systems number their directories anew, so the vault's own id counts too.
        let is_same_folder = identity.map(|identity| identity.inode) == self.inode;
        if !is_same_folder && (self.id.is_none() || id_of(root) != self.id) {
            return Some("another directory has taken its place since it was trusted".into());
        }
        let found = dangers(root);
        let changed: Vec<&Risk> =
            found.iter().filter(|risk| self.risks.get(&risk.what) != Some(&risk.mark)).collect();
        (!changed.is_empty()).then(|| format!("this has changed since it was trusted: {}", list(&changed)))
    }
}

/// Returns what in a directory could do harm, by git or by its policy.
pub fn dangers(root: &Path) -> Vec<Risk> {
    let mut found = risks(root);
    if let Some(owner) = identity_of(root).map(|identity| identity.owner)
        && Some(owner) != own_user()
    {
        found.push(Risk::new("the directory of another user", &owner.to_string()));
    }
    if let Ok(policy) = Policy::load(root) {
        found.extend(policy_risks(&policy));
    }
    found
}

/// Lists risks in one line.
pub fn list<'a>(risks: impl IntoIterator<Item = &'a &'a Risk>) -> String {
    let shown = risks.into_iter().map(|risk| match risk.shown.as_str() {
        "" => risk.what.clone(),
        shown => format!("{} ({shown})", risk.what),
    });
    shown.collect::<Vec<_>>().join(", ")
}

fn stranger(risks: &[Risk]) -> String {
    match risks {
        [] => "it was not made here".into(),
        some => format!("it was not made here, and it brings {}", list(&some.iter().collect::<Vec<_>>())),
    }
}

fn id_of(root: &Path) -> Option<String> {
    Policy::load(root).ok()?.id.filter(|id| !id.is_empty())
}
