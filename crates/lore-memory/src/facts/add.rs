//! Adds facts. A new value of a single-valued predicate ends the old one on the same page and deletes nothing.

use std::cell::RefCell;

use lore_engine::{
    Action, Error, PageChange, Receipt, Result, Temporal, VaultContext, check_format, plain_predicate, write,
};
use lore_page::{Fact, Interval, edit, parse};
use lore_ports::PageRow;
use lore_text::PartialDate;

use super::supersede::{Claim, Plan, Standing, plan};
use super::{FactQuery, FactRow, Meaning, Meanings, facts};

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
struct Done {
    fact: Option<Fact>,
    ended: Vec<Fact>,
}

/// Adds a fact. If it is already stated, nothing changes.
pub fn add_fact(context: &VaultContext, new: &NewAssertion<'_>) -> Result<FactWritten> {
    check_format(&new.page.path)?;
    check_predicate(&new.fact.predicate)?;
    let done: RefCell<Done> = RefCell::default();
    let edit = |text: &str| {
        let (edited, what) = edited(context, new, text)?;
        done.replace(what);
        Ok(edited)
    };
    let action = Action::Edit(Box::new(edit));
    let change = PageChange { path: new.page.path.clone(), action, expected_version: new.expected_version };
    let receipt = write(context, &[change])?;
    let query = FactQuery {
        page: Some(new.page),
        subject: None,
        predicate: Some(&new.fact.predicate),
        temporal: Temporal::All,
        day: &context.today(),
    };
    let there = facts(context, &query)?.facts;
    let row = |fact: &Fact| there.iter().find(|row| row.path == new.page.path && is(row, fact)).cloned();
    let Done { fact, ended } = done.take();
    let missing = || Error::NotFound { reference: new.page.slug.clone(), suggestions: Vec::new() };
    let fact = fact.as_ref().and_then(row).ok_or_else(missing)?;
    Ok(FactWritten { receipt, fact, ended: ended.iter().filter_map(row).collect() })
}

fn is(row: &FactRow, fact: &Fact) -> bool {
    let said = &row.statement;
    (&said.subject, &said.predicate, &said.object, said.interval)
        == (&fact.subject, &fact.predicate, &fact.object, fact.interval)
}

/// Returns the page's text with the fact added, and the result of the edit.
fn edited(context: &VaultContext, new: &NewAssertion<'_>, text: &str) -> Result<(String, Done)> {
    let path = &new.page.path;
    let there = parse(path, text).page.facts;
    let words = there.iter().flat_map(|fact| fact.subject.iter().chain([&fact.object]));
    let given = new.fact.subject.iter().chain([&new.fact.object]);
    let meanings = Meanings::read(context, words.chain(given).map(|words| plain(words)))?;
    let means = |words: &String| meanings.of(plain(words), path);
    let subject = |named: &Option<String>| named.as_ref().map_or(Meaning::Page(new.page.number), means);
    let fact = edit::NewFact {
        // The page need not be named as subject on itself.
        subject: new.fact.subject.clone().filter(|named| means(named) != Meaning::Page(new.page.number)),
        ..new.fact.clone()
    };
    let predicate = plain_predicate(&fact.predicate);
    let alike = |other: &&Fact| {
        plain_predicate(&other.predicate) == predicate && subject(&other.subject) == subject(&fact.subject)
    };
    let value = means(&fact.object);
    let standing: Vec<Standing> = there
        .iter()
        .filter(alike)
        .map(|other| Standing {
            line: other.line,
            same_value: means(&other.object) == value,
            interval: other.interval,
        })
        .collect();
    let claim =
        Claim { interval: fact.interval, single: context.policy().facts.is_single_valued(&predicate) };
    let at = |line: u32| there.iter().find(|other| other.line == line);
    match plan(&standing, claim, today(context)?) {
        Plan::Said(line) => Ok((text.to_owned(), Done { fact: at(line).cloned(), ended: Vec::new() })),
        Plan::Clash(line) => Err(clash(new, at(line), line)),
        Plan::Add { interval, ends } => added(new, text, edit::NewFact { interval, ..fact }, &ends),
    }
}

/// Ends the replaced facts, then adds the new one.
fn added(
    new: &NewAssertion<'_>,
    text: &str,
    fact: edit::NewFact,
    ends: &[(u32, PartialDate)],
) -> Result<(String, Done)> {
    let failed = |source| Error::Edit { slug: new.page.slug.clone(), source };
    let mut edited = text.to_owned();
    for (line, day) in ends {
        edited = edit::close_fact(&edited, *line, *day).map_err(failed)?;
    }
    let before = parse(&new.page.path, &edited).page.facts;
    let ended = ends.iter().filter_map(|(line, _)| before.iter().find(|fact| fact.line == *line)).cloned();
    let ended = ended.collect();
    let edited = edit::add_fact(&edited, &fact).map_err(failed)?;
    let after = parse(&new.page.path, &edited).page.facts;
    let count = |list: &[Fact], fact: &Fact| list.iter().filter(|other| same_words(other, fact)).count();
    let fact = after.iter().find(|fact| count(&after, fact) > count(&before, fact)).cloned();
    Ok((edited, Done { fact, ended }))
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
    let begins = predicate.starts_with(|letter: char| letter.is_alphabetic() || letter == '_');
    if begins && predicate.chars().all(word) {
        return Ok(());
    }
    Err(Error::BadInput {
        message: format!("{predicate:?} is not a predicate"),
        hint: "use one word, such as role or lives_in".into(),
    })
}

fn clash(new: &NewAssertion<'_>, old: Option<&Fact>, line: u32) -> Error {
    let words = |predicate: &str, object: &str, interval: Interval| {
        let words = format!("{predicate}:: {object} {interval}");
        words.trim_end().to_owned()
    };
    Error::Overlap {
        slug: new.page.slug.clone(),
        new: words(&new.fact.predicate, &new.fact.object, new.fact.interval),
        old: old.map(|fact| words(&fact.predicate, &fact.object, fact.interval)).unwrap_or_default(),
        line,
        link: None,
    }
}
