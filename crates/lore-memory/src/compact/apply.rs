//! Writes clusters, each atomically in one transaction through the write path.

use lore_engine::status::COMPACTED;
use lore_engine::{Action, Edit, Error, PageChange, Receipt, Result, VaultContext, WriteOptions, write_as};
use lore_page::{Format, Value, edit};
use lore_ports::{Progress, no_progress};
use lore_text::path_slug;
use lore_vault::VaultPath;

use super::extract::Extractive;
use super::page::{Draft, path_of, sources, text_of};
use super::plan::{Cluster, CompactPlan, CompactRequest, plan_compaction};
use super::repoint::{Repoint, inbound};
use super::summarizer::Summarizer;
use crate::derived::widest_mode;

/// Maximum number of attempts when another writer takes the chosen name.
const MAX_ATTEMPTS: usize = 20;

/// Number of consecutive summarizer failures after which the remaining clusters are skipped.
const MAX_FAILURES: usize = 3;

/// A summary written by a person or agent for a cluster of a plan.
#[derive(Debug, Clone, Default)]
pub struct GivenSummary {
    /// Id of the cluster in the plan.
    pub cluster: String,
    /// Slug of the page; defaults to one made from the title.
    pub slug: Option<String>,
    /// Title.
    pub title: String,
    /// Text.
    pub content: String,
    /// Tags; defaults to those shared by all pages of the cluster.
    pub tags: Option<Vec<String>>,
}

/// Result for one cluster.
#[derive(Debug)]
pub struct Attempt {
    /// Id of the cluster.
    pub cluster: String,
    /// What was written, or the error.
    pub result: Result<Compacted>,
}

/// A compacted cluster, or the preview of one.
#[derive(Debug, Clone)]
pub struct Compacted {
    /// Slug of the summary.
    pub slug: String,
    /// Path of the summary.
    pub path: String,
    /// Title of the summary.
    pub title: String,
    /// Text of the summary.
    pub text: String,
    /// Slugs of the summarized pages.
    pub members: Vec<String>,
    /// Paths of the pages whose links now point to the summary.
    pub repointed: Vec<String>,
    /// Commit, if there is one.
    pub commit: Option<String>,
    /// Warnings.
    pub warnings: Vec<String>,
}

/// Compacts the clusters of a plan with a summarizer, one by one. A failure is reported and leaves its cluster
/// unchanged; other clusters are still compacted.
pub fn compact(
    context: &VaultContext,
    plan: &CompactPlan,
    summarizer: &dyn Summarizer,
    progress: Progress<'_>,
) -> Result<Vec<Attempt>> {
    let mut attempts: Vec<Attempt> = Vec::new();
    let mut failures = 0;
    for (done, cluster) in plan.clusters.iter().enumerate() {
        let draft = make_draft(context, cluster, summarizer);
        failures =
            if matches!(draft, Err(Error::Port(lore_ports::Error::TextModel(_)))) { failures + 1 } else { 0 };
        let result = draft.and_then(|draft| write_cluster(context, cluster, &draft));
        attempts.push(Attempt { cluster: cluster.id.clone(), result });
        progress(done + 1, plan.clusters.len())?;
        if failures >= MAX_FAILURES {
            break;
        }
    }
    Ok(attempts)
}

/// Compacts clusters with summaries written from a plan. A cluster that has changed since the plan is refused; the
/// others are still compacted.
pub fn apply_summaries(
    context: &VaultContext,
    given: &[GivenSummary],
    progress: Progress<'_>,
) -> Result<Vec<Attempt>> {
    let plan = plan_compaction(context, &CompactRequest::default(), &no_progress)?;
    let is_given = |cluster: &Cluster| given.iter().any(|one| one.cluster == cluster.id);
    let (mut chosen, others): (Vec<Cluster>, Vec<Cluster>) = plan.clusters.into_iter().partition(is_given);
    // Pages of clusters without a summary are ordinary pages, so their links are updated too.
    chosen.iter_mut().for_each(|cluster| cluster.inbound.clear());
    inbound(context, &mut chosen)?;
    let mut attempts = Vec::new();
    for (done, one) in given.iter().enumerate() {
        let repeated = given[..done].iter().any(|before| before.cluster == one.cluster);
        let found = chosen.iter().find(|cluster| cluster.id == one.cluster).filter(|_| !repeated);
        let result = match found {
            Some(cluster) => write_given(context, cluster, one),
            None => Err(missing_cluster(one, &others)),
        };
        attempts.push(Attempt { cluster: one.cluster.clone(), result });
        progress(done + 1, given.len())?;
    }
    Ok(attempts)
}

/// Returns what compacting a cluster would write. The text is only included with the built-in summarizer.
pub fn preview(
    context: &VaultContext,
    cluster: &Cluster,
    summarizer: Option<&Extractive>,
) -> Result<Compacted> {
    let draft = match summarizer {
        Some(summarizer) => make_draft(context, cluster, summarizer)?,
        None => Draft::default(),
    };
    let path = path_of(context, cluster, &draft)?;
    let text = match summarizer {
        Some(_) => text_of(context, cluster, &draft, &path)?,
        None => String::new(),
    };
    let repoint = Repoint::new(context, cluster, &path)?;
    Ok(compacted(cluster, &draft, Receipt::default(), &SummaryChange { path, text, repoint }))
}

