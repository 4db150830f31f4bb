//! A plan as it is shown: the clusters, why they are some, and the text of their pages as far as a budget goes.

use lore_engine::{Cluster, ClusterTie, CompactPlan, Held, Inbound, Measure, Memory, preview};
use schemars::JsonSchema;
use serde::Serialize;

use super::pages::{PageItem, page};
use crate::failure::Result;
use crate::ops::views::{count, lines};
use crate::summarizers::extractive;

/// What could be compacted.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Planned {
    /// The clusters: those that links hold together first, then the larger ones.
    clusters: Vec<ClusterItem>,
    /// How many stale pages there are.
    stale: usize,
    /// How many clusters there are, with those that were not asked for.
    found: usize,
    /// How it was told that pages are alike: the model's name, or `words`.
    measure: String,
    /// What the text of the pages costs.
    tokens: usize,
    /// What to do with it.
    hint: &'static str,
    /// What a reader should know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
}

/// Stale pages that belong together.
#[derive(Debug, Serialize, JsonSchema)]
struct ClusterItem {
    /// Its id: give it back with the summary. It changes when a page of it does.
    cluster: String,
    /// `links` or `similarity`.
    held_by: &'static str,
    pages: Vec<PageItem>,
    /// What holds which pages together.
    ties: Vec<TieItem>,
    /// Links of other pages that would lead to the summary.
    inbound: Vec<InboundItem>,
    /// What all pages cost in tokens.
    tokens: usize,
    /// The page that would be written.
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<SummaryItem>,
}

/// What holds two pages together.
#[derive(Debug, Serialize, JsonSchema)]
struct TieItem {
    from: String,
    to: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    relationship: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    similarity: Option<f64>,
}

/// A link of another page.
#[derive(Debug, Serialize, JsonSchema)]
struct InboundItem {
    from: String,
    path: String,
    line: u32,
    relationship: String,
    target: String,
    /// Why it would stay as it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    stays: Option<String>,
}

/// A page that would be written.
#[derive(Debug, Serialize, JsonSchema)]
struct SummaryItem {
    slug: String,
    title: String,
    /// Its file's text, where no model is needed for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<String>,
    /// Pages whose links would be changed.
    repointed: Vec<String>,
}

/// Whether a plan has the text of its pages.
pub enum Texts {
    /// It has not.
    None,
    /// As far as so many tokens go.
    Within(usize),
}

const WRITE: &str = "write one summary for each cluster you want compacted and give them back with `lore compact --apply FILE` \
    as {\"summaries\": [{\"cluster\", \"title\", \"content\", \"slug\"?, \"tags\"?}]}; keep decisions, their reasons and how \
    things stand, leave out what has been overtaken";

const DRY: &str = "nothing was written; run it without --dry-run to do it";

impl Planned {
    /// A plan with the text of its pages.
    pub fn new(memory: &Memory, plan: CompactPlan, texts: Texts) -> Result<Planned> {
        let mut left = match texts {
            Texts::None => None,
            Texts::Within(tokens) => Some(tokens),
        };
        let budget = left.unwrap_or(0);
        let items = plan.clusters.iter().map(|cluster| item(memory, cluster, &mut left));
        let clusters = items.collect::<Result<Vec<_>>>()?;
        let spent = budget - left.unwrap_or(0);
        Ok(Planned { tokens: spent, ..Planned::of(plan, clusters, WRITE) })
    }

    /// A plan with what would be written; with the text where that needs no model.
    pub fn preview(memory: &Memory, plan: CompactPlan, with_text: bool) -> Result<Planned> {
        let summarizer = with_text.then(|| extractive(memory));
        let mut clusters = Vec::new();
        for cluster in &plan.clusters {
            let shown = preview(memory, cluster, summarizer.as_ref())?;
            let summary = SummaryItem {
                slug: shown.slug,
                title: shown.title,
                content: with_text.then_some(shown.text),
                repointed: shown.repointed,
            };
            clusters.push(ClusterItem { summary: Some(summary), ..item(memory, cluster, &mut None)? });
        }
        Ok(Planned::of(plan, clusters, DRY))
    }

    fn of(plan: CompactPlan, clusters: Vec<ClusterItem>, hint: &'static str) -> Planned {
        let measure = match plan.measure {
            Measure::Meaning { model } => model,
            Measure::Words => "words".into(),
        };
        Planned {
            clusters,
            stale: plan.stale,
            found: plan.found,
            measure,
            tokens: 0,
            hint,
            notes: plan.notes,
        }
    }

    /// For reading.
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

    /// A line for each cluster.
    pub fn brief(&self) -> String {
        let slugs = |item: &ClusterItem| {
            item.pages.iter().map(|page| page.slug.as_str()).collect::<Vec<_>>().join(" ")
        };
        lines(self.clusters.iter().map(|item| format!("{} {}", item.cluster, slugs(item))))
    }

    /// 1 when there is nothing to compact.
    pub fn exit(&self) -> u8 {
        u8::from(self.clusters.is_empty())
    }
}

fn item(memory: &Memory, cluster: &Cluster, left: &mut Option<usize>) -> Result<ClusterItem> {
    let pages =
        cluster.members.iter().map(|member| page(memory, member, left)).collect::<Result<Vec<_>>>()?;
    Ok(ClusterItem {
        cluster: cluster.id.clone(),
        held_by: match cluster.held {
            Held::Links => "links",
            Held::Likeness => "similarity",
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
            path: link.path.clone(),
            line: link.line,
            relationship: link.relation.clone(),
            target: link.target.clone(),
            stays: link.stays.clone(),
        }
    }
}

impl ClusterItem {
    fn human(&self) -> String {
        let pages = count(self.pages.len() as u64, "page");
        let mut text = format!(
            "\n{}  {pages} held together by {}, {} tokens\n",
            self.cluster, self.held_by, self.tokens
        );
        for page in &self.pages {
            text.push_str(&format!("  {}  {} ({})\n", page.slug, page.title, page.reason));
        }
        for tie in &self.ties {
            let how = match (&tie.relationship, tie.similarity) {
                (Some(relationship), _) => relationship.clone(),
                (None, similarity) => format!("is {:.2} like", similarity.unwrap_or_default()),
            };
            text.push_str(&format!("    {} {how} {}\n", tie.from, tie.to));
        }
        for link in &self.inbound {
            let stays = link.stays.as_ref().map(|why| format!(" (stays: {why})")).unwrap_or_default();
            text.push_str(&format!(
                "  <- {}:{} {} {}{stays}\n",
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
                page.text.as_deref().unwrap_or_default()
            ));
        }
        text
    }
}
