//! Search through the engine: exact names first, then words, each hit with the matching lines.

use lore_engine::{Mode, SearchRequest, SearchResult, Signals, Verdict, search};
use lore_ports::Filter;
use lore_text::ContentHash;

use super::fixture::World;

fn search_for(world: &World, text: &str) -> SearchResult {
    search(&world.context, &SearchRequest { text: text.into(), limit: 10, ..Default::default() }).unwrap()
}

/// Formats the paths found, best first, each with its reason.
fn found(world: &World, text: &str) -> String {
    let result = search_for(world, text);
    assert!(result.hits.is_sorted_by(|a, b| a.score >= b.score), "{text}: scores must be descending");
    assert!(result.hits.iter().all(|hit| hit.score > 0.0), "{text}: scores must be positive");
    let shown: Vec<String> =
        result.hits.iter().map(|hit| format!("{} ({})", hit.page.path, hit.why.join(", "))).collect();
    shown.join(" ")
}

/// Formats the excerpt of the best hit with its lines.
fn excerpt(world: &World, text: &str) -> String {
    let hit = search_for(world, text).hits.into_iter().next().expect("a hit");
    let excerpt = hit.excerpt.expect("an excerpt");
    let file = world.text(&hit.page.path);
    let lines: Vec<&str> = file.lines().collect();
    let range = excerpt.lines.first as usize - 1..excerpt.lines.last as usize;
    assert_eq!(lines[range].join("\n"), excerpt.text, "the excerpt matches its line range");
    assert_eq!(excerpt.hash, ContentHash::of(file.as_bytes()));
    format!("{}-{} {}", excerpt.lines.first, excerpt.lines.last, excerpt.text)
}

#[test]
fn pages_are_found_by_title_words() {
    let world = World::synced("-- ml.md --\n---\ntitle: Machine Learning Basics\n---\n-- other.md --\nx\n");
    assert_eq!(found(&world, "machine learning"), "ml.md (all words)");
    assert_eq!(found(&world, "learn"), "ml.md (all words)");
    assert_eq!(found(&world, "quantum"), "");
}

#[test]
fn exact_names_rank_first() {
    let world = World::new("");
    for number in 0..5 {
        let text = format!(
            "---\ntitle: Plan plan plan {number}\naliases: [plan a]\n---\n# Plan\n{}\n",
            "plan ".repeat(50)
        );
        world.file(&format!("loud/{number}.md"), text);
    }
    world.files(
        "-- quiet/plan.md --\n---\ntitle: The Zebra Protocol\nid: 0192f3a1-7c4e\naliases: [Stripes]\n---\nPlan nothing.\n",
    );
    world.sync();
    for (query, why) in [
        ("the zebra protocol", "exact title match"),
        ("The Zebra  Protocol", "exact title match"),
        ("quiet/plan", "exact slug match"),
        ("quiet/plan.md", "exact slug match"),
        ("stripes", "exact alias match"),
        ("0192f3a1-7c4e", "exact id match"),
        ("memory://quiet/plan", "exact slug match"),
    ] {
        let all = found(&world, query);
        assert!(all.starts_with(&format!("quiet/plan.md ({why})")), "{query}: {all}");
        assert_eq!(all.matches("quiet/plan.md").count(), 1, "{query}: only once");
    }
    let all = found(&world, "the zebra protocol");
    assert!(!all.contains("loud"), "{all}");
}

#[test]
fn exact_names_must_match_the_filter() {
    let world = World::synced("-- a.md --\n---\ntype: person\n---\nzebra\n-- zebra.md --\nzebra\n");
    let filter = Filter { kinds: vec!["person".into()], ..Default::default() };
    let request = SearchRequest { text: "zebra".into(), filter, limit: 10, ..Default::default() };
    let hits = search(&world.context, &request).unwrap().hits;
    assert_eq!(hits.iter().map(|hit| hit.page.path.as_str()).collect::<Vec<_>>(), ["a.md"]);
}

#[test]
fn hyphens_and_dots_are_part_of_a_word() {
    let world = World::synced(
        "-- node-js-tutorial.md --\nx\n-- other.md --\nnode of js\n-- dot.md --\nabout node.js\n",
    );
    assert_eq!(found(&world, "node-js"), "node-js-tutorial.md (all words) dot.md (all words)");
    assert_eq!(found(&world, "node-js-tutorial"), "node-js-tutorial.md (exact slug match)");
}

