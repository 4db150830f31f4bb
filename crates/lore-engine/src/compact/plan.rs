//! What could be compacted: the clusters of stale pages, why they belong together, and whose links would follow.

use super::cluster::{Found, Held, Pair, Sizes, clusters};
use super::pairs::{Among, alike, link_pairs, links_among};
use super::repoint::{Inbound, inbound};
use crate::error::{Error, Result};
use crate::hash::stable_number;
use crate::index::PageRow;
use crate::lifecycle::{Stale, State, find_stale};
use crate::memory::Memory;
use crate::policy::Verb;
use crate::progress::Progress;

/// What to look at.
#[derive(Debug, Clone, Default)]
pub struct CompactRequest {
    /// Pages whose path starts so.
    pub path: Option<String>,
    /// Only the clusters of these ids; all where there are none.
    pub clusters: Vec<String>,
    /// So many clusters at the most.
    pub limit: Option<usize>,
}

/// What could be compacted.
#[derive(Debug, Clone)]
pub struct CompactPlan {
    /// The clusters: those that links hold together first, then the larger ones.
    pub clusters: Vec<Cluster>,
    /// How many stale pages were looked at.
    pub stale: usize,
    /// How many clusters there are, with those that were not asked for.
    pub found: usize,
    /// How it was told that pages are alike.
    pub measure: Measure,
    /// What a reader should know.
    pub notes: Vec<String>,
}

/// How it is told that two pages are alike.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Measure {
    /// By the vectors of a model.
    Meaning {
        /// Its name.
        model: String,
    },
    /// By the words they share.
    Words,
}

/// Stale pages that belong together.
#[derive(Debug, Clone)]
pub struct Cluster {
    /// Two checksums: of the ids of its pages, and of their bytes. The first stays while the pages are the same, the
    /// second only while nobody changes them.
    pub id: String,
    /// What holds it together.
    pub held: Held,
    /// Its pages, by slug.
    pub members: Vec<Member>,
    /// What holds which of them together.
    pub ties: Vec<ClusterTie>,
    /// The links of other pages that would lead to the summary.
    pub inbound: Vec<Inbound>,
}

/// A page of a cluster.
#[derive(Debug, Clone)]
pub struct Member {
    /// The page.
    pub page: PageRow,
    /// Its state: why it is stale and since when.
    pub state: State,
}

/// What holds two pages together.
#[derive(Debug, Clone, PartialEq)]
pub struct ClusterTie {
    /// The slug of the one.
    pub one: String,
    /// The slug of the other.
    pub other: String,
    /// The relation of a link from the one to the other.
    pub relation: Option<String>,
    /// How alike they are, from 0 to 1.
    pub similarity: Option<f64>,
}

/// Finds the clusters of a vault's stale pages. Changes nothing.
pub fn plan_compaction(
    memory: &Memory,
    request: &CompactRequest,
    progress: Progress<'_>,
) -> Result<CompactPlan> {
    let stale = compactable(memory, request)?;
    progress(0, stale.len())?;
    let links = links_among(memory, &stale)?;
    let policy = memory.policy();
    let sizes = Sizes { smallest: policy.compact.smallest, largest: policy.compact.largest };
    let linked = clusters(stale.len(), &link_pairs(&links), &[], sizes);
    let (measure, mut alike, notes) = alike(memory, &stale, &linked, progress)?;
    alike.sort_by_key(|pair| (pair.one, pair.other));
    let found = clusters(stale.len(), &link_pairs(&links), &alike, sizes);
    let parts = Parts { stale: &stale, links: &links, alike: &alike };
    let all: Vec<Cluster> = found.iter().map(|found| parts.cluster(found)).collect();
    let count = all.len();
    let mut chosen = choose(all, request)?;
    inbound(memory, &mut chosen)?;
    Ok(CompactPlan { clusters: chosen, stale: stale.len(), found: count, measure, notes })
}

