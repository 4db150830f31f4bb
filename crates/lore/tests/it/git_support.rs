//! A vault in a repository at a fixed time, and a person who uses an editor and git beside Lore.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::sandbox::{Ran, Sandbox};

/// The default time of a command.
pub const NOON: &str = "2026-11-01T12:00:00Z";

/// A fake credential, in two parts so that scanners do not report this file.
pub const TOKEN: [&str; 2] = ["ghp_9dK2mQx7Lw4Rt8Yv", "1Bn5Cz3Hs6Jf0Gp2Wq4E"];

/// A sandbox whose vault is in a repository.
pub struct GitVault {
    /// The directory, with the vault `v`.
    pub sandbox: Sandbox,
}

impl GitVault {
    /// Creates a directory in which git knows the person as Ada, without a vault.
    pub fn without_vault() -> GitVault {
        let sandbox = Sandbox::empty();
        let who = "[user]\n\tname = Ada\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n";
        fs::write(sandbox.root.join(".gitconfig"), who).expect("a file");
        fs::create_dir(sandbox.vault()).expect("a new directory");
        GitVault { sandbox }
    }

    /// Creates a committed vault of this profile. `roam` has Markdown pages here, and `roam-org` its own format.
    pub fn with_profile(profile: &str) -> GitVault {
        let vault = GitVault::without_vault();
        let options: &[&str] = match profile {
            "roam" => &["init", "--profile", "roam", "--pages", "markdown"],
            "roam-org" => &["init", "--profile", "roam"],
            profile => &["init", "--profile", profile],
        };
        vault.lore(options).ok();
        vault
    }

    /// Creates a vault of this profile with the remote `remote.git`.
    pub fn with_remote(profile: &str) -> GitVault {
        let vault = GitVault::with_profile(profile);
        vault.git_in(&vault.sandbox.root, &["init", "--quiet", "--bare", "remote.git"]);
        vault.git(&["remote", "add", "origin", &vault.remote().to_string_lossy()]);
        vault.lore(&["git", "push"]).ok();
        vault
    }

    /// Returns the path of the bare repository that the vault is pushed to.
    pub fn remote(&self) -> PathBuf {
        self.sandbox.root.join("remote.git")
    }

    /// Returns `lore` at a time, as the actor `tester` in the session `s1`.
    pub fn at(&self, now: &str, arguments: &[&str]) -> Command {
        let mut command = self.sandbox.command(arguments);
        command.env("LORE_NOW", now).env("LORE_SESSION", "s1");
        command
    }

    /// Runs `lore` at noon.
    pub fn lore(&self, arguments: &[&str]) -> Ran {
        run(&mut self.at(NOON, arguments))
    }

    /// Runs `lore` at another time.
    pub fn later(&self, now: &str, arguments: &[&str]) -> Ran {
        run(&mut self.at(now, arguments))
    }

    /// Runs `lore` at noon as another actor.
    pub fn by(&self, actor: &str, arguments: &[&str]) -> Ran {
        run(self.at(NOON, arguments).env("LORE_ACTOR", actor))
    }

    /// Writes a page through Lore.
    pub fn put(&self, slug: &str, text: &str) -> Ran {
        let input = json!({ "slug": slug, "content": text }).to_string();
        self.lore(&["call", "put", &input])
    }

    /// Runs git in the vault as the person; returns its output.
    #[track_caller]
    pub fn git(&self, arguments: &[&str]) -> String {
        self.git_in(&self.sandbox.vault(), arguments)
    }

    /// Runs git in another directory.
    #[track_caller]
    pub fn git_in(&self, directory: &Path, arguments: &[&str]) -> String {
        let mut command = Command::new("git");
        command.args(arguments);
        self.sandbox.isolate(&mut command);
        let ran = run(command.current_dir(directory));
        assert_eq!(ran.code, 0, "git {arguments:?}: {ran:?}");
        ran.text().trim_end().to_owned()
    }

