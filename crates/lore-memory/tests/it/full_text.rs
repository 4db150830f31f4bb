//! Full-text retrieval: common words, scripts without spaces, and input of every kind.

use lore_engine::{WEIGHTS, full_text, prepare};
use lore_ports::{Expression, Filter, TextQuery, Window};
use proptest::test_runner::{Config, RngSeed, TestRunner};

use super::fixture::World;

const ALL: Window = Window { limit: 1000, offset: 0 };

/// Returns the paths of the pages that match an expression, best first.
fn found(world: &World, expression: &Expression, filter: &Filter) -> Vec<String> {
    let query = TextQuery { expression, filter, weights: WEIGHTS, window: ALL };
    let hits = full_text(&world.context, &query).unwrap();
    let numbers: Vec<i64> = hits.into_iter().map(|hit| hit.page).collect();
    let rows = world.context.store().pages(world.context.project(), &numbers).unwrap();
    rows.into_iter().map(|row| row.path).collect()
}

/// Returns the paths of the pages that match every term of a query, sorted.
fn strict(world: &World, query: &str) -> Vec<String> {
    let Some(expression) = prepare(query).strict else { return Vec::new() };
    let mut paths = found(world, &expression, &Filter::default());
    paths.sort();
    paths
}

fn fill(world: &World, numbers: std::ops::Range<u32>, text: &str) {
    numbers.for_each(|number| world.file(&format!("{number}.md"), text));
    world.sync();
}

#[test]
fn common_words_do_not_rank_all_pages() {
    let world = World::new("-- rare.md --\nheron\n");
    fill(&world, 0..300, "otter\n");
    let relaxed = |query: &str| {
        let expression = prepare(query).relaxed.unwrap();
        found(&world, &expression, &Filter::default())
    };
    assert_eq!(relaxed("heron otter"), ["rare.md"]);
    assert_eq!(relaxed("heron otter NOT badger"), ["rare.md"]);
    assert_eq!(relaxed("otter otters").len(), 300, "with common words only, they count");
    assert_eq!(strict(&world, "heron OR otter").len(), 301, "an explicit OR matches both");
}

/// Frequencies follow the current pages, whichever connection wrote them.
#[test]
fn words_are_common_while_most_pages_have_them() {
    let world = World::new("");
    let rare = Expression::AnyRare(["heron", "badger"].map(|word| Expression::Phrase(word.into())).to_vec());
    let matches = |world: &World| found(world, &rare, &Filter::default()).len();
    fill(&world, 0..90, "other words\n");
    fill(&world, 90..199, "heron\n");
    assert_eq!(matches(&world), 109, "a small vault is ranked completely");
    fill(&world, 0..150, "other words\n");
    fill(&world, 150..250, "heron\n");
    fill(&world, 250..251, "badger\n");
    assert_eq!(matches(&world), 101, "two of five pages have the word");
    fill(&world, 251..400, "heron\n");
    assert_eq!(matches(&world), 1, "most pages have the word now");
    (400..700).for_each(|number| world.file(&format!("{number}.md"), "other words\n"));
    let other = world.again();
    lore_engine::refresh(
        &other,
        lore_engine::Scope::Vault(lore_engine::ScanMode::Stat),
        &lore_ports::no_progress,
    )
    .unwrap();
    assert_eq!(matches(&world), 250, "another connection wrote more pages");
}

#[test]
fn unspaced_scripts_match_inside_sentences() {
    let world = World::synced(
        "-- zh.md --\n今天天气很好，我们去公园。\n-- ja.md --\n東京都の天気は晴れです\n-- ko.md --\n나는 학교에 갑니다\n\
         -- th.md --\nสวัสดีชาวโลก\n-- mixed.md --\n我的iPhone手机坏了\n-- titled.md --\n---\ntitle: 世界地図\n---\n\
         -- summary.md --\n---\nsummary: 銀河鉄道\naliases: [夜空]\ntags: [星座]\n---\n# 宇宙\n",
    );
    for (query, expected) in [
        ("天气", "zh.md"),
        ("天氣", ""),
        ("公园", "zh.md"),
        ("京都の天", "ja.md"),
        ("天", "ja.md zh.md"),
        ("气天", ""),
        ("학교", "ko.md"),
        ("ชาวโลก", "th.md"),
        ("iphone手机", "mixed.md"),
        ("iphone", "mixed.md"),
        ("世界", "titled.md"),
        ("河鉄", "summary.md"),
        ("夜空", "summary.md"),
        ("星座", "summary.md"),
        ("宇宙", "summary.md"),
        ("天气 公园", "zh.md"),
        ("\"天气很好\"", "zh.md"),
        ("天 NOT 公园", "ja.md"),
    ] {
        assert_eq!(strict(&world, query).join(" "), expected, "{query}");
    }
}

