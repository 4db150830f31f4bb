//! Versions: what a writer expects against what the page is at.

use lore_engine::Action;

use super::fixture::{World, done, edit, move_to, same};

const PAGE: &str = "-- a.md --\none\n";

/// Puts `text` expecting a version, and shows what came of it.
fn put(world: &World, text: &str, expected: u64) -> String {
    done(&world.change("a.md", Action::Put(text.into()), Some(expected)))
}

#[test]
fn zero_says_that_there_must_be_no_page() {
    let world = World::new("");
    assert_eq!(put(&world, "one\n", 0), "created a.md v1");
    assert_eq!(put(&world, "two\n", 0), "conflict: 0, is 1");
    assert_eq!(world.text("a.md"), "one\n");
}

#[test]
fn zero_is_refused_for_a_file_nobody_has_indexed_yet() {
    let world = World::new(PAGE);
    assert_eq!(put(&world, "two\n", 0), "conflict: 0, is 1");
    assert_eq!(world.text("a.md"), "one\n");
}

#[test]
fn the_right_version_is_taken_and_a_stale_one_refused() {
    let world = World::synced(PAGE);
    assert_eq!(put(&world, "two\n", 1), "updated a.md v2");
    assert_eq!(put(&world, "three\n", 1), "conflict: 1, is 2");
    assert_eq!(put(&world, "three\n", 3), "conflict: 3, is 2");
    assert_eq!(put(&world, "three\n", 2), "updated a.md v3");
    assert_eq!(world.text("a.md"), "three\n");
}

#[test]
fn a_page_that_is_not_there_is_at_no_version() {
    let world = World::synced("");
    assert_eq!(put(&world, "one\n", 1), "conflict: 1, is 0");
    assert_eq!(world.listing(), "");
}

#[test]
fn an_edit_by_hand_is_a_version_of_its_own() {
    let world = World::synced(PAGE);
    world.files("-- a.md --\nby hand\n");
    assert_eq!(put(&world, "two\n", 1), "conflict: 1, is 2");
    assert_eq!(world.text("a.md"), "by hand\n", "nobody's words are lost");
    assert_eq!(world.page("a.md").version, 2, "and the index has seen them");
    assert_eq!(put(&world, "two\n", 2), "updated a.md v3");
}

#[test]
fn an_edit_by_hand_that_changes_no_byte_is_no_version() {
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
fn a_delete_by_hand_is_seen_before_a_write() {
    let world = World::synced(PAGE);
    world.remove("a.md");
    assert_eq!(put(&world, "two\n", 1), "conflict: 1, is 0");
    assert_eq!(put(&world, "two\n", 0), "created a.md v2");
}

#[test]
fn two_memories_take_turns_and_see_each_other() {
    let world = World::synced(PAGE);
    let other = world.again();
    let put = |memory: &lore_engine::Memory, text: &str, expected: u64| {
        let action = Action::Put(text.into());
        let change =
            lore_engine::PageChange { path: "a.md".into(), action, expected_version: Some(expected) };
        done(&lore_engine::write(memory, &[change]).map(|mut written| written.files.remove(0)))
    };
    assert_eq!(put(&other, "two\n", 1), "updated a.md v2");
    assert_eq!(put(&world.memory, "three\n", 1), "conflict: 1, is 2");
    assert_eq!(put(&world.memory, "three\n", 2), "updated a.md v3");
    assert_eq!(other.page("a").unwrap().version, 3);
}
