//! The neighbourhood of a page: depth, limit and date.

use lore_engine::{Reach, Temporal};

use super::fixture::World;

const CHAIN: &str = "\
-- a.md --
- leads_to [[b]]
-- b.md --
- leads_to [[c]]
-- c.md --
- leads_to [[d]]
-- d.md --
[[nowhere]]
-- back.md --
[[a]]
";

/// Formats `page@hops` by hops, then `| from>to` for each link, then `cut`.
fn walk(world: &World, centre: &str, depth: usize, limit: usize, temporal: Temporal) -> String {
    let reach = Reach { depth, limit, temporal, today: "2024-06-01".into() };
    let found = world.context.graph(&world.page(centre), &reach).unwrap();
    let pages = world.pages();
    let name = |number: i64| {
        let page = pages.iter().find(|page| page.number == number).unwrap();
        page.path.trim_end_matches(".md").to_owned()
    };
    assert!(found.pages.is_sorted_by_key(|(_, hops)| *hops));
    let mut nodes: Vec<String> =
        found.pages.iter().map(|(page, hops)| format!("{hops}{}", name(*page))).collect();
    nodes.sort();
    let mut links: Vec<String> =
        found.links.iter().map(|row| format!("{}>{}", name(row.from), name(row.to.unwrap()))).collect();
    links.sort();
    format!("{} | {}{}", nodes.join(" "), links.join(" "), if found.cut { " cut" } else { "" })
}

#[test]
fn depth_counts_hops_in_both_directions() {
    let world = World::synced(CHAIN);
    let walk = |centre: &str, depth: usize| walk(&world, centre, depth, 100, Temporal::Current);
    assert_eq!(walk("a.md", 0), "0a | ");
    assert_eq!(walk("a.md", 1), "0a 1b 1back | a>b back>a");
    assert_eq!(walk("a.md", 2), "0a 1b 1back 2c | a>b b>c back>a");
    assert_eq!(walk("a.md", 9), "0a 1b 1back 2c 3d | a>b b>c back>a c>d");
    assert_eq!(walk("d.md", 1), "0d 1c | c>d");
}

#[test]
fn limits_keep_the_nearest_and_set_the_flag() {
    let world = World::synced(CHAIN);
    let walk = |limit: usize| walk(&world, "a.md", 9, limit, Temporal::Current);
    assert_eq!(walk(5), "0a 1b 1back 2c 3d | a>b b>c back>a c>d");
    assert_eq!(walk(4), "0a 1b 1back 2c | a>b b>c back>a cut");
    assert_eq!(walk(2), "0a 1b | a>b cut", "a typed relation is followed before a plain link");
    assert_eq!(walk(1), "0a |  cut");
}

#[test]
fn links_are_filtered_by_validity() {
    let world = World::synced(
        "-- a.md --\n- at [[past]] {2019..2021}\n- at [[now]] {2021..}\n- at [[later]] {2025..}\n- at [[always]]\n\
         - at [[month]] {..2024-06}\n- at [[yesterday]] {..2024-05-31}\n\
         -- past.md --\n-- now.md --\n-- later.md --\n-- always.md --\n-- month.md --\n-- yesterday.md --\n",
    );
    let names = |temporal| {
        let walk = walk(&world, "a.md", 1, 100, temporal);
        walk.split(" | ").next().unwrap().replace("0a ", "").replace('1', "")
    };
    assert_eq!(names(Temporal::Current), "always month now");
    assert_eq!(names(Temporal::Historical), "past yesterday");
    assert_eq!(names(Temporal::All), "always later month now past yesterday");
}

#[test]
fn cycles_and_self_links_terminate() {
    let world = World::synced("-- a.md --\n[[a]] [[b]]\n-- b.md --\n[[a]] [[b]]\n");
    assert_eq!(walk(&world, "a.md", 50, 100, Temporal::Current), "0a 1b | a>a a>b b>a b>b");
}

#[test]
fn links_between_outermost_pages_are_included() {
    let world = World::synced("-- a.md --\n[[b]] [[c]]\n-- b.md --\n[[c]]\n-- c.md --\nx\n");
    assert_eq!(walk(&world, "a.md", 1, 100, Temporal::Current), "0a 1b 1c | a>b a>c b>c");
}
