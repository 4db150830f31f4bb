//! Facts: assertions on pages with their subject, validity and provenance.
//!
//! A fact is about its page unless it names a subject. Subjects and objects are resolved like links, so the title, an
//! alias and the slug of a page are the same subject everywhere.

mod add;
mod problems;
mod supersede;

use std::collections::{BTreeSet, HashMap, HashSet};

use lore_text::fold;

pub(crate) use add::with_fact;
pub use add::{FactWritten, NewAssertion, add_fact};
pub use problems::fact_contradictions;
pub(crate) use problems::problems;

use lore_engine::{
    Resolution, Result, Temporal, ValueRules, VaultContext, choose, names_of, plain_predicate,
};
use lore_ports::{
    KeyRow, NameQuery, PageNo, PageRow, Statement, StatementFilter, StatementKind, StatementRow,
};
use lore_text::stable_number;
use lore_vault::folder;

/// A query for facts.
#[derive(Debug, Clone, Copy)]
pub struct FactQuery<'a> {
    /// Only facts on this page or about it.
    pub page: Option<&'a PageRow>,
    /// Only facts about this subject: a page by any of its names, or literal words.
    pub subject: Option<&'a str>,
    /// Only facts with this predicate.
    pub predicate: Option<&'a str>,
    /// Filter by validity.
    pub temporal: Temporal,
    /// Date at which validity is evaluated: `YYYY-MM-DD`, a month or a year.
    pub day: &'a str,
}

/// A fact and its location.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FactRow {
    /// Stable id of the fact, the same on every machine and after every rebuild, also when the fact has ended.
    pub id: u64,
    /// Subject: the page's title, or literal words.
    pub subject: String,
    /// Slug of the subject's page, if there is one.
    pub about: Option<String>,
    /// Slug of the page the fact is on.
    pub page: String,
    /// Path of that page.
    pub path: String,
    /// The statement.
    pub statement: Statement,
}

/// Matching facts, and the number of matches excluded by validity.
#[derive(Debug, Default)]
pub struct FoundFacts {
    /// Facts, sorted by path and line.
    pub facts: Vec<FactRow>,
    /// Number of facts that match but are not valid at that date.
    pub left_out: usize,
}

/// Referent of a subject or an object: a page, else its words.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Referent {
    /// A page.
    Page(PageNo),
    /// Folded words.
    Words(String),
}

/// Pages that names refer to, resolved in one query.
pub(crate) struct Referents {
    by_name: HashMap<String, Vec<KeyRow>>,
}

impl Referents {
    /// Resolves these subjects and objects.
    pub(crate) fn read<'a>(
        context: &VaultContext,
        words: impl Iterator<Item = &'a str>,
    ) -> Result<Referents> {
        let names: BTreeSet<String> = words.flat_map(names_of).filter(|name| !name.is_empty()).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut by_name: HashMap<String, Vec<KeyRow>> = HashMap::new();
        for row in context.store().lookup(context.project(), &NameQuery::Exact(&names))? {
            by_name.entry(row.key.clone()).or_default().push(row);
        }
        Ok(Referents { by_name })
    }

    /// Returns what words on the page at a path refer to.
    pub(crate) fn of(&self, words: &str, path: &str) -> Referent {
        let rows: Vec<KeyRow> =
            names_of(words).iter().filter_map(|name| self.by_name.get(name)).flatten().cloned().collect();
        match choose(&rows, words, Some(folder(path))) {
            Resolution::One(row) => Referent::Page(row.page),
            _ => Referent::Words(fold(words)),
        }
    }

    /// Returns the subject of a fact on a page.
    pub(crate) fn subject(&self, statement: &Statement, page: PageNo, path: &str) -> Referent {
        statement.subject.as_deref().map_or(Referent::Page(page), |subject| self.of(subject, path))
    }
}

/// Returns all facts, and the path of every page.
fn facts_and_paths(context: &VaultContext) -> Result<(Vec<StatementRow>, HashMap<PageNo, String>)> {
    let (store, project) = (context.store(), context.project());
    let facts = StatementFilter { kind: Some(StatementKind::Fact), ..StatementFilter::default() };
    let pages = store.fingerprints(project, context.replica(), None)?;
    let paths = pages.into_iter().map(|page| (page.page, page.path)).collect();
    Ok((store.statements(project, &facts)?, paths))
}

/// Returns the facts that match a query, sorted by path and line.
pub fn facts(context: &VaultContext, query: &FactQuery<'_>) -> Result<FoundFacts> {
    let (all, paths) = facts_and_paths(context)?;
    let path = |page: PageNo| paths.get(&page).map(String::as_str).unwrap_or_default();
    let named = all.iter().filter_map(|row| row.statement.subject.as_deref());
    let referents = Referents::read(context, named.chain(query.subject))?;
    let requested = requested_subject(context, query, &referents)?;
    let predicate = query.predicate.map(plain_predicate);
    let mut found = FoundFacts::default();
    let mut matching: Vec<(&StatementRow, Referent)> = Vec::new();
    let replaced =
        ReplacedThatDay { rules: ValueRules::new(context), referents: &referents, all: &all, paths: &paths };
    for row in &all {
        let subject = referents.subject(&row.statement, row.page, path(row.page));
        let on_page = |page: &PageRow| row.page == page.number || subject == Referent::Page(page.number);
        let fits = query.page.is_none_or(on_page)
            && requested.as_ref().is_none_or(|requested| *requested == subject)
            && predicate
                .as_ref()
                .is_none_or(|requested| *requested == plain_predicate(&row.statement.predicate));
        match fits {
            false => {}
            true if query.temporal.takes_interval(row.statement.interval, query.day)
                && !(query.temporal == Temporal::Current && replaced.contains(row, &subject)?) =>
            {
                matching.push((row, subject))
            }
            true => found.left_out += 1,
        }
    }
    found.facts = fact_rows(context, &all, matching)?;
    found.facts.sort_by(|a, b| (&a.path, a.statement.lines.first).cmp(&(&b.path, b.statement.lines.first)));
    Ok(found)
}

