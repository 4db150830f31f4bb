//! The order of pages by what is current. Pure.

use std::collections::{HashMap, HashSet};

use lore_ports::PageNo;

/// A page to place.
#[derive(Debug, Clone, Default)]
pub(super) struct Candidate {
    pub page: PageNo,
    /// Its score; none if it did not match itself.
    pub score: Option<f64>,
    /// Its lower score, if it no longer holds.
    pub lowered: Option<f64>,
    /// Whether the query names it, so that it comes before its successors.
    pub named: bool,
    /// The pages that supersede it, directly or through others.
    pub above: Vec<PageNo>,
    /// Those that supersede it directly, without the pages of its own cycle.
    pub successors: Vec<PageNo>,
}

/// A page in its place.
#[derive(Debug, PartialEq)]
pub(super) struct Placed {
    pub page: PageNo,
    pub score: f64,
    /// The page whose score it takes.
    pub inherits: Option<PageNo>,
}

/// Orders pages: successors take the score of what they supersede and come before it; other pages that no longer hold
/// count less. If the question asks for the past, what is superseded comes first.
pub(super) fn current_first(candidates: &[Candidate], past: bool) -> Vec<Placed> {
    let at: HashMap<PageNo, usize> = candidates.iter().enumerate().map(|(at, one)| (one.page, at)).collect();
    let matched: Vec<f64> = candidates.iter().map(|one| one.score.unwrap_or(f64::NEG_INFINITY)).collect();
    let mut placed: Vec<Placed> = candidates
        .iter()
        .zip(&matched)
        .map(|(one, score)| {
            let score = one.lowered.filter(|_| !past).map_or(*score, |lowered| lowered.min(*score));
            Placed { page: one.page, score, inherits: None }
        })
        .collect();
    let mut place: Vec<usize> = (0..candidates.len()).collect();
    for old in candidates.iter().filter(|one| !one.successors.is_empty()) {
        let Some(from) = at.get(&old.page).copied() else { continue };
        for successor in above(old, candidates, &at) {
            // A successor that did not match itself takes the score also in a question about the past, and follows.
            let upward = !past || candidates[successor].score.is_none();
            let (gives, takes) = if upward { (from, successor) } else { (successor, from) };
            if matched[gives] > placed[takes].score {
                placed[takes].score = matched[gives];
                place[takes] = gives;
                placed[takes].inherits = upward.then_some(old.page);
            }
        }
    }
    placed.retain(|one| one.score > f64::NEG_INFINITY);
    // Of equal scores the current page comes first, unless the query names the other one or asks for the past.
    let rank = |page: PageNo| {
        at.get(&page).map_or(0, |at| {
            let one = &candidates[*at];
            match () {
                () if one.named => -1,
                () if past => -i64::try_from(one.above.len()).unwrap_or(0),
                () => i64::try_from(one.above.len()).unwrap_or(0),
            }
        })
    };
    // Then a page stands where the one stood whose score it takes.
    let place = |page: PageNo| at.get(&page).map_or(0, |at| place[*at]);
    placed.sort_by(|a, b| {
        let order = |page: PageNo| (rank(page), place(page));
        b.score.total_cmp(&a.score).then_with(|| order(a.page).cmp(&order(b.page)))
    });
    placed
}

/// Returns the positions of the pages that supersede a page, outside its own cycle.
fn above(old: &Candidate, candidates: &[Candidate], at: &HashMap<PageNo, usize>) -> Vec<usize> {
    let mut seen: HashSet<PageNo> = HashSet::from([old.page]);
    let mut found = Vec::new();
    let mut waiting = old.successors.clone();
    while let Some(page) = waiting.pop() {
        if !seen.insert(page) {
            continue;
        }
        if let Some(position) = at.get(&page) {
            found.push(*position);
            waiting.extend(&candidates[*position].successors);
        }
    }
    // A page between two of the ranking need not be in it.
    for page in &old.above {
        if let Some(position) =
            at.get(page).filter(|position| !candidates[**position].above.contains(&old.page))
            && seen.insert(*page)
        {
            found.push(*position);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(page: PageNo, score: Option<f64>, above: &[PageNo]) -> Candidate {
        let lowered = score.filter(|_| !above.is_empty()).map(|score| score / 2.0);
        let successors = above.iter().take(1).copied().collect();
        Candidate { page, score, lowered, above: above.to_vec(), successors, ..Candidate::default() }
    }

    #[track_caller]
    fn check(candidates: &[Candidate], past: bool, expected: &[(PageNo, f64)]) {
        let found: Vec<(PageNo, f64)> =
            current_first(candidates, past).iter().map(|one| (one.page, one.score)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn successor_takes_the_score_of_what_it_supersedes() {
        let old = page(1, Some(0.8), &[2]);
        check(
            &[old.clone(), page(2, Some(0.1), &[]), page(3, Some(0.5), &[])],
            false,
            &[(2, 0.8), (3, 0.5), (1, 0.4)],
        );
        check(&[old.clone(), page(2, None, &[])], false, &[(2, 0.8), (1, 0.4)]);
        check(&[old.clone(), page(2, Some(0.1), &[])], true, &[(1, 0.8), (2, 0.1)]);
        check(&[old, page(2, None, &[])], true, &[(1, 0.8), (2, 0.8)]);
    }

    #[test]
    fn successor_takes_the_place_of_what_it_supersedes_among_equals() {
        let pages = [page(1, Some(0.8), &[2]), page(3, Some(0.8), &[]), page(2, None, &[])];
        check(&pages, false, &[(2, 0.8), (3, 0.8), (1, 0.4)]);
    }

    #[test]
    fn end_of_a_chain_comes_first() {
        let chain = [page(1, Some(0.8), &[2, 3]), page(2, Some(0.2), &[3]), page(3, None, &[])];
        check(&chain, false, &[(3, 0.8), (2, 0.8), (1, 0.4)]);
        check(&[chain[0].clone(), chain[2].clone()], false, &[(3, 0.8), (1, 0.4)]);
    }

    #[test]
    fn named_page_keeps_its_place_and_its_successor_follows() {
        let named = Candidate { named: true, lowered: None, ..page(1, Some(2.0), &[2]) };
        check(&[named, page(3, Some(0.9), &[]), page(2, None, &[])], false, &[(1, 2.0), (2, 2.0), (3, 0.9)]);
    }

    #[test]
    fn pages_of_a_cycle_keep_their_scores() {
        let both = [page(1, Some(0.8), &[]), page(2, Some(0.6), &[])]
            .map(|one| Candidate { above: vec![3 - one.page], ..one });
        check(&both, false, &[(1, 0.8), (2, 0.6)]);
    }
}
