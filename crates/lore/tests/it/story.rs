//! A vault in a repository at a fixed time, and a person who works beside Lore with an editor and git.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::sandbox::{Ran, Sandbox};

/// The time of every command that is given none.
pub const NOON: &str = "2026-11-01T12:00:00Z";

/// A credential for nothing, in two parts so that no scanner takes this file for a leak.
pub const TOKEN: [&str; 2] = ["ghp_9dK2mQx7Lw4Rt8Yv", "1Bn5Cz3Hs6Jf0Gp2Wq4E"];

/// A sandbox whose vault is in a repository.
pub struct Story {
    /// Its directory, with the vault `v`.
    pub sandbox: Sandbox,
}

impl Story {
    /// A directory in which git knows the person as Ada, and no vault yet.
    pub fn untold() -> Story {
        let sandbox = Sandbox::empty();
        let who = "[user]\n\tname = Ada\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n";
        fs::write(sandbox.root.join(".gitconfig"), who).expect("a file");
        fs::create_dir(sandbox.vault()).expect("a new directory");
        Story { sandbox }
    }

    /// A new vault of this profile, committed.
    pub fn of(profile: &str) -> Story {
        let story = Story::untold();
        story.lore(&["init", "--profile", profile]).ok();
        story
    }

    /// A new vault of this profile whose commits are pushed to `remote.git`.
    pub fn with_remote(profile: &str) -> Story {
        let story = Story::of(profile);
        story.git_in(&story.sandbox.root, &["init", "--quiet", "--bare", "remote.git"]);
        story.git(&["remote", "add", "origin", &story.remote().to_string_lossy()]);
        story.lore(&["git", "push"]).ok();
        story
    }

    /// The bare repository that the vault is pushed to.
    pub fn remote(&self) -> PathBuf {
        self.sandbox.root.join("remote.git")
    }

    /// `lore` at a time and with an input, by the actor `tester` in the session `s1`.
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

    /// Runs `lore` at noon for another actor.
    pub fn by(&self, actor: &str, arguments: &[&str]) -> Ran {
        run(self.at(NOON, arguments).env("LORE_ACTOR", actor))
    }

    /// Writes a whole page through Lore.
    pub fn put(&self, slug: &str, text: &str) -> Ran {
        let input = json!({ "slug": slug, "content": text }).to_string();
        self.lore(&["call", "put", &input])
    }

    /// Git in the vault, as the person would run it; gives what it prints.
    #[track_caller]
    pub fn git(&self, arguments: &[&str]) -> String {
        self.git_in(&self.sandbox.vault(), arguments)
    }

    /// Git in another directory.
    #[track_caller]
    pub fn git_in(&self, directory: &Path, arguments: &[&str]) -> String {
        let mut command = Command::new("git");
        command.args(arguments);
        self.sandbox.surround(&mut command);
        let ran = run(command.current_dir(directory));
        assert_eq!(ran.code, 0, "git {arguments:?}: {ran:?}");
        ran.text().trim_end().to_owned()
    }

    /// Commits everything as the person, and nothing of it is checked by Lore.
    #[track_caller]
    pub fn commit_by_hand(&self, subject: &str) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "-m", subject]);
    }

    /// The last commit.
    #[track_caller]
    pub fn head(&self) -> String {
        self.git(&["rev-parse", "HEAD"])
    }

    /// The first lines of the commits since one, the oldest first.
    #[track_caller]
    pub fn subjects_since(&self, commit: &str) -> Vec<String> {
        let log = self.git(&["log", "--reverse", "--format=%s", &format!("{commit}..HEAD")]);
        log.lines().map(str::to_owned).collect()
    }

    /// The files of a commit, with `A`, `M` or `D` before each.
    #[track_caller]
    pub fn files_of(&self, commit: &str) -> Vec<String> {
        let shown = self.git(&["show", "--no-renames", "--name-status", "--format=", commit]);
        shown.lines().map(|line| line.replace('\t', " ")).collect()
    }

    /// What differs from the last commit, as git says it.
    #[track_caller]
    pub fn uncommitted(&self) -> Vec<String> {
        let status = self.git(&["status", "--porcelain", "-uall"]);
        status.lines().map(str::to_owned).collect()
    }

    /// A second clone, as on another machine of the person's.
    pub fn clone_remote(&self) -> PathBuf {
        let other = self.sandbox.root.join("other");
        self.git_in(&self.sandbox.root, &["clone", "--quiet", "remote.git", "other"]);
        other
    }

    /// Commits a file in the second clone and pushes it.
    pub fn push_from(&self, clone: &Path, file: &str, text: &str) {
        fs::write(clone.join(file), text).expect("a file");
        self.git_in(clone, &["add", "--all"]);
        self.git_in(clone, &["commit", "--quiet", "-m", &format!("Elsewhere: {file}")]);
        self.git_in(clone, &["push", "--quiet"]);
    }

    /// Runs a refused command and asserts that neither a file nor git nor the index is another than before.
    #[track_caller]
    pub fn refuses(&self, run: impl FnOnce() -> Ran) -> Ran {
        // What the person did since is for the index to know first.
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

    /// What lint finds, as rule and path.
    #[track_caller]
    pub fn findings(&self) -> Vec<(String, String)> {
        let ran = self.lore(&["lint"]);
        assert!([0, 4].contains(&ran.code), "{ran:?}");
        let found = ran.json()["findings"].as_array().expect("a list").clone();
        let text = |found: &Value, key: &str| found[key].as_str().expect("text").to_owned();
        found.iter().map(|found| (text(found, "rule"), text(found, "path"))).collect()
    }

    /// A file of the vault as text.
    #[track_caller]
    pub fn read(&self, path: &str) -> String {
        String::from_utf8(self.sandbox.read(path)).expect("text")
    }

    /// Puts a part of a file in another's place, as an editor would.
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

/// The id of the node with this number.
pub fn id(number: u32) -> String {
    format!("0192f3a1-7c4e-7b21-9d55-{number:012x}")
}

/// A valid node of the profile `roam`.
pub fn node(number: u32, title: &str, body: &str) -> String {
    format!(
        "---\nid: {}\ntitle: {title}\nprojects: [general]\ncreated: 2026-10-01\nupdated: 2026-10-01\n\
         created_by: ada\nconfidence: observed\nvisibility: personal\nsource: chat 2026-10-01\n\
         status: current\nsummary: What {title} is about.\ntags: [observation]\n---\n# {title}\n\n{body}\n",
        id(number)
    )
}

/// The texts of a list of JSON.
#[track_caller]
pub fn texts(list: &Value) -> Vec<String> {
    let items = list.as_array().unwrap_or_else(|| panic!("no list: {list}"));
    items.iter().map(|item| item.as_str().expect("a text").to_owned()).collect()
}