/// Facts that ended on the day on which a line below them on the page begins again or, for a single-valued predicate,
/// gives another value: on that day the last line counts.
struct ReplacedThatDay<'a> {
    rules: ValueRules<'a>,
    referents: &'a Referents,
    all: &'a [StatementRow],
    paths: &'a HashMap<PageNo, String>,
}

impl ReplacedThatDay<'_> {
    fn contains(&self, row: &StatementRow, subject: &Referent) -> Result<bool> {
        let statement = &row.statement;
        let Some(until) = statement.interval.until else { return Ok(false) };
        let path = self.paths.get(&row.page).map(String::as_str).unwrap_or_default();
        let follows = |other: &&StatementRow| {
            other.page == row.page
                && other.statement.lines.first > statement.lines.first
                && other.statement.interval.from == Some(until)
                && self.referents.subject(&other.statement, other.page, path) == *subject
        };
        let topic = |statement: &Statement| self.rules.topic(&statement.predicate, &statement.object);
        for other in self.all.iter().filter(follows) {
            let other = &other.statement;
            let same = plain_predicate(&other.predicate) == plain_predicate(&statement.predicate)
                && fold(&other.object) == fold(&statement.object);
            if same || topic(statement)?.is_some() && topic(other)? == topic(statement)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Returns the requested subject: a page by any of its names, else the words.
fn requested_subject(
    context: &VaultContext,
    query: &FactQuery<'_>,
    referents: &Referents,
) -> Result<Option<Referent>> {
    let Some(words) = query.subject else { return Ok(None) };
    Ok(Some(match context.find(words)? {
        Some(page) => Referent::Page(page.number),
        None => referents.of(words, ""),
    }))
}

fn fact_rows(
    context: &VaultContext,
    all: &[StatementRow],
    matching: Vec<(&StatementRow, Referent)>,
) -> Result<Vec<FactRow>> {
    let pages: HashSet<PageNo> = matching.iter().map(|(row, _)| row.page).collect();
    let about = matching.iter().filter_map(|(_, subject)| match subject {
        Referent::Page(page) => Some(*page),
        Referent::Words(_) => None,
    });
    let numbers: BTreeSet<PageNo> = pages.iter().copied().chain(about).collect();
    let numbers: Vec<PageNo> = numbers.into_iter().collect();
    let rows = context.store().pages(context.project(), &numbers)?;
    let rows: HashMap<PageNo, PageRow> = rows.into_iter().map(|row| (row.number, row)).collect();
    let ids = ids(all.iter().filter(|row| pages.contains(&row.page)), &rows);
    let fact = |(row, subject): (&StatementRow, Referent)| {
        let page = rows.get(&row.page)?;
        let about = match subject {
            Referent::Page(page) => rows.get(&page),
            Referent::Words(_) => None,
        };
        let words = row.statement.subject.clone().unwrap_or_default();
        Some(FactRow {
            id: ids.get(&(row.page, row.statement.lines.first)).copied().unwrap_or_default(),
            subject: about.map_or(words, |about| about.title.clone()),
            about: about.map(|about| about.slug.clone()),
            page: page.slug.clone(),
            path: page.path.clone(),
            statement: row.statement.clone(),
        })
    };
    Ok(matching.into_iter().filter_map(fact).collect())
}

/// Returns the id of each fact by page and line. The end date is not part of the id, so that closing a fact keeps it.
fn ids<'a>(
    facts: impl Iterator<Item = &'a StatementRow>,
    pages: &HashMap<PageNo, PageRow>,
) -> HashMap<(PageNo, u32), u64> {
    let mut seen: HashMap<u64, u64> = HashMap::new();
    let mut ids = HashMap::new();
    for row in facts {
        let Some(page) = pages.get(&row.page) else { continue };
        let statement = &row.statement;
        let from = statement.interval.from.map(|date| date.to_string()).unwrap_or_default();
        let subject = statement.subject.as_deref().map(fold).unwrap_or_default();
        let predicate = plain_predicate(&statement.predicate);
        let base = stable_number(&["fact", &page.id, &subject, &predicate, &fold(&statement.object), &from]);
        let nth = seen.entry(base).or_insert(0);
        *nth += 1;
        let id = if *nth == 1 { base } else { stable_number(&[&base.to_string(), &nth.to_string()]) };
        ids.insert((row.page, statement.lines.first), id);
    }
    ids
}
