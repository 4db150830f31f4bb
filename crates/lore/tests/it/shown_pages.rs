//! What an answer shows of pages that match: the words that matched, every page that a question names, the entry that
//! it asks for.

use serde_json::Value;

use crate::sandbox::Sandbox;
use crate::search_support::{notes, slugs, titled, vault};

const DEPTHS: [&str; 5] = ["auto", "list", "summary", "section", "full"];

/// Returns pages that have nothing to do with any question.
fn fillers() -> Vec<(String, String)> {
    let text = |number: usize| {
        format!(
            "# Page {number}\n\nThe chess circle plans honey jars and number {number} every second Thursday. The night shift photographs old lanterns before the holidays.\n"
        )
    };
    (0..30).map(|number| (format!("f{number}.md"), text(number))).collect()
}

fn with_fillers(pages: &[(&str, String)]) -> Sandbox {
    let mut all = fillers();
    all.extend(pages.iter().map(|(path, text)| ((*path).to_owned(), text.clone())));
    vault(&all)
}

#[track_caller]
fn ask(sandbox: &Sandbox, question: &str, depth: &str, budget: &str) -> Value {
    let arguments = ["query", question, "--depth", depth, "--token-budget", budget, "--json"];
    sandbox.run(&arguments).ok().json()
}

/// Returns the passages of the first hit with their headings.
fn first(answer: &Value) -> String {
    answer["hits"][0]["passages"].to_string()
}

#[test]
fn short_pages_that_a_question_names_are_shown() {
    let sandbox = with_fillers(&[
        ("p/1.md", titled("Liv Holm", "Beekeeper in Ystad.")),
        ("q/1.md", titled("Liv Holm", "Notary in Visby.")),
    ]);
    let answer = sandbox.run(&["query", "who is Liv Holm", "--json"]).ok().json();
    let shown = slugs(&answer)[..2].to_vec();
    assert!(shown.contains(&"p/1") && shown.contains(&"q/1"), "{answer}");
    assert!(answer.to_string().contains("Ystad") && answer.to_string().contains("Visby"), "{answer}");
}

#[test]
fn pages_far_more_confident_than_what_is_shown_are_shown_too() {
    let sandbox = with_fillers(&[
        ("r/soup.md", titled("Cedar soup", "Boil for an hour.")),
        ("r/bread.md", titled("Cedar bread", "Bake at 220.")),
        ("r/tea.md", titled("Cedar tea", "Steep.")),
    ]);
    for question in ["which cedar recipes do we have", "cedar"] {
        let answer = sandbox.run(&["query", question, "--json"]).ok().json();
        for page in ["r/soup", "r/bread", "r/tea"] {
            assert!(slugs(&answer).contains(&page), "{question} {page}: {answer}");
        }
    }
}

#[test]
fn alias_that_others_have_as_a_part_of_their_names_is_ambiguous() {
    let sandbox = vault(&[
        ("p/1.md", "---\ntitle: Karl Otto\naliases: [Kalle]\n---\nLives in Ulm.\n".to_owned()),
        ("p/2.md", titled("Kalle Berg", "Lives in Bonn.")),
        ("p/3.md", titled("Karl Kalle", "Lives in Kiel.")),
    ]);
    let answer = sandbox.run(&["query", "where does Kalle live", "--json"]).ok().json();
    assert!(notes(&answer).contains("\"kalle\" fits several pages: p/1, p/2, p/3"), "{answer}");
    assert_eq!(slugs(&answer).len(), 3, "{answer}");
}

#[test]
fn long_line_is_cut_around_the_words() {
    let (before, after) =
        ("the usual remarks about wind, ".repeat(80), "more remarks about clouds, ".repeat(80));
    let text = format!("# Log\n\n- {before}the anemometer froze at minus thirty, {after}\n");
    let sandbox = vault(&[("log.md", text)]);
    for depth in DEPTHS {
        for budget in ["200", "500"] {
            let answer = ask(&sandbox, "when did the anemometer freeze", depth, budget);
            assert!(first(&answer).contains("anemometer froze"), "{depth} {budget}: {answer}");
            assert!(first(&answer).contains('…'), "{depth} {budget}: {answer}");
        }
    }
    let found = sandbox.run(&["search", "anemometer", "--json"]).ok().json();
    let excerpt = found["hits"][0]["excerpt"]["text"].as_str().expect("an excerpt");
    assert!(excerpt.contains("anemometer froze") && excerpt.len() < 450, "{excerpt}");
}

