//! Contradiction guard of a write. If a write contradicts a live page of equal or higher authority, both pages are
//! marked as contested in the same transaction and a warning is returned. A page of lower authority is only named in a
//! warning.
//!
//! Only facts added by the write are checked, never existing ones. A page does not contradict itself or a page it
//! supersedes.

mod claims;
mod mark;

use std::collections::{BTreeMap, BTreeSet};

use lore_engine::{Outcome, PreparedChange, Result, Rewrites, ValueRules, VaultContext, plain_predicate};
use lore_page::{Fact, Format, Interval, Page, parse};
use lore_ports::{LinkFilter, LinkRow, PageRow, StatementFilter, StatementKind};
use lore_text::fold;
use lore_vault::{decode, is_page_path};

use super::authority::Authority;
use super::object::Object;
use super::preferences::{Preference, exclude, preferences};
use super::rows::{CLOSED_STATUSES, ResolvedNames, SUPERSEDES, Subject};
use super::values::overlap;

use claims::{PREFERS, SubjectResolver, USER, known_claim, pages_with_preferences, unindexed_names};
use mark::Marks;

/// Relation that marks a contradiction.
const CONTRADICTS: &str = "contradicts";

/// Status of a contested page.
const CONTESTED: &str = "contested";

/// A fact with the data needed to compare it with another.
#[derive(Debug, Clone)]
struct Claim {
    path: String,
    line: u32,
    subject: Subject,
    /// Topic of the predicate.
    topic: String,
    predicate: String,
    object: String,
    interval: Interval,
    authority: Authority,
    /// Set if it is stated in prose.
    preference: Option<Preference>,
}

/// A page as it will be after the write.
struct WrittenPage {
    path: String,
    page: Page,
    row: Option<PageRow>,
    /// Facts added by the write.
    added: Vec<Fact>,
    /// Preferences in its prose.
    preferences: Vec<Preference>,
    /// Those added by the write.
    added_preferences: Vec<Preference>,
}

/// Two facts that cannot both be true, the new one first.
struct Clash {
    new: Claim,
    old: Claim,
}

/// Compares the facts added by a write with those of the vault and marks both sides of each contradiction.
pub(crate) fn mark_contradictions(context: &VaultContext, changes: &[PreparedChange]) -> Result<Rewrites> {
    if !context.policy().guards() {
        return Ok(Rewrites::default());
    }
    let rules = ValueRules::new(context);
    let pages = new_pages(context, &rules, changes)?;
    if pages.iter().all(|new| new.added.is_empty() && new.added_preferences.is_empty()) {
        return Ok(Rewrites::default());
    }
    let clashes = clashes(context, &rules, &pages, changes)?;
    let mut marked: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for clash in &clashes {
        if clash.old.authority >= clash.new.authority {
            marked.entry(clash.new.path.clone()).or_default().insert(clash.old.path.clone());
        }
    }
    let mut marks = Marks::new(changes);
    for (path, others) in &marked {
        marks.mark_new(context, path, others)?;
    }
    for path in marked.into_values().flatten().collect::<BTreeSet<String>>() {
        marks.mark_other(context, &path)?;
    }
    let messages: Vec<String> = clashes.iter().map(|clash| message(&marks, clash)).collect();
    Ok(marks.finish(messages))
}