fn write_given(context: &VaultContext, cluster: &Cluster, given: &GivenSummary) -> Result<Compacted> {
    if given.content.trim().is_empty() || given.title.trim().is_empty() {
        return Err(Error::BadInput {
            message: format!("the summary of {} has no title or no content", given.cluster),
            hint: "give both; nothing was written".into(),
        });
    }
    let draft = Draft {
        content: given.content.clone(),
        title: Some(given.title.clone()),
        slug: given.slug.clone().filter(|slug| !slug.is_empty()),
        tags: given.tags.clone(),
        by: context.author().actor.clone(),
    };
    write_cluster(context, cluster, &draft)
}

/// Returns why a cluster cannot be found: its pages changed, or they no longer form a cluster.
fn missing_cluster(given: &GivenSummary, others: &[Cluster]) -> Error {
    let pages = Cluster::pages_part(&given.cluster);
    let same = others.iter().find(|cluster| Cluster::pages_part(&cluster.id) == pages);
    let newest = same.and_then(|cluster| cluster.members.iter().max_by_key(|member| member.page.updated));
    let why = match newest {
        Some(member) => format!("its pages changed, {} last", member.page.slug),
        None => "its pages are compacted, no longer stale, or in other clusters".to_owned(),
    };
    Error::PlanChanged { cluster: given.cluster.clone(), why }
}

fn make_draft(context: &VaultContext, cluster: &Cluster, summarizer: &dyn Summarizer) -> Result<Draft> {
    let content = summarizer.summarize(&sources(context, cluster)?)?;
    Ok(Draft { content, by: summarizer.name(), ..Draft::default() })
}

/// Content to write for a cluster.
struct SummaryChange {
    path: String,
    text: String,
    repoint: Repoint,
}

/// Writes a cluster: the summary, the mark on its pages and the links of other pages.
fn write_cluster(context: &VaultContext, cluster: &Cluster, draft: &Draft) -> Result<Compacted> {
    let mut attempts = MAX_ATTEMPTS;
    loop {
        attempts -= 1;
        match try_write(context, cluster, draft) {
            Err(Error::Conflict { expected: 0, .. }) if draft.slug.is_none() && attempts > 0 => {}
            result => return result,
        }
    }
}

fn try_write(context: &VaultContext, cluster: &Cluster, draft: &Draft) -> Result<Compacted> {
    let path = path_of(context, cluster, draft)?;
    let text = text_of(context, cluster, draft, &path)?;
    let repoint = Repoint::new(context, cluster, &path)?;
    let slug = path_slug(&path);
    let sources = repoint.sources();
    let summary = Action::Put(text.clone().into_bytes());
    let mut changes =
        vec![PageChange { path: VaultPath::known(path.clone()), action: summary, expected_version: Some(0) }];
    for member in &cluster.members {
        let add_mark: Edit<'_> = Box::new(|text| marked(&member.page, text, &slug));
        changes.push(PageChange {
            path: VaultPath::known(member.page.path.clone()),
            action: Action::Edit(add_mark),
            expected_version: Some(member.page.version),
        });
    }
    for source in &sources {
        let redirect: Edit<'_> = Box::new(|text| repoint.edit(source, text));
        changes.push(PageChange {
            path: VaultPath::known(source.clone()),
            action: Action::Edit(redirect),
            expected_version: None,
        });
    }
    let subject = format!("Compact {} pages into {slug}", cluster.members.len());
    let mode = widest_mode(context, cluster.members.iter().map(|member| &member.page));
    let private = mode.map(|mode| (path.clone(), mode)).into_iter().collect();
    let options = WriteOptions { subject: Some(subject), private, ..WriteOptions::default() };
    let receipt = write_as(context, &changes, &options)?;
    drop(changes);
    Ok(compacted(cluster, draft, receipt, &SummaryChange { path, text, repoint }))
}

/// Returns the text of a page with the mark added and every other byte unchanged.
fn marked(page: &lore_ports::PageRow, text: &str, summary: &str) -> Result<String> {
    let format = Format::of(&page.path);
    let failed = |source| Error::Edit { slug: page.slug.clone(), source };
    let text = edit::set_property(format, text, "status", &Value::Text(COMPACTED.into())).map_err(failed)?;
    edit::set_property(format, &text, "compacted_into", &Value::Text(summary.into())).map_err(failed)
}

fn compacted(cluster: &Cluster, draft: &Draft, receipt: Receipt, change: &SummaryChange) -> Compacted {
    let mut warnings = receipt.warnings;
    let blocked = cluster.inbound.iter().filter_map(|link| Some((link, link.blocked.as_ref()?)));
    warnings.extend(
        blocked
            .map(|(link, why)| format!("{}:{} still links to {}: {why}", link.path, link.line, link.target)),
    );
    Compacted {
        slug: receipt.files.first().map_or_else(|| path_slug(&change.path), |file| file.slug.clone()),
        path: change.path.clone(),
        title: draft.title_for(cluster),
        text: change.text.clone(),
        members: cluster.members.iter().map(|member| member.page.slug.clone()).collect(),
        repointed: change.repoint.sources().into_iter().collect(),
        commit: receipt.commit,
        warnings,
    }
}
