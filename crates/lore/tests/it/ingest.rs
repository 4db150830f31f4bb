//! `lore ingest`: sources are imported once and byte for byte, together with their changes to pages, atomically.

mod atomicity;
mod pages;
mod sources;

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::sandbox::{Ran, Sandbox};

const ADA: &str = "---\naliases: [Ada]\n---\n# Ada Lovelace\n\n> Runs the anvil works.\n\n## State\nRuns the anvil works at the coast, and has done so since the old owner left for good.\n\n- is_ceo_of:: Acme {2018..} (by: agent)\n\n---\n\n## Timeline\n- **2024-01-02** | meeting/1 — Met her at the works\n";

/// Creates a `brain` vault with two pages.
fn brain() -> Sandbox {
    let sandbox = Sandbox::empty();
    sandbox.write("people/ada-lovelace.md", ADA);
    sandbox.write("companies/acme.md", "# Acme\n\nMakes anvils.\n");
    sandbox.run(&["init", "--profile", "brain", "--no-git"]).ok();
    sandbox
}

/// Writes a file outside the vault.
fn source(sandbox: &Sandbox, name: &str, bytes: impl AsRef<[u8]>) -> String {
    let path: PathBuf = sandbox.root.join(name);
    fs::write(&path, bytes).expect("a file");
    path.display().to_string()
}

fn ingest(sandbox: &Sandbox, payload: &Value) -> Ran {
    sandbox.pipe(&["ingest", "--json-payload", "-"], payload.to_string().as_bytes())
}

fn text(sandbox: &Sandbox, path: &str) -> String {
    String::from_utf8(sandbox.read(path)).expect("text")
}

fn imports(sandbox: &Sandbox) -> Value {
    sandbox.run(&["stats"]).ok().json()["imports"].clone()
}

fn version(sandbox: &Sandbox, page: &str) -> Value {
    sandbox.run(&["show", page]).ok().json()["version"].clone()
}

/// Evidence from one meeting about Ada.
fn evidence(version: u64) -> Value {
    json!({
        "slug": "people/ada-lovelace", "expected_version": version,
        "assertions": [{ "subject": "Ada Lovelace", "predicate": "lives_in", "object": "Porto", "valid_from": "2026",
                         "evidence_text": "I moved to Porto", "confidence": 0.9 }],
        "links": [{ "to": "Acme", "relationship": "runs", "valid_from": "2018-01" }],
        "timeline_entries": [{ "date": "2026-02-03", "summary": "Agreed to the pivot", "detail": "in writing" }],
        "tags": ["coast"],
    })
}
