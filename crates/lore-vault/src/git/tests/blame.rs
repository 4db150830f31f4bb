//! Blame and log.

use super::*;

#[test]
fn lines_have_an_actor_an_author_or_none_yet() {
    let place = Place::new();
    let repo = place.repository_of("vault", &["a.md"]);
    let by_bea = CommitMessage {
        subject: "Two".into(),
        body: None,
        trailers: vec![(ACTOR, "bea".into()), (FACE, "mcp".into())],
    };
    place.write("vault/a.md", "first\n\ttwo\n");
    let two = repo.commit(&paths(&["a.md"]), &by_bea, None).expect("a commit");
    place.write("vault/a.md", "first\n\ttwo\nthree\r\nnobody");
    place.git("vault", &["add", "."]);
    place.write("vault/a.md", "first\n\ttwo\nthree\r\n");
    repo.commit(&paths(&["a.md"]), &by("claude"), None).expect("a commit");
    place.write("vault/a.md", "first\n\ttwo\nthree\r\nnobody");
    let lines = repo.blame("a.md").expect("a blame");
    let rows: Vec<_> = lines
        .iter()
        .map(|line| (line.line, line.text.as_str(), line.actor.as_deref(), line.face.as_deref()))
        .collect();
    assert_eq!(
        rows,
        [
            (1, "first", Some("Ada"), None),
            (2, "\ttwo", Some("bea"), Some("mcp")),
            (3, "three", Some("claude"), None),
            (4, "nobody", None, None),
        ]
    );
    assert_eq!(lines[1].commit, two);
    let seconds: i64 = place.git("vault", &["log", "-1", "--format=%at"]).parse().expect("a number");
    assert_eq!(lines[2].at, Some(seconds * 1000));
    assert_eq!((lines[3].commit.as_ref(), lines[3].at), (None, None));
}

#[test]
fn uncommitted_file_has_no_author_and_a_missing_one_is_an_error() {
    let place = Place::new();
    let unborn = place.repository("unborn");
    let repo = place.repository_of("vault", &["a.md", "gone.md"]);
    place.write("unborn/new.md", "one\n");
    place.write("vault/new.md", "one\ntwo\n");
    place.write("vault/staged.md", "one\n");
    place.git("vault", &["add", "staged.md"]);
    for (repo, path, count) in [(&unborn, "new.md", 1), (&repo, "new.md", 2), (&repo, "staged.md", 1)] {
        let lines = repo.blame(path).expect("a blame");
        assert_eq!(lines.len(), count, "{path}");
        assert!(lines.iter().all(|line| line.commit.is_none() && line.actor.is_none()));
    }
    let error = repo.blame("never.md").expect_err("no such file");
    assert_eq!(error.to_string(), "git blame failed: never.md does not exist in the vault");
}

#[test]
fn log_follows_renames() {
    let place = Place::new();
    let repo = place.repository("vault");
    place.write("vault/old.md", "a page that is long enough\nto be known again\n");
    assert!(repo.did_commit(&["old.md"]));
    place.write("vault/other.md", "nothing to do with it\n");
    assert!(repo.did_commit(&["other.md"]));
    fs::create_dir(place.path("vault/people")).expect("a folder");
    fs::rename(place.path("vault/old.md"), place.path("vault/people/new.md")).expect("moved");
    let moved = repo.commit(&paths(&["old.md", "people/new.md"]), &by("bea"), None).expect("a commit");
    let commits = repo.log("people/new.md", 9).expect("a log");
    let actors: Vec<_> = commits.iter().map(|commit| commit.actor.as_deref()).collect();
    assert_eq!(actors, [Some("bea"), Some("ada")]);
    assert_eq!(Some(&commits[0].id), moved.as_ref());
    assert_eq!(repo.log("people/new.md", 1).expect("a log").len(), 1);
    assert_eq!(repo.log("old.md", 9).expect("a log").len(), 2, "also under its old name");
    assert_eq!(repo.log("never.md", 9).expect("a log"), []);
    assert_eq!(place.repository("unborn").log("a.md", 9).expect("a log"), []);
}

#[test]
fn user_settings_do_not_affect_parsing() {
    let place = Place::new();
    let repo = place.repository_of("vault", &["a.md"]);
    let settings = "[log]\n\tshowSignature = true\n[trailer]\n\tseparators = =\n[color]\n\tui = always\n\
                    [i18n]\n\tlogOutputEncoding = latin1\n[status]\n\trelativePaths = true\n\tshort = true\n\
                    [blame]\n\tshowEmail = true\n[commit]\n\tverbose = true\n\tcleanup = strip\n\
                    [user]\n\tname = Jürgen\n\temail = j@example.org\n";
    place.write("home/.gitconfig", settings);
    place.write("vault/a.md", "second\n");
    let message = CommitMessage {
        subject: "# Change".into(),
        body: Some("# kept".into()),
        trailers: vec![(ACTOR, "not the last".into()), (ACTOR, "bea".into())],
    };
    let id = repo.commit(&paths(&["a.md"]), &message, None).expect("a commit").expect("an id");
    let [commit, _] = repo.log("a.md", 9).expect("a log").try_into().expect("two commits");
    assert_eq!((&commit.id, commit.author.as_str()), (&id, "Jürgen"));
    assert_eq!(repo.blame("a.md").expect("a blame")[0].actor.as_deref(), Some("bea"));
    let stored = place.git("vault", &["log", "-1", "--format=%B"]);
    assert_eq!(stored, message.text().trim_end());
}
