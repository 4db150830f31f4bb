//! Retrieval by relations: answers a question about a relation by following typed, dated links and facts from the page
//! that the question names.

mod question;
mod readings;
mod relation_name;
mod relative;
mod when;
mod word_lists;
mod words;

use std::collections::{BTreeSet, HashSet};

use jiff::civil::Date;
use lore_page::Interval;
use lore_ports::{
    LinkFilter, LinkRow, PageNo, PageRow, StatementFilter, StatementKind, StatementRow, name_in_fact,
};
use lore_text::{Language, PartialDate, fold, stem};

use super::passing;
use crate::context::VaultContext;
use crate::error::Result;
use crate::lifecycle::{Day, Ties};
use crate::search::expression::Period;
use crate::search::request::SearchRequest;

use question::{Order, RelationQuestion, Side, When, read};
use readings::readings;
use relation_name::RelationName;
use relative::Relative;
use word_lists::{BEGINNINGS, is_general};
use words::{QUESTION_WORDS, Words};

/// Maximum number of answers.
const ANSWERS: usize = 20;

/// A page that answers, and how it was found.
pub(super) struct RelationAnswer {
    pub page: PageNo,
    /// The link or fact as a sentence with its location.
    pub why: String,
    /// The line of the link or fact, if it is on the page itself.
    pub line: Option<u32>,
}

/// A page that a relation leads to.
struct FoundRelation {
    page: PageNo,
    relation: String,
    /// The page on the other side.
    other: PageNo,
    forward: bool,
    interval: Interval,
    stands_on: PageNo,
    line: u32,
    /// A fact's object, if the answer is the fact itself.
    object: Option<String>,
    /// Whether it answers only if nothing else does: `manager [[Ada]]` on the page of somebody whom Ada manages.
    is_weak: bool,
    /// Whether its name says that it is over: `former_ceo_of`.
    is_over: bool,
}

impl FoundRelation {
    /// Whether it holds on a day. One whose name says that it is over does so only if it is known when it ended.
    fn holds_on(&self, day: &str) -> bool {
        self.interval.holds_on(day) && (!self.is_over || self.interval.until.is_some())
    }

    /// Whether it answers a question asked on a day.
    fn fits(&self, asked: &RelationQuestion, today: &str) -> bool {
        if asked.event.is_some() {
            let Some(date) = asked.date(self.interval) else { return false };
            let day = Interval { from: Some(date), until: Some(date) };
            return date.first_day().as_str() <= today
                && match asked.when {
                    When::At(period) if asked.is_since => date.last_day() >= period.from.first_day(),
                    When::At(period) => day.meets(&period.from.first_day(), &period.until.last_day()),
                    When::Now | When::Ever => true,
                };
        }
        match asked.when {
            When::Now => self.holds_on(today),
            When::Ever => true,
            When::At(_) if asked.is_present && self.is_over && self.interval.until.is_none() => false,
            When::At(period) => self.interval.meets(&period.from.first_day(), &period.until.last_day()),
        }
    }
}

/// Returns the pages that answer a relational question, in the order it asks for; none for other questions.
pub(super) fn answers(context: &VaultContext, request: &SearchRequest) -> Result<Vec<RelationAnswer>> {
    let words = Words::of(&request.text);
    if words.folded.len() > QUESTION_WORDS || words.folded.len() < 3 {
        return Ok(Vec::new());
    }
    let today = day_of_asking(context, request);
    if let Some(asked) = when::read(&words.folded) {
        let found = when::answers(context, request, &words, asked)?;
        // "What year" may also be the name of a relation.
        if !found.is_empty() || !BEGINNINGS.contains(&words.folded[0].as_str()) {
            return Ok(found);
        }
    }
    let (words, relative) = relative::split(words);
    for (span, pages) in words.named(context)? {
        let possessive = words.possessive[span.end - 1];
        let Some(asked) = read(&words.folded, span, possessive, today) else { continue };
        for mut group in readings(asked) {
            for asked in &mut group {
                if relative.is_some() {
                    (asked.when, asked.is_present) = (When::Ever, false);
                }
                if let (Some(day), When::Now) = (request.as_of, asked.when) {
                    asked.when = When::At(Period::of(day));
                }
            }
            let found = together(context, &mut group, &pages, relative.as_ref(), today)?;
            let answers = ranked_answers(context, request, &group[0], found)?;
            if !answers.is_empty() {
                return Ok(answers);
            }
        }
    }
    Ok(Vec::new())
}

/// Returns the relations that readings of one meaning ask for.
fn together(
    context: &VaultContext,
    group: &mut [RelationQuestion],
    pages: &[PageNo],
    relative: Option<&Relative>,
    today: Date,
) -> Result<Vec<FoundRelation>> {
    let mut found = Vec::new();
    for asked in group.iter() {
        found.extend(along_links(context, asked, pages)?);
        found.extend(along_facts(context, asked, pages)?);
    }
    if found.iter().any(|one| !one.is_weak) {
        found.retain(|one| !one.is_weak);
    }
    if let (Some(relative), Some(asked)) = (relative, group.first_mut()) {
        relative.apply(context, asked, &mut found, today)?;
    }
    Ok(found)
}

