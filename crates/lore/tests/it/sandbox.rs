//! A separate directory and environment for every test, and the binary run in it.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// The binary under test.
pub const LORE: &str = env!("CARGO_BIN_EXE_lore");

/// A temporary directory: `v` is a vault, `home` is Lore's home.
pub struct Sandbox {
    _dir: TempDir,
    /// The canonical path of the directory.
    pub root: PathBuf,
}

/// The result of a command.
pub struct Ran {
    /// Exit status; the negative number of the signal if killed.
    pub code: i32,
    /// Standard output.
    pub out: Vec<u8>,
    /// Standard error.
    pub err: String,
}

impl Sandbox {
    /// Creates an empty directory.
    pub fn empty() -> Sandbox {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let root = fs::canonicalize(dir.path()).expect("it is there");
        let sandbox = Sandbox { _dir: dir, root };
        sandbox.trust_in("home");
        sandbox
    }

    /// Creates an empty directory in which nothing is trusted.
    pub fn untrusted() -> Sandbox {
        let sandbox = Sandbox::empty();
        sandbox.run(&["trust", "--revoke", "."]).ok();
        sandbox
    }

    /// Trusts every vault of the sandbox, for another home of Lore.
    pub fn trust_in(&self, home: &str) {
        let mut command = self.command(&["trust", "--below"]);
        command.arg(&self.root).env("LORE_HOME", self.root.join(home));
        Ran::from(command.output().expect("lore runs")).ok();
    }

    /// Creates a directory with an empty vault `v` of the `notes` profile.
    pub fn with_vault() -> Sandbox {
        let sandbox = Sandbox::empty();
        fs::create_dir(sandbox.vault()).expect("a new directory");
        sandbox.run(&["init", "--no-git"]).ok();
        sandbox
    }

    /// Returns the directory of the vault.
    pub fn vault(&self) -> PathBuf {
        self.root.join("v")
    }

    /// Returns the path of the database.
    pub fn database(&self) -> PathBuf {
        self.root.join("home/lore.db")
    }

    /// Writes a file of the vault directly, without Lore.
    pub fn write(&self, path: &str, bytes: impl AsRef<[u8]>) {
        let full = self.vault().join(path);
        fs::create_dir_all(full.parent().expect("inside the vault")).expect("folders");
        fs::write(full, bytes).expect("a file");
    }

    /// Reads a file of the vault.
    pub fn read(&self, path: &str) -> Vec<u8> {
        fs::read(self.vault().join(path)).expect(path)
    }

    /// Returns `lore` with these arguments, to be run in the vault.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(LORE);
        command.args(arguments);
        self.isolate(&mut command);
        command
    }

    /// Gives a command an environment independent of this machine.
    pub fn isolate(&self, command: &mut Command) {
        let binaries = Path::new(LORE).parent().expect("a directory").display();
        command
            .env_clear()
            .env("PATH", format!("{binaries}:/usr/bin:/bin:/usr/sbin:/sbin"))
            .env("HOME", &self.root)
            .env("LORE_HOME", self.root.join("home"))
            .env("LORE_ACTOR", "tester")
            .env("LORE_MODEL", "wordllama-256")
            .env("LORE_MODELS", models())
            .env("TZ", "UTC")
            .env("LC_ALL", "C")
            .stdin(Stdio::null())
            .current_dir(if self.vault().is_dir() { self.vault() } else { self.root.clone() });
    }

    /// Runs `lore` to completion.
    pub fn run(&self, arguments: &[&str]) -> Ran {
        self.command(arguments).output().expect("lore runs").into()
    }

    /// Runs `lore` with this standard input.
    pub fn pipe(&self, arguments: &[&str], input: &[u8]) -> Ran {
        let mut child = self.spawn(self.command(arguments).stdin(Stdio::piped()));
        // A command that refuses its arguments exits without reading; its status shows that.
        let _ = child.stdin.take().expect("piped").write_all(input);
        child.wait_with_output().expect("lore runs").into()
    }

    /// Starts a command with captured output.
    pub fn spawn(&self, command: &mut Command) -> Child {
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts")
    }

    /// Runs a shell script in the vault.
    pub fn sh(&self, script: &str) -> Ran {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        self.isolate(&mut command);
        command.output().expect("a shell").into()
    }

    /// Runs `lore sync` and returns its report.
    #[track_caller]
    pub fn sync(&self) -> Value {
        self.run(&["sync"]).ok().json()
    }

    /// Returns the slugs of the hits of a search, best first.
    #[track_caller]
    pub fn search(&self, query: &str) -> Vec<String> {
        let ran = self.run(&["search", query]);
        assert!(ran.code <= 1, "{ran:?}");
        let slug = |hit: &Value| hit["slug"].as_str().expect("a slug").to_owned();
        ran.json()["hits"].as_array().expect("hits").iter().map(slug).collect()
    }

    /// Asserts that the index is valid and matches the files.
    #[track_caller]
    pub fn validate(&self) {
        self.run(&["validate", "--all"]).ok();
    }

    /// Returns every file in the directory except the database and its state, with its bytes.
    pub fn files(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut files = Vec::new();
        let mut folders = vec![self.root.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).expect("a folder") {
                let path = entry.expect("an entry").path();
                let kind = fs::symlink_metadata(&path).expect("it is there").file_type();
                if kind.is_dir() && path != self.root.join("home") {
                    folders.push(path);
                } else if kind.is_file() {
                    let bytes = fs::read(&path).expect("readable");
                    files.push((path, bytes));
                }
            }
        }
        files.sort();
        files
    }
}

impl From<Output> for Ran {
    fn from(output: Output) -> Ran {
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        Ran { code: code(output.status), out: output.stdout, err }
    }
}

impl std::fmt::Debug for Ran {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = self.text();
        let start: String = text.chars().take(500).collect();
        write!(to, "exit {}\n{start}\n{}", self.code, self.err)
    }
}

impl Ran {
    /// Asserts success and an empty stderr.
    #[track_caller]
    pub fn ok(self) -> Ran {
        let ran = self.exits(0);
        assert_eq!(ran.err, "", "stderr is not empty");
        ran
    }

    /// Asserts the exit status.
    #[track_caller]
    pub fn exits(self, code: i32) -> Ran {
        assert_eq!(self.code, code, "{self:?}");
        self
    }

    /// Asserts that stderr contains this text.
    #[track_caller]
    pub fn says(self, part: &str) -> Ran {
        assert!(self.err.contains(part), "{part:?} is not in: {}", self.err);
        assert!(!self.err.contains("panicked"), "{}", self.err);
        self
    }

    /// Asserts that standard output contains this text.
    #[track_caller]
    pub fn prints(self, part: &str) -> Ran {
        assert!(self.text().contains(part), "{part:?} is not in: {}", self.text());
        self
    }

    /// Standard output as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.out).into_owned()
    }

    /// Standard output as JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.out).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }
}

/// Returns the exit status, or the negative number of the signal.
pub fn code(status: ExitStatus) -> i32 {
    use std::os::unix::process::ExitStatusExt as _;
    status.code().unwrap_or_else(|| -status.signal().unwrap_or(999))
}

/// Returns the directory of the models that `make models` downloads.
pub fn models() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    folder.canonicalize().expect("the models are downloaded by `make models`")
}
