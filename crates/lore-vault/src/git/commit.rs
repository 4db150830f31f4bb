//! Commits exactly the given paths and nothing else that is staged or changed.

use std::collections::HashSet;
use std::ffi::OsString;
use std::io::Write as _;

use tempfile::NamedTempFile;

use super::call::{ARGUMENTS, Call, HeldLock, UNATTENDED, batches};
use super::message::{CommitMessage, lacks_identity};
use super::run::Output;
use super::status::{Difference, Differences, Kind, with_folders};
use super::{GitError, Repo};
use crate::fault::fault;
use crate::files::{ChangeStamp, change_stamp, read_entry};

/// The parts of a commit as git takes them.
struct Record<'a> {
    paths: &'a [&'a str],
    /// The message, in a file.
    message: NamedTempFile,
    /// The paths in a file, if they are too many for the command line.
    listed: Option<NamedTempFile>,
    hold: Option<&'a HeldLock>,
}

impl Repo {
    /// Commits exactly these paths, whether added, changed, deleted or moved, and leaves everything else that is staged
    /// or changed alone. Returns the new commit's id; `None` when the paths do not differ from the last commit.
    ///
    /// Ignored files and files that never existed are skipped, and so is every file whose new bytes `admits` refuses:
    /// git does not get to see it, not even as an object. The lock in `hold` is held until git has exited, even if this
    /// process exits first.
    pub fn commit_admitted(
        &self,
        paths: &[String],
        message: &CommitMessage,
        hold: Option<HeldLock>,
        mut admits: impl FnMut(&str, &[u8]) -> bool,
    ) -> Result<Option<String>, GitError> {
        self.refuse_midway("commit")?;
        let mut differing = self.with_filters().differences(Some(paths))?;
        differing.retain(|path, found| match found.kind {
            Kind::Deleted => true,
            // What cannot be read cannot be committed either; git says why.
            _ => self.work_file(path).is_none_or(|bytes| admits(path, &bytes)),
        });
        fault("admitted");
        if differing.is_empty() {
            return Ok(None);
        }
        if let Some((path, _)) = differing.iter().find(|(_, difference)| difference.in_conflict) {
            let message = format!("{path} is in conflict; resolve it, `git add` it, and retry");
            return Err(GitError::failed("commit", message));
        }
        let untracked = differing.iter().filter(|(_, difference)| difference.untracked);
        let untracked: Vec<&str> = untracked.map(|(path, _)| path.as_str()).collect();
        let paths = to_name(&differing);
        let record = Record::new(&paths, message, hold.as_ref())?;
        let committed = self
            .update_index(&["--add", "--remove", "--replace"], &untracked, hold.as_ref())
            .and_then(|()| self.record(&record));
        fault("recorded");
        if !matches!(committed, Ok(Some(_))) {
            self.restore_index(&differing, committed.is_err(), hold.as_ref());
        }
        committed
    }

    /// Commits without a check of the files.
    #[cfg(test)]
    pub(super) fn commit(
        &self,
        paths: &[String],
        message: &CommitMessage,
        hold: Option<HeldLock>,
    ) -> Result<Option<String>, GitError> {
        self.commit_admitted(paths, message, hold, |_, _| true)
    }

    /// Takes back a commit that was just made, if nobody has committed since: the branch is as it was before, and git's
    /// index has the files of that commit as the branch has them. Returns whether it did.
    pub fn take_back(&self, id: &str, paths: &[String], hold: Option<HeldLock>) -> Result<bool, GitError> {
        let parent = self.run(&Call::look(&["rev-parse", "--verify", "--quiet"]).with([format!("{id}^")]))?;
        let call = Call::new(&["update-ref", "-m", "lore: take back"]).holding(hold.as_ref());
        let call = match parent.success() {
            true => call.with(["HEAD", &parent.text(), id]),
            false => call.with(["-d", "HEAD", id]),
        };
        // git compares the branch with the commit under its own lock.
        if !self.run_locking(&call)?.success() {
            return Ok(false);
        }
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        match parent.success() {
            true => self.unstage(&paths, hold.as_ref())?,
            false => self.update_index(&["--force-remove"], &paths, hold.as_ref())?,
        }
        Ok(true)
    }