/// Returns the day from which "last year" counts back.
fn day_of_asking(context: &VaultContext, request: &SearchRequest) -> Date {
    let day = request.as_of.and_then(|day| day.last_day().parse().ok());
    day.unwrap_or_else(|| context.now().date())
}

/// Whether a relation is the one that the question asks for.
fn is_meant(asked: &RelationQuestion, relation: &RelationName) -> bool {
    if asked.verbs.is_empty() {
        return relation.is_belonging();
    }
    !relation.stems.is_empty()
        && relation.stems.iter().all(|stem| asked.verbs.contains(stem))
        && asked.verbs.iter().all(|verb| relation.stems.contains(verb))
}

/// Whether the named page is on the side of a relation that the question asks from, and if so, whether it may be meant
/// otherwise.
fn weakness(side: Side, relation: &RelationName, is_subject: bool) -> Option<bool> {
    match (side, is_subject, relation.is_role_of) {
        (Side::Subject, is_subject, _) => is_subject.then_some(false),
        (Side::Object, is_subject, _) => (!is_subject).then_some(false),
        // Who is `managed_by` somebody is not their manager.
        (Side::Role | Side::Either, false, _) if relation.passive => Some(false),
        (Side::Role, true, _) if relation.passive => None,
        (Side::Either, true, _) if relation.passive => Some(true),
        // `director [[Scott]]` on the page of a film, `director_of [[Alien]]` on that of a person.
        (Side::Role | Side::Either, true, false) | (Side::Role | Side::Either, false, true) => Some(false),
        (Side::Role | Side::Either, false, false) | (Side::Either, true, true) => Some(true),
        (Side::Role, true, true) => None,
    }
}

fn along_links(
    context: &VaultContext,
    asked: &RelationQuestion,
    pages: &[PageNo],
) -> Result<Vec<FoundRelation>> {
    let (store, project) = (context.store(), context.project());
    let mut found = Vec::new();
    let mut note = |row: LinkRow, outward: bool| {
        let name = RelationName::of(&row.link.relation);
        let Some(to) = row.to.filter(|_| is_meant(asked, &name)) else { return };
        // `founded_by [[Ada]]` on Acme's page means the same as `founded [[Acme]]` on Ada's.
        let subject = outward != name.passive;
        if let Some(is_weak) = weakness(asked.side, &name, subject) {
            let (page, other) = if outward { (to, row.from) } else { (row.from, to) };
            let (relation, interval, line) = (row.link.relation, row.link.interval, row.link.line);
            let stands_on = row.from;
            found.push(FoundRelation {
                page,
                relation,
                other,
                forward: !outward,
                interval,
                stands_on,
                line,
                object: None,
                is_weak,
                is_over: name.is_over,
            });
        }
    };
    store.links(project, &LinkFilter::From(pages))?.into_iter().for_each(|row| note(row, true));
    store.links(project, &LinkFilter::To(pages))?.into_iter().for_each(|row| note(row, false));
    Ok(found)
}

fn along_facts(
    context: &VaultContext,
    asked: &RelationQuestion,
    pages: &[PageNo],
) -> Result<Vec<FoundRelation>> {
    let (store, project) = (context.store(), context.project());
    let rows = store.pages(project, pages)?;
    let names: Vec<String> = rows.iter().flat_map(names_of_page).collect();
    let known: Vec<&str> = names.iter().map(String::as_str).collect();
    let own = StatementFilter { pages: Some(pages), kind: Some(StatementKind::Fact), naming: None };
    let mut facts: Vec<StatementRow> = store.statements(project, &own)?;
    facts.retain(|row| row.statement.subject.is_none());
    facts.extend(
        store.statements(project, &StatementFilter { naming: Some(&known), ..StatementFilter::default() })?,
    );
    let mut found = Vec::new();
    for StatementRow { page, statement } in facts {
        let name = RelationName::of(&statement.predicate);
        if !is_meant(asked, &name) {
            continue;
        }
        let about = statement.object.clone();
        let is_object = names.contains(&name_in_fact(&about)) && !pages.contains(&page);
        let Some(is_weak) = weakness(asked.side, &name, !is_object) else { continue };
        // The subject of a fact is its own page, or the page it names.
        let subject = match (&statement.subject, is_object) {
            (Some(name), true) => resolved(context, name)?.unwrap_or(page),
            (_, true) => page,
            (_, false) => resolved(context, &about)?.unwrap_or(page),
        };
        found.push(FoundRelation {
            page: subject,
            other: pages.first().copied().unwrap_or(page),
            forward: is_object,
            relation: statement.predicate,
            interval: statement.interval,
            stands_on: page,
            line: statement.lines.first,
            object: Some(about),
            is_weak,
            is_over: name.is_over,
        });
    }
    Ok(found)
}

