//! What the vault needs on this machine: programs, timers, the clients' settings, a private remote.

use std::process::{Command, Stdio};

use lore_engine::{VaultContext, git_state, remote_privacy};
use lore_vault::git::Privacy;

use super::{DiagnosisItem, note, ok, problem};
use crate::app::error::Result;
use crate::app::session::Session;
use crate::ops::machine::service::timers;
use crate::ops::machine::setup::{ClientItem, found_clients};

/// Checks the programs that this vault and these settings use.
pub(super) fn check_tools(session: &Session, context: &VaultContext) -> Result<Vec<DiagnosisItem>> {
    let remote = git_state(context).ok().flatten().and_then(|git| git.state.url);
    let uses_ssh =
        remote.is_some_and(|url| url.starts_with("ssh://") || url.contains('@') && !url.contains("://"));
    let summarizer = session.config.get("compact.command")?;
    let summarizer = summarizer.split_whitespace().next();
    let tools = [
        (Some("git"), "it keeps the history of the vault"),
        (uses_ssh.then_some("ssh"), "the remote needs it"),
    ];
    let tools = tools.into_iter().chain([(summarizer, "the setting compact.command names it")]);
    let mut findings = Vec::new();
    let mut found = Vec::new();
    for (tool, why) in tools.filter_map(|(tool, why)| Some((tool?, why))) {
        match is_installed(tool) {
            true => found.push(tool),
            false => {
                findings.push(problem(format!("{tool} is not installed; {why}"), &format!("install {tool}")))
            }
        }
    }
    findings.push(ok(format!("programs: {}", found.join(", "))));
    Ok(findings)
}

/// Checks that the vault's timers are installed and active.
pub(super) fn check_timers(session: &Session) -> Vec<DiagnosisItem> {
    let Ok(timers) = timers(session) else { return Vec::new() };
    let item = |timer: crate::ops::machine::service::Timer| match (timer.installed, timer.active) {
        (false, _) => note(format!("timer {}: not installed", timer.unit), "run `lore service install`"),
        (true, true) => ok(format!("timer {}: active", timer.unit)),
        (true, false) => problem(
            format!("timer {}: not active", timer.unit),
            "run `lore service install`, then check its notes",
        ),
    };
    timers.into_iter().map(item).collect()
}

/// Checks which clients on this machine use Lore.
pub(super) fn check_clients(session: &Session) -> Vec<DiagnosisItem> {
    let Ok(clients) = found_clients(session) else { return Vec::new() };
    let item = |client: ClientItem| {
        let (name, word) = (client.name, client.client.word());
        match (client.server, client.hooks) {
            (true, Some(false)) => note(
                format!("client {name}: uses Lore, without its hooks"),
                &format!("run `lore setup {word} --hooks`"),
            ),
            (true, _) => ok(format!("client {name}: uses Lore")),
            (false, _) => {
                note(format!("client {name}: does not use Lore"), &format!("run `lore setup {word}`"))
            }
        }
    };
    clients.into_iter().map(item).collect()
}

/// Checks that not everybody can read the remote.
pub(super) fn check_privacy(context: &VaultContext) -> Option<DiagnosisItem> {
    match remote_privacy(context).ok()? {
        Privacy::NoRemote => None,
        Privacy::Local => Some(ok("remote: a directory of this machine".into())),
        Privacy::Restricted => Some(ok("remote: not readable without credentials".into())),
        Privacy::Public { url } => Some(problem(
            format!("anybody can read the remote: {url}"),
            "make it private, or move the vault to a private repository",
        )),
        Privacy::Unknown { why } => Some(note(
            format!("cannot tell whether the remote is private: {why}"),
            "check its settings where it is hosted",
        )),
    }
}

pub(super) fn is_installed(program: &str) -> bool {
    let mut command = Command::new(program);
    command.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // The program is installed even if it exits with an error.
    command.status().is_ok()
}
