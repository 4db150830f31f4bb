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
mod rows;
mod said;
mod tokens;
mod values;
mod verbs;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use lore_page::{Page, parse};

pub use finding::{Finding, Group, Kind, Place};

use crate::error::Result;
use crate::index::{Filter, LinkEnds, PageNo, Settled, TextQuery, Weights, Window};
use crate::memory::Memory;
use crate::search::Expression;
use crate::vault::decode;
use ended::{ByPage, beside_ended_links, by_page, link_ended};
use finding::{Spot, Suspicion, id_of};
use rows::{Meanings, Rows};
use said::{Context, Told, targets};
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
pub fn check(memory: &Memory, scope: Scope) -> Result<Vec<Finding>> {
    let mut found = Vec::new();
    memory.store().reading(&mut || {
        found = findings(memory, scope)?;
        Ok(())
    })?;
    Ok(found)
}

/// Notes that the finding whose id begins so is settled.
pub fn settle(memory: &Memory, beginning: &str) -> Result<Settling> {
    let beginning = beginning.trim().to_lowercase();
    let mut found = check(memory, Scope::default())?;
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

fn findings(memory: &Memory, scope: Scope) -> Result<Vec<Finding>> {
    let rows = Rows::read(memory)?;
    let mut lines = Lines::default();
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
        suspicions.extend(prose_against_links(memory, &rows, &links, &mut lines)?);
    }
    if wanted(Group::Stale) {
        suspicions.extend(stale(memory, &rows, scope.page, &mut lines)?);
    }
    if let Some(page) = scope.page {
        let touches =
            |one: &Suspicion| one.about == Some(page) || one.spots.iter().any(|spot| spot.page == page);
        suspicions.retain(touches);
    }
    finish(memory, &rows, suspicions, lines)
}

/// Prose that says that something is over, on the pages that have a word for it.
fn prose_against_links(
    memory: &Memory,
    rows: &Rows,
    links: &ByPage<'_>,
    lines: &mut Lines,
) -> Result<Vec<Suspicion>> {
    let words = Expression::Any(endings::phrases().map(Expression::Phrase).collect());
    let window = Window { limit: usize::MAX, offset: 0 };
    let query =
        TextQuery { expression: &words, filter: &Filter::default(), window, weights: Weights::default() };
    let hits = memory.store().search(memory.project(), &query)?;
    let pages: BTreeSet<PageNo> =
        hits.iter().map(|hit| hit.page).filter(|page| rows.is_live(*page)).collect();
    if pages.is_empty() || links.is_empty() {
        return Ok(Vec::new());
    }
    let context = Context::new(rows, links);
    let mut found = Vec::new();
    for number in pages {
        let row = &rows.pages[&number];
        let Some((text, page)) = read(memory, &row.path) else { continue };
        let leads = targets(&page, &memory.store().links(memory.project(), &LinkEnds::From(&[number]))?);
        let told = Told { row, text: &text, page: &page, targets: &leads };
        let said = context.said_to_have_ended(&told);
        lines.keep(number, &text, &said);
        found.extend(said);
    }
    Ok(found)
}

/// Truths that their timelines have left behind: of one page, or of all.
fn stale(memory: &Memory, rows: &Rows, only: Option<PageNo>, lines: &mut Lines) -> Result<Vec<Suspicion>> {
    let late = memory.policy().check.behind;
    let mut found = Vec::new();
    let pages = behind::maybe_behind(rows, late);
    for number in pages.into_iter().filter(|page| only.is_none_or(|only| only == *page)) {
        let row = &rows.pages[&number];
        let Some((text, page)) = read(memory, &row.path) else { continue };
        if let Some(one) = behind::truth_behind(rows, row, &page, &text, late) {
            lines.keep(number, &text, std::slice::from_ref(&one));
            found.push(one);
        }
    }
    Ok(found)
}

/// A page's text, read anew. One that is gone has nothing to say.
fn read(memory: &Memory, path: &str) -> Option<(String, Page)> {
    let file = memory.vault().read(path, memory.policy().limits.page_bytes).ok().flatten()?;
    let text = decode(&file.bytes).text.into_owned();
    let page = parse(path, &text).page;
    Some((text, page))
}

/// The words of the lines that findings are about, kept while the page that has them is at hand.
#[derive(Default)]
struct Lines {
    known: HashMap<Spot, String>,
}

impl Lines {
    fn keep(&mut self, page: PageNo, text: &str, suspicions: &[Suspicion]) {
        let spots = suspicions.iter().flat_map(|one| one.spots).filter(|spot| spot.page == page);
        let wanted: BTreeMap<u32, Spot> = spots.map(|spot| (spot.line, spot)).collect();
        for (number, line) in (1..).zip(text.lines()) {
            if let Some(spot) = wanted.get(&number) {
                self.known.insert(*spot, line.trim().to_owned());
            }
        }
    }

    /// Reads what is missing, each page once.
    fn complete(&mut self, memory: &Memory, rows: &Rows, suspicions: &[Suspicion]) {
        let spots = suspicions.iter().flat_map(|one| one.spots);
        let missing = spots.filter(|spot| !self.known.contains_key(spot)).map(|spot| spot.page);
        for page in missing.collect::<BTreeSet<PageNo>>() {
            let path = rows.pages.get(&page).map_or("", |row| row.path.as_str());
            let limit = memory.policy().limits.page_bytes;
            if let Ok(Some(file)) = memory.vault().read(path, limit) {
                self.keep(page, &decode(&file.bytes).text, suspicions);
            }
        }
    }

    fn text(&self, spot: Spot) -> &str {
        self.known.get(&spot).map_or("", String::as_str)
    }
}

fn finish(
    memory: &Memory,
    rows: &Rows,
    suspicions: Vec<Suspicion>,
    mut lines: Lines,
) -> Result<Vec<Finding>> {
    lines.complete(memory, rows, &suspicions);
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
