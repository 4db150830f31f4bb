//! Finds contradictions without a language model: facts that cannot both be true, facts whose links have ended, prose
//! that reports an end while the link is open, and truths older than their timelines.
//!
//! Each kind of finding is a pure function over rows. This file reads the rows in bulk, and the files of those pages
//! that a search has selected. A finding's id is derived from its kind and the words of its two lines, so it survives
//! when other lines move and changes when one of the two changes.

pub(crate) mod as_of;
mod authority;
mod contradiction;
mod cycles;
mod dates;
mod ended;
mod endings;
pub(crate) mod guard;
mod object;
mod page_reader;
mod passages;
mod preferences;
mod prose_endings;
mod rows;
mod stale_truth;
mod tokens;
mod values;
mod verbs;

use std::collections::{BTreeMap, HashMap};

pub use contradiction::{Contradiction, ContradictionKind, ContradictionLine, Group};

use lore_engine::{Result, ValueRules, VaultContext};
use lore_ports::{PageNo, Progress, ResolvedFinding, read_transaction};

use contradiction::{Candidate, LineRef, id_of};
use cycles::supersession_cycles;
use ended::{by_page, facts_with_ended_links, link_ended};
use page_reader::{Lines, PageReader};
use rows::{ResolvedNames, Rows};
use values::{disputed, live_single, two_values};

/// Scope of a check.
#[derive(Debug, Clone, Copy, Default)]
pub struct CheckScope {
    /// Only findings that involve this page.
    pub page: Option<PageNo>,
    /// Only findings of this group.
    pub group: Option<Group>,
}

/// Result of settling a finding.
#[derive(Debug)]
pub enum SettleOutcome {
    /// The finding is settled, now or already before.
    Done(Box<Contradiction>),
    /// No finding has this id prefix.
    Unknown,
    /// Several findings have this id prefix.
    Several(Vec<String>),
}

/// Returns all contradictions, settled or not, sorted by path and line of the first place.
pub fn check(
    context: &VaultContext,
    scope: CheckScope,
    progress: Progress<'_>,
) -> Result<Vec<Contradiction>> {
    read_transaction(context.store(), || findings(context, scope, progress))
}

/// Marks the finding with this id prefix as settled.
pub fn settle(context: &VaultContext, prefix: &str, progress: Progress<'_>) -> Result<SettleOutcome> {
    let prefix = prefix.trim().to_lowercase();
    let mut found = check(context, CheckScope::default(), progress)?;
    found.retain(|finding| !prefix.is_empty() && finding.id.starts_with(&prefix));
    match found.as_mut_slice() {
        [] => Ok(SettleOutcome::Unknown),
        [one] => {
            if one.settled.is_none() {
                let at = context.now().timestamp().as_millisecond();
                let settled =
                    ResolvedFinding { id: one.id.clone(), at, actor: context.author().actor.clone() };
                context.store().resolve_finding(context.project(), &settled)?;
                one.settled = Some(settled);
            }
            Ok(SettleOutcome::Done(Box::new(found.remove(0))))
        }
        many => Ok(SettleOutcome::Several(many.iter().map(|finding| finding.id.clone()).collect())),
    }
}

fn findings(context: &VaultContext, scope: CheckScope, progress: Progress<'_>) -> Result<Vec<Contradiction>> {
    let rows = Rows::read(context)?;
    let mut reader = PageReader::new(context, &rows, progress);
    let includes = |group: Group| scope.group.is_none_or(|only| only == group);
    let mut candidates = Vec::new();
    let subjects = ResolvedNames::resolve(
        context,
        rows.facts.iter().filter_map(|fact| fact.statement.subject.as_deref()),
    )?;
    if includes(Group::CrossPage) {
        candidates.extend(supersession_cycles(&rows));
        let rules = ValueRules::new(context);
        rules.observe(&rows.facts);
        let claims = disputed(&live_single(&rows, &rules)?, &subjects);
        let objects = claims.values().flatten().map(|fact| fact.statement.object.as_str());
        candidates.extend(two_values(&rows, &claims, &ResolvedNames::resolve(context, objects)?));
    }
    if includes(Group::Temporal) {
        let links = by_page(&rows);
        let facts = facts_with_ended_links(&rows, &links, &subjects);
        let objects = facts.iter().map(|(_, fact)| fact.statement.object.as_str());
        candidates.extend(link_ended(&rows, &links, &facts, &ResolvedNames::resolve(context, objects)?));
        candidates.extend(reader.prose_endings(&links)?);
    }
    if includes(Group::Stale) {
        candidates.extend(reader.stale(scope.page)?);
    }
    if let Some(page) = scope.page {
        let touches = |one: &Candidate| {
            one.about == Some(page) || one.lines.iter().any(|line_ref| line_ref.page == page)
        };
        candidates.retain(touches);
    }
    let lines = reader.lines_of(&candidates);
    finish(context, &rows, candidates, &lines)
}

fn finish(
    context: &VaultContext,
    rows: &Rows,
    candidates: Vec<Candidate>,
    lines: &Lines,
) -> Result<Vec<Contradiction>> {
    let settled: HashMap<String, ResolvedFinding> = context
        .store()
        .resolved_findings(context.project())?
        .into_iter()
        .map(|one| (one.id.clone(), one))
        .collect();
    let mut found: BTreeMap<(String, u32, String), Contradiction> = BTreeMap::new();
    for one in candidates {
        let [first, second] = one.lines;
        let page_id = |line_ref: LineRef| rows.pages.get(&line_ref.page).map_or("", |row| row.id.as_str());
        let sides = [(page_id(first), lines.text(first)), (page_id(second), lines.text(second))];
        let id = id_of(one.kind, &one.topic, sides);
        let place = |line_ref: LineRef| ContradictionLine {
            path: rows.pages.get(&line_ref.page).map(|row| row.path.clone()).unwrap_or_default(),
            slug: rows.slug(line_ref.page).to_owned(),
            line: line_ref.line,
            text: lines.text(line_ref).to_owned(),
        };
        let places = one.lines.map(place);
        let finding = Contradiction {
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
