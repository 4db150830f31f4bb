//! What to do about an error or a note, worded for the command line.
//!
//! Clauses are separated by `; ` and alternatives by `, or `, so that the other faces can translate the commands and flags
//! into their own calls and omit what they do not offer (`server/wording.rs`).

#[cfg(test)]
pub(crate) mod samples;

use std::io;

use lore_engine::{Error, Finding, LISTED_FINDINGS, Lint, Note};
use lore_page::edit::EditError;
use lore_ports::EmbedError;

use crate::app::shell::quote;

/// Returns what to do next.
pub fn hint(error: &Error) -> String {
    match error {
        Error::Port(error) => port_hint(error),
        Error::Unrecovered { .. } => {
            "make the file readable and retry; the write is kept until then, and nothing was changed".into()
        }
        Error::Vault(error) => vault_hint(error),
        Error::NotFound { suggestions, .. } if suggestions.is_empty() => {
            "find it with `lore search`, or list pages with `lore list`".into()
        }
        Error::NotFound { .. } => "use one of these, or find the page with `lore search`".into(),
        Error::NoLink { .. } => "list a page's links and their ids with `lore links REF`".into(),
        Error::Overlap { link: Some(id), .. } => format!(
            "use dates that do not overlap, or end that link first with `lore link-close {id} --valid-until DAY`; \
             nothing was changed"
        ),
        Error::Overlap { link: None, .. } => {
            "use dates that do not overlap, or correct that line with `lore edit`; nothing was changed".into()
        }
        Error::SupersessionCycle { pages } if pages.len() < 2 => {
            "name the page that it supersedes; nothing was changed".into()
        }
        Error::SupersessionCycle { .. } => {
            "end or remove the `supersedes` relation that points the other way first; nothing was changed"
                .into()
        }
        Error::NoInterval { .. } => {
            "create a relation with `lore link FROM TO --relationship R` and end that one".into()
        }
        Error::NoCluster { .. } => "list the clusters with `lore compact --plan --no-text`".into(),
        Error::Compacted { into: Some(_), .. } => {
            "use its summary, or restore the page with `lore edit REF --unset compacted_into`".into()
        }
        Error::Compacted { into: None, .. } => {
            "restore the page with `lore edit REF --unset status`; no summary replaces it".into()
        }
        Error::NoGap { .. } => "list gaps and their ids with `lore gaps --resolved`".into(),
        Error::Ambiguous { .. } => "use the full slug".into(),
        Error::BadInput { hint, .. } => hint.clone(),
        Error::Conflict { expected: 0, .. } => "change it with `lore edit`, or choose another slug".into(),
        Error::Conflict { current: 0, .. } => "pass version 0 to create the page".into(),
        Error::Conflict { .. } => "read the page again, merge, and write with its current version".into(),
        Error::EditedMeanwhile { .. } => "retry; the edits are in the files".into(),
        Error::Exists { .. } => "choose another name, or change the page with `lore edit`".into(),
        Error::SlugTaken { .. } => {
            "change that page with `lore edit`, or choose another name; nothing was changed".into()
        }
        Error::Denied { path, .. } => {
            format!(
                "see what is allowed there with `lore doctor --path {path}`, or choose another path; \
                 nothing was changed"
            )
        }
        Error::SectionNeeded { path, .. } => {
            format!("pass one, as in `lore edit {path} --section HEADING --append TEXT`; nothing was changed")
        }
        Error::AppendOnly { path, .. } => {
            format!("add to it with `lore edit {path} --section HEADING --append TEXT`; nothing was changed")
        }
        Error::Untrusted { path, .. } => {
            let path = quote(&path.display().to_string());
            format!(
                "if you trust its author, run `lore trust {path}`, or to search and read it only, run \
                 `lore trust --read-only {path}`; nothing was changed"
            )
        }
        Error::Lint { findings } => lint_hint(findings).into(),
        Error::Diverged { upstream, .. } => {
            format!(
                "in the vault's directory, run `git -c rebase.autoStash=true rebase {upstream}`, then \
                 `lore git commit`, and retry"
            )
        }
        Error::Dirty { .. } => "commit them with `lore git commit`, or revert them, and retry".into(),
        Error::Git { .. } | Error::NoRemote { .. } => "see `lore git status`".into(),
        Error::NoRepository => {
            "see `lore git status`; create a repository with `git init` in the vault".into()
        }
        Error::PlanChanged { .. } => {
            "read the new plan with `lore compact --plan` and summarize again; the cluster was not changed"
                .into()
        }
        Error::NotUtf8 { .. } => "convert the file to UTF-8 first, or replace it with `lore put`".into(),
        Error::Edit { slug, source } => edit_hint(slug, source),
        Error::Policy { .. } | Error::Config { .. } => "fix the file; nothing was changed".into(),
        Error::PolicyMissing { .. } => missing_hint("the file, or mount its file system", "it"),
        Error::VaultEmpty { .. } => missing_hint("the pages, or mount their file system", "them"),
        Error::UnknownProject { known, .. } | Error::NoProject { known } if known.is_empty() => {
            "create a vault with `lore init PATH`".into()
        }
        Error::UnknownProject { known, .. } | Error::NoProject { known } => {
            format!("select one with --project: {}", known.join(", "))
        }
    }
}

