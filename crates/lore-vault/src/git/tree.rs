//! Reads the files of a commit without touching the work tree: no checkout, no filters, no network.

use super::call::Call;
use super::run::Output;
use super::{GitError, Repo};
use crate::error::{Error, Result};

/// Maximum number of files read by one git process.
const TOGETHER: usize = 2000;

/// A commit that a revision resolves to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revision {
    /// The commit's full id.
    pub id: String,
    /// When it was made, in seconds since 1970.
    pub at: i64,
}

impl Repo {
    /// Resolves a revision to a commit; `None` if there is none.
    pub fn revision(&self, revision: &str) -> std::result::Result<Option<Revision>, GitError> {
        // git would take a leading hyphen as an option.
        if revision.trim().is_empty() || revision.starts_with('-') || revision.contains('\0') {
            return Ok(None);
        }
        let named = format!("{revision}^{{commit}}");
        let found = self.run(&Call::look(&["rev-parse", "--verify", "--quiet", &named]))?;
        if !found.success() {
            return Ok(None);
        }
        let id = found.text();
        let shown = self.run(&Call::look(&[
            "show",
            "--no-patch",
            "--no-ext-diff",
            "--no-textconv",
            "--format=%ct",
            &id,
        ]))?;
        let at = shown.expect_success()?.text().trim().parse().unwrap_or_default();
        Ok(Some(Revision { id, at }))
    }

    /// Returns the id of the last commit until a time in seconds since 1970; `None` if there is none.
    pub fn last_until(&self, at: i64) -> std::result::Result<Option<String>, GitError> {
        let until = format!("--until={at}");
        let found = self.run(&Call::look(&["rev-list", "--max-count=1", &until, "HEAD", "--"]))?;
        Ok(Some(found.text().trim().to_owned()).filter(|id| found.success() && !id.is_empty()))
    }

    /// Calls `take` with the path and bytes of every wanted file of the vault at a commit. Symlinks and submodules are
    /// skipped.
    pub fn files_at(
        &self,
        commit: &str,
        wanted: impl Fn(&str) -> bool,
        mut take: impl FnMut(&str, &[u8]) -> Result<()>,
    ) -> Result<()> {
        let failed = |error: GitError| Error::Git(error);
        let run = |call: &Call<'_>| self.run(call).and_then(Output::expect_success).map_err(failed);
        let listed = run(&Call::look(&["ls-tree", "-r", "-z", commit]))?;
        let entries = listed.stdout.split(|byte| *byte == 0).filter_map(entry);
        let files: Vec<(&str, &str)> = entries.filter(|(_, path)| wanted(path)).collect();
        for together in files.chunks(TOGETHER) {
            let asked = together.iter().fold(String::new(), |asked, (blob, _)| asked + blob + "\n");
            let call = Call::look(&["cat-file", "--batch"]).given(asked.into_bytes());
            let output = run(&call)?;
            let mut rest = output.stdout.as_slice();
            for (_, path) in together {
                let missing = || failed(GitError::failed("cat-file", format!("{path} is missing")));
                let (bytes, after) = object(rest).ok_or_else(missing)?;
                take(path, bytes)?;
                rest = after;
            }
        }
        Ok(())
    }
}

/// Parses the blob id and path of a regular file in a listing; a path that is not UTF-8 is skipped.
fn entry(row: &[u8]) -> Option<(&str, &str)> {
    let (about, path) = std::str::from_utf8(row).ok()?.split_once('\t')?;
    let mut about = about.split(' ');
    let (mode, kind, blob) = (about.next()?, about.next()?, about.next()?);
    (kind == "blob" && mode.starts_with("100")).then_some((blob, path))
}

/// Splits off the first object of `cat-file --batch` output: `id type size`, the bytes, a line ending.
pub(super) fn object(output: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = output.iter().position(|byte| *byte == b'\n')?;
    let header = std::str::from_utf8(&output[..end]).ok()?;
    let size: usize =
        header.strip_suffix(" missing").map_or(header, |_| "").rsplit(' ').next()?.parse().ok()?;
    let start = end + 1;
    let bytes = output.get(start..start.checked_add(size)?)?;
    Some((bytes, output.get(start + size + 1..)?))
}
