//! git in real repositories in temporary directories, isolated from the user's own settings.

#![expect(clippy::disallowed_methods, reason = "the tests create the files that git works on")]

mod blame;
mod commit;
mod hostile;
mod objects;
mod odd_repositories;
mod remote;
mod tree;
mod trouble;

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use tempfile::TempDir;

use super::*;

/// A temporary directory with its own home directory and repositories.
struct Place {
    folder: TempDir,
}

impl Place {
    /// With a configured user name.
    fn new() -> Place {
        Place::with_settings(
            "[user]\n\tname = Ada\n\temail = ada@example.org\n[protocol \"file\"]\n\tallow = always\n",
        )
    }

    fn with_settings(settings: &str) -> Place {
        let place = Place { folder: TempDir::new().expect("a temporary directory") };
        place.write("home/.gitconfig", settings);
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        fs::write(path, text).expect("a file");
    }

    /// Writes the same text to several files of a directory.
    fn write_all(&self, folder: &str, files: &[&str], text: &str) {
        files.iter().for_each(|file| self.write(&format!("{folder}/{file}"), text));
    }

    /// Writes an executable script through `install`: a file that is open for writing cannot be executed, and a process
    /// that another thread starts at that moment inherits the open file.
    fn script(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        self.write(&format!("{name}.txt"), &format!("#!/bin/sh\n{text}\n"));
        let source = self.path(&format!("{name}.txt"));
        let installed = Command::new("install").args(["-m", "755"]).arg(source).arg(&path).status();
        assert!(installed.expect("install runs").success());
        path
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect("a file")
    }

    fn remove(&self, name: &str) {
        fs::remove_file(self.path(name)).expect("a file to remove");
    }

    fn environment(&self) -> [(&'static str, PathBuf); 4] {
        [
            ("HOME", self.path("home")),
            ("XDG_CONFIG_HOME", self.path("home/.config")),
            ("GIT_CONFIG_GLOBAL", self.path("home/.gitconfig")),
            ("GIT_CONFIG_NOSYSTEM", "1".into()),
        ]
    }

    /// Runs git in a directory and returns its output.
    #[track_caller]
    fn git(&self, folder: &str, arguments: &[&str]) -> String {
        let mut command = Command::new("git");
        command.arg("-C").arg(self.path(folder)).args(arguments).envs(self.environment());
        let output = command.output().expect("git runs");
        let talk = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "git {arguments:?}: {talk}");
        String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
    }

    /// Creates a repository whose root is the vault.
    fn repository(&self, name: &str) -> Repo {
        fs::create_dir_all(self.path(name)).expect("a folder");
        self.git(name, &["init", "--quiet", "--initial-branch=main"]);
        self.find(name)
    }

    /// Creates a repository with these files committed.
    fn repository_of(&self, name: &str, files: &[&str]) -> Repo {
        let repo = self.repository(name);
        self.write_all(name, files, "first\n");
        self.git(name, &["add", "."]);
        self.git(name, &["commit", "--quiet", "--message=first"]);
        repo
    }

    /// Finds the repository around a vault, with this place's settings.
    fn find(&self, name: &str) -> Repo {
        let repo = Repo::find(&self.path(name)).expect("a repository");
        self.environment().into_iter().fold(repo, |repo, (key, value)| repo.with_env(key, value))
    }

    /// Returns the files of the last commit, each with its status letter.
    #[track_caller]
    fn last_commit(&self, name: &str) -> Vec<String> {
        let listing = ["show", "--format=", "--name-status", "--no-renames", "-z", "HEAD"];
        let fields = self.git(name, &listing);
        let fields: Vec<&str> = fields.split_terminator('\0').collect();
        fields.chunks(2).map(|pair| pair.join(" ")).collect()
    }

    /// Returns git's short status.
    fn status(&self, name: &str) -> Vec<String> {
        let mut command = Command::new("git");
        command
            .arg("-C")
            .arg(self.path(name))
            .args(["status", "--porcelain", "-uall"])
            .envs(self.environment());
        let output = command.output().expect("git runs");
        String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect()
    }

    #[track_caller]
    fn is_sound(&self, name: &str) {
        self.git(name, &["fsck", "--strict"]);
    }
}

fn paths(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn by(actor: &str) -> CommitMessage {
    CommitMessage { subject: "Change".into(), body: None, trailers: vec![(ACTOR, actor.into())] }
}

impl Repo {
    /// Commits these paths and returns whether there was anything to commit.
    #[track_caller]
    fn did_commit(&self, names: &[&str]) -> bool {
        self.commit(&paths(names), &by("ada"), None).expect("a commit or none").is_some()
    }
}

fn is_id(id: &str) -> bool {
    id.len() == 40 && id.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[test]
fn repository_is_found_at_or_above_the_vault() {
    let place = Place::new();
    place.repository("outer");
    place.write("outer/notes/deep/a.md", "");
    place.write("alone/a.md", "");
    place.write("alone/.git/config", "not a repository without a HEAD");
    assert_eq!(place.find("outer").prefix, "");
    assert_eq!(place.find("outer/notes/deep").prefix, "notes/deep/");
    assert!(Repo::find(&place.path("alone")).is_none());
    assert!(Repo::find(&place.path("nowhere")).is_none());
}

#[test]
fn missing_git_is_reported() {
    let place = Place::new();
    let repo = place.repository_of("vault", &["a.md"]).with_env("PATH", place.path("home"));
    let error = repo.uncommitted(None).expect_err("no git");
    assert!(matches!(error, GitError::Missing), "{error}");
    assert!(!repo.has_remote());
}

#[test]
fn repository_in_the_environment_is_ignored() {
    let place = Place::new();
    let other = place.repository_of("other", &["a.md"]);
    let repo = place.repository_of("vault", &["a.md"]).with_env("GIT_DIR", other.git_dir.as_os_str());
    place.write("vault/b.md", "new");
    assert!(repo.with_env("GIT_GLOB_PATHSPECS", "1").did_commit(&["b.md"]));
    assert_eq!(place.last_commit("vault"), ["A b.md"]);
}

#[test]
fn maintenance_runs() {
    let place = Place::new();
    place.repository_of("vault", &["a.md"]).maintain().expect("git tidies");
    place.is_sound("vault");
}
