//! Removes directories that a change has emptied.

use std::collections::BTreeSet;

use crate::dirfd::DirFd;
use crate::path::{folder, sidecar};
use crate::vault::Vault;

impl Vault {
    /// Removes the directories that these former files have left empty, and those above them that are empty then. The vault's
    /// own directory stays, and no symlink is followed.
    pub fn remove_emptied<'p>(&self, files: impl IntoIterator<Item = &'p str>) {
        let Ok(root) = DirFd::open(self.root()) else { return };
        let mut folders: BTreeSet<String> = BTreeSet::new();
        for file in files {
            let data = sidecar(file);
            for mut inside in [folder(file), folder(&data)] {
                while !inside.is_empty() {
                    folders.insert(inside.to_owned());
                    inside = folder(inside);
                }
            }
        }
        // A directory comes before those in it, so the last ones are the deepest.
        for path in folders.iter().rev() {
            let name = path.rsplit('/').next().unwrap_or(path);
            if let Ok(parent) = root.inside(folder(path), None) {
                parent.remove_folder(name);
            }
        }
    }
}
