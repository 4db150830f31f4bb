//! Which pages belong together, as a pure function: those that links hold together first, then those that are alike.
//!
//! Pages are numbers in the order of their slugs, so that the same pages give the same clusters on every machine.

use std::collections::BTreeMap;

/// Two pages and how strongly they are held together; more is stronger.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Pair {
    /// The page with the smaller number.
    pub one: usize,
    /// The other.
    pub other: usize,
    /// How strongly.
    pub strength: f64,
}

impl Pair {
    pub(super) fn new(a: usize, b: usize, strength: f64) -> Pair {
        Pair { one: a.min(b), other: a.max(b), strength }
    }
}

/// How many pages a cluster has.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sizes {
    /// At the least.
    pub smallest: usize,
    /// At the most.
    pub largest: usize,
}

/// What holds a cluster together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Held {
    /// Links between its pages.
    Links,
    /// Its pages say much the same.
    Likeness,
}

/// Pages that belong together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    pub pages: Vec<usize>,
    pub held: Held,
}

/// The clusters of so many pages. A page is in one of them only: what links hold together is not looked at again.
pub(super) fn clusters(count: usize, links: &[Pair], alike: &[Pair], sizes: Sizes) -> Vec<Found> {
    let mut found = gather(count, links, sizes, Held::Links);
    let mut taken = vec![false; count];
    found.iter().flat_map(|cluster| &cluster.pages).for_each(|page| taken[*page] = true);
    let left: Vec<Pair> =
        alike.iter().copied().filter(|pair| !taken[pair.one] && !taken[pair.other]).collect();
    found.extend(gather(count, &left, sizes, Held::Likeness));
    found.sort_by(|a, b| {
        a.held.cmp(&b.held).then(b.pages.len().cmp(&a.pages.len())).then(a.pages.cmp(&b.pages))
    });
    found
}

fn gather(count: usize, pairs: &[Pair], sizes: Sizes, held: Held) -> Vec<Found> {
    let groups = joined(count, &strongest_first(pairs), sizes);
    let groups = groups.into_iter().filter(|pages| pages.len() >= sizes.smallest.max(2));
    groups.map(|pages| Found { pages, held }).collect()
}

/// Each pair once, with all its strength together, the strongest first.
fn strongest_first(pairs: &[Pair]) -> Vec<Pair> {
    let mut together: BTreeMap<(usize, usize), f64> = BTreeMap::new();
    for pair in pairs.iter().filter(|pair| pair.one != pair.other) {
        *together.entry((pair.one, pair.other)).or_default() += pair.strength;
    }
    let mut pairs: Vec<Pair> =
        together.into_iter().map(|((one, other), strength)| Pair { one, other, strength }).collect();
    pairs.sort_by(|a, b| b.strength.total_cmp(&a.strength));
    pairs
}

/// Joins pairs into groups. A group that would become too large is cut at its weakest pairs: the strongest are joined
/// first, and none joins two groups that together are more than a fair part of the whole.
fn joined(count: usize, pairs: &[Pair], sizes: Sizes) -> Vec<Vec<usize>> {
    let mut whole = Sets::new(count);
    pairs.iter().for_each(|pair| whole.join(pair.one, pair.other, usize::MAX));
    let mut cut = Sets::new(count);
    for pair in pairs {
        let size = whole.size_of(pair.one);
        let parts = size.div_ceil(sizes.largest.max(2));
        cut.join(pair.one, pair.other, size.div_ceil(parts));
    }
    // What was left over, too little for a cluster of its own, goes where there is still room.
    for pair in pairs {
        if cut.size_of(pair.one).min(cut.size_of(pair.other)) < sizes.smallest {
            cut.join(pair.one, pair.other, sizes.largest);
        }
    }
    cut.groups()
}

/// Disjoint sets.
struct Sets {
    above: Vec<usize>,
    size: Vec<usize>,
}

impl Sets {
    fn new(count: usize) -> Sets {
        Sets { above: (0..count).collect(), size: vec![1; count] }
    }

    fn root(&mut self, mut at: usize) -> usize {
        while self.above[at] != at {
            self.above[at] = self.above[self.above[at]];
            at = self.above[at];
        }
        at
    }

    fn size_of(&mut self, at: usize) -> usize {
        let root = self.root(at);
        self.size[root]
    }

