//! `context`: what an agent is given at the start of its work.

mod budget;
mod text;

use clap::Args;
use lore_engine::{
    Brief as Found, BriefRequest, Conflict, Injected, Memory, Node, PageRow, State, brief, curation_due,
    git_state, injected, short_id,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Operation;
use super::git::GitView;
use super::views::{count, timestamp};
use crate::failure::{Failure, Result};
use crate::session::Session;
use budget::{Budget, Parts, fit};

/// How many contradictions are named.
const CONFLICTS: usize = 5;

/// How many stale pages are named.
const ALERTS: usize = 5;

/// How far above the working directory names are looked at.
const ABOVE: usize = 4;

/// Give what an agent needs at the start of its work: the vault's injected files, the pages in use here, conflicts, what is stale
///
/// Pages that belong to the working directory come first: those in a folder of its name, or whose project, tag or wing
/// it is. Where nothing matches, the three active pages that were touched last are given. Only pages that still count
/// are listed; of stale ones there are alerts. Everything fits into a token budget, and what was cut is said. Without
/// --token-budget the files that the policy injects are always given whole, and the budget is for the rest.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  lore context\n  lore context --namespace clients --limit 5\n  lore context --recent --json\n  lore context --token-budget 800"
)]
pub struct Context {
    /// How many pages at the most [default: 10 that match the directory, 3 where nothing matches]
    #[arg(long)]
    #[serde(default)]
    limit: Option<usize>,
    /// The pages that were touched last, whatever the directory
    #[arg(long, conflicts_with = "namespace")]
    #[serde(default)]
    recent: bool,
    /// Only pages of this folder, project, tag or wing
    #[arg(long, visible_alias = "path", value_name = "PREFIX")]
    #[serde(default, alias = "path")]
    namespace: Option<String>,
    /// Tokens that all of it may cost [default: 2000 besides the injected files, or context.budget of the configuration]
    #[arg(long, value_name = "TOKENS")]
    #[serde(default)]
    token_budget: Option<usize>,
    /// Do not cut long lists in injected files
    #[arg(long)]
    #[serde(default)]
    whole: bool,
}

/// What an agent is given.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Brief {
    /// What the pages have in common: what was asked for or matches the directory, else the project.
    namespace: String,
    loaded_at: String,
    /// Pages that still count, the most telling first.
    active_nodes: Vec<NodeItem>,
    /// Pages that contradict each other.
    conflicts: Vec<ConflictItem>,
    /// Pages that may no longer hold.
    stale_alerts: Vec<AlertItem>,
    project: String,
    /// The files that every agent is given, in the policy's order.
    injected: Vec<InjectedFile>,
    /// What to know.
    warnings: Vec<String>,
    /// What all of it costs.
    tokens: usize,
}

/// A page in use.
#[derive(Debug, Serialize, JsonSchema)]
struct NodeItem {
    /// A short form of its id, which every command takes.
    id: String,
    slug: String,
    title: String,
    summary: String,
    /// The day it was updated.
    updated_at: String,
    /// How many links lead from it to other pages.
    links_out: usize,
}

/// Two pages that contradict each other.
#[derive(Debug, Serialize, JsonSchema)]
struct ConflictItem {
    node_a: String,
    node_b: String,
    description: String,
    slug_a: String,
    slug_b: String,
}

/// A page that may no longer hold.
#[derive(Debug, Serialize, JsonSchema)]
struct AlertItem {
    id: String,
    slug: String,
    title: String,
    stale_since: Option<String>,
    reason: String,
}

/// A file that is given.
#[derive(Debug, Serialize, JsonSchema)]
struct InjectedFile {
    /// What it is called.
    name: String,
    path: String,
    text: String,
}

impl Operation for Context {
    const NAME: &'static str = "context";
    type Output = Brief;

