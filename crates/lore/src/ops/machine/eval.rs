//! `eval`: retrieval quality on a labelled set.

mod paired;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use lore_engine::{
    Author, ContextParts, NoHooks, ScanMode, Scope, SearchRequest, VaultContext, embed_pending, refresh,
    search,
};
use lore_ports::{Filter, no_progress};
use lore_vault::{TemporaryFolder, make_folder, read_text, write_passing};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::access::Reach;
use crate::app::error::{AppError, Result};
use crate::app::session::Session;
use crate::eval::{
    Document, EvalQuestion, LostPoints, Measures, Rankings, Runs, Scores, Set, lost_points, percentile,
};
use crate::ops::search::request::{Mode, request};
use crate::ops::{Operation, Render};

/// Number of hits per question, as in `lore query`.
const RESULT_LIMIT: usize = 10;

/// Measure retrieval quality on a labelled set
///
/// DIR contains `queries.jsonl` (`_id`, `text`, and optionally `scope` and `candidates`), `qrels.tsv` (query-id,
/// corpus-id, score, after a header line) and `corpus.jsonl` (`_id`, `title`, `text`, `scope`). The documents become
/// the pages of temporary vaults, one per scope, and every question runs as in `lore query`. Without `corpus.jsonl` the
/// questions run against your own vault, and the answers are slugs.
///
/// With --paired, every question is asked twice: in a vault with its answers and in one without. The report shows how
/// well the confidence separates the two (AUROC), and how often the verdict is wrong: `answered` without an answer, or
/// `nothing` with one.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  lore eval sets/scifact\n  lore eval questions --mode hybrid --json\n  lore eval sets/locomo_turns --work /tmp/eval --limit 200\n  lore eval sets/scifact --paired"
)]
pub struct Eval {
    /// Directory of the set
    folder: String,
    /// Only this mode [default: lexical, semantic and hybrid]
    #[arg(long, value_enum)]
    #[serde(default)]
    mode: Option<Mode>,
    /// Maximum number of questions
    #[arg(long)]
    #[serde(default)]
    limit: Option<usize>,
    /// Keep the vaults and vectors here, to reuse them in the next run
    #[arg(long, value_name = "DIR")]
    #[serde(default)]
    work: Option<String>,
    /// List the questions that lost points since the previous run with the same --work
    #[arg(long)]
    #[serde(default)]
    explain: bool,
    /// Measure how reliably questions without an answer are recognized
    #[arg(long)]
    #[serde(default)]
    paired: bool,
}

/// Output of `eval`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Evaluation {
    /// Name of the set.
    set: String,
    /// Number of pages.
    documents: usize,
    /// Number of questions.
    questions: usize,
    /// Embedding model, if there is one.
    model: Option<String>,
    modes: Vec<ModeResult>,
    /// Questions that lost points since the previous run, worst first; with `explain` only.
    #[serde(skip_serializing_if = "Option::is_none")]
    lost: Option<Vec<LostPoints>>,
    /// How well questions without an answer are recognized, with `paired`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    paired: Vec<paired::Recognition>,
}

/// Results of one mode.
#[derive(Debug, Serialize, JsonSchema)]
struct ModeResult {
    mode: Mode,
    #[serde(flatten)]
    measures: Measures,
    /// Median latency in milliseconds.
    p50_ms: f64,
    p95_ms: f64,
    p99_ms: f64,
}

impl Operation for Eval {
    const NAME: &'static str = "eval";
    const MACHINE: bool = true;
    // It reads and writes the directories that it is given.
    const REACH: Reach = Reach::ChangesMachine;
    type Output = Evaluation;

    fn run(self, session: &Session) -> Result<Evaluation> {
        let folder = session.environment.here.clone().unwrap_or_default().join(&self.folder);
        let mut set = Set::read(&folder)?;
        set.questions.truncate(self.limit.unwrap_or(usize::MAX));
        let name = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let eval_folder = EvalFolder::new(session, self.work.as_deref(), &name)?;
        if self.paired {
            return paired::measure(session, &eval_folder, set, name, self.mode);
        }
        let vaults = match set.documents.is_empty() {
            true => HashMap::from([(String::new(), EvaluatedVault::of_user(session)?)]),
            false => eval_folder.vaults(session, "vault", &set.documents)?,
        };
        let models = vaults.values().map(|vault| vault.context().active_model());
        let model = models.collect::<lore_engine::Result<Vec<_>>>()?.into_iter().flatten().next();
        let modes = match self.mode {
            Some(mode) => vec![mode],
            None if model.is_none() => vec![Mode::Lexical],
            None => vec![Mode::Lexical, Mode::Semantic, Mode::Hybrid],
        };
        let mut runs = self.runs(&eval_folder)?;
        let (mut measured, mut lost) = (Vec::new(), Vec::new());
        for mode in modes {
            let (result, rankings) = measure(session, &set, &vaults, mode)?;
            let before = runs.record(mode.name(), &rankings);
            if self.explain {
                lost.extend(lost_points(mode.name(), &set, &before, &rankings));
            }
            measured.push(result);
        }
        if self.work.is_some() {
            runs.write(&eval_folder.folder)?;
        }
        lost.sort_by(|a, b| (a.now - a.before).total_cmp(&(b.now - b.before)));
        Ok(Evaluation {
            lost: self.explain.then_some(lost),
            set: name,
            documents: set.documents.values().map(Vec::len).sum(),
            questions: set.questions.len(),
            model: model.map(|row| row.identity.name),
            modes: measured,
            paired: Vec::new(),
        })
    }
}