#[test]
fn queries_match_stems_prefixes_and_accents() {
    let world = World::synced(
        "-- run.md --\nShe runs every day\n-- name.md --\nJürgen aß Crème brûlée\n-- plain.md --\nJurgen in ASCII\n\
         -- node.md --\nthe node-js-tutorial for node.js\n-- hindi.md --\nयह हिन्दी भाषा है\n",
    );
    for (query, expected) in [
        ("running ", "run.md"),
        ("run", "run.md"),
        ("RUNS ", "run.md"),
        ("Jurgen", "name.md plain.md"),
        ("jürgen", "name.md plain.md"),
        ("JÜRGEN", "name.md plain.md"),
        ("ju\u{308}rgen", "name.md plain.md"),
        ("creme brulee", "name.md"),
        ("node-js", "node.md"),
        ("node.js", "node.md"),
        ("हिन्दी", "hindi.md"),
        ("हिन्", "hindi.md"),
        ("दी ", ""),
    ] {
        assert_eq!(strict(&world, query).join(" "), expected, "{query}");
    }
    let relaxed = prepare("हिन्दी zeppelin").relaxed.unwrap();
    assert_eq!(found(&world, &relaxed, &Filter::default()), ["hindi.md"]);
}

/// Each page has the stems of its language, and a query those of every language of the vault.
#[test]
fn queries_match_stems_of_the_language_of_each_page() {
    let world = World::synced(
        "-- de.md --\nDie alten Häuser der Stadt wurden nach dem großen Brand von den Bewohnern mit viel Mühe wieder \
         aufgebaut.\n\
         -- es.md --\nLa organización fue fundada por un grupo de ingenieros que querían mejorar el transporte público \
         de la ciudad.\n\
         -- en.md --\nThe houses of the city were built by a company that has grown since then.\n\
         -- declared.md --\n---\nlanguage: de\n---\nBäume\n",
    );
    for (query, expected) in [
        ("Haus ", "de.md"),
        ("Hauses ", "de.md"),
        ("organizaciones ", "es.md"),
        ("organizacion ", "es.md"),
        ("house ", "en.md"),
        ("cities ", "en.md"),
        ("Baum ", "declared.md"),
    ] {
        assert_eq!(strict(&world, query).join(" "), expected, "{query}");
    }
}

/// No row contains a NUL, which not every database can store.
#[test]
fn text_is_stored_without_nul() {
    let world = World::synced(
        "-- nul.md --\n---\ntitle: a\0b\n---\n# One\0two\n\n- [fact\0or] some\0thing\n- knows [[A\0da]]\n",
    );
    let (store, project) = (world.context.store(), world.context.project());
    let rows = store.list(project, &Filter::default(), lore_ports::Order::Title, ALL).unwrap();
    let pages = [rows[0].number];
    let stored = format!(
        "{rows:?} {:?} {:?} {:?} {:?}",
        store.links(project, &lore_ports::LinkFilter::From(&pages)).unwrap(),
        store.statements(project, &Default::default()).unwrap(),
        store.lookup(project, &lore_ports::NameQuery::Exact(&["a b"])).unwrap(),
        store.chunks_of(project, &pages).unwrap(),
    );
    assert!(rows[0].title == "a b" && !stored.contains("\\0"), "{stored}");
}

#[test]
fn no_user_input_is_an_error() {
    let world = World::synced("-- a.md --\ncats and dogs\n");
    let long = "cats ".repeat(2000);
    let ask = |query: &str, filter: &Filter| {
        let prepared = prepare(query);
        for expression in prepared.strict.iter().chain(&prepared.relaxed) {
            found(&world, expression, filter);
        }
    };
    for query in [
        "\"",
        "\"\"",
        "'",
        "cats\" OR \"dogs",
        "title:cats",
        "{title} : x",
        "cats*",
        "*",
        "^cats",
        "NEAR(a b, 2)",
        "a AND",
        "NOT",
        "NOT NOT a",
        "OR OR",
        "((",
        "cats )",
        "-cats",
        "+cats",
        "a:b:c",
        "\0",
        "cats\0dogs",
        "\u{feff}",
        "%_",
        "; DROP TABLE page; --",
        "\\",
        "💥",
        "Ⓐ cats",
        "e\u{301}\u{301}",
        "filter : 91",
        &long,
    ] {
        ask(query, &Filter::default());
    }
    assert_eq!(strict(&world, "and\0dogs"), ["a.md"]);
    let mut runner = TestRunner::new(Config {
        cases: 200,
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..Config::default()
    });
    let typed = "([a-z\"'*^():{}+\\-\\\\.~ \0]|AND |OR |NOT |NEAR|世|é|Ⓐ){0,24}";
    runner
        .run(&typed, |query| {
            let filter =
                Filter { title: Some(query.clone()), slug_match: Some(query.clone()), ..Default::default() };
            ask(&query, &Filter::default());
            ask(&query, &filter);
            Ok(())
        })
        .unwrap();
}
