//! The steps of a write: each puts one file into place and compares what it really displaced with what the change was
//! prepared from, so that an edit made at any moment is found, and stays in the file.
//!
//! What is promised to a person who edits a file during a change:
//!
//! - An edit that is in the file when it is displaced goes back into the file, and the change is rolled back.
//! - A program that has the file open and writes to it after that comparison writes to the displaced file, which stays in
//!   the staging directory until the write has ended. It is compared again then, and the caller keeps what it holds.
//! - A write to a file that is still open after the change has ended is lost, as with every program that replaces files
//!   by a rename.
//!
//! A file system that cannot exchange two files gets two renames: out, compare, in. The file is missing for that moment,
//! and a file that somebody creates in it stays.

use std::io;

use lore_text::ContentHash;

use super::{Staging, file_name};
use crate::dirfd::DirFd;
use crate::error::Result;
use crate::fault::fault;
use crate::regular::is_not_a_file;

/// The hashes of a file before and after its step; `None` where there is no file.
#[derive(Debug, Clone, Copy)]
pub struct StepHashes {
    /// Before.
    pub old: Option<ContentHash>,
    /// After.
    pub new: Option<ContentHash>,
}

impl Staging {
    /// Makes one step: moves the new bytes into place, or the old file out of it. Returns whether it did; `false` means
    /// that somebody has changed the file since it was read, and that it is as they left it.
    pub fn make(&self, number: usize, path: &str, hashes: StepHashes) -> Result<bool> {
        let made = self.folder_of(path, hashes.new.is_some()).and_then(|place| {
            let made = match (hashes.old, hashes.new) {
                (Some(old), Some(new)) => self.swap_in(number, &place, file_name(path), old, new),
                (Some(old), None) => self.take_out(number, &place, file_name(path), old),
                (None, _) => moved(self.own.rename_new(&staged(number), &place, file_name(path))),
            };
            if !self.syncs_together.get() {
                place.sync();
            }
            made
        });
        match made {
            // The directory of a file that was to be replaced or deleted is gone.
            Err(error) if error.kind() == io::ErrorKind::NotFound && hashes.old.is_some() => Ok(false),
            made => made.map_err(|source| self.failed(path, source)),
        }
    }

    /// Undoes one step. Returns whether the file is as it was; `false` means that somebody has changed it since, and
    /// that it is as they left it. A step that was not made is undone already.
    pub fn unmake(&self, number: usize, path: &str, hashes: StepHashes) -> Result<bool> {
        let undone = self.folder_of(path, true).and_then(|place| {
            let undone = match (hashes.old, hashes.new) {
                (Some(_), Some(new)) => self.swap_out(number, &place, file_name(path), new),
                (Some(_), None) => self.put_back(number, &place, file_name(path)),
                (None, Some(new)) => self.take_back(number, &place, file_name(path), new),
                (None, None) => Ok(true),
            };
            place.sync();
            undone
        });
        undone.map_err(|source| self.failed(path, source))
    }

    /// Brings a step that was interrupted half-way to one of its two ends, judged by what is staged.
    pub fn settle_step(&self, number: usize, path: &str, hashes: StepHashes) -> Result<()> {
        let (Some(old), Some(new)) = (hashes.old, hashes.new) else { return Ok(()) };
        self.settle(number, path, old, new).map_err(|source| self.failed(path, source))
    }

    fn settle(&self, number: usize, path: &str, old: ContentHash, new: ContentHash) -> io::Result<()> {
        let (staged, displaced) = (staged(number), displaced(number));
        match (self.own.exists(&staged), self.own.exists(&displaced)) {
            // Exchanged, and the displaced file not yet renamed. A file in place that still has its old bytes was not.
            (true, false) if !self.holds(&self.own, &staged, new, None)? => {
                match self.folder_of(path, false) {
                    Ok(place) if !self.holds(&place, file_name(path), old, None)? => {
                        self.own.rename(&staged, &self.own, &displaced)
                    }
                    _ => Ok(()),
                }
            }
            // Exchanged back, and not yet renamed.
            (false, true) if self.holds(&self.own, &displaced, new, None)? => {
                self.own.rename(&displaced, &self.own, &staged)
            }
            // Taken out, and nothing put in its place.
            (true, true) => self
                .folder_of(path, true)
                .and_then(|place| taken_is_fine(self.own.rename_new(&displaced, &place, file_name(path)))),
            _ => Ok(()),
        }
    }

    /// Whether a step displaced a file that is still staged.
    pub fn holds_displaced(&self, number: usize) -> bool {
        self.own.exists(&displaced(number))
    }

