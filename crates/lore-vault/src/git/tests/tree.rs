//! Reading the files of a commit.

use super::*;

fn read(repo: &Repo, commit: &str) -> Vec<String> {
    let mut files = Vec::new();
    let wanted = |path: &str| path.ends_with(".md");
    repo.files_at(commit, wanted, |path, bytes| {
        files.push(format!("{path}: {}", String::from_utf8_lossy(bytes)));
        Ok(())
    })
    .expect("files");
    files
}

#[test]
fn files_of_a_commit_are_read_as_committed() {
    let place = Place::new();
    let repo = place.repository("v");
    place.write("v/a.md", "one\r\n");
    place.write("v/sub/b \u{fc}.md", "");
    place.write("v/picture.png", "x");
    place.write("v/.gitattributes", "*.md text eol=lf export-ignore\n");
    place.git("v", &["add", "--all"]);
    place.git("v", &["-c", "core.autocrlf=false", "commit", "--quiet", "-m", "one"]);
    let first = repo.revision("HEAD").expect("git").expect("a commit");
    place.write("v/a.md", "two\n");
    place.git("v", &["rm", "--quiet", "sub/b \u{fc}.md"]);
    place.git("v", &["commit", "--quiet", "--all", "-m", "two"]);
    assert_eq!(read(&repo, &first.id), ["a.md: one\n", "sub/b \u{fc}.md: "]);
    assert_eq!(read(&repo, "HEAD"), ["a.md: two\n"]);
    assert_eq!(repo.revision("HEAD~1").expect("git"), Some(first));
}

#[test]
fn vault_in_a_subdirectory_reads_only_its_own_files() {
    let place = Place::new();
    place.repository("top");
    place.write("top/vault/a.md", "in\n");
    place.write("top/b.md", "out\n");
    place.git("top", &["add", "--all"]);
    place.git("top", &["commit", "--quiet", "-m", "one"]);
    let repo = place.find("top/vault");
    assert_eq!(read(&repo, "HEAD"), ["a.md: in\n"]);
}

#[test]
fn invalid_revision_gives_none() {
    let place = Place::new();
    let repo = place.repository("v");
    for revision in ["HEAD", "nonsense", "", "--help", "-n", "HEAD:a.md", "a b", "^{commit}"] {
        assert_eq!(repo.revision(revision).expect("git"), None, "{revision:?}");
    }
}
