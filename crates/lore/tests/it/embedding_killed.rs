//! Embedding that is killed or breaks off: what was embedded stays, what waits is counted, and the next run goes on from
//! there.

use std::sync::atomic::{AtomicUsize, Ordering};

use lore_engine::fault::EMBEDDED;
use serde_json::json;

use crate::asking::{ask, notes, set};
use crate::embedding_trouble::{MODEL, embedded, listed};
use crate::sandbox::{Ran, Sandbox};
use crate::stand_in::{DIMENSIONS, StandIn, ok, vectors};

/// Chunks that are embedded together.
const ROUND: u64 = 128;

/// Pages of so many sections in all, each a chunk of its own.
fn write_sections(sandbox: &Sandbox, count: u64) {
    for page in 0..count.div_ceil(100) {
        let sections = (page * 100..count.min(page * 100 + 100)).map(|number| {
            format!("## Section {number}\n\nThis is said about the thing with the number {number}.\n\n")
        });
        sandbox.write(&format!("long-{page}.md"), sections.collect::<String>());
    }
}

/// The model that answers, and how many chunks wait for it.
fn status(sandbox: &Sandbox) -> (String, u64) {
    let status = sandbox.run(&["status"]).ok().json();
    (
        status["model"].as_str().expect("a model").to_owned(),
        status["pending_embeddings"].as_u64().expect("a count"),
    )
}

fn killed(sandbox: &Sandbox, arguments: &[&str], point: &str) {
    let ran = sandbox.command(arguments).env("LORE_FAULT", point).output().expect("it starts");
    Ran::from(ran).exits(-6);
}

#[test]
fn a_run_that_is_killed_goes_on_where_it_was() {
    let (sandbox, stand_in) = embedded();
    write_sections(&sandbox, 300);
    killed(&sandbox, &["embed"], EMBEDDED);
    let first = stand_in.texts();
    assert_eq!((first.len() as u64, status(&sandbox)), (ROUND, (MODEL.to_owned(), 300 - ROUND)));
    let answer = ask(&sandbox, "hybrid", "number 299");
    assert!(notes(&answer).contains("172 chunks are not embedded yet"), "{answer}");
    assert!(notes(&answer).contains("run `lore embed`"), "{answer}");
    sandbox.run(&["validate", "--embeddings"]).ok();
    stand_in.requests();
    let done = sandbox.run(&["embed"]).ok().json();
    assert_eq!((&done["embedded"], &done["pending"], &done["chunks"]), (&json!(172), &json!(0), &json!(302)));
    let second = stand_in.texts();
    assert_eq!(second.len(), 172);
    assert!(second.iter().all(|text| !first.contains(text)), "nothing is embedded twice");
    assert_eq!(ask(&sandbox, "hybrid", "number 299")["notes"], json!([]));
    killed(&sandbox, &["embed", "--all"], &format!("{EMBEDDED}:2"));
    assert_eq!(status(&sandbox).1, 302 - 2 * ROUND);
    assert_eq!(sandbox.run(&["embed"]).ok().json()["embedded"], 302 - 2 * ROUND);
    sandbox.run(&["validate", "--all"]).ok();
}

#[test]
fn a_sync_that_is_killed_while_it_embeds_is_finished_by_the_next_command() {
    let sandbox = Sandbox::with_vault();
    write_sections(&sandbox, 200);
    killed(&sandbox, &["sync"], EMBEDDED);
    let waiting = sandbox.run(&["--no-sync", "status"]).ok().json();
    assert_eq!(waiting["pending_embeddings"], 200 - ROUND);
    sandbox.run(&["validate", "--embeddings"]).ok();
    assert_eq!(status(&sandbox), ("wordllama-256".to_owned(), 0));
    sandbox.run(&["validate", "--all"]).ok();
}

#[test]
fn a_change_of_models_that_breaks_off_leaves_the_old_one_and_goes_on_later() {
    let stand_in = StandIn::start();
    let sandbox = Sandbox::with_vault();
    write_sections(&sandbox, 200);
    set(&sandbox, "embedding.ollama", &stand_in.base);
    let before = ask(&sandbox, "hybrid", "number 150");
    let asked = AtomicUsize::new(0);
    stand_in.answer_with(move |request| {
        // The first round is two requests.
        let well = request.texts() == ["word"] || asked.fetch_add(1, Ordering::SeqCst) < 2;
        Some(if well { vectors(&request.texts(), DIMENSIONS) } else { ok("out of order") })
    });
    sandbox.run(&["model", "use", MODEL]).exits(5).says(&stand_in.base).says("gave an invalid answer");
    assert_eq!(
        (status(&sandbox).0, ask(&sandbox, "hybrid", "number 150")),
        ("wordllama-256".to_owned(), before)
    );
    assert_eq!(listed(&sandbox, MODEL)[0]["pending"], 200 - ROUND);
    sandbox.run(&["validate", "--embeddings"]).ok();
    stand_in.recover();
    killed(&sandbox, &["model", "use", MODEL], EMBEDDED);
    assert_eq!(status(&sandbox).0, "wordllama-256", "it answers only when all is embedded");
    assert_eq!(sandbox.run(&["model", "use", MODEL]).ok().json()["embedded"], 0, "the last round was kept");
    assert_eq!(status(&sandbox), (MODEL.to_owned(), 0));
}
