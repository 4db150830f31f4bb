//! A compaction plan: the clusters, what connects them, and the text of their pages as far as the budget allows.

use lore_engine::VaultContext;
use lore_memory::{Cluster, ClusterTie, CompactPlan, Connection, Inbound, Measure, preview};
use schemars::JsonSchema;
use serde::Serialize;

use super::pages::{PageItem, page};
use crate::app::error::Result;
use crate::app::session::Session;
use crate::app::summarizers::extractive;
use crate::ops::line::Line;
use crate::ops::views::{count, lines};

/// A compaction plan.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PlanOutput {
    /// Clusters, linked ones first, then the larger ones.
    clusters: Vec<ClusterItem>,
    /// Number of stale pages.
    stale: usize,
    /// Number of clusters found, including those that were not requested.
    found: usize,
    /// How similarity was measured: the name of the model, or `words`.
    measure: String,
    /// Tokens of page text in the plan.
    tokens: usize,
    /// What to do with it.
    hint: String,
    /// Notes for the reader.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
}

/// A cluster of related stale pages.
#[derive(Debug, Serialize, JsonSchema)]
struct ClusterItem {
    /// Cluster id, to be passed back with the summary. It changes when one of its pages does.
    cluster: String,
    /// `links` or `similarity`.
    held_by: &'static str,
    pages: Vec<PageItem>,
    /// What connects the pages.
    ties: Vec<TieItem>,
    /// Links of other pages that would point to the summary.
    inbound: Vec<InboundItem>,
    /// Tokens of all pages.
    tokens: usize,
    /// Page that would be written.
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<SummaryItem>,
}

/// What connects two pages.
#[derive(Debug, Serialize, JsonSchema)]
struct TieItem {
    from: String,
    to: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    relationship: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    similarity: Option<f64>,
}

/// A link from another page.
#[derive(Debug, Serialize, JsonSchema)]
struct InboundItem {
    from: String,
    path: Line,
    line: u32,
    relationship: String,
    target: String,
    /// Why it would not be changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    stays: Option<String>,
}

/// A page that would be written.
#[derive(Debug, Serialize, JsonSchema)]
struct SummaryItem {
    slug: String,
    title: String,
    /// Text of the file, if no model is needed for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<String>,
    /// Pages whose links would be changed.
    repointed: Vec<String>,
}

/// Whether a plan includes the text of its pages.
pub enum Texts {
    /// No text.
    None,
    /// Text up to this number of tokens.
    Within(usize),
}

const WRITE: &str = "write one summary for each cluster to compact and pass them to `lore compact --apply FILE` \
    as {\"summaries\": [{\"cluster\", \"title\", \"content\", \"slug\"?, \"tags\"?}]}; keep decisions, reasons and the \
    current state, omit what is obsolete";

const DRY: &str = "nothing was written; run without --dry-run to apply";

impl PlanOutput {
    /// Creates a plan with the text of its pages.
    pub fn new(session: &Session, plan: CompactPlan, texts: Texts) -> Result<PlanOutput> {
        let context = session.context()?;
        let mut left = match texts {
            Texts::None => None,
            Texts::Within(tokens) => Some(tokens),
        };
        let budget = left.unwrap_or(0);
        let items = plan.clusters.iter().map(|cluster| item(context, cluster, &mut left));
        let clusters = items.collect::<Result<Vec<_>>>()?;
        let spent = budget - left.unwrap_or(0);
        Ok(PlanOutput { tokens: spent, ..PlanOutput::of(session, plan, clusters, WRITE) })
    }

    /// Creates a plan with what would be written, including the text if that needs no model.
    pub fn preview(session: &Session, plan: CompactPlan, with_text: bool) -> Result<PlanOutput> {
        let context = session.context()?;
        let summarizer = with_text.then(|| extractive(context));
        let mut clusters = Vec::new();
        for cluster in &plan.clusters {
            let preview = preview(context, cluster, summarizer.as_ref())?;
            let summary = SummaryItem {
                slug: preview.slug,
                title: preview.title,
                content: with_text.then_some(preview.text),
                repointed: preview.repointed,
            };
            clusters.push(ClusterItem { summary: Some(summary), ..item(context, cluster, &mut None)? });
        }
        Ok(PlanOutput::of(session, plan, clusters, DRY))
    }

