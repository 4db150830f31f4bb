//! Ignore files and hidden names apply to a full sync, to single paths and to writes.

use lore_engine::{Action, ScanMode, Scope, refresh};
use lore_ports::no_progress;

use super::fixture::{World, done, move_to, same};

/// Checks the indexed pages after a full sync, and after reconciling each path separately.
#[track_caller]
fn check(files: &str, expected: &str) {
    let indexed =
        |world: &World| world.pages().into_iter().map(|page| page.path).collect::<Vec<_>>().join(" ");
    let world = World::new(files);
    refresh(&world.context, Scope::Vault(ScanMode::Stat), &no_progress).unwrap();
    assert_eq!(indexed(&world), expected, "a full sync");
    let one_by_one = World::new(files);
    let listing = one_by_one.listing();
    let paths: Vec<&str> = listing.split(' ').filter(|path| path.ends_with(".md")).collect();
    paths.iter().for_each(|path| drop(one_by_one.sync_paths(&[path])));
    assert_eq!(indexed(&one_by_one), expected, "each path separately");
}

#[test]
fn ignore_files_exclude_files_and_folders() {
    check("-- .gitignore --\nsecret.md\n-- secret.md --\nx\n-- a.md --\nx\n-- sub/secret.md --\nx\n", "a.md");
    check("-- .loreignore --\n/secret.md\n-- secret.md --\nx\n-- sub/secret.md --\nx\n", "sub/secret.md");
    check(
        "-- .gitignore --\ndrafts/\n-- drafts/a.md --\nx\n-- drafts/deep/b.md --\nx\n-- c.md --\nx\n",
        "c.md",
    );
    check("-- sub/.gitignore --\n*.md\n-- sub/a.md --\nx\n-- a.md --\nx\n", "a.md");
}

#[test]
fn hidden_files_and_folders_are_excluded() {
    check("-- .hidden.md --\nx\n-- .obsidian/a.md --\nx\n-- sub/.trash/b.md --\nx\n-- a.md --\nx\n", "a.md");
}

#[test]
fn nearer_rules_and_exceptions_win() {
    check("-- .gitignore --\n*.md\n!keep.md\n-- keep.md --\nx\n-- other.md --\nx\n", "keep.md");
    check(
        "-- .gitignore --\nx.md\n-- sub/.gitignore --\n!x.md\n-- x.md --\n1\n-- sub/x.md --\n2\n",
        "sub/x.md",
    );
}

#[test]
fn loreignore_overrides_gitignore() {
    check("-- .gitignore --\nx.md\n-- .loreignore --\n!x.md\n-- x.md --\nx\n", "x.md");
    check("-- .gitignore --\n!x.md\n-- .loreignore --\nx.md\n-- x.md --\nx\n", "");
}

#[test]
fn loreignore_above_overrides_gitignore_below() {
    check("-- .loreignore --\nx.md\n-- sub/.gitignore --\n!x.md\n-- sub/x.md --\nx\n", "");
}

#[test]
fn ignored_folders_have_no_exceptions_inside() {
    check("-- .gitignore --\ndrafts/\n-- drafts/.gitignore --\n!x.md\n-- drafts/x.md --\nx\n", "");
}

#[test]
fn gitignore_outside_the_vault_does_not_apply() {
    let world = World::new("-- a.md --\nx\n");
    std::fs::write(world.outside(".gitignore"), "*.md\n").unwrap();
    assert_eq!(world.sync(), "+a.md");
}

#[test]
fn newly_ignored_pages_are_removed() {
    let world = World::synced("-- a.md --\nx\n-- b.md --\n[[a]]\n");
    world.files("-- .loreignore --\na.md\n");
    assert_eq!(world.sync(), "-a.md");
    world.remove(".loreignore");
    assert_eq!(world.sync(), "+a.md");
    world.check_consistency();
}

#[test]
fn writes_to_ignored_paths_are_rejected() {
    let world = World::synced("-- .gitignore --\ndrafts/\nsecret.md\n-- a.md --\nx\n");
    for path in ["secret.md", "drafts/new.md", "drafts/deep/new.md"] {
        assert_eq!(done(&world.change(path, Action::Put("x".into()), None)), "denied", "{path}");
        assert_eq!(done(&world.change("a.md", move_to(path, same), None)), "denied", "{path}");
    }
    assert_eq!(world.listing(), ".gitignore a.md");
}

#[test]
fn ignored_files_are_not_deleted() {
    let world = World::synced("-- .gitignore --\nsecret.md\n-- secret.md --\nnot for Lore\n");
    assert_eq!(done(&world.change("secret.md", Action::Delete, None)), "denied");
    assert_eq!(world.text("secret.md"), "not for Lore\n");
}

#[test]
fn non_page_files_are_excluded() {
    let world = World::new("-- a.txt --\nx\n-- b.md.bak --\nx\n-- README --\nx\n-- c.MD --\nx\n");
    assert_eq!(world.sync_paths(&["a.txt", "b.md.bak", "README", "c.MD"]), "+c.MD");
    assert_eq!(world.sync(), "");
}
