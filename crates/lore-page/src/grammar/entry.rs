//! Timeline entries: `**YYYY-MM-DD** | source — summary`. The date may be a month, a year or a range: `**2022-03**`,
//! `**2022-03-10..2022-03-16**`.

use std::borrow::Cow;

use lore_text::PartialDate;

use super::LineWarnings;
use super::escape::{ENTRY_SOURCE, SUMMARY, is_escaped, unescape};
use crate::interval::Interval;

/// The parsed first line of an entry.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Dated<'t> {
    pub(crate) date: &'t str,
    pub(crate) source: Option<Cow<'t, str>>,
    pub(crate) summary: Cow<'t, str>,
}

/// Parses the first line of an entry.
pub(crate) fn entry<'t>(text: &'t str, warnings: &mut LineWarnings) -> Option<Dated<'t>> {
    let (date, rest) = text.strip_prefix("**")?.split_once("**")?;
    let (date, rest) = (without_braces(date), rest.trim_start());
    // A bold year before a dash is common in prose; with the place of a source it is an entry.
    let has_source = rest.strip_prefix('|').is_some_and(|rest| dash(rest.trim()).is_some());
    if !looks_like_a_date(date, has_source) {
        return None;
    }
    let (source, summary) = match rest.strip_prefix('|') {
        Some(rest) => source_and_summary(rest.trim()),
        None => (None, after_dash(rest)?.trim()),
    };
    if entry_dates(date).is_none() {
        warnings.push(format!(
            "invalid date `{date}`; an entry starts with **YYYY-MM-DD**, a month, or a range of dates"
        ));
        return None;
    }
    if summary.is_empty() {
        warnings.push(format!("the entry of {date} has no summary, so it is not an entry"));
        return None;
    }
    let source = source.map(|source| unescape(source, ENTRY_SOURCE));
    Some(Dated { date, source, summary: unescape(summary, SUMMARY) })
}

/// Returns the days that the date of an entry covers: a day, a month, a year, or a range of these with both ends.
pub(crate) fn entry_dates(date: &str) -> Option<Interval> {
    if !date.contains("..") {
        let date = date.parse::<PartialDate>().ok()?;
        return Some(Interval { from: Some(date), until: Some(date) });
    }
    date.parse::<Interval>().ok().filter(|range| range.from.is_some() && range.until.is_some())
}

/// Returns a date without the braces of an interval.
pub(crate) fn without_braces(date: &str) -> &str {
    let date = date.trim();
    date.strip_prefix('{').and_then(|date| date.strip_suffix('}')).unwrap_or(date).trim()
}

/// Returns whether the text is a year followed by digits, hyphens and dots. Other bold text at the start of an item is
/// left alone.
fn looks_like_a_date(text: &str, is_year_enough: bool) -> bool {
    let bytes = text.as_bytes();
    let year = bytes.len() >= 4 && bytes[..4].iter().all(u8::is_ascii_digit);
    year && match bytes.get(4) {
        None => is_year_enough,
        Some(next) => {
            matches!(next, b'-' | b'.')
                && bytes.iter().all(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'.'))
        }
    }
}

/// Splits at the first dash; without one, or with nothing after it, the whole text is the summary.
fn source_and_summary(text: &str) -> (Option<&str>, &str) {
    let Some((at, length)) = dash(text) else { return (None, text) };
    let (source, summary) = (text[..at].trim(), text[at + length..].trim());
    match (source.is_empty(), summary.is_empty()) {
        (false, true) => (None, source),
        (true, _) => (None, summary),
        (false, false) => (Some(source), summary),
    }
}

/// Returns what follows a colon or dash right after the date.
fn after_dash(rest: &str) -> Option<&str> {
    let dashes = [":", "—", "– ", "-- ", "- "];
    dashes.iter().find_map(|dash| rest.strip_prefix(dash))
}

/// Returns the position and length of the first separating dash.
fn dash(text: &str) -> Option<(usize, usize)> {
    dashes(text).into_iter().next()
}

/// Returns the positions of the characters in a source that would end it: separating dashes, and brackets that are not
/// in pairs.
pub(crate) fn separators(source: &str) -> Vec<usize> {
    let brackets = source.char_indices().filter(|(_, c)| matches!(c, '[' | ']'));
    let balanced = brackets.clone().try_fold(0_usize, |depth, (_, c)| match c {
        '[' => Some(depth + 1),
        _ => depth.checked_sub(1),
    });
    let mut found: Vec<usize> = dashes(source).into_iter().map(|(at, _)| at).collect();
    if balanced != Some(0) {
        found.extend(brackets.map(|(at, _)| at));
        // Without brackets, the dashes inside them separate too.
        let plain: String = source.chars().map(|c| if matches!(c, '[' | ']') { '_' } else { c }).collect();
        found.extend(dashes(&plain).into_iter().map(|(at, _)| at));
    }
    found.extend(source.match_indices(['<', '%']).map(|(at, _)| at));
    // A source that ends with a dash has the space of the separator after it.
    let end = source.char_indices().next_back().filter(|(_, c)| matches!(c, '-' | '–'));
    found.extend(end.map(|(at, _)| at));
    found
}

/// Returns the positions and lengths of separating dashes: em dashes, and other dashes with spaces around them. Dashes in
/// brackets belong to a link's name.
fn dashes(text: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        if !matches!(c, '[' | ']' | '—' | '–' | '-') || is_escaped(text, at) {
            continue;
        }
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            '—' if depth == 0 => found.push((at, c.len_utf8())),
            '–' | '-' if depth == 0 && (at == 0 || text[..at].ends_with(char::is_whitespace)) => {
                let run = if text[at..].starts_with("--") { 2 } else { c.len_utf8() };
                if text[at + run..].chars().next().is_none_or(char::is_whitespace) {
                    found.push((at, run));
                }
            }
            _ => {}
        }
    }
    found
}
