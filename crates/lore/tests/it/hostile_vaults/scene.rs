//! A hostile vault, and the commands and servers that are run in it under watch.

use std::ffi::OsString;
use std::fs;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::time::Duration;

use serde_json::{Value, json};

use super::HostileVault;
use super::calls::calls;
use super::trace::Trace;
use crate::sandbox::{LORE, Sandbox, code};
use crate::server_support::HttpServer;

/// What is in the files outside.
pub const CANARY: &str = "CANARY-7f3a91";

/// The processor time that a process may use, in seconds. It does not depend on what else the machine does.
const CPU_SECONDS: u32 = 2;

/// A process that waits for ever uses no processor time. The limit only has to be longer than a busy machine takes.
const HUNG: Duration = Duration::from_secs(300);

/// How many operations one process runs: it pays for its start once, and stays within its processor time.
const AT_ONCE: usize = 12;

/// Exit status of a process that has used its processor time.
const OUT_OF_TIME: i32 = -24;

/// Shell functions for the commands.
const PRELUDE: &str = r##"
set -e
repo() { git init -q -b main .; git add -A . 2>/dev/null || true; git -c user.name=x -c user.email=x@x commit -qm first --allow-empty; }
hooks() { mkdir -p "$1"; for h in pre-commit post-commit commit-msg prepare-commit-msg post-index-change \
  reference-transaction fsmonitor-watchman pre-push post-merge post-checkout pre-auto-gc; do
  printf '#!/bin/sh\n%s\n' "$EVIL" > "$1/$h"; chmod +x "$1/$h"; done; }
remote() { git config remote.origin.url "$1"; git config remote.origin.fetch '+refs/heads/*:refs/remotes/origin/*'; follow; }
follow() { git config branch.main.remote origin; git config branch.main.merge refs/heads/main; }
attribute() { echo "*.md $1" > .gitattributes; }
dirty() { sleep 0; echo more >> a.md; touch -d '2030-01-01' b.md; }
setting() { printf '[core]\n\tfsmonitor = %s\n[diff]\n\texternal = %s\n' "$EVIL" "$EVIL"; }
bare() { git init -q --bare "$1"; printf '[core]\n\tbare = false\n\tworktree = .\n' >> "$1/config"; }
alternates() { echo "$OUT/other/.git/objects" > .git/objects/info/alternates; }
staged() { mkdir -p .lore/staging/0192; printf 'evil\n' > .lore/staging/0192/0.new
  hash=$(sha256sum .lore/staging/0192/0.new | cut -c1-64); bhash=$(sha256sum b.md | cut -c1-64)
  steps=$(echo "$1" | sed "s/BHASH/$bhash/; s/HASH/$hash/"); cp b.md .lore/staging/0192/0.old
  printf '{"id":"0192","author":{"actor":"someone","face":"cli","session":"s"},"subject":"x","steps":%s,"moved":[],"follows":false}\n%s' \
    "$steps" "$hash" > .lore/staging/0192/intent.json; }
printf 'name = "v"\n' > lore.toml; printf '# A\n\nSee [[b]].\n' > a.md; printf '# B\n\nText.\n' > b.md
"##;

/// A hostile vault in its own directory.
pub struct Scene {
    /// Where it is.
    pub sandbox: Sandbox,
    /// Its name in the tables.
    pub name: &'static str,
    outside: Vec<(PathBuf, Vec<u8>)>,
    trace: Option<Trace>,
}

impl Scene {
    /// Makes a vault.
    pub fn new((name, _, script): HostileVault) -> Scene {
        let sandbox = Sandbox::untrusted();
        let root = sandbox.root.display().to_string();
        fs::create_dir(sandbox.vault()).expect("a folder");
        let outside = format!(
            "cd ..; mkdir -p outside/other; cd outside; for f in secret.md SKILL.md diary.md; do echo '# {CANARY}' > $f; done; \
             echo 'name = \"{CANARY}\"' > secret.toml; echo '{{\"x\":\"{CANARY}\"}}' > secret.json; cd other; git init -q -b main .; \
             echo '{CANARY}' > a.md; git add .; git -c user.name=x -c user.email=x commit -qm '{CANARY}'; \
             printf '#!/bin/sh\\necho $0 \"$@\" >> {root}/ran\\ncat\\n' > {root}/evil; chmod +x {root}/evil"
        );
        sandbox.sh(&outside).exits(0);
        let made = sandbox.sh(&format!("EVIL={root}/evil; OUT={root}/outside; {PRELUDE}{script}"));
        assert_eq!(made.code, 0, "{name} cannot be made: {made:?}");
        // Making it may have run its own command.
        let _ = fs::remove_file(sandbox.root.join("ran"));
        let outside = tree(&sandbox.root.join("outside"));
        Scene { sandbox, name, outside, trace: None }
    }

