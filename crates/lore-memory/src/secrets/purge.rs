//! Removes credentials from files, ledger and index. The history of git is never rewritten.

use std::collections::BTreeSet;

use lore_engine::{
    Action, Authority, Edit, Error, KEPT_AS_SNAPSHOT, PageChange, Result, VaultContext, WriteOptions,
    refresh_generated, write_as,
};
use lore_ports::{GapFilter, GapRow, ImportFilter, StateChange, transaction};
use lore_text::secrets::{Leak, masked, masked_bytes, scan_bytes};
use lore_vault::{VaultPath, decode, read_entry};

use super::{SecretLocation, SecretOccurrence, file_secrets, ledger_secrets, scan_secrets};

/// Minimum number of digits of a fingerprint.
const MIN_DIGITS: usize = 6;

/// Number of times files are cleaned: a generated file is made again from clean pages.
const ROUNDS: usize = 2;

/// What was removed, and what was not.
#[derive(Debug, Default)]
pub struct Purged {
    /// The fingerprints of the credentials.
    pub secrets: Vec<String>,
    /// Files in which they were replaced by a mark.
    pub files: Vec<String>,
    /// Number of snapshots, imports and gaps in which they were replaced.
    pub ledger: usize,
    /// What is left to the user, and why.
    pub left: Vec<(SecretOccurrence, String)>,
    /// Whether the database's files contain nothing of them any more.
    pub erased: bool,
    /// Warnings of the writes.
    pub warnings: Vec<String>,
    /// The credentials as they were written, to look for in copies of the database. Never shown.
    values: BTreeSet<Vec<u8>>,
}

impl Purged {
    /// Returns whether bytes contain one of the credentials.
    pub fn is_in(&self, bytes: &[u8]) -> bool {
        self.values.iter().any(|value| bytes.windows(value.len()).any(|part| part == value.as_slice()))
    }
}

/// Replaces credentials, named by their fingerprints or the beginnings of them, by a mark: in files through the write
/// path, without committing what was there; then in the ledger. Then nothing of them is left in the database.
pub fn purge_secrets(context: &VaultContext, fingerprints: &[String]) -> Result<Purged> {
    let known = scan_secrets(context)?;
    let wanted = wanted(&known, fingerprints)?;
    let mut purged = Purged { secrets: wanted.iter().cloned().collect(), ..Purged::default() };
    let is_wanted = |leak: &Leak| wanted.contains(&leak.secret);
    let mut failures = Vec::new();
    for _ in 0..ROUNDS {
        failures.clear();
        for path in paths_with(&file_secrets(context)?, &wanted) {
            match clean_file(context, &path, &is_wanted, &mut purged) {
                Ok(()) => purged.files.push(path),
                Err(error) => failures.push((path, error.to_string())),
            }
        }
        refresh_generated(context)?;
    }
    purged.files.sort();
    purged.files.dedup();
    purged.ledger = clean_ledger(context, &is_wanted, &mut purged.values)?;
    purged.left = left(context, &wanted, &failures)?;
    // Copies of files that are clean now, or of a file that was overwritten outside Lore since.
    context.store().drop_written(context.project())?;
    context.store().prune_vectors()?;
    purged.erased = context.store().erase_deleted()?;
    Ok(purged)
}

/// Returns the full fingerprints.
fn wanted(known: &[SecretOccurrence], fingerprints: &[String]) -> Result<BTreeSet<String>> {
    let mut wanted = BTreeSet::new();
    for given in fingerprints {
        let digits = given.trim().to_ascii_lowercase();
        let matches: BTreeSet<&String> =
            known.iter().map(|one| &one.secret).filter(|secret| secret.starts_with(&digits)).collect();
        if digits.len() < MIN_DIGITS || matches.is_empty() {
            return Err(Error::BadInput {
                message: format!("no secret in the files or the ledger has the fingerprint {given:?}"),
                hint: "list them with `lore secrets scan`".into(),
            });
        }
        wanted.extend(matches.into_iter().cloned());
    }
    Ok(wanted)
}

fn paths_with(found: &[SecretOccurrence], wanted: &BTreeSet<String>) -> BTreeSet<String> {
    let path = |one: &SecretOccurrence| match &one.location {
        SecretLocation::File { path } if wanted.contains(&one.secret) => Some(path.clone()),
        _ => None,
    };
    found.iter().filter_map(path).collect()
}

