//! A vault in one file: a zip archive with a manifest that has the size and hash of every file. The archive's comment ends with
//! the hash of all bytes before it, since a zip reader ignores most of what a damaged directory says. Nothing is taken from a
//! pack before all of it is checked.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use lore_text::{ContentHash, ContentHasher};
use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use crate::error::{Error, Result};
use crate::new_folder::NewFolder;
use crate::regular::{open_regular, read_to_limit};
use crate::source::check_size;

/// Name of the manifest in the archive.
const MANIFEST: &str = "manifest.json";

/// Maximum size of a manifest.
const MAX_MANIFEST: u64 = 512 * 1024 * 1024;

/// Version of the format.
const FORMAT: u32 = 1;

/// Length of the hash at the end of a pack, in hexadecimal digits.
const SEAL: u64 = 64;

/// Directory of the vault's files in the archive.
const VAULT: &str = "vault/";

/// Name of the ledger in the archive.
const LEDGER: &str = "ledger.db";

/// What a pack contains.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PackManifest {
    /// Version of the format.
    pub format: u32,
    /// Version of the program that made it.
    pub lore: String,
    /// Name of the vault.
    pub name: String,
    /// When it was made.
    pub created: String,
    /// Number of pages.
    pub pages: u64,
    /// Size and hash of every file, by its name in the archive.
    pub files: BTreeMap<String, PackedFile>,
}

/// A file of a pack.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackedFile {
    /// Size in bytes.
    pub size: u64,
    /// Hash of the bytes.
    pub hash: ContentHash,
}

/// A pack that is being written.
pub struct PackWriter {
    writer: ZipWriter<NamedTempFile>,
    target: std::path::PathBuf,
    files: BTreeMap<String, PackedFile>,
}

impl PackWriter {
    /// Starts a pack; no file may have its name.
    pub fn create(target: &Path) -> Result<PackWriter> {
        if crate::files::exists(target) {
            return Err(Error::Exists { path: target.to_owned() });
        }
        let parent =
            target.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let made = tempfile::Builder::new().prefix(".lore-").tempfile_in(parent);
        let file = made.map_err(|source| Error::Write { path: target.to_owned(), source })?;
        Ok(PackWriter { writer: ZipWriter::new(file), target: target.to_owned(), files: BTreeMap::new() })
    }

    /// Adds a file of the vault; one that is gone or no regular file is left out.
    pub fn add_vault_file(&mut self, root: &Path, path: &str) -> Result<bool> {
        match open_regular(&root.join(path), false) {
            Ok(file) => self.add(&format!("{VAULT}{path}"), file).map(|()| true),
            Err(_) => Ok(false),
        }
    }

    /// Adds the ledger.
    pub fn add_ledger(&mut self, path: &Path) -> Result<()> {
        let file =
            open_regular(path, false).map_err(|source| Error::Read { path: path.to_owned(), source })?;
        self.add(LEDGER, file)
    }

    fn add(&mut self, name: &str, file: File) -> Result<()> {
        let failed = |source: io::Error| Error::Write { path: self.target.clone(), source };
        let size = file.metadata().map_or(0, |found| found.len());
        // Objects of git are compressed already.
        let is_packed = name.contains("/.git/objects/");
        let method = if is_packed { CompressionMethod::Stored } else { CompressionMethod::Deflated };
        let options =
            SimpleFileOptions::default().compression_method(method).large_file(size >= u64::from(u32::MAX));
        self.writer.start_file(name, options).map_err(|error| failed(error.into()))?;
        let packed = copy_hashed(file, &mut self.writer).map_err(failed)?;
        self.files.insert(name.to_owned(), packed);
        Ok(())
    }

    /// Adds the manifest and gives the pack its name.
    pub fn finish(mut self, name: &str, lore: &str, created: &str, pages: u64) -> Result<PackManifest> {
        let failed = |source: io::Error| Error::Write { path: self.target.clone(), source };
        let manifest = PackManifest {
            format: FORMAT,
            lore: lore.to_owned(),
            name: name.to_owned(),
            created: created.to_owned(),
            pages,
            files: std::mem::take(&mut self.files),
        };
        let bytes = serde_json::to_vec(&manifest).unwrap_or_default();
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
        self.writer.start_file(MANIFEST, options).map_err(|error| failed(error.into()))?;
        self.writer.write_all(&bytes).map_err(failed)?;
        let unsealed = "0".repeat(SEAL as usize);
        self.writer.set_comment(format!("sha256:{unsealed}")).map_err(|error| failed(error.into()))?;
        let mut file = self.writer.finish().map_err(|error| failed(error.into()))?;
        let seal = hash_before_seal(file.as_file_mut()).map_err(failed)?;
        file.write_all(seal.to_string().as_bytes()).map_err(failed)?;
        file.as_file().sync_all().map_err(failed)?;
        file.persist_noclobber(&self.target).map_err(|error| failed(error.error))?;
        Ok(manifest)
    }
}

/// An open pack.
pub struct Pack {
    archive: ZipArchive<File>,
    path: std::path::PathBuf,
    /// What it contains.
    pub manifest: PackManifest,
}

