//! Two pages with the same title.

use lore_engine::Error;

use super::fixture::World;

const TWINS: &str = "\
-- notes.md --
---
title: Plan
---
-- a/plan-a.md --
---
title: Plan
---
-- b/c/plan-c.md --
---
title: Plan
---
";

/// Checks where a link to `Plan` leads from this folder.
#[track_caller]
fn check(folder: &str, expected: &str) {
    let world = World::synced(&format!("{TWINS}-- {folder}from.md --\n[[Plan]]\n"));
    let expected_link = format!("  links_to Plan -> {expected}\n");
    assert!(world.state().contains(&expected_link), "{}", world.state());
    world.check_consistency();
}

#[test]
fn links_prefer_the_page_in_their_folder() {
    check("a/", "a/plan-a.md");
    check("b/c/", "b/c/plan-c.md");
    check("", "notes.md");
}

#[test]
fn links_prefer_the_nearest_folder_above() {
    check("a/deep/er/", "a/plan-a.md");
    check("b/c/d/", "b/c/plan-c.md");
    check("b/", "notes.md");
    check("abc/", "notes.md");
}

#[test]
fn links_without_a_page_above_take_the_shortest_path() {
    let world = World::synced(
        "-- x/long-name.md --\n---\ntitle: Plan\n---\n-- y/p.md --\n---\ntitle: Plan\n---\n-- z/from.md --\n[[Plan]]\n",
    );
    assert!(world.state().contains("links_to Plan -> y/p.md"), "{}", world.state());
}

#[test]
fn links_are_updated_when_nearer_pages_change() {
    let world = World::synced(&format!("{TWINS}-- q/from.md --\n[[Plan]]\n"));
    let link_targets = || world.state().lines().find(|line| line.contains("->")).unwrap().trim().to_owned();
    assert_eq!(link_targets(), "links_to Plan -> notes.md");
    world.rename("a/plan-a.md", "q/plan-a.md");
    world.sync();
    assert_eq!(link_targets(), "links_to Plan -> q/plan-a.md");
    world.rename("q/from.md", "b/c/from.md");
    world.sync();
    assert_eq!(link_targets(), "links_to Plan -> b/c/plan-c.md");
    world.remove("b/c/plan-c.md");
    world.sync();
    assert_eq!(link_targets(), "links_to Plan -> notes.md");
    world.check_consistency();
}

#[test]
fn ambiguous_titles_are_an_error_with_candidates() {
    let world = World::synced(TWINS);
    match world.context.page("plan") {
        Err(Error::Ambiguous { mut candidates, .. }) => {
            candidates.sort();
            assert_eq!(candidates, ["a/plan-a", "b/c/plan-c", "notes"]);
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(world.context.page("plan-a").unwrap().path, "a/plan-a.md");
}

#[test]
fn pages_are_found_by_all_names_and_misses_give_suggestions() {
    let world = World::synced(
        "-- people/ada-lovelace.md --\n---\nid: 0192f3a1-7c4e\naliases: [Countess]\n---\n# Ada\n-- people/bob.md --\nx\n",
    );
    for name in [
        "0192f3a1-7c4e",
        "0192f3",
        "memory://id/0192f3a1-7c4e",
        "memory://people/ada-lovelace",
        "people/ada-lovelace",
        "PEOPLE/Ada-Lovelace.md",
        "countess",
        "ada",
        "ada-lovelace",
    ] {
        assert_eq!(world.context.page(name).expect(name).path, "people/ada-lovelace.md", "{name}");
    }
    match world.context.page("people/ada-lovelac") {
        Err(Error::NotFound { suggestions, .. }) => assert_eq!(suggestions[0], "people/ada-lovelace"),
        other => panic!("{other:?}"),
    }
    for bad in ["memory://", "memory://a//b", "memory://a<b", "memory://http://x", "019", ""] {
        assert!(world.context.page(bad).is_err(), "{bad}");
    }
}
