//! `test`: checks the vault's own expectations.

mod text;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;
use lore_engine::{Action, Code, Error, PageChange, VaultContext, write};
use lore_vault::{VaultPath, exists, make_folder, write_passing};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::app::error::{AppError, Result};
use crate::app::session::Session;
use crate::expectations::{
    Case, Expectation, ExpectationKind, FILE, Fact, NewQuestion, Question, add, junit, read,
};
use crate::ops::line::Line;
use crate::ops::views::WriteResult;
use crate::ops::{self, Operation};

/// Larger than any answer, so that no expected hit is cut by the budget.
const BUDGET: usize = 1_000_000;

/// Run the vault's tests
///
/// Tests are in `expectations.toml` in the vault: `[[question]]` with `ask`, `page` and `top`, `[[fact]]` with
/// `subject`, `predicate`, `value` and `as_of`; `not` names a page or value that must not be returned. They run as in
/// `lore query` and `lore facts`. Exits with 0 if all pass, with 1 if one fails.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  lore test\n  lore test --junit target/lore.xml\n  lore test --add \"who reads the contract first?\" concepts/heat-purchase-agreement --top 3\n  lore test --add \"what does it cost now?\" notes/old-prices --not"
)]
pub struct Test {
    /// Add a question to the file instead: REF must answer it
    #[arg(long, value_name = "QUESTION", requires = "reference", conflicts_with = "junit")]
    #[serde(default)]
    add: Option<String>,
    /// Page that must answer the question
    #[arg(value_name = "REF", requires = "add")]
    #[serde(default)]
    reference: Option<String>,
    /// Number of first hits that must contain the page
    #[arg(long, value_name = "K", requires = "add")]
    #[serde(default)]
    top: Option<usize>,
    /// The page must not be among the hits
    #[arg(long, requires = "add")]
    #[serde(default)]
    not: bool,
    /// Write a JUnit XML report to this file
    #[arg(long, value_name = "FILE")]
    #[serde(skip)]
    junit: Option<PathBuf>,
}

/// Output of `test`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Tested {
    /// The tests ran.
    Ran(Run),
    /// A question was added.
    Added(WriteResult),
}

/// The result of a run.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Run {
    /// Results in the order of the file.
    results: Vec<Outcome>,
    passed: usize,
    failed: usize,
    /// File with the expectations.
    path: Line,
}

/// The result of one expectation.
#[derive(Debug, Serialize, JsonSchema)]
struct Outcome {
    name: String,
    /// `question` or `fact`.
    kind: &'static str,
    /// Line in the file.
    line: usize,
    passed: bool,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<String>,
    #[serde(skip)]
    time: Duration,
}

impl Operation for Test {
    const NAME: &'static str = "test";
    const WRITES: bool = true;
    type Output = Tested;

    fn run(self, session: &Session) -> Result<Tested> {
        let context = session.fresh()?;
        if let Some(ask) = &self.add {
            return self.add_to(context, ask).map(Tested::Added);
        }
        let run = run(session, context)?;
        if let Some(file) = &self.junit {
            let file = session.path(file);
            make_folder(file.parent().unwrap_or(Path::new(".")))?;
            write_passing(&file, run.junit(context.name()).as_bytes())?;
        }
        Ok(Tested::Ran(run))
    }
}

impl Test {
    fn add_to(&self, context: &VaultContext, ask: &str) -> Result<WriteResult> {
        if ask.trim().is_empty() || self.top == Some(0) {
            return Err(AppError::usage(
                "the question is empty or --top is 0",
                "pass a question, and a --top of 1 or more",
            ));
        }
        let reference = self.reference.as_deref().ok_or_else(|| {
            AppError::usage(
                "no page given",
                "pass the page that must answer, as in `lore test --add QUESTION REF`",
            )
        })?;
        let page = context.page(reference)?;
        let new = NewQuestion { ask, page: &page.slug, not: self.not, top: self.top };
        let edit = |text: &str| {
            read(text).map_err(|error| config_error(context, &error))?;
            add(text, &new).map_err(|error| config_error(context, &(1, error.message().to_owned())))
        };
        let (action, expected_version) = match exists(&context.vault().root().join(FILE)) {
            true => (Action::Edit(Box::new(edit)), None),
            false => (Action::Put(edit("")?.into_bytes()), Some(0)),
        };
        let change = PageChange { path: VaultPath::known(FILE.to_owned()), action, expected_version };
        Ok(WriteResult::new(write(context, &[change])?))
    }
}

