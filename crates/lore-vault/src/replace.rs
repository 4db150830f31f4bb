//! Files that belong to another program: replaced atomically, keeping their permissions and any symlink to them.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use tempfile::Builder;

use crate::error::{Error, Result};
use crate::files::{read_text, sync_folder};

/// Maximum number of symlinks on the way to a file, as in the system itself.
const MAX_LINKS: usize = 40;

/// Replaces or creates a file of another program if its text is still what was read; returns whether it did.
pub fn replace_unchanged(path: &Path, read: Option<&str>, text: &str) -> Result<bool> {
    // Resolved first, so that a symlink into a settings directory is kept.
    let place = resolve(path).map_err(|source| Error::Write { path: path.to_owned(), source })?;
    let failed = |source| Error::Write { path: path.to_owned(), source };
    let folder = place.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(failed)?;
    let mut builder = Builder::new();
    builder.prefix(".lore-");
    #[cfg(unix)]
    let builder = {
        use std::os::unix::fs::PermissionsExt as _;
        // Restricted by the umask, as for any new file.
        builder.permissions(fs::Permissions::from_mode(0o666))
    };
    let mut temporary = builder.tempfile_in(folder).map_err(failed)?;
    temporary.write_all(text.as_bytes()).map_err(failed)?;
    if let Ok(found) = fs::metadata(&place) {
        temporary.as_file().set_permissions(found.permissions()).map_err(failed)?;
    }
    temporary.as_file().sync_all().map_err(failed)?;
    if read_text(path)?.as_deref() != read {
        return Ok(false);
    }
    temporary.persist(&place).map_err(|error| failed(error.error))?;
    sync_folder(&place);
    Ok(true)
}

/// Returns where a path leads, even if nothing is there yet: a dangling symlink names the file to create.
fn resolve(path: &Path) -> io::Result<PathBuf> {
    let mut place = path.to_owned();
    for _ in 0..MAX_LINKS {
        if let Ok(real) = fs::canonicalize(&place) {
            return Ok(real);
        }
        match fs::read_link(&place) {
            Ok(target) => place = place.parent().unwrap_or(Path::new(".")).join(target),
            Err(_) => return Ok(place),
        }
    }
    Err(io::Error::new(io::ErrorKind::InvalidInput, "too many levels of symlinks"))
}

/// Returns the size of a file in bytes; `None` when it does not exist.
pub fn size_of(path: &Path) -> Option<u64> {
    fs::metadata(path).ok().filter(fs::Metadata::is_file).map(|found| found.len())
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    #[test]
    fn file_is_replaced_through_its_symlink_keeping_its_mode_unless_it_changed() {
        let folder = tempfile::tempdir().expect("a folder");
        let (real, link) = (folder.path().join("real.json"), folder.path().join("link.json"));
        fs::write(&real, "old").expect("a file");
        fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).expect("its mode");
        symlink(&real, &link).expect("a link");
        assert!(!replace_unchanged(&link, Some("other"), "new").expect("readable"));
        assert!(!replace_unchanged(&link, None, "new").expect("readable"));
        assert_eq!(fs::read_to_string(&real).expect("there"), "old");
        assert!(replace_unchanged(&link, Some("old"), "new").expect("writable"));
        assert!(fs::symlink_metadata(&link).expect("there").is_symlink());
        assert_eq!(fs::read_to_string(&real).expect("there"), "new");
        assert_eq!(fs::metadata(&real).expect("there").permissions().mode() & 0o777, 0o640);
        let names = fs::read_dir(folder.path()).expect("a folder").count();
        assert_eq!(names, 2, "nothing is left behind");
        let dangling = folder.path().join("dangling.json");
        symlink("dotfiles/settings.json", &dangling).expect("a link");
        assert!(replace_unchanged(&dangling, None, "made").expect("writable"));
        assert!(fs::symlink_metadata(&dangling).expect("there").is_symlink());
        let made = fs::read_to_string(folder.path().join("dotfiles/settings.json"));
        assert_eq!(made.expect("made"), "made");
        let deep = folder.path().join("a/b.json");
        assert!(replace_unchanged(&deep, None, "x").expect("made"));
        assert_eq!((size_of(&deep), size_of(folder.path())), (Some(1), None));
    }
}
