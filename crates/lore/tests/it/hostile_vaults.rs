//! Vaults and repositories from somebody who means harm. On each, every operation is run and every server is started:
//! before anybody trusts it, after it was trusted for reading, and after it was trusted.
//!
//! No command of theirs runs, nothing outside the vault is read or written, and everything ends. To add a vault, add a line
//! to one of the tables: its name, its kind, and the shell commands that make it. They run in a directory with a policy
//! and two pages; `$EVIL` is a command that leaves a trace, `$OUT` a directory outside that nothing may touch.

mod files;
mod git;

use std::fs;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::sync::mpsc::channel;
use std::time::Duration;

use serde_json::{Value, json};

use crate::sandbox::Sandbox;

/// What is in the files outside.
const CANARY: &str = "CANARY-7f3a91";

/// No command may take longer. A hang is forever; the limit only has to be longer than a slow machine.
const LIMIT: Duration = Duration::from_secs(60);

/// A vault: its name, its kind, and the commands that make it.
type HostileVault = (&'static str, Trick, &'static str);

/// How a vault tries to do harm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trick {
    /// By settings or hooks, which a write in a trusted vault runs: whoever trusts it has seen them.
    Setting,
    /// By its files alone, which nothing ever runs.
    Shape,
}

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
struct Scene {
    sandbox: Sandbox,
    name: &'static str,
    outside: Vec<(PathBuf, Vec<u8>)>,
}

impl Scene {
    fn new((name, _, script): HostileVault) -> Scene {
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
        Scene { sandbox, name, outside }
    }

