//! Embedding that is killed or fails midway: finished chunks stay embedded, pending ones are counted, and the next
//! run resumes.

use std::sync::atomic::{AtomicUsize, Ordering};

use lore_vault::fault::EMBEDDED;
use serde_json::json;

use crate::embedding_errors::{MODEL, embedded, listed};
use crate::mock_server::{DIMENSIONS, MockServer, ok, vectors};
use crate::sandbox::{Ran, Sandbox};
use crate::search_support::{notes, query, set};

/// Number of chunks embedded in one batch.
const BATCH: u64 = 128;

/// Writes pages with this number of sections in total, each of which is one chunk.
fn write_sections(sandbox: &Sandbox, count: u64) {
    for page in 0..count.div_ceil(100) {
        let sections = (page * 100..count.min(page * 100 + 100)).map(|number| {
            format!("## Section {number}\n\nThis is said about the thing with the number {number}.\n\n")
        });
        sandbox.write(&format!("long-{page}.md"), sections.collect::<String>());
    }
}

/// Returns the active model and the number of pending chunks.
fn status(sandbox: &Sandbox) -> (String, u64) {
    let status = sandbox.run(&["status"]).ok().json();
    (
        status["model"].as_str().expect("a model").to_owned(),
        status["pending_embeddings"].as_u64().expect("a count"),
    )
}

fn run_killed_at(sandbox: &Sandbox, arguments: &[&str], point: &str) {
    let ran = sandbox.command(arguments).env("LORE_FAULT", point).output().expect("it starts");
    Ran::from(ran).exits(-6);
}

#[test]
fn killed_embed_resumes() {
    let (sandbox, server) = embedded();
    write_sections(&sandbox, 300);
    run_killed_at(&sandbox, &["embed"], EMBEDDED);
    let first = server.texts();
    assert_eq!((first.len() as u64, status(&sandbox)), (BATCH, (MODEL.to_owned(), 300 - BATCH)));
    let answer = query(&sandbox, "hybrid", "number 299");
    assert!(notes(&answer).contains("172 chunks are not embedded yet"), "{answer}");
    assert!(notes(&answer).contains("run `lore embed`"), "{answer}");
    sandbox.run(&["validate", "--embeddings"]).ok();
    server.requests();
    let done = sandbox.run(&["embed"]).ok().json();
    assert_eq!((&done["embedded"], &done["pending"], &done["chunks"]), (&json!(172), &json!(0), &json!(302)));
    let second = server.texts();
    assert_eq!(second.len(), 172);
    assert!(second.iter().all(|text| !first.contains(text)), "nothing is embedded twice");
    assert_eq!(query(&sandbox, "hybrid", "number 299")["notes"], json!([]));
    run_killed_at(&sandbox, &["embed", "--all"], &format!("{EMBEDDED}:2"));
    assert_eq!(status(&sandbox).1, 302 - 2 * BATCH);
    assert_eq!(sandbox.run(&["embed"]).ok().json()["embedded"], 302 - 2 * BATCH);
    sandbox.run(&["validate", "--all"]).ok();
}

#[test]
fn killed_sync_is_finished_by_the_next_command() {
    let sandbox = Sandbox::with_vault();
    write_sections(&sandbox, 200);
    run_killed_at(&sandbox, &["sync"], EMBEDDED);
    let waiting = sandbox.run(&["--no-sync", "status"]).ok().json();
    assert_eq!(waiting["pending_embeddings"], 200 - BATCH);
    sandbox.run(&["validate", "--embeddings"]).ok();
    assert_eq!(status(&sandbox), ("wordllama-256".to_owned(), 0));
    sandbox.run(&["validate", "--all"]).ok();
}

#[test]
fn failed_model_switch_keeps_the_old_model_and_resumes() {
    let server = MockServer::start();
    let sandbox = Sandbox::with_vault();
    write_sections(&sandbox, 200);
    set(&sandbox, "embedding.ollama", &server.base);
    let before = query(&sandbox, "hybrid", "number 150");
    let attempts = AtomicUsize::new(0);
    server.answer_with(move |request| {
        // The first batch takes two requests.
        let healthy = request.texts() == ["word"] || attempts.fetch_add(1, Ordering::SeqCst) < 2;
        Some(if healthy { vectors(&request.texts(), DIMENSIONS) } else { ok("out of order") })
    });
    sandbox.run(&["model", "use", MODEL]).exits(5).says(&server.base).says("gave an invalid answer");
    assert_eq!(
        (status(&sandbox).0, query(&sandbox, "hybrid", "number 150")),
        ("wordllama-256".to_owned(), before)
    );
    assert_eq!(listed(&sandbox, MODEL)[0]["pending"], 200 - BATCH);
    sandbox.run(&["validate", "--embeddings"]).ok();
    server.recover();
    run_killed_at(&sandbox, &["model", "use", MODEL], EMBEDDED);
    assert_eq!(status(&sandbox).0, "wordllama-256", "the model is used only once everything is embedded");
    assert_eq!(sandbox.run(&["model", "use", MODEL]).ok().json()["embedded"], 0, "the last batch was kept");
    assert_eq!(status(&sandbox), (MODEL.to_owned(), 0));
}
