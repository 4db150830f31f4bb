//! Committing exactly the given paths.

use super::*;

#[test]
fn changed_new_deleted_and_moved_files_make_one_commit() {
    let place = Place::new();
    let repo = place.repository_of("vault", &["changed.md", "gone.md", "people/old.md", "same.md"]);
    place.write("vault/changed.md", "second\n");
    place.write("vault/deep/new/page.md", "new\n");
    place.remove("vault/gone.md");
    fs::rename(place.path("vault/people/old.md"), place.path("vault/people/new.md")).expect("moved");
    let names = [
        "changed.md",
        "deep/new/page.md",
        "gone.md",
        "people/old.md",
        "people/new.md",
        "same.md",
        "never.md",
    ];
    let id = repo.commit(&paths(&names), &by("ada"), None).expect("a commit").expect("something to commit");
    assert_eq!(id, place.git("vault", &["rev-parse", "HEAD"]));
    assert_eq!(
        place.last_commit("vault"),
        ["M changed.md", "A deep/new/page.md", "D gone.md", "A people/new.md", "D people/old.md"]
    );
    assert!(place.status("vault").is_empty());
    assert!(!repo.did_commit(&names), "nothing is left");
    assert_eq!(place.git("vault", &["rev-parse", "HEAD"]), id);
    place.is_sound("vault");
}

#[test]
fn other_staged_and_changed_files_are_untouched() {
    let place = Place::new();
    let repo = place.repository_of("vault", &["a.md", "staged.md", "both.md", "changed.md", "removed.md"]);
    place.write_all("vault", &["a.md", "staged.md", "both.md"], "second\n");
    place.write("vault/staged-new.md", "new\n");
    place.git("vault", &["add", "staged.md", "both.md", "staged-new.md"]);
    place.git("vault", &["rm", "--quiet", "removed.md"]);
    place.write("vault/both.md", "third\n");
    place.write("vault/changed.md", "second\n");
    place.write("vault/mine.md", "new\n");
    place.write("vault/unknown.md", "new\n");
    let before = place.status("vault");
    assert!(repo.did_commit(&["a.md", "mine.md"]));
    assert_eq!(place.last_commit("vault"), ["M a.md", "A mine.md"]);
    let after = place.status("vault");
    let ours = |line: &String| line.ends_with(" a.md") || line.ends_with(" mine.md");
    assert_eq!(after, before.into_iter().filter(|line| !ours(line)).collect::<Vec<_>>());
    assert_eq!(place.git("vault", &["show", ":both.md"]), "second", "what was staged is still staged");
    place.is_sound("vault");
}

#[test]
fn paths_are_never_read_as_patterns_or_options() {
    let odd = [
        "a b*.md",
        ":(top)x.md",
        "-n.md",
        "Übermut.md",
        "日本.md",
        "[a].md",
        "q\"uote's.md",
        "#h.md",
        "--.md",
    ];
    let place = Place::new();
    let repo = place.repository("vault");
    place.write("vault/a bother.md", "a stranger that the pattern would match\n");
    place.write("vault/x.md", "another\n");
    place.write("vault/a.md", "another\n");
    place.write_all("vault", &odd, "first\n");
    assert!(repo.did_commit(&odd));
    assert_eq!(place.last_commit("vault").len(), odd.len());
    place.write_all("vault", &odd, "second\n");
    for name in odd {
        let found = repo.uncommitted(Some(&paths(&[name]))).expect("a status");
        assert_eq!(found, [Uncommitted { path: name.into(), kind: Kind::Modified }]);
        assert!(repo.did_commit(&[name]));
        assert_eq!(place.last_commit("vault"), [format!("M {name}")]);
        assert_eq!(repo.blame(name).expect("a blame").len(), 1);
        assert_eq!(repo.log(name, 9).expect("a log").len(), 2);
    }
    assert_eq!(place.status("vault").len(), 3, "the other files are left alone");
    place.is_sound("vault");
}

#[test]
fn ignored_files_are_left_out_unless_they_are_tracked() {
    let place = Place::new();
    let repo = place.repository("vault");
    place.write("vault/.gitignore", "private/\n*.tmp\n");
    place.write("vault/private/a.md", "secret\n");
    place.write("vault/kept.tmp", "first\n");
    place.git("vault", &["add", "--force", "kept.tmp"]);
    place.write("vault/b.md", "new\n");
    assert!(repo.did_commit(&["private/a.md", "b.md", "x.tmp", "kept.tmp"]));
    assert_eq!(place.last_commit("vault"), ["A b.md", "A kept.tmp"]);
    assert!(!repo.did_commit(&["private/a.md"]));
}