/// The stale pages that may be changed, by slug. What is contested waits for its answer; what every agent is given, or
/// Lore writes itself, is no page to sum up.
fn compactable(memory: &Memory, request: &CompactRequest) -> Result<Vec<Member>> {
    let policy = memory.policy();
    let found = find_stale(memory, &Stale { path: request.path.clone(), ..Stale::default() })?;
    let injected = |path: &str| policy.inject.iter().any(|inject| inject.path == path);
    let generated = |path: &str| policy.generated.iter().any(|generated| generated.path.matches(path));
    let fits = |(page, state): &(PageRow, State)| {
        let path = page.path.as_str();
        state.contradicts.is_empty()
            && page.properties.get("compacted_into").is_none()
            && policy.allow(path, &[Verb::Patch]).is_ok()
            && !injected(path)
            && !generated(path)
    };
    let mut members: Vec<Member> =
        found.into_iter().filter(fits).map(|(page, state)| Member { page, state }).collect();
    members.sort_by(|a, b| a.page.slug.cmp(&b.page.slug));
    Ok(members)
}

/// What clusters are described with.
struct Parts<'a> {
    stale: &'a [Member],
    links: &'a [Among],
    alike: &'a [Pair],
}

impl Parts<'_> {
    fn cluster(&self, found: &Found) -> Cluster {
        let members: Vec<Member> = found.pages.iter().map(|at| self.stale[*at].clone()).collect();
        Cluster {
            id: cluster_id(&members),
            held: found.held,
            ties: match found.held {
                Held::Links => self.links_of(found),
                Held::Likeness => self.likeness_of(found),
            },
            members,
            inbound: Vec::new(),
        }
    }

    fn links_of(&self, found: &Found) -> Vec<ClusterTie> {
        let from = |page: usize| {
            let start = self.links.partition_point(|link| link.from < page);
            self.links[start..].iter().take_while(move |link| link.from == page)
        };
        let inside = found.pages.iter().copied().flat_map(from).filter(|link| found.pages.contains(&link.to));
        let tie = |link: &Among| ClusterTie {
            one: self.stale[link.from].page.slug.clone(),
            other: self.stale[link.to].page.slug.clone(),
            relation: Some(link.row.link.relation.clone()),
            similarity: None,
        };
        inside.map(tie).collect()
    }

    fn likeness_of(&self, found: &Found) -> Vec<ClusterTie> {
        let from = |page: usize| {
            let start = self.alike.partition_point(|pair| pair.one < page);
            self.alike[start..].iter().take_while(move |pair| pair.one == page)
        };
        let inside =
            found.pages.iter().copied().flat_map(from).filter(|pair| found.pages.contains(&pair.other));
        let tie = |pair: &Pair| ClusterTie {
            one: self.stale[pair.one].page.slug.clone(),
            other: self.stale[pair.other].page.slug.clone(),
            relation: None,
            similarity: Some(pair.strength),
        };
        inside.map(tie).collect()
    }
}

/// `ids-bytes`: what the pages are, and what they say.
fn cluster_id(members: &[Member]) -> String {
    let mut pages: Vec<(&str, String)> =
        members.iter().map(|member| (member.page.id.as_str(), member.page.hash.to_string())).collect();
    pages.sort();
    let ids: Vec<&str> = pages.iter().map(|(id, _)| *id).collect();
    let all: Vec<&str> = pages.iter().flat_map(|(id, hash)| [*id, hash.as_str()]).collect();
    format!("{:013x}-{:013x}", stable_number(&ids), stable_number(&all))
}

/// The clusters that are asked for; one that is not there is an error.
fn choose(mut all: Vec<Cluster>, request: &CompactRequest) -> Result<Vec<Cluster>> {
    if !request.clusters.is_empty() {
        for wanted in &request.clusters {
            if !all.iter().any(|cluster| cluster.is_called(wanted)) {
                return Err(Error::BadInput {
                    message: format!("no cluster is called {wanted:?} now"),
                    hint: "see those that there are with `lore compact --plan --no-text`".into(),
                });
            }
        }
        all.retain(|cluster| request.clusters.iter().any(|wanted| cluster.is_called(wanted)));
    }
    all.truncate(request.limit.unwrap_or(usize::MAX));
    Ok(all)
}

impl Cluster {
    /// The part of its id that says which pages it has.
    pub(super) fn pages_part(id: &str) -> &str {
        id.split_once('-').map_or(id, |(pages, _)| pages)
    }

    /// Whether a name is its id, or the part of it that stands for its pages.
    fn is_called(&self, name: &str) -> bool {
        self.id == name || Self::pages_part(&self.id) == name
    }
}