/// Returns those of these pages that no longer hold on a day, so that neither do their links and facts.
fn no_longer_valid(
    context: &VaultContext,
    pages: impl Iterator<Item = PageNo>,
    day: &Day,
) -> Result<HashSet<PageNo>> {
    let numbers: Vec<PageNo> = pages.collect::<BTreeSet<_>>().into_iter().collect();
    if numbers.is_empty() {
        return Ok(HashSet::new());
    }
    let ties = Ties::around_on(context, &numbers, day)?;
    let rows = context.store().pages(context.project(), &numbers)?;
    Ok(rows.iter().filter(|row| day.is_invalid(row, &ties)).map(|row| row.number).collect())
}

/// Returns the day on which answers must hold.
fn day_asked(context: &VaultContext, request: &SearchRequest, when: When) -> Day {
    let date = request.as_of.or(if let When::At(period) = when { Some(period.until) } else { None });
    date.map_or_else(|| Day::today(context), |date| Day::of(context, date))
}

fn resolved(context: &VaultContext, name: &str) -> Result<Option<PageNo>> {
    let found = crate::index::find(context.store(), context.project(), &name_in_fact(name))?;
    Ok(found.map(|row| row.page))
}

fn names_of_page(page: &PageRow) -> Vec<String> {
    let last = page.slug.rsplit('/').next().unwrap_or(&page.slug).to_owned();
    let aliases = page.properties.list("aliases");
    [page.title.clone(), page.slug.clone(), last].iter().chain(&aliases).map(|name| fold(name)).collect()
}

/// Returns the answers that are valid at the right time and match the filter, with an explanation for each.
fn ranked_answers(
    context: &VaultContext,
    request: &SearchRequest,
    asked: &RelationQuestion,
    found: Vec<FoundRelation>,
) -> Result<Vec<RelationAnswer>> {
    let today = request.as_of.map_or_else(|| context.today(), PartialDate::last_day);
    let mut found: Vec<FoundRelation> = found.into_iter().filter(|one| one.fits(asked, &today)).collect();
    if let Some(day) = request.as_of {
        // A relation that began later was not known yet.
        let last = day.last_day();
        found.retain(|one| one.interval.from.is_none_or(|from| from.first_day() <= last));
    }
    let day = day_asked(context, request, asked.when);
    let over = no_longer_valid(context, found.iter().map(|one| one.stands_on), &day)?;
    if asked.when == When::Now || request.as_of.is_some() {
        found.retain(|one| !over.contains(&one.stands_on));
    }
    let pages: Vec<PageNo> = found.iter().map(|one| one.page).collect();
    let mut passing = passing(context, &request.filter, &pages)?;
    if let Some(kind) = &asked.kind {
        let is_kind = |page: &PageRow| stem(&fold(&page.kind), Language::English) == *kind;
        // "Which tram left Linz" does not ask who lived there.
        let is_general = asked.event.is_none() || is_general(kind);
        if !is_general || passing.iter().any(is_kind) {
            passing.retain(is_kind);
        }
    }
    // Ties are broken by path, which is the same after a rebuild.
    let path = |page: PageNo| passing.iter().find(|row| row.number == page).map(|row| row.path.as_str());
    let began =
        |one: &FoundRelation| asked.date(one.interval).map(PartialDate::first_day).unwrap_or_default();
    let current = |one: &FoundRelation| one.holds_on(&today) && !over.contains(&one.stands_on);
    found.sort_by(|a, b| {
        let order = match asked.order {
            Order::CurrentFirst => current(b).cmp(&current(a)).then_with(|| began(b).cmp(&began(a))),
            Order::CurrentLast => current(a).cmp(&current(b)).then_with(|| began(b).cmp(&began(a))),
            Order::Earliest => began(a).cmp(&began(b)),
            Order::Latest => began(b).cmp(&began(a)),
        };
        order.then_with(|| (path(a.page), a.line).cmp(&(path(b.page), b.line)))
    });
    let mut seen = BTreeSet::new();
    found.retain(|one| path(one.page).is_some() && seen.insert(one.page));
    found.truncate(ANSWERS);
    let numbers: Vec<PageNo> = found
        .iter()
        .flat_map(|one| [one.page, one.other, one.stands_on])
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect();
    let rows = context.store().pages(context.project(), &numbers)?;
    let answer = |one: FoundRelation| {
        let line = (one.stands_on == one.page).then_some(one.line);
        RelationAnswer { page: one.page, why: sentence(&one, &rows), line }
    };
    Ok(found.into_iter().map(answer).collect())
}

fn sentence(found: &FoundRelation, rows: &[PageRow]) -> String {
    let row = |number: PageNo| rows.iter().find(|row| row.number == number);
    let title = |number: PageNo| row(number).map(|row| row.title.clone()).unwrap_or_default();
    let (page, other) = (title(found.page), title(found.other));
    let place = row(found.stands_on).map(|row| row.path.clone()).unwrap_or_default();
    let (from, to) = match &found.object {
        Some(object) if !found.forward => (other, object.clone()),
        _ if found.forward => (page, other),
        _ => (other, page),
    };
    let interval = match found.interval.is_unbounded() {
        true => String::new(),
        false => format!(" {}", found.interval),
    };
    format!("answers it: {from} {} {to}{interval} ({place}:{})", found.relation, found.line)
}
