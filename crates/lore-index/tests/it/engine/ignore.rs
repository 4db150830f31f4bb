//! What ignore files and hidden names leave out is left out by a full sync, by a look at one path and by a write.

use lore_engine::{Action, Scope, Trust, refresh, unwatched};

use super::fixture::{World, done, move_to, same};

/// The pages that count, found by a full sync; a look at every single path must find the same.
#[track_caller]
fn check(files: &str, expected: &str) {
    let indexed =
        |world: &World| world.pages().into_iter().map(|page| page.path).collect::<Vec<_>>().join(" ");
    let world = World::new(files);
    refresh(&world.memory, Scope::Vault(Trust::Stat), &unwatched).unwrap();
    assert_eq!(indexed(&world), expected, "a full sync");
    let one_by_one = World::new(files);
    let listing = one_by_one.listing();
    let paths: Vec<&str> = listing.split(' ').filter(|path| path.ends_with(".md")).collect();
    paths.iter().for_each(|path| drop(one_by_one.look(&[path])));
    assert_eq!(indexed(&one_by_one), expected, "a look at each path");
}

#[test]
fn ignore_files_leave_out_files_and_folders() {
    check("-- .gitignore --\nsecret.md\n-- secret.md --\nx\n-- a.md --\nx\n-- sub/secret.md --\nx\n", "a.md");
    check("-- .loreignore --\n/secret.md\n-- secret.md --\nx\n-- sub/secret.md --\nx\n", "sub/secret.md");
    check(
        "-- .gitignore --\ndrafts/\n-- drafts/a.md --\nx\n-- drafts/deep/b.md --\nx\n-- c.md --\nx\n",
        "c.md",
    );
    check("-- sub/.gitignore --\n*.md\n-- sub/a.md --\nx\n-- a.md --\nx\n", "a.md");
}

#[test]
fn hidden_files_and_folders_are_left_out() {
    check("-- .hidden.md --\nx\n-- .obsidian/a.md --\nx\n-- sub/.trash/b.md --\nx\n-- a.md --\nx\n", "a.md");
}

#[test]
fn a_nearer_rule_and_an_exception_win() {
    check("-- .gitignore --\n*.md\n!keep.md\n-- keep.md --\nx\n-- other.md --\nx\n", "keep.md");
    check(
        "-- .gitignore --\nx.md\n-- sub/.gitignore --\n!x.md\n-- x.md --\n1\n-- sub/x.md --\n2\n",
        "sub/x.md",
    );
}

#[test]
fn the_vaults_own_rules_beat_those_of_git() {
    check("-- .gitignore --\nx.md\n-- .loreignore --\n!x.md\n-- x.md --\nx\n", "x.md");
    check("-- .gitignore --\n!x.md\n-- .loreignore --\nx.md\n-- x.md --\nx\n", "");
}

#[test]
fn rules_above_and_rules_of_git_below_are_weighed_alike() {
    check("-- .loreignore --\nx.md\n-- sub/.gitignore --\n!x.md\n-- sub/x.md --\nx\n", "");
}

#[test]
fn an_ignored_folder_has_no_exceptions_inside() {
    check("-- .gitignore --\ndrafts/\n-- drafts/.gitignore --\n!x.md\n-- drafts/x.md --\nx\n", "");
}

#[test]
fn git_rules_outside_the_vault_do_not_count() {
    let world = World::new("-- a.md --\nx\n");
    std::fs::write(world.outside(".gitignore"), "*.md\n").unwrap();
    assert_eq!(world.sync(), "+a.md");
}

#[test]
fn a_page_that_is_ignored_from_now_on_goes() {
    let world = World::synced("-- a.md --\nx\n-- b.md --\n[[a]]\n");
    world.files("-- .loreignore --\na.md\n");
    assert_eq!(world.sync(), "-a.md");
    world.remove(".loreignore");
    assert_eq!(world.sync(), "+a.md");
    world.check_sound();
}

#[test]
fn nothing_is_written_where_it_would_be_ignored() {
    let world = World::synced("-- .gitignore --\ndrafts/\nsecret.md\n-- a.md --\nx\n");
    for path in ["secret.md", "drafts/new.md", "drafts/deep/new.md"] {
        assert_eq!(done(&world.change(path, Action::Put("x".into()), None)), "denied", "{path}");
        assert_eq!(done(&world.change("a.md", move_to(path, same), None)), "denied", "{path}");
    }
    assert_eq!(world.listing(), ".gitignore a.md");
}

#[test]
fn an_ignored_file_is_not_deleted_either() {
    let world = World::synced("-- .gitignore --\nsecret.md\n-- secret.md --\nnot for Lore\n");
    assert_eq!(done(&world.change("secret.md", Action::Delete, None)), "denied");
    assert_eq!(world.text("secret.md"), "not for Lore\n");
}

#[test]
fn files_that_are_no_pages_are_left_out() {
    let world = World::new("-- a.txt --\nx\n-- b.md.bak --\nx\n-- README --\nx\n-- c.MD --\nx\n");
    assert_eq!(world.look(&["a.txt", "b.md.bak", "README", "c.MD"]), "+c.MD");
    assert_eq!(world.sync(), "");
}
