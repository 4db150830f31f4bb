//! What a file's name says about it: hidden, a page, the policy, an ignore file.

use std::ffi::OsStr;

/// Name of the policy file in the vault's root.
pub const POLICY_FILE: &str = "lore.toml";

/// The ignore files, by precedence. `.bmignore` is that of Basic Memory.
pub const IGNORE_FILES: [&str; 3] = [".loreignore", ".bmignore", ".gitignore"];

/// The directory of Obsidian's settings.
pub(crate) const OBSIDIAN: &str = ".obsidian";

/// A directory of packages that is never part of a vault unless an ignore file whitelists it.
pub(crate) const PACKAGES: &str = "node_modules";

/// The extensions of a page.
pub const EXTENSIONS: [&str; 3] = ["md", "markdown", "org"];

/// Whether a name is hidden. Hidden files are neither walked, watched nor listed, and only sidecar data is written below a
/// hidden name.
pub fn is_hidden(name: impl AsRef<OsStr>) -> bool {
    name.as_ref().as_encoded_bytes().starts_with(b".")
}

/// Whether a file name is a page's.
pub fn is_page(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(stem, extension)| {
        !stem.is_empty() && EXTENSIONS.iter().any(|known| extension.eq_ignore_ascii_case(known))
    })
}