    fn of(session: &Session, plan: CompactPlan, clusters: Vec<ClusterItem>, hint: &str) -> PlanOutput {
        let measure = match plan.measure {
            Measure::Embedding { model } => model,
            Measure::Words => "words".into(),
        };
        PlanOutput {
            clusters,
            stale: plan.stale,
            found: plan.found,
            measure,
            tokens: 0,
            hint: session.hint(hint),
            notes: plan.notes.iter().map(|note| session.note(note)).collect(),
        }
    }

    /// Renders it for people.
    pub fn human(&self) -> String {
        let mut text =
            format!("{}, {}\n", count(self.stale as u64, "stale page"), count(self.found as u64, "cluster"));
        text.extend(self.notes.iter().map(|note| format!("note: {note}\n")));
        text.extend(self.clusters.iter().map(ClusterItem::human));
        if !self.clusters.is_empty() {
            text.push_str(&format!("\n{}\n", self.hint));
        }
        text
    }

    /// Returns one line per cluster.
    pub fn brief(&self) -> String {
        let slugs = |item: &ClusterItem| {
            item.pages.iter().map(|page| page.slug.as_str()).collect::<Vec<_>>().join(" ")
        };
        lines(self.clusters.iter().map(|item| format!("{} {}", item.cluster, slugs(item))))
    }

    /// Returns 1 if there is nothing to compact.
    pub fn exit(&self) -> u8 {
        u8::from(self.clusters.is_empty())
    }
}

fn item(context: &VaultContext, cluster: &Cluster, left: &mut Option<usize>) -> Result<ClusterItem> {
    let pages =
        cluster.members.iter().map(|member| page(context, member, left)).collect::<Result<Vec<_>>>()?;
    Ok(ClusterItem {
        cluster: cluster.id.clone(),
        held_by: match cluster.connection {
            Connection::Links => "links",
            Connection::Similarity => "similarity",
        },
        tokens: pages.iter().map(|page| page.tokens).sum(),
        pages,
        ties: cluster.ties.iter().map(TieItem::from).collect(),
        inbound: cluster.inbound.iter().map(InboundItem::from).collect(),
        summary: None,
    })
}

impl From<&ClusterTie> for TieItem {
    fn from(tie: &ClusterTie) -> TieItem {
        let round = |value: f64| (value * 1000.0).round() / 1000.0;
        TieItem {
            from: tie.one.clone(),
            to: tie.other.clone(),
            relationship: tie.relation.clone(),
            similarity: tie.similarity.map(round),
        }
    }
}

impl From<&Inbound> for InboundItem {
    fn from(link: &Inbound) -> InboundItem {
        InboundItem {
            from: link.from.clone(),
            path: link.path.clone().into(),
            line: link.line,
            relationship: link.relation.clone(),
            target: link.target.clone(),
            stays: link.blocked.clone(),
        }
    }
}

impl ClusterItem {
    fn human(&self) -> String {
        let pages = count(self.pages.len() as u64, "page");
        let mut text =
            format!("\n{}  {pages} connected by {}, {} tokens\n", self.cluster, self.held_by, self.tokens);
        for page in &self.pages {
            text.push_str(&format!("  {}  {} ({})\n", page.slug, page.title, page.reason));
        }
        for tie in &self.ties {
            let how = match (&tie.relationship, tie.similarity) {
                (Some(relationship), _) => relationship.clone(),
                (None, similarity) => format!("is {:.2} similar to", similarity.unwrap_or_default()),
            };
            text.push_str(&format!("    {} {how} {}\n", tie.from, tie.to));
        }
        for link in &self.inbound {
            let blocked = link.stays.as_ref().map(|why| format!(" (not changed: {why})")).unwrap_or_default();
            text.push_str(&format!(
                "  <- {}:{} {} {}{blocked}\n",
                link.path, link.line, link.relationship, link.target
            ));
        }
        if let Some(summary) = &self.summary {
            text.push_str(&format!("  => {}  {}\n", summary.slug, summary.title));
            let content = summary.content.iter().flat_map(|content| content.lines());
            text.push_str(&lines(content.map(|line| format!("     {line}"))));
        }
        for page in self.pages.iter().filter(|page| page.text.is_some()) {
            let cut = if page.cut { " (cut)" } else { "" };
            text.push_str(&format!(
                "  --- {}{cut}\n{}\n",
                page.slug,
                page.text.as_ref().map(crate::ops::PageText::fenced).unwrap_or_default()
            ));
        }
        text
    }
}
