//! Relations: `verb [[Target]] (context) {from..until}`.

use crate::interval::Interval;

use super::escape::{CONTEXT, unescape};
use super::{LineWarnings, tail, words};

/// The parts of a relation around its link.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Relation {
    pub(crate) verb: String,
    pub(crate) context: Option<String>,
    pub(crate) interval: Interval,
}

/// Parses the text before and after the first link of an item.
pub(crate) fn relation(before: &str, after: &str, warnings: &mut LineWarnings) -> Option<Relation> {
    let verb = verb(before)?;
    let mut rest = after.trim();
    let (mut context, mut interval) = (None, None);
    while !rest.is_empty() {
        if context.is_none()
            && let Some((before, inner)) = tail::parenthesis(rest)
        {
            (rest, context) = (before, Some(unescape(inner, CONTEXT).into_owned()));
        } else if interval.is_none()
            && let Some((before, inner)) = tail::braces(rest)
        {
            (rest, interval) = (before, Some(inner));
        } else {
            return None;
        }
    }
    let interval = interval.map(|inner| tail::interval(inner, warnings)).unwrap_or_default();
    Some(Relation { verb: verb.to_owned(), context, interval })
}

/// Returns whether a link after this text, including its trailing space, is the object of a relation.
pub(crate) fn is_verb(before: &str) -> bool {
    verb(before).is_some()
}

/// Returns the verb: one word, or several in quotes, with a space before the link.
fn verb(before: &str) -> Option<&str> {
    let text = before.trim();
    if text.len() == before.trim_start().len() {
        return None;
    }
    let quoted = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).map(str::trim);
    match quoted {
        Some(phrase) => (!phrase.is_empty() && !phrase.contains('"')).then_some(phrase),
        None => words::is_word(text).then_some(text),
    }
}
