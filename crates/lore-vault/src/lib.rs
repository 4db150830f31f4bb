//! The files of a vault, its git repository and its watcher: the only crate that accesses the file system.
//!
//! Every error names the file. A write is staged in the vault, synced, then renamed, so that at any moment a file has
//! either its old bytes or its new ones.
//!
//! Its place among the crates is enforced: what it must not know does not compile.
//!
//! ```compile_fail
//! use lore_ports::Store; // It knows no database.
//! ```

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "this is the crate the ban points to"
)]

mod dirfd;
mod empty_folders;
mod error;
pub mod fault;
mod files;
pub mod git;
mod ignore_rules;
mod lock;
mod names;
mod new_folder;
mod obsidian;
mod pack;
mod path;
pub mod process;
mod regular;
mod replace;
mod secret;
mod source;
mod staging;
mod text;
mod vault;
mod walk;
mod watch;

pub use error::{Error, Result};
pub use files::{
    ChangeStamp, FolderIdentity, TemporaryFolder, exists, file_id, identity_of, is_dir, is_private,
    list_folder, list_names, make_folder, make_private, modified, own_user, read_bytes, read_entry,
    read_text, real_folder, remove_file, restrict, set_aside, write_dated, write_new, write_new_private,
    write_passing, write_private,
};
pub use lock::{FolderLock, WatchLock};
pub use names::{EXTENSIONS, IGNORE_FILES, POLICY_FILE, is_hidden, is_page};
pub use new_folder::{NewFolder, real_target};
pub use pack::{Pack, PackManifest, PackWriter, PackedFile, packed_files};
pub use path::{
    EXPECTATIONS_FILE, VaultPath, folder, is_attachment_path, is_page_path, is_sidecar, pages_of_sidecar,
    relative, sidecar, without_extension,
};
pub use regular::read_to_limit;
pub use replace::{replace_unchanged, size_of};
pub use source::{SourceFile, SourceTree, first_line};
pub use staging::{SealedRecord, Staging, StepHashes};
pub use text::{Decoded, decode};
pub use vault::{FileBytes, Vault};
pub use walk::{
    DiskFile, Scan, Skipped, all_files, files, files_below, folders, hidden_pages, ignored, scan, stat,
    stat_files,
};
pub use watch::{DEBOUNCE, Event, Wake, Watching, next_source_wake, next_wake, watch, watch_source};
