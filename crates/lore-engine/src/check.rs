//! Contradictions, found without a language model: facts that cannot both be true, links that have ended, prose that
//! says so, and truths that their timelines have left behind.
//!
//! Each kind of finding is a pure function over rows; this file reads the rows, in bulk, and the files of those pages
//! that a search says may have something to tell. A finding's id is made of its kind and of the words of its two lines,
//! so that it stays when other lines move, and is another as soon as one of the two is.

mod authority;
mod behind;
mod dates;
mod ended;
mod endings;
mod finding;
pub(crate) mod guard;
mod object;
mod passages;
mod quantity;
mod reading;
mod rows;
mod said;
mod tokens;
mod values;
mod verbs;

use std::collections::{BTreeMap, HashMap};

pub use finding::{Finding, Group, Kind, Place};

use crate::error::Result;
use crate::index::{PageNo, Settled};
use crate::memory::Memory;
use crate::progress::Progress;
use ended::{beside_ended_links, by_page, link_ended};
use finding::{Spot, Suspicion, id_of};
use reading::{Lines, Reading};
use rows::{Meanings, Rows};
use values::{disputed, live_single, two_values};

/// What to look for.
#[derive(Debug, Clone, Copy, Default)]
pub struct Scope {
    /// Only what touches this page.
    pub page: Option<PageNo>,
    /// Only this group.
    pub group: Option<Group>,
}

/// What became of an attempt to settle a finding.
#[derive(Debug)]
pub enum Settling {
    /// It is settled, now or since before.
    Done(Box<Finding>),
    /// No finding has an id that begins so.
    Unknown,
    /// Several have.
    Several(Vec<String>),
}

/// Everything that cannot be right as it stands, settled or not: by path and line of the first place.
pub fn check(memory: &Memory, scope: Scope, progress: Progress<'_>) -> Result<Vec<Finding>> {
    let mut found = Vec::new();
    memory.store().reading(&mut || {
        found = findings(memory, scope, progress)?;
        Ok(())
    })?;
    Ok(found)
}

/// Notes that the finding whose id begins so is settled.
pub fn settle(memory: &Memory, beginning: &str, progress: Progress<'_>) -> Result<Settling> {
    let beginning = beginning.trim().to_lowercase();
    let mut found = check(memory, Scope::default(), progress)?;
    found.retain(|finding| !beginning.is_empty() && finding.id.starts_with(&beginning));
    match found.as_mut_slice() {
        [] => Ok(Settling::Unknown),
        [one] => {
            if one.settled.is_none() {
                let at = memory.now().timestamp().as_millisecond();
                let settled = Settled { id: one.id.clone(), at, actor: memory.author().actor.clone() };
                memory.store().settle(memory.project(), &settled)?;
                one.settled = Some(settled);
            }
            Ok(Settling::Done(Box::new(found.remove(0))))
        }
        many => Ok(Settling::Several(many.iter().map(|finding| finding.id.clone()).collect())),
    }
}

fn findings(memory: &Memory, scope: Scope, progress: Progress<'_>) -> Result<Vec<Finding>> {
    let rows = Rows::read(memory)?;
    let mut reading = Reading::new(memory, &rows, progress);
    let wanted = |group: Group| scope.group.is_none_or(|only| only == group);
    let mut suspicions = Vec::new();
    let subjects =
        Meanings::look_up(memory, rows.facts.iter().filter_map(|fact| fact.statement.subject.as_deref()))?;
    if wanted(Group::CrossPage) {
        let policy = memory.policy();
        let claims = disputed(&live_single(&rows, &policy.facts), &subjects);
        let objects = claims.values().flatten().map(|fact| fact.statement.object.as_str());
        suspicions.extend(two_values(&rows, &claims, &Meanings::look_up(memory, objects)?));
    }
    if wanted(Group::Temporal) {
        let links = by_page(&rows);
        let facts = beside_ended_links(&rows, &links, &subjects);
        let objects = facts.iter().map(|(_, fact)| fact.statement.object.as_str());
        suspicions.extend(link_ended(&rows, &links, &facts, &Meanings::look_up(memory, objects)?));
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
    finish(memory, &rows, suspicions, &lines)
}

fn finish(memory: &Memory, rows: &Rows, suspicions: Vec<Suspicion>, lines: &Lines) -> Result<Vec<Finding>> {
    let settled: HashMap<String, Settled> =
        memory.store().settled(memory.project())?.into_iter().map(|one| (one.id.clone(), one)).collect();
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