/// Cleans one file through the write path. The write is allowed whatever else is wrong with the file.
fn clean_file(
    context: &VaultContext,
    path: &str,
    is_wanted: &dyn Fn(&Leak) -> bool,
    purged: &mut Purged,
) -> Result<()> {
    let bytes = read_entry(&context.vault().root().join(path)).unwrap_or_default();
    keep_values(&bytes, is_wanted, &mut purged.values);
    let is_utf8 = decode(&bytes).encoding.is_none() && !bytes.contains(&0);
    let edit: Edit<'_> = Box::new(|text| Ok(masked(text, is_wanted).into_owned()));
    let change = PageChange {
        path: VaultPath::known(path.to_owned()),
        action: if is_utf8 { Action::Edit(edit) } else { Action::Put(masked_bytes(&bytes, is_wanted)) },
        expected_version: None,
    };
    let options = WriteOptions {
        authority: Authority::Upkeep,
        subject: Some(format!("Remove a secret from {path}")),
        is_fix: true,
        overwrite: true,
        ..WriteOptions::default()
    };
    let receipt = write_as(context, &[change], &options)?;
    // The snapshot is cleaned next.
    purged
        .warnings
        .extend(receipt.warnings.into_iter().filter(|warning| !warning.contains(KEPT_AS_SNAPSHOT)));
    Ok(())
}

/// Remembers the credentials as they are written.
fn keep_values(bytes: &[u8], is_wanted: &dyn Fn(&Leak) -> bool, values: &mut BTreeSet<Vec<u8>>) {
    values.extend(
        scan_bytes(bytes).into_iter().filter(|leak| is_wanted(leak)).map(|leak| bytes[leak.span].to_vec()),
    );
}

/// Replaces the credentials in the ledger; returns the number of rows.
fn clean_ledger(
    context: &VaultContext,
    is_wanted: &dyn Fn(&Leak) -> bool,
    values: &mut BTreeSet<Vec<u8>>,
) -> Result<usize> {
    let (store, project) = (context.store(), context.project());
    let mut rows = 0;
    transaction(store, || {
        let mut clean = |bytes: &[u8]| {
            keep_values(bytes, is_wanted, values);
            Some(masked_bytes(bytes, is_wanted)).filter(|clean| clean != bytes)
        };
        for (_, row) in store.all_snapshots(project)? {
            let bytes = store.snapshot_bytes(project, row.number)?.unwrap_or_default();
            if let Some(clean) = clean(&bytes) {
                store.rewrite_snapshot(project, row.number, &clean)?;
                rows += 1;
            }
        }
        for row in store.imports(project, &ImportFilter::All)? {
            let bytes = store.import_bytes(project, row.number)?.unwrap_or_default();
            let source = masked(&row.source, is_wanted);
            let cleaned = clean(&bytes);
            if cleaned.is_some() || source != row.source {
                store.rewrite_import(project, row.number, &source, &cleaned.unwrap_or(bytes))?;
                rows += 1;
            }
        }
        for hash in store.blobs(project)? {
            let bytes = store.blob(project, hash)?.unwrap_or_default();
            if let Some(clean) = clean(&bytes) {
                store.rewrite_blob(project, hash, &clean)?;
                rows += 1;
            }
        }
        for gap in store.gaps(project, &GapFilter::ALL, usize::MAX)? {
            let clean = clean_gap(&gap, is_wanted);
            if clean != gap {
                store.put_gap(project, &clean)?;
                rows += 1;
            }
        }
        let state = store.state(project)?.git.unwrap_or_default();
        if let Some(clean) = clean(state.as_bytes()) {
            store.set_state(project, &StateChange::Git(&String::from_utf8_lossy(&clean)))?;
            rows += 1;
        }
        Ok::<(), Error>(())
    })?;
    Ok(rows)
}

fn clean_gap(gap: &GapRow, is_wanted: &dyn Fn(&Leak) -> bool) -> GapRow {
    let clean = |text: &str| masked(text, is_wanted).into_owned();
    GapRow {
        context: clean(&gap.context),
        query_text: gap.query_text.as_deref().map(clean),
        redacted_query: gap.redacted_query.as_deref().map(clean),
        approved: gap.approved.as_ref().map(|(name, at)| (clean(name), *at)),
        ..gap.clone()
    }
}

/// Returns what is still there, with the reason.
fn left(
    context: &VaultContext,
    wanted: &BTreeSet<String>,
    failures: &[(String, String)],
) -> Result<Vec<(SecretOccurrence, String)>> {
    let mut found = file_secrets(context)?;
    found.extend(ledger_secrets(context)?);
    found.retain(|one| wanted.contains(&one.secret));
    let reason = |one: &SecretOccurrence| match &one.location {
        SecretLocation::Name { .. } => "it is in the name of the file".to_owned(),
        SecretLocation::File { path } => {
            let failure = failures.iter().find(|(failed, _)| failed == path);
            failure.map_or_else(|| "it was written again".to_owned(), |(_, error)| error.clone())
        }
        _ => "it was written again".to_owned(),
    };
    Ok(found.into_iter().map(|one| (one.clone(), reason(&one))).collect())
}
