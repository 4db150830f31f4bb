//! The gate of every commit.

use std::process::Stdio;

use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;
use serde_json::json;

use super::{line, nothing_in_git, silent, token, utf16};
use crate::git_support::{GitVault, NOON, TOKEN, node};
use crate::sandbox::Ran;

#[test]
fn removing_a_leak_does_not_commit_it() {
    let vault = GitVault::with_profile("notes");
    vault.put("keys", "# Keys\n\nNone.\n").ok();
    let before = vault.head();
    vault.edit_by_hand("keys.md", "None.\n", &format!("None.\n{}", line()));
    let edit = ["edit", "keys", "--section", "Keys", "--with", "In the safe."];
    let written = silent(vault.lore(&edit).ok()).json();
    let warnings = written["warnings"].to_string();
    assert!(warnings.contains("keys.md:4") && warnings.contains("not committed"), "{warnings}");
    assert_eq!(vault.subjects_since(&before), ["Update keys.md"]);
    assert_eq!(vault.uncommitted(), [""; 0]);
    nothing_in_git(&vault);
}

#[test]
fn hand_edit_without_a_leak_is_still_kept_apart() {
    let vault = GitVault::with_profile("notes");
    vault.put("one", "# One\n\nText.\n").ok();
    let before = vault.head();
    vault.edit_by_hand("one.md", "Text.\n", "Text by hand.\n");
    vault.lore(&["edit", "one", "--append", "More."]).ok();
    assert_eq!(vault.subjects_since(&before).len(), 2);
}

#[test]
fn git_commit_leaves_out_files_of_every_kind() {
    let vault = GitVault::with_profile("notes");
    vault.sandbox.write(".gitignore", "ignored/\n");
    vault.sandbox.write("ignored/tracked.txt", "clean\n");
    vault.git(&["add", "--force", "ignored/tracked.txt", ".gitignore"]);
    vault.git(&["commit", "--quiet", "-m", "Track an ignored file"]);
    let leaky: Vec<(&str, Vec<u8>)> = vec![
        (".env", format!("GITHUB_TOKEN={}\n", token()).into_bytes()),
        (".hidden/deep/notes.txt", line().into_bytes()),
        ("ignored/tracked.txt", line().into_bytes()),
        ("one-nul.txt", format!("a\0b\n{}", line()).into_bytes()),
        ("utf16.txt", utf16(&line())),
        ("utf16-marked.txt", [b"\xFF\xFE".as_slice(), &utf16(&line())].concat()),
        ("picture.png", [b"\x89PNG\r\n\x1A\n\0\0".as_slice(), line().as_bytes(), b"\xFF\xFE"].concat()),
        ("page.md", line().into_bytes()),
        (".raw/page.json", json!({ "key": token() }).to_string().into_bytes()),
        ("wrapped.md", format!("{}\n{}\n", TOKEN[0], TOKEN[1]).into_bytes()),
    ];
    for (path, bytes) in &leaky {
        vault.sandbox.write(path, bytes);
    }
    vault.sandbox.write("clean.md", "Nothing to hide.\n");
    vault.sandbox.write("clean.bin", b"\0\x01\x02");
    let before = vault.head();
    let ran = silent(vault.lore(&["git", "commit"]).exits(4));
    let output = ran.json();
    let left: Vec<&str> = output["left_out"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| one["path"].as_str().expect("a path"))
        .collect();
    let mut expected: Vec<&str> = leaky.iter().map(|(path, _)| *path).collect();
    expected.sort_unstable();
    assert_eq!(left, expected);
    assert_eq!(vault.files_of("HEAD"), ["A clean.bin", "A clean.md"]);
    assert_eq!(vault.subjects_since(&before), ["Commit 2 edited files"]);
    assert_eq!(vault.uncommitted().len(), leaky.len());
    nothing_in_git(&vault);
    // Nothing else is left to commit, so the next one is refused as a whole.
    silent(vault.lore(&["git", "commit"]).exits(4)).says(".env:1: a credential at column 14 [github-token]");
    for (path, _) in &leaky {
        vault.sandbox.write(path, "clean now\n");
    }
    vault.lore(&["git", "commit"]).ok();
    assert_eq!(vault.uncommitted(), [""; 0]);
}

#[test]
fn human_output_names_what_was_left_out() {
    let vault = GitVault::with_profile("notes");
    vault.sandbox.write("a.md", "Text.\n");
    vault.sandbox.write("notes.txt", format!("\n{}", line()));
    let ran = silent(vault.lore(&["git", "commit", "--format", "human"]).exits(4));
    let text = ran.text();
    assert!(text.starts_with("committed 1 file\nleft out: notes.txt:2: a credential"), "{text}");
}