#[test]
fn partial_matches_count_if_no_page_has_all_words() {
    let world = World::synced("-- tips.md --\nproject management tips\n-- other.md --\nthe other thing\n");
    let result = search_for(&world, "project planning ideas");
    assert!(result.relaxed);
    assert_eq!(found(&world, "project planning ideas"), "tips.md (some words)");
    assert_eq!(found(&world, "what is the project?"), "tips.md (some words)", "question words are ignored");
    assert!(!search_for(&world, "project tips").relaxed);
    assert_eq!(found(&world, "nothing of this exists"), "");
    for query in ["", "   ", "\"", "***", "AND OR NOT", "(", "title:project tips)"] {
        search_for(&world, query);
    }
}

#[test]
fn types_and_other_filters_narrow_a_search() {
    let world = World::synced(
        "-- a.md --\n---\ntype: concept\ntags: [x]\nstatus: live\ncity: Rome\n---\nheron\n-- sub/b.md --\nheron\n\
         -- c.md --\n---\ntype: Concept\n---\nheron\n",
    );
    let check = |filter: Filter, expected: &str| {
        let request = SearchRequest { text: "heron".into(), filter, limit: 10, ..Default::default() };
        let mut paths: Vec<String> =
            search(&world.context, &request).unwrap().hits.into_iter().map(|hit| hit.page.path).collect();
        paths.sort();
        assert_eq!(paths.join(" "), expected);
    };
    check(Filter { kinds: vec!["concept".into()], ..Default::default() }, "a.md c.md");
    check(Filter { tags: vec!["X".into()], ..Default::default() }, "a.md");
    check(Filter { status: Some("live".into()), ..Default::default() }, "a.md");
    check(Filter { path: Some("sub/".into()), ..Default::default() }, "sub/b.md");
    check(Filter { wings: vec!["b".into()], ..Default::default() }, "sub/b.md");
    check(Filter { properties: vec![("city".into(), "rome".into())], ..Default::default() }, "a.md");
    check(Filter { since: Some(i64::MAX), ..Default::default() }, "");
}

#[test]
fn the_second_window_follows_the_first() {
    let world = World::new("");
    (0..100).for_each(|number| world.file(&format!("{number:03}.md"), "the same heron everywhere\n"));
    world.sync();
    let window = |offset: usize, limit: usize| {
        let request = SearchRequest { text: "heron".into(), limit, offset, ..Default::default() };
        let result = search(&world.context, &request).unwrap();
        let paths: Vec<String> = result.hits.into_iter().map(|hit| hit.page.path).collect();
        (paths, result.more)
    };
    let (all, more) = window(0, 100);
    assert_eq!((all.len(), more), (100, false));
    let (second, more) = window(10, 10);
    assert_eq!((second.as_slice(), more), (&all[10..20], true));
    assert_eq!(window(95, 10), (all[95..].to_vec(), false));
    assert_eq!(window(90, 10), (all[90..].to_vec(), false));
    assert_eq!(window(100, 10), (Vec::new(), false));
    let pieces: Vec<String> = (0..10).flat_map(|at| window(at * 10, 10).0).collect();
    assert_eq!(pieces, all);
}

#[test]
fn excerpts_show_the_matching_lines() {
    let world = World::synced(
        "-- a.md --\n---\ntitle: Heron\ntags: [otter]\n---\n# Heron\n\nIntro line.\n\n## Food\nEats fish.\nAnd frogs in März.\n\n- [habit] stands still\n",
    );
    assert_eq!(excerpt(&world, "fish"), "9-11 ## Food\nEats fish.\nAnd frogs in März.");
    assert_eq!(excerpt(&world, "MARZ"), "9-11 ## Food\nEats fish.\nAnd frogs in März.");
    assert_eq!(excerpt(&world, "stands still"), "13-13 - [habit] stands still");
    assert_eq!(excerpt(&world, "otter"), "7-7 Intro line.", "only a tag matched");
}

#[test]
fn excerpts_use_the_current_file() {
    let world = World::synced("-- a.md --\nheron here\n");
    world.files("-- a.md --\nnew first line\n\nheron there\n");
    assert_eq!(excerpt(&world, "heron"), "3-3 heron there");
    world.remove("a.md");
    assert!(search_for(&world, "heron").hits[0].excerpt.is_none());
}

#[test]
fn excerpts_show_prefix_and_stem_matches() {
    let world =
        World::synced("-- a.md --\nThe head of the page.\n\nAbout photosynthesis.\n\nShe was running.\n");
    assert_eq!(excerpt(&world, "photosyn"), "3-3 About photosynthesis.");
    assert_eq!(excerpt(&world, "runs"), "5-5 She was running.");
}