/// Returns the pages of a write that have text, with their added facts.
fn new_pages(
    context: &VaultContext,
    rules: &ValueRules<'_>,
    changes: &[PreparedChange],
) -> Result<Vec<WrittenPage>> {
    let today = context.today();
    let mut pages = Vec::new();
    for change in changes {
        let path = change.to.as_ref().unwrap_or(&change.path);
        let changed = matches!(change.outcome, Outcome::Created | Outcome::Updated | Outcome::Moved);
        let (Some(new), true) = (&change.new, changed && is_page_path(path) && context.indexes(path)) else {
            continue;
        };
        let text = decode(new).text;
        let page = parse(path, &text).page;
        let old_text = change.old.as_ref().map(|old| decode(old).text).unwrap_or_default();
        let old = parse(path, &old_text).page;
        let is_new = |fact: &&Fact| !old.facts.iter().any(|known| same_line(known, fact));
        let counts = |fact: &&Fact| fact.interval.holds_on(&today) && !is_closed(page.status.as_deref());
        let mut added = Vec::new();
        for fact in page.facts.iter().filter(is_new).filter(counts) {
            if rules.topic(&fact.predicate, &fact.object)?.is_some() {
                added.push(fact.clone());
            }
        }
        let closed = is_closed(page.status.as_deref());
        let preferences = if closed { Vec::new() } else { preferences(Format::of(path), &text, &page) };
        let known = preferences_or_none(path, &old_text, &old, &preferences);
        let is_new = |one: &&Preference| !known.iter().any(|known| same_preference(known, one));
        let added_preferences = preferences.iter().filter(is_new).cloned().collect();
        let row = change.row.clone();
        pages.push(WrittenPage { path: path.clone(), page, row, added, preferences, added_preferences });
    }
    Ok(pages)
}

/// Returns the preferences of the old text, if the new one has any to compare.
fn preferences_or_none(path: &str, text: &str, page: &Page, new: &[Preference]) -> Vec<Preference> {
    if new.is_empty() { Vec::new() } else { preferences(Format::of(path), text, page) }
}

fn same_preference(one: &Preference, other: &Preference) -> bool {
    Preference { line: 0, ..one.clone() } == Preference { line: 0, ..other.clone() }
}

fn same_line(one: &Fact, other: &Fact) -> bool {
    let parts =
        |fact: &Fact| (fact.subject.clone(), fact.predicate.clone(), fact.object.clone(), fact.interval);
    parts(one) == parts(other)
}

fn is_closed(status: Option<&str>) -> bool {
    status.is_some_and(|status| CLOSED_STATUSES.contains(&fold(status).as_str()))
}

/// Returns the pairs of a new fact and a fact on another live page that cannot both be true.
fn clashes(
    context: &VaultContext,
    rules: &ValueRules<'_>,
    pages: &[WrittenPage],
    changes: &[PreparedChange],
) -> Result<Vec<Clash>> {
    let (store, project) = (context.store(), context.project());
    let rows = store.statements(
        project,
        &StatementFilter { pages: None, kind: Some(StatementKind::Fact), naming: None },
    )?;
    let written: BTreeSet<i64> =
        changes.iter().filter_map(|change| change.row.as_ref()).map(|row| row.number).collect();
    let named = rows.iter().filter_map(|row| row.statement.subject.as_deref());
    let new_names = pages.iter().flat_map(|new| &new.page.facts).filter_map(|fact| fact.subject.as_deref());
    rules.observe(&rows);
    let others = pages_with_preferences(context, pages, &written)?;
    let stated = pages.iter().flat_map(|new| &new.preferences);
    let holders = stated.chain(others.iter().flat_map(|(_, list)| list)).filter_map(|one| one.holder.name());
    let resolver = SubjectResolver {
        rules,
        unindexed: unindexed_names(pages),
        subjects: ResolvedNames::resolve(context, named.chain(new_names).chain(holders).chain([USER]))?,
    };
    let mut added: Vec<Claim> = Vec::new();
    for new in pages {
        added.extend(resolver.claims(new, &new.added)?);
        added.extend(new.added_preferences.iter().map(|one| resolver.preference(new, one)));
    }
    let topics: BTreeSet<(&Subject, &str)> =
        added.iter().map(|claim| (&claim.subject, claim.topic.as_str())).collect();
    let mut claims: Vec<Claim> = Vec::new();
    for row in rows.iter().filter(|row| !written.contains(&row.page)) {
        let subject = resolver.known(resolver.subjects.subject(row.page, row.statement.subject.as_deref()));
        let Some(topic) = rules.topic(&row.statement.predicate, &row.statement.object)? else { continue };
        if topics.contains(&(&subject, &topic)) {
            let page = store.pages(project, &[row.page])?.pop();
            claims.extend(page.and_then(|page| known_claim(row, page, subject, topic)));
        }
    }
    for new in pages.iter().filter(|new| !is_closed(new.page.status.as_deref())) {
        claims.extend(resolver.claims(new, &new.page.facts)?);
        claims.extend(new.preferences.iter().map(|one| resolver.preference(new, one)));
    }
    for (row, list) in &others {
        claims.extend(list.iter().map(|one| resolver.known_preference(row, one)));
    }
    let today = context.today();
    claims.retain(|claim| {
        claim.interval.holds_on(&today) && topics.contains(&(&claim.subject, claim.topic.as_str()))
    });
    pairs(context, pages, &added, &claims)
}

