//! Moving a page updates the links that name it by its path.

use lore_engine::{Error, relocate};

use super::fixture::{World, problems};

/// Moves a page and returns the written paths, the page first.
#[track_caller]
fn relocated(world: &World, from: &str, to: &str) -> Vec<String> {
    let written = relocate(&world.context, &world.page(from), to, None).unwrap();
    assert_eq!(problems(&world.context), [""; 0]);
    written.files.into_iter().map(|one| one.path).collect()
}

const ADA: &str = "\
-- people/ada.md --
---
id: 0192f3a1
title: Ada Lovelace
aliases: [Countess]
---
text
";

#[test]
fn links_by_path_are_updated() {
    let world = World::synced(&format!(
        "{ADA}-- from.md --\n[[people/ada]] [[people/ada.md#Life|her]] [[ada]] [[People/Ada]] [x](people/ada.md#life)\n\
         -- people/near.md --\n- knows [[ada]] (well)\n[her](ada.md)\n"
    ));
    assert_eq!(
        relocated(&world, "people/ada.md", "team/countess-ada.md"),
        ["team/countess-ada.md", "from.md", "people/near.md"]
    );
    assert_eq!(
        world.text("from.md"),
        "[[team/countess-ada]] [[team/countess-ada#Life|her]] [[countess-ada]] [[team/countess-ada]] \
         [x](team/countess-ada.md#life)\n"
    );
    assert_eq!(
        world.text("people/near.md"),
        "- knows [[countess-ada]] (well)\n[her](../team/countess-ada.md)\n"
    );
    assert!(!world.state().contains("-> ?"), "{}", world.state());
    world.check_consistency();
}

#[test]
fn links_by_name_are_unchanged() {
    let text = "[[Ada Lovelace]] [[ada-lovelace]] [[countess]] [[0192f3a1]] `[[people/ada]]`\n";
    let world = World::synced(&format!("{ADA}-- from.md --\n{text}"));
    let time = world.time("from.md");
    relocated(&world, "people/ada.md", "team/bob.md");
    assert_eq!((world.text("from.md").as_str(), world.time("from.md")), (text, time));
    assert!(!world.state().contains("-> ?"), "{}", world.state());
    world.check_consistency();
}

#[test]
fn titles_from_the_file_name_are_kept() {
    let world =
        World::synced("-- people/ada.md --\n---\ntitle: ada\n---\n-- from.md --\n[[ada]] [[people/ada]]\n");
    relocated(&world, "people/ada.md", "team/bob.md");
    assert_eq!(world.text("from.md"), "[[ada]] [[team/bob]]\n");
    assert!(!world.state().contains("-> ?"), "{}", world.state());
}

#[test]
fn relative_links_of_the_moved_page_are_updated() {
    let world = World::synced(
        "-- a/page.md --\n[s](sibling.md) [r](../root.md) [self](page.md) [web](https://x.md) [[sibling]] ![i](i.png)\n\
         -- a/sibling.md --\nx\n-- root.md --\nx\n",
    );
    relocated(&world, "a/page.md", "b/c/page.md");
    assert_eq!(
        world.text("b/c/page.md"),
        "[s](../../a/sibling.md) [r](../../root.md) [self](page.md) [web](https://x.md) [[sibling]] ![i](i.png)\n"
    );
    assert!(!world.state().contains("-> ?"), "{}", world.state());
    world.check_consistency();
}

#[test]
fn renaming_in_place_updates_only_links_to_the_page() {
    let world = World::synced(
        "-- a/page.md --\n[s](sibling.md) [self](page.md) [[a/page]]\n-- a/sibling.md --\n[p](page.md)\n",
    );
    relocated(&world, "a/page.md", "a/new name.md");
    assert_eq!(world.text("a/new name.md"), "[s](sibling.md) [self](new%20name.md) [[a/new name]]\n");
    assert_eq!(world.text("a/sibling.md"), "[p](new%20name.md)\n");
    assert!(!world.state().contains("-> ?"), "{}", world.state());
    world.check_consistency();
}

#[test]
fn id_version_and_history_are_kept() {
    let world = World::synced("-- a.md --\none\n-- from.md --\n[[a]]\n");
    world.put("a.md", "two\n");
    let before = world.page("a.md");
    relocated(&world, "a.md", "sub/b.md");
    let after = world.page("sub/b.md");
    assert_eq!((after.id, after.version, after.number), (before.id, 2, before.number));
    let (store, project) = (world.context.store(), world.context.project());
    let versions = |path: &str| -> Vec<u64> {
        store.snapshots(project, path).unwrap().into_iter().map(|row| row.version).collect()
    };
    assert_eq!(versions("sub/b.md"), [2, 1]);
    assert_eq!(versions("from.md"), [1], "rewritten pages are snapshotted too");
}

#[test]
fn taken_paths_stale_versions_and_concurrent_edits_abort_the_move() {
    let world = World::synced("-- a.md --\none\n-- b.md --\ntwo\n-- from.md --\n[[a]]\n");
    let page = world.page("a.md");
    let taken = relocate(&world.context, &page, "b.md", None);
    assert!(matches!(taken, Err(Error::Exists { .. })), "{taken:?}");
    let stale = relocate(&world.context, &page, "c.md", Some(9));
    assert!(matches!(stale, Err(Error::Conflict { .. })), "{stale:?}");
    world.files("-- a.md --\nby hand\n");
    let meanwhile = relocate(&world.context, &page, "c.md", Some(1));
    assert!(matches!(meanwhile, Err(Error::Conflict { current: 2, .. })), "{meanwhile:?}");
    assert_eq!(world.listing(), "a.md b.md from.md");
    assert_eq!(world.text("from.md"), "[[a]]\n");
}

#[test]
fn links_to_another_page_with_the_same_file_name_are_unchanged() {
    let world =
        World::synced("-- people/ada.md --\nx\n-- ada.md --\ny\n-- from.md --\n[[people/ada]] [[ada]]\n");
    relocated(&world, "people/ada.md", "team/bob.md");
    assert_eq!(world.text("from.md"), "[[team/bob]] [[ada]]\n");
}

#[test]
fn short_links_do_not_change_their_target() {
    let world = World::synced("-- people/ada.md --\nx\n-- bob.md --\ny\n-- from.md --\n[[ada]]\n");
    relocated(&world, "people/ada.md", "team/bob.md");
    assert!(world.state().contains("-> team/bob.md"), "{}\n{}", world.text("from.md"), world.state());
}

#[test]
fn links_by_numbered_slug_are_updated() {
    let world = World::synced("-- x-y.md --\n1\n-- x y.md --\n2\n-- from.md --\n[[x-y-1]]\n");
    assert!(world.state().contains("-> x y.md"), "{}", world.state());
    relocated(&world, "x y.md", "team/bob.md");
    assert!(world.state().contains("-> team/bob.md"), "{}\n{}", world.text("from.md"), world.state());
}
