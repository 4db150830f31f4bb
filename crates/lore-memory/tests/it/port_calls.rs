//! How often the database is asked: by batches, never by pages.

use lore_engine::{Budget, Depth, Mode, SearchRequest, search};
use lore_ports::Filter;

use super::counting_store::Calls;
use super::fixture::World;

/// Returns the calls since the last time, by method.
fn taken(calls: &Calls) -> Vec<(&'static str, usize)> {
    std::mem::take(&mut *calls.borrow_mut()).into_iter().collect()
}

/// Makes a vault with this many pages that link to each other, one of them without a target.
fn fill(world: &World, count: usize, text: &str) {
    for number in 0..count {
        let next = (number + 1) % count;
        let page = format!("# Page {number}\n\n{text} [[Page {next}]]\n- knows [[Nobody {number}]]\n");
        world.file(&format!("notes/{number}.md"), page);
    }
}

/// Syncs vaults of two sizes after the same steps, and checks that the larger one asks no more often.
#[track_caller]
fn check(prepare: impl Fn(&World, usize), change: impl Fn(&World, usize)) {
    let calls = |count: usize| {
        let world = World::new("");
        prepare(&world, count);
        world.sync();
        change(&world, count);
        let (world, calls) = world.counted();
        let report = lore_engine::refresh(
            &world.context,
            lore_engine::Scope::Vault(lore_engine::ScanMode::Stat),
            &lore_ports::no_progress,
        );
        let report = report.unwrap();
        let changed = report.added.len() + report.modified.len() + report.moved.len() + report.removed.len();
        assert_eq!(changed, count);
        taken(&calls)
    };
    assert_eq!(calls(20), calls(200));
}

#[test]
fn new_pages_are_written_in_batches() {
    check(|_, _| {}, |world, count| fill(world, count, "new"));
}

#[test]
fn changed_pages_are_written_in_batches() {
    check(|world, count| fill(world, count, "old"), |world, count| fill(world, count, "new"));
}

#[test]
fn moved_pages_are_written_in_batches() {
    check(|world, count| fill(world, count, "old"), |world, _| world.rename("notes", "elsewhere"));
}

#[test]
fn removed_pages_are_written_in_batches() {
    check(
        |world, count| fill(world, count, "old"),
        |world, count| (0..count).for_each(|number| world.remove(&format!("notes/{number}.md"))),
    );
}

#[test]
fn files_that_failed_are_recorded_in_batches() {
    let calls = |count: usize| {
        let world = World::new("-- lore.toml --\n[limits]\npage_bytes = 1000\n");
        let long = "x".repeat(2000);
        (0..count).for_each(|number| world.file(&format!("{number}.md"), &long));
        let (world, calls) = world.counted();
        let scope = lore_engine::Scope::Vault(lore_engine::ScanMode::Stat);
        let report = lore_engine::refresh(&world.context, scope, &lore_ports::no_progress).unwrap();
        assert_eq!(report.skipped.len(), count);
        taken(&calls)
    };
    assert_eq!(calls(10), calls(100));
}

#[test]
fn hits_are_read_together() {
    let world = World::new("");
    fill(&world, 60, "zeppelin");
    world.sync();
    let (world, calls) = world.counted();
    let ask = |request: &SearchRequest, limit: usize| {
        let request = SearchRequest { limit, ..request.clone() };
        assert_eq!(search(&world.context, &request).unwrap().hits.len(), limit, "{request:?}");
        taken(&calls)
    };
    let words = SearchRequest { text: "zeppelin".into(), ..Default::default() };
    let around = |_: &lore_engine::VaultContext, _: &lore_engine::Hit, _: Depth| 0;
    let budget =
        Budget { depth: Depth::Auto, tokens: 100_000, is_requested: true, base: 0, around, passage: 0 };
    let filter = Filter { path: Some("notes/".into()), ..Default::default() };
    for request in [
        SearchRequest { mode: Mode::Lexical, ..words.clone() },
        SearchRequest { budget: Some(budget), ..words.clone() },
        SearchRequest { budget: Some(Budget { depth: Depth::Section, ..budget }), ..words.clone() },
        SearchRequest { filter, judge: true, ..words.clone() },
        words,
    ] {
        ask(&request, 5);
        assert_eq!(ask(&request, 5), ask(&request, 40), "{request:?}");
    }
}

/// Pages that answer a question are checked against the filter at once.
#[test]
fn answers_are_filtered_together() {
    let calls = |count: usize| {
        let world = World::new("-- ada.md --\n# Ada\n");
        for number in 0..count {
            world.file(&format!("firms/{number}.md"), format!("# Firm {number}\n\n- employs [[Ada]]\n"));
        }
        world.sync();
        let (world, calls) = world.counted();
        let filter = Filter { path: Some("firms/".into()), ..Default::default() };
        let text = "who employs Ada?".to_owned();
        let request = SearchRequest { text, filter, mode: Mode::Lexical, limit: 3, ..Default::default() };
        assert_eq!(search(&world.context, &request).unwrap().hits.len(), 3);
        taken(&calls)
    };
    assert_eq!(calls(10), calls(80));
}