impl Eval {
    /// Reads the previous run of a set.
    fn runs(&self, folder: &EvalFolder) -> Result<Runs> {
        if self.explain && self.work.is_none() {
            return Err(AppError::usage(
                "--explain compares with the previous run, which is kept only with --work",
                "pass --work DIR, the same in both runs",
            ));
        }
        let runs = Runs::read(&folder.folder)?;
        if self.explain && runs.is_empty() {
            return Err(AppError::usage(
                format!("there is no previous run in {}", folder.folder.display()),
                "run `lore eval` with this --work once without --explain, then change something and compare",
            ));
        }
        Ok(runs)
    }
}

/// A vault to query, with the names its pages have in the set.
struct EvaluatedVault<'a> {
    context: EvalContext<'a>,
    /// From slug to id; empty if they are the same.
    ids: HashMap<String, String>,
}

enum EvalContext<'a> {
    Created(Box<VaultContext>),
    User(&'a VaultContext),
}

impl<'a> EvaluatedVault<'a> {
    fn of_user(session: &'a Session) -> Result<EvaluatedVault<'a>> {
        Ok(EvaluatedVault { context: EvalContext::User(session.fresh()?), ids: HashMap::new() })
    }

    fn context(&self) -> &VaultContext {
        match &self.context {
            EvalContext::Created(context) => context,
            EvalContext::User(context) => context,
        }
    }

    fn id(&self, slug: &str) -> String {
        self.ids.get(slug).cloned().unwrap_or_else(|| slug.to_owned())
    }

    /// Returns the slugs of the candidate documents of a question.
    fn slugs(&self, ids: &[String]) -> Vec<String> {
        if self.ids.is_empty() {
            return ids.to_vec();
        }
        let ids_set: HashSet<&str> = ids.iter().map(String::as_str).collect();
        self.ids
            .iter()
            .filter(|(_, id)| ids_set.contains(id.as_str()))
            .map(|(slug, _)| slug.clone())
            .collect()
    }
}

/// Directory in which the vaults of a set are created.
struct EvalFolder {
    folder: PathBuf,
    /// Deletes the directory when dropped, unless the user keeps it.
    _temporary: Option<TemporaryFolder>,
}

impl EvalFolder {
    fn new(session: &Session, work_folder: Option<&str>, set: &str) -> Result<EvalFolder> {
        match work_folder {
            Some(work_folder) => {
                let folder = session.environment.here.clone().unwrap_or_default().join(work_folder).join(set);
                Ok(EvalFolder { folder, _temporary: None })
            }
            None => {
                let temporary = TemporaryFolder::new("lore-eval")?;
                Ok(EvalFolder { folder: temporary.path().to_owned(), _temporary: Some(temporary) })
            }
        }
    }

    /// Creates a vault for each scope, indexed and embedded.
    fn vaults<'a>(
        &self,
        session: &Session,
        prefix: &str,
        scopes: &BTreeMap<String, Vec<Document>>,
    ) -> Result<HashMap<String, EvaluatedVault<'a>>> {
        let all: usize = scopes.values().map(Vec::len).sum();
        let mut vaults = HashMap::new();
        let mut done = 0;
        for (number, (scope, documents)) in scopes.iter().enumerate() {
            let vault = format!("{prefix}-{number}");
            let root = self.folder.join(&vault);
            let ids = write_pages(&root, documents)?;
            let context = self.open(session, &vault, &root)?;
            refresh(&context, Scope::Vault(ScanMode::Stat), &no_progress)?;
            if let Some(row) = context.active_model()? {
                let progress = session.talk.progress("Embedding");
                let pending = context.store().count_pending(context.project(), row.number)?;
                let part = |at: usize, of: usize| progress(done + documents.len() * at / of.max(1), all);
                if pending > 0 {
                    embed_pending(&context, &row, &part)?;
                }
            }
            done += documents.len();
            vaults.insert(
                scope.clone(),
                EvaluatedVault { context: EvalContext::Created(Box::new(context)), ids },
            );
        }
        session.talk.finish();
        Ok(vaults)
    }

    fn open(&self, session: &Session, name: &str, root: &Path) -> Result<VaultContext> {
        let store = lore_sqlite::open(&self.folder.join("eval.db"))?.store;
        let environment = &session.environment;
        Ok(VaultContext::open(ContextParts {
            name: name.to_owned(),
            root: root.to_owned(),
            store: Box::new(store),
            access: lore_engine::Access::Full,
            state: self.folder.join("state"),
            clock: environment.clock.clone(),
            author: Author {
                actor: environment.actor.clone(),
                face: "cli".into(),
                session: environment.session.clone(),
            },
            models: session.models.clone(),
            hooks: std::sync::Arc::new(NoHooks),
        })?)
    }
}

