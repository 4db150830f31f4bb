//! Results within a token budget.

use lore_engine::{Budget, Content, Depth, Hit, Mode, SearchRequest, SearchResult, Within, search};
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

const BUDGET: Budget =
    Budget { depth: Depth::Auto, tokens: 4000, is_requested: true, base: 0, around: |_, _, _| 0, passage: 0 };

/// Searches for words with this depth and budget.
fn request(text: &str, depth: Depth, tokens: usize) -> SearchRequest {
    let budget = Some(Budget { depth, tokens, ..BUDGET });
    SearchRequest { text: text.into(), mode: Mode::Lexical, limit: 10, budget, ..Default::default() }
}

fn content(hit: &Hit) -> &Content {
    hit.content.as_ref().expect("content")
}

fn text(hit: &Hit) -> String {
    content(hit).text().unwrap_or_default()
}

fn opened(world: &World, depth: Depth, budget: usize) -> SearchResult {
    let found = search(&world.context, &request("warp heddle", depth, budget)).unwrap();
    let spent = found.spent.unwrap();
    assert_eq!(spent.total + spent.remaining, budget);
    assert_eq!(spent.total, found.hits.iter().map(|hit| content(hit).tokens).sum::<usize>());
    assert_eq!(found.hits.len() + spent.left_out, 6);
    for hit in &found.hits {
        let passages = content(hit).passages.iter().map(|passage| estimate_tokens(&passage.text));
        assert_eq!(content(hit).tokens, passages.sum::<usize>(), "{:?}", content(hit).depth);
    }
    found
}

#[test]
fn every_depth_has_the_passage_that_matched() {
    let world = world(400);
    for depth in [Depth::List, Depth::Summary, Depth::Section, Depth::Full, Depth::Auto] {
        let found = opened(&world, depth, 20_000);
        assert_eq!(found.hits.len(), 6, "{depth:?}");
        for hit in &found.hits {
            assert!(text(hit).contains("The warp runs through the heddle."), "{depth:?}: {}", text(hit));
        }
    }
    let section = opened(&world, Depth::Section, 4000);
    for hit in &section.hits {
        assert_eq!(text(hit), "The warp runs through the heddle.");
        let line = world.text(&hit.page.path).lines().position(|line| line.starts_with("The warp")).unwrap();
        let passage = &content(hit).passages[0];
        assert_eq!((passage.lines.first, passage.lines.last), (line as u32 + 1, line as u32 + 1));
        assert_eq!(passage.heading.as_deref(), Some("Weaving"));
    }
    let full = opened(&world, Depth::Full, 20_000);
    for hit in &full.hits {
        assert!(text(hit).starts_with("# Loom") && text(hit).ends_with("heddle."), "{}", text(hit));
        assert!(!text(hit).contains("Bought"), "the timeline is not part of the truth");
    }
}

#[test]
fn passages_below_a_rule_and_in_properties_are_shown() {
    let world = World::new("");
    let filler = "Filler. ".repeat(300);
    world.file("loom.md", format!("---\nmaker: Tobias Quill\n---\n# Loom\n\n{filler}\n\n---\n\n- **2024-01-01** | note — Bought at Riga.\n"));
    world.file(
        "film.md",
        format!("# Film\n\n{filler}\n\n---\n\nThe zeppelin burns.\n\n---\n\n## Cast\nNobody.\n"),
    );
    world.sync();
    for (query, expected) in
        [("Riga", "Bought at Riga."), ("Quill", "maker: Tobias Quill"), ("zeppelin", "The zeppelin burns.")]
    {
        for depth in [Depth::List, Depth::Summary, Depth::Section, Depth::Full, Depth::Auto] {
            for tokens in [60, 500, 4000] {
                let found = search(&world.context, &request(query, depth, tokens)).unwrap();
                let shown = found.hits.first().map(text).unwrap_or_default();
                assert!(shown.contains(expected), "{query} {depth:?} {tokens}: {shown}");
            }
        }
    }
    // An ordinary rule does not end a page's content.
    let full = search(&world.context, &request("zeppelin", Depth::Full, 4000)).unwrap();
    assert!(text(&full.hits[0]).ends_with("Nobody."), "{}", text(&full.hits[0]));
}

#[test]
fn results_never_exceed_the_budget() {
    let world = world(4000);
    for depth in [Depth::List, Depth::Summary, Depth::Section, Depth::Full, Depth::Auto] {
        for budget in [1, 5, 20, 60, 300, 600, 1600, 5000, 9000, usize::MAX] {
            let found = opened(&world, depth, budget);
            let total = found.spent.unwrap().total;
            assert!(total <= budget, "{depth:?} {budget}: {total}");
            assert!(budget < 20 || !found.hits.is_empty(), "{depth:?} {budget}");
        }
    }
}