    /// Makes a vault whose commands are traced.
    pub fn traced(vault: HostileVault) -> Scene {
        let scene = Scene::new(vault);
        let git = scene.sandbox.sh("command -v git; git --exec-path").text();
        let programs = git.lines().map(PathBuf::from).chain([PathBuf::from(LORE)]).collect();
        let trace = Some(Trace::new(&scene.sandbox.root, programs));
        Scene { trace, ..scene }
    }

    /// Says that a person has seen and accepted the settings of the vault.
    pub fn accept_settings(&self) {
        if let Some(trace) = &self.trace {
            trace.accept();
        }
    }

    /// Returns a command of Lore, which is traced, or has a limit on its processor time that the programs it starts inherit.
    fn command(&self, arguments: &[&str]) -> Command {
        let limit =
            ["sh", "-c", &format!("ulimit -S -t {CPU_SECONDS}; exec \"$@\""), "sh"].map(OsString::from);
        let words = self.trace.as_ref().map_or(limit.to_vec(), Trace::words);
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).arg(LORE).args(arguments);
        self.sandbox.isolate(&mut command);
        command.env("LORE_MODEL", "none");
        if let Some(trace) = &self.trace {
            command.env("TMPDIR", trace.temporary());
        }
        command
    }

    /// Runs a command with this input, checks what it did, and returns its output.
    #[track_caller]
    pub fn run(&self, stage: &str, arguments: &[&str], input: &str) -> String {
        let mut child = self.sandbox.spawn(self.command(arguments).stdin(Stdio::piped()));
        let mut stdin = child.stdin.take().expect("piped");
        let bytes = input.as_bytes().to_owned();
        // A command that answers before it has read everything must not wait for this.
        let writer = std::thread::spawn(move || drop(stdin.write_all(&bytes)));
        let mut streams = (child.stdout.take().expect("piped"), child.stderr.take().expect("piped"));
        let (sender, output) = channel();
        std::thread::spawn(move || {
            let mut text = Vec::new();
            let _ = streams.0.read_to_end(&mut text);
            let _ = streams.1.read_to_end(&mut text);
            let _ = sender.send(String::from_utf8_lossy(&text).into_owned());
        });
        let what = format!("{} ({stage}): lore {}", self.name, arguments.join(" "));
        let Ok(text) = output.recv_timeout(HUNG) else {
            let _ = child.kill();
            panic!("{what} does not end");
        };
        let ended = code(child.wait().expect("a child"));
        writer.join().expect("the input");
        assert_ne!(ended, OUT_OF_TIME, "{what} uses more than {CPU_SECONDS} s of processor time: {text}");
        self.judge(&what, &text);
        text
    }

    /// Checks what a command or a server printed and did.
    #[track_caller]
    fn judge(&self, what: &str, text: &str) {
        assert!(!text.contains("panicked"), "{what}: {text}");
        assert!(!text.contains(CANARY), "{what} shows what is outside: {text}");
        self.check(what);
        if let Some(trace) = &self.trace {
            trace.check(what);
        }
    }

    #[track_caller]
    fn check(&self, what: &str) {
        let ran = fs::read_to_string(self.sandbox.root.join("ran")).unwrap_or_default();
        assert_eq!(ran, "", "{what} ran a command of the vault");
        let changed: Vec<_> = tree(&self.sandbox.root.join("outside"));
        assert!(
            changed == self.outside,
            "{what} changed what is outside: {:?}",
            difference(&self.outside, &changed)
        );
    }

    /// Runs every operation of the registry that reads, or every one.
    pub fn operations(&self, stage: &str, writes: bool) -> String {
        let calls = calls().iter().filter(|(_, is_read)| writes || *is_read);
        let lines: Vec<&str> = calls.map(|(line, _)| line.as_str()).collect();
        let at_once = if self.trace.is_some() { lines.len() } else { AT_ONCE };
        lines.chunks(at_once).map(|lines| self.run(stage, &["pipe"], &lines.concat())).collect()
    }

    /// Starts an HTTP server, asks it for pages, and stops it.
    pub fn web(&self, stage: &str) -> String {
        let what = format!("{} ({stage}): lore serve --http", self.name);
        let server = HttpServer::start_command(&self.sandbox, |arguments| self.command(arguments));
        let mut text = String::new();
        for (operation, input) in [
            ("status", json!({})),
            ("search", json!({ "query": "text" })),
            ("get", json!({ "reference": "a" })),
            ("context", json!({})),
        ] {
            text += &server.post(operation, &input).1.to_string();
        }
        for path in ["a.md", "b.md", "..%2foutside%2fsecret.md", "lore.toml"] {
            text += &server.send_raw(&server.token, &format!("GET /api/context/{path}"), "").1;
        }
        let ended = server.stop();
        assert_eq!(ended, 0, "{what} does not end well");
        self.judge(&what, &text);
        text
    }

    /// Starts a server over standard input and output and calls a few tools, runs a hook, and starts a server over HTTP.
    pub fn agents(&self, stage: &str) -> String {
        let call = |id: u32, tool: &str, arguments: Value| json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": tool, "arguments": arguments } });
        let info = json!({ "name": "test", "version": "1" });
        let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info });
        let lines = [
            json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello }),
            json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
            json!({ "jsonrpc": "2.0", "id": 2, "method": "resources/list", "params": {} }),
            call(3, "memory_search", json!({ "query": "text" })),
            call(4, "memory_get", json!({ "slug": "a" })),
            call(5, "memory_stats", json!({})),
        ];
        let lines: String = lines.iter().map(|line| format!("{line}\n")).collect();
        let cwd = json!({ "cwd": self.sandbox.vault(), "session_id": "s" }).to_string();
        let hook = ["hook", "session-start", "--time-limit", "30000"];
        self.run(stage, &["serve"], &lines) + &self.run(stage, &hook, &cwd) + &self.web(stage)
    }

    /// The objects of the vault's repository, read so that nothing in it is run.
    pub fn committed(&self) -> Vec<u8> {
        let git_dir = self.sandbox.vault().join(".git");
        let is_own = git_dir.join("HEAD").is_file() && !git_dir.join("objects/info/alternates").exists();
        let is_plain = fs::symlink_metadata(&git_dir).is_ok_and(|found| found.is_dir())
            && fs::symlink_metadata(git_dir.join("objects")).is_ok_and(|found| found.is_dir())
            && git_dir.join("config").is_file()
            && !git_dir.join("commondir").exists();
        if !is_own || !is_plain {
            return Vec::new();
        }
        let mut command = Command::new("git");
        command.arg("--git-dir").arg(&git_dir).args(["cat-file", "--batch-all-objects", "--batch"]);
        self.sandbox.isolate(&mut command);
        command.env("GIT_NO_LAZY_FETCH", "1").current_dir("/").output().expect("git").stdout
    }
}

/// Every file below a directory with its bytes; of a symlink its target, of anything else its kind.
pub fn tree(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.expect("an entry").path();
        let about = fs::symlink_metadata(&path).expect("it is there");
        if about.is_dir() {
            found.extend(tree(&path));
        }
        let bytes = match about.file_type() {
            kind if kind.is_symlink() => {
                fs::read_link(&path).expect("a link").as_os_str().as_encoded_bytes().to_owned()
            }
            kind if kind.is_file() && about.len() < 10_000_000 => fs::read(&path).expect("readable"),
            kind => format!("{kind:?} {}", about.len()).into_bytes(),
        };
        found.push((path, bytes));
    }
    found.sort();
    found
}

pub fn difference(before: &[(PathBuf, Vec<u8>)], after: &[(PathBuf, Vec<u8>)]) -> Vec<PathBuf> {
    let one_sided = |a: &[(PathBuf, Vec<u8>)], b: &[(PathBuf, Vec<u8>)]| -> Vec<PathBuf> {
        a.iter().filter(|file| !b.contains(file)).map(|(path, _)| path.clone()).collect()
    };
    [one_sided(before, after), one_sided(after, before)].concat()
}