    /// Returns the bytes of the file that a step displaced, as they are now.
    pub fn displaced(&self, number: usize) -> Result<Option<Vec<u8>>> {
        let name = displaced(number);
        // Whatever a symlink names is still where it was.
        if self.own.link_target(&name).is_some() {
            return Ok(None);
        }
        self.own.read(&name).map_err(|source| self.unreadable(&name, source))
    }

    fn swap_in(
        &self,
        number: usize,
        place: &DirFd,
        name: &str,
        old: ContentHash,
        new: ContentHash,
    ) -> io::Result<bool> {
        let (staged, displaced, kept) = (staged(number), displaced(number), kept(number));
        if !self.own.exchange(&staged, place, name)? {
            let out = self.take_out(number, place, name, old)?;
            return Ok(out && moved(self.own.rename_new(&staged, place, name))?);
        }
        fault("displaced");
        self.own.rename(&staged, &self.own, &displaced)?;
        // What cannot be read now goes back too.
        let held = self.holds(&self.own, &displaced, old, Some(&kept));
        if matches!(held, Ok(true)) {
            return held;
        }
        if self.swap_out(number, place, name, new)? {
            self.own.rename(&displaced, &self.own, &staged)?;
        }
        held
    }

    /// Exchanges a file that is in place for the one that it displaced.
    fn swap_out(&self, number: usize, place: &DirFd, name: &str, new: ContentHash) -> io::Result<bool> {
        let displaced = displaced(number);
        if !self.own.exists(&displaced) {
            return Ok(true);
        }
        if !self.holds(place, name, new, None)? {
            return Ok(false);
        }
        if !self.own.exchange(&displaced, place, name)? {
            return Ok(self.take_back(number, place, name, new)? && self.put_back(number, place, name)?);
        }
        let held = self.holds(&self.own, &displaced, new, None);
        if !matches!(held, Ok(true)) {
            // Edited between the look and the exchange: the later edit stays in the file.
            self.own.exchange(&displaced, place, name)?;
        }
        held
    }

    /// Moves a file out of its place, unless it has been changed.
    fn take_out(&self, number: usize, place: &DirFd, name: &str, old: ContentHash) -> io::Result<bool> {
        let displaced = displaced(number);
        place.rename_new(name, &self.own, &displaced)?;
        fault("displaced");
        let held = self.holds(&self.own, &displaced, old, Some(&kept(number)));
        if !matches!(held, Ok(true)) {
            taken_is_fine(self.own.rename_new(&displaced, place, name))?;
        }
        held
    }

    /// Moves a file that was taken out back into its place, unless that is taken.
    fn put_back(&self, number: usize, place: &DirFd, name: &str) -> io::Result<bool> {
        match self.own.exists(&displaced(number)) {
            true => moved(self.own.rename_new(&displaced(number), place, name)),
            false => Ok(true),
        }
    }

    /// Moves a file that was put into place back into staging, unless it has been changed.
    fn take_back(&self, number: usize, place: &DirFd, name: &str, new: ContentHash) -> io::Result<bool> {
        let staged = staged(number);
        match place.rename_new(name, &self.own, &staged) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
            done => done?,
        }
        let held = self.holds(&self.own, &staged, new, None);
        if !matches!(held, Ok(true)) {
            taken_is_fine(self.own.rename_new(&staged, place, name))?;
        }
        held
    }

    /// Whether a file has these bytes. A symlink has the bytes that it names; it is the same if it names the same file as
    /// the one that was kept.
    fn holds(&self, place: &DirFd, name: &str, hash: ContentHash, kept: Option<&str>) -> io::Result<bool> {
        if let Some(target) = place.link_target(name) {
            return Ok(kept.and_then(|kept| self.own.link_target(kept)) == Some(target));
        }
        match place.read(name) {
            Ok(bytes) => Ok(bytes.is_some_and(|bytes| ContentHash::of(&bytes) == hash)),
            Err(error) if is_not_a_file(&error) => Ok(false),
            Err(error) => Err(error),
        }
    }
}

/// Name of a file's new bytes.
pub(super) fn staged(number: usize) -> String {
    format!("{number}.new")
}

/// Name of the file that was read, kept as a link.
pub(super) fn kept(number: usize) -> String {
    format!("{number}.old")
}

/// Name of the file that a step displaced.
fn displaced(number: usize) -> String {
    format!("{number}.out")
}

/// Whether a file was moved to a free name; `false` if the name is taken.
fn moved(done: io::Result<()>) -> io::Result<bool> {
    match done {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        done => done.map(|()| true),
    }
}

/// Accepts that the name is taken: the file then stays where it is, for the caller to keep.
fn taken_is_fine(done: io::Result<()>) -> io::Result<()> {
    moved(done).map(drop)
}