fn run(session: &Session, context: &VaultContext) -> Result<Run> {
    let text = context.vault().read(FILE, u64::MAX)?.ok_or_else(|| {
        AppError::usage(
            format!("{} has no {FILE}", context.vault().root().display()),
            "add one with `lore test --add QUESTION REF`",
        )
    })?;
    let text = String::from_utf8_lossy(&text.bytes).into_owned();
    let expectations = read(&text).map_err(|error| AppError::from(config_error(context, &error)))?;
    let (total, top) = (expectations.expected.len(), expectations.top);
    let progress = session.talk.progress("Testing");
    let mut results = Vec::with_capacity(total);
    for (number, expectation) in expectations.expected.into_iter().enumerate() {
        progress(number, total)?;
        let outcome = run_expectation(session, context, &expectation, top)
            .map_err(|failure| failure.at(format!("{FILE}:{}", expectation.line)))?;
        results.push(outcome);
    }
    session.talk.finish();
    let passed = results.iter().filter(|outcome| outcome.passed).count();
    Ok(Run { passed, failed: results.len() - passed, results, path: FILE.to_owned().into() })
}

/// Checks one expectation. An error of the vault ends the run; a missing page does not.
fn run_expectation(
    session: &Session,
    context: &VaultContext,
    expectation: &Expectation,
    top: usize,
) -> Result<Outcome> {
    let started = Instant::now();
    let (kind, failures) = match &expectation.kind {
        ExpectationKind::Question(question) => {
            ("question", check_question(session, context, question, question.top.unwrap_or(top))?)
        }
        ExpectationKind::Fact(fact) => ("fact", check_fact(session, fact)?),
    };
    let failure = Some(failures.join("\n")).filter(|failure| !failure.is_empty());
    Ok(Outcome {
        name: expectation.name(),
        kind,
        line: expectation.line,
        passed: failure.is_none(),
        failure,
        time: started.elapsed(),
    })
}

/// Runs a question as `lore query` does. The mode is passed explicitly, so that a test records no gap.
fn check_question(
    session: &Session,
    context: &VaultContext,
    question: &Question,
    top: usize,
) -> Result<Vec<String>> {
    let mut input = json!({
        "question": question.ask,
        "limit": top,
        "mode": question.mode.as_deref().unwrap_or("hybrid"),
        "depth": "summary",
        "token_budget": BUDGET,
    });
    if let Some(day) = &question.as_of {
        input["as_of"] = day.as_str().into();
    }
    let hits = strings(&answer(session, "query", input)?, "hits", "slug");
    let found = if hits.is_empty() { "nothing found".into() } else { format!("found: {}", hits.join(", ")) };
    let mut failures = Vec::new();
    for page in &question.page {
        match slug(context, page)? {
            None => failures.push(format!("no page {page:?}")),
            Some(slug) if !hits.contains(&slug) => {
                failures.push(format!("{slug} is not in the first {top} hits; {found}"))
            }
            Some(_) => {}
        }
    }
    for page in &question.not {
        if let Some(slug) = slug(context, page)?.filter(|slug| hits.contains(slug)) {
            failures.push(format!("{slug} must not be in the first {top} hits; {found}"));
        }
    }
    Ok(failures)
}

/// Queries a fact as `lore facts` does.
fn check_fact(session: &Session, fact: &Fact) -> Result<Vec<String>> {
    let mut input = json!({ "subject": fact.subject, "predicate": fact.predicate });
    if let Some(day) = &fact.as_of {
        input["as_of"] = day.as_str().into();
    }
    let values = strings(&answer(session, "facts", input)?, "facts", "object");
    let same = |one: &str, other: &str| one.trim().eq_ignore_ascii_case(other.trim());
    let has = |expected: &str| values.iter().any(|value| same(value, expected));
    let found = if values.is_empty() { "it has none".into() } else { format!("it is {}", values.join(", ")) };
    let missing = fact
        .value
        .iter()
        .filter(|value| !has(value))
        .map(|value| format!("the value is not {value}; {found}"));
    let wrong = fact
        .not
        .iter()
        .filter(|value| has(value))
        .map(|value| format!("the value must not be {value}; {found}"));
    Ok(missing.chain(wrong).collect())
}

fn answer(session: &Session, operation: &str, input: Value) -> Result<Value> {
    Ok(ops::run(operation, input, session)?.json())
}

fn strings(answer: &Value, list: &str, field: &str) -> Vec<String> {
    let items = answer.get(list).and_then(Value::as_array).into_iter().flatten();
    items.filter_map(|item| item.get(field).and_then(Value::as_str)).map(str::to_owned).collect()
}

fn slug(context: &VaultContext, page: &str) -> Result<Option<String>> {
    match context.page(page) {
        Ok(page) => Ok(Some(page.slug)),
        Err(error) if error.code() == Code::NotFound => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn config_error(context: &VaultContext, (line, message): &(usize, String)) -> Error {
    let path = context.vault().root().join(FILE);
    Error::Config { path, line: Some(*line), message: message.clone() }
}

impl Run {
    fn junit(&self, project: &str) -> String {
        let cases: Vec<Case> = self
            .results
            .iter()
            .map(|outcome| Case {
                name: &outcome.name,
                kind: outcome.kind,
                line: outcome.line,
                failure: outcome.failure.as_deref(),
                time: outcome.time,
            })
            .collect();
        junit(project, &self.path, &cases)
    }
}
