//! Vaults and repositories from somebody who means harm. On each, every operation is run and every server is started:
//! before anybody trusts it, after it was trusted for reading, and after it was trusted.
//!
//! No command of theirs runs, nothing outside the vault is read or written, and everything ends within two seconds of
//! processor time. To add a vault, add a line to one of the tables: its name, its kind, and the shell commands that make
//! it. They run in a directory with a policy and two pages; `$EVIL` is a command that leaves a trace, `$OUT` a directory
//! outside that nothing may touch.

mod calls;
mod files;
mod git;
mod scene;
mod trace;

use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;

use crate::sandbox::Sandbox;
use scene::{CANARY, Scene, difference, tree};

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

/// Before anybody trusts it: refused by name, and nothing in it or about it is changed.
fn received(scene: &Scene, _: Trick) {
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
fn read_only(scene: &Scene, _: Trick) {
    scene.run("read-only", &["trust", "--read-only", "."], "");
    let before = tree(&scene.sandbox.vault());
    scene.operations("read-only", true);
    let agents = scene.agents("read-only");
    assert!(!agents.contains("See [[b]]"), "{}: {agents}", scene.name);
    let after = tree(&scene.sandbox.vault());
    assert!(before == after, "{} changed: {:?}", scene.name, difference(&before, &after));
}

/// Trusted: its settings count for writes, but a read runs none of them, and its files lead nowhere.
fn trusted(scene: &Scene, trick: Trick) {
    scene.run("trusted", &["trust", "."], "");
    // The question names borrowed objects too.
    let borrows = scene.sandbox.vault().join(".git/objects/info/alternates").exists();
    if trick == Trick::Setting || borrows {
        scene.accept_settings();
    }
    scene.operations("trusted", trick == Trick::Shape);
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
        $(#[test] fn $name() {
            for vault in $table::VAULTS.iter().skip($part).step_by(4) {
                $stage(&Scene::new(*vault), vault.1);
            }
        })*
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

/// Every vault at every stage under strace; a few of them in a normal run of the tests.
#[test]
fn traced_vaults_run_no_program_and_open_nothing_outside() {
    let is_long = std::env::var_os("LORE_STRESS_OPS").is_some();
    if !trace::is_available() {
        assert!(!is_long, "strace is not installed or may not trace");
        return println!("strace is not installed: no vault is traced");
    }
    // A directory that leads out was once checked only after a file in it had been opened, which no output shows.
    let is_traced =
        |(number, vault): &(usize, &HostileVault)| is_long || number % 20 == 0 || vault.0 == "templates-link";
    let vaults = git::VAULTS.iter().chain(files::VAULTS).enumerate().filter(is_traced);
    let vaults: Vec<&HostileVault> = vaults.map(|(_, vault)| vault).collect();
    std::thread::scope(|scope| {
        for stage in [received, read_only, trusted] {
            let vaults = vaults.iter();
            scope.spawn(move || vaults.for_each(|vault| stage(&Scene::traced(**vault), vault.1)));
        }
    });
    let (counts, get) = (&trace::COUNTS, |counter: &AtomicUsize| counter.load(Ordering::Relaxed));
    println!(
        "traced {} vaults at 3 stages: {} commands and servers, {} programs started (lore and git only), {} files opened \
         for reading (none outside), {} for writing and {} names changed (none outside the vault, LORE_HOME and the \
         temporary directory)",
        vaults.len(),
        get(&counts.commands),
        get(&counts.programs),
        get(&counts.reads),
        get(&counts.writes),
        get(&counts.changes),
    );
}
