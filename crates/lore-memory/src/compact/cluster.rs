//! Groups pages into clusters, first by links and then by similarity. Pure.
//!
//! Pages are numbered in the order of their slugs, so that the same pages give the same clusters on every machine.

use std::collections::BTreeMap;

/// Two pages and the strength of their connection.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Pair {
    /// Page with the smaller number.
    pub one: usize,
    /// The other page.
    pub other: usize,
    /// Strength; larger is stronger.
    pub strength: f64,
}

impl Pair {
    pub(super) fn new(a: usize, b: usize, strength: f64) -> Pair {
        Pair { one: a.min(b), other: a.max(b), strength }
    }
}

/// Size limits of a cluster.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sizes {
    /// Minimum number of pages.
    pub smallest: usize,
    /// Maximum number of pages.
    pub largest: usize,
}

/// What connects the pages of a cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Connection {
    /// Links between the pages.
    Links,
    /// Similar content.
    Similarity,
}

/// A cluster of pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PageGroup {
    pub pages: Vec<usize>,
    pub connection: Connection,
}

/// Returns the clusters of `count` pages. Each page is in at most one cluster; linked pages are not considered again.
pub(super) fn clusters(count: usize, links: &[Pair], similar: &[Pair], sizes: Sizes) -> Vec<PageGroup> {
    let mut found = connected_groups(count, links, sizes, Connection::Links);
    let mut clustered = vec![false; count];
    found.iter().flat_map(|cluster| &cluster.pages).for_each(|page| clustered[*page] = true);
    let remaining: Vec<Pair> =
        similar.iter().copied().filter(|pair| !clustered[pair.one] && !clustered[pair.other]).collect();
    found.extend(connected_groups(count, &remaining, sizes, Connection::Similarity));
    found.sort_by(|a, b| {
        a.connection.cmp(&b.connection).then(b.pages.len().cmp(&a.pages.len())).then(a.pages.cmp(&b.pages))
    });
    found
}

fn connected_groups(count: usize, pairs: &[Pair], sizes: Sizes, connection: Connection) -> Vec<PageGroup> {
    let groups = join_pairs(count, &strongest_first(pairs), sizes);
    let groups = groups.into_iter().filter(|pages| pages.len() >= sizes.smallest.max(2));
    groups.map(|pages| PageGroup { pages, connection }).collect()
}

/// Merges duplicate pairs by adding their strengths and sorts them, strongest first.
fn strongest_first(pairs: &[Pair]) -> Vec<Pair> {
    let mut strengths: BTreeMap<(usize, usize), f64> = BTreeMap::new();
    for pair in pairs.iter().filter(|pair| pair.one != pair.other) {
        *strengths.entry((pair.one, pair.other)).or_default() += pair.strength;
    }
    let mut pairs: Vec<Pair> =
        strengths.into_iter().map(|((one, other), strength)| Pair { one, other, strength }).collect();
    pairs.sort_by(|a, b| b.strength.total_cmp(&a.strength));
    pairs
}

/// Joins pairs into groups. A group that would be too large is split at its weakest pairs: the strongest are joined
/// first, and no join may exceed an even share of the whole group.
fn join_pairs(count: usize, pairs: &[Pair], sizes: Sizes) -> Vec<Vec<usize>> {
    let mut whole = Sets::new(count);
    pairs.iter().for_each(|pair| whole.join(pair.one, pair.other, usize::MAX));
    let mut parts = Sets::new(count);
    for pair in pairs {
        let size = whole.size_of(pair.one);
        let part_count = size.div_ceil(sizes.largest.max(2));
        parts.join(pair.one, pair.other, size.div_ceil(part_count));
    }
    // Remainders too small for a cluster of their own join a group that has room.
    for pair in pairs {
        if parts.size_of(pair.one).min(parts.size_of(pair.other)) < sizes.smallest {
            parts.join(pair.one, pair.other, sizes.largest);
        }
    }
    parts.groups()
}

/// Disjoint sets.
struct Sets {
    parent: Vec<usize>,
    size: Vec<usize>,
}

impl Sets {
    fn new(count: usize) -> Sets {
        Sets { parent: (0..count).collect(), size: vec![1; count] }
    }

    fn root(&mut self, mut at: usize) -> usize {
        while self.parent[at] != at {
            self.parent[at] = self.parent[self.parent[at]];
            at = self.parent[at];
        }
        at
    }

    fn size_of(&mut self, at: usize) -> usize {
        let root = self.root(at);
        self.size[root]
    }

    /// Joins two sets unless the result would have more than `max_size` members.
    fn join(&mut self, a: usize, b: usize, max_size: usize) {
        let (a, b) = (self.root(a), self.root(b));
        if a == b || self.size[a] + self.size[b] > max_size {
            return;
        }
        let (small, large) = if self.size[a] < self.size[b] { (a, b) } else { (b, a) };
        self.parent[small] = large;
        self.size[large] += self.size[small];
    }