#[test]
fn entry_of_two_lines_keeps_its_day_and_the_words() {
    let text = "# Move\n\n---\n\n- **2023-11-02** | visit — Saw three flats.\n  The one in Elisabethstrasse had a balcony facing south.\n  Rent 1,480 with heating.\n";
    let sandbox = vault(&[("move.md", text)]);
    for depth in DEPTHS {
        let answer = ask(&sandbox, "which flat had a balcony facing south", depth, "200");
        let shown = first(&answer);
        assert!(shown.contains("Elisabethstrasse") && shown.contains("2023-11-02"), "{depth}: {answer}");
    }
}

#[test]
fn section_of_a_heading_with_the_words_is_shown() {
    let filler = |from: usize| -> String {
        (from..from + 40).map(|number| format!("Paragraph {number} tells of cranes and tides.\n\n")).collect()
    };
    let (above, below) = (filler(0), filler(40));
    let text =
        format!("# Harbour\n\n{above}## The dredger Wilhelmina sank at berth seven\n\n{below}## Fees\n");
    let sandbox = vault(&[("harbour.md", text)]);
    for mode in ["hybrid", "lexical"] {
        for depth in DEPTHS {
            for budget in ["200", "1000"] {
                let question = "what happened to the dredger Wilhelmina";
                let arguments =
                    ["query", question, "--mode", mode, "--depth", depth, "--token-budget", budget, "--json"];
                let answer = sandbox.run(&arguments).ok().json();
                assert!(first(&answer).contains("sank at berth seven"), "{mode} {depth} {budget}: {answer}");
            }
        }
    }
}

#[test]
fn matching_property_is_shown_by_a_search() {
    let filler = "The cellar is cold and dry.\n\n".repeat(20);
    let head = "title: Cellar\ngrapes: [Tannat, Blaufränkisch]\nimporter:\n  name: Weinhaus Pfeifer";
    let org = ":PROPERTIES:\n:IMPORTER: Tonnellerie Radoux\n:END:\n#+title: Barrels\n\nOak.\n";
    let sandbox =
        vault(&[("wine.md", format!("---\n{head}\n---\n{filler}")), ("barrels.org", org.to_owned())]);
    for (query, expected) in [
        ("Blaufränkisch", "Blaufränkisch"),
        ("Weinhaus Pfeifer", "Weinhaus Pfeifer"),
        ("Radoux", "Radoux"),
        ("cellar dry", "The cellar is cold and dry."),
    ] {
        let found = sandbox.run(&["search", query, "--json"]).ok().json();
        let excerpt = found["hits"][0]["excerpt"]["text"].as_str().expect("an excerpt");
        assert!(excerpt.contains(expected), "{query}: {found}");
    }
}

/// Returns a page with an entry for each month of a year, and one with three years.
fn logs() -> Sandbox {
    let weights: String = (1..=12)
        .map(|month| format!("- **2025-{month:02}-01** | vet — Minka weighs 3.{month:02} kg.\n"))
        .collect();
    let hives = "- **2022-05-10** | visit — Hive two swarmed.\n- **2023-05-12** | visit — Hive five swarmed.\n- **2024-06-01** | visit — Hive one swarmed.\n";
    vault(&[
        ("cat.md", format!("# Minka\n\nA cat.\n\n---\n\n{weights}")),
        ("hives.md", format!("# Hives\n\n---\n\n{hives}")),
    ])
}

#[test]
fn newest_of_equal_entries_is_shown_first_unless_another_time_is_asked_for() {
    let sandbox = logs();
    for depth in DEPTHS {
        for budget in ["200", "1000"] {
            for (question, expected) in [
                ("how much does Minka weigh", "3.12 kg"),
                ("which hive swarmed first", "Hive two"),
                ("which hive swarmed last", "Hive one"),
                ("which hive swarmed before 2023", "Hive two"),
                ("which hive swarmed after 2023", "Hive one"),
                ("how much did Minka weigh in March 2025", "3.03 kg"),
            ] {
                let answer = ask(&sandbox, question, depth, budget);
                assert!(first(&answer).contains(expected), "{question} {depth} {budget}: {answer}");
            }
        }
    }
}

#[test]
fn whole_page_does_not_take_the_place_of_entries_that_were_chosen() {
    let entries = "- **2020-03-01** | vet — Rex weighs 20 kg.\n- **2024-03-01** | vet — Rex weighs 31 kg.\n";
    let sandbox = vault(&[("dog.md", format!("# Rex\n\nRex is a dog.\n\n---\n\n{entries}"))]);
    let shown = first(&sandbox.run(&["query", "how much does Rex weigh", "--json"]).ok().json());
    assert!(shown.contains("31 kg") && shown.contains("20 kg") && shown.contains("a dog"), "{shown}");
}
