//! Reads the connections between stale pages from the index: their links, and which of the others are similar.

use std::collections::{BTreeMap, HashMap};

use lore_engine::{Note, Result, VaultContext, page_terms, page_vectors};
use lore_page::LINKS_TO;
use lore_ports::{LinkFilter, LinkRow, PageNo, Progress};

use super::cluster::{PageGroup, Pair};
use super::plan::{Measure, Member};
use super::similar_pairs::{by_embedding, by_words};

/// A link between two stale pages, given by their positions in the list.
pub(super) struct LinkBetween {
    /// Position of the source page.
    pub from: usize,
    /// Position of the target page.
    pub to: usize,
    /// The link.
    pub row: LinkRow,
}

/// Returns the links between stale pages, without duplicate relations.
pub(super) fn links_among(context: &VaultContext, stale: &[Member]) -> Result<Vec<LinkBetween>> {
    let positions: HashMap<PageNo, usize> =
        stale.iter().enumerate().map(|(at, member)| (member.page.number, at)).collect();
    let numbers: Vec<PageNo> = stale.iter().map(|member| member.page.number).collect();
    let rows = context.store().links(context.project(), &LinkFilter::From(&numbers))?;
    let ends = |row: LinkRow| {
        let (from, to) = (*positions.get(&row.from)?, *positions.get(&row.to?)?);
        (from != to).then_some(LinkBetween { from, to, row })
    };
    let mut links: Vec<LinkBetween> = rows.into_iter().filter_map(ends).collect();
    links.sort_by(|a, b| (a.from, a.to, &a.row.link.relation).cmp(&(b.from, b.to, &b.row.link.relation)));
    links.dedup_by(|a, b| a.from == b.from && a.to == b.to && a.row.link.relation == b.row.link.relation);
    Ok(links)
}

/// Returns a pair for each link. A named relation counts twice as much as a plain link.
pub(super) fn link_pairs(links: &[LinkBetween]) -> Vec<Pair> {
    let strength = |link: &LinkBetween| if link.row.link.relation == LINKS_TO { 1.0 } else { 2.0 };
    links.iter().map(|link| Pair::new(link.from, link.to, strength(link))).collect()
}

/// Returns the pairs of similar pages within one namespace, among pages not clustered by links.
pub(super) fn similar_pairs(
    context: &VaultContext,
    stale: &[Member],
    linked: &[PageGroup],
    progress: Progress<'_>,
) -> Result<(Measure, Vec<Pair>, Vec<Note>)> {
    let mut clustered = vec![false; stale.len()];
    linked.iter().flat_map(|found| &found.pages).for_each(|at| clustered[*at] = true);
    let remaining: Vec<usize> = (0..stale.len()).filter(|at| !clustered[*at]).collect();
    let mut namespaces: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for at in &remaining {
        namespaces.entry(namespace(&stale[*at].page.path)).or_default().push(*at);
    }
    let compact = &context.policy().compact;
    let (mut pairs, mut done) = (Vec::new(), 0);
    let Some(model) = context.active_model()? else {
        for namespace in namespaces.into_values().filter(|namespace| namespace.len() >= compact.smallest) {
            done += namespace.len();
            let terms = |at: usize| Ok((at, page_terms(context, &stale[at].page)?));
            let pages = namespace.into_iter().map(terms).collect::<Result<Vec<_>>>()?;
            pairs.extend(by_words(&pages, compact.shared_words));
            progress(done, remaining.len())?;
        }
        let note = "no embedding model is set up: pages are compared by shared words";
        return Ok((Measure::Words, pairs, vec![Note::Remark(note.to_owned())]));
    };
    let mut missing = 0;
    for namespace in namespaces.into_values().filter(|namespace| namespace.len() >= compact.smallest) {
        done += namespace.len();
        let numbers: Vec<PageNo> = namespace.iter().map(|at| stale[*at].page.number).collect();
        let mut vectors: HashMap<PageNo, Vec<f32>> = page_vectors(context, model.number, &numbers)?;
        missing += numbers.len() - vectors.len();
        let point = |at: usize| Some((at, vectors.remove(&stale[at].page.number)?));
        let points: Vec<(usize, Vec<f32>)> = namespace.into_iter().filter_map(point).collect();
        pairs.extend(by_embedding(&points, compact.similar));
        progress(done, remaining.len())?;
    }
    let (count, effect) = (missing as u64, "were not compared");
    let note = (missing > 0).then_some(Note::NotEmbedded { count, what: "stale page", effect });
    let notes = note.into_iter().collect();
    Ok((Measure::Embedding { model: model.identity.name }, pairs, notes))
}

/// Returns the top-level folder of a path; empty at the root.
fn namespace(path: &str) -> &str {
    path.split_once('/').map_or("", |(top, _)| top)
}