fn pairs(
    context: &VaultContext,
    pages: &[WrittenPage],
    added: &[Claim],
    claims: &[Claim],
) -> Result<Vec<Clash>> {
    let objects = ResolvedNames::resolve(context, claims.iter().map(|claim| claim.object.as_str()))?;
    let mut clashes = Vec::new();
    let mut seen = BTreeSet::new();
    for new in added {
        for old in claims {
            let same_topic = new.path != old.path && (&new.subject, &new.topic) == (&old.subject, &old.topic);
            if !same_topic || !differ(&objects, new, old) || supersedes(context, pages, new, old)? {
                continue;
            }
            // If two pages of one write contradict each other, either could be the new one.
            let mut ends = [(new.path.clone(), new.line), (old.path.clone(), old.line)];
            ends.sort();
            if seen.insert(ends) {
                clashes.push(Clash { new: new.clone(), old: old.clone() });
            }
        }
    }
    Ok(clashes)
}

fn differ(objects: &ResolvedNames, one: &Claim, other: &Claim) -> bool {
    if let (Some(one), Some(other)) = (&one.preference, &other.preference) {
        return exclude(one, other);
    }
    let object = |claim: &Claim| Object::new(&claim.object, objects.pages(&claim.object));
    overlap(one.interval, other.interval) && !object(one).same(&object(other))
}

/// Returns whether the new page supersedes the old one, or a live page has superseded one of them.
fn supersedes(context: &VaultContext, pages: &[WrittenPage], new: &Claim, old: &Claim) -> Result<bool> {
    let Some(page) = pages.iter().find(|one| one.path == new.path) else { return Ok(false) };
    for link in page.page.links.iter().filter(|link| link.relation.eq_ignore_ascii_case(SUPERSEDES)) {
        if context.find(&link.target).ok().flatten().is_some_and(|row| row.path == old.path) {
            return Ok(true);
        }
    }
    Ok(is_superseded(context, &old.path)? || is_superseded(context, &new.path)?)
}

fn is_superseded(context: &VaultContext, path: &str) -> Result<bool> {
    let Some(row) = context.page_at(path)? else { return Ok(false) };
    let today = context.today();
    let supersedes = |link: &LinkRow| {
        link.link.relation.eq_ignore_ascii_case(SUPERSEDES)
            && link.from != row.number
            && link.link.interval.holds_on(&today)
    };
    Ok(context.store().links(context.project(), &LinkFilter::To(&[row.number]))?.iter().any(supersedes))
}

/// Returns a warning about a contradiction that names both places.
fn message(marks: &Marks, clash: &Clash) -> String {
    let place = |claim: &Claim| {
        if let Some(stated) = &claim.preference {
            let verb = if stated.negated { "dislikes" } else { PREFERS };
            return format!("{}:{} \"{verb} {}\"", claim.path, claim.line, claim.object);
        }
        // Marking a page may have moved the line.
        let page = marks.text(&claim.path).map(|text| parse(&claim.path, text).page);
        let same = |fact: &&Fact| {
            plain_predicate(&fact.predicate) == claim.predicate
                && fact.object == claim.object
                && fact.interval == claim.interval
        };
        let line =
            page.and_then(|page| page.facts.iter().find(same).map(|fact| fact.line)).unwrap_or(claim.line);
        format!("{}:{line} `{}:: {}`", claim.path, claim.predicate, claim.object)
    };
    let (new, old) = (place(&clash.new), place(&clash.old));
    match clash.old.authority >= clash.new.authority {
        true => format!(
            "contradiction: {new} and {old}, which has equal or higher authority; both pages are marked \
             `status: {CONTESTED}`: ask the user before changing {}",
            clash.old.path
        ),
        false => format!("contradiction: {new} has higher authority than {old}, which should be corrected"),
    }
}
