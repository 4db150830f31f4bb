//! Results within a token budget.

use lore_engine::{Budget, Content, Depth, Hit, Mode, SearchRequest, SearchResult, VaultContext, search};
use lore_ports::PageRow;
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

/// Searches for the words of every page's section, with this depth and budget.
fn request(depth: Depth, tokens: usize) -> SearchRequest {
    let budget = Some(Budget { depth, tokens, around: |_, _| 0 });
    SearchRequest { text: "warp heddle".into(), mode: Mode::Lexical, limit: 10, budget, ..Default::default() }
}

fn content(hit: &Hit) -> &Content {
    hit.content.as_ref().expect("content")
}

fn opened(world: &World, depth: Depth, budget: usize) -> SearchResult {
    let found = search(&world.context, &request(depth, budget)).unwrap();
    let spent = found.spent.unwrap();
    assert_eq!(spent.total + spent.remaining, budget);
    assert_eq!(spent.total, found.hits.iter().map(|hit| content(hit).tokens).sum::<usize>());
    assert_eq!(found.hits.len() + spent.left_out, 6);
    for hit in &found.hits {
        let about = format!("{}\n{}", hit.page.title, hit.page.summary.as_deref().unwrap_or_default());
        let text = content(hit).text.as_deref().map_or(0, estimate_tokens);
        assert_eq!(content(hit).tokens, estimate_tokens(&about) + text, "{:?}", content(hit).depth);
    }
    found
}

fn depths(found: &SearchResult) -> Vec<Depth> {
    found.hits.iter().map(|hit| content(hit).depth).collect()
}

#[test]
fn depths_return_the_documented_content() {
    let world = world(40);
    let summary = opened(&world, Depth::Summary, 4000);
    let bare = |hit: &Hit| content(hit).depth == Depth::Summary && content(hit).text.is_none();
    assert!(summary.hits.iter().all(bare));
    let section = opened(&world, Depth::Section, 4000);
    for hit in &section.hits {
        assert_eq!(content(hit).text.as_deref(), Some("The warp runs through the heddle."));
        let text = world.text(&hit.page.path);
        let line = text.lines().position(|line| line.starts_with("The warp")).unwrap() as u32 + 1;
        assert_eq!(content(hit).lines.map(|lines| (lines.first, lines.last)), Some((line, line)));
        assert_eq!(hit.chunk.as_ref().unwrap().heading, "Weaving");
    }
    let full = opened(&world, Depth::Full, 4000);
    for hit in &full.hits {
        let content = content(hit).text.as_deref().unwrap();
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
            let total = found.spent.unwrap().total;
            assert!(total <= budget, "{depth:?} {budget}: {total}");
        }
    }
    let none = opened(&world, Depth::Summary, 1);
    assert_eq!((none.hits.len(), none.spent.unwrap().left_out), (0, 6));
}

#[test]
fn oversized_sections_are_truncated_at_a_line() {
    let world = World::new("");
    let long: String = (0..60).map(|number| format!("Line {number} of the warp.\n")).collect();
    world.file("long.md", format!("# Long\n\n{long}"));
    world.sync();
    let plain = request(Depth::Section, 100);
    let found = search(&world.context, &SearchRequest { text: "warp".into(), mode: Mode::Words, ..plain });
    let found = found.unwrap();
    let Content { text, lines, .. } = content(&found.hits[0]);
    let (text, lines) = (text.as_deref().unwrap(), lines.unwrap());
    assert!(text.starts_with("Line 0 of the warp.\nLine 1") && text.ends_with("of the warp."), "{text}");
    assert_eq!(lines.last - lines.first + 1, text.lines().count() as u32);
    let spent = found.spent.unwrap();
    assert!(spent.total <= 100 && spent.remaining < 10, "{}", spent.remaining);
}

#[test]
fn wrapping_text_counts_against_the_budget() {
    let world = world(40);
    let spent = |tokens: usize, around: fn(&VaultContext, &PageRow) -> usize| {
        let budget = Some(Budget { depth: Depth::Section, tokens, around });
        let request = SearchRequest { limit: 1, budget, ..request(Depth::Section, tokens) };
        let found = search(&world.context, &request).unwrap();
        (content(&found.hits[0]).text.is_some(), found.spent.unwrap().total)
    };
    let (_, plain) = spent(4000, |_, _| 0);
    assert_eq!(spent(4000, |_, _| 30), (true, plain + 30));
    assert_eq!(spent(plain + 30, |_, _| 30), (true, plain + 30));
    let (shown, total) = spent(20, |_, _| 30);
    assert!(!shown && total <= 20, "{total}");
}