/// Returns what to do about findings that prevent a write.
fn lint_hint(findings: &[Finding]) -> &'static str {
    if findings.iter().any(|found| found.lint == Lint::Secret) {
        "store the secret elsewhere and write its location instead; nothing was changed"
    } else if findings.len() > LISTED_FINDINGS {
        "list all findings with `lore lint`, fix them and retry; nothing was changed"
    } else if findings.iter().any(|found| finding_hint(found.lint).is_some()) {
        "fix it, regenerate the file with `lore generate` and retry; nothing was changed"
    } else {
        "fix it and retry; nothing was changed"
    }
}

/// Returns what to do about an edit that cannot be made: the page is not what the caller believed, or the input is wrong.
fn edit_hint(slug: &str, error: &EditError) -> String {
    match error {
        EditError::LostNode { id, .. } => {
            format!("add the heading to the text, or pass `--drop {id}` to remove it; nothing was changed")
        }
        EditError::LoneNode { heading, .. } => {
            let heading = quote(heading);
            format!("use `lore edit {slug} --section {heading} --with TEXT`; nothing was changed")
        }
        EditError::Count { .. }
        | EditError::NoSection { .. }
        | EditError::AmbiguousSection { .. }
        | EditError::NoLine { .. }
        | EditError::NoRelation { .. }
        | EditError::NoFact { .. }
        | EditError::NestedContent { .. } => {
            "read the page with `lore show` and retry the edit; nothing was changed".into()
        }
        _ => "fix it and retry; nothing was changed".into(),
    }
}

/// Returns what to do about files that are gone.
fn missing_hint(restore: &str, them: &str) -> String {
    format!(
        "restore {restore}, or read the index with --no-sync, or, if you deleted {them} on purpose, run \
         `lore sync --accept-missing`; nothing was changed"
    )
}

/// Returns what to do about a lint finding.
pub fn finding_hint(lint: Lint) -> Option<&'static str> {
    match lint {
        Lint::GeneratedStale | Lint::GeneratedEdited => Some("run `lore generate`"),
        _ => None,
    }
}

/// Returns what to do about a note.
pub fn note_hint(note: &Note) -> Option<String> {
    match note {
        Note::NotEmbedded { .. } => Some("run `lore embed`".into()),
        Note::Model { error: EmbedError::Outdated { model, .. }, .. } => {
            Some(format!("run `lore model use {model}`"))
        }
        Note::Model { error: EmbedError::Missing { model, known: true }, .. } => {
            Some(format!("download it with `lore model pull {model}`"))
        }
        Note::Model { error: EmbedError::Missing { .. }, .. } => Some("see `lore model list`".into()),
        Note::Model { .. } | Note::Remark(_) => None,
    }
}

fn port_hint(error: &lore_ports::Error) -> String {
    use lore_ports::Error;
    match error {
        Error::DatabaseFile { source, .. } => io_hint(source).into(),
        Error::RolledBack => "run `lore doctor`".into(),
        Error::Embed(EmbedError::Missing { model, known: true }) => {
            format!("download it with `lore model pull {model}`; full-text search still works")
        }
        Error::Embed(EmbedError::Outdated { model, .. }) => {
            format!("embed again with `lore model use {model}`; full-text search still works")
        }
        Error::Embed(EmbedError::Missing { .. } | EmbedError::Model { .. }) => {
            "list models with `lore model list` and switch with `lore model use`; full-text search still works"
                .into()
        }
        Error::Embed(EmbedError::Unavailable { .. }) => {
            "run `lore embed` when it is available again; pending chunks stay queued".into()
        }
        Error::Embed(EmbedError::Wrong { .. }) => {
            "check the model name and the endpoint with `lore model list`".into()
        }
        Error::TextModel(_) => {
            "see its prompt with `lore compact --plan`, or fix its settings, listed by `lore config list`, or use \
             `--summarizer extractive`; the cluster was not changed"
                .into()
        }
        Error::Cancelled => "retry: it resumes from the work already done".into(),
        Error::DatabaseReplaced { .. } => {
            "retry: the database is opened again and rebuilt from your files; nothing was changed".into()
        }
        Error::IndexNewer { .. } => "update Lore, or use another database with --db".into(),
        Error::ForeignFile { .. } => {
            "use another database with --db or LORE_DB, or move the file away; it was not changed".into()
        }
        Error::IndexReadOnly { .. } => {
            "make the database's directory writable, or use another database with --db; reading still works"
                .into()
        }
        Error::IndexBroken { .. } => {
            "try again: the index is rebuilt from your files".into()
        }
        Error::Index { transient: true, .. } => {
            "retry in a moment, and check that the disk has space".into()
        }
        Error::Index { .. } => {
            "check the database's directory and the disk, or use another database with --db".into()
        }
    }
}

fn vault_hint(error: &lore_vault::Error) -> String {
    use lore_vault::Error;
    match error {
        Error::Git(_) => "see `lore git status`".into(),
        Error::BadPath { .. } => "use a path inside the vault, such as people/ada-lovelace".into(),
        Error::Source { .. } => "check the file, or export it again; nothing was changed".into(),
        Error::Exists { .. } => "pass the name of a new file; nothing was written".into(),
        Error::NotEmpty { .. } => "pass the name of a new directory; nothing was written".into(),
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
        Error::VaultReplaced { .. } => {
            "check that its file system is mounted and start again; the index was not changed".into()
        }
        Error::Watch { .. } => {
            "raise the system's limit on file watches, or run `lore sync` without --watch".into()
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
