//! Retrieval by relations: answers a question about a relation by following typed, dated links and facts from the page
//! that the question names.

mod question;
mod relative;
mod when;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::Range;

use lore_page::Interval;
use lore_ports::{
    KeyKind, LinkFilter, LinkRow, NameQuery, PageNo, PageRow, StatementFilter, StatementKind, StatementRow,
    name_in_fact,
};
use lore_text::{Language, PartialDate, fold, stem};

use super::passing;
use crate::context::VaultContext;
use crate::error::Result;
use crate::lifecycle::{Day, Ties};
use crate::search::request::SearchRequest;

use question::{Order, RelationQuestion, Side, When, is_role_of, read, relation_stems};

/// Maximum number of words of a name.
const NAME_WORDS: usize = 6;

/// Maximum number of words of a relational question.
const QUESTION_WORDS: usize = 24;

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
}

/// Returns the pages that answer a relational question, in the order it asks for; none for other questions.
pub(super) fn answers(context: &VaultContext, request: &SearchRequest) -> Result<Vec<RelationAnswer>> {
    let words = Words::of(&request.text);
    if words.folded.len() > QUESTION_WORDS || words.folded.len() < 3 {
        return Ok(Vec::new());
    }
    if let Some(asked) = when::read(&words.folded) {
        return when::answers(context, request, &words, asked);
    }
    let (words, relative) = relative::split(words);
    for (span, pages) in words.named(context)? {
        let possessive = words.possessive[span.end - 1];
        let Some(mut asked) = read(&words.folded, span, possessive) else { continue };
        if relative.is_some() {
            asked.when = When::Ever;
        }
        if let (Some(day), When::Now) = (request.as_of, asked.when) {
            asked.when = When::At(day);
        }
        let mut found = along_links(context, &asked, &pages)?;
        found.extend(along_facts(context, &asked, &pages)?);
        if found.iter().any(|one| !one.is_weak) {
            found.retain(|one| !one.is_weak);
        }
        if let Some(relative) = &relative {
            relative.apply(context, &mut asked, &mut found)?;
        }
        let answers = ranked_answers(context, request, &asked, found)?;
        if !answers.is_empty() {
            return Ok(answers);
        }
    }
    Ok(Vec::new())
}

/// The question's words, folded and stripped of punctuation.
struct Words {
    folded: Vec<String>,
    /// Whether the word ended in `'s`.
    possessive: Vec<bool>,
}

impl Words {
    fn of(question: &str) -> Self {
        let mut words = Words { folded: Vec::new(), possessive: Vec::new() };
        for word in question.split_whitespace().take(QUESTION_WORDS + 1) {
            let plain = fold(word.trim_matches(|letter: char| !letter.is_alphanumeric()));
            let owner = plain.strip_suffix("'s").or(plain.strip_suffix("’s")).map(str::to_owned);
            // An ex-director is a former one.
            let former = plain.strip_prefix("ex-").filter(|rest| rest.len() > 2).map(str::to_owned);
            if former.is_some() {
                words.push("former".to_owned(), false);
            }
            let is_possessive = owner.is_some();
            words.push(owner.or(former).unwrap_or(plain), is_possessive);
        }
        words
    }

    fn push(&mut self, word: String, is_possessive: bool) {
        self.folded.push(word);
        self.possessive.push(is_possessive);
    }

    /// Finds the page names in the question, longest first, each with the pages of that name.
    fn named(&self, context: &VaultContext) -> Result<Vec<(Range<usize>, Vec<PageNo>)>> {
        let mut spans: BTreeMap<String, Range<usize>> = BTreeMap::new();
        for start in 1..self.folded.len() {
            for end in start + 1..=(start + NAME_WORDS).min(self.folded.len()) {
                spans.entry(self.folded[start..end].join(" ")).or_insert(start..end);
            }
        }
        let names: Vec<&str> = spans.keys().map(String::as_str).collect();
        let mut rows = context.store().lookup(context.project(), &NameQuery::Exact(&names))?;
        rows.retain(|row| matches!(row.kind, KeyKind::Title | KeyKind::Alias | KeyKind::Slug));
        let mut named: Vec<(Range<usize>, Vec<PageNo>)> = Vec::new();
        for row in rows {
            let Some(span) = spans.get(&row.key) else { continue };
            match named.iter_mut().find(|(known, _)| known == span) {
                Some((_, pages)) if pages.contains(&row.page) => {}
                Some((_, pages)) => pages.push(row.page),
                None => named.push((span.clone(), vec![row.page])),
            }
        }
        named.sort_by_key(|(span, _)| (std::cmp::Reverse(span.len()), span.start));
        Ok(named)
    }
}

/// Whether a relation's name matches the question, and if so, whether it is passive.
fn is_meant(asked: &RelationQuestion, relation: &str) -> Option<bool> {
    let (stems, passive) = relation_stems(relation);
    let all = !stems.is_empty()
        && stems.iter().all(|stem| asked.verbs.contains(stem))
        && asked.verbs.iter().all(|verb| stems.contains(verb));
    all.then_some(passive)
}

/// Whether the named page is on the side of a relation that the question asks from, and if so, whether it may be meant
/// otherwise.
fn weakness(side: Side, relation: &str, is_subject: bool) -> Option<bool> {
    match (side, is_subject, is_role_of(relation)) {
        (Side::Subject, is_subject, _) => is_subject.then_some(false),
        (Side::Object, is_subject, _) => (!is_subject).then_some(false),
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
        let (Some(to), Some(passive)) = (row.to, is_meant(asked, &row.link.relation)) else { return };
        // `founded_by [[Ada]]` on Acme's page means the same as `founded [[Acme]]` on Ada's.
        let subject = outward != passive;
        if let Some(is_weak) = weakness(asked.side, &row.link.relation, subject) {
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
        if is_meant(asked, &statement.predicate).is_none() {
            continue;
        }
        let about = statement.object.clone();
        let is_object = names.contains(&name_in_fact(&about)) && !pages.contains(&page);
        let Some(is_weak) = weakness(asked.side, &statement.predicate, !is_object) else { continue };
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
    let date = request.as_of.or(if let When::At(date) = when { Some(date) } else { None });
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
    let mut found: Vec<FoundRelation> =
        found.into_iter().filter(|one| holds(asked.when, one.interval, &today)).collect();
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
    if let Some(kind) = &asked.kind
        && passing.iter().any(|page| stem(&fold(&page.kind), Language::English) == *kind)
    {
        passing.retain(|page| stem(&fold(&page.kind), Language::English) == *kind);
    }
    // Ties are broken by path, which is the same after a rebuild.
    let path = |page: PageNo| passing.iter().find(|row| row.number == page).map(|row| row.path.as_str());
    let began = |one: &FoundRelation| one.interval.from.map(PartialDate::first_day).unwrap_or_default();
    let current = |one: &FoundRelation| one.interval.holds_on(&today) && !over.contains(&one.stands_on);
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

fn holds(when: When, interval: Interval, today: &str) -> bool {
    match when {
        When::Now => interval.holds_on(today),
        When::Ever => true,
        When::At(date) => interval.meets(&date.first_day(), &date.last_day()),
    }
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