#[test]
fn hits_carry_the_state_of_their_page() {
    let world = World::synced(
        "-- old.md --\nheron plan\n-- new.md --\nheron plan\n\n- supersedes [[old]]\n-- draft.md --\n---\nstatus: rejected\n---\nheron plan\n",
    );
    let hits = search_for(&world, "heron").hits;
    let shown = |path: &str| {
        let hit = hits.iter().find(|hit| hit.page.path == path).expect(path);
        format!("{}: {}", hit.state.status, hit.warnings.join(", "))
    };
    assert_eq!(shown("old.md"), "superseded: superseded by new");
    assert_eq!(shown("new.md"), "active: ");
    assert_eq!(shown("draft.md"), "rejected: rejected: set in its file");
}

#[test]
fn best_hit_is_judged_on_request() {
    let world = World::synced("-- a.md --\n# Heron\n\nEats fish and frogs.\n-- b.md --\nfrogs\n");
    let judged = |text: &str| {
        let request = SearchRequest { text: text.into(), limit: 10, judge: true, ..Default::default() };
        let found = search(&world.context, &request).unwrap();
        let confidence: Vec<Option<f64>> = found.hits.iter().map(|hit| hit.confidence).collect();
        let quality = found.quality.map(|best| (best.page.map(|page| page.path), best.confidence));
        (quality, confidence)
    };
    let page = |text: &str| judged(text).0.and_then(|(page, _)| page);
    let confidence = |text: &str| judged(text).0.map_or(-1.0, |(_, confidence)| confidence);
    for text in ["fish frogs", "fish swim", "heron"] {
        assert_eq!(page(text).as_deref(), Some("a.md"), "{text}");
    }
    assert_eq!(judged("heron"), (Some((Some("a.md".to_owned()), 1.0)), vec![Some(1.0)]));
    assert!(confidence("fish frogs") >= Verdict::ANSWERED, "every word is there");
    assert!((Verdict::NOTHING..Verdict::ANSWERED).contains(&confidence("fish swim")), "half of them");
    assert_eq!(judged("zebra"), (Some((None, 0.0)), vec![]));
    assert_eq!(confidence("what is it?"), 0.0, "no page has its words");
    let plain = search_for(&world, "fish frogs");
    assert!(plain.quality.is_none() && plain.hits[0].confidence.is_none());
}

#[test]
fn fields_score_once_each() {
    let world = World::synced(
        "-- a.md --\n---\ntitle: Heron\ntags: [heron]\n---\nheron heron\n-- b.md --\nheron heron heron\n",
    );
    let request = SearchRequest { text: "heron".into(), mode: Mode::Fields, limit: 1, ..Default::default() };
    let found = search(&world.context, &request).unwrap();
    let shown: Vec<(&str, f64, String)> =
        found.hits.iter().map(|hit| (hit.page.path.as_str(), hit.score, hit.why.join(", "))).collect();
    assert_eq!(
        shown,
        [("a.md", 175.0, "matched title, matched tag, matched summary, matched body".to_owned())]
    );
    assert!(found.more && found.mode == Mode::Fields);
}

#[test]
fn page_that_the_best_page_mentions_is_raised() {
    let world = World::synced(
        "-- hall.md --\n---\ntitle: Toad Hall\n---\nToad Hall is a residential hall of the Alpine Institute of Chemistry.\n\
         -- institute.md --\n---\ntitle: Alpine Institute of Chemistry\n---\nA research city campus with twelve colleges, founded by \
         seven cantons after a long debate about its seat, in Chur.\n\
         -- walls.md --\n---\ntitle: Walls\n---\nThe city has walls, and a hall.\n",
    );
    let institute = |mentions: bool| {
        let signals = Signals { mentions, ..Signals::default() };
        let text = "Toad Hall is a residential hall in which city?".to_owned();
        let request = SearchRequest { text, mode: Mode::Lexical, signals, limit: 10, ..Default::default() };
        let hits = search(&world.context, &request).unwrap().hits;
        hits.into_iter()
            .find(|hit| hit.page.path == "institute.md")
            .expect("the page has a word of the question")
    };
    let (without, with) = (institute(false), institute(true));
    assert!(with.score > without.score * 1.1, "{} without, {} with", without.score, with.score);
    let why = "a page that matches mentions it: alpine institute of chemistry";
    assert!(with.why.iter().any(|reason| reason == why), "{:?}", with.why);
}
