//! `save`: takes edits that a person has made in an editor.

use std::path::Path;

use clap::Args;
use lore_engine::{Finding, NotSaved, Saved, VaultContext, git_state, save};
use lore_vault::{VaultPath, exists, real_folder};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::error::{AppError, Result};
use crate::app::hints::finding_hint;
use crate::app::session::Session;
use crate::ops::line::Line;
use crate::ops::upkeep::git::GitView;
use crate::ops::views::{count, lines, warning_lines};
use crate::ops::{Operation, Render};

/// Check and commit files that you edited by hand
///
/// Editors run this after saving a file. The files are indexed and checked like any write: by the lint rules that the
/// policy makes errors, and for credentials. Then generated files are updated and the edit is committed. If the check
/// fails, the findings are printed, nothing is committed and the exit status is 4; the files stay as they are, and the
/// next save without errors commits them too. Generated files and raw captures are skipped.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore save people/ada.md\n  lore save old-name.md new-name.md --json")]
pub struct Save {
    /// Edited or deleted files, relative to the working directory or the vault
    #[arg(value_name = "FILE", required = true)]
    files: Vec<String>,
}

/// Output of `save`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SaveView {
    /// Whether every file is valid.
    valid: bool,
    /// Files that were checked and are valid, with those of earlier saves that are committed now.
    saved: Vec<Line>,
    /// Generated files that were updated.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    generated: Vec<String>,
    /// The commit, if anything was committed.
    #[serde(skip_serializing_if = "Option::is_none")]
    commit: Option<String>,
    /// Why nothing was committed.
    findings: Vec<SaveFinding>,
    /// Files that are not taken.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    skipped: Vec<SkippedFile>,
    /// Files that were saved, but are not committed: they have errors, or were saved again meanwhile.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pending: Vec<Line>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
    /// State of the repository, with unpushed commits and failures.
    #[serde(skip_serializing_if = "Option::is_none")]
    git: Option<GitView>,
}

/// An error in a file.
#[derive(Debug, Serialize, JsonSchema)]
struct SaveFinding {
    path: Line,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    rule: &'static str,
    message: String,
}

/// A file that is not taken.
#[derive(Debug, Serialize, JsonSchema)]
struct SkippedFile {
    path: Line,
    reason: &'static str,
}

impl Operation for Save {
    const NAME: &'static str = "save";
    const WRITES: bool = true;
    type Output = SaveView;

    fn run(self, session: &Session) -> Result<SaveView> {
        if self.files.is_empty() {
            return Err(AppError::usage("no file is given", "pass the paths of the files that you edited"));
        }
        let context = session.fresh()?;
        let paths = self.files.iter().map(|file| vault_path(session, context, Path::new(file)));
        let saved = save(context, &paths.collect::<Result<Vec<VaultPath>>>()?)?;
        let git = git_state(context)?.map(|state| GitView::of(session, Some(state)));
        Ok(SaveView::new(session, saved, git))
    }
}

/// Returns a file's path in the vault. On this machine, a path is relative to the working directory if there is such a
/// file, as a shell completes it.
fn vault_path(session: &Session, context: &VaultContext, file: &Path) -> Result<VaultPath> {
    let root = context.vault().root();
    let here = session.path(file);
    let is_here = session.is_local() && exists(&here);
    let full = if file.is_absolute() || is_here { here } else { root.join(file) };
    // The directory may be reached through a symlink; a link in place of the file itself is not followed.
    let folder = full.parent().and_then(real_folder);
    let real = folder.zip(full.file_name()).map_or(full.clone(), |(folder, name)| folder.join(name));
    match real.strip_prefix(root).ok().and_then(Path::to_str) {
        Some(inside) => Ok(VaultPath::parse(inside)?),
        None => Err(AppError::usage(
            format!("{} is not in the vault {}", file.display(), context.name()),
            "run it in the vault of the file, or select that vault with --project",
        )),
    }
}

impl SaveView {
    fn new(session: &Session, saved: Saved, git: Option<GitView>) -> SaveView {
        let reason = |reason: NotSaved| match reason {
            NotSaved::Generated => "it is generated; `lore generate` restores it",
            NotSaved::Raw => "it is a captured source, which is not edited",
        };
        let skipped = saved.skipped.into_iter();
        SaveView {
            valid: saved.findings.is_empty(),
            saved: saved.paths.into_iter().map(Line::from).collect(),
            generated: saved.generated,
            commit: saved.commit,
            findings: saved.findings.into_iter().map(|found| SaveFinding::new(session, found)).collect(),
            skipped: skipped
                .map(|(path, why)| SkippedFile { path: path.into(), reason: reason(why) })
                .collect(),
            pending: saved.pending.into_iter().map(Line::from).collect(),
            warnings: saved.warnings,
            git,
        }
    }
}

impl SaveFinding {
    fn new(session: &Session, found: Finding) -> SaveFinding {
        let hint = finding_hint(found.lint).map(|hint| format!("; {}", session.hint(hint)));
        SaveFinding {
            path: found.path.into(),
            line: found.line,
            rule: found.lint.name(),
            message: found.message + &hint.unwrap_or_default(),
        }
    }
}

impl Render for SaveView {
    fn human(&self) -> String {
        let mut text = lines(self.findings.iter().map(|found| {
            let line = found.line.map(|line| format!(":{line}")).unwrap_or_default();
            format!("{}{line}: {} [{}]", found.path, found.message, found.rule)
        }));
        text.extend(self.skipped.iter().map(|file| format!("skipped {}: {}\n", file.path, file.reason)));
        text.push_str(&warning_lines(&self.warnings));
        if !self.valid {
            let errors = count(self.findings.len() as u64, "error");
            text.push_str(&format!("{errors}; nothing was committed\n"));
            return text;
        }
        text.extend(self.pending.iter().map(|path| format!("still not committed: {path}\n")));
        let files = count((self.saved.len() + self.generated.len()) as u64, "file");
        match (&self.commit, self.saved.is_empty()) {
            (Some(_), _) => text.push_str(&format!("committed {files}\n")),
            (None, false) => text.push_str(&format!("{files} valid, nothing to commit\n")),
            (None, true) => {}
        }
        text
    }

    fn exit(&self) -> u8 {
        if self.valid { 0 } else { 4 }
    }
}
