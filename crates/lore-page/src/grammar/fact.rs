//! Facts: `predicate:: object {from..until} (source: …; by: …; confidence: …; "evidence")`, with an optional
//! `Subject | ` in front.

use crate::interval::Interval;
use crate::page::Fact;

use super::escape::{OBJECT, PROVENANCE, is_escaped, unescape};
use super::words::{self, Show, shown_links};
use super::{LineWarnings, tail};

#[derive(Debug, Default)]
struct Provenance {
    source: Option<String>,
    by: Option<String>,
    confidence: Option<String>,
    evidence: Option<String>,
}

/// Parses a fact.
pub(crate) fn fact(text: &str, line: u32, warnings: &mut LineWarnings) -> Option<Fact> {
    let (before, after) = split_at_marker(text)?;
    let (subject, predicate) = match before.rsplit_once('|') {
        Some((subject, predicate)) => (Some(subject.trim()), predicate.trim_start()),
        None => (None, before),
    };
    if !is_predicate(predicate) || subject == Some("") {
        return None;
    }
    let mut rest = after.trim();
    let (mut interval, mut provenance) = (None, None);
    loop {
        if provenance.is_none()
            && let Some((before, inner)) = tail::parenthesis(rest)
            && let Some(found) = read_provenance(inner, warnings)
        {
            (rest, provenance) = (before, Some(found));
        } else if interval.is_none()
            && let Some((before, inner)) = tail::braces(rest)
            && inner.contains("..")
        {
            (rest, interval) = (before, Some(inner));
        } else {
            break;
        }
    }
    let object = unescape(shown_links(rest, Show::Target).trim(), OBJECT).into_owned();
    if object.is_empty() {
        warnings.push(format!("`{predicate}::` has no object, so it is not a fact"));
        return None;
    }
    let provenance = provenance.unwrap_or_default();
    Some(Fact {
        subject: subject.map(|subject| shown_links(subject, Show::Target).trim_matches('*').to_owned()),
        predicate: predicate.to_owned(),
        object,
        interval: interval.map_or_else(Interval::default, |inner| tail::interval(inner, warnings)),
        source: provenance.source,
        by: provenance.by,
        confidence: provenance.confidence,
        evidence: provenance.evidence,
        line,
    })
}

/// Splits at the first `::` that is followed by whitespace or the end of the text.
fn split_at_marker(text: &str) -> Option<(&str, &str)> {
    let marker = |at: &usize| text[at + 2..].chars().next().is_none_or(char::is_whitespace);
    let at = text.match_indices("::").map(|(at, _)| at).find(marker)?;
    Some((&text[..at], &text[at + 2..]))
}

fn is_predicate(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_') && words::is_word(text)
}

/// Parses the parts between semicolons. Returns `None` if no part is known, because it is then a plain parenthesis.
fn read_provenance(inner: &str, warnings: &mut LineWarnings) -> Option<Provenance> {
    let mut found = Provenance::default();
    let mut unknown = Vec::new();
    let mut any = false;
    for part in parts(inner) {
        let slot = match known_part(part) {
            Some((Key::Source, value)) => (&mut found.source, value),
            Some((Key::By, value)) => (&mut found.by, value),
            Some((Key::Confidence, value)) => (&mut found.confidence, value),
            Some((Key::Evidence, value)) => (&mut found.evidence, value),
            None => {
                unknown.push(part);
                continue;
            }
        };
        any = true;
        let (slot, value) = slot;
        if !value.is_empty() {
            slot.get_or_insert_with(|| unescape(value, PROVENANCE).into_owned());
        }
    }
    if any {
        warnings.extend(unknown.into_iter().map(|part| {
            format!("`{part}` is not valid provenance; use source:, by:, confidence: or a quoted text")
        }));
    }
    any.then_some(found)
}

enum Key {
    Source,
    By,
    Confidence,
    Evidence,
}

fn known_part(part: &str) -> Option<(Key, &str)> {
    for (open, close) in [('"', '"'), ('“', '”')] {
        if let Some(quote) = part.strip_prefix(open).and_then(|rest| rest.strip_suffix(close)) {
            return Some((Key::Evidence, quote.trim()));
        }
    }
    let (name, value) = part.split_once(':')?;
    let key = match name.trim_end().to_ascii_lowercase().as_str() {
        "source" => Key::Source,
        "by" => Key::By,
        "confidence" => Key::Confidence,
        _ => return None,
    };
    Some((key, value.trim()))
}

/// Splits at semicolons outside quotes.
fn parts(inner: &str) -> impl Iterator<Item = &str> {
    let mut quoted = false;
    let mut ends: Vec<usize> = Vec::new();
    for (at, c) in inner.char_indices().filter(|(at, c)| ";\"“”".contains(*c) && !is_escaped(inner, *at))
    {
        match c {
            '"' => quoted = !quoted,
            '“' => quoted = true,
            '”' => quoted = false,
            _ if !quoted => ends.push(at),
            _ => {}
        }
    }
    let starts = std::iter::once(0).chain(ends.clone().into_iter().map(|end| end + 1));
    let ends = ends.into_iter().chain(std::iter::once(inner.len()));
    starts.zip(ends).map(|(start, end)| inner[start..end].trim()).filter(|part| !part.is_empty())
}
