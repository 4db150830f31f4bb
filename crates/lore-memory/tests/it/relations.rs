//! Relations between pages: added, closed, removed; never overlapping; the same after a rebuild.

use lore_engine::{
    Code, NewLink, Outcome, Result, VaultContext, close_link, link, relocate, target_of, unlink,
};
use lore_page::Interval;
use lore_ports::{LinkFilter, LinkRow};

use super::fixture::World;

const PAIR: &str = "-- people/ada.md --\n# Ada\n\nKnows [[acme]].\n-- companies/acme.md --\nx\n";

fn interval(text: &str) -> Interval {
    if text == ".." { Interval::default() } else { text.parse().unwrap() }
}

fn joined(world: &World, relation: &str, dates: &str) -> Result<LinkRow> {
    let (from, to) = (world.page("people/ada.md"), world.page("companies/acme.md"));
    let new = NewLink {
        from: &from,
        to: &to,
        node: None,
        relation,
        context: None,
        interval: interval(dates),
        expected_version: None,
    };
    link(&world.context, &new).map(|done| done.link)
}

fn closed(world: &World, id: u64, day: &str) -> Result<LinkRow> {
    close_link(&world.context, id, day.parse().unwrap(), None).map(|done| done.link)
}

/// Formats the relations of a page as `id verb interval`.
fn rows(context: &VaultContext, path: &str) -> Vec<String> {
    let page = context.page_at(path).unwrap().unwrap();
    let rows = context.store().links(context.project(), &LinkFilter::From(&[page.number])).unwrap();
    rows.iter().map(|row| format!("{} {} {}", row.link.id, row.link.relation, row.link.interval)).collect()
}

#[test]
fn relations_are_lines_of_their_source_page() {
    let world = World::synced(PAIR);
    let link = joined(&world, "works_at", "2020..").unwrap();
    assert_eq!(
        world.text("people/ada.md"),
        "# Ada\n\nKnows [[acme]].\n\n- works_at [[companies/acme]] {2020..}\n"
    );
    assert_eq!(link.to, Some(world.page("companies/acme.md").number));
    world.check_consistency();
}

#[test]
fn relation_ids_survive_closing_and_rebuilds() {
    let world = World::synced(PAIR);
    let id = joined(&world, "works_at", "2018..").unwrap().link.id;
    assert_eq!(closed(&world, id, "2019-03").unwrap().link.id, id);
    let second = joined(&world, "works_at", "2020..").unwrap().link.id;
    assert_ne!(second, id);
    assert_eq!(closed(&world, id, "2019-05-31").unwrap().link.interval.to_string(), "{2018..2019-05-31}");
    assert_eq!(rows(&world.context, "people/ada.md"), rows(&world.fresh(), "people/ada.md"));
    world.check_consistency();
}

#[test]
fn intervals_of_one_relation_never_overlap() {
    let world = World::synced(PAIR);
    let first = joined(&world, "works_at", "2018..2019").unwrap().link.id;
    joined(&world, "works_at", "2021..").unwrap();
    let before = world.text("people/ada.md");
    for dates in ["2019-06..2020", "2017..2018-06", "2022..", "2010..2030"] {
        let error = joined(&world, "Works_At", dates).expect_err(dates);
        assert_eq!(error.code(), Code::Lint, "{dates}: {error}");
        assert!(error.to_string().contains("line "), "{error}");
    }
    // Without dates, it is the relation that holds now.
    assert_eq!(joined(&world, "Works_At", "..").unwrap().link.interval.to_string(), "{2021..}");
    // An end alone closes it, which is impossible before it begins.
    assert_eq!(joined(&world, "Works_At", "..2018").expect_err("it begins later").code(), Code::Edit);
    let error = closed(&world, first, "2021-01-02").expect_err("it overlaps the second");
    assert_eq!(
        error.to_string(),
        "people/ada: `works_at [[companies/acme]] {2018..2021-01-02}` would overlap \
         `works_at [[companies/acme]] {2021..}` on line 6"
    );
    assert_eq!(closed(&world, first, "2017").expect_err("before it begins").code(), Code::Usage);
    assert_eq!(world.text("people/ada.md"), before);
    for (relation, dates) in [("works_at", "2019..2020"), ("advises", "2018..2030")] {
        joined(&world, relation, dates).expect(dates);
    }
    world.check_consistency();
}

