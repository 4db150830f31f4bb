//! Questions about the time of a relation: "when did Ada join Acme", "since when does Ada work there", "how long did Ada
//! work at Acme". They are answered by the lines that state it, with the time in words.

use std::ops::Range;

use jiff::civil::Date;
use jiff::{SpanRound, Unit};
use lore_page::{Interval, LINKS_TO};
use lore_ports::{LinkFilter, PageNo, StatementFilter, StatementKind, StatementRow, name_in_fact};
use lore_text::PartialDate;

use super::relation_name::RelationName;
use super::word_lists::{BEGIN, END, FIRST, is_one_of, verbs};
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
    /// Its end.
    Until,
    /// Its length.
    Length,
}

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

/// Units of time that a question may ask for.
const UNITS: [&str; 5] = ["year", "month", "week", "day", "date"];

/// Returns what a question asks, if it asks for a time, and how many of its words say so.
pub(super) fn read(words: &[String]) -> Option<(TimeAsked, usize)> {
    let plain: Vec<&str> = words.iter().take(4).map(String::as_str).collect();
    let is_unit = |word: &str| UNITS.contains(&word);
    let asked = |rest: &[&str]| match rest {
        ["when", ..] => Some((TimeAsked::When, 1)),
        ["what" | "which", unit, ..] if is_unit(unit) => Some((TimeAsked::When, 2)),
        ["how", "long", ..] => Some((TimeAsked::Length, 2)),
        ["how", "many", "years" | "months", ..] => Some((TimeAsked::Length, 3)),
        _ => None,
    };
    let (&first, rest) = plain.split_first()?;
    match (first, asked(rest)) {
        ("since" | "from", Some((TimeAsked::When, count))) => Some((TimeAsked::Since, count + 1)),
        ("until" | "till", Some((TimeAsked::When, count))) => Some((TimeAsked::Until, count + 1)),
        ("in" | "on" | "for", Some((asked, count))) => Some((asked, count + 1)),
        _ => asked(&plain),
    }
}

/// Returns the lines that answer a question about a time.
pub(super) fn answers(
    context: &VaultContext,
    request: &SearchRequest,
    words: &Words,
    (asked, lead): (TimeAsked, usize),
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
    let rest: Vec<String> = (lead..words.folded.len())
        .filter(|at| !named.iter().any(|(span, _)| span.contains(at)))
        .map(|at| words.folded[at].clone())
        .collect();
    let (events, verbs): (Vec<String>, Vec<String>) =
        verbs(&rest).into_iter().partition(|verb| is_one_of(&BEGIN, verb) || is_one_of(&END, verb));
    let ends = asked == TimeAsked::Until || events.iter().any(|verb| is_one_of(&END, verb));
    let earliest = rest.iter().any(|word| FIRST.contains(&word.as_str()));
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
        TimeAsked::When if earliest => lines.sort_by_key(|one| key(one).1),
        // The last time that it began or ended is the one in mind.
        TimeAsked::When | TimeAsked::Until => lines.sort_by(|a, b| key(b).1.cmp(&key(a).1)),
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
        if meant && is_about(verbs, &RelationName::of(&row.link.relation).stems) {
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
        let mut stems = RelationName::of(&statement.predicate).stems;
        stems.extend(RelationName::of(&statement.object).stems);
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
            TimeAsked::When | TimeAsked::Until if self.ends => {
                format!("ended {}", interval.until.map(|date| date.to_string()).unwrap_or_default())
            }
            TimeAsked::When | TimeAsked::Until => format!("began {from}"),
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
    fn questions_for_a_time() {
        for (question, expected) in [
            ("when did ada join", Some((TimeAsked::When, 1))),
            ("in which year did ada join", Some((TimeAsked::When, 3))),
            ("what year did ada join", Some((TimeAsked::When, 2))),
            ("since when is she there", Some((TimeAsked::Since, 2))),
            ("since what year is she there", Some((TimeAsked::Since, 3))),
            ("until when was she there", Some((TimeAsked::Until, 2))),
            ("for how long was she there", Some((TimeAsked::Length, 3))),
            ("how many years was she there", Some((TimeAsked::Length, 3))),
            ("how many people were there", None),
            ("what role did she have", None),
            ("for when", Some((TimeAsked::When, 2))),
            ("", None),
        ] {
            let words: Vec<String> = question.split(' ').map(str::to_owned).collect();
            assert_eq!(read(&words), expected, "{question}");
        }
    }

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
