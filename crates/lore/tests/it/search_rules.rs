//! The two rules of a hybrid answer, whatever meaning says: a page that is called as the question says is first, and a
//! page that alone has every word of it stands no lower than it would by words.

use serde_json::Value;

use crate::asking::{TRANSFORMER, ask_all, because, hit, rank, set, slugs, vault};
use crate::sandbox::Sandbox;

const FUSIONS: [&str; 3] = ["weighted", "union", "rrf"];

/// A name in all the ways it may be written, the page it is of, and what kind of name it is.
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
        // In the form of a slug it may be the title's or an alias's.
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

/// Two pages that have names and nothing else in common with them, and others that are all about the names.
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

/// Asks for every name in every way it may be written.
#[track_caller]
fn names_are_first(sandbox: &Sandbox, mode: &str) {
    let questions: Vec<&str> = NAMES.iter().flat_map(|name| name.written).copied().collect();
    let mut answers = ask_all(sandbox, mode, &questions).into_iter();
    for Name { page, kind, written } in NAMES {
        for question in *written {
            let answer = answers.next().expect("an answer to each");
            assert_eq!(slugs(&answer)[0], *page, "{mode} {question:?}: {answer}");
            assert!(because(&answer, page, kind), "{mode} {question:?}: {answer}");
        }
    }
}

#[test]
fn a_page_that_is_called_so_is_first_in_every_fusion_and_mode() {
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
fn several_pages_that_are_called_so_are_all_before_the_others() {
    let sandbox = named_pages();
    sandbox.write("other.md", "---\ntitle: Other\naliases: [ZEN garden]\n---\nNails and screws.\n");
    sandbox.write("zen-garden.md", "---\ntitle: Third\n---\nBuckets.\n");
    for fusion in FUSIONS {
        set(&sandbox, "search.fusion", fusion);
        let answer = ask_all(&sandbox, "hybrid", &["zen garden"]).remove(0);
        assert_eq!(slugs(&answer)[..3], ["zen-garden", "pipes", "other"], "slug, title, alias: {answer}");
        assert!(slugs(&answer).len() > 3, "{answer}");
    }
}

/// Numbers that are the same at every run.
struct Dice(u64);

impl Dice {
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

/// Forty pages of words that were drawn, some of them long, and the words of each.
fn drawn_pages(dice: &mut Dice) -> Vec<(String, Vec<&'static str>)> {
    let page = |number: usize| {
        let length = if number.is_multiple_of(4) { 60 } else { 6 + dice.below(12) };
        let words = (0..length).map(|_| WORDS[dice.below(WORDS.len())]).collect();
        (format!("page-{number:02}"), words)
    };
    (0..40).map(page).collect()
}

/// Questions of two to five words that are all in exactly one page, with it.
fn questions(pages: &[(String, Vec<&'static str>)], dice: &mut Dice) -> Vec<(String, String)> {
    let mut found = Vec::new();
    while found.len() < 24 {
        let (slug, words) = &pages[dice.below(pages.len())];
        let mut asked: Vec<&str> = (0..2 + dice.below(4)).map(|_| words[dice.below(words.len())]).collect();
        asked.sort_unstable();
        asked.dedup();
        let has_all = |words: &[&str]| asked.iter().all(|word| words.contains(word));
        if asked.len() > 1 && pages.iter().filter(|(_, words)| has_all(words)).count() == 1 {
            found.push((asked.join(" "), slug.clone()));
        }
    }
    found
}

#[test]
fn the_page_with_every_word_is_no_lower_than_by_words_alone() {
    let mut dice = Dice(7);
    let pages = drawn_pages(&mut dice);
    let asked = questions(&pages, &mut dice);
    let files: Vec<(String, String)> =
        pages.iter().map(|(slug, words)| (format!("{slug}.md"), format!("{}.\n", words.join(" ")))).collect();
    let sandbox = vault(&files);
    let texts: Vec<&str> = asked.iter().map(|(question, _)| question.as_str()).collect();
    let lexical = ask_all(&sandbox, "lexical", &texts);
    let semantic = ask_all(&sandbox, "semantic", &texts);
    let below = |answers: &[Value]| {
        let places = answers.iter().zip(&lexical).zip(&asked);
        places.filter(|((answer, words), (_, page))| rank(answer, page) > rank(words, page)).count()
    };
    assert!(below(&semantic) > 0, "meaning alone would put some of them lower");
    for fusion in FUSIONS {
        set(&sandbox, "search.fusion", fusion);
        let hybrid = ask_all(&sandbox, "hybrid", &texts);
        for ((answer, words), (question, page)) in hybrid.iter().zip(&lexical).zip(&asked) {
            let (found, at_most) = (rank(answer, page), rank(words, page));
            assert!(
                found.is_some() && found <= at_most,
                "{fusion} {question:?}: {page} {found:?} > {at_most:?}"
            );
            assert!(because(answer, page, "all words"), "{fusion} {question:?}: {}", hit(answer, page));
        }
    }
}
