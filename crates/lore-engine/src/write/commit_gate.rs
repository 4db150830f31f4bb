//! The gate of every commit, whoever wrote the bytes: a file with a credential or a conflict marker that the last commit
//! does not have is left out and named. What the last commit already has does not block; `lore secrets scan` reports it.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

use lore_page::conflict_markers;
use lore_text::ContentHash;
use lore_text::secrets::{Leak, masked, scan_bytes};
use lore_vault::git::{CommitMessage, Repo};
use lore_vault::{FolderLock, decode, is_page_path};

use crate::context::VaultContext;
use crate::error::Result;
use crate::lint::{CONFLICT, name_findings, refuse_secret, refused, secret_finding};
use crate::policy::{Finding, Level, Lint};

/// Beginning of the message about what is in a commit although the check did not see it.
const MEANWHILE: &str = "written while commit";

/// How often a commit is made again without files that somebody changed while it was made.
const ATTEMPTS: usize = 3;

/// The result of a commit.
#[derive(Debug, Default)]
pub(super) struct Committed {
    /// The new commit, if anything was committed.
    pub id: Option<String>,
    /// Why files were left out.
    pub left_out: Vec<Finding>,
}

/// Commits those of the paths that may be committed.
pub(super) fn commit_checked(
    context: &VaultContext,
    repo: &Repo,
    paths: &[String],
    message: &CommitMessage,
    lock: &FolderLock,
) -> std::result::Result<Committed, lore_vault::git::GitError> {
    let message = without_secrets(message);
    let mut paths = paths.to_vec();
    // Found after a commit that was taken back.
    let mut taken_back: Vec<Finding> = Vec::new();
    for attempt in 1..=ATTEMPTS {
        let mut left_out = taken_back.clone();
        let gate = CommitGate::new(context, repo, &paths, "HEAD");
        let mut admitted = HashMap::new();
        let stamps: HashMap<&String, _> = paths.iter().map(|path| (path, repo.work_stamp(path))).collect();
        let id = repo.commit_admitted(&paths, &message, lock.hold(), |path, bytes| {
            let found = gate.findings(path, bytes);
            let is_clean = found.is_empty();
            left_out.extend(found);
            if is_clean {
                admitted.insert(path.to_owned(), ContentHash::of(bytes));
            }
            is_clean
        })?;
        let Some(id) = id else {
            // Committed already, perhaps by a process that was killed before git's index followed.
            let _ = repo.settle_tracked(&paths, lock.hold());
            return Ok(Committed { id, left_out });
        };
        // A change that was undone again may be in the commit too, and a deleted file that is back.
        let is_changed = |path: &&String| {
            let is_other = |hash: &ContentHash| {
                repo.work_file(path).is_some_and(|bytes| ContentHash::of(&bytes) != *hash)
            };
            admitted.get(*path).is_some_and(is_other) || stamps.get(*path) != Some(&repo.work_stamp(path))
        };
        let changed: Vec<String> = paths.iter().filter(is_changed).cloned().collect();
        let meanwhile = written_meanwhile(context, repo, &changed, &id);
        if meanwhile.is_empty() {
            // The commit is made; an index that lags behind only makes a file look staged.
            let _ = repo.settle_index(&changed, lock.hold());
            return Ok(Committed { id: Some(id), left_out });
        }
        if attempt == ATTEMPTS || !repo.take_back(&id, &paths, lock.hold())? {
            // Somebody has committed since, or writes without pause: only the user may remove it now.
            left_out.extend(meanwhile.into_iter().map(|(_, found)| in_commit(&id, found)));
            return Ok(Committed { id: Some(id), left_out });
        }
        paths.retain(|path| meanwhile.iter().all(|(changed, _)| changed != path));
        taken_back.extend(meanwhile.into_iter().map(|(_, found)| found));
    }
    Ok(Committed { id: None, left_out: taken_back })
}

/// Returns what must not be in a commit of these files, which somebody changed after they were checked.
fn written_meanwhile(
    context: &VaultContext,
    repo: &Repo,
    paths: &[String],
    id: &str,
) -> Vec<(String, Finding)> {
    let gate = CommitGate::new(context, repo, paths, &format!("{id}^"));
    let mut found = Vec::new();
    if !paths.is_empty() {
        let take = |path: &str, bytes: &[u8]| {
            found.extend(gate.findings(path, bytes).into_iter().map(|one| (path.to_owned(), one)));
            Ok(())
        };
        let _ = repo.files_at(id, |path| paths.iter().any(|changed| changed == path), take);
    }
    found
}

/// Rewords the finding for what is in a commit.
fn in_commit(id: &str, found: Finding) -> Finding {
    Finding { message: format!("{MEANWHILE} {id} was made, which has it: {}", found.message), ..found }
}

/// The files of a commit that may be committed, and why the others may not.
pub(super) struct Admitted {
    pub paths: Vec<String>,
    pub left_out: Vec<Finding>,
}

