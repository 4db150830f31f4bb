//! A secret of this machine and user, which nobody who sends them a vault can know.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use tempfile::NamedTempFile;

use crate::files::{is_private, make_folder};
use crate::regular::read_regular;

/// Reads the secret in a file, which is created with a random one if it does not exist. `None` when it can be neither
/// read nor created, or when others can read it.
pub(crate) fn machine_secret(path: &Path) -> Option<[u8; 32]> {
    if let Some(secret) = stored(path) {
        return Some(secret);
    }
    let folder = path.parent()?;
    make_folder(folder).ok()?;
    let mut secret = [0; 32];
    getrandom::fill(&mut secret).ok()?;
    // Written whole before it has its name, and never replaced: another process may create it at the same moment.
    let mut file = NamedTempFile::new_in(folder).ok()?;
    file.write_all(&secret).and_then(|()| file.as_file().sync_all()).ok()?;
    let _ = file.persist_noclobber(path);
    stored(path)
}

fn stored(path: &Path) -> Option<[u8; 32]> {
    if fs::symlink_metadata(path).is_err() || !is_private(path) {
        return None;
    }
    read_regular(path, 32).ok()??.try_into().ok()
}
