//! Results within a token budget.

use lore_engine::{Budget, Budgeted, Depth, Mode, SearchRequest, expand};
use lore_text::estimate_tokens;

use super::fixture::World;

/// Six pages about looms, each with a summary, a matching section, another section, and a timeline.
fn world(words: usize) -> World {
    let world = World::new("");
    for number in 0..6 {
        let filler = format!("Filler of page {number}. ").repeat(words / 4);
        let text = format!(
            "# Loom {number}\n\n> About the loom {number}.\n\n## Other\n{filler}\n\n## Weaving\nThe warp runs through the heddle.\n\n---\n\n- **2024-01-0{}** | note — Bought.\n",
            number + 1
        );
        world.file(&format!("loom-{number}.md"), text);
    }
    world.sync();
    world
}

fn opened(world: &World, depth: Depth, budget: usize) -> Budgeted {
    let request =
        SearchRequest { text: "warp heddle".into(), mode: Mode::Lexical, limit: 10, ..Default::default() };
    let hits = world.context.search(&request).unwrap().hits;
    assert_eq!(hits.len(), 6);
    let found = expand(&world.context, hits, depth, Budget { tokens: budget, around: &|_| 0 }).unwrap();
    assert_eq!(found.total + found.remaining, budget);
    assert_eq!(found.total, found.hits.iter().map(|hit| hit.tokens).sum::<usize>());
    assert_eq!(found.hits.len() + found.left_out, 6);
    for hit in &found.hits {
        let about =
            format!("{}\n{}", hit.hit.page.title, hit.hit.page.summary.as_deref().unwrap_or_default());
        let content = hit.content.as_deref().map_or(0, estimate_tokens);
        assert_eq!(hit.tokens, estimate_tokens(&about) + content, "{:?}", hit.depth);
    }
    found
}

fn depths(found: &Budgeted) -> Vec<Depth> {
    found.hits.iter().map(|hit| hit.depth).collect()
}

#[test]
fn depths_return_the_documented_content() {
    let world = world(40);
    let summary = opened(&world, Depth::Summary, 4000);
    assert!(summary.hits.iter().all(|hit| hit.depth == Depth::Summary && hit.content.is_none()));
    let section = opened(&world, Depth::Section, 4000);
    for hit in &section.hits {
        assert_eq!(hit.content.as_deref(), Some("The warp runs through the heddle."));
        let text = world.text(&hit.hit.page.path);
        let line = text.lines().position(|line| line.starts_with("The warp")).unwrap() as u32 + 1;
        assert_eq!(hit.lines.map(|lines| (lines.first, lines.last)), Some((line, line)));
        assert_eq!(hit.hit.chunk.as_ref().unwrap().heading, "Weaving");
    }
    let full = opened(&world, Depth::Full, 4000);
    for hit in &full.hits {
        let content = hit.content.as_deref().unwrap();
        assert!(content.starts_with("# Loom") && content.ends_with("heddle."), "{content}");
        assert!(!content.contains("Bought"), "the timeline is not part of the truth");
    }
}

#[test]
fn auto_opens_three_pages_within_the_budget() {
    let world = world(400);
    let found = opened(&world, Depth::Auto, 4000);
    assert_eq!(
        depths(&found),
        [Depth::Full, Depth::Full, Depth::Full, Depth::Section, Depth::Section, Depth::Section]
    );
    // With 1,500 tokens or less left no page is opened whole, with 500 or less nothing is opened.
    assert!(depths(&opened(&world, Depth::Auto, 1500)).iter().all(|depth| *depth == Depth::Section));
    assert!(depths(&opened(&world, Depth::Auto, 500)).iter().all(|depth| *depth == Depth::Summary));
}

#[test]
fn results_never_exceed_the_budget() {
    let world = world(4000);
    for depth in [Depth::Summary, Depth::Section, Depth::Full, Depth::Auto] {
        for budget in [1, 5, 20, 60, 300, 600, 1600, 5000, 9000] {
            let found = opened(&world, depth, budget);
            assert!(found.total <= budget, "{depth:?} {budget}: {}", found.total);
        }
    }
    let none = opened(&world, Depth::Summary, 1);
    assert_eq!((none.hits.len(), none.left_out), (0, 6));
}

#[test]
fn oversized_sections_are_truncated_at_a_line() {
    let world = World::new("");
    let long: String = (0..60).map(|number| format!("Line {number} of the warp.\n")).collect();
    world.file("long.md", format!("# Long\n\n{long}"));
    world.sync();
    let request = SearchRequest { text: "warp".into(), limit: 10, ..Default::default() };
    let hits = world.context.search(&request).unwrap().hits;
    let found = expand(&world.context, hits, Depth::Section, Budget { tokens: 100, around: &|_| 0 }).unwrap();
    let hit = &found.hits[0];
    let content = hit.content.as_deref().unwrap();
    assert!(
        content.starts_with("Line 0 of the warp.\nLine 1") && content.ends_with("of the warp."),
        "{content}"
    );
    let lines = hit.lines.unwrap();
    assert_eq!(lines.last - lines.first + 1, content.lines().count() as u32);
    assert!(found.total <= 100 && found.remaining < 10, "{}", found.remaining);
}

#[test]
fn wrapping_text_counts_against_the_budget() {
    let world = world(40);
    let request =
        SearchRequest { text: "warp heddle".into(), mode: Mode::Lexical, limit: 1, ..Default::default() };
    let hits = || world.context.search(&request).unwrap().hits;
    let spent = |tokens: usize, around: usize| {
        let budget = Budget { tokens, around: &|_| around };
        let found = expand(&world.context, hits(), Depth::Section, budget).unwrap();
        (found.hits[0].content.is_some(), found.total)
    };
    let (_, plain) = spent(4000, 0);
    assert_eq!(spent(4000, 30), (true, plain + 30));
    assert_eq!(spent(plain + 30, 30), (true, plain + 30));
    let (shown, total) = spent(20, 30);
    assert!(!shown && total <= 20, "{total}");
}
