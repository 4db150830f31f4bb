//! Plans a compaction: clusters of stale pages, why they belong together, and which links would be updated.

use lore_engine::{Error, Note, Result, Stale, State, VaultContext, Verb, find_stale};
use lore_ports::{Namespace, PageRow, Progress};
use lore_text::stable_number;

use super::cluster::{Connection, PageGroup, Pair, Sizes, clusters};
use super::page::set_titles;
use super::pairs::{LinkBetween, link_pairs, links_among, similar_pairs};
use super::repoint::{Inbound, inbound};

/// Scope of a plan.
#[derive(Debug, Clone, Default)]
pub struct CompactRequest {
    /// Only pages whose path starts with this.
    pub path: Option<String>,
    /// Only pages of this namespace.
    pub namespace: Option<Namespace>,
    /// Only clusters with these ids; empty for all.
    pub clusters: Vec<String>,
    /// Maximum number of clusters.
    pub limit: Option<usize>,
}

/// A compaction plan.
#[derive(Debug, Clone)]
pub struct CompactPlan {
    /// Clusters: linked ones first, then by size.
    pub clusters: Vec<Cluster>,
    /// Number of stale pages examined.
    pub stale: usize,
    /// Number of clusters, including those not requested.
    pub found: usize,
    /// How similarity was measured.
    pub measure: Measure,
    /// Notes for the reader.
    pub notes: Vec<Note>,
}

/// How the similarity of pages is measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Measure {
    /// By the vectors of a model.
    Embedding {
        /// Name of the model.
        model: String,
    },
    /// By shared words.
    Words,
}

/// Stale pages that belong together.
#[derive(Debug, Clone)]
pub struct Cluster {
    /// Two hashes: of the ids of its pages, and of their contents. The first is stable while the cluster has the same
    /// pages, the second only while none of them changes.
    pub id: String,
    /// Title of its summary, which no other page or cluster has.
    pub title: String,
    /// What connects its pages.
    pub connection: Connection,
    /// Pages, sorted by slug.
    pub members: Vec<Member>,
    /// Connections between its pages.
    pub ties: Vec<ClusterTie>,
    /// Links of other pages that would point to the summary.
    pub inbound: Vec<Inbound>,
}

/// A page of a cluster.
#[derive(Debug, Clone)]
pub struct Member {
    /// The page.
    pub page: PageRow,
    /// State: why it is stale and since when.
    pub state: State,
}

/// A connection between two pages.
#[derive(Debug, Clone, PartialEq)]
pub struct ClusterTie {
    /// Slug of the first page.
    pub one: String,
    /// Slug of the second page.
    pub other: String,
    /// Relation of a link from the first to the second.
    pub relation: Option<String>,
    /// Similarity, from 0 to 1.
    pub similarity: Option<f64>,
}

/// Finds the clusters of a vault's stale pages. Changes nothing.
pub fn plan_compaction(
    context: &VaultContext,
    request: &CompactRequest,
    progress: Progress<'_>,
) -> Result<CompactPlan> {
    let stale = compactable(context, request)?;
    progress(0, stale.len())?;
    let links = links_among(context, &stale)?;
    let policy = context.policy();
    let sizes = Sizes { smallest: policy.compact.smallest, largest: policy.compact.largest };
    let linked = clusters(stale.len(), &link_pairs(&links), &[], sizes);
    let (measure, mut similar, notes) = similar_pairs(context, &stale, &linked, progress)?;
    // Pages of different namespaces never share a summary because they sound alike.
    let namespace_of = |at: usize| policy.namespace_of(&stale[at].page);
    similar.retain(|pair| namespace_of(pair.one) == namespace_of(pair.other));
    similar.sort_by_key(|pair| (pair.one, pair.other));
    let found = clusters(stale.len(), &link_pairs(&links), &similar, sizes);
    let parts = PlanParts { stale: &stale, links: &links, similar: &similar };
    let mut all: Vec<Cluster> = found.iter().map(|found| parts.cluster(found)).collect();
    set_titles(context, &mut all);
    let count = all.len();
    let mut chosen = choose(all, request)?;
    inbound(context, &mut chosen)?;
    Ok(CompactPlan { clusters: chosen, stale: stale.len(), found: count, measure, notes })
}

