//! `doctor`: a diagnosis with fixes.

mod installation;
mod org_lint;

use clap::Args;
use lore_engine::{
    Access, Check, FileProblems, Level, OnEdited, Policy, VaultContext, broken_links, duplicate_ids,
    file_problems, git_state, lint, reach_remote, validate, verbs, without_scheme,
};
use lore_memory::curation_due;
use lore_memory::retention::raw_size;
use lore_vault::git::Repo;
use lore_vault::{Scan, VaultPath, hidden_pages, is_dir, scan, without_extension};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::error::Result;
use crate::app::hints::hint;
use crate::app::session::Session;
use crate::app::shell::quote;
use crate::app::trust::{Judgement, Trust};
use crate::ops::line::Line;
use crate::ops::upkeep::git::GitView;
use crate::ops::{Operation, Render};

/// Diagnose the vault, index and setup
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore doctor\n  lore doctor --path journal/agent")]
pub struct Doctor {
    /// Explain which policy rule applies to this path and what it allows
    #[arg(long, value_name = "PATH")]
    #[serde(default)]
    path: Option<String>,
}

/// Output of `doctor`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Diagnosis {
    findings: Vec<DiagnosisItem>,
}

/// The result of one check.
#[derive(Debug, Serialize, JsonSchema)]
struct DiagnosisItem {
    /// `ok`, `note` or `problem`.
    state: &'static str,
    what: String,
    /// How to fix it.
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<String>,
}

impl Operation for Doctor {
    const NAME: &'static str = "doctor";
    const MACHINE: bool = true;
    type Output = Diagnosis;

    fn run(self, session: &Session) -> Result<Diagnosis> {
        if let Some(path) = &self.path {
            return Ok(Diagnosis { findings: explain(session.context()?, path)? });
        }
        let mut findings = Vec::new();
        findings.push(ok(format!("configuration: {}", session.environment.config_file.display())));
        findings.push(ok(format!("database: {}", session.database()?.display())));
        match session.fresh() {
            Ok(context) => {
                findings.push(trust(context));
                check_vault(context, &mut findings)?;
            }
            Err(failure) => findings.push(problem(failure.message, &failure.hint)),
        }
        if let Ok(context) = session.context() {
            findings.extend(installation::check_tools(session, context)?);
            check_git(context, &mut findings);
            findings.extend(installation::check_timers(session));
        }
        findings.extend(installation::check_clients(session));
        for (name, root) in session.projects().roots {
            if let Judgement::Untrusted(why) = Trust::load(&session.environment)?.judge(&root) {
                let what = format!("the project {name} is not trusted: {why}");
                let fix = format!(
                    "if you trust its author, run `lore trust {}`",
                    quote(&root.display().to_string())
                );
                findings.push(note(what, &fix));
            }
            if !is_dir(&root) {
                let what = format!("the directory of project {name} is missing: {}", root.display());
                findings.push(problem(what, &format!("restore it, or run `lore project remove {name}`")));
            }
        }
        findings.extend(session.warnings().into_iter().map(|warning| note(warning, "no data is lost")));
        for fix in findings.iter_mut().filter_map(|finding| finding.fix.as_mut()) {
            *fix = session.hint(fix);
        }
        Ok(Diagnosis { findings })
    }
}

