//! Vaults in a subdirectory of a repository, in a linked work tree and in a submodule.

use super::*;

#[test]
fn vault_in_a_subdirectory_sees_and_commits_only_its_part() {
    let place = Place::new();
    place.repository_of("outer", &["a.md", "vault/a.md", "vault2/a.md"]);
    place.write_all("outer", &["a.md", "vault/a.md", "vault2/a.md", "vault/b/new.md"], "second\n");
    let repo = place.find("outer/vault");
    let found = repo.uncommitted(None).expect("a status");
    let names: Vec<&str> = found.iter().map(|found| found.path.as_str()).collect();
    assert_eq!(names, ["a.md", "b/new.md"]);
    assert!(repo.did_commit(&["a.md", "b/new.md"]));
    assert_eq!(place.last_commit("outer"), ["M vault/a.md", "A vault/b/new.md"]);
    assert_eq!(place.status("outer"), [" M a.md", " M vault2/a.md"]);
    assert_eq!(repo.log("a.md", 9).expect("a log").len(), 2);
    assert_eq!(repo.blame("b/new.md").expect("a blame")[0].actor.as_deref(), Some("ada"));
    let many: Vec<String> = (0..1000).map(|number| format!("{number}.md")).chain(paths(&["a.md"])).collect();
    place.write("outer/vault/a.md", "third\n");
    assert_eq!(repo.uncommitted(Some(&many)).expect("a status").len(), 1);
}

#[test]
fn linked_work_tree_is_a_repository_of_its_own() {
    let place = Place::new();
    place.repository_of("main", &["a.md"]);
    place.git("main", &["worktree", "add", "--quiet", "-b", "side", "../side"]);
    let repo = place.find("side");
    place.write("side/b.md", "new\n");
    assert!(repo.did_commit(&["b.md"]));
    assert_eq!(repo.state().expect("a state").branch.as_deref(), Some("side"));
    assert_eq!(place.git("main", &["log", "-1", "--format=%s"]), "first");
    place.write("side/b.md", "second\n");
    fs::write(repo.git_dir.join("MERGE_HEAD"), "").expect("the mark of a merge");
    assert!(repo.commit(&paths(&["b.md"]), &by("ada"), None).is_err());
    place.write("main/a.md", "second\n");
    assert!(place.find("main").did_commit(&["a.md"]), "the merge belongs to the other work tree");
}

#[test]
fn submodule_is_a_repository_of_its_own() {
    let place = Place::new();
    let source = place.repository_of("source", &["a.md"]);
    place.repository_of("outer", &["a.md"]);
    let source = source.root.to_str().expect("a path");
    place.git("outer", &["submodule", "--quiet", "add", source, "vault"]);
    let repo = place.find("outer/vault");
    assert_eq!(repo.prefix, "");
    place.write("outer/vault/b.md", "new\n");
    assert!(repo.did_commit(&["b.md"]));
    assert_eq!(place.last_commit("outer/vault"), ["A b.md"]);
    assert_eq!(place.last_commit("outer"), ["A a.md"]);
    // From outside, the submodule's files are not part of the repository.
    place.write("outer/vault/b.md", "second\n");
    assert!(!place.find("outer").did_commit(&["vault/b.md"]));
}

#[test]
fn nested_repository_is_not_part_of_the_vault() {
    let place = Place::new();
    let repo = place.repository_of("vault", &["a.md"]);
    place.repository_of("vault/inner", &["b.md"]);
    assert_eq!(repo.uncommitted(None).expect("a status"), []);
    assert!(!repo.did_commit(&["inner/b.md"]));
}
