//! Questions about the time of a relation: "when did Ada join Acme", "since when does Ada work there", "how long did Ada
//! work at Acme". They are answered by the lines that state it, with the time in words.

use std::ops::Range;

use jiff::civil::Date;
use jiff::{SpanRound, Unit};
use lore_page::{Interval, LINKS_TO};
use lore_ports::{LinkFilter, PageNo, StatementFilter, StatementKind, StatementRow, name_in_fact};
use lore_text::{Language, PartialDate, stem};

use super::question::{relation_stems, verbs};
use super::{ANSWERS, RelationAnswer, Words, names_of_page, passing};
use crate::context::VaultContext;
use crate::error::Result;
use crate::search::request::SearchRequest;

/// What a question asks about an interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TimeAsked {
    /// Its beginning, or its end if a verb says so.
    When,
    /// Its beginning, if it has not ended.
    Since,
    /// Its length.
    Length,
}

/// Verbs that say that something began, and that it ended.
const BEGIN: [&str; 12] = [
    "join", "start", "begin", "become", "became", "move", "get", "take", "change", "hire", "arrive", "switch",
];
const END: [&str; 9] = ["leave", "left", "quit", "stop", "end", "finish", "resign", "retire", "depart"];

/// What a relation leads to.
enum RelationEnd {
    Page(PageNo),
    /// What a fact states.
    Text(String),
}

/// A line with an interval.
struct DatedLine {
    stands_on: PageNo,
    line: u32,
    relation: String,
    to: RelationEnd,
    interval: Interval,
}

/// Returns what a question asks, if it asks for a time.
pub(super) fn read(words: &[String]) -> Option<TimeAsked> {
    match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["when", ..] => Some(TimeAsked::When),
        ["since", "when", ..] | ["from", "when", ..] => Some(TimeAsked::Since),
        ["how", "long", ..] => Some(TimeAsked::Length),
        _ => None,
    }
}

/// Returns the lines that answer a question about a time.
pub(super) fn answers(
    context: &VaultContext,
    request: &SearchRequest,
    words: &Words,
    asked: TimeAsked,
) -> Result<Vec<RelationAnswer>> {
    let mut named: Vec<(Range<usize>, Vec<PageNo>)> = Vec::new();
    for (span, pages) in words.named(context)? {
        if named.len() < 2 && !named.iter().any(|(known, _)| known.start < span.end && span.start < known.end)
        {
            named.push((span, pages));
        }
    }
    if named.is_empty() {
        return Ok(Vec::new());
    }
    let rest: Vec<String> = (1..words.folded.len())
        .filter(|at| !named.iter().any(|(span, _)| span.contains(at)))
        .map(|at| words.folded[at].clone())
        .filter(|word| !["when", "long", "how", "since"].contains(&word.as_str()))
        .collect();
    let is_event =
        |list: &[&str], verb: &String| list.iter().any(|event| stem(event, Language::English) == *verb);
    let (events, verbs): (Vec<String>, Vec<String>) =
        verbs(&rest).into_iter().partition(|verb| is_event(&BEGIN, verb) || is_event(&END, verb));
    let ends = events.iter().any(|verb| is_event(&END, verb));
    let (first, second) = (named[0].1.as_slice(), named.get(1).map(|(_, pages)| pages.as_slice()));
    if second.is_none() && verbs.is_empty() {
        return Ok(Vec::new());
    }
    let mut lines = dated_links(context, first, second, &verbs)?;
    lines.extend(dated_facts(context, first, second, &verbs)?);
    let last = request.as_of.map_or_else(|| context.today(), PartialDate::last_day);
    lines.retain(|one| one.interval.from.is_none_or(|from| from.first_day() <= last));
    lines.retain(|one| if ends { one.interval.until.is_some() } else { one.interval.from.is_some() });
    let key = |one: &DatedLine| {
        let from = one.interval.from.map(PartialDate::first_day).unwrap_or_default();
        (one.interval.holds_on(&last), from, one.line)
    };
    match asked {
        // The last time that it began or ended is the one in mind.
        TimeAsked::When => lines.sort_by(|a, b| key(b).1.cmp(&key(a).1)),
        TimeAsked::Since | TimeAsked::Length => lines.sort_by_key(|one| std::cmp::Reverse(key(one))),
    }
    described(context, request, lines, &Wording { asked, ends, today: last })
}

fn is_about(verbs: &[String], stems: &[String]) -> bool {
    verbs.iter().all(|verb| stems.contains(verb))
}

fn dated_links(
    context: &VaultContext,
    first: &[PageNo],
    second: Option<&[PageNo]>,
    verbs: &[String],
) -> Result<Vec<DatedLine>> {
    let (store, project) = (context.store(), context.project());
    let mut rows = store.links(project, &LinkFilter::From(first))?;
    rows.extend(store.links(project, &LinkFilter::To(first))?);
    let mut found = Vec::new();
    for row in rows {
        let Some(to) = row.to.filter(|_| row.link.relation != LINKS_TO) else { continue };
        let other = if first.contains(&row.from) { to } else { row.from };
        let meant = second.is_none_or(|second| second.contains(&other));
        if meant && is_about(verbs, &relation_stems(&row.link.relation).0) {
            found.push(DatedLine {
                stands_on: row.from,
                line: row.link.line,
                relation: row.link.relation,
                to: RelationEnd::Page(to),
                interval: row.link.interval,
            });
        }
    }
    Ok(found)
}