#[test]
fn first_commit_of_a_repository_works() {
    let place = Place::new();
    let repo = place.repository("vault");
    place.write("vault/a.md", "new\n");
    place.write("vault/b.md", "new\n");
    assert!(!repo.did_commit(&["never.md"]));
    let id = repo.commit(&paths(&["a.md"]), &by("ada"), None).expect("a commit").expect("an id");
    assert!(is_id(&id), "{id}");
    assert_eq!(place.last_commit("vault"), ["A a.md"]);
    assert_eq!(place.status("vault"), ["?? b.md"]);
}

#[test]
fn commit_with_a_detached_head_works() {
    let place = Place::new();
    let repo = place.repository_of("vault", &["a.md"]);
    place.git("vault", &["checkout", "--quiet", "--detach"]);
    place.write("vault/a.md", "second\n");
    let id = repo.commit(&paths(&["a.md"]), &by("ada"), None).expect("a commit").expect("an id");
    assert_eq!(id, place.git("vault", &["rev-parse", "HEAD"]));
}

#[test]
fn thousand_paths_make_one_commit() {
    let place = Place::new();
    let repo = place.repository_of("vault", &["stranger.md"]);
    let name = |number| format!("many/[{number:04}] a page with a rather long name.md");
    let names: Vec<String> = (0..1000).map(name).collect();
    names.iter().for_each(|name| place.write(&format!("vault/{name}"), name));
    place.write("vault/stranger.md", "second\n");
    repo.commit(&names, &by("ada"), None).expect("a commit").expect("an id");
    assert_eq!(place.last_commit("vault").len(), 1000);
    assert_eq!(place.git("vault", &["rev-list", "--count", "HEAD"]), "2");
    assert_eq!(place.status("vault"), [" M stranger.md"]);
    place.is_sound("vault");
}

#[test]
fn file_replaced_by_a_directory_and_back_is_committed() {
    let place = Place::new();
    let repo = place.repository_of("vault", &["a.md"]);
    place.remove("vault/a.md");
    place.write("vault/a.md/inner.md", "new\n");
    assert!(repo.did_commit(&["a.md", "a.md/inner.md"]));
    assert_eq!(place.last_commit("vault"), ["D a.md", "A a.md/inner.md"]);
    fs::remove_dir_all(place.path("vault/a.md")).expect("removed");
    place.write("vault/a.md", "new\n");
    assert!(repo.did_commit(&["a.md/inner.md", "a.md"]));
    assert_eq!(place.last_commit("vault"), ["A a.md", "D a.md/inner.md"]);
    assert!(place.status("vault").is_empty());
}

#[test]
fn staged_files_equal_to_the_last_commit_are_not_committed() {
    let place = Place::new();
    let repo = place.repository_of("vault", &["a.md", "b.md"]);
    place.write("vault/a.md", "second\n");
    place.write("vault/passing.md", "new\n");
    place.git("vault", &["add", "."]);
    place.write("vault/a.md", "first\n");
    place.remove("vault/passing.md");
    place.git("vault", &["rm", "--quiet", "--cached", "b.md"]);
    let before = place.status("vault");
    assert!(!repo.did_commit(&["a.md", "b.md", "passing.md"]));
    assert_eq!(place.status("vault"), before);
}

#[test]
fn paths_outside_the_vault_are_refused_and_no_paths_make_no_commit() {
    let place = Place::new();
    place.repository_of("outer", &["a.md", "vault/b.md"]);
    let repo = place.find("outer/vault");
    place.write("outer/a.md", "second\n");
    for outside in ["../a.md", "/a.md", "x/../../a.md", ""] {
        let error = repo.commit(&paths(&[outside]), &by("ada"), None).expect_err("a refusal");
        assert!(error.to_string().contains("inside the vault"), "{error}");
    }
    assert!(!repo.did_commit(&[]));
}