    /// Returns the sets, sorted by first member.
    fn groups(mut self) -> Vec<Vec<usize>> {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        let mut group_of_root: BTreeMap<usize, usize> = BTreeMap::new();
        for page in 0..self.parent.len() {
            let root = self.root(page);
            let group = *group_of_root.entry(root).or_insert_with(|| {
                groups.push(Vec::new());
                groups.len() - 1
            });
            groups[group].push(page);
        }
        groups
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SIZES: Sizes = Sizes { smallest: 3, largest: 4 };

    fn pairs(list: &[(usize, usize, f64)]) -> Vec<Pair> {
        list.iter().map(|(a, b, strength)| Pair::new(*a, *b, *strength)).collect()
    }

    #[track_caller]
    fn check(count: usize, links: &[(usize, usize, f64)], similar: &[(usize, usize, f64)], expected: &str) {
        let found = clusters(count, &pairs(links), &pairs(similar), SIZES);
        let shown: Vec<String> =
            found.iter().map(|cluster| format!("{:?} {:?}", cluster.connection, cluster.pages)).collect();
        assert_eq!(shown.join("; "), expected);
    }

    #[test]
    fn three_linked_pages_form_a_cluster_and_two_do_not() {
        check(6, &[(0, 1, 1.0), (2, 1, 1.0), (4, 5, 1.0)], &[], "Links [0, 1, 2]");
        check(2, &[(0, 1, 1.0), (1, 0, 1.0), (1, 1, 9.0)], &[], "");
        check(0, &[], &[], "");
    }

    #[test]
    fn links_take_precedence_over_similarity() {
        let similar = [(2, 3, 0.99), (3, 4, 0.95), (4, 5, 0.9), (5, 0, 0.85)];
        check(6, &[(0, 1, 1.0), (1, 2, 1.0)], &similar, "Links [0, 1, 2]; Similarity [3, 4, 5]");
    }

    #[test]
    fn large_group_is_split_at_the_weakest_pair() {
        let row = [(0, 1, 2.0), (1, 2, 2.0), (2, 3, 1.0), (3, 4, 2.0), (4, 5, 2.0)];
        check(6, &row, &[], "Links [0, 1, 2]; Links [3, 4, 5]");
    }

    #[test]
    fn chain_is_split_evenly() {
        let row: Vec<(usize, usize, f64)> = (0..8).map(|at| (at, at + 1, 1.0)).collect();
        check(9, &row, &[], "Links [0, 1, 2]; Links [3, 4, 5]; Links [6, 7, 8]");
    }

    #[test]
    fn strengths_of_multiple_links_add_up() {
        let once = [(0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.5), (3, 4, 2.0), (4, 5, 2.0)];
        let twice = [&once[..], &[(1, 0, 1.0), (1, 2, 1.0)]].concat();
        check(6, &twice, &[], "Links [0, 1, 2]; Links [3, 4, 5]");
    }

    #[test]
    fn remainders_join_a_group_with_room() {
        let row = [(0, 1, 1.0), (1, 2, 2.0), (2, 3, 2.0), (3, 4, 1.0), (4, 5, 1.0)];
        check(6, &row, &[], "Links [0, 1, 2, 3]");
    }

    proptest! {
        #[test]
        fn clusters_are_disjoint_and_independent_of_pair_order(
            list in prop::collection::vec((0usize..30, 0usize..30, 1u8..4), 0..80),
            offset in 0usize..80,
        ) {
            let links: Vec<(usize, usize, f64)> =
                list.iter().map(|(a, b, strength)| (*a, *b, f64::from(*strength))).collect();
            let mut rotated = links.clone();
            rotated.rotate_left(offset.min(links.len()));
            let found = clusters(30, &pairs(&links), &pairs(&links), SIZES);
            prop_assert_eq!(&found, &clusters(30, &pairs(&rotated), &pairs(&rotated), SIZES));
            let mut seen = std::collections::BTreeSet::new();
            for cluster in &found {
                prop_assert!((SIZES.smallest..=SIZES.largest).contains(&cluster.pages.len()));
                prop_assert!(cluster.pages.iter().all(|page| seen.insert(*page)));
            }
        }

        #[test]
        fn removing_a_cluster_does_not_change_the_others(
            list in prop::collection::vec((0usize..30, 0usize..30, 1u8..4), 0..80),
        ) {
            let links = pairs(&list.iter().map(|(a, b, s)| (*a, *b, f64::from(*s))).collect::<Vec<_>>());
            let sizes = Sizes { smallest: 3, largest: 1000 };
            let found = clusters(30, &links, &[], sizes);
            let Some((first, rest)) = found.split_first() else { return Ok(()) };
            let left: Vec<Pair> = links
                .iter()
                .copied()
                .filter(|pair| !first.pages.contains(&pair.one) && !first.pages.contains(&pair.other))
                .collect();
            prop_assert_eq!(clusters(30, &left, &[], sizes), rest);
        }
    }
}
