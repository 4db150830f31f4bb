//! Search for lines instead of pages.

use lore_engine::{HitKind, SearchRequest, search};

use super::fixture::World;

const ADA: &str = "\
-- ada.md --
---
title: Ada
---
She wrote about engines and music.

- [belief] Engines can compose music #future (letter)
- [habit] walks every day
- founded [[Engine Club]] (for music) {1840..}
- works_with [[Babbage]]
- role:: engine theorist {1842..} (source: letters; by: agent)
- Babbage | built:: difference engine

---
- **1843-09-05** | letter — Sent the notes on the engine
  with a table for Bernoulli numbers.
- **1852-11-27** | register — Died in London
-- noise.md --
engine engine engine music, and [[Babbage]] in passing
";

/// Returns the matching lines of one kind, as `path:first-last text`.
fn lines(world: &World, text: &str, kind: HitKind) -> Vec<String> {
    let request = SearchRequest { text: text.into(), kind: Some(kind), limit: 10, ..Default::default() };
    let hits = search(&world.context, &request).unwrap().hits;
    hits.into_iter()
        .map(|hit| {
            let excerpt = hit.excerpt.unwrap();
            let first = excerpt.text.lines().next().unwrap().to_owned();
            format!("{}:{}-{} {first}", hit.page.path, excerpt.lines.first, excerpt.lines.last)
        })
        .collect()
}

#[test]
fn observations_are_found_by_their_words() {
    let world = World::synced(ADA);
    let observation = |text: &str| lines(&world, text, HitKind::Observation);
    assert_eq!(observation("compose"), ["ada.md:6-6 - [belief] Engines can compose music #future (letter)"]);
    assert_eq!(observation("belief"), ["ada.md:6-6 - [belief] Engines can compose music #future (letter)"]);
    assert_eq!(observation("letter"), ["ada.md:6-6 - [belief] Engines can compose music #future (letter)"]);
    assert_eq!(observation("walks"), ["ada.md:7-7 - [habit] walks every day"]);
    assert_eq!(observation("Babbage"), [""; 0]);
}

#[test]
fn facts_are_found_by_subject_predicate_and_object() {
    let world = World::synced(ADA);
    let fact = |text: &str| lines(&world, text, HitKind::Fact);
    let role = "ada.md:10-10 - role:: engine theorist {1842..} (source: letters; by: agent)";
    let built = "ada.md:11-11 - Babbage | built:: difference engine";
    assert_eq!(fact("theorist"), [role]);
    assert_eq!(fact("role"), [role]);
    // Who stated it is not what it says.
    assert_eq!(fact("agent"), [""; 0]);
    assert_eq!(fact("babbage"), [built]);
    assert_eq!(fact("engine"), [role, built]);
    assert_eq!(fact("difference engine"), [built]);
}

#[test]
fn entries_are_found_with_all_their_lines() {
    let world = World::synced(ADA);
    let sent = "ada.md:14-15 - **1843-09-05** | letter — Sent the notes on the engine";
    assert_eq!(lines(&world, "Bernoulli", HitKind::Entry), [sent]);
    assert_eq!(lines(&world, "engine", HitKind::Entry), [sent]);
    assert_eq!(
        lines(&world, "london", HitKind::Entry),
        ["ada.md:16-16 - **1852-11-27** | register — Died in London"]
    );
}

#[test]
fn only_typed_relations_are_found() {
    let world = World::synced(ADA);
    assert_eq!(
        lines(&world, "founded", HitKind::Relation),
        ["ada.md:8-8 - founded [[Engine Club]] (for music) {1840..}"]
    );
    assert_eq!(lines(&world, "babbage", HitKind::Relation), ["ada.md:9-9 - works_with [[Babbage]]"]);
}

#[test]
fn lines_with_more_matching_words_rank_first_and_are_paged() {
    let world = World::new("");
    (0..30).for_each(|number| {
        world.file(&format!("{number:02}.md"), "- [a] heron one\n- [a] heron and badger\n")
    });
    world.sync();
    let window = |text: &str, offset: usize| {
        let kind = Some(HitKind::Observation);
        let request = SearchRequest { text: text.into(), kind, limit: 10, offset, ..Default::default() };
        let result = search(&world.context, &request).unwrap();
        let shown =
            result.hits.iter().map(|hit| (hit.page.path.clone(), hit.excerpt.as_ref().unwrap().lines.first));
        (shown.collect::<Vec<_>>(), result.more)
    };
    let (first, more) = window("heron badger", 0);
    assert!(more && first.iter().all(|(_, line)| *line == 2), "{first:?}");
    let mut pages: Vec<_> = (0..3).flat_map(|at| window("heron badger", at * 10).0).collect();
    pages.sort();
    pages.dedup();
    assert_eq!(pages.len(), 30);
    assert_eq!(window("heron", 55).0.len(), 5);
}

#[test]
fn lines_match_prefixes_and_stems_like_pages() {
    let world = World::synced("-- a.md --\n- [method] photosynthesis while running\n");
    for text in ["photosynthesis", "photosyn", "runs"] {
        assert_eq!(lines(&world, text, HitKind::Observation).len(), 1, "{text}");
    }
}

#[test]
fn full_matches_in_prose_do_not_hide_partial_line_matches() {
    let world = World::synced("-- prose.md --\nheron and badger\n-- lines.md --\n- [seen] heron\n");
    assert_eq!(lines(&world, "heron badger", HitKind::Observation), ["lines.md:1-1 - [seen] heron"]);
}