impl Pack {
    /// Opens a pack and reads its manifest. A file that is listed twice, missing, or not listed is damage.
    pub fn open(path: &Path) -> Result<Pack> {
        let refuse = |reason: String| Error::Source { path: path.to_owned(), reason };
        let unreadable = |source| Error::Read { path: path.to_owned(), source };
        let mut file = open_regular(path, true).map_err(unreadable)?;
        let broken = |error: &dyn std::fmt::Display| refuse(format!("it is damaged, or not a pack: {error}"));
        if !is_sealed(&mut file).map_err(unreadable)? {
            return Err(broken(&"its bytes do not have the hash at its end"));
        }
        let mut archive = ZipArchive::new(file).map_err(|error| broken(&error))?;
        let manifest = {
            let entry = archive.by_name(MANIFEST).map_err(|error| broken(&error))?;
            let bytes = read_to_limit(entry, MAX_MANIFEST).map_err(|error| broken(&error))?;
            serde_json::from_slice::<PackManifest>(&bytes).map_err(|error| broken(&error))?
        };
        if manifest.format != FORMAT {
            return Err(refuse(format!(
                "it has format {}, and this version reads {FORMAT}",
                manifest.format
            )));
        }
        let packed = std::fs::metadata(path).map_err(unreadable)?.len();
        let (mut names, mut contents) = (0, 0u64);
        for index in 0..archive.len() {
            let entry = archive.by_index_raw(index).map_err(|error| broken(&error))?;
            let name = entry.name().map_err(|error| broken(&error))?;
            let listed = manifest.files.get(name.as_ref()).is_some_and(|file| file.size == entry.size());
            if name != MANIFEST && !listed {
                return Err(refuse(format!("it is damaged: {name:?} is not in its manifest")));
            }
            names += 1;
            contents = contents.saturating_add(entry.size());
        }
        check_size(contents, packed).map_err(refuse)?;
        if names != manifest.files.len() + 1 {
            return Err(refuse("it is damaged: files of its manifest are missing".to_owned()));
        }
        Ok(Pack { archive, path: path.to_owned(), manifest })
    }

    /// Writes the files of the vault to a new directory and the ledger to a file, and checks every one of them.
    pub fn unpack(
        &mut self,
        folder: &NewFolder,
        ledger: &Path,
        progress: &mut dyn FnMut(usize, usize),
    ) -> Result<()> {
        let total = self.manifest.files.len();
        let files = self.manifest.files.clone();
        for (number, (name, file)) in files.iter().enumerate() {
            progress(number, total);
            let to = match name.strip_prefix(VAULT) {
                Some(path) => folder.prepare(path)?,
                None if name == LEDGER => ledger.to_owned(),
                None => return Err(self.refuse(name, "it is in no known place")),
            };
            let written = self.copy(name, &to).map_err(|error| self.refuse(name, &error.to_string()))?;
            if written != *file {
                return Err(self.refuse(name, "its bytes are not those of the manifest"));
            }
        }
        if !files.contains_key(LEDGER) {
            return Err(self.refuse(LEDGER, "it is missing"));
        }
        Ok(())
    }

    fn refuse(&self, name: &str, why: &str) -> Error {
        Error::Source { path: self.path.clone(), reason: format!("{name:?} is damaged: {why}") }
    }

    fn copy(&mut self, name: &str, to: &Path) -> io::Result<PackedFile> {
        let entry = self.archive.by_name(name).map_err(|error| io::Error::other(error.to_string()))?;
        let limit = entry.size();
        let mut file = File::create_new(to)?;
        let written = copy_hashed(entry.take(limit.saturating_add(1)), &mut file)?;
        if written.size > limit {
            return Err(io::Error::other("it is longer than the archive says"));
        }
        file.sync_all()?;
        Ok(written)
    }
}

/// Copies everything and returns its size and hash.
fn copy_hashed(mut from: impl Read, mut to: impl Write) -> io::Result<PackedFile> {
    let (mut hasher, mut size) = (ContentHasher::default(), 0);
    let mut buffer = vec![0; 1 << 16];
    loop {
        let read = from.read(&mut buffer)?;
        if read == 0 {
            return Ok(PackedFile { size, hash: hasher.finish() });
        }
        hasher.update(&buffer[..read]);
        size += read as u64;
        to.write_all(&buffer[..read])?;
    }
}

/// Returns the hash of everything before the seal and leaves the file at the seal.
fn hash_before_seal(file: &mut File) -> io::Result<ContentHash> {
    let end = file.seek(SeekFrom::End(0))?.saturating_sub(SEAL);
    file.rewind()?;
    Ok(copy_hashed(file.take(end), io::sink())?.hash)
}

/// Returns whether a file ends with the hash of everything before it.
fn is_sealed(file: &mut File) -> io::Result<bool> {
    let expected = hash_before_seal(file)?.to_string();
    let mut seal = Vec::new();
    Read::take(&mut *file, SEAL).read_to_end(&mut seal)?;
    file.rewind()?;
    Ok(seal == expected.as_bytes())
}

/// Returns the files of a vault that a pack has: all of them with the history of git, but neither what runs nor what is
/// temporary.
pub fn packed_files(root: &Path) -> Vec<String> {
    let walker = ignore::WalkBuilder::new(root).standard_filters(false).follow_links(false).build();
    let mut files: Vec<String> = walker
        .flatten()
        .filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()))
        .filter_map(|entry| {
            Some(entry.path().strip_prefix(root).ok()?.to_str()?.replace(std::path::MAIN_SEPARATOR, "/"))
        })
        .filter(|path| {
            let left_out = [".lore/staging/", ".git/hooks/", ".git/index.lock"];
            !left_out.iter().any(|start| path.starts_with(start))
        })
        .collect();
    files.sort();
    files
}
