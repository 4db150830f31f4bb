//! Repositories that try to have git run their author's command, or to be taken for another repository.

use super::*;

/// A repository, a command that leaves a trace, and every read.
struct Trap {
    place: Place,
    command: String,
}

impl Trap {
    fn new() -> Trap {
        let place = Place::new();
        place.repository_of("vault", &["a.md", "b.md"]);
        let trace = place.path("ran");
        let command =
            place.script("evil", &format!("touch '{}'; cat", trace.display())).display().to_string();
        Trap { place, command }
    }

    fn set(&self, key: &str) {
        self.place.git("vault", &["config", key, &self.command]);
    }

    /// Reads everything that Lore reads.
    fn look(&self, vault: &str) {
        let repo = self.place.find(vault);
        self.place.write(&format!("{vault}/a.md"), "second\n");
        let _ = repo.uncommitted(None);
        let _ = repo.uncommitted(Some(&paths(&["a.md"])));
        let _ = repo.state();
        let _ = repo.has_remote();
        let _ = repo.blame("a.md");
        let _ = repo.log("a.md", 9);
        let _ = repo.revision("HEAD");
        let _ = repo.files_at("HEAD", |_| true, |_, _| Ok(()));
    }

    #[track_caller]
    fn nothing_ran(&self, what: &str) {
        assert!(!self.place.path("ran").exists(), "{what}: the command ran");
    }
}

#[test]
fn reading_runs_nothing_that_the_repository_names() {
    for (key, attributes) in [
        ("core.fsmonitor", ""),
        ("core.pager", ""),
        ("core.editor", ""),
        ("core.sshCommand", ""),
        ("core.gitProxy", ""),
        ("core.askPass", ""),
        ("core.alternateRefsCommand", ""),
        ("diff.external", ""),
        ("diff.evil.command", "*.md diff=evil\n"),
        ("diff.evil.textconv", "*.md diff=evil\n"),
        ("filter.evil.clean", "*.md filter=evil\n"),
        ("filter.evil.smudge", "*.md filter=evil\n"),
        ("filter.evil.process", "*.md filter=evil\n"),
        ("filter.a=b.clean", "*.md filter=a=b\n"),
        ("merge.evil.driver", "*.md merge=evil\n"),
        ("credential.helper", ""),
        ("gpg.program", ""),
        ("alias.status", ""),
        ("alias.log", ""),
    ] {
        let trap = Trap::new();
        trap.set(key);
        trap.place.write("vault/.gitattributes", attributes);
        trap.look("vault");
        trap.nothing_ran(key);
        let risks: Vec<String> = risks(&trap.place.path("vault")).into_iter().map(|risk| risk.what).collect();
        assert_eq!(risks.len(), 1, "{key}: {risks:?}");
        assert!(risks[0].to_lowercase().contains(&key.to_lowercase()), "{key}: {risks:?}");
    }
}

#[test]
fn reading_runs_no_hook_and_no_included_setting() {
    let trap = Trap::new();
    for hook in ["post-index-change", "fsmonitor-watchman", "reference-transaction", "pre-commit"] {
        trap.place.script(&format!("vault/.git/hooks/{hook}"), "touch ../ran; touch ../../ran; touch ran");
    }
    trap.place.write(
        "vault/inc",
        &format!("[core]\n\tfsmonitor = {}\n[filter \"e\"]\n\tclean = {0}\n", trap.command),
    );
    trap.place.write("vault/.gitattributes", "*.md filter=e\n");
    trap.place.git("vault", &["config", "include.path", "../inc"]);
    trap.place.git("vault", &["config", "core.hooksPath", ".git/hooks"]);
    trap.look("vault");
    trap.nothing_ran("hooks");
    let risks = risks(&trap.place.path("vault"));
    let named = |part: &str| risks.iter().any(|risk| risk.what.contains(part));
    for part in ["core.fsmonitor", "filter.e.clean", "include.path", "core.hookspath", "hook pre-commit"] {
        assert!(named(part), "{part}: {risks:?}");
    }
}

#[test]
fn directory_that_poses_as_a_repository_is_not_one() {
    let trap = Trap::new();
    trap.place.git("vault", &["init", "--quiet", "--bare", "notes"]);
    trap.place.write("vault/notes/a.md", "x\n");
    let bare = format!("[core]\n\tbare = false\n\tworktree = \"../\"\n\tfsmonitor = {}\n", trap.command);
    trap.place.write("vault/notes/config", &bare);
    let repo = trap.place.find("vault/notes");
    assert_eq!(repo.git_dir, fs::canonicalize(trap.place.path("vault/.git")).expect("there"));
    trap.look("vault/notes");
    trap.nothing_ran("bare repository");
}