/// Writes the documents as pages; returns the document id of each slug.
fn write_pages(root: &Path, documents: &[Document]) -> Result<HashMap<String, String>> {
    make_folder(root)?;
    let mut ids = HashMap::new();
    for (document, number) in documents.iter().zip(1..) {
        let slug = format!("d{number:06}");
        // A JSON string is also a YAML string.
        let title = serde_json::Value::from(document.title.as_str());
        let page = match document.title.is_empty() {
            true => document.text.clone(),
            false => format!("---\ntitle: {title}\n---\n\n{}\n", document.text),
        };
        let path = root.join(format!("{slug}.md"));
        if read_text(&path)?.as_ref() != Some(&page) {
            write_passing(&path, page.as_bytes())?;
        }
        ids.insert(slug, document.id.clone());
    }
    Ok(ids)
}

fn measure(
    session: &Session,
    set: &Set,
    vaults: &HashMap<String, EvaluatedVault<'_>>,
    mode: Mode,
) -> Result<(ModeResult, Rankings)> {
    let (mut scores, mut times) = (Scores::default(), Vec::new());
    let mut rankings = Rankings::new();
    let progress = session.talk.progress("Asking");
    for (at, question) in set.questions.iter().enumerate() {
        let vault = vaults.get(&question.scope).ok_or_else(|| {
            AppError::usage(
                format!(
                    "the question {} has the scope {:?}, which has no documents",
                    question.id, question.scope
                ),
                "use the scope of a document, or none",
            )
        })?;
        let (ranking, time) = run_question(session, vault, question, mode)?;
        times.push(time);
        if let Some(answers) = set.answers.get(&question.id) {
            scores.add(&ranking, answers);
        }
        rankings.insert(question.id.clone(), ranking);
        progress(at + 1, set.questions.len())?;
    }
    session.talk.finish();
    times.sort_by(f64::total_cmp);
    let [p50_ms, p95_ms, p99_ms] = [0.5, 0.95, 0.99].map(|part| percentile(&times, part));
    Ok((ModeResult { mode, measures: scores.mean(), p50_ms, p95_ms, p99_ms }, rankings))
}

/// Returns the ids of the pages found, best first, and the latency in milliseconds.
fn run_question(
    session: &Session,
    vault: &EvaluatedVault<'_>,
    question: &EvalQuestion,
    mode: Mode,
) -> Result<(Vec<String>, f64)> {
    let context = vault.context();
    let filter = Filter { among: vault.slugs(&question.candidates), ..Filter::default() };
    let text = question.text.clone();
    let request = SearchRequest { text, filter, limit: RESULT_LIMIT, ..request(session, mode)? };
    let started = Instant::now();
    let found = search(context, &request)?;
    let time = started.elapsed().as_secs_f64() * 1000.0;
    Ok((found.hits.iter().map(|hit| vault.id(&hit.page.slug)).collect(), time))
}

impl Render for Evaluation {
    fn human(&self) -> String {
        let model = self.model.as_deref().unwrap_or("no model");
        let mut text =
            format!("{}: {} pages, {} questions, {model}\n", self.set, self.documents, self.questions);
        if !self.modes.is_empty() {
            text.push_str(
                "mode      any@5   all@5   R@5     R@10    nDCG@10 MRR     p50 ms  p95 ms  p99 ms\n",
            );
        }
        for result in &self.modes {
            let Measures { any_at_5, all_at_5, recall_at_5, recall_at_10, ndcg_at_10, mrr } = result.measures;
            let percents = [any_at_5, all_at_5, recall_at_5, recall_at_10, ndcg_at_10, mrr];
            let cells = percents.map(|value| format!("{:<8.1}", value * 100.0)).concat();
            let times =
                [result.p50_ms, result.p95_ms, result.p99_ms].map(|time| format!("{time:<8.1}")).concat();
            text.push_str(format!("{:<10}{cells}{times}", result.mode.name()).trim_end());
            text.push('\n');
        }
        match &self.lost {
            Some(lost) if lost.is_empty() => {
                text.push_str("no question lost points since the previous run\n")
            }
            Some(lost) => text.extend(lost.iter().map(LostPoints::human)),
            None => {}
        }
        text.push_str(&paired::table(&self.paired));
        text
    }
}
