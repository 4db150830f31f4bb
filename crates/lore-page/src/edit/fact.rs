//! Adds facts and sets their end dates.

use crate::format::Format;
use std::ops::Range;

use lore_text::PartialDate;

use super::EditError;
use super::doc::Doc;
use super::lines::{filled, join_lines, splice};
use super::relation::ended;
use crate::grammar::{OBJECT, PROVENANCE, Show, escape, unescape};
use crate::interval::Interval;
use crate::page::Fact;

/// A fact to write: `- predicate:: object {from..until} (source: …; by: …; confidence: …; "evidence")`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewFact {
    /// The subject, if it is not the page itself.
    pub subject: Option<String>,
    /// The predicate.
    pub predicate: String,
    /// The value.
    pub object: String,
    /// When the fact is valid.
    pub interval: Interval,
    /// Where the information came from.
    pub source: Option<String>,
    /// Who asserts it.
    pub by: Option<String>,
    /// Confidence, as written.
    pub confidence: Option<String>,
    /// The quoted evidence.
    pub evidence: Option<String>,
}

/// Adds a fact after the last one of the truth, or to the `State` or `Facts` section, or as a list at the end of the
/// truth. If the fact is already there, the text is unchanged.
pub fn add_fact(format: Format, text: &str, new: &NewFact) -> Result<String, EditError> {
    let doc = Doc::new(format, text);
    let new = normalized(new);
    filled("predicate", &new.predicate)?;
    filled("object", &new.object)?;
    if doc.page.facts.iter().any(|fact| is_same(format, fact, &new)) {
        return Ok(text.to_owned());
    }
    let reads_back =
        |edited: &String| Doc::new(format, edited).page.facts.iter().any(|fact| is_same(format, fact, &new));
    // As given if that reads back, else with backslashes.
    let items = [written(&new), written(&escaped(&new))];
    let edited = items.iter().map(|item| inserted(&doc, item)).find(reads_back);
    edited.ok_or_else(|| unreadable(format, &new))
}

/// Returns the text with the item of a fact on a new line.
fn inserted(doc: &Doc<'_>, item: &str) -> String {
    let truth = doc.page.truth.start..doc.page.truth.end;
    let last = doc.page.facts.iter().rev().find(|fact| doc.in_truth(fact.line));
    match last {
        Some(fact) => doc.insert_after_item(fact.line as usize, item),
        None => {
            let section = doc.section_called(&["State", "Facts"], truth.clone());
            doc.insert_at_end(section.map_or(truth, |section| section.body_start..section.own_end), item)
        }
    }
}

fn escaped(new: &NewFact) -> NewFact {
    let part = |part: &Option<String>| part.as_deref().map(|part| escape(part, PROVENANCE));
    NewFact {
        object: escape(&new.object, OBJECT),
        source: part(&new.source),
        by: part(&new.by),
        confidence: part(&new.confidence),
        evidence: part(&new.evidence),
        ..new.clone()
    }
}

/// Returns the error for a fact that does not read back, which names the part that is the reason.
fn unreadable(format: Format, new: &NewFact) -> EditError {
    let alone = NewFact { predicate: "x".into(), object: "x".into(), ..NewFact::default() };
    let reads = |new: &NewFact| {
        let line = format!("- {}\n", written(&escaped(new)));
        Doc::new(format, &line).page.facts.iter().any(|fact| is_same(format, fact, new))
    };
    let part = |name: &'static str, text: &Option<String>, fact: NewFact| {
        text.clone().filter(|_| !reads(&fact)).map(|text| (name, text))
    };
    let found = part(
        "predicate",
        &Some(new.predicate.clone()),
        NewFact { predicate: new.predicate.clone(), ..alone.clone() },
    )
    .or_else(|| part("subject", &new.subject, NewFact { subject: new.subject.clone(), ..alone.clone() }))
    .or_else(|| {
        part("object", &Some(new.object.clone()), NewFact { object: new.object.clone(), ..alone.clone() })
    })
    .or_else(|| part("source", &new.source, NewFact { source: new.source.clone(), ..alone.clone() }))
    .or_else(|| part("by", &new.by, NewFact { by: new.by.clone(), ..alone.clone() }))
    .or_else(|| part("evidence", &new.evidence, NewFact { evidence: new.evidence.clone(), ..alone.clone() }));
    let (name, text) = found.unwrap_or(("place", String::new()));
    EditError::unreadable("a fact", &format!("- {}", written(new)), name, &text)
}

