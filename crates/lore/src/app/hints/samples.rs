//! One sample of every hint, for tests of the faces.

use std::io;

use lore_engine::{Error, Finding, LISTED_FINDINGS, Level, Lint, Note};
use lore_ports::{EmbedError, TextModelError};

use super::{finding_hint, hint, note_hint};

/// Returns the hint of every error of the engine, the vault and the ports, and of every note and finding.
pub(crate) fn hints() -> Vec<String> {
    let notes = notes().into_iter().filter_map(|note| note_hint(&note));
    let findings = [Lint::GeneratedStale, Lint::GeneratedEdited].into_iter().filter_map(finding_hint);
    errors().iter().map(hint).chain(notes).chain(findings.map(str::to_owned)).collect()
}

fn notes() -> Vec<Note> {
    let model = |error| Note::Model { error, effect: None };
    let mut notes: Vec<Note> = embed_errors().into_iter().map(model).collect();
    notes.push(Note::NotEmbedded { count: 2, what: "chunk", effect: "were not compared" });
    notes
}

fn embed_errors() -> Vec<EmbedError> {
    let (model, place, reason) = (String::from("m"), String::from("p"), String::from("r"));
    vec![
        EmbedError::Missing { model: model.clone(), known: true },
        EmbedError::Missing { model: model.clone(), known: false },
        EmbedError::Outdated { model, differs: "other weights".into() },
        EmbedError::Model { place: place.clone(), reason: reason.clone() },
        EmbedError::Unavailable { place: place.clone(), reason: reason.clone() },
        EmbedError::Wrong { place, reason },
    ]
}

fn port_errors() -> Vec<lore_ports::Error> {
    use lore_ports::Error;
    let (location, message) = (String::from("lore.db"), String::from("m"));
    let mut errors: Vec<Error> = embed_errors().into_iter().map(Error::from).collect();
    errors.extend([
        Error::IndexNewer { location: location.clone(), found: 9, known: 1 },
        Error::DatabaseReplaced { location: location.clone() },
        Error::IndexBroken { location, message: message.clone() },
        Error::ForeignFile { path: "other.db".into(), reason: message.clone() },
        Error::IndexReadOnly { doing: "write" },
        Error::Index { doing: "read", message: message.clone(), transient: true },
        Error::Index { doing: "read", message, transient: false },
        Error::DatabaseFile { path: "lore.db".into(), source: io::ErrorKind::StorageFull.into() },
        Error::TextModel(TextModelError { place: "p".into(), reason: "r".into() }),
        Error::Cancelled,
        Error::RolledBack,
    ]);
    errors
}

fn vault_errors() -> Vec<lore_vault::Error> {
    use lore_vault::Error;
    let path = std::path::PathBuf::from("v");
    let source = |kind: io::ErrorKind| io::Error::from(kind);
    vec![
        Error::BadPath { path: "../x".into(), reason: "it leads out of the vault" },
        Error::Source { path: path.clone(), reason: "it is not a zip archive".into() },
        Error::Exists { path: path.clone() },
        Error::NotEmpty { path: path.clone() },
        Error::TooLarge { path: "a.md".into(), size: 9, limit: 1 },
        Error::Locked { vault: path.clone(), holder: "lore sync".into() },
        Error::Read { path: path.clone(), source: source(io::ErrorKind::NotFound) },
        Error::Write { path: path.clone(), source: source(io::ErrorKind::PermissionDenied) },
        Error::VaultMissing { path: path.clone() },
        Error::VaultReplaced { path: path.clone() },
        Error::Watch { path, message: "too many".into() },
        Error::Git(lore_vault::git::GitError::Missing),
    ]
}

fn errors() -> Vec<Error> {
    let (slug, path) = (String::from("notes/a"), String::from("notes/a.md"));
    let found = |lint| Finding {
        lint,
        level: Level::Error,
        path: "a.md".into(),
        line: None,
        message: "m".into(),
        fixable: false,
    };
    let conflict = |expected, current| Error::Conflict { slug: "notes/a".into(), expected, current };
    let known = || vec!["work".to_owned()];
    let overlap =
        |link| Error::Overlap { slug: "notes/a".into(), new: "n".into(), old: "o".into(), line: 1, link };
    let mut errors: Vec<Error> = port_errors().into_iter().map(Error::from).collect();
    errors.extend(vault_errors().into_iter().map(Error::from));
    errors.extend([
        Error::NotFound { reference: "x".into(), suggestions: Vec::new() },
        Error::NotFound { reference: "x".into(), suggestions: known() },
        Error::NoGap { id: 1 },
        Error::Ambiguous { reference: "x".into(), candidates: known() },
        Error::BadInput { message: "m".into(), hint: "use another".into() },
        conflict(0, 1),
        conflict(1, 0),
        conflict(1, 2),
        Error::SlugTaken { path: path.clone(), slug: slug.clone(), holder: "notes/A.md".into() },
        Error::EditedMeanwhile { paths: known() },
        Error::Exists { path: path.clone() },
        Error::Denied { path: path.clone(), verb: "put", rule: "r".into() },
        Error::SectionNeeded { path: path.clone(), sections: vec!["Log".into()] },
        Error::AppendOnly { path: path.clone(), section: "Log".into() },
        Error::Untrusted { path: "/v".into(), why: "w".into() },
        Error::Lint { findings: vec![found(Lint::Secret)] },
        Error::Lint { findings: vec![found(Lint::GeneratedEdited)] },
        Error::Lint { findings: vec![found(Lint::IdDuplicate)] },
        Error::Lint { findings: vec![found(Lint::IdDuplicate); LISTED_FINDINGS + 1] },
        overlap(Some(12)),
        overlap(None),
        Error::NoLink { what: "12".into() },
        Error::NoInterval { id: 12, path: path.clone(), line: 1, place: "a link in prose" },
        Error::NoCluster { id: "c".into() },
        Error::Compacted { slug: slug.clone(), into: Some("s".into()), wanted: "active".into() },
        Error::Compacted { slug: slug.clone(), into: None, wanted: "active".into() },
        Error::NoRepository,
        Error::NoRemote { message: "m".into() },
        Error::Diverged { upstream: "origin/main".into(), ahead: 1, behind: 1 },
        Error::Dirty { paths: known() },
        Error::PlanChanged { cluster: "c".into(), why: "w".into() },
        Error::NotUtf8 { path },
        Error::Git { message: "m".into() },
        Error::Edit { slug: slug.clone(), source: lore_page::edit::EditError::EmptyFind },
        Error::Edit {
            slug: slug.clone(),
            source: lore_page::edit::EditError::LostNode { heading: "Log".into(), id: "0192f3a1".into() },
        },
        Error::Edit {
            slug: slug.clone(),
            source: lore_page::edit::EditError::LoneNode { heading: "Log".into(), id: "0192f3a1".into() },
        },
        Error::Edit { slug, source: lore_page::edit::EditError::NoFact { line: 1 } },
        Error::Policy { path: "lore.toml".into(), line: None, message: "m".into() },
        Error::SupersessionCycle { pages: known() },
        Error::SupersessionCycle { pages: vec!["a".into(), "b".into()] },
        Error::Config { path: "config.toml".into(), line: None, message: "m".into() },
        Error::PolicyMissing { path: "lore.toml".into() },
        Error::VaultEmpty { path: "v".into(), pages: 2 },
        Error::UnknownProject { name: "x".into(), known: known() },
        Error::UnknownProject { name: "x".into(), known: Vec::new() },
        Error::NoProject { known: known() },
        Error::NoProject { known: Vec::new() },
    ]);
    errors
}