fn check_vault(context: &VaultContext, findings: &mut Vec<DiagnosisItem>) -> Result<()> {
    let (store, project) = (context.store(), context.project());
    let counts = store.counts(project)?;
    findings.push(ok(format!("vault: {} ({} pages)", context.vault().root().display(), counts.pages)));
    let FileProblems { index: outdated, unreadable } = file_problems(context)?;
    // The last is about the index: links that lead nowhere are on the pages, and are counted below.
    let found = [
        ("database: no damage", validate(context, Check::Database)?),
        ("index: matches the files", outdated),
        ("index of links: matches the pages", validate(context, Check::Links)?),
    ];
    for (none, problems) in found {
        if problems.is_empty() {
            findings.push(ok(none.to_owned()));
        }
        let fix =
            "run `lore sync --full`; if that does not help, move the database file aside and run `lore sync`";
        findings.extend(problems.into_iter().map(|what| problem(what, fix)));
    }
    findings.extend(unreadable.values().map(|what| {
        problem(
            what.clone(),
            "give this user permission to read it; until then, its last indexed text is used",
        )
    }));
    let Scan { skipped, .. } = scan(context.vault());
    for one in skipped {
        let path = if one.path.is_empty() { "a file".into() } else { one.path };
        findings.push(note(
            format!("{path} is not indexed: {}", one.reason),
            "rename or move it, or list it in .loreignore",
        ));
    }
    let hidden = hidden_pages(context.vault());
    if hidden > 0 {
        let what = format!("{hidden} hidden files skipped");
        findings.push(note(what, "rename them if they are pages"));
    }
    for what in duplicate_ids(context)? {
        findings.push(note(what, "change the id of one of them, or delete it"));
    }
    let failures = store.failures(project)?;
    for failure in failures.into_iter().filter(|failure| !unreadable.contains_key(&failure.path)) {
        let what = format!("{} cannot be indexed: {}", failure.path, failure.reason);
        findings.push(problem(what, "fix the file; it is retried when it changes"));
    }
    if counts.diagnosed > 0 {
        let what = format!(
            "{} page{} with parse warnings",
            counts.diagnosed,
            if counts.diagnosed == 1 { "" } else { "s" }
        );
        findings.push(note(what, "run `lore show REF` to see them"));
    }
    let broken = broken_links(context, None, None)?.len();
    if broken > 0 {
        let what = format!("{broken} broken link{}", if broken == 1 { "" } else { "s" });
        findings.push(note(what, "run `lore lint` to see them"));
    }
    check_lint(context, findings)?;
    check_embeddings(context, findings)
}

/// Reports how far the vault is trusted.
fn trust(context: &VaultContext) -> DiagnosisItem {
    match context.access() {
        Access::Full => ok("trust: full".into()),
        Access::ReadOnly => note(
            "trust: for reading only".into(),
            &format!(
                "to write to it and show it to agents, run `lore trust {}`",
                quote(&context.vault().root().display().to_string())
            ),
        ),
    }
}

/// Checks semantic search: the model and the pending chunks.
fn check_embeddings(context: &VaultContext, findings: &mut Vec<DiagnosisItem>) -> Result<()> {
    let Some(row) = context.active_model()? else {
        let what = "search: lexical, no embedding model".to_owned();
        let fix = "run `lore model pull all-MiniLM-L6-v2`, then `lore model use all-MiniLM-L6-v2`";
        findings.push(note(what, fix));
        return Ok(());
    };
    let name = &row.identity.name;
    match context.embedder(&row) {
        Ok(_) => findings.push(ok(format!("search: hybrid, {name}"))),
        Err(reason) => findings.push(problem(
            format!("semantic search does not work: {reason}"),
            "run `lore model list`, then choose one with `lore model use`; full-text search still works",
        )),
    }
    let pending = context.store().count_pending(context.project(), row.number)?;
    if pending > 0 {
        findings.push(note(format!("{pending} chunks to embed"), "run `lore embed`"));
    }
    Ok(())
}

/// Explains what the policy says about a path.
fn explain(context: &VaultContext, path: &str) -> Result<Vec<DiagnosisItem>> {
    let policy = context.policy();
    let safe = VaultPath::parse(without_scheme(path))?.into_string();
    let mut findings = Vec::new();
    let path = match policy.alias(&safe) {
        Some(now) => {
            findings.push(ok(format!("{safe} is an old name of {now}")));
            now
        }
        None => safe,
    };
    let allowed = verbs(&policy.allowed(&path));
    match policy.rule(&path) {
        Some(rule) => {
            findings.push(ok(format!("rule: {}", rule.name())));
            findings.push(ok(format!("allowed: {allowed}")));
            findings.push(ok(format!("owner: {}", rule.owner.name())));
            if let Some(schema) = rule.schema() {
                findings.push(ok(format!("schema: {schema}")));
            }
            let retention =
                rule.keep.map_or_else(|| daily_retention(&policy, &path), |keep| keep.to_string());
            findings.push(ok(format!("retention: {retention}")));
            if rule.edited == OnEdited::Revision {
                findings.push(ok("a write after a foreign edit is added as a revision".into()));
            }
        }
        None => findings.push(ok(format!("no rule matches {path}; allowed: {allowed}"))),
    }
    findings.push(ok(format!("type: {}", policy.type_of(&path))));
    if !policy.indexes(&path) {
        findings.push(ok("excluded from the index".into()));
    }
    let stem = without_extension(&path);
    if policy.inject.iter().any(|file| without_extension(&file.path) == stem) {
        findings.push(ok("injected into every agent's context".into()));
    }
    if policy.generated.iter().any(|generated| generated.path.matches(&path)) {
        findings.push(ok("generated by Lore, as a whole or between markers".into()));
    }
    Ok(findings)
}

