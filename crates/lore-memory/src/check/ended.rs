//! Finds live facts whose link has ended: `is_ceo_of:: Brex` beside `works_at [[Brex]] {2018..2024}`. Pure.

use std::collections::HashMap;

use lore_ports::{LinkRow, PageNo, StatementRow};

use super::contradiction::{Candidate, ContradictionKind, LineRef, topic};
use super::rows::{ResolvedNames, Rows, line_ref};
use super::verbs::{VerbKind, corresponds, verb_kind};

/// Relations grouped by source page.
pub(super) type ByPage<'r> = HashMap<PageNo, Vec<&'r LinkRow>>;

/// Groups the resolved relations of live pages by source page.
pub(super) fn by_page(rows: &Rows) -> ByPage<'_> {
    let mut found = ByPage::new();
    for link in rows.relations.iter().filter(|link| link.to.is_some() && rows.is_live(link.from)) {
        found.entry(link.from).or_default().push(link);
    }
    found
}

/// Returns the live facts about pages that have an ended link, each with its subject page.
pub(super) fn facts_with_ended_links<'r>(
    rows: &'r Rows,
    links: &ByPage<'_>,
    subjects: &ResolvedNames,
) -> Vec<(PageNo, &'r StatementRow)> {
    let live = |fact: &&StatementRow| rows.is_live(fact.page) && rows.holds(fact.statement.interval);
    let ended =
        |page: PageNo| links.get(&page).is_some_and(|links| links.iter().any(|link| has_ended(rows, link)));
    let about = |fact: &'r StatementRow| {
        subjects.subject(fact.page, fact.statement.subject.as_deref()).page().map(|page| (page, fact))
    };
    rows.facts.iter().filter(live).filter_map(about).filter(|(page, _)| ended(*page)).collect()
}

/// Returns a finding for each fact whose link has ended.
pub(super) fn link_ended(
    rows: &Rows,
    links: &ByPage<'_>,
    facts: &[(PageNo, &StatementRow)],
    objects: &ResolvedNames,
) -> Vec<Candidate> {
    let mut found = Vec::new();
    for (subject, fact) in facts {
        let Some(own) = links.get(subject) else { continue };
        if let [target] = objects.pages(&fact.statement.object).as_slice()
            && let Some(link) = ended_link(rows, own, *target, fact)
        {
            found.push(candidate(rows, *subject, fact, link));
        }
    }
    found
}

/// Returns the link to a page that ended last, if its relation corresponds to the fact and no other link is open.
fn ended_link<'r>(
    rows: &Rows,
    own: &[&'r LinkRow],
    target: PageNo,
    fact: &StatementRow,
) -> Option<&'r LinkRow> {
    let to_target = || own.iter().filter(move |link| link.to == Some(target));
    let open =
        |link: &&LinkRow| !has_ended(rows, link) && verb_kind(&link.link.relation) != VerbKind::Lasting;
    if to_target().any(open) {
        return None;
    }
    let over = to_target().filter(|link| has_ended(rows, link));
    let matching = over.filter(|link| corresponds(&fact.statement.predicate, &link.link.relation));
    let last = matching.max_by_key(|link| link.link.interval.until.map(|until| until.last_day()))?;
    // A fact that began after the end is about something new.
    let started_later = fact.statement.interval.from.map(|from| from.first_day())
        > last.link.interval.until.map(|until| until.last_day());
    (!started_later).then_some(*last)
}

fn has_ended(rows: &Rows, link: &LinkRow) -> bool {
    link.link.interval.until.is_some_and(|until| rows.is_past(until))
}

fn candidate(rows: &Rows, subject: PageNo, fact: &StatementRow, link: &LinkRow) -> Candidate {
    let until = link.link.interval.until.map(|until| until.to_string()).unwrap_or_default();
    let (predicate, object) = (&fact.statement.predicate, &fact.statement.object);
    Candidate {
        kind: ContradictionKind::LinkEnded,
        subject: rows.slug(subject).to_owned(),
        about: Some(subject),
        message: format!(
            "`{predicate}:: {object}` of {} is still open, but its link `{}` to {} ended {until}",
            rows.title(subject),
            link.link.relation,
            link.to.map_or(link.link.target.as_str(), |to| rows.title(to)),
        ),
        since: Some(until),
        lines: [line_ref(fact), LineRef { page: link.from, line: link.link.line }],
        topic: topic(&[predicate, &link.link.relation]),
    }
}
