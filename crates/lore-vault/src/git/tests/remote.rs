//! Remotes that are reachable, that have moved, that are missing and that hang.

use super::*;

const SOON: Duration = Duration::from_secs(20);

/// Creates a bare remote with one commit of `a.md` and `b.md`, and two clones of it.
fn shared(place: &Place) -> (Repo, Repo) {
    place.repository_of("seed", &["a.md", "b.md"]);
    place.git("", &["clone", "--quiet", "--bare", "seed", "remote.git"]);
    place.git("", &["clone", "--quiet", "remote.git", "ours"]);
    place.git("", &["clone", "--quiet", "remote.git", "theirs"]);
    (place.find("ours"), place.find("theirs"))
}

/// Changes and commits one page.
#[track_caller]
fn change(place: &Place, repo: &Repo, name: &str, text: &str) {
    let folder = repo.root.file_name().expect("a name").to_str().expect("text");
    place.write(&format!("{folder}/{name}"), text);
    assert!(repo.did_commit(&[name]));
}

fn distance(repo: &Repo) -> (u64, u64) {
    let state = repo.state().expect("a state");
    (state.ahead, state.behind)
}

#[test]
fn state_needs_no_network() {
    let place = Place::new();
    let (ours, theirs) = shared(&place);
    change(&place, &theirs, "a.md", "theirs\n");
    change(&place, &ours, "b.md", "ours\n");
    assert_eq!(theirs.push(SOON).expect("a push"), 1);
    assert_eq!(distance(&ours), (1, 0), "not fetched yet");
    ours.fetch(SOON).expect("a fetch");
    place.git("ours", &["remote", "set-url", "origin", "https://ada:secret@example.org/v.git"]);
    let expected = State {
        branch: Some("main".into()),
        upstream: Some("origin/main".into()),
        url: Some("https://example.org/v.git".into()),
        ahead: 1,
        behind: 1,
    };
    assert_eq!(ours.state().expect("a state"), expected);
    assert!(ours.has_remote());
    place.git("ours", &["branch", "--quiet", "--unset-upstream"]);
    assert_eq!(ours.state().expect("a state"), expected, "falls back to the branch of the same name");
    place.git("ours", &["checkout", "--quiet", "--detach"]);
    let detached = ours.state().expect("a state");
    assert_eq!((detached.branch, detached.upstream), (None, None));
    assert!(!ours.fast_forward().expect("nothing to follow"));
    let error = ours.push(SOON).expect_err("no branch").to_string();
    assert!(error.contains("no branch is checked out") && error.contains("git switch"), "{error}");
}

#[test]
fn missing_remote_error_explains_how_to_add_one() {
    let place = Place::new();
    let repo = place.repository_of("vault", &["a.md"]);
    assert!(!repo.has_remote());
    assert_eq!(repo.state().expect("a state"), State { branch: Some("main".into()), ..State::default() });
    assert!(!repo.fast_forward().expect("nothing to follow"));
    for error in [repo.fetch(SOON), repo.reachable(SOON), repo.push(SOON).map(drop)] {
        assert!(error.expect_err("no remote").to_string().contains("git remote add origin URL"));
    }
}

#[test]
fn the_first_push_sets_the_upstream_and_counts() {
    let place = Place::new();
    place.git("", &["init", "--quiet", "--bare", "--initial-branch=main", "remote.git"]);
    let repo = place.repository("vault");
    place.git("vault", &["remote", "add", "backup", "../remote.git"]);
    repo.reachable(SOON).expect("an empty remote is reachable");
    assert_eq!(repo.push(SOON).expect("nothing yet"), 0);
    change(&place, &repo, "a.md", "one\n");
    change(&place, &repo, "a.md", "two\n");
    assert_eq!(distance(&repo), (2, 0));
    assert_eq!(repo.push(SOON).expect("a push"), 2);
    let state = repo.state().expect("a state");
    assert_eq!((state.upstream.as_deref(), state.ahead), (Some("backup/main"), 0));
    assert_eq!(place.git("vault", &["rev-parse", "--abbrev-ref", "main@{upstream}"]), "backup/main");
    assert_eq!(repo.push(SOON).expect("nothing more"), 0);
    place.is_sound("remote.git");
}

