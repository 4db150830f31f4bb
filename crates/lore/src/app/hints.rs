//! What to do about an error, worded for the command line; the other faces translate the commands into their own calls.

use std::io;

use lore_engine::{Error, Lint};
use lore_ports::EmbedError;

/// Returns what to do next.
pub fn hint(error: &Error) -> String {
    match error {
        Error::Port(error) => port_hint(error),
        Error::Vault(error) => vault_hint(error),
        Error::NotFound { suggestions, .. } if suggestions.is_empty() => {
            "find it with `lore search`, or list pages with `lore list`".into()
        }
        Error::NotFound { .. } => "use one of these, or find the page with `lore search`".into(),
        Error::NoLink { .. } => "list a page's links and their ids with `lore links REF`".into(),
        Error::Overlap { way_out, .. } => format!("{way_out}; nothing was changed"),
        Error::NoGap { .. } => "list gaps and their ids with `lore gaps --resolved`".into(),
        Error::Ambiguous { .. } => "use the full slug".into(),
        Error::BadInput { hint, .. } => hint.clone(),
        Error::Conflict { expected: 0, .. } => "change it with `lore edit`, or choose another slug".into(),
        Error::Conflict { current: 0, .. } => "omit the version to create the page".into(),
        Error::Conflict { .. } => "read the page again, merge, and write with its current version".into(),
        Error::Exists { .. } => "choose another name, or change the page with `lore edit`".into(),
        Error::Denied { path, .. } => {
            format!("see what is allowed there with `lore doctor --path {path}`; nothing was changed")
        }
        Error::Lint { findings } if findings.iter().any(|found| found.lint == Lint::Secret) => {
            "store the secret elsewhere and write its location instead; nothing was changed".into()
        }
        Error::Lint { .. } => "fix it and retry; nothing was changed".into(),
        Error::Diverged { .. } => "merge them with git (`git pull --rebase`) and retry".into(),
        Error::Dirty { .. } => "commit them with `lore git commit`, or revert them, and retry".into(),
        Error::Git { .. } => "see `lore git status`".into(),
        Error::PlanChanged { .. } => {
            "read the new plan with `lore compact --plan` and summarize again; the cluster was not changed"
                .into()
        }
        Error::NotUtf8 { .. } => "convert the file to UTF-8 first, or replace it with `lore put`".into(),
        Error::Edit { .. } => "read the page with `lore show` and retry the edit; nothing was changed".into(),
        Error::Config { .. } => "fix the file; nothing was changed".into(),
        Error::UnknownProject { known, .. } | Error::NoProject { known } if known.is_empty() => {
            "create a vault with `lore init PATH`".into()
        }
        Error::UnknownProject { known, .. } | Error::NoProject { known } => {
            format!("select one with --project: {}", known.join(", "))
        }
    }
}

fn port_hint(error: &lore_ports::Error) -> String {
    use lore_ports::Error;
    match error {
        Error::DatabaseFile { source, .. } => io_hint(source).into(),
        Error::RolledBack => "run `lore doctor`".into(),
        Error::Embed(EmbedError::Model { .. }) => {
            "list models with `lore model list` and switch with `lore model use`; full-text search still works".into()
        }
        Error::Embed(EmbedError::Unavailable { .. }) => {
            "pending chunks stay queued: run `lore embed` when it is available again".into()
        }
        Error::Embed(EmbedError::Wrong { .. }) => {
            "check the model name and the endpoint with `lore model list`".into()
        }
        Error::TextModel(_) => {
            "see its prompt with `lore compact --plan`, fix its settings (`lore config list`), or use \
             `--summarizer extractive`; the cluster was not changed"
                .into()
        }
        Error::Cancelled => "retry: it resumes from the work already done".into(),
        Error::IndexNewer { .. } => "update Lore, or use another database with --db".into(),
        Error::IndexBroken { .. } => {
            "run the command again: the index is rebuilt from your files".into()
        }
        Error::Index { transient: true, .. } => {
            "retry in a moment, and check that the disk has space".into()
        }
        Error::Index { .. } => "run `lore doctor`".into(),
    }
}

fn vault_hint(error: &lore_vault::Error) -> String {
    use lore_vault::Error;
    match error {
        Error::Git(_) => "see `lore git status`".into(),
        Error::BadPath { .. } => "use a path inside the vault, such as people/ada-lovelace".into(),
        Error::TooLarge { .. } => {
            "split the file, or raise limits.page_bytes in the vault's lore.toml".into()
        }
        Error::Locked { .. } => {
            "retry when it has finished; the lock is released when its process exits".into()
        }
        Error::Read { source, .. } | Error::Write { source, .. } => io_hint(source).into(),
        Error::VaultMissing { .. } => {
            "restore the directory, or unregister the vault with `lore project remove NAME`".into()
        }
        Error::Watch { .. } => {
            "run `lore sync` without --watch, or raise the system's limit on file watches".into()
        }
    }
}

fn io_hint(source: &io::Error) -> &'static str {
    match source.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "check the file's owner and permissions; nothing was changed"
        }
        io::ErrorKind::StorageFull => "free some disk space and retry; nothing was changed",
        io::ErrorKind::NotFound => "check the path",
        _ => "check the disk and the path, and retry",
    }
}
