//! The `trust` command. It exists on the command line only: an agent must not decide this for its person.

use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, Command};
use lore_engine::{Access, Chosen};
use lore_vault::real_folder;
use schemars::JsonSchema;
use serde::Serialize;

use super::output::Output;
use super::{Globals, open_session};
use crate::app::error::{AppError, Result};
use crate::app::session::Session;
use crate::app::trust::{Judgement, Trust, TrustLevel, dangers, list};
use crate::ops::Render;

/// Returns the clap command.
pub(super) fn command() -> Command {
    let switch = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).action(ArgAction::SetTrue).help(help)
    };
    Command::new("trust")
        .about("Trust a vault that was not made here, or stop trusting it")
        .long_about(
            "Trust a vault that was not made here, or stop trusting it\n\nA vault that you have not trusted runs nothing, \
             changes nothing and reaches no agent. Trust belongs to the directory and to what in it could do harm: if a \
             setting or hook of git or a critical key of its lore.toml changes, you are asked again.",
        )
        .arg(Arg::new("path").value_name("PATH").help("Directory of the vault [default: the current vault]"))
        .arg(switch("read-only", "Only search and read it; agents do not see it"))
        .arg(switch("below", "Trust every vault in this directory, now and later").conflicts_with("read-only"))
        .arg(switch("revoke", "Stop trusting it").conflicts_with_all(["read-only", "below"]))
        .arg(
            switch("list", "List what is trusted").conflicts_with_all(["read-only", "below", "revoke", "path"]),
        )
        .after_help(
            "Examples:\n  lore trust ~/team-notes\n  lore trust --read-only ~/downloads/notes\n  \
             lore trust --below ~/vaults\n  lore trust --revoke ~/team-notes\n  lore trust --list",
        )
}

/// Output of `trust`.
#[derive(Debug, Serialize, JsonSchema)]
struct TrustReport {
    /// What is trusted now, or what was changed.
    trusted: Vec<TrustItem>,
    /// Directories that are no longer trusted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    revoked: Vec<String>,
}

/// A decision.
#[derive(Debug, Serialize, JsonSchema)]
struct TrustItem {
    path: String,
    level: TrustLevel,
    /// Whether it covers every vault in the directory.
    below: bool,
    /// What in it could do harm.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    risks: Vec<String>,
    /// Why the decision does not hold any more.
    #[serde(skip_serializing_if = "Option::is_none")]
    changed: Option<String>,
}

/// Runs the command.
pub(super) fn run(matches: &ArgMatches, globals: &Globals) -> Result<u8> {
    let session = open_session("trust", globals)?;
    let output = Output::choose(globals, &session)?;
    let report = if matches.get_flag("list") {
        all(&Trust::load(&session.environment)?)
    } else if matches.get_flag("revoke") {
        revoke(&session, matches)?
    } else {
        add(&session, matches)?
    };
    output.answer(&report)
}

fn all(trust: &Trust) -> TrustReport {
    let vaults = trust.vaults.iter().map(|known| {
        let changed = match trust.judge(&known.path) {
            Judgement::Untrusted(why) => Some(why),
            Judgement::Trusted(_) => None,
        };
        TrustItem {
            path: known.path.display().to_string(),
            level: known.level,
            below: false,
            risks: Vec::new(),
            changed,
        }
    });
    let below = trust.below.iter().map(|folder| TrustItem::below(folder.display().to_string()));
    TrustReport { trusted: vaults.chain(below).collect(), revoked: Vec::new() }
}

fn add(session: &Session, matches: &ArgMatches) -> Result<TrustReport> {
    let asked = folder(session, matches);
    let root = real_folder(&asked).ok_or_else(|| {
        AppError::usage(format!("{} is not a directory", asked.display()), "pass the directory of a vault")
    })?;
    if matches.get_flag("below") {
        Trust::change(&session.environment, |trust| {
            trust.below.retain(|known| *known != root);
            trust.below.push(root.clone());
        })?;
        let item = TrustItem::below(root.display().to_string());
        return Ok(TrustReport { trusted: vec![item], revoked: Vec::new() });
    }
    let level = if matches.get_flag("read-only") { TrustLevel::ReadOnly } else { TrustLevel::Full };
    let found = dangers(&root);
    let risks: Vec<String> = found.iter().map(|risk| list(&[risk])).collect();
    if level == TrustLevel::Full && !risks.is_empty() && session.environment.interactive {
        session.confirm(false, &format!("{} brings {}. Trust it?", root.display(), risks.join(", ")))?;
    }
    session.trust(&root, level)?;
    let path = root.display().to_string();
    let item = TrustItem { path, level, below: false, risks, changed: None };
    Ok(TrustReport { trusted: vec![item], revoked: Vec::new() })
}

fn revoke(session: &Session, matches: &ArgMatches) -> Result<TrustReport> {
    let asked = folder(session, matches);
    let root = real_folder(&asked).unwrap_or(asked);
    let mut was_known = false;
    Trust::change(&session.environment, |trust| was_known = trust.remove(&root))?;
    if let Judgement::Trusted(Access::Full) = Trust::load(&session.environment)?.judge(&root) {
        let message =
            format!("{} is still trusted: it is in a directory whose vaults are all trusted", root.display());
        return Err(AppError::usage(message, "see `lore trust --list`, and revoke that directory"));
    }
    if !was_known {
        let message = format!("{} was not trusted", root.display());
        return Err(AppError::usage(message, "see `lore trust --list`"));
    }
    Ok(TrustReport { trusted: Vec::new(), revoked: vec![root.display().to_string()] })
}

/// Returns the directory that was given, else that of the vault around the working directory.
fn folder(session: &Session, matches: &ArgMatches) -> PathBuf {
    if let Some(path) = matches.get_one::<String>("path") {
        return session.path(path.as_ref());
    }
    let here = session.environment.here.as_deref();
    match session.config.projects().choose(session.asked_project(), here) {
        Ok(Chosen::Known(_, root) | Chosen::Found(root)) => root,
        // Nobody chose the first of several vaults.
        Ok(Chosen::First(..)) | Err(_) => session.path(".".as_ref()),
    }
}

impl TrustItem {
    fn below(path: String) -> TrustItem {
        TrustItem { path, level: TrustLevel::Full, below: true, risks: Vec::new(), changed: None }
    }
}

impl Render for TrustReport {
    fn human(&self) -> String {
        let mut text = String::new();
        for item in &self.trusted {
            let below = if item.below { ", with every vault below it" } else { "" };
            text.push_str(&format!("{}  {}{below}\n", item.path, item.level.name()));
            text.extend(item.risks.iter().map(|risk| format!("  brings {risk}\n")));
            text.extend(item.changed.iter().map(|why| format!("  no longer in force: {why}\n")));
        }
        text.extend(self.revoked.iter().map(|path| format!("{path}  no longer trusted\n")));
        if text.is_empty() {
            text.push_str("nothing is trusted yet\n");
        }
        text
    }
}