#[test]
fn leak_in_the_last_commit_does_not_block_but_a_changed_line_does() {
    let vault = GitVault::with_profile("notes");
    vault.sandbox.write("old.txt", line());
    vault.commit_by_hand("A leak, years ago");
    vault.edit_by_hand("old.txt", "The key", "An introduction.\nThe key");
    vault.lore(&["git", "commit"]).ok();
    vault.git(&["mv", "old.txt", "moved.txt"]);
    vault.lore(&["git", "commit"]).ok();
    vault.edit_by_hand("moved.txt", "as of today", "as of yesterday");
    silent(vault.lore(&["git", "commit"]).exits(4)).says("moved.txt:2");
    vault.edit_by_hand("moved.txt", &token(), "in the safe");
    vault.lore(&["git", "commit"]).ok();
    assert_eq!(vault.uncommitted(), [""; 0]);
}

#[test]
fn generated_index_does_not_carry_a_leak_into_a_commit() {
    let vault = GitVault::with_profile("roam");
    vault.put("one", &node(1, "One", "Text.")).ok();
    vault.edit_by_hand("one.md", "What One is about.", &format!("Opens with {}.", token()));
    let before = vault.head();
    let index = silent(vault.lore(&["index"])).text();
    assert!(index.contains("not committed: index.md"), "{index}");
    assert_eq!(vault.head(), before);
    silent(vault.lore(&["git", "commit"]).exits(4)).says("one.md");
    nothing_in_git(&vault);
    vault.edit_by_hand("one.md", &token(), "a key");
    vault.lore(&["git", "commit"]).ok();
    assert_eq!(vault.uncommitted(), [""; 0]);
    nothing_in_git(&vault);
}

#[test]
fn lint_fix_does_not_commit_a_leak() {
    let vault = GitVault::with_profile("roam");
    vault.put("one", &node(1, "One", "Text.")).ok();
    let before = vault.head();
    vault.edit_by_hand("one.md", "status: current", "status: Current");
    vault.edit_by_hand("one.md", "Text.", &line());
    silent(vault.lore(&["lint", "--fix"]).exits(4));
    assert!(vault.read("one.md").contains("status: current"), "the fix itself is made");
    assert_eq!(vault.head(), before);
    nothing_in_git(&vault);
}

#[test]
fn rotation_does_not_commit_a_leak() {
    let vault = GitVault::with_profile("personal");
    vault.lore(&["rotate"]);
    let files: Vec<String> =
        vault.git(&["ls-files"]).lines().filter(|path| path.ends_with(".md")).map(str::to_owned).collect();
    for path in &files {
        let text = vault.read(path);
        vault.sandbox.write(path, text + "\n" + &line());
    }
    silent(vault.later("2026-11-03T12:00:00Z", &["rotate"]));
    silent(vault.later("2026-11-03T12:00:00Z", &["retention", "run"]));
    nothing_in_git(&vault);
}

#[test]
fn names_messages_actors_and_sessions_are_checked() {
    let vault = GitVault::with_profile("notes");
    vault.put("page", "One\n").ok();
    let (before, name) = (vault.head(), format!("keys/{}", token()));
    silent(vault.put(&name, "Text.\n").exits(4)).says("credential in its name").says("[github-token]");
    silent(vault.lore(&["mv", "page", &name]).exits(4)).says("credential in its name");
    silent(vault.put(&format!("{}/page", token()), "Text.\n").exits(4)).says("in its name");
    silent(vault.by(&token(), &["edit", "page", "--append", "More."]).exits(4)).says("the actor");
    let mut command = vault.at(NOON, &["edit", "page", "--append", "More."]);
    let ran: Ran = command.env("LORE_SESSION", token()).output().expect("lore runs").into();
    silent(ran.exits(4)).says("the session");
    vault.sandbox.write("other.md", "Text.\n");
    silent(vault.lore(&["git", "commit", "--message", &line()]).exits(4)).says("the commit message");
    assert_eq!(vault.head(), before);
    // A name made by hand is named without the credential.
    vault.sandbox.write(&format!("{name}.txt"), "Text.\n");
    silent(vault.lore(&["git", "commit"]).exits(4));
    let left = silent(vault.lore(&["git", "commit"]).exits(4));
    left.says("keys/[removed secret].txt: a credential in its name");
    nothing_in_git(&vault);
    let found = vault.sandbox.sh(&format!("grep -rl -e {} ../home", TOKEN[0]));
    assert_eq!(found.text(), "", "nothing is stored");
}

