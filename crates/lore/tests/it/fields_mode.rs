//! Search by fields: its order is fixed, but what holds, what is dated later, the matching line and the budget count
//! as in every other mode.

use serde_json::Value;

use crate::sandbox::Sandbox;
use crate::search_support::{hit, slugs, vault};

#[track_caller]
fn ask(sandbox: &Sandbox, question: &str, more: &[&str]) -> Value {
    sandbox.run(&[&["query", question, "--mode", "fields", "--json"][..], more].concat()).ok().json()
}

fn shown(answer: &Value, slug: &str) -> String {
    let passages = hit(answer, slug)["passages"].as_array().expect("passages").iter();
    passages.map(|passage| passage["text"].as_str().expect("a text")).collect::<Vec<_>>().join("\n")
}

#[test]
fn successor_takes_the_place_of_what_it_supersedes() {
    let sandbox = vault(&[
        ("a.md", "# Tide gauge\n\nThe tide gauge is read hourly.\n"),
        ("b.md", "# Sensor\n\n- supersedes [[a]]\n\nContinuous.\n"),
        ("c.md", "# Tide\n\nTide gauge things.\n"),
        ("d.md", "# Harbour\n\nThere is a tide.\n"),
    ]);
    for question in ["tide gauge", "how often is the tide gauge read"] {
        let answer = ask(&sandbox, question, &[]);
        assert_eq!(slugs(&answer), ["b", "c", "a", "d"], "{question}: {answer}");
        assert_eq!(hit(&answer, "a")["status"], "superseded");
        assert!(hit(&answer, "b")["why"].to_string().contains("supersedes a"), "{answer}");
        assert_eq!(shown(&answer, "b"), "Continuous.", "{answer}");
    }
    assert_eq!(slugs(&ask(&sandbox, "what was the tide gauge before", &[]))[0], "a");
}

#[test]
fn page_that_is_over_comes_after_one_that_holds() {
    let sandbox = vault(&[
        ("a.md", "---\nstatus: archived\n---\n# Awning\n\nThe awning is striped.\n"),
        ("b.md", "# Awning\n\nThe awning is plain.\n"),
    ]);
    for question in ["awning", "what does the awning look like"] {
        let answer = ask(&sandbox, question, &[]);
        assert_eq!(slugs(&answer), ["b", "a"], "{question}: {answer}");
        assert_ne!(answer["verdict"], "nothing");
    }
}

#[test]
fn what_is_dated_later_is_left_out() {
    let page =
        |day: &str, text: &str| format!("---\ncreated: {day}\n---\n# Oven\n\nThe oven brand is {text}\n");
    let sandbox = vault(&[
        ("a.md", page("2019-01-01", "Neff.\n\n---\n\n- **2021-01-01** | shop — The oven brand is Bosch.")),
        ("b.md", page("2023-01-01", "Miele.\n\n- supersedes [[a]]")),
    ]);
    let then = ask(&sandbox, "oven brand", &["--as-of", "2020-01-01", "--depth", "full"]);
    assert_eq!(slugs(&then), ["a"], "{then}");
    assert!(shown(&then, "a").contains("Neff") && !then.to_string().contains("Bosch"), "{then}");
    assert_eq!(slugs(&ask(&sandbox, "oven brand", &[])), ["b", "a"]);
}

#[test]
fn matching_line_is_shown() {
    let filler = "The cellar has shelves and jars.\n\n".repeat(40);
    let text = format!("# Cellar\n\n{filler}The barometer was repaired by Lindqvist.\n");
    let sandbox = vault(&[("cellar.md", text)]);
    for depth in ["auto", "list", "summary", "section", "full"] {
        let answer = ask(&sandbox, "barometer Lindqvist", &["--depth", depth]);
        assert!(shown(&answer, "cellar").contains("Lindqvist"), "{depth}: {answer}");
    }
}

#[test]
fn budget_is_a_ceiling() {
    let page = |number: usize| {
        let text = format!("# Plan {number}\n\nThe plan number {number} is about roofs and gutters.\n");
        (format!("p{number}.md"), text)
    };
    let sandbox = vault(&(0..40).map(page).collect::<Vec<_>>());
    for (budget, depth) in
        [("200", "auto"), ("200", "list"), ("500", "auto"), ("500", "list"), ("1000", "full")]
    {
        let answer = ask(&sandbox, "plan roofs", &["--token-budget", budget, "--depth", depth]);
        let tokens = lore_embed::count_tokens(&answer.to_string());
        assert!(tokens <= budget.parse().expect("a number"), "{budget} {depth}: {tokens}");
        assert!(answer["hits"][0]["passages"].to_string().contains("roofs"), "{budget} {depth}: {answer}");
        assert!(answer["left_out"].as_u64() > Some(0), "{budget} {depth}: {answer}");
    }
}