    /// Resets git's index for files that changed while they were committed: git reads each file twice, once for its index
    /// and once for the commit. Only where the last commit has what is on disk, or the index has nothing, does the index
    /// lag behind; anything else in it may be the user's.
    pub fn settle_index(&self, paths: &[String], hold: Option<HeldLock>) -> Result<(), GitError> {
        self.settle(paths, hold.as_ref(), |found| found.kind == Kind::Modified)
    }

    /// Resets git's index for files that the last commit has as they are on disk: a process that was killed after it has
    /// left an older version there. A file that the user has removed from the index stays removed.
    pub fn settle_tracked(&self, paths: &[String], hold: Option<HeldLock>) -> Result<(), GitError> {
        self.settle(paths, hold.as_ref(), |_| false)
    }

    /// Resets git's index for the files that lag behind. One that is not in it is reset if `is_lost` says so.
    fn settle(
        &self,
        paths: &[String],
        hold: Option<&HeldLock>,
        is_lost: fn(&Difference) -> bool,
    ) -> Result<(), GitError> {
        if paths.is_empty() {
            return Ok(());
        }
        self.refuse_midway("commit")?;
        for (path, found) in self.with_filters().differences(Some(paths))? {
            let lags = if found.untracked { is_lost(&found) } else { self.same_as_head(&[&path])? };
            if lags {
                self.unstage(&[&path], hold)?;
            }
        }
        Ok(())
    }

    /// Returns what git would store of a file of the work tree: its bytes, or the target of a symlink.
    pub fn work_file(&self, path: &str) -> Option<Vec<u8>> {
        read_entry(&self.root.join(path))
    }

    /// Returns a stamp of a file of the work tree that differs after every change, even one that was undone.
    pub fn work_stamp(&self, path: &str) -> Option<ChangeStamp> {
        change_stamp(&self.root.join(path))
    }

    /// Updates git's index for these files, in as many runs as their names need.
    fn update_index(&self, how: &[&str], paths: &[&str], hold: Option<&HeldLock>) -> Result<(), GitError> {
        for batch in batches(paths) {
            let call = Call::new(&["update-index"]).with(how).with(["--"]).with(batch).holding(hold);
            self.run_locking(&call)?.expect_success()?;
        }
        Ok(())
    }

    /// Takes files out of git's index that were not there before a commit that did not succeed. The first error is the
    /// one to report, so failures here are ignored.
    ///
    /// The commit may have been made although git failed or was killed, for example in a hook that follows it. An entry
    /// that is only removed would then be a staged deletion, so it is reset to the last commit, unless the user had
    /// removed it from the index.
    fn restore_index(&self, differing: &Differences, failed: bool, hold: Option<&HeldLock>) {
        let untracked = differing.iter().filter(|(_, difference)| difference.untracked);
        let (new, removed): (Vec<_>, Vec<_>) =
            untracked.partition(|(_, difference)| failed || difference.kind == Kind::Added);
        let _ = self.unstage(&names(&new), hold);
        let _ = self.update_index(&["--force-remove"], &names(&removed), hold);
    }

    /// Resets git's index for these files to the last commit.
    fn unstage(&self, paths: &[&str], hold: Option<&HeldLock>) -> Result<(), GitError> {
        for batch in batches(paths) {
            let call = Call::new(&["reset", "--quiet", "--"]).with(batch.iter().map(literal)).holding(hold);
            self.run_locking(&call)?.expect_success()?;
        }
        Ok(())
    }

    fn record(&self, record: &Record) -> Result<Option<String>, GitError> {
        let mut output = self.run_locking(&record.call())?;
        if !output.success() && lacks_identity(&output.stderr) {
            output = self.run_locking(&record.call().configured(self.stand_in_identity()?))?;
        }
        if output.success() {
            self.id_of_new(&output).map(Some)
        } else if self.same_as_head(record.paths)? {
            // Staged, then changed back in the work tree: there is nothing to commit.
            Ok(None)
        } else {
            Err(output.failure())
        }
    }

