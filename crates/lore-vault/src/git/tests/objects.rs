//! What the repository stores, and the gate of a commit.

use std::collections::HashSet;

use super::*;

/// Returns the texts of all stored files and messages that contain a word.
fn with_word(repo: &Repo, word: &str) -> Vec<(ObjectKind, String)> {
    let mut found = Vec::new();
    repo.each_object(|object, bytes| {
        if String::from_utf8_lossy(bytes).contains(word) {
            found.push((object.kind, object.id.clone()));
        }
    })
    .expect("the objects are read");
    found
}

#[test]
fn refused_file_is_left_out_and_never_stored() {
    let place = Place::new();
    let repo = place.repository_of("vault", &["a.md"]);
    place.write_all("vault", &["a.md", "b.md", ".env"], "secret word\n");
    place.write("vault/c.md", "clean\n");
    place.write("vault/d.md", "clean\n");
    place.git("vault", &["rm", "--quiet", "--cached", "a.md"]);
    place.git("vault", &["reset", "--quiet"]);
    let mut asked = Vec::new();
    let admits = |path: &str, bytes: &[u8]| {
        asked.push(path.to_owned());
        !bytes.starts_with(b"secret")
    };
    let all = paths(&[".env", "a.md", "b.md", "c.md", "d.md"]);
    repo.commit_admitted(&all, &by("ada"), None, admits).expect("a commit").expect("an id");
    asked.sort();
    assert_eq!(asked, all);
    assert_eq!(place.last_commit("vault"), ["A c.md", "A d.md"]);
    assert_eq!(place.status("vault"), [" M a.md", "?? .env", "?? b.md"]);
    assert_eq!(with_word(&repo, "secret word"), []);
    let none = repo.commit_admitted(&all, &by("ada"), None, |_, _| false).expect("no commit");
    assert_eq!(none, None);
}

#[cfg(unix)]
#[test]
fn symlinks_are_judged_by_their_target() {
    let place = Place::new();
    let repo = place.repository_of("vault", &["a.md"]);
    std::os::unix::fs::symlink("the-target", place.path("vault/link.md")).expect("a symlink");
    assert_eq!(repo.work_file("link.md").as_deref(), Some(&b"the-target"[..]));
    assert_eq!(repo.work_file("missing.md"), None);
}

#[test]
fn objects_that_no_branch_leads_to_are_read() {
    let place = Place::new();
    let repo = place.repository_of("vault", &["a.md"]);
    place.write("vault/staged.txt", "needle in the index\n");
    place.git("vault", &["add", "staged.txt"]);
    place.git("vault", &["rm", "--quiet", "--force", "staged.txt"]);
    place.write("vault/b.txt", "a needle\n");
    place.git("vault", &["add", "b.txt"]);
    place.git("vault", &["commit", "--quiet", "-m", "A needle here"]);
    let commit = place.git("vault", &["rev-parse", "HEAD"]);
    place.git("vault", &["mv", "b.txt", "c.txt"]);
    place.git("vault", &["commit", "--quiet", "-m", "Moved"]);
    let found = with_word(&repo, "needle");
    let kinds = |kind: ObjectKind| found.iter().filter(|one| one.0 == kind).count();
    assert_eq!((kinds(ObjectKind::File), kinds(ObjectKind::Commit)), (2, 1), "{found:?}");
    let ids: HashSet<String> = found.iter().map(|one| one.1.clone()).collect();
    let origins = repo.origins(&ids).expect("the log is read");
    assert_eq!(origins.len(), 1, "the staged file is in no commit");
    let places = origins.into_values().next().expect("one");
    let oldest = places.iter().max_by_key(|origin| origin.newer).expect("an origin");
    assert_eq!((oldest.path.as_str(), &oldest.commit), ("b.txt", &commit));
    assert_eq!(places.len(), 2);
}

#[test]
fn listed_files_are_those_that_git_takes() {
    let place = Place::new();
    let repo = place.repository_of("vault", &["a.md", "kept/b.md"]);
    place.write("vault/.gitignore", "kept/\n*.log\n");
    place.write_all("vault", &[".hidden/c.txt", "d.log", "kept/new.md"], "x");
    assert_eq!(repo.listed_files().expect("a list"), [".gitignore", ".hidden/c.txt", "a.md", "kept/b.md"]);
}
