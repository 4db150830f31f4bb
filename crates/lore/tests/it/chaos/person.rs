//! The person beside the workers: edits files as editors do, without a lock, and uses git.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use super::worker::Journal;
use crate::sandbox::Sandbox;
use crate::stress_worker::Random;

/// Commits on a side branch and rebases the main branch onto it. The workers leave few moments in which nothing is
/// uncommitted, so each step is tried a few times.
const REBASE: &str = "try() { for _ in 1 2 3 4 5 6 7 8; do \"$@\" && return; done; false; }
    git add -A && git commit -qm One; git branch -f side HEAD~1 && try git checkout -q side && date +%N > side.txt &&
    try git add side.txt && try git commit -qm Side; try git checkout -q main && try git rebase -q side ||
    { git rebase --abort; git checkout -q main; false; }";
/// Stashes and applies again. If a file changed meanwhile, the stashed version is taken; the other one is committed.
const STASH: &str = "git stash -q && (git stash pop -q || (git checkout -q --theirs -- . && git add -A && git commit -qm Stash))";
const CHECKOUT: &str = "git checkout -q HEAD~1 && git checkout -q main";
const END: &str = "if [ -d .git/rebase-merge ] || [ -d .git/rebase-apply ]; then git rebase --abort; fi
    if [ -n \"$(git ls-files --unmerged)\" ]; then git checkout -q --theirs -- . && git add -A && git commit -qm Resolved; fi
    git symbolic-ref -q HEAD >/dev/null || git branch -f detached";
const COMMIT: &str = "git add -A && git commit -qm 'By hand'";

pub struct Person<'a> {
    sandbox: &'a Sandbox,
    random: Random,
    made: usize,
    pub journal: Journal,
    /// How often each thing was done.
    pub done: BTreeMap<&'static str, usize>,
}

impl<'a> Person<'a> {
    pub fn new(sandbox: &'a Sandbox, seed: u64) -> Person<'a> {
        let random = Random(seed ^ 0xFEED);
        Person { sandbox, random, made: 0, journal: Vec::new(), done: BTreeMap::new() }
    }

    /// Works until the other end of the channel is dropped.
    pub fn run(&mut self, stop: &Receiver<()>) {
        loop {
            let pause = Duration::from_millis(self.random.below(60));
            if stop.recv_timeout(pause) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            match self.random.below(20) {
                0..7 => self.edit("append", append),
                7..12 => self.edit("save over", save_over),
                12..16 => self.edit("rewrite", rewrite),
                16 => self.git("commit", COMMIT),
                17 => self.git("stash", STASH),
                18 => self.git("checkout", CHECKOUT),
                _ => self.git("rebase", REBASE),
            }
        }
    }

    /// Ends what a git command that was refused midway has left: a rebase, or a conflict of a stash.
    pub fn end(&self) {
        self.sandbox.sh(END).exits(0);
    }

    fn git(&mut self, what: &'static str, script: &str) {
        let ran = self.sandbox.sh(script);
        let known = if ran.code == 0 { what } else { "git refused" };
        *self.done.entry(known).or_default() += 1;
    }

    /// Edits a random page. An edit counts when the edited file is the page afterwards: an editor that saved into a
    /// file that had been replaced notices that and asks.
    fn edit(&mut self, what: &'static str, edit: fn(&Path, &str) -> Option<bool>) {
        let Some(path) = self.page() else { return };
        self.made += 1;
        let mark = format!("h9x{}h", self.made);
        match edit(&path, &mark) {
            Some(true) => {
                self.journal.push((mark, format!("{what} {}", path.display())));
                *self.done.entry(what).or_default() += 1;
            }
            Some(false) => *self.done.entry("saved too late").or_default() += 1,
            None => {}
        }
    }

    fn page(&mut self) -> Option<PathBuf> {
        let folder = ["own", "shared"][self.random.below(2) as usize];
        let entries = fs::read_dir(self.sandbox.vault().join(folder)).ok()?;
        let mut pages: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        pages.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
        pages.sort();
        let chosen = self.random.below(pages.len().max(1) as u64) as usize;
        (chosen < pages.len()).then(|| pages.swap_remove(chosen))
    }
}

/// Appends in place, as `echo >>` does.
fn append(path: &Path, mark: &str) -> Option<bool> {
    let mut file = OpenOptions::new().append(true).open(path).ok()?;
    file.write_all(format!("\nby hand {mark}\n").as_bytes()).expect("written");
    Some(is_at(&file, path))
}

/// Truncates and writes in place.
fn rewrite(path: &Path, mark: &str) -> Option<bool> {
    let text = fs::read_to_string(path).ok()?;
    let mut file = OpenOptions::new().write(true).truncate(true).open(path).ok()?;
    file.write_all(format!("{text}\nby hand {mark}\n").as_bytes()).expect("written");
    Some(is_at(&file, path))
}

/// Renames a new file over the old one.
fn save_over(path: &Path, mark: &str) -> Option<bool> {
    let text = fs::read_to_string(path).ok()?;
    let new = path.with_extension("md~");
    fs::write(&new, format!("{text}\nby hand {mark}\n")).ok()?;
    // A page that is gone is not created again.
    let exists = path.exists();
    if exists {
        fs::rename(&new, path).ok()?
    } else {
        fs::remove_file(&new).ok()?
    }
    exists.then_some(true)
}

fn is_at(file: &fs::File, path: &Path) -> bool {
    let (open, named) = (file.metadata().expect("open"), fs::metadata(path));
    named.is_ok_and(|named| named.ino() == open.ino() && named.dev() == open.dev())
}