#[test]
fn git_directory_that_leads_elsewhere_is_refused() {
    let place = Place::new();
    let other = place.repository_of("other", &["a.md"]);
    let git_dir = other.git_dir.display().to_string();
    for (name, make) in [
        ("file", "echo 'gitdir: OTHER' > .git"),
        ("link", "ln -s OTHER .git"),
        ("common", "git init -q . && echo OTHER > .git/commondir"),
        (
            "worktree",
            "mkdir -p g/worktrees/w && echo 'gitdir: g/worktrees/w' > .git && cp OTHER/HEAD g/worktrees/w \
            && echo OTHER > g/worktrees/w/commondir && echo \"$PWD/.git\" > g/worktrees/w/gitdir",
        ),
        ("pipe", "mkfifo .git"),
    ] {
        fs::create_dir_all(place.path(name)).expect("a folder");
        place.write(&format!("{name}/lore.toml"), "");
        let script = make.replace("OTHER", &git_dir);
        let made = Command::new("sh").args(["-c", &script]).current_dir(place.path(name)).status();
        assert!(made.expect("a shell").success());
        assert!(Repo::find(&place.path(name)).is_none(), "{name}");
        let problem = Repo::problem(&place.path(name)).expect(name);
        assert!(problem.contains("is not used"), "{name}: {problem}");
    }
}

#[test]
fn remote_that_is_an_option_or_a_command_is_not_run() {
    for (remote, url) in [
        ("--upload-pack=COMMAND", "."),
        ("ext::COMMAND x", "."),
        ("origin", "ext::COMMAND x"),
        ("origin", "-oProxyCommand=COMMAND"),
        ("origin", "ssh://-oProxyCommand=COMMAND/x"),
    ] {
        let trap = Trap::new();
        let (remote, url) = (remote.replace("COMMAND", &trap.command), url.replace("COMMAND", &trap.command));
        trap.place.git("vault", &["config", "remote.origin.url", &url]);
        trap.place.git("vault", &["config", "branch.main.remote", &remote]);
        trap.place.git("vault", &["config", "branch.main.merge", "refs/heads/main"]);
        trap.place.git("vault", &["config", "protocol.ext.allow", "always"]);
        let repo = trap.place.find("vault");
        assert!(repo.fetch(Duration::from_secs(9)).is_err() || url == ".", "{remote} {url}");
        let _ = repo.push(Duration::from_secs(9));
        let _ = repo.reachable(Duration::from_secs(9));
        trap.look("vault");
        trap.nothing_ran(&format!("{remote} {url}"));
        assert!(!risks(&trap.place.path("vault")).is_empty());
    }
}

#[test]
fn ordinary_use_of_git_adds_no_risk() {
    let place = Place::new();
    place.repository_of("vault", &["a.md"]);
    place.git(".", &["init", "--quiet", "--bare", "remote.git"]);
    place.git("vault", &["remote", "add", "origin", "../remote.git"]);
    place.git("vault", &["push", "--quiet", "--set-upstream", "origin", "main"]);
    place.git("vault", &["fetch", "--quiet"]);
    place.git("vault", &["switch", "--quiet", "-c", "side"]);
    place.git("vault", &["config", "user.name", "Ada"]);
    assert_eq!(risks(&place.path("vault")), []);
    place.git("vault", &["worktree", "add", "--quiet", "../tree", "main"]);
    assert_eq!(risks(&place.path("tree")), []);
    let source = place.path("vault").display().to_string();
    place.repository_of("outer", &["a.md"]);
    place.git("outer", &["submodule", "--quiet", "add", &source, "sub"]);
    assert_eq!(risks(&place.path("outer/sub")), []);
    assert_eq!(risks(&place.path("outer")), []);
}

#[test]
fn hooks_run_on_writes_unless_they_are_disabled() {
    let place = Place::new();
    let repo = place.repository_of("vault", &["a.md"]);
    place.script("vault/.git/hooks/pre-commit", "echo x >> ../ran");
    place.write("vault/a.md", "second\n");
    assert!(repo.clone().with_hooks(false).did_commit(&["a.md"]));
    assert!(!place.path("ran").exists());
    place.write("vault/a.md", "third\n");
    assert!(repo.did_commit(&["a.md"]));
    assert_eq!(place.read("ran"), "x\n");
}

#[test]
fn commit_whose_last_hook_fails_leaves_no_staged_deletion() {
    let place = Place::new();
    let repo = place.repository_of("vault", &["a.md"]);
    place.write("vault/new.md", "new\n");
    // It kills git after the commit was made.
    place.script("vault/.git/hooks/post-commit", "kill -9 $PPID; sleep 1");
    let _ = repo.commit(&paths(&["new.md"]), &by("ada"), None);
    assert_eq!(place.last_commit("vault"), ["A new.md"]);
    assert_eq!(place.status("vault"), [""; 0]);
}
