//! `compact`: merges clusters of related stale pages into summary pages.

mod applied;
mod pages;
mod plan_output;

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use lore_engine::VaultContext;
use lore_memory::{
    CompactPlan, CompactRequest, GivenSummary, Summarizer, apply_summaries, compact, plan_compaction,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::applied::AppliedOutput;
use self::plan_output::{PlanOutput, Texts};
use crate::app::error::{AppError, Result};
use crate::app::session::Session;
use crate::app::summarizers::{Command, endpoint, extractive};
use crate::ops::json_errors::in_plain_words;
use crate::ops::{Operation, Render};

/// Summarize clusters of related stale pages
///
/// A cluster is three or more pages that are linked or similar. Each cluster is one atomic change: the summary page,
/// `compacted_into` on the originals, which are kept, and the links of other pages, which then point to the summary.
/// An agent can read the plan, write the summaries and pass them back; a command, a language model or the built-in
/// summarizer does everything in one run. Contested pages are skipped.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  lore compact --dry-run\n  lore compact --plan --json > plan.json\n  lore compact --plan --cluster 3f2a91bc77d0e --token-budget 20000\n  lore compact --apply summaries.json\n  lore compact --path clients/ --summarizer extractive --limit 5\n  lore config set compact.command 'llm -m small' && lore compact --summarizer command\n\nsummaries.json: {\"summaries\": [{\"cluster\": \"ID FROM THE PLAN\", \"title\": \"…\", \"content\": \"…\"}]}\n(\"slug\" and \"tags\" are optional and override those derived from the pages)"
)]
pub struct Compact {
    /// Print the clusters with the text of their pages, for an agent
    #[arg(long, conflicts_with_all = ["apply", "dry_run"])]
    #[serde(default)]
    plan: bool,
    /// Apply summaries from a file (`-` is standard input)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["dry_run", "summarizer", "path", "namespace", "limit", "clusters"])]
    #[serde(skip)]
    apply: Option<PathBuf>,
    /// Summaries, one for each cluster of the plan
    #[arg(skip)]
    #[serde(default)]
    summaries: Vec<SummaryInput>,
    /// Show what would be done, without using a model or writing
    #[arg(long)]
    #[serde(default)]
    dry_run: bool,
    /// Only pages under this path
    #[arg(long, value_name = "PREFIX")]
    #[serde(default)]
    path: Option<String>,
    /// Only pages of this namespace; `all` for every page
    #[arg(long, value_name = "NAME")]
    #[serde(default)]
    namespace: Option<String>,
    /// Who writes the summaries [default: the setting compact.summarizer]
    #[arg(long)]
    #[serde(default)]
    summarizer: Option<SummarizerKind>,
    /// Maximum number of clusters
    #[arg(long, value_name = "N")]
    #[serde(default)]
    limit: Option<usize>,
    /// Only this cluster; repeatable
    #[arg(long = "cluster", value_name = "ID")]
    #[serde(default)]
    clusters: Vec<String>,
    /// Maximum tokens of page text in the plan [default: 8000]
    #[arg(long, value_name = "N")]
    #[serde(default)]
    token_budget: Option<usize>,
    /// Omit the text of the pages from the plan
    #[arg(long)]
    #[serde(default)]
    no_text: bool,
}

/// Who writes the summaries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum SummarizerKind {
    /// The caller: prints the plan
    Agent,
    /// The built-in summarizer, which selects sentences and needs no model
    Extractive,
    /// The command in the setting compact.command
    Command,
    /// The language model in the settings compact.endpoint and compact.model
    Endpoint,
}

/// A summary of a cluster.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SummaryInput {
    /// Cluster id from the plan.
    cluster: String,
    /// Slug of the summary; derived from the title if omitted.
    #[serde(default)]
    slug: Option<String>,
    /// Title of the summary.
    title: String,
    /// Text of the summary, in Markdown.
    content: String,
    /// Tags of the summary; if omitted, those shared by all pages of the cluster.
    #[serde(default)]
    tags: Option<Vec<String>>,
}

/// A file of summaries.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Summaries {
    summaries: Vec<SummaryInput>,
}

/// Output of `compact`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum CompactOutput {
    /// A plan.
    Plan(PlanOutput),
    /// The result of a run.
    Applied(AppliedOutput),
}

/// Default maximum number of tokens of page text in a plan.
const BUDGET: usize = 8000;

impl Operation for Compact {
    const NAME: &'static str = "compact";
    const WRITES: bool = true;
    type Output = CompactOutput;

