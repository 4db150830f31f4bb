//! Reads what somebody wants to import: a directory, a zip archive or a single file. Read-only; sizes are bounded, no
//! symlink is followed, and nothing of an archive is unpacked to a path that it names.

mod archive;

use std::fs;
use std::io::{self, BufRead as _, Read};
use std::path::{Path, PathBuf};

use ignore::WalkBuilder;

use crate::error::{Error, Result};
use crate::regular::{open_regular, read_to_limit};
use crate::walk::Skipped;

use archive::Archive;
pub(crate) use archive::check_size;

/// Maximum number of files in a source.
const MAX_FILES: usize = 1_000_000;

/// A source of files to import.
pub struct SourceTree {
    root: PathBuf,
    kind: TreeKind,
    /// The files, sorted by path.
    pub files: Vec<SourceFile>,
    /// What is not read, and why.
    pub skipped: Vec<Skipped>,
    /// Directories without any file, sorted.
    pub empty_folders: Vec<String>,
}

enum TreeKind {
    Folder,
    Archives(Vec<Archive>),
    File,
}

/// A file of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFile {
    /// Path inside the source, with `/`.
    pub path: String,
    /// Size in bytes.
    pub size: u64,
    /// Archive and number of the entry in it.
    entry: (usize, usize),
}

impl SourceTree {
    /// Opens a directory, a zip archive or a single file.
    pub fn open(path: &Path) -> Result<SourceTree> {
        let failed = |source| Error::Read { path: path.to_owned(), source };
        // The path is the person's own, so a symlink to the source itself is followed.
        let root = fs::canonicalize(path).map_err(failed)?;
        let found = fs::metadata(&root).map_err(failed)?;
        let mut tree = SourceTree {
            root,
            kind: TreeKind::File,
            files: Vec::new(),
            skipped: Vec::new(),
            empty_folders: Vec::new(),
        };
        if found.is_dir() {
            tree.kind = TreeKind::Folder;
            tree.list_folder()?;
        } else if is_zip(&tree.root).map_err(failed)? {
            let (archives, files, skipped) = archive::open(&tree.root)?;
            (tree.kind, tree.files, tree.skipped) = (TreeKind::Archives(archives), files, skipped);
        } else {
            let name = tree.root.file_name().map(|name| name.to_string_lossy().into_owned());
            tree.files =
                vec![SourceFile { path: name.unwrap_or_default(), size: found.len(), entry: (0, 0) }];
        }
        tree.files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(tree)
    }

    /// Returns the absolute path of the source.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns whether the source is a directory.
    pub fn is_folder(&self) -> bool {
        matches!(self.kind, TreeKind::Folder)
    }

    /// Returns whether the source is an archive.
    pub fn is_archive(&self) -> bool {
        matches!(self.kind, TreeKind::Archives(_))
    }

    /// Leaves out files; returns their paths.
    pub fn leave_out(&mut self, is_left_out: impl Fn(&str) -> bool) -> Vec<String> {
        let (out, kept) =
            std::mem::take(&mut self.files).into_iter().partition(|file| is_left_out(&file.path));
        self.files = kept;
        let out: Vec<SourceFile> = out;
        out.into_iter().map(|file| file.path).collect()
    }

    /// Returns whether there is a file at a path of the source.
    pub fn has(&self, path: &str) -> bool {
        self.files.binary_search_by(|file| file.path.as_str().cmp(path)).is_ok()
    }

    /// Returns the file at a path of the source.
    pub fn file(&self, path: &str) -> Option<&SourceFile> {
        let at = self.files.binary_search_by(|file| file.path.as_str().cmp(path)).ok()?;
        self.files.get(at)
    }

    /// Reads a file of at most `limit` bytes.
    pub fn read(&self, file: &SourceFile, limit: u64) -> Result<Vec<u8>> {
        if file.size > limit {
            return Err(Error::TooLarge { path: file.path.clone(), size: file.size, limit });
        }
        self.stream(file, |reader| read_to_limit(reader, limit))
    }

    /// Reads a file piece by piece.
    pub fn stream<T>(
        &self,
        file: &SourceFile,
        work: impl FnOnce(&mut dyn Read) -> io::Result<T>,
    ) -> Result<T> {
        let full = self.full(file);
        let failed = |source| Error::Read { path: full.clone(), source };
        match &self.kind {
            TreeKind::Archives(archives) => match archives.get(file.entry.0) {
                Some(archive) => archive.stream(file.entry.1, work).map_err(failed),
                None => Err(failed(io::ErrorKind::NotFound.into())),
            },
            TreeKind::Folder | TreeKind::File => {
                let mut open = open_regular(&full, false).map_err(failed)?;
                work(&mut open).map_err(failed)
            }
        }
    }