/// Splits changed files by whether they may be committed.
pub(super) fn admit(context: &VaultContext, repo: &Repo, paths: Vec<String>) -> Admitted {
    let gate = CommitGate::new(context, repo, &paths, "HEAD");
    let mut left_out = Vec::new();
    let mut is_admitted = |path: &str| {
        let found = repo.work_file(path).map(|bytes| gate.findings(path, &bytes)).unwrap_or_default();
        let is_clean = found.is_empty();
        left_out.extend(found);
        is_clean
    };
    let admitted = paths.iter().filter(|path| is_admitted(path)).cloned().collect();
    Admitted { paths: admitted, left_out }
}

/// Returns a warning for a file that was left out of a commit.
pub(super) fn not_committed(found: &Finding) -> String {
    if found.message.starts_with(MEANWHILE) { found.to_string() } else { format!("not committed: {found}") }
}

/// Fails if the name of the author, the session or the subject of a commit contains a credential.
pub(super) fn refuse_message(context: &VaultContext, subject: Option<&str>) -> Result<()> {
    let author = context.author();
    refuse_secret(context, "the actor", &author.actor)?;
    refuse_secret(context, "the session", &author.session)?;
    refuse_secret(context, "the commit message", subject.unwrap_or_default())
}

/// The check of the files of one commit.
struct CommitGate<'a> {
    context: &'a VaultContext,
    repo: &'a Repo,
    paths: &'a [String],
    /// The commit before.
    base: String,
    known: OnceCell<Known>,
}

/// What the last commit has in the files concerned, wherever among them: a moved line is not a new one.
#[derive(Default)]
struct Known {
    paths: HashSet<String>,
    /// Fingerprints of lines with credentials.
    secrets: HashSet<String>,
    /// Lines with conflict markers.
    markers: HashSet<String>,
}

impl<'a> CommitGate<'a> {
    fn new(context: &'a VaultContext, repo: &'a Repo, paths: &'a [String], base: &str) -> CommitGate<'a> {
        CommitGate { context, repo, paths, base: base.to_owned(), known: OnceCell::new() }
    }

    /// Returns why a file may not be committed.
    fn findings(&self, path: &str, bytes: &[u8]) -> Vec<Finding> {
        let policy = self.context.policy();
        let mut found = Vec::new();
        let named = name_findings(&policy, path);
        if !named.is_empty() && !self.known().paths.contains(path) {
            found.extend(named);
        }
        let shown = crate::lint::shown(path);
        for leak in refused(&policy, scan_bytes(bytes)) {
            let Some(finding) = secret_finding(&policy, &shown, &leak) else { continue };
            if finding.level == Level::Error && !self.known().secrets.contains(&fingerprint(&leak)) {
                found.push(finding);
            }
        }
        let level = policy.lint.level(Lint::Conflict);
        if level == Level::Error && is_page_path(path) && self.context.indexes(path) {
            let text = decode(bytes).text;
            for line in conflict_markers(&text).into_iter().filter(|line| !self.has_marker(&text, *line)) {
                let (line, message) = (Some(line), CONFLICT.to_owned());
                let path = shown.clone();
                found.push(Finding { lint: Lint::Conflict, level, path, line, message, fixable: false });
            }
        }
        found
    }

    fn has_marker(&self, text: &str, line: u32) -> bool {
        let line = text.lines().nth(line as usize - 1).unwrap_or_default();
        self.known().markers.contains(line)
    }

    /// Reads the last commit, only once something was found.
    fn known(&self) -> &Known {
        self.known.get_or_init(|| {
            let mut known = Known::default();
            let paths: HashSet<&str> = self.paths.iter().map(String::as_str).collect();
            // Without a commit there is nothing known.
            let _ = self.repo.files_at(
                &self.base,
                |path| paths.contains(path),
                |path, bytes| {
                    known.paths.insert(path.to_owned());
                    known.secrets.extend(scan_bytes(bytes).iter().map(fingerprint));
                    let text = decode(bytes).text;
                    let lines: Vec<&str> = text.lines().collect();
                    let markers =
                        conflict_markers(&text).into_iter().filter_map(|line| lines.get(line as usize - 1));
                    known.markers.extend(markers.map(|line| (*line).to_owned()));
                    Ok(())
                },
            );
            known
        })
    }
}

/// Identifies a line with a credential.
fn fingerprint(leak: &Leak) -> String {
    format!("{} {}", leak.rule, leak.fingerprint)
}

/// Returns a message without credentials. A name or subject with one is refused before the write; this covers what an
/// earlier process left pending.
fn without_secrets(message: &CommitMessage) -> CommitMessage {
    let clean = |text: &str| masked(text, |leak| leak.certain).into_owned();
    CommitMessage {
        subject: clean(&message.subject),
        body: message.body.as_deref().map(clean),
        trailers: message.trailers.iter().map(|(name, value)| (*name, clean(value))).collect(),
    }
}