/// Returns the retention of a file to which no `keep` rule applies.
fn daily_retention(policy: &Policy, path: &str) -> String {
    let stem = without_extension(path);
    match &policy.rotate {
        Some(rotate) if without_extension(&rotate.today) == stem => {
            format!("until the daily rollover at {:02}:00", rotate.day_begins.get_ref())
        }
        Some(rotate) if without_extension(&rotate.yesterday) == stem => {
            "until the next daily rollover".into()
        }
        _ => "forever".into(),
    }
}

/// Checks the repository and whether the remote can be reached.
fn check_git(context: &VaultContext, findings: &mut Vec<DiagnosisItem>) {
    if context.access() == Access::ReadOnly {
        return;
    }
    let view = match git_state(context) {
        Ok(state) => GitView::new(state),
        Err(error) => return findings.push(problem(error.to_string(), &hint(&error))),
    };
    if let Some(why) = Repo::problem(context.vault().root()) {
        return findings.push(problem(why, "remove it, or replace it by the vault's own repository"));
    }
    match view.line() {
        None => findings
            .push(note("the vault is not in a git repository".into(), "run `git init` to keep a history")),
        Some(line) => findings.push(ok(line)),
    }
    for (warning, fix) in view.warnings().iter().zip(view.fixes()) {
        findings.push(problem(warning.clone(), fix));
    }
    findings.extend(installation::check_privacy(context));
    if let Err(message) = reach_remote(context) {
        findings.push(note(message, "writes continue locally and are pushed when the remote is reachable"));
    }
    if curation_due(context).unwrap_or(false) {
        let fix = "run `lore curate --dry-run`, then `lore curate --done`";
        findings.push(note("review due".into(), fix));
    }
    if let Some((files, bytes)) = raw_size(context) {
        findings.push(ok(format!("raw captures: {files} files, {bytes} bytes")));
    }
}

/// Reports lint errors, one line each.
fn check_lint(context: &VaultContext, findings: &mut Vec<DiagnosisItem>) -> Result<()> {
    let found = lint(context, None)?;
    let errors: Vec<_> = found.iter().filter(|found| found.level == Level::Error).collect();
    for error in errors.iter().take(5) {
        findings.push(problem(error.to_string(), "run `lore lint`"));
    }
    if errors.len() > 5 {
        findings.push(problem(format!("{} more errors", errors.len() - 5), "run `lore lint`"));
    }
    if errors.is_empty() {
        findings.push(ok("lint: no errors, no secrets".into()));
    }
    findings.extend(org_lint::compare(context, &found)?);
    Ok(())
}

fn ok(what: String) -> DiagnosisItem {
    DiagnosisItem { state: "ok", what, fix: None }
}

fn note(what: String, fix: &str) -> DiagnosisItem {
    DiagnosisItem { state: "note", what, fix: Some(fix.into()) }
}

fn problem(what: String, fix: &str) -> DiagnosisItem {
    DiagnosisItem { state: "problem", what, fix: Some(fix.into()) }
}

impl Render for Diagnosis {
    fn human(&self) -> String {
        let mut text = String::new();
        for finding in &self.findings {
            text.push_str(&format!("{:<7}  {}\n", finding.state, Line::from(finding.what.as_str())));
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
