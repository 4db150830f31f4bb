//! `compact`: stale pages that belong together become one page.

mod done;
mod pages;
mod planned;

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use lore_engine::{
    CompactPlan, CompactRequest, GivenSummary, Memory, Summarizer, apply_summaries, compact, plan_compaction,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::done::Done;
use self::planned::{Planned, Texts};
use super::{Operation, Render};
use crate::failure::{Failure, Result};
use crate::session::Session;
use crate::summarizers::{Command, endpoint, extractive};

/// Sum up stale pages that belong together: one new page for each cluster, the old pages kept and marked
///
/// Pages that links hold together, or that say much the same, make a cluster of three or more. Each is written as one
/// change: the summary, `compacted_into` on its pages, and the links of other pages, which lead to the summary then.
/// An agent reads the plan, writes the summaries itself and gives them back; a command, a language model or the built-in
/// summariser does all of it in one go. Contested pages are left alone.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  lore compact --dry-run\n  lore compact --plan --json > plan.json\n  lore compact --plan --cluster 3f2a91bc77d0e --token-budget 20000\n  lore compact --apply summaries.json\n  lore compact --path clients/ --summarizer extractive --limit 5\n  lore config set compact.command 'llm -m small' && lore compact --summarizer command\n\nsummaries.json: {\"summaries\": [{\"cluster\": \"ID OF THE PLAN\", \"title\": \"…\", \"content\": \"…\"}]}\n(and \"slug\" and \"tags\", where they are to be others than those of the pages)"
)]
pub struct Compact {
    /// Show the clusters with the text of their pages, for an agent to write the summaries
    #[arg(long, conflicts_with_all = ["apply", "dry_run"])]
    #[serde(default)]
    plan: bool,
    /// Take summaries from a file (`-` is standard input) and compact their clusters
    #[arg(long, value_name = "FILE", conflicts_with_all = ["dry_run", "summarizer", "path", "limit", "clusters"])]
    #[serde(skip)]
    apply: Option<PathBuf>,
    /// The summaries, each for a cluster of the plan
    #[arg(skip)]
    #[serde(default)]
    summaries: Vec<SummaryInput>,
    /// Show what would be done; asks no model and writes nothing
    #[arg(long)]
    #[serde(default)]
    dry_run: bool,
    /// Only pages whose path starts so
    #[arg(long, value_name = "PREFIX")]
    #[serde(default)]
    path: Option<String>,
    /// Who writes the summaries [default: the setting compact.summarizer]
    #[arg(long)]
    #[serde(default)]
    summarizer: Option<Kind>,
    /// At most so many clusters
    #[arg(long, value_name = "N")]
    #[serde(default)]
    limit: Option<usize>,
    /// Only this cluster; may be given more than once
    #[arg(long = "cluster", value_name = "ID")]
    #[serde(default)]
    clusters: Vec<String>,
    /// Tokens that the text of all pages may cost in a plan [default: 8000]
    #[arg(long, value_name = "N")]
    #[serde(default)]
    token_budget: Option<usize>,
    /// Leave the text of the pages out of the plan
    #[arg(long)]
    #[serde(default)]
    no_text: bool,
}

/// Who writes the summaries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Kind {
    /// The caller: gives the plan
    Agent,
    /// The built-in one, which picks sentences and needs no model
    Extractive,
    /// The command of the setting compact.command
    Command,
    /// The language model of the settings compact.endpoint and compact.model
    Endpoint,
}

/// A summary of a cluster.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SummaryInput {
    /// The cluster's id, as the plan has it.
    cluster: String,
    /// The slug of its page; made of the title without it.
    #[serde(default)]
    slug: Option<String>,
    /// Its title.
    title: String,
    /// Its text, as Markdown.
    content: String,
    /// Its tags; those that all pages of the cluster share without it.
    #[serde(default)]
    tags: Option<Vec<String>>,
}

/// A file of summaries.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Summaries {
    summaries: Vec<SummaryInput>,
}

/// What could be done, or what was.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Answer {
    /// What could be done.
    Planned(Planned),
    /// What was done.
    Done(Done),
}

/// Tokens that the text of pages costs at the most where nothing else is said.
const BUDGET: usize = 8000;

impl Operation for Compact {
    const NAME: &'static str = "compact";
    const WRITES: bool = true;
    type Output = Answer;