/// Returns the stale pages that may be compacted, sorted by slug. Contested pages have to be resolved first; injected
/// and generated pages are never summarized.
fn compactable(context: &VaultContext, request: &CompactRequest) -> Result<Vec<Member>> {
    let policy = context.policy();
    let (path, namespace) = (request.path.clone(), request.namespace.clone());
    let found = find_stale(context, &Stale { path, namespace, ..Stale::default() })?;
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

/// Input for describing clusters.
struct PlanParts<'a> {
    stale: &'a [Member],
    links: &'a [LinkBetween],
    similar: &'a [Pair],
}

impl PlanParts<'_> {
    fn cluster(&self, found: &PageGroup) -> Cluster {
        let members: Vec<Member> = found.pages.iter().map(|at| self.stale[*at].clone()).collect();
        Cluster {
            id: cluster_id(&members),
            title: String::new(),
            connection: found.connection,
            ties: match found.connection {
                Connection::Links => self.links_of(found),
                Connection::Similarity => self.similarities_of(found),
            },
            members,
            inbound: Vec::new(),
        }
    }

    fn links_of(&self, found: &PageGroup) -> Vec<ClusterTie> {
        let from = |page: usize| {
            let start = self.links.partition_point(|link| link.from < page);
            self.links[start..].iter().take_while(move |link| link.from == page)
        };
        let inside = found.pages.iter().copied().flat_map(from).filter(|link| found.pages.contains(&link.to));
        let tie = |link: &LinkBetween| ClusterTie {
            one: self.stale[link.from].page.slug.clone(),
            other: self.stale[link.to].page.slug.clone(),
            relation: Some(link.row.link.relation.clone()),
            similarity: None,
        };
        inside.map(tie).collect()
    }

    fn similarities_of(&self, found: &PageGroup) -> Vec<ClusterTie> {
        let from = |page: usize| {
            let start = self.similar.partition_point(|pair| pair.one < page);
            self.similar[start..].iter().take_while(move |pair| pair.one == page)
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

/// Returns the id of a cluster: `<hash of ids>-<hash of contents>`.
fn cluster_id(members: &[Member]) -> String {
    let mut pages: Vec<(&str, String)> =
        members.iter().map(|member| (member.page.id.as_str(), member.page.hash.to_string())).collect();
    pages.sort();
    let ids: Vec<&str> = pages.iter().map(|(id, _)| *id).collect();
    let all: Vec<&str> = pages.iter().flat_map(|(id, hash)| [*id, hash.as_str()]).collect();
    format!("{:013x}-{:013x}", stable_number(&ids), stable_number(&all))
}

/// Returns the requested clusters; an unknown one is an error.
fn choose(mut all: Vec<Cluster>, request: &CompactRequest) -> Result<Vec<Cluster>> {
    if !request.clusters.is_empty() {
        for requested in &request.clusters {
            if !all.iter().any(|cluster| cluster.is_called(requested)) {
                return Err(Error::NoCluster { id: requested.clone() });
            }
        }
        all.retain(|cluster| request.clusters.iter().any(|requested| cluster.is_called(requested)));
    }
    all.truncate(request.limit.unwrap_or(usize::MAX));
    Ok(all)
}

impl Cluster {
    /// Returns the part of an id that identifies the pages.
    pub(super) fn pages_part(id: &str) -> &str {
        id.split_once('-').map_or(id, |(pages, _)| pages)
    }

    /// Returns whether a name is the id of the cluster, or the part of it that identifies the pages.
    fn is_called(&self, name: &str) -> bool {
        self.id == name || Self::pages_part(&self.id) == name
    }
}