fn dated_facts(
    context: &VaultContext,
    first: &[PageNo],
    second: Option<&[PageNo]>,
    verbs: &[String],
) -> Result<Vec<DatedLine>> {
    let (store, project) = (context.store(), context.project());
    let all = [first, second.unwrap_or_default()].concat();
    let rows = store.pages(project, &all)?;
    let names_of = |pages: &[PageNo]| -> Vec<String> {
        rows.iter().filter(|row| pages.contains(&row.number)).flat_map(names_of_page).collect()
    };
    let (first_names, second_names) = (names_of(first), second.map(names_of));
    let own = StatementFilter { pages: Some(&all), kind: Some(StatementKind::Fact), naming: None };
    let mut facts: Vec<StatementRow> = store.statements(project, &own)?;
    facts.retain(|row| row.statement.subject.is_none());
    let mut found = Vec::new();
    for StatementRow { page, statement } in facts {
        let object = name_in_fact(&statement.object);
        let has = |pages: &[PageNo], names: &[String]| pages.contains(&page) || names.contains(&object);
        let meant = has(first, &first_names)
            && second.zip(second_names.as_ref()).is_none_or(|(pages, names)| has(pages, names));
        let mut stems = relation_stems(&statement.predicate).0;
        stems.extend(relation_stems(&statement.object).0);
        if meant && is_about(verbs, &stems) {
            found.push(DatedLine {
                stands_on: page,
                line: statement.lines.first,
                relation: statement.predicate,
                to: RelationEnd::Text(statement.object),
                interval: statement.interval,
            });
        }
    }
    Ok(found)
}

/// How the time of a line is put into words.
struct Wording {
    asked: TimeAsked,
    ends: bool,
    today: String,
}

impl Wording {
    fn of(&self, interval: Interval) -> String {
        let from = interval.from.map(|date| date.to_string()).unwrap_or_default();
        let until = interval.until.filter(|until| until.last_day() <= self.today);
        match self.asked {
            TimeAsked::When if self.ends => {
                format!("ended {}", interval.until.map(|date| date.to_string()).unwrap_or_default())
            }
            TimeAsked::When => format!("began {from}"),
            TimeAsked::Since => match until {
                None => format!("since {from}"),
                Some(until) => format!("from {from} until {until}"),
            },
            TimeAsked::Length => {
                let last = until.map_or_else(|| self.today.clone(), PartialDate::last_day);
                let first = interval.from.map(PartialDate::first_day).unwrap_or_default();
                let tense = if until.is_some() { "lasted" } else { "has lasted" };
                format!("{tense} {}", length(&first, &last).unwrap_or_default())
            }
        }
    }
}

/// Returns the time between two days in words, in its two largest units.
fn length(first: &str, last: &str) -> Option<String> {
    let (first, last): (Date, Date) = (first.parse().ok()?, last.parse().ok()?);
    let span = first.until((Unit::Year, last.tomorrow().ok()?)).ok()?;
    let span = span.round(SpanRound::new().largest(Unit::Year).smallest(Unit::Day).relative(first)).ok()?;
    let unit = |count: i64, name: &str| match count {
        0 => None,
        1 => Some(format!("1 {name}")),
        count => Some(format!("{count} {name}s")),
    };
    let parts = [
        unit(i64::from(span.get_years()), "year"),
        unit(i64::from(span.get_months()), "month"),
        unit(i64::from(span.get_days()), "day"),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().take(2).collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

fn described(
    context: &VaultContext,
    request: &SearchRequest,
    lines: Vec<DatedLine>,
    wording: &Wording,
) -> Result<Vec<RelationAnswer>> {
    let standing: Vec<PageNo> = lines.iter().map(|one| one.stands_on).collect();
    let shown = passing(context, &request.filter, &standing)?;
    let page = |one: &DatedLine| if let RelationEnd::Page(page) = one.to { Some(page) } else { None };
    let others: Vec<PageNo> = lines.iter().filter_map(page).collect();
    let others = context.store().pages(context.project(), &others)?;
    let mut found: Vec<RelationAnswer> = Vec::new();
    for one in lines {
        let Some(page) = shown.iter().find(|row| row.number == one.stands_on) else { continue };
        if found.len() >= ANSWERS || found.iter().any(|known| known.page == one.stands_on) {
            continue;
        }
        let to = match &one.to {
            RelationEnd::Page(number) => {
                others.iter().find(|row| row.number == *number).map(|row| row.title.clone())
            }
            RelationEnd::Text(object) => Some(object.clone()),
        };
        let why = format!(
            "answers it: {} {} {} {}, {} ({}:{})",
            page.title,
            one.relation,
            to.unwrap_or_default(),
            one.interval,
            wording.of(one.interval),
            page.path,
            one.line
        );
        found.push(RelationAnswer { page: one.stands_on, why, line: Some(one.line) });
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_in_words() {
        for (first, last, expected) in [
            ("2017-01-01", "2020-12-31", "4 years"),
            ("2021-01-01", "2026-06-15", "5 years, 5 months"),
            ("2026-06-01", "2026-06-01", "1 day"),
            ("2026-01-31", "2026-03-01", "1 month, 2 days"),
        ] {
            assert_eq!(length(first, last).as_deref(), Some(expected), "{first} to {last}");
        }
    }
}