#[test]
fn trailers_are_parsed_as_git_parses_them() {
    let place = Place::new();
    let repo = place.repository_of("vault", &["a.md"]);
    place.write("vault/a.md", "second\n");
    let message = CommitMessage {
        subject: "# Change a page".into(),
        body: Some("It said:\n---\n# a heading\n\nLore-Actor: somebody else".into()),
        trailers: vec![(ACTOR, "ada\nbyron".into()), (FACE, "mcp".into()), (SESSION, "s: 1".into())],
    };
    repo.commit(&paths(&["a.md"]), &message, None).expect("a commit");
    let stored = place.git("vault", &["log", "-1", "--format=%B"]);
    assert!(
        stored.starts_with("# Change a page\n\nIt said:\n ---\n# a heading\n\nLore-Actor: somebody else\n")
    );
    place.write("stored.txt", &stored);
    let file = place.path("stored.txt");
    let parsed = place.git("vault", &["interpret-trailers", "--parse", file.to_str().expect("a path")]);
    assert_eq!(parsed, "Lore-Actor: ada byron\nLore-Face: mcp\nLore-Session: s: 1");
    let [commit, _] = repo.log("a.md", 9).expect("a log").try_into().expect("two commits");
    assert_eq!(commit.actor.as_deref(), Some("ada byron"));
    assert_eq!(commit.face.as_deref(), Some("mcp"));
    assert_eq!(commit.session.as_deref(), Some("s: 1"));
    assert_eq!((commit.author.as_str(), commit.subject.as_str()), ("Ada", "# Change a page"));
}

#[test]
fn differences_are_reported_with_their_kind() {
    let place = Place::new();
    let repo = place.repository_of("vault", &["changed.md", "gone.md", "removed.md", "f/in.md", "same.md"]);
    place.write("vault/changed.md", "second\n");
    place.write("vault/f/in.md", "second\n");
    place.write("vault/f/new.md", "new\n");
    place.remove("vault/gone.md");
    place.git("vault", &["rm", "--quiet", "removed.md"]);
    place.write("vault/staged.md", "new\n");
    place.write("vault/meant.md", "new\n");
    place.write("vault/passing.md", "new\n");
    place.git("vault", &["add", "staged.md", "passing.md"]);
    place.remove("vault/passing.md");
    place.git("vault", &["add", "--intent-to-add", "meant.md"]);
    let describe = |found: Vec<Uncommitted>| -> Vec<String> {
        found.into_iter().map(|found| format!("{:?} {}", found.kind, found.path)).collect()
    };
    assert_eq!(
        describe(repo.uncommitted(None).expect("a status")),
        [
            "Modified changed.md",
            "Modified f/in.md",
            "Added f/new.md",
            "Deleted gone.md",
            "Added meant.md",
            "Deleted removed.md",
            "Added staged.md",
        ]
    );
    let some = paths(&["f", "same.md", "never.md", "gone.md"]);
    let found = describe(repo.uncommitted(Some(&some)).expect("a status"));
    assert_eq!(found, ["Modified f/in.md", "Added f/new.md", "Deleted gone.md"]);
    let many: Vec<String> = (0..1000).map(|number| format!("{number}.md")).chain(some).collect();
    assert_eq!(describe(repo.uncommitted(Some(&many)).expect("a status")), found);
}

#[test]
fn file_that_somebody_else_commits_meanwhile_is_not_staged_as_deleted() {
    let place = Place::new();
    let repo = place.repository_of("v", &["old.md"]);
    place.write("v/new.md", "new\n");
    // Runs while git commits: somebody commits the same file, and the hook then refuses Lore's commit.
    place.script(
        "v/.git/hooks/pre-commit",
        "export GIT_INDEX_FILE=\"$PWD/.git/theirs\"\n\
         git read-tree HEAD && git update-index --add new.md\n\
         git update-ref HEAD $(git commit-tree -p HEAD -m theirs $(git write-tree))\n\
         exit 1",
    );
    let _ = repo.commit(&paths(&["new.md"]), &by("ada"), None);
    assert_eq!(place.git("v", &["log", "--format=%s"]), "theirs\nfirst");
    assert_eq!(place.status("v"), [""; 0], "nothing is staged");
    assert_eq!(place.read("v/new.md"), "new\n");
    place.is_sound("v");
}

#[test]
fn refused_commit_leaves_nothing_staged() {
    let place = Place::new();
    let repo = place.repository_of("v", &["old.md", "gone.md"]);
    place.write("v/new.md", "new\n");
    place.remove("v/gone.md");
    place.script("v/.git/hooks/pre-commit", "exit 1");
    repo.commit(&paths(&["new.md", "gone.md"]), &by("ada"), None).expect_err("refused");
    assert_eq!(place.status("v"), [" D gone.md", "?? new.md"]);
}
