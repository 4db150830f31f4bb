//! The durable half of the storage port: what no file contains.

use lore_text::ContentHash;

use crate::error::Result;
use crate::rows::ProjectNo;

/// The durable half: data that no file contains. Upgrades preserve it; it cannot be rebuilt.
pub trait Ledger {
    /// Returns the version of each page and the hash of its bytes, in the given order; `None` when it was never changed.
    fn versions(&self, project: ProjectNo, paths: &[&str]) -> Result<Vec<Option<(u64, ContentHash)>>>;

    /// Stores versions of pages.
    fn set_versions(&self, project: ProjectNo, versions: &[(&str, u64, ContentHash)]) -> Result<()>;

    /// Returns the highest version of a page that has lost each of these slugs, by a deletion, a move or a collision, in
    /// the given order.
    fn released_versions(&self, project: ProjectNo, slugs: &[&str]) -> Result<Vec<Option<u64>>>;

    /// Stores that pages at these versions have lost their slugs; the highest version of a slug counts.
    fn release_slugs(&self, project: ProjectNo, slugs: &[(&str, u64)]) -> Result<()>;

    /// Returns the ids assigned to pages whose files have none, in the given order; `None` where it is the one derived
    /// from the path.
    fn identities(&self, project: ProjectNo, paths: &[&str]) -> Result<Vec<Option<String>>>;

    /// Stores such ids.
    fn set_identities(&self, project: ProjectNo, ids: &[(&str, &str)]) -> Result<()>;

    /// Returns the former paths of pages that were moved outside Lore, each with the current path, sorted.
    fn former_paths(&self, project: ProjectNo) -> Result<Vec<(String, String)>>;

    /// Stores former paths, each with the current path of its page; `None` removes one.
    fn set_former_paths(&self, project: ProjectNo, paths: &[(&str, Option<&str>)]) -> Result<()>;

    /// Moves versions, snapshots and former paths to the new paths of pages (from, to), in the given order, replacing those that a
    /// deleted page left there.
    fn rename(&self, project: ProjectNo, moves: &[(&str, &str)]) -> Result<()>;

    /// Returns the version of one page, as [`versions`](Ledger::versions) does.
    fn version(&self, project: ProjectNo, path: &str) -> Result<Option<(u64, ContentHash)>> {
        Ok(self.versions(project, &[path])?.pop().flatten())
    }

    /// Stores the version of one page.
    fn set_version(&self, project: ProjectNo, path: &str, version: u64, hash: ContentHash) -> Result<()> {
        self.set_versions(project, &[(path, version, hash)])
    }

    /// Stores the bytes that a write replaced or removed.
    fn add_snapshot(&self, project: ProjectNo, snapshot: &NewSnapshot<'_>) -> Result<()>;

    /// Returns a page's snapshots, newest first, without their bytes.
    fn snapshots(&self, project: ProjectNo, path: &str) -> Result<Vec<SnapshotRow>>;

    /// Returns the snapshots of all pages, each with its path, without their bytes. Includes those of pages that are gone.
    fn all_snapshots(&self, project: ProjectNo) -> Result<Vec<(String, SnapshotRow)>>;

    /// Replaces the bytes of a snapshot, which had to be changed after the fact.
    fn rewrite_snapshot(&self, project: ProjectNo, number: i64, bytes: &[u8]) -> Result<()>;

    /// Returns the bytes of a snapshot.
    fn snapshot_bytes(&self, project: ProjectNo, number: i64) -> Result<Option<Vec<u8>>>;

    /// Deletes a project's snapshots taken before a time in milliseconds since 1970, and bytes written before it; returns
    /// how many snapshots.
    fn prune_snapshots(&self, project: ProjectNo, before: i64) -> Result<usize>;

    /// Returns who last wrote a file through Lore.
    fn author(&self, project: ProjectNo, path: &str) -> Result<Option<Authorship>>;

    /// Stores who wrote a file, with the bytes if they are known and the time in milliseconds since 1970.
    fn set_author(
        &self,
        project: ProjectNo,
        path: &str,
        author: &Authorship,
        bytes: Option<&[u8]>,
        at: i64,
    ) -> Result<()>;

    /// Turns the bytes that were last written to files through Lore into snapshots with this time. Returns for each file
    /// whether there were any: they are kept once, until they expire like a snapshot.
    fn keep_written(&self, project: ProjectNo, files: &[WrittenFile<'_>], at: i64) -> Result<Vec<bool>>;

    /// Deletes the bytes that were last written to the files of a project, but not the snapshots.
    fn drop_written(&self, project: ProjectNo) -> Result<()>;
}

/// Who last wrote a file through Lore.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Authorship {
    /// Hash of the file at that time.
    pub hash: ContentHash,
    /// Who wrote it.
    pub actor: String,
    /// Whether the file contained nothing written by anyone else.
    pub sole_author: bool,
}

/// A file that was written through Lore and has been replaced since.
#[derive(Debug, Clone, Copy)]
pub struct WrittenFile<'a> {
    /// Its path.
    pub path: &'a str,
    /// The version of the bytes that were written.
    pub version: u64,
    /// If given, only bytes with this hash are kept.
    pub hash: Option<ContentHash>,
    /// The mode of the file.
    pub mode: Option<u32>,
}

/// A snapshot to store.
#[derive(Debug)]
pub struct NewSnapshot<'a> {
    /// The page's path.
    pub path: &'a str,
    /// The version of these bytes.
    pub version: u64,
    /// Hash of the bytes.
    pub hash: ContentHash,
    /// The bytes.
    pub bytes: &'a [u8],
    /// When it was taken, in milliseconds since 1970.
    pub at: i64,
    /// Who wrote the bytes through Lore; empty when unknown.
    pub actor: &'a str,
    /// The file's mode, if known.
    pub mode: Option<u32>,
}

/// A stored snapshot of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SnapshotRow {
    /// Its number.
    pub number: i64,
    /// The page's version at that time.
    pub version: u64,
    /// Hash of the bytes.
    pub hash: ContentHash,
    /// Size in bytes.
    pub size: u64,
    /// When it was replaced, in milliseconds since 1970.
    pub at: i64,
    /// Who wrote it through Lore; empty when unknown.
    pub actor: String,
    /// The file's mode, if known.
    pub mode: Option<u32>,
}
