//! The two rules of a hybrid answer, whatever the embeddings say: a page whose name is the query ranks first, and the
//! only page with every word ranks no lower than in lexical search.

use serde_json::Value;

use crate::sandbox::Sandbox;
use crate::search_support::{TRANSFORMER, has_reason, hit, query_all, rank, set, slugs, vault};

const FUSIONS: [&str; 3] = ["weighted", "union", "rrf"];

/// A name in all its spellings, its page, and the reason shown for a match.
struct Name {
    page: &'static str,
    kind: &'static str,
    written: &'static [&'static str],
}

const NAMES: &[Name] = &[
    Name {
        page: "pipes",
        kind: "exact title match",
        written: &["Zen Garden", "zen garden", "ZEN GARDEN", "  zen   Garden ", "zEN\tgARDEN"],
    },
    Name {
        page: "pipes",
        // In slug form it may match the title or an alias.
        kind: "exact alias match",
        written: &[
            "Zen Garden!",
            "zen-garden",
            "zen garden?",
            "\"Zen Garden\"",
            "“zen garden”",
            "(zen garden)",
        ],
    },
    Name {
        page: "pipes",
        kind: "exact alias match",
        written: &[
            "Dr. Strange-Love",
            "dr. strange-love",
            "DR STRANGE LOVE",
            "dr strange-love?",
            "Dr. Strange Love.",
        ],
    },
    Name {
        page: "pipes",
        kind: "exact alias match",
        written: &["CAFÉ ÉTOILE", "café étoile", "cafe etoile"],
    },
    Name {
        page: "ops/runbook-7",
        kind: "exact slug match",
        written: &["ops/runbook-7", "OPS/Runbook-7", "ops/runbook 7", "memory://ops/runbook-7"],
    },
    Name { page: "ops/runbook-7", kind: "exact slug match", written: &["ops/runbook-7.md"] },
    Name {
        page: "ops/runbook-7",
        kind: "exact title match",
        written: &["What's new (2024)?", "what's NEW (2024)?"],
    },
    Name {
        page: "ops/runbook-7",
        kind: "exact alias match",
        written: &["whats new 2024", "What’s new, 2024"],
    },
];

/// Creates two pages whose text has nothing to do with their names, and others that are all about the names.
fn named_pages() -> Sandbox {
    let mut pages = vec![
        (
            "pipes.md".to_owned(),
            "---\ntitle: Zen Garden\naliases: [Dr. Strange-Love, Café Étoile]\n---\nInvoices of the plumber.\n".to_owned(),
        ),
        ("ops/runbook-7.md".to_owned(), "---\ntitle: What's new (2024)?\n---\nMilk and eggs.\n".to_owned()),
    ];
    let decoys = [
        "The zen garden: raked gravel in a zen garden, stones of a zen garden, and what a Zen garden means.",
        "Dr. Strange-Love is a film about Dr. Strange-Love; Strange Love, dr, strange, love.",
        "The runbook of ops: runbook 7 of ops, ops/runbook-7 explained, and how to run a runbook.",
        "What is new in 2024: all that's new, the new things of 2024, what's new.",
        "Café Étoile, the café of the étoile: a cafe under a star, cafe etoile.",
    ];
    for (number, text) in decoys.iter().enumerate() {
        pages.push((format!("decoy-{number}.md"), format!("# About {number}\n\n{text}\n\n{text}\n")));
    }
    vault(&pages)
}

/// Asserts that every spelling of every name finds its page first.
#[track_caller]
fn names_are_first(sandbox: &Sandbox, mode: &str) {
    let questions: Vec<&str> = NAMES.iter().flat_map(|name| name.written).copied().collect();
    let mut answers = query_all(sandbox, mode, &questions).into_iter();
    for Name { page, kind, written } in NAMES {
        for question in *written {
            let answer = answers.next().expect("one answer per question");
            assert_eq!(slugs(&answer)[0], *page, "{mode} {question:?}: {answer}");
            assert!(has_reason(&answer, page, kind), "{mode} {question:?}: {answer}");
        }
    }
}

#[test]
fn exact_name_ranks_first_in_every_fusion_and_mode() {
    let sandbox = named_pages();
    for mode in ["lexical", "semantic"] {
        names_are_first(&sandbox, mode);
    }
    for fusion in FUSIONS {
        set(&sandbox, "search.fusion", fusion);
        names_are_first(&sandbox, "hybrid");
    }
    sandbox.run(&["model", "use", TRANSFORMER]).ok();
    names_are_first(&sandbox, "hybrid");
}