#[test]
fn push_uses_the_configured_upstream_name() {
    let place = Place::new();
    let (ours, _) = shared(&place);
    place.git("ours", &["checkout", "--quiet", "-b", "work", "--track", "origin/main"]);
    change(&place, &ours, "a.md", "ours\n");
    assert_eq!(ours.push(SOON).expect("a push"), 1);
    assert_eq!(place.git("remote.git", &["for-each-ref", "--format=%(refname)"]), "refs/heads/main");
    // A branch that tracks another local one still has a remote.
    place.git("ours", &["checkout", "--quiet", "-b", "side", "--track", "work"]);
    change(&place, &ours, "a.md", "side\n");
    assert_eq!(ours.push(SOON).expect("a push"), 1);
    assert_eq!(ours.state().expect("a state").upstream.as_deref(), Some("origin/side"));
    assert_eq!(place.git("ours", &["log", "-1", "--format=%s", "work"]), "Change", "work did not move");
}

#[test]
fn rejected_push_fetches_and_fails() {
    let place = Place::new();
    let (ours, theirs) = shared(&place);
    change(&place, &theirs, "a.md", "theirs\n");
    theirs.push(SOON).expect("a push");
    change(&place, &ours, "b.md", "ours\n");
    let before = place.git("ours", &["rev-parse", "HEAD"]);
    let error = ours.push(SOON).expect_err("too late");
    assert!(matches!(error, GitError::Rejected { .. }), "{error}");
    assert!(error.to_string().contains("git -c rebase.autoStash=true rebase origin/main"), "{error}");
    assert_eq!(place.git("ours", &["rev-parse", "HEAD"]), before);
    assert_eq!(distance(&ours), (1, 1), "the remote was fetched");
    assert!(matches!(ours.push(SOON), Err(GitError::Rejected { .. })), "known beforehand");
    assert!(matches!(ours.fast_forward(), Err(GitError::Diverged { ahead: 1, behind: 1 })));
    assert_eq!(place.git("ours", &["rev-parse", "HEAD"]), before);
    assert_eq!(place.git("remote.git", &["rev-list", "--count", "main"]), "2");
    place.is_sound("ours");
    place.is_sound("remote.git");
}

#[cfg(unix)]
#[test]
fn rejection_message_of_the_remote_is_quoted() {
    let place = Place::new();
    let (ours, _) = shared(&place);
    place.script("remote.git/hooks/pre-receive", "echo no pushing on Sundays >&2; exit 1");
    change(&place, &ours, "a.md", "ours\n");
    let error = ours.push(SOON).expect_err("declined").to_string();
    assert!(
        error.contains("pre-receive hook declined") && error.contains("no pushing on Sundays"),
        "{error}"
    );
}

#[test]
fn branch_that_is_only_behind_is_fast_forwarded() {
    let place = Place::new();
    let (ours, theirs) = shared(&place);
    change(&place, &theirs, "a.md", "theirs\n");
    change(&place, &theirs, "new.md", "theirs\n");
    theirs.push(SOON).expect("a push");
    place.write("ours/b.md", "not committed, and not touched by them\n");
    assert!(!ours.fast_forward().expect("nothing is known yet"));
    ours.fetch(SOON).expect("a fetch");
    assert!(ours.fast_forward().expect("forward"));
    assert_eq!(place.read("ours/a.md"), "theirs\n");
    assert_eq!(place.status("ours"), [" M b.md"]);
    assert_eq!(distance(&ours), (0, 0));
    assert!(!ours.fast_forward().expect("there already"));
    place.is_sound("ours");
    let unborn = place.repository("unborn");
    place.git("unborn", &["remote", "add", "origin", "../remote.git"]);
    unborn.fetch(SOON).expect("a fetch");
    assert_eq!(distance(&unborn), (0, 3));
    assert!(unborn.fast_forward().expect("from nothing"));
    assert_eq!(place.read("unborn/new.md"), "theirs\n");
}