    /// Runs a command with this input, checks what it did, and returns its output.
    #[track_caller]
    fn run(&self, stage: &str, arguments: &[&str], input: &str) -> String {
        let mut command = self.sandbox.command(arguments);
        command.stdin(Stdio::piped()).env("LORE_MODEL", "none");
        let mut child = self.sandbox.spawn(&mut command);
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
        let Ok(text) = output.recv_timeout(LIMIT) else {
            let _ = child.kill();
            panic!("{what} does not end");
        };
        child.wait().expect("a child");
        writer.join().expect("the input");
        assert!(!text.contains("panicked"), "{what}: {text}");
        assert!(!text.contains(CANARY), "{what} shows what is outside: {text}");
        self.check(&what);
        text
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
    fn operations(&self, stage: &str, writes: bool) -> String {
        let lines: String =
            calls().iter().filter(|(_, is_read)| writes || *is_read).map(|(line, _)| line.as_str()).collect();
        self.run(stage, &["pipe"], &lines)
    }

    /// Starts a server of MCP, calls a few tools, and a hook.
    fn agents(&self, stage: &str) -> String {
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
        self.run(stage, &["serve"], &lines) + &self.run(stage, &hook, &cwd)
    }

    /// The objects of the vault's repository, read so that nothing in it is run.
    fn committed(&self) -> Vec<u8> {
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

/// Every operation as a line for `lore pipe`, with values for its required parameters, and whether it only reads.
/// Operations on the machine itself are left out.
fn calls() -> &'static [(String, bool)] {
    static CALLS: OnceLock<Vec<(String, bool)>> = OnceLock::new();
    const MACHINE: [&str; 9] =
        ["service_", "setup", "model_", "eval", "token_", "config_", "db_", "skills_extract", "embed"];
    CALLS.get_or_init(|| {
        let tools = Sandbox::empty().run(&["--tools-json"]).ok().json();
        let mut calls = Vec::new();
        for tool in tools["tools"].as_array().expect("tools") {
            let name = tool["name"].as_str().expect("a name");
            if MACHINE.iter().any(|machine| name.starts_with(machine)) {
                continue;
            }
            let is_read = tool["annotations"]["readOnlyHint"] == true;
            let input = input(name, &tool["inputSchema"]);
            calls.push((format!("{}\n", json!({ "tool": name, "input": input })), is_read));
        }
        calls.push((
            format!("{}\n", json!({ "tool": "put", "input": { "slug": "n/new", "template": true } })),
            false,
        ));
        calls.push((format!("{}\n", json!({ "tool": "ls", "input": { "path": "n" } })), true));
        calls
    })
}

fn input(name: &str, schema: &Value) -> Value {
    let mut input = serde_json::Map::new();
    for required in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        let value = match (required, schema["properties"][required]["type"].as_str()) {
            ("path", _) if name == "project_add" => json!("../outside"),
            ("content" | "text" | "note", _) => json!("# N\n\nText about b.\n"),
            ("to", _) => json!("b"),
            (_, Some("integer")) => json!(1),
            (_, Some("array")) => json!([]),
            (_, Some("boolean")) => json!(true),
            _ => json!("a"),
        };
        input.insert(required.to_owned(), value);
    }
    Value::Object(input)
}

/// Every file below a directory with its bytes; of a symlink its target, of anything else its kind.
fn tree(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
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

fn difference(before: &[(PathBuf, Vec<u8>)], after: &[(PathBuf, Vec<u8>)]) -> Vec<PathBuf> {
    let one_sided = |a: &[(PathBuf, Vec<u8>)], b: &[(PathBuf, Vec<u8>)]| -> Vec<PathBuf> {
        a.iter().filter(|file| !b.contains(file)).map(|(path, _)| path.clone()).collect()
    };
    [one_sided(before, after), one_sided(after, before)].concat()
}

/// Before anybody trusts it: refused by name, and nothing in it or about it is changed.
fn received(vault: HostileVault) {
    let scene = Scene::new(vault);
    let before = tree(&scene.sandbox.vault());
    // Without its policy, it is not even a vault.
    let is_vault = fs::symlink_metadata(scene.sandbox.vault().join("lore.toml")).is_ok();
    let status = scene.run("received", &["status"], "");
    assert!(
        !is_vault || status.contains("is not trusted") && status.contains("lore trust"),
        "{}: {status}",
        scene.name
    );
    let all = scene.operations("received", true);
    assert!(!all.contains("# A") && !all.contains("See [[b]]"), "{}: {all}", scene.name);
    let agents = scene.agents("received");
    assert!(!agents.contains("See [[b]]"), "{}: {agents}", scene.name);
    let after = tree(&scene.sandbox.vault());
    assert!(before == after, "{} changed: {:?}", scene.name, difference(&before, &after));
    let config = fs::read_to_string(scene.sandbox.root.join("home/config.toml")).unwrap_or_default();
    assert!(!config.contains("\"/"), "{} is registered: {config}", scene.name);
}

/// Trusted for reading: a person can read it, nothing in it is changed, and agents do not see it.
fn read_only(vault: HostileVault) {
    let scene = Scene::new(vault);
    scene.run("read-only", &["trust", "--read-only", "."], "");
    let before = tree(&scene.sandbox.vault());
    scene.operations("read-only", true);
    let agents = scene.agents("read-only");
    assert!(!agents.contains("See [[b]]"), "{}: {agents}", scene.name);
    let after = tree(&scene.sandbox.vault());
    assert!(before == after, "{} changed: {:?}", scene.name, difference(&before, &after));
}

/// Trusted: its settings count for writes, but a read runs none of them, and its files lead nowhere.
fn trusted(vault: HostileVault) {
    let scene = Scene::new(vault);
    scene.run("trusted", &["trust", "."], "");
    scene.operations("trusted", vault.1 == Trick::Shape);
    scene.agents("trusted");
    let committed = scene.committed();
    assert!(
        !String::from_utf8_lossy(&committed).contains(CANARY),
        "{}: a commit has what is outside",
        scene.name
    );
    for (path, bytes) in tree(&scene.sandbox.vault()) {
        let is_file = fs::symlink_metadata(&path).is_ok_and(|found| found.is_file());
        let leaked = is_file && String::from_utf8_lossy(&bytes).contains(CANARY);
        assert!(!leaked || path.starts_with(scene.sandbox.vault().join(".git")), "{}: {path:?}", scene.name);
    }
}

/// Declares a test per part of the tables, so that they run side by side.
macro_rules! stages {
    ($($stage:ident $table:ident $part:literal $name:ident,)*) => {
        $(#[test] fn $name() { $table::VAULTS.iter().skip($part).step_by(4).copied().for_each($stage); })*
    };
}

stages! {
    received git 0 received_repositories_1,
    received git 1 received_repositories_2,
    received git 2 received_repositories_3,
    received git 3 received_repositories_4,
    received files 0 received_files_1,
    received files 1 received_files_2,
    received files 2 received_files_3,
    received files 3 received_files_4,
    read_only git 0 read_only_repositories_1,
    read_only git 1 read_only_repositories_2,
    read_only git 2 read_only_repositories_3,
    read_only git 3 read_only_repositories_4,
    read_only files 0 read_only_files_1,
    read_only files 1 read_only_files_2,
    read_only files 2 read_only_files_3,
    read_only files 3 read_only_files_4,
    trusted git 0 trusted_repositories_1,
    trusted git 1 trusted_repositories_2,
    trusted git 2 trusted_repositories_3,
    trusted git 3 trusted_repositories_4,
    trusted files 0 trusted_files_1,
    trusted files 1 trusted_files_2,
    trusted files 2 trusted_files_3,
    trusted files 3 trusted_files_4,
}

#[test]
fn http_server_serves_no_vault_that_is_not_trusted() {
    let sandbox = Sandbox::untrusted();
    fs::create_dir(sandbox.vault()).expect("a folder");
    sandbox.write("lore.toml", "name = \"v\"\n");
    sandbox.write("a.md", "# A\n\nSecret text.\n");
    let server = crate::server_support::HttpServer::start(&sandbox);
    for (operation, input) in [("search", json!({ "query": "secret" })), ("get", json!({ "reference": "a" }))]
    {
        let (status, answer) = server.post(operation, &input);
        assert_eq!((status, &answer["error"]["code"]), (403, &json!("untrusted")), "{answer}");
        assert!(answer["error"]["hint"].as_str().expect("a hint").contains("lore trust"), "{answer}");
    }
    let (status, _) = server.send(&server.token, "GET /api/context/a.md", "");
    assert_eq!(status, 403);
    assert_eq!(server.post("trust", &json!({ "path": "." })).0, 404, "only a person trusts");
}