    /// Returns the files whose bytes are kept: those of a directory, else the archive or the file itself.
    pub fn originals(&self) -> Vec<SourceFile> {
        match &self.kind {
            TreeKind::Folder => self.files.clone(),
            TreeKind::Archives(_) | TreeKind::File => {
                let name = self.root.file_name().map(|name| name.to_string_lossy().into_owned());
                let size = fs::metadata(&self.root).map_or(0, |found| found.len());
                vec![SourceFile { path: name.unwrap_or_default(), size, entry: (0, 0) }]
            }
        }
    }

    /// Reads an original piece by piece, each of at most `piece` bytes.
    pub fn read_original(
        &self,
        file: &SourceFile,
        piece: usize,
        mut work: impl FnMut(Vec<u8>) -> io::Result<()>,
    ) -> Result<()> {
        let full = if self.is_folder() { self.full(file) } else { self.root.clone() };
        let failed = |source| Error::Read { path: full.clone(), source };
        let mut open = open_regular(&full, false).map_err(failed)?;
        loop {
            let mut bytes = Vec::new();
            open.by_ref().take(piece as u64).read_to_end(&mut bytes).map_err(failed)?;
            if bytes.is_empty() {
                return Ok(());
            }
            work(bytes).map_err(failed)?;
        }
    }

    fn full(&self, file: &SourceFile) -> PathBuf {
        if self.is_folder() { self.root.join(&file.path) } else { self.root.clone() }
    }

    fn list_folder(&mut self) -> Result<()> {
        let walker = WalkBuilder::new(&self.root)
            .standard_filters(false)
            .follow_links(false)
            .filter_entry(|entry| entry.file_name() != ".git")
            .build();
        let mut folders = Vec::new();
        for entry in walker {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    self.skip(String::new(), &format!("cannot be read: {error}"));
                    continue;
                }
            };
            let Ok(inside) = entry.path().strip_prefix(&self.root) else { continue };
            if inside.as_os_str().is_empty() {
                continue;
            }
            let Some(path) = inside.to_str().map(|path| path.replace(std::path::MAIN_SEPARATOR, "/")) else {
                self.skip(inside.to_string_lossy().into_owned(), "its name is not UTF-8");
                continue;
            };
            match entry.file_type() {
                Some(kind) if kind.is_dir() => folders.push(path),
                Some(kind) if kind.is_file() => {
                    let size = entry.metadata().map_or(0, |found| found.len());
                    self.files.push(SourceFile { path, size, entry: (0, 0) });
                }
                Some(kind) if kind.is_symlink() => {
                    self.skip(path, "it is a symlink; symlinks are not followed");
                }
                _ => self.skip(path, "it is not a regular file"),
            }
            if self.files.len() > MAX_FILES {
                let reason = format!("it has more than {MAX_FILES} files");
                return Err(Error::Source { path: self.root.clone(), reason });
            }
        }
        let mut used: Vec<&str> = self.files.iter().map(|file| file.path.as_str()).collect();
        used.extend(folders.iter().map(String::as_str));
        used.extend(self.skipped.iter().map(|skipped| skipped.path.as_str()));
        let parents: std::collections::BTreeSet<&str> =
            used.iter().filter_map(|path| Some(path.rsplit_once('/')?.0)).collect();
        let is_empty = |folder: &String| !parents.contains(folder.as_str());
        self.empty_folders = folders.iter().filter(|folder| is_empty(folder)).cloned().collect();
        self.empty_folders.sort();
        Ok(())
    }

    fn skip(&mut self, path: String, reason: &str) {
        self.skipped.push(Skipped { path, reason: reason.to_owned() });
    }
}

fn is_zip(path: &Path) -> io::Result<bool> {
    let start = read_start(path)?;
    Ok(start.starts_with(b"PK\x03\x04") || start.starts_with(b"PK\x05\x06"))
}

fn read_start(path: &Path) -> io::Result<Vec<u8>> {
    let mut start = Vec::new();
    open_regular(path, false)?.take(4).read_to_end(&mut start)?;
    Ok(start)
}

/// Reads the first line, without its end; one with more than `limit` bytes is cut.
pub fn first_line(reader: &mut dyn Read, limit: u64) -> io::Result<Vec<u8>> {
    let mut line = Vec::new();
    io::BufReader::new(reader.take(limit)).read_until(b'\n', &mut line)?;
    Ok(line.trim_ascii_end().to_vec())
}
