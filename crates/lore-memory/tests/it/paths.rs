//! The shortest path between two pages: in either direction, typed relations first, as of a date, and the same in every
//! index.

use lore_engine::{Reach, Temporal, VaultContext};

use super::fixture::World;

/// Formats the path as `a verb b verb c`.
fn chain(context: &VaultContext, from: &str, to: &str, depth: usize, day: &str) -> String {
    let page = |path: &str| context.page_at(path).unwrap().expect(path);
    let reach = Reach { depth, limit: usize::MAX, temporal: Temporal::Current, today: day.into() };
    let Some(found) = context.path(&page(from), &page(to), &reach).unwrap() else { return "none".into() };
    let pages = context.store().pages(context.project(), &found.pages).unwrap();
    let mut text = pages[0].slug.clone();
    for (page, row) in pages[1..].iter().zip(&found.links) {
        text.push_str(&format!(" {} {}", row.link.relation, page.slug));
    }
    text
}

#[test]
fn paths_follow_links_in_either_direction() {
    let world = World::synced(
        "-- a.md --\n- knows [[b]]\n-- b.md --\nx\n-- c.md --\n- met [[b]]\n\n[[d]]\n-- d.md --\nx\n-- far.md --\nx\n",
    );
    let to = |to: &str, depth| chain(&world.context, "a.md", to, depth, "2024-06-01");
    assert_eq!(to("a.md", 5), "a");
    assert_eq!(to("b.md", 5), "a knows b");
    assert_eq!(to("d.md", 5), "a knows b met c links_to d");
    assert_eq!(to("d.md", 3), "a knows b met c links_to d");
    assert_eq!(to("d.md", 2), "none");
    assert_eq!(to("far.md", 50), "none");
    assert_eq!(chain(&world.context, "d.md", "a.md", 5, "2024-06-01"), "d links_to c met b knows a");
}

#[test]
fn shorter_paths_win_then_typed_relations() {
    let world = World::synced(
        "-- a.md --\n[[m]] and [[n]]\n\n- knows [[o]]\n-- m.md --\n[[z]]\n-- n.md --\n- at [[z]]\n-- o.md --\n- at [[z]]\n\
         -- z.md --\nx\n-- p.md --\n- by [[a]]\n- by [[q]]\n-- q.md --\n- by [[r]]\n- by [[s]]\n-- r.md --\n-- s.md --\n- by [[z]]\n",
    );
    let found = chain(&world.context, "a.md", "z.md", 9, "2024-06-01");
    assert_eq!(found, "a knows o at z");
    assert_eq!(chain(&world.context, "p.md", "z.md", 9, "2024-06-01"), "p by a knows o at z");
}

#[test]
fn links_are_filtered_by_date() {
    let world = World::synced(
        "-- a.md --\n- at [[firm]] {2018..2019}\n- on [[board]] {2020..}\n-- firm.md --\nx\n-- board.md --\nx\n\
         -- b.md --\n- at [[firm]]\n- on [[board]]\n",
    );
    assert_eq!(chain(&world.context, "a.md", "b.md", 9, "2018-05-05"), "a at firm at b");
    assert_eq!(chain(&world.context, "a.md", "b.md", 9, "2024"), "a on board on b");
    assert_eq!(chain(&world.context, "a.md", "b.md", 9, "2017"), "none");
}

#[test]
fn rebuilt_indexes_give_the_same_path() {
    let mut files = String::from("-- a.md --\nx\n-- z.md --\nx\n");
    for number in 0..20 {
        files.push_str(&format!("-- m{number:02}.md --\n- by [[a]]\n- by [[n{:02}]]\n", (number * 7) % 20));
        files.push_str(&format!("-- n{number:02}.md --\n- by [[z]]\n"));
    }
    let world = World::synced("-- z.md --\nold\n-- n07.md --\n[[z]]\n");
    world.files(&files);
    world.sync();
    let found = chain(&world.context, "a.md", "z.md", 9, "2024-06-01");
    assert_eq!(found.split(' ').count(), 7, "{found}");
    assert_eq!(found, chain(&world.fresh(), "a.md", "z.md", 9, "2024-06-01"));
}

#[test]
fn typed_relations_are_preferred_among_parallel_links() {
    // Enough vaults that the link ids come in every order.
    for number in 0..12 {
        let world = World::synced(&format!(
            "-- a{number}.md --\nSee [[b{number}]].\n\n- knows [[b{number}]]\n-- b{number}.md --\nOf [[a{number}]].\n"
        ));
        let found =
            chain(&world.context, &format!("a{number}.md"), &format!("b{number}.md"), 9, "2024-06-01");
        assert_eq!(found, format!("a{number} knows b{number}"));
    }
}
