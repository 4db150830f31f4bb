//! A vault in a temporary directory for the fuzz targets that need one, with files around it that nothing may touch.

use std::fs;
use std::path::{Path, PathBuf};

use lore::fuzzing::Instance;
use serde_json::json;
use tempfile::TempDir;

/// The text of the files outside the vault.
pub const OUTSIDE: &str = "CANARY-7f3a91";

/// The pages of the vault.
const PAGES: [(&str, &str); 4] = [
    (
        "page.md",
        "---\ntitle: Page\naliases: [diary]\n---\n# Page\n\nText about [[people/ada]].\n\n- knows [[people/ada]]\n",
    ),
    ("people/ada.md", "# Ada\n\n- lives_in:: London {2020..}\n\n---\n\n- **2024-01-02** | letter — Wrote.\n"),
    ("clients/plan.md", "# Plan\n\n## State\n\nOpen.\n"),
    ("Root Note.md", "# Root Note\n"),
];

/// A vault with a few pages, links that lead out of it, and files outside.
pub struct Scene {
    /// The vault.
    pub instance: Instance,
    root: PathBuf,
    surroundings: Vec<(PathBuf, Vec<u8>)>,
    _folder: TempDir,
}

impl Scene {
    /// Creates the vault.
    pub fn new() -> Scene {
        let folder = tempfile::tempdir().expect("a temporary directory");
        let root = folder.path().canonicalize().expect("it is there");
        fs::create_dir_all(root.join("outside")).expect("a folder");
        fs::write(root.join("outside/secret.md"), format!("# {OUTSIDE}\n")).expect("a file");
        fs::write(root.join("diary.md"), format!("# {OUTSIDE}\n")).expect("a file");
        let instance = Instance::create(&root);
        let vault = root.join("v");
        for (path, text) in PAGES {
            let path = vault.join(path);
            fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
            fs::write(path, text).expect("a page");
        }
        std::os::unix::fs::symlink("../outside", vault.join("out")).expect("a link");
        std::os::unix::fs::symlink("../diary.md", vault.join("diary.md")).expect("a link");
        instance.run("sync", json!({})).expect("a sync");
        let surroundings = surroundings(&root);
        Scene { instance, root, surroundings, _folder: folder }
    }

    /// The root of the vault.
    pub fn vault(&self) -> PathBuf {
        self.root.join("v")
    }

    /// Checks that nothing outside of the vault and Lore's home has changed.
    pub fn check_surroundings(&self) {
        assert_eq!(surroundings(&self.root), self.surroundings, "something outside the vault changed");
    }

    /// The files of the vault with their bytes, without what is in progress.
    pub fn files(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let vault = self.vault();
        let mut files = tree(&vault);
        files.retain(|(path, _)| !path.starts_with(vault.join(".lore")));
        files
    }
}

impl Default for Scene {
    fn default() -> Scene {
        Scene::new()
    }
}

/// Everything next to the vault but Lore's home.
fn surroundings(root: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = vec![(root.join("diary.md"), fs::read(root.join("diary.md")).unwrap_or_default())];
    for entry in fs::read_dir(root).expect("a folder") {
        found.push((entry.expect("an entry").path(), Vec::new()));
    }
    found.extend(tree(&root.join("outside")));
    found.sort();
    found
}

fn tree(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.expect("an entry").path();
        let about = fs::symlink_metadata(&path).expect("it is there");
        if about.is_dir() {
            found.extend(tree(&path));
        } else if about.is_symlink() {
            let target = fs::read_link(&path).expect("a link");
            found.push((path, target.as_os_str().as_encoded_bytes().to_owned()));
        } else {
            let bytes = fs::read(&path).expect("a file");
            found.push((path, bytes));
        }
    }
    found.sort();
    found
}