#[test]
fn files_that_would_be_overwritten_are_reported_and_kept() {
    let place = Place::with_settings("[merge]\n\tautoStash = true\n[user]\n\tname = A\n\temail = a@b.c\n");
    let (ours, theirs) = shared(&place);
    change(&place, &theirs, "a.md", "theirs\n");
    change(&place, &theirs, "größe.md", "theirs\n");
    theirs.push(SOON).expect("a push");
    ours.fetch(SOON).expect("a fetch");
    place.write("ours/größe.md", "ours\n");
    let error = ours.fast_forward().expect_err("in the way").to_string();
    assert!(error.contains("größe.md") && error.contains("commit them"), "{error}");
    place.remove("ours/größe.md");
    place.write("ours/a.md", "ours\n");
    let error = ours.fast_forward().expect_err("in the way").to_string();
    assert!(error.contains("uncommitted files: a.md;"), "{error}");
    assert_eq!(place.read("ours/a.md"), "ours\n");
    assert_eq!(distance(&ours), (0, 2));
    place.git("ours", &["checkout", "--quiet", "a.md"]);
    place.write("ours/.git/MERGE_HEAD", "");
    let error = ours.fast_forward().expect_err("a merge").to_string();
    assert!(error.contains("a git merge is in progress"), "{error}");
}

#[test]
fn unreachable_remote_error_hides_the_password() {
    let place = Place::new();
    let (ours, _) = shared(&place);
    ours.reachable(SOON).expect("it is there");
    place.git("ours", &["remote", "set-url", "origin", "../nowhere.git"]);
    change(&place, &ours, "a.md", "ours\n");
    for failed in [ours.reachable(SOON), ours.fetch(SOON), ours.push(SOON).map(drop)] {
        let error = failed.expect_err("nobody is there").to_string();
        assert!(error.contains("nowhere.git' does not appear to be a git repository"), "{error}");
    }
    place.git("ours", &["remote", "set-url", "origin", "https://ada:secret@localhost:1/v.git"]);
    let error = ours.fetch(SOON).expect_err("nobody is there").to_string();
    assert!(!error.contains("secret"), "{error}");
}

#[cfg(unix)]
#[test]
fn hanging_transport_is_killed_with_its_children() {
    let place = Place::new();
    let repo = place.repository_of("vault", &["a.md"]);
    let pipe = place.path("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    // The pipe stays open for writing until the last of the processes has exited.
    let text = format!("exec 9>{}\ntrap '' TERM\necho started >&9\nsleep 60", pipe.display());
    let script = place.script("hang", &text);
    place.git("vault", &["remote", "add", "origin", "ssh://example.invalid/v.git"]);
    let repo = repo.with_env("GIT_SSH_COMMAND", script);
    let (heard, ended) = std::sync::mpsc::channel();
    std::thread::spawn(move || heard.send(fs::read_to_string(pipe)));
    let error = repo.fetch(Duration::from_secs(1)).expect_err("it hangs");
    assert!(matches!(&error, GitError::TimedOut { command, seconds: 1 } if command == "fetch"), "{error}");
    let heard = ended.recv_timeout(SOON).expect("all of them exited");
    assert_eq!(heard.expect("a pipe"), "started\n");
}

#[cfg(unix)]
#[test]
fn ssh_runs_in_batch_mode_unless_the_user_configured_ssh() {
    let place = Place::new();
    let repo = place.repository_of("vault", &["a.md"]);
    place.git("vault", &["remote", "add", "origin", "ssh://git@example.invalid/v.git"]);
    let log = place.path("log");
    let script = |name: &str| place.script(name, &format!("echo {name} \"$@\" >> {}; exit 1", log.display()));
    let (own, other) = (script("own ssh"), script("other"));
    script("bin/ssh");
    let path = format!("{}:{}", place.path("bin").display(), std::env::var("PATH").expect("a PATH"));
    let repo = repo.with_env("PATH", path);
    let check = |repo: &Repo, expected: &str| {
        let _ = fs::remove_file(&log);
        repo.fetch(Duration::from_secs(7)).expect_err("no such host");
        let output = place.read("log");
        assert!(output.starts_with(expected), "{output}");
        assert_eq!(output.contains("-oBatchMode=yes"), expected.contains("-oBatchMode=yes"), "{output}");
    };
    check(&repo, "bin/ssh -oBatchMode=yes -oConnectTimeout=7 ");
    check(&repo.clone().with_env("GIT_SSH", &own), "own ssh ");
    check(&repo.clone().with_env("GIT_SSH_COMMAND", &other), "other ");
    place.git("vault", &["config", "core.sshCommand", other.to_str().expect("a path")]);
    check(&repo, "other ");
}