#[test]
fn all_exact_names_rank_before_other_pages() {
    let sandbox = named_pages();
    sandbox.write("other.md", "---\ntitle: Other\naliases: [ZEN garden]\n---\nNails and screws.\n");
    sandbox.write("zen-garden.md", "---\ntitle: Third\n---\nBuckets.\n");
    for fusion in FUSIONS {
        set(&sandbox, "search.fusion", fusion);
        let answer = query_all(&sandbox, "hybrid", &["zen garden"]).remove(0);
        assert_eq!(slugs(&answer)[..3], ["zen-garden", "pipes", "other"], "slug, title, alias: {answer}");
        assert!(slugs(&answer).len() > 3, "{answer}");
    }
}

/// A deterministic random number generator.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }
}

const WORDS: [&str; 60] = [
    "river",
    "stone",
    "lantern",
    "copper",
    "winter",
    "harvest",
    "signal",
    "engine",
    "marble",
    "violin",
    "orchard",
    "compass",
    "thunder",
    "velvet",
    "anchor",
    "candle",
    "desert",
    "falcon",
    "garnet",
    "hammer",
    "island",
    "jungle",
    "kettle",
    "ladder",
    "meadow",
    "needle",
    "ocean",
    "pepper",
    "quartz",
    "ribbon",
    "saddle",
    "temple",
    "umbrella",
    "valley",
    "walnut",
    "yarrow",
    "zephyr",
    "basket",
    "cactus",
    "dragon",
    "ember",
    "feather",
    "glacier",
    "honey",
    "ivory",
    "jasmine",
    "kingdom",
    "lagoon",
    "magnet",
    "nectar",
    "opal",
    "parrot",
    "quiver",
    "raven",
    "co-op",
    "node.js",
    "x86-64",
    "café",
    "東京",
    "2024-03-01",
];

/// Returns forty pages of random words, some of them long, with the words of each.
fn random_pages(random: &mut Random) -> Vec<(String, Vec<&'static str>)> {
    let page = |number: usize| {
        let length = if number.is_multiple_of(4) { 60 } else { 6 + random.below(12) };
        let words = (0..length).map(|_| WORDS[random.below(WORDS.len())]).collect();
        (format!("page-{number:02}"), words)
    };
    (0..40).map(page).collect()
}

/// Returns questions of two to five words that only one page contains in full, with that page.
fn questions(pages: &[(String, Vec<&'static str>)], random: &mut Random) -> Vec<(String, String)> {
    let mut found = Vec::new();
    while found.len() < 24 {
        let (slug, words) = &pages[random.below(pages.len())];
        let mut chosen: Vec<&str> =
            (0..2 + random.below(4)).map(|_| words[random.below(words.len())]).collect();
        chosen.sort_unstable();
        chosen.dedup();
        let has_all = |words: &[&str]| chosen.iter().all(|word| words.contains(word));
        if chosen.len() > 1 && pages.iter().filter(|(_, words)| has_all(words)).count() == 1 {
            found.push((chosen.join(" "), slug.clone()));
        }
    }
    found
}

#[test]
fn page_with_every_word_ranks_no_lower_than_in_lexical_search() {
    let mut random = Random(7);
    let pages = random_pages(&mut random);
    let cases = questions(&pages, &mut random);
    let files: Vec<(String, String)> =
        pages.iter().map(|(slug, words)| (format!("{slug}.md"), format!("{}.\n", words.join(" ")))).collect();
    let sandbox = vault(&files);
    let texts: Vec<&str> = cases.iter().map(|(question, _)| question.as_str()).collect();
    let lexical = query_all(&sandbox, "lexical", &texts);
    let semantic = query_all(&sandbox, "semantic", &texts);
    let below = |answers: &[Value]| {
        let places = answers.iter().zip(&lexical).zip(&cases);
        places.filter(|((answer, words), (_, page))| rank(answer, page) > rank(words, page)).count()
    };
    assert!(below(&semantic) > 0, "semantic search alone must rank some of them lower");
    for fusion in FUSIONS {
        set(&sandbox, "search.fusion", fusion);
        let hybrid = query_all(&sandbox, "hybrid", &texts);
        for ((answer, words), (question, page)) in hybrid.iter().zip(&lexical).zip(&cases) {
            let (found, at_most) = (rank(answer, page), rank(words, page));
            assert!(
                found.is_some() && found <= at_most,
                "{fusion} {question:?}: {page} {found:?} > {at_most:?}"
            );
            assert!(has_reason(answer, page, "all words"), "{fusion} {question:?}: {}", hit(answer, page));
        }
    }
}
