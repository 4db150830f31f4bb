//! Questions that are empty, very long or in a script the model does not support.

use serde_json::json;

use crate::sandbox::Sandbox;
use crate::search_support::{TRANSFORMER, notes, query_all, slugs, vault};

fn pages() -> Sandbox {
    let sandbox = vault(&[
        ("bread.md", "# Bread\n\nKnead the dough and bake it in a hot oven.\n"),
        ("gou.md", "# 狗\n\n狗的训练需要耐心。\n"),
        ("kalb.md", "# كلب\n\nتدريب الكلاب يحتاج إلى الصبر.\n"),
        ("sobaka.md", "# Собака\n\nДрессировка собак требует терпения.\n"),
        ("smile.md", "# Smile\n\nOnly \u{1f436}\u{1f415} here.\n"),
    ]);
    sandbox.run(&["model", "use", TRANSFORMER]).ok();
    sandbox
}

#[test]
fn empty_question_is_refused() {
    let sandbox = pages();
    for question in ["", " ", "\t\n ", "\u{a0}\u{2003}"] {
        for mode in ["hybrid", "lexical", "semantic", "fields"] {
            sandbox
                .run(&["query", question, "--mode", mode])
                .exits(2)
                .says("the question is empty")
                .says("\nhint: ");
        }
    }
}

#[test]
fn question_in_an_unsupported_script_is_lexical() {
    let sandbox = pages();
    let questions = [("狗的训练", "gou"), ("تدريب الكلاب", "kalb"), ("дрессировка собак", "sobaka")];
    for model in ["wordllama-256", TRANSFORMER] {
        sandbox.run(&["model", "use", model]).ok();
        for mode in ["hybrid", "semantic"] {
            let answers = query_all(&sandbox, mode, &questions.map(|(question, _)| question));
            for (answer, (question, page)) in answers.iter().zip(questions) {
                assert_eq!(
                    (&answer["mode"], slugs(answer)),
                    (&json!("lexical"), vec![page]),
                    "{model} {question}"
                );
                assert!(notes(answer).contains("does not support the query's script"), "{model}: {answer}");
            }
        }
    }
}

#[test]
fn question_of_symbols_or_emoji_is_lexical() {
    let sandbox = pages();
    let questions = ["\u{1f436}\u{1f415}", "\u{1f436}", "?!…", "***", "→"];
    for model in ["wordllama-256", TRANSFORMER] {
        sandbox.run(&["model", "use", model]).ok();
        for mode in ["hybrid", "semantic"] {
            for (answer, question) in query_all(&sandbox, mode, &questions).iter().zip(questions) {
                assert_eq!(
                    (&answer["mode"], slugs(answer)),
                    (&json!("lexical"), vec![]),
                    "{model} {question}: {answer}"
                );
                assert!(notes(answer).contains("using full-text search"), "{model} {question}: {answer}");
            }
        }
    }
}

#[test]
fn page_with_an_emoji_alias_is_found() {
    let sandbox = pages();
    sandbox.write("dogs.md", "---\naliases: [\"\u{1f436}\"]\n---\nKennel.\n");
    let answer = query_all(&sandbox, "hybrid", &["\u{1f436}"]).remove(0);
    assert_eq!(slugs(&answer), ["dogs"], "{answer}");
}

#[test]
fn question_of_one_megabyte_is_answered() {
    let sandbox = vault(&[("bread.md", "# Bread\n\nKnead the dough and bake it in a hot oven.\n")]);
    sandbox.run(&["model", "use", TRANSFORMER]).ok();
    let many = "oven ".repeat(200_000);
    let long = format!("oven\u{0}{}", "x".repeat(1 << 18));
    for answer in query_all(&sandbox, "hybrid", &[many, long]) {
        assert_eq!((&answer["mode"], slugs(&answer)), (&json!("hybrid"), vec!["bread"]));
    }
    let foreign = format!("烤箱{}", "面".repeat(350_000));
    let answer = query_all(&sandbox, "semantic", &[foreign]).remove(0);
    assert_eq!((&answer["mode"], slugs(&answer)), (&json!("lexical"), vec![]));
}
