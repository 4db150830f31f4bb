//! Finds contradictions without a language model: facts that cannot both be true, facts whose links have ended, prose
//! that reports an end while the link is open, and truths older than their timelines.
//!
//! Each kind of finding is a pure function over rows. This file reads the rows in bulk, and the files of those pages
//! that a search has selected. A finding's id is derived from its kind and the words of its two lines, so it survives
//! when other lines move and changes when one of the two changes.

mod authority;
mod behind;
mod dates;
mod ended;
mod endings;
mod finding;
pub(crate) mod guard;
mod object;
mod passages;
mod reading;
mod rows;
mod said;
mod tokens;
mod values;
mod verbs;

use std::collections::{BTreeMap, HashMap};

pub use finding::{Finding, Group, Kind, Place};

use lore_engine::{Result, VaultContext};
use lore_ports::{PageNo, Progress, ResolvedFinding, read_transaction};

use ended::{beside_ended_links, by_page, link_ended};
use finding::{Spot, Suspicion, id_of};
use reading::{Lines, Reading};
use rows::{Meanings, Rows};
use values::{disputed, live_single, two_values};

/// Scope of a check.
#[derive(Debug, Clone, Copy, Default)]
pub struct Scope {
    /// Only findings that involve this page.
    pub page: Option<PageNo>,
    /// Only findings of this group.
    pub group: Option<Group>,
}

/// Result of settling a finding.
#[derive(Debug)]
pub enum Settling {
    /// The finding is settled, now or already before.
    Done(Box<Finding>),
    /// No finding has this id prefix.
    Unknown,
    /// Several findings have this id prefix.
    Several(Vec<String>),
}

/// Returns all contradictions, settled or not, sorted by path and line of the first place.
pub fn check(context: &VaultContext, scope: Scope, progress: Progress<'_>) -> Result<Vec<Finding>> {
    read_transaction(context.store(), || findings(context, scope, progress))
}

/// Marks the finding with this id prefix as settled.
pub fn settle(context: &VaultContext, beginning: &str, progress: Progress<'_>) -> Result<Settling> {
    let beginning = beginning.trim().to_lowercase();
    let mut found = check(context, Scope::default(), progress)?;
    found.retain(|finding| !beginning.is_empty() && finding.id.starts_with(&beginning));
    match found.as_mut_slice() {
        [] => Ok(Settling::Unknown),
        [one] => {
            if one.settled.is_none() {
                let at = context.now().timestamp().as_millisecond();
                let settled =
                    ResolvedFinding { id: one.id.clone(), at, actor: context.author().actor.clone() };
                context.store().resolve_finding(context.project(), &settled)?;
                one.settled = Some(settled);
            }
            Ok(Settling::Done(Box::new(found.remove(0))))
        }
        many => Ok(Settling::Several(many.iter().map(|finding| finding.id.clone()).collect())),
    }
}

fn findings(context: &VaultContext, scope: Scope, progress: Progress<'_>) -> Result<Vec<Finding>> {
    let rows = Rows::read(context)?;
    let mut reading = Reading::new(context, &rows, progress);
    let wanted = |group: Group| scope.group.is_none_or(|only| only == group);
    let mut suspicions = Vec::new();
    let subjects =
        Meanings::look_up(context, rows.facts.iter().filter_map(|fact| fact.statement.subject.as_deref()))?;
    if wanted(Group::CrossPage) {
        let policy = context.policy();
        let claims = disputed(&live_single(&rows, &policy.facts), &subjects);
        let objects = claims.values().flatten().map(|fact| fact.statement.object.as_str());
        suspicions.extend(two_values(&rows, &claims, &Meanings::look_up(context, objects)?));
    }
    if wanted(Group::Temporal) {
        let links = by_page(&rows);
        let facts = beside_ended_links(&rows, &links, &subjects);
        let objects = facts.iter().map(|(_, fact)| fact.statement.object.as_str());
        suspicions.extend(link_ended(&rows, &links, &facts, &Meanings::look_up(context, objects)?));
        suspicions.extend(reading.prose_against_links(&links)?);
    }
    if wanted(Group::Stale) {
        suspicions.extend(reading.stale(scope.page)?);
    }
    if let Some(page) = scope.page {
        let touches =
            |one: &Suspicion| one.about == Some(page) || one.spots.iter().any(|spot| spot.page == page);
        suspicions.retain(touches);
    }
    let lines = reading.lines_of(&suspicions);
    finish(context, &rows, suspicions, &lines)
}

fn finish(
    context: &VaultContext,
    rows: &Rows,
    suspicions: Vec<Suspicion>,
    lines: &Lines,
) -> Result<Vec<Finding>> {
    let settled: HashMap<String, ResolvedFinding> = context
        .store()
        .resolved_findings(context.project())?
        .into_iter()
        .map(|one| (one.id.clone(), one))
        .collect();
    let mut found: BTreeMap<(String, u32, String), Finding> = BTreeMap::new();
    for one in suspicions {
        let [first, second] = one.spots;
        let page_id = |spot: Spot| rows.pages.get(&spot.page).map_or("", |row| row.id.as_str());
        let told = [(page_id(first), lines.text(first)), (page_id(second), lines.text(second))];
        let id = id_of(one.kind, &one.topic, told);
        let place = |spot: Spot| Place {
            path: rows.pages.get(&spot.page).map(|row| row.path.clone()).unwrap_or_default(),
            slug: rows.slug(spot.page).to_owned(),
            line: spot.line,
            text: lines.text(spot).to_owned(),
        };
        let places = one.spots.map(place);
        let finding = Finding {
            settled: settled.get(&id).cloned(),
            kind: one.kind,
            subject: one.subject,
            message: one.message,
            since: one.since,
            places,
            id,
        };
        let [place, _] = &finding.places;
        found.insert((place.path.clone(), place.line, finding.id.clone()), finding);
    }
    Ok(found.into_values().collect())
}