    /// Makes one set of two unless it would have more than so many members.
    fn join(&mut self, a: usize, b: usize, most: usize) {
        let (a, b) = (self.root(a), self.root(b));
        if a == b || self.size[a] + self.size[b] > most {
            return;
        }
        let (small, large) = if self.size[a] < self.size[b] { (a, b) } else { (b, a) };
        self.above[small] = large;
        self.size[large] += self.size[small];
    }

    /// The sets, by their first members.
    fn groups(mut self) -> Vec<Vec<usize>> {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        let mut at: BTreeMap<usize, usize> = BTreeMap::new();
        for page in 0..self.above.len() {
            let root = self.root(page);
            let group = *at.entry(root).or_insert_with(|| {
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
    fn check(count: usize, links: &[(usize, usize, f64)], alike: &[(usize, usize, f64)], expected: &str) {
        let found = clusters(count, &pairs(links), &pairs(alike), SIZES);
        let shown: Vec<String> =
            found.iter().map(|cluster| format!("{:?} {:?}", cluster.held, cluster.pages)).collect();
        assert_eq!(shown.join("; "), expected);
    }

    #[test]
    fn three_pages_in_a_row_of_links_are_a_cluster_and_two_are_none() {
        check(6, &[(0, 1, 1.0), (2, 1, 1.0), (4, 5, 1.0)], &[], "Links [0, 1, 2]");
        check(2, &[(0, 1, 1.0), (1, 0, 1.0), (1, 1, 9.0)], &[], "");
        check(0, &[], &[], "");
    }

    #[test]
    fn links_come_before_likeness_and_a_page_is_in_one_cluster_only() {
        let alike = [(2, 3, 0.99), (3, 4, 0.95), (4, 5, 0.9), (5, 0, 0.85)];
        check(6, &[(0, 1, 1.0), (1, 2, 1.0)], &alike, "Links [0, 1, 2]; Likeness [3, 4, 5]");
    }

    #[test]
    fn what_is_too_large_is_cut_at_the_weakest_pair() {
        let row = [(0, 1, 2.0), (1, 2, 2.0), (2, 3, 1.0), (3, 4, 2.0), (4, 5, 2.0)];
        check(6, &row, &[], "Links [0, 1, 2]; Links [3, 4, 5]");
    }

    #[test]
    fn a_row_is_cut_into_fair_parts() {
        let row: Vec<(usize, usize, f64)> = (0..8).map(|at| (at, at + 1, 1.0)).collect();
        check(9, &row, &[], "Links [0, 1, 2]; Links [3, 4, 5]; Links [6, 7, 8]");
    }

    #[test]
    fn several_links_between_two_pages_count_together() {
        let once = [(0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.5), (3, 4, 2.0), (4, 5, 2.0)];
        let twice = [&once[..], &[(1, 0, 1.0), (1, 2, 1.0)]].concat();
        check(6, &twice, &[], "Links [0, 1, 2]; Links [3, 4, 5]");
    }

    #[test]
    fn what_is_left_over_goes_where_there_is_room() {
        let row = [(0, 1, 1.0), (1, 2, 2.0), (2, 3, 2.0), (3, 4, 1.0), (4, 5, 1.0)];
        check(6, &row, &[], "Links [0, 1, 2, 3]");
    }

    proptest! {
        #[test]
        fn clusters_are_disjoint_and_of_the_right_size_in_whatever_order_the_pairs_come(
            list in prop::collection::vec((0usize..30, 0usize..30, 1u8..4), 0..80),
            turn in 0usize..80,
        ) {
            let links: Vec<(usize, usize, f64)> =
                list.iter().map(|(a, b, strength)| (*a, *b, f64::from(*strength))).collect();
            let mut turned = links.clone();
            turned.rotate_left(turn.min(links.len()));
            let found = clusters(30, &pairs(&links), &pairs(&links), SIZES);
            prop_assert_eq!(&found, &clusters(30, &pairs(&turned), &pairs(&turned), SIZES));
            let mut seen = std::collections::BTreeSet::new();
            for cluster in &found {
                prop_assert!((SIZES.smallest..=SIZES.largest).contains(&cluster.pages.len()));
                prop_assert!(cluster.pages.iter().all(|page| seen.insert(*page)));
            }
        }

        #[test]
        fn what_is_left_is_clustered_as_before_when_a_cluster_has_gone(
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
