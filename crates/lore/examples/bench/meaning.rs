//! Measures semantic search: embedding, a query from a cold process, queries in one process, memory.

use std::fs;
use std::io::{BufRead, Write};
use std::path::Path;
use std::time::Duration;

use super::vault::{self, Dice};
use super::{Bench, QUERIES, mega, milli, peak_memory, pipe, process_cpu, report};

/// The built-in model.
pub(super) const STATIC: &str = "wordllama-256";

/// The preferred transformer, used when installed.
const TRANSFORMER: &str = "all-MiniLM-L6-v2";

/// Measures queries with the static model, and with the transformer too if `all` is set.
pub(super) fn questions(bench: &Bench, folder: &Path, all: bool) {
    let mut models = vec![STATIC];
    models.extend(all.then_some(TRANSFORMER));
    for model in models {
        let bench = with_model(bench, folder, model);
        bench.run(&["sync"]);
        let cost = bench.run(&["embed"]);
        report(&format!("embed, {model}"), &cost, &format!("{} chunks", chunks(&bench)));
        let question = question(&mut Dice::new(11));
        report(
            &format!("cold query, {model}"),
            &bench.median(&["query", &question]),
            "freshness scan included",
        );
        for mode in ["lexical", "semantic", "hybrid"] {
            warm(&bench, model, mode);
        }
    }
}

/// Measures queries on a vault of a million chunks: 20 short sections on each of 50,000 pages.
pub(super) fn million(bench: &Bench, folder: &Path) {
    let root = folder.join("million");
    write_sections(&root, 50_000, 20);
    let many = Bench { root, ..with_model(bench, folder, STATIC) };
    many.run(&["project", "add", "million", many.root.to_str().expect("UTF-8")]);
    report("cold sync, a million chunks", &many.run(&["sync"]), "50,000 pages");
    report("embed, a million chunks", &many.run(&["embed"]), &format!("{} chunks", chunks(&many)));
    for mode in ["lexical", "semantic", "hybrid"] {
        warm(&many, STATIC, mode);
    }
}

/// Returns the same vault with a separate `LORE_HOME` per model.
pub(super) fn with_model(bench: &Bench, folder: &Path, model: &str) -> Bench {
    Bench {
        lore: bench.lore.clone(),
        home: folder.join(format!("home-{model}")),
        root: bench.root.clone(),
        model: Some(model.to_owned()),
    }
}

/// Returns the number of chunks that `lore stats` reports.
fn chunks(bench: &Bench) -> u64 {
    let output = bench.command(&["stats", "--json"]).stdout(std::process::Stdio::piped()).output();
    let stats: serde_json::Value = serde_json::from_slice(&output.expect("lore stats").stdout).expect("JSON");
    stats["chunks"].as_u64().expect("a count of chunks")
}

fn question(dice: &mut Dice) -> String {
    let mut word = || vault::word(dice.below(4096));
    format!("what did they say about the {} and {} of {}", word(), word(), word())
}

fn warm(bench: &Bench, model: &str, mode: &str) {
    let (mut child, mut input, mut output) = pipe(bench);
    let mut dice = Dice::new(5);
    let mut ask = || {
        let line = serde_json::json!({ "tool": "query", "input": { "question": question(&mut dice), "mode": mode } });
        writeln!(input, "{line}").expect("a question");
        let mut answer = String::new();
        output.read_line(&mut answer).expect("an answer");
        assert!(answer.contains("\"result\""), "{answer}");
    };
    (0..10).for_each(|_| ask());
    let before = process_cpu(child.id());
    (0..QUERIES).for_each(|_| ask());
    let spent: Duration = process_cpu(child.id()) - before;
    let peak = peak_memory(child.id());
    drop(input);
    child.wait().expect("lore pipe ends");
    println!(
        "{:<28} {:.2} ms CPU per query in one process, {model}; peak memory {:.0} MB",
        format!("query, {mode}"),
        milli(spent) / QUERIES as f64,
        mega(peak),
    );
}

fn write_sections(root: &Path, pages: usize, sections: usize) {
    for number in 0..pages {
        let folder = root.join(format!("part-{:03}", number / 500));
        fs::create_dir_all(&folder).expect("a folder");
        let mut dice = Dice::new(number as u64 + 77);
        let mut text = format!("# Page {number}\n");
        for section in 0..sections {
            let words: Vec<String> = (0..14).map(|_| vault::word(dice.skewed(4096))).collect();
            text.push_str(&format!("\n## Part {section}\n\n{}.\n", words.join(" ")));
        }
        fs::write(folder.join(format!("page-{number}.md")), text).expect("a page");
    }
}