/// Sets the end date of the fact on a line.
pub fn close_fact(format: Format, text: &str, line: u32, until: PartialDate) -> Result<String, EditError> {
    let doc = Doc::new(format, text);
    let fact = doc.page.facts.iter().find(|fact| fact.line == line).ok_or(EditError::NoFact { line })?;
    let interval = ended(fact.interval, line, until)?;
    if interval == fact.interval {
        return Ok(text.to_owned());
    }
    let expected = Fact { interval, ..fact.clone() };
    let item = doc.item_text(line as usize);
    let places: Vec<_> = match fact.interval.is_unbounded() {
        false => old_places(text, item.clone()).map(|range| (range, interval.to_string())).collect(),
        true => new_places(text, item.clone(), interval),
    };
    // Quotes and nested parentheses make the right position hard to find, so the first one that parses as expected is
    // used.
    let edits = places.into_iter().map(|(range, new)| splice(text, range, &new));
    let reads_back = |edited: &String| Doc::new(format, edited).page.facts.contains(&expected);
    let unreadable = || EditError::unreadable("a fact", &text[item.clone()], "interval", "");
    edits.into_iter().find(reads_back).ok_or_else(unreadable)
}

/// Returns the candidate ranges of the interval that a fact has: braces with two dots.
fn old_places(text: &str, item: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let opens = text[item.clone()].match_indices('{').map(move |(at, _)| item.start + at);
    let ends = |open: usize| text[open..].find('}').map(|length| open..open + length + 1);
    opens.filter_map(ends).filter(|range| text[range.clone()].contains("..")).take(16)
}

/// Returns the candidate positions of a new interval, likeliest first: before each parenthesis, and at the end.
fn new_places(text: &str, item: Range<usize>, interval: Interval) -> Vec<(Range<usize>, String)> {
    let before = |at: usize| (at..at, format!(" {interval}"));
    let parentheses = text[item.clone()].match_indices(" (").map(|(at, _)| before(item.start + at));
    let mut places: Vec<_> = parentheses.collect();
    if text[item.clone()].ends_with(')') {
        places.push(before(item.end));
    } else {
        places.insert(0, before(item.end));
    }
    places.truncate(16);
    places
}

fn normalized(new: &NewFact) -> NewFact {
    let optional = |part: &Option<String>| part.as_deref().map(join_lines).filter(|part| !part.is_empty());
    NewFact {
        subject: optional(&new.subject),
        predicate: join_lines(&new.predicate),
        object: join_lines(&new.object),
        interval: new.interval,
        source: optional(&new.source),
        by: optional(&new.by),
        confidence: optional(&new.confidence),
        evidence: optional(&new.evidence),
    }
}

fn is_same(format: Format, fact: &Fact, new: &NewFact) -> bool {
    let shown = |text: &str| format.shown_links(text, Show::Target).trim().to_owned();
    (&fact.predicate, &fact.source, &fact.by, &fact.confidence, &fact.evidence, fact.interval)
        == (&new.predicate, &new.source, &new.by, &new.confidence, &new.evidence, new.interval)
        && fact.subject == new.subject.as_deref().map(shown)
        && (fact.object == shown(&new.object) || fact.object == unescape(&shown(&new.object), OBJECT))
}

fn written(new: &NewFact) -> String {
    let mut line = match &new.subject {
        Some(subject) => format!("{subject} | {}:: {}", new.predicate, new.object),
        None => format!("{}:: {}", new.predicate, new.object),
    };
    if !new.interval.is_unbounded() {
        line += &format!(" {}", new.interval);
    }
    let named = [("source", &new.source), ("by", &new.by), ("confidence", &new.confidence)];
    let named = named.into_iter().filter_map(|(name, part)| Some(format!("{name}: {}", part.as_ref()?)));
    let evidence = new.evidence.iter().map(|evidence| format!("\"{evidence}\""));
    let provenance: Vec<_> = named.chain(evidence).collect();
    if !provenance.is_empty() {
        line += &format!(" ({})", provenance.join("; "));
    }
    line
}
