//! Everything the repository stores, whether a commit still has it or not, and the files that git knows.

use std::collections::{HashMap, HashSet};

use super::call::{Call, TIDYING};
use super::run::Output;
use super::tree::object;
use super::{GitError, Repo};

/// Maximum number of bytes read by one git process, unless a single object is larger.
const TOGETHER: u64 = 32 * 1024 * 1024;

/// An object of the repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Object {
    /// Its id.
    pub id: String,
    /// What it is.
    pub kind: ObjectKind,
    size: u64,
}

/// What an object is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ObjectKind {
    /// The bytes of a file.
    File,
    /// A commit, with its message.
    Commit,
    /// An annotated tag, with its message.
    Tag,
}

/// The oldest commit that has a file with certain bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The commit's id.
    pub commit: String,
    /// The file's path in the repository.
    pub path: String,
    /// Number of commits that `git log` lists before it: the greatest is the oldest.
    pub newer: usize,
}

impl Repo {
    /// Returns the files of the vault that git tracks or would add: all except ignored ones.
    pub fn listed_files(&self) -> Result<Vec<String>, GitError> {
        let call =
            Call::look(&["ls-files", "-z", "--cached", "--others", "--exclude-standard"]).within(TIDYING);
        let mut files = self.run(&call)?.expect_success()?.fields();
        files.sort();
        files.dedup();
        Ok(files)
    }

    /// Calls `take` with every file, commit and tag that the repository stores, also those that no branch or tag leads
    /// to any more.
    pub fn each_object(&self, mut take: impl FnMut(&Object, &[u8])) -> Result<(), GitError> {
        let check = "--batch-check=%(objectname) %(objecttype) %(objectsize)";
        let listed = self.read(Call::look(&["cat-file", "--batch-all-objects", "--unordered", check]))?;
        let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
        let objects: Vec<Object> = listed.lines().filter_map(listed_object).collect();
        let mut rest = objects.as_slice();
        while !rest.is_empty() {
            let mut total = 0;
            let fits = |object: &&Object| {
                total += object.size;
                total <= TOGETHER
            };
            let (together, after) = rest.split_at(rest.iter().take_while(fits).count().max(1));
            let asked = together.iter().fold(String::new(), |asked, object| asked + &object.id + "\n");
            let output = self.read(Call::look(&["cat-file", "--batch"]).given(asked.into_bytes()))?;
            let mut bytes = output.stdout.as_slice();
            for about in together {
                let missing = || GitError::failed("cat-file", format!("{} is missing", about.id));
                let (content, next) = object(bytes).ok_or_else(missing)?;
                take(about, content);
                bytes = next;
            }
            rest = after;
        }
        Ok(())
    }

    /// Returns the oldest commit and path of each of these files, by id. A file that no branch, tag or reflog leads to
    /// has none.
    pub fn origins(&self, ids: &HashSet<String>) -> Result<HashMap<String, Vec<Origin>>, GitError> {
        let call = Call::look(&[
            "log",
            "--all",
            "--reflog",
            "--topo-order",
            "-m",
            "--raw",
            "--no-abbrev",
            "--no-renames",
            "--root",
        ])
        .with(["--no-show-signature", "--no-color", "--format=commit %H"]);
        let output = self.read(call)?;
        let mut origins: HashMap<String, Vec<Origin>> = HashMap::new();
        let (mut commit, mut newer) = (String::new(), 0);
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            if let Some(id) = line.strip_prefix("commit ") {
                newer += usize::from(commit != id);
                commit = id.to_owned();
            } else if let Some((blob, path)) = changed_file(line)
                && ids.contains(blob)
            {
                let known = origins.entry(blob.to_owned()).or_default();
                // The newest commits come first.
                known.retain(|origin| origin.path != path);
                known.push(Origin { commit: commit.clone(), path: path.to_owned(), newer });
            }
        }
        Ok(origins)
    }

    fn read(&self, call: Call<'_>) -> Result<Output, GitError> {
        self.run(&call.within(TIDYING)).and_then(Output::expect_success)
    }
}

fn listed_object(line: &str) -> Option<Object> {
    let mut fields = line.split(' ');
    let (id, kind, size) = (fields.next()?, fields.next()?, fields.next()?);
    let kind = match kind {
        "blob" => ObjectKind::File,
        "commit" => ObjectKind::Commit,
        "tag" => ObjectKind::Tag,
        _ => return None,
    };
    Some(Object { id: id.to_owned(), kind, size: size.parse().ok()? })
}

/// Parses a line of `git log --raw`, `:100644 100644 OLD NEW M<TAB>path`: the new file and its path.
fn changed_file(line: &str) -> Option<(&str, &str)> {
    let (about, path) = line.strip_prefix(':')?.split_once('\t')?;
    Some((about.split(' ').nth(3)?, path))
}
