//! Adds facts. A new value of a single-valued predicate ends the old one on the same page and deletes nothing.

use std::cell::RefCell;

use lore_engine::{
    Action, Error, PageChange, Receipt, Result, Temporal, ValueRules, VaultContext, plain_predicate, write,
};
use lore_page::{Fact, Format, Interval, Page, edit, parse};
use lore_ports::PageRow;
use lore_text::{PartialDate, fold};
use lore_vault::{VaultPath, without_extension};

use super::supersede::{ExistingFact, FactPlan, NewClaim, plan};
use super::{FactQuery, FactRow, Referent, Referents, facts};

/// A fact to add.
#[derive(Debug, Clone)]
pub struct NewAssertion<'a> {
    /// Page to add it to.
    pub page: &'a PageRow,
    /// The fact.
    pub fact: edit::NewFact,
    /// Version of the page the caller has read.
    pub expected_version: Option<u64>,
}

/// Result of adding a fact.
#[derive(Debug)]
pub struct FactWritten {
    /// Receipt of the write.
    pub receipt: Receipt,
    /// The fact as stored.
    pub fact: FactRow,
    /// Facts that it ended.
    pub ended: Vec<FactRow>,
}

/// Result of an edit: the fact and those that ended. Lines are not stored, since a schema may add one at the top.
#[derive(Debug, Default)]
pub(crate) struct StatedFact {
    /// The fact, new or as it was.
    pub fact: Option<Fact>,
    /// Facts that it ended.
    pub ended: Vec<Fact>,
}

/// Adds a fact. If it is already stated, nothing changes.
pub fn add_fact(context: &VaultContext, new: &NewAssertion<'_>) -> Result<FactWritten> {
    let result: RefCell<StatedFact> = RefCell::default();
    let edit = |text: &str| {
        let (edited, stated) = with_fact(context, &new.page.path, text, &new.fact)?;
        result.replace(stated);
        Ok(edited)
    };
    let action = Action::Edit(Box::new(edit));
    let change = PageChange {
        path: VaultPath::known(new.page.path.clone()),
        action,
        expected_version: new.expected_version,
    };
    let receipt = write(context, &[change])?;
    let query = FactQuery {
        page: Some(new.page),
        subject: None,
        // A synonym may state the fact already, or have been ended.
        predicate: None,
        temporal: Temporal::All,
        day: &context.today(),
    };
    let facts_on_page = facts(context, &query)?.facts;
    let row = |fact: &Fact| {
        facts_on_page.iter().find(|row| row.path == new.page.path && matches_fact(row, fact)).cloned()
    };
    let StatedFact { fact, ended } = result.take();
    let missing = || Error::NotFound { reference: new.page.slug.clone(), suggestions: Vec::new() };
    let fact = fact.as_ref().and_then(row).ok_or_else(missing)?;
    Ok(FactWritten { receipt, fact, ended: ended.iter().filter_map(row).collect() })
}

fn matches_fact(row: &FactRow, fact: &Fact) -> bool {
    let statement = &row.statement;
    (&statement.subject, &statement.predicate, &statement.object, statement.interval)
        == (&fact.subject, &fact.predicate, &fact.object, fact.interval)
}

/// Returns the text of a page with a fact added, by the rules for every caller: what is already stated is not repeated,
/// an end date closes the open fact, and a new value of a single-valued predicate ends the previous one.
pub(crate) fn with_fact(
    context: &VaultContext,
    path: &str,
    text: &str,
    new: &edit::NewFact,
) -> Result<(String, StatedFact)> {
    check_predicate(&new.predicate)?;
    let parsed = parse(path, text).page;
    let own_names = names_on(path, &parsed);
    let existing = parsed.facts;
    let number = context.page_at(path)?.map(|page| page.number);
    let words = existing.iter().flat_map(|fact| fact.subject.iter().chain([&fact.object]));
    let given = new.subject.iter().chain([&new.object]);
    let referents = Referents::read(context, words.chain(given).map(|words| plain(words)))?;
    let refer_to = |words: &String| referents.of(plain(words), path);
    // `None` is the page itself, which may not exist yet.
    let subject = |named: &Option<String>| {
        let named = named.as_ref().filter(|named| !own_names.contains(&fold(plain(named))))?;
        Some(refer_to(named)).filter(|referent| number.is_none_or(|own| *referent != Referent::Page(own)))
    };
    // The page need not be named as subject on itself.
    let fact = edit::NewFact {
        subject: new.subject.clone().filter(|_| subject(&new.subject).is_some()),
        ..new.clone()
    };
    let rules = ValueRules::new(context);
    let topic = rules.topic(&fact.predicate, &fact.object)?;
    let value = refer_to(&fact.object);
    let mut candidates: Vec<ExistingFact> = Vec::new();
    for other in existing.iter().filter(|other| subject(&other.subject) == subject(&fact.subject)) {
        let same_predicate = plain_predicate(&other.predicate) == plain_predicate(&fact.predicate);
        let same_topic = topic.is_some() && rules.topic(&other.predicate, &other.object)? == topic;
        let same_value = refer_to(&other.object) == value;
        if same_topic || same_predicate && same_value {
            candidates.push(ExistingFact { line: other.line, same_value, interval: other.interval });
        }
    }
    let claim = NewClaim { interval: fact.interval, single: topic.is_some() };
    let at = |line: u32| existing.iter().find(|other| other.line == line);
    match plan(&candidates, claim, today(context)?) {
        FactPlan::AlreadyStated(line) => {
            Ok((text.to_owned(), StatedFact { fact: at(line).cloned(), ended: Vec::new() }))
        }
        FactPlan::Close(line, day) => {
            let edited =
                edit::close_fact(Format::of(path), text, line, day).map_err(|source| failed(path, source))?;
            let closed = parse(path, &edited).page.facts.into_iter().find(|fact| fact.line == line);
            Ok((edited, StatedFact { fact: closed, ended: Vec::new() }))
        }
        FactPlan::Clash(line) => Err(overlap_error(path, new, at(line), line)),
        FactPlan::Add { interval, ends } => added(path, text, edit::NewFact { interval, ..fact }, &ends),
    }
}