    /// Commits everything as the person, without checks by Lore.
    #[track_caller]
    pub fn commit_by_hand(&self, subject: &str) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "-m", subject]);
    }

    /// Returns the last commit.
    #[track_caller]
    pub fn head(&self) -> String {
        self.git(&["rev-parse", "HEAD"])
    }

    /// Returns the subjects of the commits after one, oldest first.
    #[track_caller]
    pub fn subjects_since(&self, commit: &str) -> Vec<String> {
        let log = self.git(&["log", "--reverse", "--format=%s", &format!("{commit}..HEAD")]);
        log.lines().map(str::to_owned).collect()
    }

    /// Returns the files of a commit, each with `A`, `M` or `D`.
    #[track_caller]
    pub fn files_of(&self, commit: &str) -> Vec<String> {
        let shown = self.git(&["show", "--no-renames", "--name-status", "--format=", commit]);
        shown.lines().map(|line| line.replace('\t', " ")).collect()
    }

    /// Returns the changes since the last commit, in git's format.
    #[track_caller]
    pub fn uncommitted(&self) -> Vec<String> {
        let status = self.git(&["status", "--porcelain", "-uall"]);
        status.lines().map(str::to_owned).collect()
    }

    /// Clones the remote, as on another machine of the person.
    pub fn clone_remote(&self) -> PathBuf {
        let other = self.sandbox.root.join("other");
        self.git_in(&self.sandbox.root, &["clone", "--quiet", "remote.git", "other"]);
        other
    }

    /// Commits a file in the clone and pushes it.
    pub fn push_from(&self, clone: &Path, file: &str, text: &str) {
        fs::write(clone.join(file), text).expect("a file");
        self.git_in(clone, &["add", "--all"]);
        self.git_in(clone, &["commit", "--quiet", "-m", &format!("Elsewhere: {file}")]);
        self.git_in(clone, &["push", "--quiet"]);
    }

    /// Runs a command that must be refused, and asserts that files, git and index are unchanged.
    #[track_caller]
    pub fn refuses(&self, run: impl FnOnce() -> Ran) -> Ran {
        // Indexes the person's edits first.
        self.lore(&["sync"]).exits(0);
        let state = || (self.sandbox.files(), self.lore(&["--no-sync", "list"]).text());
        let before = state();
        let ran = run().exits(4);
        let after = state();
        let changed: Vec<&PathBuf> =
            after.0.iter().filter(|file| !before.0.contains(file)).map(|(path, _)| path).collect();
        assert!(before == after, "a refused write changed {changed:?}, or the index: {ran:?}");
        ran
    }

    /// Returns the lint findings, as rule and path.
    #[track_caller]
    pub fn findings(&self) -> Vec<(String, String)> {
        let ran = self.lore(&["lint"]);
        assert!([0, 4].contains(&ran.code), "{ran:?}");
        let found = ran.json()["findings"].as_array().expect("a list").clone();
        let text = |found: &Value, key: &str| found[key].as_str().expect("text").to_owned();
        found.iter().map(|found| (text(found, "rule"), text(found, "path"))).collect()
    }

    /// Returns a file of the vault as text.
    #[track_caller]
    pub fn read(&self, path: &str) -> String {
        String::from_utf8(self.sandbox.read(path)).expect("text")
    }

    /// Replaces a part of a file, like an editor.
    #[track_caller]
    pub fn edit_by_hand(&self, path: &str, old: &str, new: &str) {
        let text = self.read(path);
        assert!(text.contains(old), "{old:?} is not in {path}: {text}");
        self.sandbox.write(path, text.replace(old, new));
    }
}

fn run(command: &mut Command) -> Ran {
    command.stdin(Stdio::null()).output().expect("it runs").into()
}

/// Returns the id of the node with this number.
pub fn id(number: u32) -> String {
    format!("0192f3a1-7c4e-7b21-9d55-{number:012x}")
}

/// Returns a valid node of the `roam` profile.
pub fn node(number: u32, title: &str, body: &str) -> String {
    format!(
        "---\nid: {}\ntitle: {title}\nprojects: [general]\ncreated: 2026-10-01\nupdated: 2026-10-01\n\
         created_by: ada\nconfidence: observed\nvisibility: personal\nsource: chat 2026-10-01\n\
         status: current\nsummary: What {title} is about.\ntags: [observation]\n---\n# {title}\n\n{body}\n",
        id(number)
    )
}

/// Returns the strings of a JSON list.
#[track_caller]
pub fn texts(list: &Value) -> Vec<String> {
    let items = list.as_array().unwrap_or_else(|| panic!("no list: {list}"));
    items.iter().map(|item| item.as_str().expect("a text").to_owned()).collect()
}
