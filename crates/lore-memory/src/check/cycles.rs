//! Finds pages that supersede each other in a circle. Pure.

use std::collections::{BTreeMap, BTreeSet};

use lore_engine::lifecycle::Ties;
use lore_ports::{LinkRow, PageNo};
use lore_text::fold;

use super::contradiction::{Candidate, ContradictionKind, LineRef, topic};
use super::rows::Rows;

/// Returns a finding for each circle, with two of its links.
pub(super) fn supersession_cycles(rows: &Rows) -> Vec<Candidate> {
    let ties = Ties::of(&rows.relations, &rows.today);
    let supersedes = |link: &&LinkRow| fold(&link.link.relation).starts_with("supersede");
    let links: Vec<&LinkRow> = rows.relations.iter().filter(supersedes).collect();
    let mut circles: BTreeMap<Vec<&str>, BTreeSet<PageNo>> = BTreeMap::new();
    for page in links.iter().flat_map(|link| [Some(link.from), link.to]).flatten() {
        let circle: BTreeSet<PageNo> = ties.circle(page).into_iter().collect();
        let mut slugs: Vec<&str> = circle.iter().map(|page| rows.slug(*page)).collect();
        slugs.sort_unstable();
        if !slugs.is_empty() {
            circles.insert(slugs, circle);
        }
    }
    circles.into_iter().filter_map(|(slugs, pages)| candidate(rows, &slugs, &pages, &links)).collect()
}

fn candidate(rows: &Rows, slugs: &[&str], pages: &BTreeSet<PageNo>, links: &[&LinkRow]) -> Option<Candidate> {
    let inside = |link: &&&LinkRow| {
        pages.contains(&link.from)
            && link.to.is_some_and(|to| pages.contains(&to))
            && rows.holds(link.link.interval)
    };
    let mut lines: Vec<(&str, LineRef)> = links
        .iter()
        .filter(inside)
        .map(|link| (rows.slug(link.from), LineRef { page: link.from, line: link.link.line }))
        .collect();
    lines.sort_unstable_by_key(|(slug, line)| (*slug, line.line));
    let ((first_slug, first), (_, last)) = (*lines.first()?, *lines.last()?);
    let message = match slugs {
        [one] => format!("{one} supersedes itself"),
        _ => format!("{} supersede each other, so none of them is current", slugs.join(", ")),
    };
    Some(Candidate {
        kind: ContradictionKind::SupersessionCycle,
        subject: first_slug.to_owned(),
        about: Some(first.page),
        message,
        since: None,
        lines: [first, last],
        topic: topic(slugs),
    })
}