/// Returns the folded names of the page that its path and its own text give it.
fn names_on(path: &str, page: &Page) -> Vec<String> {
    let stem = without_extension(path);
    let mut names = vec![path, stem, stem.rsplit('/').next().unwrap_or(stem), &page.title];
    names.extend(page.heading_title.as_deref());
    names.extend(page.aliases.iter().map(String::as_str));
    names.into_iter().map(fold).collect()
}

fn failed(path: &str, source: edit::EditError) -> Error {
    Error::Edit { slug: without_extension(path).to_owned(), source }
}

/// Ends the replaced facts, then adds the new one.
fn added(
    path: &str,
    text: &str,
    fact: edit::NewFact,
    ends: &[(u32, PartialDate)],
) -> Result<(String, StatedFact)> {
    let mut edited = text.to_owned();
    for (line, day) in ends {
        edited = edit::close_fact(Format::of(path), &edited, *line, *day)
            .map_err(|source| failed(path, source))?;
    }
    let before = parse(path, &edited).page.facts;
    let ended = ends.iter().filter_map(|(line, _)| before.iter().find(|fact| fact.line == *line)).cloned();
    let ended = ended.collect();
    let edited = edit::add_fact(Format::of(path), &edited, &fact).map_err(|source| failed(path, source))?;
    let after = parse(path, &edited).page.facts;
    let count = |list: &[Fact], fact: &Fact| list.iter().filter(|other| same_words(other, fact)).count();
    let fact = after.iter().find(|fact| count(&after, fact) > count(&before, fact)).cloned();
    Ok((edited, StatedFact { fact, ended }))
}

fn same_words(one: &Fact, other: &Fact) -> bool {
    (&one.subject, &one.predicate, &one.object, one.interval)
        == (&other.subject, &other.predicate, &other.object, other.interval)
}

/// Strips the link brackets from a name.
fn plain(words: &str) -> &str {
    let words = words.trim();
    let inner = words.strip_prefix("[[").and_then(|rest| rest.strip_suffix("]]")).unwrap_or(words);
    inner.split('|').next().unwrap_or(inner).trim()
}

fn today(context: &VaultContext) -> Result<PartialDate> {
    context.today().parse().map_err(|_| Error::BadInput {
        message: format!("the system date {} is not valid", context.today()),
        hint: "set the system clock".into(),
    })
}

fn check_predicate(predicate: &str) -> Result<()> {
    let word = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-');
    let starts_with_letter = predicate.starts_with(|letter: char| letter.is_alphabetic() || letter == '_');
    if starts_with_letter && predicate.chars().all(word) {
        return Ok(());
    }
    Err(Error::BadInput {
        message: format!("{predicate:?} is not a predicate"),
        hint: "use one word, such as role or lives_in".into(),
    })
}

fn overlap_error(path: &str, new: &edit::NewFact, old: Option<&Fact>, line: u32) -> Error {
    let words = |predicate: &str, object: &str, interval: Interval| {
        let words = format!("{predicate}:: {object} {interval}");
        words.trim_end().to_owned()
    };
    Error::Overlap {
        slug: without_extension(path).to_owned(),
        new: words(&new.predicate, &new.object, new.interval),
        old: old.map(|fact| words(&fact.predicate, &fact.object, fact.interval)).unwrap_or_default(),
        line,
        link: None,
    }
}