#[test]
fn duplicate_relations_change_nothing() {
    let world = World::synced(PAIR);
    let id = joined(&world, "works at", "2018..").unwrap().link.id;
    let (before, version) = (world.text("people/ada.md"), world.page("people/ada.md").version);
    assert_eq!(joined(&world, "works  at", "2018..").unwrap().link.id, id);
    assert_eq!((world.text("people/ada.md"), world.page("people/ada.md").version), (before, version));
}

#[test]
fn unlink_keeps_prose_and_other_relations() {
    let world = World::synced(
        "-- a.md --\n---\nrelated: \"[[b]]\"\n---\nSee [[b]].\n\n- knows [[b]] (long\n  story) {2019..}\n- likes [[b]]\n\
         - knows [[c]]\n- [[b]]\n-- b.md --\nx\n-- c.md --\nx\n",
    );
    let (a, b) = (world.page("a.md"), world.page("b.md"));
    let verbs =
        |rows: &[LinkRow]| rows.iter().map(|row| row.link.relation.clone()).collect::<Vec<_>>().join(" ");
    let none = unlink(&world.context, &a, (&b, None), Some("hates"), None).unwrap();
    assert_eq!(none.receipt.files[0].outcome, Outcome::Unchanged);
    let one = unlink(&world.context, &a, (&b, None), Some("knows"), None).unwrap();
    assert_eq!(
        (verbs(&one.removed), verbs(&one.left)),
        ("knows".into(), "related links_to likes links_to".into())
    );
    let rest = unlink(&world.context, &a, (&b, None), None, None).unwrap();
    assert_eq!(
        (verbs(&rest.removed), verbs(&rest.left)),
        ("likes".into(), "related links_to links_to".into())
    );
    assert_eq!(world.text("a.md"), "---\nrelated: \"[[b]]\"\n---\nSee [[b]].\n\n- knows [[c]]\n- [[b]]\n");
    world.check_consistency();
}

#[test]
fn only_relation_lines_can_be_closed() {
    let world = World::synced("-- a.md --\n---\nrelated: \"[[b]]\"\n---\nSee [[b]].\n-- b.md --\nx\n");
    let page = world.page("a.md").number;
    let rows = world.context.store().links(world.context.project(), &LinkFilter::From(&[page])).unwrap();
    for row in &rows {
        let error = closed(&world, row.link.id, "2020").expect_err("no line");
        assert_eq!(error.code(), Code::Usage, "{error}");
    }
    assert_eq!(closed(&world, 12345, "2020").expect_err("no such link").code(), Code::NotFound);
    let (a, b) = (world.page("a.md"), world.page("b.md"));
    for relation in ["", "links_to", "Links_To"] {
        let new = NewLink {
            from: &a,
            to: &b,
            node: None,
            relation,
            context: None,
            interval: interval(".."),
            expected_version: None,
        };
        assert_eq!(link(&world.context, &new).expect_err(relation).code(), Code::Usage);
    }
}

#[test]
fn target_of_a_page_is_its_name_now() {
    let world = World::synced("-- a.md --\nA\n-- b.md --\n---\nid: a\n---\nB\n-- gone.md --\nx\n");
    let (a, gone) = (world.page("a.md"), world.page("gone.md"));
    // Its slug is the id of another page, so no link can name it.
    let error = target_of(&world.context, &a).unwrap_err();
    assert_eq!(error.to_string(), "\"a\" matches 2 pages: a.md, b.md");
    relocate(&world.context, &gone, "moved.md", None).unwrap();
    assert_eq!(target_of(&world.context, &gone).unwrap(), "moved");
    world.remove("moved.md");
    world.sync();
    let error = target_of(&world.context, &gone).unwrap_err();
    assert_eq!(error.to_string(), "no page matches \"gone\"");
    assert_eq!(error.code(), Code::NotFound);
}
