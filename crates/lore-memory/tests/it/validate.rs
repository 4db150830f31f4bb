//! The checks find inconsistencies. That they find nothing in a sound index is checked by most other tests.

use lore_engine::{Check, duplicate_ids};
use lore_memory::validate;
use lore_ports::LinkFilter;

use super::fixture::World;

#[track_caller]
fn check(world: &World, check: Check, expected: &[&str]) {
    assert_eq!(validate(&world.context, check).unwrap(), expected, "{}", check.name());
}

#[test]
fn unindexed_files_are_reported() {
    let world = World::synced("-- a.md --\none\n-- b.md --\ntwo\n-- c.md --\nthree\n");
    check(&world, Check::Files, &[]);
    world.files("-- a.md --\nchanged\n-- new.md --\nx\n");
    world.remove("b.md");
    check(
        &world,
        Check::Files,
        &[
            "a.md differs from the index",
            "new.md is not in the index",
            "b.md is in the index but not in the vault",
        ],
    );
    world.sync();
    check(&world, Check::Files, &[]);
}

#[test]
fn wrong_link_targets_are_reported() {
    let world = World::synced("-- a.md --\n\n[[b]]\n-- b.md --\nx\n-- c.md --\nx\n");
    let (store, project) = (world.context.store(), world.context.project());
    let link = store.links(project, &LinkFilter::To(&[world.page("b.md").number])).unwrap().remove(0);
    check(&world, Check::Links, &[]);
    for wrong in [Some(world.page("c.md").number), None] {
        store.resolve_links(&[(link.number, wrong)]).unwrap();
        check(&world, Check::Links, &["a.md:2 resolves to the wrong page: b"]);
    }
}

#[test]
fn overlapping_intervals_of_a_relation_are_reported() {
    let text = |second: &str| {
        format!("-- a.md --\n- at [[b]] {{2019..2021-03}}\n- at [[b]] {{{second}}}\n-- b.md --\nx\n")
    };
    for dates in ["2021-04..", "2021-03..", "2021-03-31..", "..2018", "..2019", "2022..2023"] {
        check(&World::synced(&text(dates)), Check::Links, &[]);
    }
    for over in ["2021..", "2021-03-30..", "..2019-02", "2018..2030"] {
        check(&World::synced(&text(over)), Check::Links, &["a.md: the intervals of lines 1 and 2 overlap"]);
    }
    let other = World::synced(
        "-- a.md --\n- at [[b]] {2019..}\n- left [[b]] {2019..}\n- at [[c]] {2019..}\n-- b.md --\n-- c.md --\n",
    );
    check(&other, Check::Links, &[]);
}

#[test]
fn duplicate_facts_are_reported() {
    let world = World::synced(
        "-- a.md --\n- role:: boss {2019..}\n- role:: boss {2019..}\n- role:: boss {2020..}\n- Bob | role:: boss {2019..}\n\
         -- b.md --\n- role:: boss {2019..}\n",
    );
    check(&world, Check::Facts, &["a.md: lines 1 and 2 state the same role"]);
}

#[test]
fn duplicate_ids_are_reported() {
    let world = World::synced(
        "-- a.md --\n---\nid: x1\n---\n-- b.md --\n---\nid: x1\n---\n-- c.md --\n---\nid: x2\n---\n",
    );
    assert_eq!(duplicate_ids(&world.context).unwrap(), ["the id x1 is used by a.md and b.md"]);
}
