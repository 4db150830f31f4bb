//! Locks, hooks, missing identities and merges in progress.

use std::sync::Barrier;
use std::thread;

use super::*;

/// Creates a repository with a change to commit.
fn changed(place: &Place) -> Repo {
    let repo = place.repository_of("vault", &["a.md"]);
    place.write("vault/a.md", "second\n");
    repo
}

#[track_caller]
fn refused(repo: &Repo, names: &[&str]) -> GitError {
    repo.commit(&paths(names), &by("ada"), None).expect_err("a refusal")
}

#[test]
fn lore_signs_only_without_a_user_identity() {
    let check = |settings: &str, expected: &str| {
        let place = Place::with_settings(&format!("[user]\n\tuseConfigOnly = true\n{settings}"));
        let repo = place.repository("vault");
        place.write("vault/a.md", "new\n");
        assert!(repo.did_commit(&["a.md"]));
        assert_eq!(place.git("vault", &["log", "--format=%an <%ae> %cn <%ce>"]), expected);
    };
    check("", "Lore <lore@localhost> Lore <lore@localhost>");
    check("\temail = b@c.d\n", "Lore <b@c.d> Lore <b@c.d>");
    check("\tname = Bea\n\temail = b@c.d\n", "Bea <b@c.d> Bea <b@c.d>");
}

#[test]
fn commit_waits_for_a_lock() {
    let place = Place::new();
    let repo = changed(&place).with_env("GIT_TRACE2", place.path("trace"));
    let lock = repo.git_dir.join("index.lock");
    fs::write(&lock, "").expect("a lock");
    let start = Barrier::new(2);
    thread::scope(|scope| {
        scope.spawn(|| {
            start.wait();
            // Removed only after git has run into it.
            while !fs::read_to_string(place.path("trace")).is_ok_and(|output| output.contains("index.lock")) {
                thread::yield_now();
            }
            fs::remove_file(&lock).expect("the lock");
        });
        start.wait();
        assert!(repo.did_commit(&["a.md"]));
    });
    assert_eq!(place.last_commit("vault"), ["M a.md"]);
    place.is_sound("vault");
}

#[test]
fn persistent_lock_is_reported_and_kept() {
    let place = Place::new();
    let mut repo = changed(&place);
    repo.patience = Duration::ZERO;
    place.write("vault/new.md", "new\n");
    for lock in ["index.lock", "refs/heads/main.lock"] {
        let lock = repo.git_dir.join(lock);
        fs::write(&lock, "").expect("a lock");
        let error = refused(&repo, &["a.md"]);
        assert!(matches!(&error, GitError::Locked { .. }), "{error}");
        assert!(error.to_string().contains(lock.to_str().expect("a path")), "{error}");
        assert!(matches!(refused(&repo, &["new.md"]), GitError::Locked { .. }));
        fs::remove_file(&lock).expect("it is still there");
    }
    assert_eq!(place.status("vault"), [" M a.md", "?? new.md"]);
    assert!(repo.did_commit(&["a.md", "new.md"]));
}

#[test]
fn reading_needs_no_lock() {
    let place = Place::new();
    let repo = changed(&place);
    fs::write(repo.git_dir.join("index.lock"), "").expect("a lock");
    assert_eq!(repo.uncommitted(None).expect("a status").len(), 1);
    assert_eq!(repo.blame("a.md").expect("a blame").len(), 1);
    repo.state().expect("a state");
}

#[cfg(unix)]
#[test]
fn reading_does_not_write_the_index() {
    let place = Place::new();
    let repo = place.repository_of("vault", &["a.md"]);
    let index = || fs::read(repo.git_dir.join("index")).expect("an index");
    // The same bytes with another mtime: git by itself would record the new mtime.
    let touched = Command::new("touch").args(["-t", "200001010000"]).arg(place.path("vault/a.md")).status();
    assert!(touched.expect("touch runs").success());
    let before = index();
    assert_eq!(repo.uncommitted(None).expect("a status"), []);
    assert!(index() == before);
}

#[cfg(unix)]
#[test]
fn failing_hook_is_reported_and_changes_nothing() {
    let place = Place::new();
    let repo = changed(&place);
    place.write("vault/new.md", "new\n");
    let before = place.status("vault");
    place.script("vault/.git/hooks/pre-commit", "echo the page has no title; exit 1");
    let error = refused(&repo, &["a.md", "new.md"]);
    assert_eq!(error.to_string(), "git commit failed: the page has no title");
    assert_eq!(place.status("vault"), before);
    place.script("vault/.git/hooks/pre-commit", "exit 1");
    assert!(refused(&repo, &["new.md"]).to_string().contains("a hook"));
    assert_eq!(place.status("vault"), before);
    place.is_sound("vault");
}