    fn run(self, session: &Session) -> Result<Brief> {
        if self.limit == Some(0) || self.token_budget == Some(0) {
            return Err(Failure::usage(
                "--limit and --token-budget count from 1",
                "leave them out for the defaults",
            ));
        }
        let budget = match self.token_budget {
            Some(tokens) => Budget::Everything(tokens),
            None => Budget::BesideInjected(session.config.get("context.budget")?.parse().unwrap_or(2000)),
        };
        let memory = session.fresh()?;
        let (files, mut warnings) = injected(memory, self.whole)?;
        warnings.extend(nudges(memory)?);
        let found = brief(memory, &self.request(session, memory))?;
        if found.conflicts.len() > CONFLICTS {
            warnings.push(format!("{} more conflicts", found.conflicts.len() - CONFLICTS));
        }
        if found.stale.len() > ALERTS {
            warnings.push("there are more stale pages: see `lore stale`".into());
        }
        let head = Brief {
            namespace: found.namespace.clone().unwrap_or_else(|| memory.name().to_owned()),
            loaded_at: timestamp(memory.now().timestamp().as_millisecond()),
            active_nodes: Vec::new(),
            conflicts: Vec::new(),
            stale_alerts: Vec::new(),
            project: memory.name().to_owned(),
            injected: Vec::new(),
            warnings,
            tokens: 0,
        };
        let parts = parts(memory, found, files)?;
        Ok(fit(head, parts, &budget, &|text| memory.models().count_tokens(text)))
    }
}

impl Context {
    fn request(&self, session: &Session, memory: &Memory) -> BriefRequest {
        BriefRequest {
            namespace: self.namespace.clone(),
            directories: directories(session, memory),
            limit: self.limit,
            recent: self.recent,
        }
    }
}

/// The names of the working directory and of those above it: below the vault's root where it is inside the vault, else
/// below the user's home.
pub(super) fn directories(session: &Session, memory: &Memory) -> Vec<String> {
    let Some(here) = session.environment.here.as_deref() else { return Vec::new() };
    let root = memory.vault().root();
    let home = session.environment.home.as_deref();
    let ends = |folder: &std::path::Path| folder == root || Some(folder) == home;
    let above = here.ancestors().take_while(|folder| !ends(folder)).take(ABOVE);
    above.filter_map(|folder| folder.file_name()).map(|name| name.to_string_lossy().into_owned()).collect()
}

/// What went wrong, and what is due.
fn nudges(memory: &Memory) -> Result<Vec<String>> {
    let mut nudges = Vec::new();
    // A repository that cannot be asked is no reason to give nothing.
    if let Ok(git) = git_state(memory).map(GitView::new) {
        if git.unpushed() > 0 {
            nudges.push(format!("{} commits are not pushed", git.unpushed()));
        }
        nudges.extend(git.warnings().iter().cloned());
    }
    if curation_due(memory)? {
        nudges.push("a look over the pages is due: see `lore curate --dry-run`".into());
    }
    let open = memory.store().count_gaps(memory.project())?.open;
    if open > 0 {
        nudges.push(format!("{} asked in vain: see `lore gaps`", count(open, "question")));
    }
    Ok(nudges)
}

/// All that could be given, in the form in which it is.
fn parts(memory: &Memory, found: Found, files: Vec<Injected>) -> Result<Parts> {
    let alert = |(page, state): (PageRow, State)| -> Result<AlertItem> {
        let (id, reason) = (short_id(memory, &page)?, state.reason());
        let (slug, title, stale_since) = (page.slug, page.title, state.since);
        Ok(AlertItem { id, slug, title, stale_since, reason })
    };
    let conflicts = found.conflicts.into_iter().take(CONFLICTS);
    Ok(Parts {
        injected: files.into_iter().map(InjectedFile::from).collect(),
        conflicts: conflicts.map(|one| ConflictItem::new(memory, one)).collect::<Result<_>>()?,
        alerts: found.stale.into_iter().take(ALERTS).map(alert).collect::<Result<_>>()?,
        nodes: found.nodes.into_iter().map(|node| NodeItem::new(memory, node)).collect::<Result<_>>()?,
    })
}

impl NodeItem {
    fn new(memory: &Memory, node: Node) -> Result<NodeItem> {
        let Node { page, summary, links_out } = node;
        let updated_at = lore_engine::updated(&page).chars().take(10).collect();
        Ok(NodeItem {
            id: short_id(memory, &page)?,
            slug: page.slug,
            title: page.title,
            summary,
            updated_at,
            links_out,
        })
    }
}

impl ConflictItem {
    fn new(memory: &Memory, conflict: Conflict) -> Result<ConflictItem> {
        let Conflict { one, other, description } = conflict;
        Ok(ConflictItem {
            node_a: short_id(memory, &one)?,
            node_b: short_id(memory, &other)?,
            description,
            slug_a: one.slug,
            slug_b: other.slug,
        })
    }
}

impl From<Injected> for InjectedFile {
    fn from(one: Injected) -> InjectedFile {
        InjectedFile { name: one.name, path: one.path, text: one.text }
    }
}
