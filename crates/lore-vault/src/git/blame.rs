//! Authorship: the lines of a file and the commits of a path, with Lore's own actors where a commit names one.

use std::collections::HashMap;

use super::call::{Call, batches};
use super::message::{ACTOR, FACE, SESSION};
use super::{GitError, Repo};
use crate::regular::read_regular;

/// A line of a file and its origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlamedLine {
    /// Its number, from 1.
    pub line: u32,
    /// Its text, without the line ending.
    pub text: String,
    /// The commit that introduced it; `None` when uncommitted, and then the fields below are `None` too.
    pub commit: Option<String>,
    /// The actor that the commit names, else the commit's author.
    pub actor: Option<String>,
    /// The face it was written through.
    pub face: Option<String>,
    /// When it was written, in milliseconds since 1970.
    pub at: Option<i64>,
}

/// A commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// Its full id.
    pub id: String,
    /// When it was made, in milliseconds since 1970.
    pub at: i64,
    /// The name of its author.
    pub author: String,
    /// The actor that it names.
    pub actor: Option<String>,
    /// The face that it names.
    pub face: Option<String>,
    /// The session that it names.
    pub session: Option<String>,
    /// The first line of its message.
    pub subject: String,
}

/// Number of fields in `format`.
const FIELDS: usize = 7;

impl Repo {
    /// Returns the author of each line of a file. The lines of an untracked file count as uncommitted.
    pub fn blame(&self, path: &str) -> Result<Vec<BlamedLine>, GitError> {
        let output =
            self.run(&Call::look(&["blame", "--porcelain", "--no-textconv", "--no-ext-diff", "--", path]))?;
        let lines = if output.success() {
            blamed(&output.stdout)
        } else if output.stderr.contains("no such path") || output.stderr.contains("no such ref") {
            self.never_committed(path)?
        } else {
            return Err(output.failure());
        };
        let mut ids: Vec<&str> = lines.iter().filter_map(|line| line.commit.as_deref()).collect();
        ids.sort_unstable();
        ids.dedup();
        let mut commits = HashMap::new();
        for batch in batches(&ids) {
            let found = self.commits(&["--no-walk=unsorted"], batch)?;
            commits.extend(found.into_iter().map(|commit| (commit.id.clone(), commit)));
        }
        let named = |line: BlamedLine| match line.commit.as_ref().and_then(|id| commits.get(id)) {
            None => line,
            Some(commit) => BlamedLine {
                actor: Some(commit.actor.clone().unwrap_or_else(|| commit.author.clone())),
                face: commit.face.clone(),
                at: Some(commit.at),
                ..line
            },
        };
        Ok(lines.into_iter().map(named).collect())
    }

    /// Returns the last commits that changed a path, newest first, following renames.
    pub fn log(&self, path: &str, limit: usize) -> Result<Vec<Commit>, GitError> {
        if !self.run(&Call::look(&["rev-parse", "--verify", "--quiet", "HEAD"]))?.success() {
            return Ok(Vec::new());
        }
        self.commits(&["--follow", &format!("--max-count={limit}")], &["HEAD", "--", path])
    }

    fn commits(&self, how: &[&str], which: &[&str]) -> Result<Vec<Commit>, GitError> {
        // The user's settings must not add anything between the fields or change how trailers are parsed.
        let call = Call::look(&[
            "log",
            "-z",
            "--no-show-signature",
            "--no-ext-diff",
            "--no-textconv",
            "--no-color",
            "--encoding=UTF-8",
        ])
        .configured(["trailer.separators=:"])
        .with(how)
        .with([format()])
        .with(which);
        let call = if which.contains(&"--") { call } else { call.with(["--"]) };
        let fields = self.run(&call)?.expect_success()?.fields();
        Ok(fields.chunks_exact(FIELDS).map(commit_of).collect())
    }

    fn never_committed(&self, path: &str) -> Result<Vec<BlamedLine>, GitError> {
        let read = read_regular(&self.root.join(path), u64::MAX);
        let Some(bytes) = read.map_err(|error| GitError::failed("blame", error.to_string()))? else {
            return Err(GitError::failed("blame", format!("{path} does not exist in the vault")));
        };
        let text = String::from_utf8_lossy(&bytes);
        Ok(text.lines().zip(1..).map(|(text, line)| uncommitted_line(line, text.to_owned())).collect())
    }
}

fn format() -> String {
    let trailer = |key: &str| format!("%x00%(trailers:key={key},valueonly,unfold,separator=%x1f)");
    format!("--format=%H%x00%at%x00%an%x00%s{}{}{}", trailer(ACTOR), trailer(FACE), trailer(SESSION))
}

fn commit_of(fields: &[String]) -> Commit {
    let trailer = |place: usize| {
        let last = fields[place].rsplit('\u{1f}').next().unwrap_or_default().trim();
        Some(last.to_owned()).filter(|value| !value.is_empty())
    };
    Commit {
        id: fields[0].clone(),
        at: fields[1].parse::<i64>().unwrap_or(0).saturating_mul(1000),
        author: fields[2].clone(),
        subject: fields[3].clone(),
        actor: trailer(4),
        face: trailer(5),
        session: trailer(6),
    }
}

/// Parses `git blame --porcelain`: for each line a header that begins with the commit id and ends with the line number
/// or a count, details of the commit, then a tab and the text.
fn blamed(porcelain: &[u8]) -> Vec<BlamedLine> {
    let mut lines = Vec::new();
    let mut commit = None;
    for row in porcelain.split_inclusive(|byte| *byte == b'\n') {
        let row = String::from_utf8_lossy(row);
        let row = row.trim_end_matches(['\n', '\r']);
        let id = row.split(' ').next().unwrap_or_default();
        if let Some(text) = row.strip_prefix('\t') {
            let number = u32::try_from(lines.len() + 1).unwrap_or(u32::MAX);
            lines.push(BlamedLine { commit: commit.take(), ..uncommitted_line(number, text.to_owned()) });
        } else if id.len() >= 40 && id.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            // Uncommitted lines have an id of zeros.
            commit = id.bytes().any(|byte| byte != b'0').then(|| id.to_owned());
        }
    }
    lines
}

fn uncommitted_line(line: u32, text: String) -> BlamedLine {
    BlamedLine { line, text, commit: None, actor: None, face: None, at: None }
}