    /// Returns the identity to sign with where the user has not configured a name or an address.
    fn stand_in_identity(&self) -> Result<Vec<String>, GitError> {
        let mut settings = Vec::new();
        for (key, value) in [("user.name", "Lore"), ("user.email", "lore@localhost")] {
            if self.setting(key)?.is_none() {
                settings.push(format!("{key}={value}"));
            }
        }
        Ok(settings)
    }

    /// Parses the id from `[main 1234…] Subject`. `HEAD` may already be another process's commit.
    fn id_of_new(&self, output: &Output) -> Result<String, GitError> {
        let summary = output.text();
        let mut ids = summary.split_whitespace().filter_map(|word| word.strip_suffix(']'));
        match ids.find(|id| id.len() >= 40 && id.bytes().all(|byte| byte.is_ascii_hexdigit())) {
            Some(id) => Ok(id.to_owned()),
            None => Ok(self.run(&Call::look(&["rev-parse", "HEAD"]))?.expect_success()?.text()),
        }
    }

    fn same_as_head(&self, paths: &[&str]) -> Result<bool, GitError> {
        for batch in batches(paths) {
            let call =
                Call::look(&["diff", "--quiet", "--no-ext-diff", "--no-textconv", "HEAD", "--"]).with(batch);
            if !self.with_filters().run(&call)?.success() {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

impl<'a> Record<'a> {
    fn new(
        paths: &'a [&'a str],
        message: &CommitMessage,
        hold: Option<&'a HeldLock>,
    ) -> Result<Record<'a>, GitError> {
        let message = temporary(message.text().as_bytes())?;
        let mut record = Record { paths, message, listed: None, hold };
        let list = record.literal().collect::<Vec<_>>().join("\0");
        if list.len() > ARGUMENTS {
            record.listed = Some(temporary(list.as_bytes())?);
        }
        Ok(record)
    }

    fn call(&self) -> Call<'a> {
        let call = Call::new(&["commit", "--only", "--no-status", "--cleanup=whitespace", "-F"])
            .with([self.message.path()])
            .configured(UNATTENDED)
            // The new commit's id is parsed from the summary that git prints.
            .configured(["core.abbrev=no"])
            .holding(self.hold);
        match &self.listed {
            None => call.with(["--"]).with(self.literal()),
            Some(file) => {
                let mut option = OsString::from("--pathspec-from-file=");
                option.push(file.path());
                call.with([option, "--pathspec-file-nul".into()])
            }
        }
    }

    /// Returns the paths marked as literal names rather than patterns. Setting this in the environment would reach the
    /// hooks and change how they read their own patterns.
    fn literal(&self) -> impl Iterator<Item = String> {
        self.paths.iter().map(literal)
    }
}

fn names<'a>(files: &[(&'a String, &Difference)]) -> Vec<&'a str> {
    files.iter().map(|(path, _)| path.as_str()).collect()
}

fn literal(path: &&str) -> String {
    format!(":(literal){path}")
}

/// Returns the paths to pass to git. A file that became a directory is left out: git would take it for a submodule.
fn to_name(differing: &Differences) -> Vec<&str> {
    let folders: HashSet<&str> = differing.keys().flat_map(|path| with_folders(path).skip(1)).collect();
    let named = differing
        .iter()
        .filter(|(path, found)| found.kind != Kind::Deleted || !folders.contains(path.as_str()));
    named.map(|(path, _)| path.as_str()).collect()
}

/// Writes a temporary file for git to read; it is deleted when dropped.
fn temporary(bytes: &[u8]) -> Result<NamedTempFile, GitError> {
    let written = NamedTempFile::new().and_then(|mut file| file.write_all(bytes).map(|()| file));
    written.map_err(|error| GitError::failed("commit", format!("cannot write a temporary file: {error}")))
}