#[test]
fn answer_ends_where_more_adds_little_unless_tokens_were_asked_for() {
    let world = World::new("");
    for page in 0..12 {
        let lines: String =
            (0..60).map(|line| format!("- The warp {line} of loom {page} was mended again.\n")).collect();
        world.file(&format!("log-{page}.md"), format!("# Log {page}\n\n{lines}"));
    }
    world.sync();
    let spent = |is_requested: bool| {
        let budget = Some(Budget { is_requested, ..BUDGET });
        let request = SearchRequest { budget, ..request("warp mended", Depth::Auto, 4000) };
        search(&world.context, &request).unwrap().spent.unwrap().total
    };
    let (usual, asked) = (spent(false), spent(true));
    assert!(usual <= 1000 && usual > 700, "{usual}");
    assert!(asked <= 4000 && asked > 1200, "{asked}");
}

#[test]
fn formatting_counts_against_the_budget() {
    let world = world(40);
    let spent = |tokens: usize| {
        let budget = Budget { tokens, base: 11, around: |_, _, _| 30, passage: 5, ..BUDGET };
        let budget = Some(Budget { depth: Depth::Section, ..budget });
        let request = SearchRequest { limit: 1, budget, ..request("warp heddle", Depth::Section, tokens) };
        let found = search(&world.context, &request).unwrap();
        (found.hits.len(), found.spent.unwrap().total)
    };
    let plain = estimate_tokens("The warp runs through the heddle.");
    assert_eq!(spent(4000), (1, plain + 46));
    assert_eq!(spent(plain + 46), (1, plain + 46));
    assert_eq!(spent(20), (0, 0));
}

#[test]
fn lines_of_a_conversation_compete_across_pages() {
    let world = World::new("");
    let chat = |day: u32, line: &str| {
        format!(
            "# Chat, {day} May 2023\n\nAda: Hello Bob, how are you?\n\nBob: Fine, thanks! Bye.\n\n{line}\n\nBob: Sounds good, talk to you soon.\n"
        )
    };
    world.file("chats/1.md", chat(1, "Ada: I bought a bicycle yesterday."));
    world.file("chats/2.md", chat(2, "Bob: I bought a canoe last week."));
    world.file("chats/3.md", chat(9, "Ada: My bicycle was stolen."));
    world.sync();
    let ask = |text: &str, within: Within| {
        let budget = Some(Budget { tokens: 120, ..BUDGET });
        search(&world.context, &SearchRequest { within, budget, ..request(text, Depth::Auto, 120) }).unwrap()
    };
    let all = |found: &SearchResult| found.hits.iter().map(text).collect::<Vec<_>>().join("\n");
    let notes =
        |found: &SearchResult| found.notes.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");

    let bicycle = ask("What did Ada buy? a bicycle", Within::default());
    assert!(all(&bicycle).contains("I bought a bicycle yesterday"), "{}", all(&bicycle));
    let passages = bicycle.hits.iter().flat_map(|hit| &content(hit).passages);
    let dates: Vec<String> =
        passages.flat_map(|passage| &passage.dates).map(|date| date.meaning.clone()).collect();
    assert!(dates.contains(&"2023-04-30".to_owned()), "{dates:?}");

    let canoe = ask("When did Ada buy a canoe?", Within::default());
    assert!(notes(&canoe).contains("belongs to Bob, not to Ada"), "{}", notes(&canoe));
    let day = ask("What happened on 9 May?", Within::default());
    assert!(all(&day).contains("stolen") && notes(&day).is_empty(), "{}; {}", all(&day), notes(&day));
    let far = ask("What happened to the bicycle on 24 December?", Within::default());
    assert!(notes(&far).contains("nothing is dated near"), "{}", notes(&far));

    let from = Within { from: Some("2023-05-05".parse().unwrap()), ..Within::default() };
    let later = ask("bicycle", from);
    assert_eq!(later.hits.iter().map(|hit| hit.page.slug.as_str()).collect::<Vec<_>>(), ["chats/3"]);
    let nobody = ask("bicycle", Within { participant: Some("Carol".into()), ..Within::default() });
    assert!(nobody.hits.is_empty());
    assert!(!ask("bicycle", Within { participant: Some("ada".into()), ..Within::default() }).hits.is_empty());
}

#[test]
fn source_gives_way_to_the_page_derived_from_it() {
    let world = World::new("");
    world.file(
        "sources/mail.md",
        "---\ntype: source\n---\n# Mail about the heddle\n\nThe heddle costs 40 euros.\n",
    );
    world.file("looms/heddle.md", "# Heddle\n\nThe heddle costs 40 euros, says [[sources/mail]].\n");
    world.sync();
    let found = search(&world.context, &request("what does the heddle cost", Depth::Auto, 20)).unwrap();
    let shown: Vec<&str> = found.hits.iter().map(|hit| hit.page.slug.as_str()).collect();
    assert!(shown.contains(&"looms/heddle"), "{shown:?}");
}