    fn run(self, session: &Session) -> Result<Answer> {
        let kind = self.kind(session)?;
        if let Some(file) = &self.apply {
            return apply(session, read_summaries(session, file)?);
        }
        if !self.summaries.is_empty() {
            return apply(session, self.summaries);
        }
        let memory = session.fresh()?;
        let request =
            CompactRequest { path: self.path.clone(), clusters: self.clusters.clone(), limit: self.limit };
        // A summariser that cannot work is told before anything is looked for.
        let dry = self.dry_run || self.plan || kind == Kind::Agent;
        let summarizer = if dry { None } else { Some(summarizer(session, memory, kind)?) };
        let plan = plan_compaction(memory, &request, &session.talk.progress("Gathering"));
        session.talk.finish();
        let plan = plan?;
        match summarizer {
            Some(summarizer) => Ok(Answer::Done(self::run(session, memory, &plan, &*summarizer)?)),
            None if self.dry_run => {
                Ok(Answer::Planned(Planned::preview(memory, plan, kind == Kind::Extractive)?))
            }
            None => {
                let texts = if self.no_text {
                    Texts::None
                } else {
                    Texts::Within(self.token_budget.unwrap_or(BUDGET))
                };
                Ok(Answer::Planned(Planned::new(memory, plan, texts)?))
            }
        }
    }
}

impl Compact {
    fn kind(&self, session: &Session) -> Result<Kind> {
        if let Some(kind) = self.summarizer {
            return Ok(kind);
        }
        let set = session.config.get("compact.summarizer")?;
        Kind::from_str(&set, true).map_err(|_| {
            Failure::usage(
                format!("the setting compact.summarizer is {set:?}"),
                "set it to agent, extractive, command or endpoint",
            )
        })
    }
}

fn summarizer(session: &Session, memory: &Memory, kind: Kind) -> Result<Box<dyn Summarizer>> {
    Ok(match kind {
        Kind::Agent | Kind::Extractive => Box::new(extractive(memory)),
        Kind::Command => Box::new(Command::new(session)?),
        Kind::Endpoint => Box::new(endpoint(session)?),
    })
}

fn run(session: &Session, memory: &Memory, plan: &CompactPlan, summarizer: &dyn Summarizer) -> Result<Done> {
    let attempts = compact(memory, plan, summarizer, &session.talk.progress("Compacting"));
    session.talk.finish();
    Ok(Done::new(attempts?, plan.found, plan.notes.clone()))
}

fn apply(session: &Session, summaries: Vec<SummaryInput>) -> Result<Answer> {
    let memory = session.fresh()?;
    let given: Vec<GivenSummary> = summaries.into_iter().map(GivenSummary::from).collect();
    let attempts = apply_summaries(memory, &given, &session.talk.progress("Compacting"));
    session.talk.finish();
    let attempts = attempts?;
    let count = attempts.len();
    Ok(Answer::Done(Done::new(attempts, count, Vec::new())))
}

impl From<SummaryInput> for GivenSummary {
    fn from(given: SummaryInput) -> GivenSummary {
        let SummaryInput { cluster, slug, title, content, tags } = given;
        GivenSummary { cluster, slug, title, content, tags }
    }
}

/// Reads `{"summaries": […]}`, or the list alone.
fn read_summaries(session: &Session, file: &Path) -> Result<Vec<SummaryInput>> {
    let bytes = if file == Path::new("-") { session.stdin()? } else { session.read_file(file)? };
    let read = serde_json::from_slice(&bytes).map(|file: Summaries| file.summaries);
    let read = match bytes.trim_ascii_start().first() {
        Some(b'[') => serde_json::from_slice(&bytes),
        _ => read,
    };
    read.map_err(|error| {
        Failure::usage(
            format!("{}: {error}", file.display()),
            "write {\"summaries\": [{\"cluster\": \"…\", \"title\": \"…\", \"content\": \"…\"}]}; nothing was changed",
        )
    })
}

impl Render for Answer {
    fn human(&self) -> String {
        match self {
            Answer::Planned(planned) => planned.human(),
            Answer::Done(done) => done.human(),
        }
    }

    fn brief(&self) -> String {
        match self {
            Answer::Planned(planned) => planned.brief(),
            Answer::Done(done) => done.human(),
        }
    }

    fn exit(&self) -> u8 {
        match self {
            Answer::Planned(planned) => planned.exit(),
            Answer::Done(done) => done.exit(),
        }
    }
}
