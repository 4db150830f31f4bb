//! Files that cannot be indexed: retried three times, then skipped until they change.

use std::fs;

use lore_engine::{ScanMode, Scope, refresh};
use lore_ports::no_progress;

use super::fixture::{World, problems};

const SMALL: &str = "-- lore.toml --\n[limits]\npage_bytes = 20\n-- good.md --\nshort\n";
const LONG: &str = "this text is longer than twenty bytes\n";

fn failing() -> World {
    let world = World::synced(SMALL);
    world.file("bad.md", LONG);
    world
}

#[test]
fn files_are_skipped_after_three_failures() {
    let world = failing();
    for _ in 0..3 {
        assert_eq!(world.sync(), "!bad.md (bad.md has 38 bytes, over the limit of 20)");
    }
    let left = "!bad.md (bad.md has 38 bytes, over the limit of 20 (3 failures; skipped until it changes))";
    assert_eq!(world.sync(), left);
    assert_eq!(world.sync(), left, "it is still reported every time");
    let failures = world.context.store().failures(world.context.project()).unwrap();
    assert_eq!(failures.iter().map(|failure| failure.count).collect::<Vec<_>>(), [3], "it was not retried");
    assert_eq!(problems(&world.context), [""; 0]);
}

#[test]
fn changed_files_are_retried() {
    let world = failing();
    (0..4).for_each(|_| drop(world.sync()));
    world.file("bad.md", LONG.to_uppercase());
    assert_eq!(world.sync(), "!bad.md (bad.md has 38 bytes, over the limit of 20)");
    let count = || world.context.store().failures(world.context.project()).unwrap()[0].count;
    assert_eq!(count(), 1, "the count restarts at one");
    world.file("bad.md", "short now\n");
    assert_eq!(world.sync(), "+bad.md");
    assert_eq!(world.context.store().failures(world.context.project()).unwrap(), []);
    world.check_consistency();
}

#[test]
fn failures_of_deleted_files_are_cleared() {
    let world = failing();
    (0..4).for_each(|_| drop(world.sync()));
    world.remove("bad.md");
    assert_eq!(world.sync(), "");
    assert_eq!(world.context.store().failures(world.context.project()).unwrap(), []);
}

#[test]
fn raised_limits_retry_failed_files() {
    let world = failing();
    (0..4).for_each(|_| drop(world.sync()));
    fs::write(world.at("lore.toml"), "").unwrap();
    let report = refresh(&world.again(), Scope::Vault(ScanMode::Stat), &no_progress).unwrap();
    assert_eq!(report.added, ["bad.md", "good.md"]);
}

#[test]
fn oversized_pages_keep_their_last_indexed_state() {
    let world = World::synced(SMALL);
    world.file("good.md", LONG);
    assert_eq!(world.sync(), "!good.md (good.md has 38 bytes, over the limit of 20)");
    assert_eq!(world.page("good.md").version, 1);
    world.file("good.md", "short again\n");
    assert_eq!(world.sync(), "~good.md");
    world.check_consistency();
}

#[test]
fn bad_files_do_not_stop_the_others() {
    let world = World::new(SMALL);
    world.file("bad.md", LONG);
    world.file("zebra.md", "fine\n");
    assert_eq!(world.sync(), "+good.md +zebra.md !bad.md (bad.md has 38 bytes, over the limit of 20)");
}

#[test]
fn bad_files_in_slug_collisions_do_not_stop_the_sync() {
    let world =
        World::synced("-- lore.toml --\n[limits]\npage_bytes = 20\n-- x-y.md --\na\n-- x y.md --\nb\n");
    assert_eq!(world.page("x y.md").slug, "x-y-1");
    world.file("x y.md", LONG);
    world.sync();
    world.remove("x-y.md");
    world.file("other.md", "fine\n");
    let report = refresh(&world.context, Scope::Vault(ScanMode::Stat), &no_progress);
    let report = report.expect("one bad file is skipped, the others are indexed");
    assert_eq!((report.removed, report.added), (vec!["x-y.md".to_owned()], vec!["other.md".to_owned()]));
}
