//! A vault whose directory is there but whose files are not: an empty mount point, a replaced directory, a lost policy.

use std::fs;
use std::io::{BufRead as _, BufReader};

use crate::sandbox::Sandbox;

/// Commands that must not work on a vanished vault.
const REFUSED: [&str; 8] = [
    "sync",
    "search heron",
    "status",
    "edit a --append more",
    "--no-sync edit a --append more",
    "--no-sync capture 'a new thought'",
    "call edit '{\"reference\": \"a\", \"append\": \"more\"}'",
    "--no-sync index",
];

/// Removes the policy file on purpose.
fn without_policy(sandbox: &Sandbox) {
    fs::remove_file(sandbox.vault().join("lore.toml")).expect("a policy");
    sandbox.run(&["sync", "--accept-missing"]).ok();
}

/// A vault with pages, all of which are then moved away.
fn vanished(policy: Option<&str>) -> Sandbox {
    let sandbox = Sandbox::with_vault();
    match policy {
        Some(policy) => sandbox.write("lore.toml", policy),
        None => without_policy(&sandbox),
    }
    for page in ["a", "b", "c"] {
        sandbox.write(&format!("{page}.md"), format!("# {page}\n\nThe heron.\n"));
    }
    sandbox.sync();
    sandbox.sh("mkdir ../kept && mv * ../kept").exits(0);
    sandbox
}

#[test]
fn empty_directory_of_a_known_vault_is_refused() {
    for policy in [None, Some("unmatched = \"read-only\"\n")] {
        let sandbox = vanished(policy);
        for command in REFUSED {
            let ran = sandbox.sh(&format!("lore {command}")).exits(5);
            let expected =
                if policy.is_some() { "lore.toml is missing" } else { "is empty, but had 3 pages" };
            let ran = ran.says(expected);
            assert!(
                ran.err.contains("--accept-missing") || ran.err.contains("no_vault"),
                "{command}: {ran:?}"
            );
        }
        assert_eq!(fs::read_dir(sandbox.vault()).expect("a directory").count(), 0, "nothing was written");
        let found = sandbox.run(&["--no-sync", "search", "heron"]).ok().json();
        assert_eq!(found["hits"].as_array().map(Vec::len), Some(3), "the index is kept: {found}");
        sandbox.sh("mv ../kept/* .").exits(0);
        let synced = sandbox.sync();
        assert_eq!((synced["added"].as_array().map(Vec::len), &synced["pages"]), (Some(0), &3.into()));
    }
}

#[test]
fn deletion_on_purpose_is_accepted() {
    for policy in [None, Some("unmatched = \"read-only\"\n")] {
        let sandbox = vanished(policy);
        sandbox.run(&["sync", "--accept-missing"]).ok();
        assert_eq!(sandbox.sync()["pages"], 0);
        sandbox.sh("echo '# New' | lore put new").exits(0);
    }
    // With its policy file, a vault without pages is an empty vault.
    let sandbox = vanished(Some("name = \"v\"\n"));
    sandbox.sh("mv ../kept/lore.toml .").exits(0);
    assert_eq!(sandbox.sync()["removed"].as_array().map(Vec::len), Some(3));
    // The last page may be deleted through Lore.
    let sandbox = Sandbox::with_vault();
    without_policy(&sandbox);
    sandbox.write("a.md", "# A\n");
    sandbox.sync();
    sandbox.run(&["rm", "a", "--yes"]).ok();
    assert_eq!(sandbox.sync()["pages"], 0);
}

#[test]
fn policy_never_fails_open() {
    let sandbox = Sandbox::with_vault();
    sandbox.write("lore.toml", "unmatched = \"read-only\"\n");
    sandbox.write("a.md", "# A\n");
    sandbox.sync();
    let unreadable: [&str; 4] = [
        "rm lore.toml",
        "rm -r lore.toml; mkdir lore.toml",
        "rm -r lore.toml; mkfifo lore.toml",
        "rm -r lore.toml; echo 'no toml' >lore.toml",
    ];
    for broken in unreadable {
        sandbox.sh(broken).exits(0);
        for command in ["edit a --append more", "--no-sync edit a --append more", "rm a --yes", "mv a b"] {
            let ran = sandbox.sh(&format!("timeout 20 lore {command}"));
            assert!([2, 5].contains(&ran.code), "{broken}; {command}: {ran:?}");
            assert_eq!(sandbox.read("a.md"), b"# A\n", "{broken}; {command}");
        }
    }
}

/// A running process sees that the policy is gone, too.
#[test]
fn running_pipe_refuses_writes_without_its_policy() {
    let sandbox = Sandbox::with_vault();
    sandbox.write("lore.toml", "name = \"v\"\n");
    sandbox.write("a.md", "# A\n");
    sandbox.sync();
    let write = r#"{"tool": "edit", "input": {"reference": "a", "append": "more"}}"#;
    let script = format!("(echo '{write}'; rm lore.toml; echo '{write}') | lore pipe --no-sync");
    let text = sandbox.sh(&script).text();
    assert_eq!(String::from_utf8(sandbox.read("a.md")).expect("text").matches("more").count(), 0, "{text}");
    assert!(text.contains("no_vault"), "{text}");
}

#[test]
fn watcher_stops_when_its_directory_is_replaced() {
    let sandbox = Sandbox::with_vault();
    sandbox.write("a.md", "# A\n");
    let mut child = sandbox.spawn(&mut sandbox.command(&["sync", "--watch", "--json"]));
    let mut output = BufReader::new(child.stdout.take().expect("piped"));
    let mut first = String::new();
    output.read_line(&mut first).expect("the first sync");
    sandbox.sh("cd ..; mv v elsewhere; mkdir v").exits(0);
    let ended = child.wait_with_output().expect("it ends");
    let text = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(5), "{text}");
    assert!(text.contains("was replaced or removed"), "{text}");
    sandbox.sh("cd ..; rmdir v; mv elsewhere v").exits(0);
    assert_eq!(sandbox.sync()["pages"], 1, "no page was removed from the index");
}
