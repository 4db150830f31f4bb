//! Link resolution, in whichever order the link and its page arrive.

use expect_test::expect;

use super::fixture::World;

/// Returns the targets of the links of `from.md`, in order.
fn link_targets(world: &World) -> String {
    let state = world.state();
    let lines = state.lines().skip_while(|line| !line.starts_with("from.md ")).skip(1);
    let links = lines.take_while(|line| line.starts_with("  "));
    links.map(|line| line.rsplit("-> ").next().unwrap()).collect::<Vec<_>>().join(" ")
}

#[test]
fn pending_links_resolve_when_the_page_arrives() {
    let world = World::synced("-- from.md --\n- knows [[entity-b]]\n");
    assert_eq!(link_targets(&world), "?");
    world.files("-- entity-b.md --\nx\n");
    world.sync();
    assert_eq!(link_targets(&world), "entity-b.md");
    world.check_consistency();
}

#[test]
fn links_to_existing_pages_resolve_immediately() {
    let world = World::synced("-- entity-b.md --\nx\n");
    world.files("-- from.md --\n- knows [[entity-b]]\n");
    world.sync();
    assert_eq!(link_targets(&world), "entity-b.md");
}

#[test]
fn links_become_pending_when_the_page_is_removed() {
    let world = World::synced("-- from.md --\n[[b]]\n-- b.md --\nx\n");
    assert_eq!(link_targets(&world), "b.md");
    world.remove("b.md");
    world.sync();
    assert_eq!(link_targets(&world), "?");
    world.files("-- sub/b.md --\nx\n");
    world.sync();
    assert_eq!(link_targets(&world), "sub/b.md", "another page has the name");
    world.check_consistency();
}

#[test]
fn links_without_a_target_stay_pending() {
    let world =
        World::synced("-- from.md --\n[[nonexistent-entity]] [[#heading]] [x](gone.md)\n-- b.md --\nx\n");
    world.sync();
    let pending = world.context.store().counts(world.context.project()).unwrap().pending;
    assert_eq!((link_targets(&world).as_str(), pending), ("? ?", 2));
}

#[test]
fn all_kinds_of_names_resolve() {
    let world = World::synced(
        "\
-- people/ada-lovelace.md --
---
id: 0192f3a1-7c4e-7b21-9d55-0a1b2c3d4e5f
title: Countess Ada
aliases: [Enchantress of Numbers]
---
# Augusta Ada
-- from.md --
[[0192f3a1-7c4e-7b21-9d55-0a1b2c3d4e5f]]
[[people/ada-lovelace]]
[[people/ada-lovelace.md]]
[[People/Ada Lovelace]]
[[Countess Ada]]
[[COUNTESS  ADA]]
[[countess-ada]]
[[enchantress of numbers]]
[[Augusta Ada]]
[[ada-lovelace]]
[[Ada Lovelace]]
[[memory://people/ada-lovelace]]
[text](people/ada-lovelace.md)
[text](/people/ada-lovelace.md)
[text](<people/ada-lovelace.md>)
",
    );
    assert_eq!(link_targets(&world), ["people/ada-lovelace.md"; 15].join(" "));
    world.check_consistency();
}

#[test]
fn names_are_case_insensitive() {
    let world = World::synced(
        "-- from.md --\n[[Machine Learning]] [[JÜRGEN]] [[STRASSE]]\n\
         -- machine-learning.md --\nx\n-- p.md --\n---\ntitle: Jürgen\n---\n-- strasse.md --\nx\n",
    );
    assert_eq!(link_targets(&world), "machine-learning.md p.md strasse.md");
}

#[test]
fn links_follow_a_name_to_its_new_page() {
    let world =
        World::synced("-- from.md --\n[[The One]]\n-- a.md --\n---\ntitle: The One\n---\n-- b.md --\nx\n");
    assert_eq!(link_targets(&world), "a.md");
    world.files("-- a.md --\n---\ntitle: Another\n---\n");
    world.sync();
    assert_eq!(link_targets(&world), "?");
    world.files("-- b.md --\n---\naliases: [the one]\n---\n");
    world.sync();
    assert_eq!(link_targets(&world), "b.md");
    world.files("-- c.md --\n---\ntitle: The One\n---\n");
    world.sync();
    assert_eq!(link_targets(&world), "c.md", "a title takes precedence over an alias");
    world.files("-- the-one.md --\nx\n");
    world.sync();
    assert_eq!(link_targets(&world), "the-one.md", "a slug takes precedence over a title");
    world.check_consistency();
}

#[test]
fn markdown_links_resolve_to_files_and_never_to_titles() {
    let world = World::synced(
        "-- from.md --\n[x](other.md) [y](sub/deep.md) [z](http://other.md)\n\
         -- a.md --\n---\ntitle: other\naliases: [deep]\n---\n-- sub/deep.md --\nx\n",
    );
    assert_eq!(link_targets(&world), "? sub/deep.md");
}

#[test]
fn relations_keep_their_line_data() {
    let world = World::synced(
        "-- from.md --\n# From\n- founded [[b]] (with Bob) {2017..2019-03}\n\nSee [[b#History|there]].\n-- b.md --\nx\n",
    );
    let page = world.page("from.md").number;
    let links =
        world.context.store().links(world.context.project(), &lore_ports::LinkFilter::From(&[page])).unwrap();
    let shown: Vec<String> = links
        .iter()
        .map(|row| {
            let lore_ports::LinkDraft { relation, context, interval, heading, label, line, .. } = &row.link;
            let (from, until) =
                (interval.from.map(|day| day.to_string()), interval.until.map(|day| day.to_string()));
            format!("{line}: {relation} {context:?} {from:?} {until:?} {heading:?} {label:?}")
        })
        .collect();
    expect![[r#"
        2: founded Some("with Bob") Some("2017") Some("2019-03") None None
        4: links_to Some("See [[b#History|there]].") None None Some("History") Some("there")
    "#]]
    .assert_eq(&(shown.join("\n") + "\n"));
}

#[test]
#[cfg(target_os = "linux")]
fn markdown_links_are_case_sensitive() {
    let world =
        World::synced("-- from.md --\n[x](Notes.md) [y](notes.md)\n-- Notes.md --\nx\n-- notes.md --\ny\n");
    assert_eq!(link_targets(&world), "Notes.md notes.md");
}
