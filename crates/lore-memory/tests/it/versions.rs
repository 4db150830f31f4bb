//! The version a writer expects against the current version of the page.

use lore_engine::Action;

use lore_vault::VaultPath;

use super::fixture::{World, done, edit, move_to, same};

const PAGE: &str = "-- a.md --\none\n";

/// Puts `text` expecting a version, and formats the result.
fn put(world: &World, text: &str, expected: u64) -> String {
    done(&world.change("a.md", Action::Put(text.into()), Some(expected)))
}

#[test]
fn version_zero_requires_a_new_page() {
    let world = World::new("");
    assert_eq!(put(&world, "one\n", 0), "created a.md v1");
    assert_eq!(put(&world, "two\n", 0), "conflict: 0, is 1");
    assert_eq!(world.text("a.md"), "one\n");
}

#[test]
fn version_zero_is_rejected_for_unindexed_files() {
    let world = World::new(PAGE);
    assert_eq!(put(&world, "two\n", 0), "conflict: 0, is 1");
    assert_eq!(world.text("a.md"), "one\n");
}

#[test]
fn current_versions_are_accepted_and_stale_ones_rejected() {
    let world = World::synced(PAGE);
    assert_eq!(put(&world, "two\n", 1), "updated a.md v2");
    assert_eq!(put(&world, "three\n", 1), "conflict: 1, is 2");
    assert_eq!(put(&world, "three\n", 3), "conflict: 3, is 2");
    assert_eq!(put(&world, "three\n", 2), "updated a.md v3");
    assert_eq!(world.text("a.md"), "three\n");
}

#[test]
fn missing_pages_have_version_zero() {
    let world = World::synced("");
    assert_eq!(put(&world, "one\n", 1), "conflict: 1, is 0");
    assert_eq!(world.listing(), "");
}

#[test]
fn manual_edits_are_new_versions() {
    let world = World::synced(PAGE);
    world.files("-- a.md --\nby hand\n");
    assert_eq!(put(&world, "two\n", 1), "conflict: 1, is 2");
    assert_eq!(world.text("a.md"), "by hand\n", "the manual edit is not lost");
    assert_eq!(world.page("a.md").version, 2, "the index has seen it");
    assert_eq!(put(&world, "two\n", 2), "updated a.md v3");
}

#[test]
fn manual_saves_without_changes_are_not_new_versions() {
    let world = World::synced(PAGE);
    world.files(PAGE);
    assert_eq!(put(&world, "two\n", 1), "updated a.md v2");
}

#[test]
fn edits_moves_and_deletes_check_the_version_too() {
    let world = World::synced(PAGE);
    world.put("a.md", "two\n");
    for action in [edit(same), move_to("b.md", same), Action::Delete] {
        assert_eq!(done(&world.change("a.md", action, Some(1))), "conflict: 1, is 2");
    }
    assert_eq!(world.listing(), "a.md");
    assert_eq!(done(&world.change("a.md", move_to("b.md", same), Some(2))), "moved b.md v2");
    assert_eq!(done(&world.change("b.md", Action::Delete, Some(2))), "deleted b.md v2");
}

#[test]
fn manual_deletes_are_seen_before_a_write() {
    let world = World::synced(PAGE);
    world.remove("a.md");
    assert_eq!(put(&world, "two\n", 1), "conflict: 1, is 0");
    assert_eq!(put(&world, "two\n", 0), "created a.md v2");
}

#[test]
fn concurrent_writers_see_each_other() {
    let world = World::synced(PAGE);
    let other = world.again();
    let put = |context: &lore_engine::VaultContext, text: &str, expected: u64| {
        let action = Action::Put(text.into());
        let change = lore_engine::PageChange {
            path: VaultPath::known("a.md"),
            action,
            expected_version: Some(expected),
        };
        done(&lore_engine::write(context, &[change]).map(|mut written| written.files.remove(0)))
    };
    assert_eq!(put(&other, "two\n", 1), "updated a.md v2");
    assert_eq!(put(&world.context, "three\n", 1), "conflict: 1, is 2");
    assert_eq!(put(&world.context, "three\n", 2), "updated a.md v3");
    assert_eq!(other.page("a").unwrap().version, 3);
}