    fn run(self, session: &Session) -> Result<CompactOutput> {
        let kind = self.kind(session)?;
        if let Some(file) = &self.apply {
            return apply(session, read_summaries(session, file)?);
        }
        if !self.summaries.is_empty() {
            return apply(session, self.summaries);
        }
        let context = session.fresh()?;
        let request = CompactRequest {
            path: self.path.clone(),
            namespace: session.namespace_filter(context, self.namespace.as_deref())?,
            clusters: self.clusters.clone(),
            limit: self.limit,
        };
        // The summarizer is created first, so that one that cannot work fails before the search for clusters.
        let dry = self.dry_run || self.plan || kind == SummarizerKind::Agent;
        let summarizer = if dry { None } else { Some(summarizer(session, context, kind)?) };
        let plan = plan_compaction(context, &request, &session.talk.progress("Gathering"));
        session.talk.finish();
        let plan = plan?;
        match summarizer {
            Some(summarizer) => Ok(CompactOutput::Applied(self::run(session, context, &plan, &*summarizer)?)),
            None if self.dry_run => Ok(CompactOutput::Plan(PlanOutput::preview(
                session,
                plan,
                kind == SummarizerKind::Extractive,
            )?)),
            None => {
                let texts = if self.no_text {
                    Texts::None
                } else {
                    Texts::Within(self.token_budget.unwrap_or(BUDGET))
                };
                Ok(CompactOutput::Plan(PlanOutput::new(session, plan, texts)?))
            }
        }
    }
}

impl Compact {
    fn kind(&self, session: &Session) -> Result<SummarizerKind> {
        if let Some(kind) = self.summarizer {
            return Ok(kind);
        }
        let set = session.config.get("compact.summarizer")?;
        SummarizerKind::from_str(&set, true).map_err(|_| {
            AppError::usage(
                format!("unknown value of the setting compact.summarizer: {set:?}"),
                "set it to agent, extractive, command or endpoint",
            )
        })
    }
}

fn summarizer(
    session: &Session,
    context: &VaultContext,
    kind: SummarizerKind,
) -> Result<Box<dyn Summarizer>> {
    Ok(match kind {
        SummarizerKind::Agent | SummarizerKind::Extractive => Box::new(extractive(context)),
        SummarizerKind::Command => Box::new(Command::new(session)?),
        SummarizerKind::Endpoint => Box::new(endpoint(session)?),
    })
}

fn run(
    session: &Session,
    context: &VaultContext,
    plan: &CompactPlan,
    summarizer: &dyn Summarizer,
) -> Result<AppliedOutput> {
    let attempts = compact(context, plan, summarizer, &session.talk.progress("Compacting"));
    session.talk.finish();
    Ok(AppliedOutput::new(session, attempts?, plan.found, &plan.notes))
}

fn apply(session: &Session, summaries: Vec<SummaryInput>) -> Result<CompactOutput> {
    let context = session.fresh()?;
    let given: Vec<GivenSummary> = summaries.into_iter().map(GivenSummary::from).collect();
    let attempts = apply_summaries(context, &given, &session.talk.progress("Compacting"));
    session.talk.finish();
    let attempts = attempts?;
    let count = attempts.len();
    Ok(CompactOutput::Applied(AppliedOutput::new(session, attempts, count, &[])))
}

impl From<SummaryInput> for GivenSummary {
    fn from(given: SummaryInput) -> GivenSummary {
        let SummaryInput { cluster, slug, title, content, tags } = given;
        GivenSummary { cluster, slug, title, content, tags }
    }
}

/// Parses `{"summaries": […]}`, or the bare list.
fn read_summaries(session: &Session, file: &Path) -> Result<Vec<SummaryInput>> {
    let bytes = if file == Path::new("-") { session.stdin()? } else { session.read_file(file)? };
    let read = serde_json::from_slice(&bytes).map(|file: Summaries| file.summaries);
    let read = match bytes.trim_ascii_start().first() {
        Some(b'[') => serde_json::from_slice(&bytes),
        _ => read,
    };
    read.map_err(|error| {
        AppError::usage(
            format!("{}: {}", file.display(), in_plain_words(&error.to_string())),
            "use {\"summaries\": [{\"cluster\": \"…\", \"title\": \"…\", \"content\": \"…\"}]}; nothing was changed",
        )
    })
}

impl Render for CompactOutput {
    fn human(&self) -> String {
        match self {
            CompactOutput::Plan(plan) => plan.human(),
            CompactOutput::Applied(applied) => applied.human(),
        }
    }

    fn brief(&self) -> String {
        match self {
            CompactOutput::Plan(plan) => plan.brief(),
            CompactOutput::Applied(applied) => applied.human(),
        }
    }

    fn exit(&self) -> u8 {
        match self {
            CompactOutput::Plan(plan) => plan.exit(),
            CompactOutput::Applied(applied) => applied.exit(),
        }
    }
}
