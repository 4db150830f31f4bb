//! `pack` and `unpack`: a whole vault as one file, for another machine.

use std::path::PathBuf;

use clap::Args;
use lore_engine::Policy;
use lore_ports::local_id;
use lore_vault::{
    NewFolder, Pack as PackFile, PackManifest, PackWriter, TemporaryFolder, packed_files, real_target,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::error::{AppError, Result};
use crate::app::session::Session;
use crate::ops::line::Line;
use crate::ops::views::{Done, count};
use crate::ops::{Operation, Render};

/// Pack the vault into one file
///
/// The file contains the pages and all other files of the vault, its git history without hooks, its settings, its
/// ledger (versions, snapshots, imports) and its vectors, so that another machine need not embed anything again. A
/// manifest lists every file with its hash.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore pack notes.lorepack\n  lore unpack notes.lorepack --list")]
pub struct Pack {
    /// File to create
    file: PathBuf,
}

/// Output of `pack` and of `unpack --list`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PackList {
    /// Path of the pack.
    file: Line,
    /// Name of the vault.
    name: String,
    /// When it was packed.
    created: String,
    /// Version of Lore that packed it.
    lore: String,
    /// Number of pages.
    pages: u64,
    /// Size of the contents in bytes.
    bytes: u64,
    /// Files with their sizes and hashes.
    files: Vec<PackItem>,
}

/// A file of a pack.
#[derive(Debug, Serialize, JsonSchema)]
struct PackItem {
    path: Line,
    size: u64,
    hash: String,
}

impl Operation for Pack {
    const NAME: &'static str = "pack";
    const MACHINE: bool = true;
    const WRITES: bool = true;
    type Output = PackList;

    fn run(self, session: &Session) -> Result<PackList> {
        let file = real_target(&session.path(&self.file));
        let context = session.fresh()?;
        let root = context.vault().root();
        if file.starts_with(root) {
            return Err(AppError::usage(
                format!("{} is inside the vault", file.display()),
                "write the pack outside the vault",
            ));
        }
        let mut writer = PackWriter::create(&file)?;
        let temporary = TemporaryFolder::new("lore-pack-")?;
        let ledger = temporary.path().join("ledger.db");
        session.sqlite()?.extract(context.project(), &ledger)?;
        writer.add_ledger(&ledger)?;
        let files = packed_files(root);
        let progress = session.talk.progress("Packing");
        for (number, path) in files.iter().enumerate() {
            progress(number, files.len())?;
            writer.add_vault_file(root, path)?;
        }
        session.talk.finish();
        let pages = context.store().counts(context.project())?.pages;
        let created = context.now().timestamp().to_string();
        let manifest = writer.finish(context.name(), env!("CARGO_PKG_VERSION"), &created, pages)?;
        Ok(PackList::new(file.display().to_string(), &manifest))
    }
}

/// Unpack a vault into a new directory
///
/// Every file is verified against the manifest before the directory is created; a damaged pack is refused. The
/// directory must not exist yet, and the database must not contain the vault. The unpacked vault is not trusted: run
/// `lore trust DIR` once you have looked at it.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  lore unpack notes.lorepack ~/notes\n  lore unpack notes.lorepack --list --format human"
)]
pub struct Unpack {
    /// Pack to read
    file: PathBuf,
    /// New directory of the vault
    #[arg(required_unless_present = "list")]
    #[serde(default)]
    dir: Option<PathBuf>,
    /// Only list the contents
    #[arg(long, conflicts_with = "dir")]
    #[serde(default)]
    list: bool,
}

/// Output of `unpack`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum UnpackOutput {
    /// What a pack contains.
    List(PackList),
    /// What was unpacked.
    Done(Done),
}

impl Operation for Unpack {
    const NAME: &'static str = "unpack";
    const MACHINE: bool = true;
    const WRITES: bool = true;
    type Output = UnpackOutput;

    fn run(self, session: &Session) -> Result<UnpackOutput> {
        let path = session.path(&self.file);
        let mut pack = PackFile::open(&path)?;
        let Some(dir) = self.dir.filter(|_| !self.list) else {
            return Ok(UnpackOutput::List(PackList::new(path.display().to_string(), &pack.manifest)));
        };
        let dir = real_target(&session.path(&dir));
        let folder = NewFolder::create(&dir)?;
        let temporary = TemporaryFolder::new("lore-pack-")?;
        let ledger = temporary.path().join("ledger.db");
        let progress = session.talk.progress("Unpacking");
        pack.unpack(&folder, &ledger, &mut |done, total| drop(progress(done, total)))?;
        session.talk.finish();
        let root = folder.inside("lore.toml")?;
        let id = root.parent().and_then(|root| Policy::load(root).ok()).and_then(|policy| policy.id);
        let id = id.filter(|id| !id.is_empty()).unwrap_or_else(|| local_id(&dir.to_string_lossy()));
        session.sqlite()?.absorb(&ledger, &id, &pack.manifest.name)?;
        folder.finish()?;
        let pages = count(pack.manifest.pages, "page");
        Ok(UnpackOutput::Done(Done::new(format!(
            "unpacked {pages} to {}; run `lore trust {}` to use it",
            dir.display(),
            dir.display()
        ))))
    }
}

impl PackList {
    fn new(file: String, manifest: &PackManifest) -> PackList {
        let item = |(path, file): (&String, &lore_vault::PackedFile)| PackItem {
            path: path.clone().into(),
            size: file.size,
            hash: file.hash.to_string(),
        };
        PackList {
            file: file.into(),
            name: manifest.name.clone(),
            created: manifest.created.clone(),
            lore: manifest.lore.clone(),
            pages: manifest.pages,
            bytes: manifest.files.values().map(|file| file.size).sum(),
            files: manifest.files.iter().map(item).collect(),
        }
    }
}

impl Render for PackList {
    fn human(&self) -> String {
        let (pages, files) = (count(self.pages, "page"), count(self.files.len() as u64, "file"));
        format!(
            "{}: {} with {pages} in {files}, {} bytes, packed {}\n",
            self.file, self.name, self.bytes, self.created
        )
    }
}

impl Render for UnpackOutput {
    fn human(&self) -> String {
        match self {
            UnpackOutput::List(list) => {
                let mut text = list.human();
                text.extend(list.files.iter().map(|file| format!("{:>12}  {}\n", file.size, file.path)));
                text
            }
            UnpackOutput::Done(done) => done.human(),
        }
    }
}