#[test]
fn binary_sources_and_sidecars_are_refused() {
    let vault = GitVault::with_profile("brain");
    vault.put("people/ada", "# Ada\n").ok();
    let file = vault.sandbox.root.join("dump.bin");
    std::fs::write(&file, [b"\0\x01\x02\0\0\0".as_slice(), line().as_bytes(), b"\0\0"].concat())
        .expect("a file");
    let path = file.to_string_lossy().into_owned();
    silent(vault.refuses(|| vault.lore(&["ingest", &path]))).says("the source").says("[github-token]");
    std::fs::write(&file, "An article.\n").expect("a file");
    silent(vault.refuses(|| {
        vault.lore(&["ingest", &path, "--source-ref", &format!("https://ada:{}@acme.io", token())])
    }));
    let data = json!({ "reference": "people/ada", "source": "api", "data": { "key": token() } }).to_string();
    silent(vault.refuses(|| vault.lore(&["call", "raw", &data])));
    let tag = ["tag", "people/ada", &token()];
    silent(vault.refuses(|| vault.lore(&tag)));
    nothing_in_git(&vault);
}

#[test]
fn log_never_shows_text() {
    let vault = GitVault::with_profile("notes");
    for arguments in [
        &["put", "keys", "-"][..],
        &["search", &token()],
        &["edit", "missing", "--append", &token()],
        &["capture", &line()],
    ] {
        let mut command = vault.at(NOON, arguments);
        let output = command.env("LORE_LOG", "trace").output().expect("lore runs");
        let log = String::from_utf8_lossy(&output.stderr).into_owned();
        let lines: Vec<&str> = log.lines().filter(|line| line.contains(TOKEN[1])).collect();
        assert_eq!(lines, [""; 0], "{arguments:?}");
    }
}

/// Runs an edit of two pages that is suspended between the check of a commit and git's reading, while `meanwhile` runs.
fn suspended_commit(vault: &GitVault, fault: &str, meanwhile: impl FnOnce()) -> String {
    vault.put("page", "# Page\n\nSee [[hub/center]].\n").ok();
    vault.put("hub/center", "# Center\n").ok();
    let mut command = vault.at(NOON, &["mv", "hub/center", "elsewhere/c"]);
    command.env("LORE_FAULT", fault).stdin(Stdio::null());
    let child = vault.sandbox.spawn(&mut command);
    let pid = Pid::from_raw(child.id().cast_signed());
    let status = waitpid(pid, Some(WaitPidFlag::WUNTRACED)).expect("a child");
    assert!(matches!(status, WaitStatus::Stopped(..)), "the point was not reached: {status:?}");
    meanwhile();
    kill(pid, Signal::SIGCONT).expect("a child");
    let ran: Ran = child.wait_with_output().expect("it ran").into();
    silent(ran.exits(0)).json()["warnings"].to_string()
}

#[test]
fn leak_written_while_git_runs_is_not_committed() {
    let vault = GitVault::with_profile("notes");
    let warnings =
        suspended_commit(&vault, "stop@admitted", || vault.edit_by_hand("page.md", "See", &line()));
    assert!(warnings.contains("not committed: page.md:3"), "{warnings}");
    let history = vault.sandbox.sh("git log -p --all").text();
    assert!(!history.contains(TOKEN[1]), "{history}");
    // The rest is committed, and the page is only changed in the work tree.
    assert!(history.contains("rename to elsewhere/c.md"), "{history}");
    assert_eq!(vault.sandbox.sh("git status --porcelain").text(), " M page.md\n");
    assert!(vault.read("page.md").contains("[[elsewhere/c]]"), "{}", vault.read("page.md"));
}

/// Somebody commits on top before the commit can be taken back: only they may remove it then.
#[test]
fn leak_in_a_commit_that_has_another_on_top_is_reported() {
    let vault = GitVault::with_profile("notes");
    let hook = "echo; git -c core.hooksPath=/dev/null -c user.name=p -c user.email=p commit -q --allow-empty -m Other";
    let meanwhile = || {
        vault.edit_by_hand("page.md", "See", &line());
        vault
            .sandbox
            .sh(&format!(
                "printf '#!/bin/sh\\n{hook}\\n' > .git/hooks/post-commit; chmod +x .git/hooks/post-commit"
            ))
            .exits(0);
    };
    let warnings = suspended_commit(&vault, "stop@admitted", meanwhile);
    assert!(warnings.contains("page.md:3: written while commit"), "{warnings}");
}