#[cfg(unix)]
#[test]
fn hooks_run_only_when_there_is_something_to_commit() {
    let place = Place::new();
    let repo = changed(&place);
    place.script("vault/.git/hooks/pre-commit", "git diff --cached --name-only -- '*.md' >> .git/seen");
    assert!(repo.did_commit(&["a.md"]));
    assert!(!repo.did_commit(&["a.md"]));
    assert_eq!(place.read("vault/.git/seen"), "a.md\n");
}

#[cfg(target_os = "linux")]
#[test]
fn git_inherits_the_lock_and_one_file_takes_two_runs() {
    let place = Place::new();
    let path = std::env::var("PATH").expect("a PATH");
    let log = place.path("log");
    let script = format!(
        "test -d /dev/stdin && echo holding >> {0} || echo looking >> {0}\nPATH={path}\nexec git \"$@\"",
        log.display()
    );
    place.script("bin/git", &script);
    let repo = changed(&place);
    let repo = repo.with_env("PATH", format!("{}:{path}", place.path("bin").display()));
    let held = HeldLock::open(place.path("vault")).expect("a directory");
    held.lock().expect("a lock");
    repo.commit(&paths(&["a.md"]), &by("ada"), Some(held)).expect("a commit").expect("an id");
    assert_eq!(place.read("log"), "looking\nholding\n");
    let again = HeldLock::open(place.path("vault")).expect("a directory");
    // This blocks because a process that another test starts at this moment briefly inherits all open files.
    again.lock().expect("the lock was released when git exited");
}

#[test]
fn merge_in_progress_is_reported_with_how_to_end_it() {
    let place = Place::new();
    let repo = place.repository_of("vault", &["a.md", "b.md"]);
    place.git("vault", &["checkout", "--quiet", "-b", "side"]);
    place.write("vault/a.md", "theirs\n");
    assert!(repo.did_commit(&["a.md"]));
    place.git("vault", &["checkout", "--quiet", "main"]);
    place.write("vault/a.md", "ours\n");
    assert!(repo.did_commit(&["a.md"]));
    let merge = Command::new("git")
        .arg("-C")
        .arg(&repo.root)
        .args(["merge", "side"])
        .envs(place.environment())
        .output();
    assert!(!merge.expect("git runs").status.success(), "a conflict");
    place.write("vault/b.md", "second\n");
    let error = refused(&repo, &["b.md"]).to_string();
    assert!(error.contains("a git merge is in progress") && error.contains("git merge --abort"), "{error}");
    // A conflict without a merge, as after `git stash pop`: only that file cannot be committed.
    fs::remove_file(repo.git_dir.join("MERGE_HEAD")).expect("the mark");
    let error = refused(&repo, &["a.md", "b.md"]).to_string();
    assert!(error.contains("a.md is in conflict") && error.contains("git add"), "{error}");
    assert!(repo.did_commit(&["b.md"]));
    assert_eq!(place.status("vault"), ["UU a.md"]);
}

#[test]
fn every_operation_in_progress_is_named() {
    let place = Place::new();
    let repo = changed(&place);
    let check = |mark: &str, name: &str| {
        place.write(&format!("vault/.git/{mark}"), "");
        let error = refused(&repo, &["a.md"]).to_string();
        assert!(error.contains(&format!("git {name} --continue")), "{error}");
        place.remove(&format!("vault/.git/{mark}"));
    };
    check("CHERRY_PICK_HEAD", "cherry-pick");
    check("REVERT_HEAD", "revert");
    check("rebase-merge/onto", "rebase");
    fs::remove_dir(place.path("vault/.git/rebase-merge")).expect("removed");
    check("rebase-apply/applying", "am");
    check("rebase-apply/onto", "rebase");
}

#[cfg(unix)]
#[test]
fn hanging_git_is_killed_and_leaves_no_lock() {
    let place = Place::new();
    let repo = changed(&place);
    place.script("vault/.git/hooks/pre-commit", "trap '' TERM; sleep 60");
    let call = call::Call::new(&["commit", "--all", "--message=x"]).within(Duration::from_millis(300));
    let error = repo.run(&call).expect_err("too long");
    assert!(matches!(&error, GitError::TimedOut { command, seconds: 1 } if command == "commit"), "{error}");
    assert!(!repo.git_dir.join("index.lock").exists(), "git removed it");
    place.remove("vault/.git/hooks/pre-commit");
    assert!(repo.did_commit(&["a.md"]));
}
