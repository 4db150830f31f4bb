//! `doctor`: diagnosis with fixes.

use clap::Args;
use lore_engine::vault::{Scan, hidden_pages, scan};
use lore_engine::{Check, Memory, duplicate_ids, validate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Operation, Render};
use crate::failure::Result;
use crate::session::Session;

/// Look for what is wrong with the vault, the index and the set-up, and say how to mend it
#[derive(Debug, Args, Deserialize, JsonSchema)]
pub struct Doctor {}

/// A diagnosis.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Diagnosis {
    findings: Vec<Finding>,
}

/// One thing that was looked at.
#[derive(Debug, Serialize, JsonSchema)]
struct Finding {
    /// `ok`, `note` or `problem`.
    state: &'static str,
    what: String,
    /// How to mend it.
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<String>,
}

impl Operation for Doctor {
    const NAME: &'static str = "doctor";
    type Output = Diagnosis;

    fn run(self, session: &Session) -> Result<Diagnosis> {
        let mut findings = Vec::new();
        findings.push(ok(format!("configuration: {}", session.environment.config_file.display())));
        findings.push(ok(format!("database: {}", session.database()?.display())));
        match session.fresh() {
            Ok(memory) => look_at(memory, &mut findings)?,
            Err(failure) => findings.push(problem(failure.message, &failure.hint)),
        }
        for (name, root) in session.config.projects().roots {
            if !root.is_dir() {
                let what = format!("the directory of project {name} is gone: {}", root.display());
                findings.push(problem(what, &format!("put it back, or run `lore project remove {name}`")));
            }
        }
        findings.extend(session.warnings().into_iter().map(|warning| note(warning, "nothing is lost")));
        Ok(Diagnosis { findings })
    }
}

fn look_at(memory: &Memory, findings: &mut Vec<Finding>) -> Result<()> {
    let (store, project) = (memory.store(), memory.project());
    let counts = store.counts(project)?;
    findings.push(ok(format!("vault: {} ({} pages)", memory.vault().root().display(), counts.pages)));
    for name in [Check::Database, Check::Files, Check::Links] {
        let problems = validate(memory, name)?;
        if problems.is_empty() {
            findings.push(ok(format!("checked: {} sound", name.name())));
        }
        let fix = "run `lore sync --full`; if that does not help, move the database away and sync again";
        findings.extend(problems.into_iter().map(|what| problem(what, fix)));
    }
    let Scan { skipped, .. } = scan(memory.vault());
    for one in skipped {
        let path = if one.path.is_empty() { "a file".into() } else { one.path };
        findings.push(note(
            format!("{path} is not indexed: {}", one.reason),
            "rename or move it, or list it in .loreignore",
        ));
    }
    let hidden = hidden_pages(memory.vault());
    if hidden > 0 {
        let what = format!(
            "{hidden} page files are hidden (a name in their path starts with a dot) and not indexed"
        );
        findings.push(note(what, "rename them if they are pages"));
    }
    for what in duplicate_ids(memory)? {
        findings.push(note(what, "give one of them another id, or remove it"));
    }
    for failure in store.failures(project)? {
        let what = format!("{} cannot be indexed: {}", failure.path, failure.reason);
        findings.push(problem(what, "mend the file; it is tried again when it changes"));
    }
    if counts.diagnosed > 0 {
        let what = format!("{} pages have something odd about their text", counts.diagnosed);
        findings.push(note(what, "see the warnings of `lore show REF`"));
    }
    if counts.pending > 0 {
        let what = format!("{} links lead to pages that are not there yet", counts.pending);
        findings.push(note(what, "write those pages, or see `lore links REF`"));
    }
    findings.push(ok("search: lexical, this build has no embedding model".into()));
    Ok(())
}

fn ok(what: String) -> Finding {
    Finding { state: "ok", what, fix: None }
}

fn note(what: String, fix: &str) -> Finding {
    Finding { state: "note", what, fix: Some(fix.into()) }
}

fn problem(what: String, fix: &str) -> Finding {
    Finding { state: "problem", what, fix: Some(fix.into()) }
}

impl Render for Diagnosis {
    fn human(&self) -> String {
        let mut text = String::new();
        for finding in &self.findings {
            text.push_str(&format!("{:<7}  {}\n", finding.state, finding.what));
            if let Some(fix) = &finding.fix {
                text.push_str(&format!("         fix: {fix}\n"));
            }
        }
        text
    }

    fn exit(&self) -> u8 {
        if self.findings.iter().all(|finding| finding.state != "problem") { 0 } else { 5 }
    }
}
