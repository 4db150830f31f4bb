//! Files that cannot be indexed: tried three times, then left alone until they change.

use std::fs;

use lore_engine::{Scope, Trust, refresh, unwatched};

use super::fixture::{World, problems};

const SMALL: &str = "-- lore.toml --\n[limits]\npage_bytes = 20\n-- good.md --\nshort\n";
const LONG: &str = "this text is longer than twenty bytes\n";

fn failing() -> World {
    let world = World::synced(SMALL);
    world.file("bad.md", LONG);
    world
}

#[test]
fn after_three_failures_a_file_is_left_alone() {
    let world = failing();
    for _ in 0..3 {
        assert_eq!(world.sync(), "!bad.md (bad.md has 38 bytes, over the limit of 20)");
    }
    let left =
        "!bad.md (bad.md has 38 bytes, over the limit of 20 (3 failures; left alone until it changes))";
    assert_eq!(world.sync(), left);
    assert_eq!(world.sync(), left, "and it is still told, every time");
    let failures = world.memory.store().failures(world.memory.project()).unwrap();
    assert_eq!(
        failures.iter().map(|failure| failure.count).collect::<Vec<_>>(),
        [3],
        "it was not tried again"
    );
    assert_eq!(problems(&world.memory), [""; 0]);
}

#[test]
fn a_changed_file_is_tried_again() {
    let world = failing();
    (0..4).for_each(|_| drop(world.sync()));
    world.file("bad.md", LONG.to_uppercase());
    assert_eq!(world.sync(), "!bad.md (bad.md has 38 bytes, over the limit of 20)");
    let count = || world.memory.store().failures(world.memory.project()).unwrap()[0].count;
    assert_eq!(count(), 1, "it starts from one");
    world.file("bad.md", "short now\n");
    assert_eq!(world.sync(), "+bad.md");
    assert_eq!(world.memory.store().failures(world.memory.project()).unwrap(), []);
    world.check_sound();
}

#[test]
fn a_file_that_goes_is_forgiven() {
    let world = failing();
    (0..4).for_each(|_| drop(world.sync()));
    world.remove("bad.md");
    assert_eq!(world.sync(), "");
    assert_eq!(world.memory.store().failures(world.memory.project()).unwrap(), []);
}

#[test]
fn a_raised_limit_tries_it_all_again() {
    let world = failing();
    (0..4).for_each(|_| drop(world.sync()));
    fs::write(world.at("lore.toml"), "").unwrap();
    let report = world.again().sync(Trust::Stat, &unwatched).unwrap();
    assert_eq!(report.added, ["bad.md", "good.md"]);
}

#[test]
fn a_page_that_grew_too_large_keeps_what_was_known_of_it() {
    let world = World::synced(SMALL);
    world.file("good.md", LONG);
    assert_eq!(world.sync(), "!good.md (good.md has 38 bytes, over the limit of 20)");
    assert_eq!(world.page("good.md").version, 1);
    world.file("good.md", "short again\n");
    assert_eq!(world.sync(), "~good.md");
    world.check_sound();
}

#[test]
fn one_bad_file_does_not_stop_the_others() {
    let world = World::new(SMALL);
    world.file("bad.md", LONG);
    world.file("zebra.md", "fine\n");
    assert_eq!(world.sync(), "+good.md +zebra.md !bad.md (bad.md has 38 bytes, over the limit of 20)");
}

#[test]
fn a_bad_file_that_should_get_another_slug_does_not_stop_the_sync() {
    let world =
        World::synced("-- lore.toml --\n[limits]\npage_bytes = 20\n-- x-y.md --\na\n-- x y.md --\nb\n");
    assert_eq!(world.page("x y.md").slug, "x-y-1");
    world.file("x y.md", LONG);
    world.sync();
    world.remove("x-y.md");
    world.file("other.md", "fine\n");
    let report = refresh(&world.memory, Scope::Vault(Trust::Stat), &unwatched);
    let report = report.expect("one bad file is skipped, the others are indexed");
    assert_eq!((report.removed, report.added), (vec!["x-y.md".to_owned()], vec!["other.md".to_owned()]));
}
