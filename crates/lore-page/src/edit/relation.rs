//! Adds relations, sets their end dates, and removes them.

use crate::format::Format;
use lore_text::PartialDate;

use super::EditError;
use super::doc::Doc;
use super::lines::{filled, join_lines, splice};
use crate::grammar::{CONTEXT, RELATION_LABELS, escape};
use crate::interval::Interval;
use crate::page::{LINKS_TO, Link, Page};

/// A relation to write: `- relation [[Target]] (context) {from..until}`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewRelation {
    /// The verb; several words are quoted.
    pub relation: String,
    /// The text between the brackets: a name, or `id:…`.
    pub target: String,
    /// What the link shows, if that is not the target.
    pub label: Option<String>,
    /// The text in parentheses.
    pub context: Option<String>,
    /// When the relation is valid.
    pub interval: Interval,
}

/// Adds a relation to the `Relations` section, or after the last relation of the truth, or as a list at the end of the
/// truth. If the relation is already there, the text is unchanged.
pub fn add_relation(format: Format, text: &str, new: &NewRelation) -> Result<String, EditError> {
    let doc = Doc::new(format, text);
    let new = normalized(new);
    filled("relation", &new.relation)?;
    filled("target", &new.target)?;
    if has_relation(&doc.page, &new) {
        return Ok(text.to_owned());
    }
    let truth = doc.page.truth.start..doc.page.truth.end;
    let section = doc.section_called(&["Relations"], truth.clone());
    let within = section.map_or(truth.clone(), |section| section.body_start..section.own_end);
    let last = doc.page.links.iter().rev().find(|link| {
        is_relation(link) && within.contains(&link.span.start) && doc.item(link.line as usize).is_some()
    });
    // As given if that reads back, else with backslashes.
    let items = [written(format, &new), written(format, &escaped(&new))];
    let inserted = |item: &String| match last {
        Some(link) => doc.insert_after_item(link.line as usize, item),
        None => doc.insert_at_end(within.clone(), item),
    };
    let edited = items.iter().map(inserted).find(|edited| has_relation(&Doc::new(format, edited).page, &new));
    edited.ok_or_else(|| unreadable(format, &new))
}

fn escaped(new: &NewRelation) -> NewRelation {
    let context = new.context.as_deref().map(|context| escape(context, CONTEXT));
    NewRelation { context, ..new.clone() }
}

/// Returns the error for a relation that does not read back, which names the part that is the reason.
fn unreadable(format: Format, new: &NewRelation) -> EditError {
    let reads = |new: &NewRelation| {
        has_relation(&Doc::new(format, &format!("- {}\n", written(format, &escaped(new)))).page, new)
    };
    let plain = |relation: &str, target: &str| NewRelation {
        relation: relation.to_owned(),
        target: target.to_owned(),
        ..NewRelation::default()
    };
    let (part, text) = match &new.context {
        _ if !reads(&plain(&new.relation, "x")) => ("relationship", new.relation.as_str()),
        _ if !reads(&plain("x", &new.target)) => ("target", new.target.as_str()),
        Some(context) if !reads(&NewRelation { context: new.context.clone(), ..plain("x", "x") }) => {
            ("context", context.as_str())
        }
        _ => ("place", ""),
    };
    EditError::unreadable("a relation", &format!("- {}", written(format, new)), part, text)
}

/// Sets the end date of the relation on a line.
pub fn close_relation(
    format: Format,
    text: &str,
    line: u32,
    until: PartialDate,
) -> Result<String, EditError> {
    let doc = Doc::new(format, text);
    let link = doc.page.links.iter().find(|link| link.line == line && is_relation(link));
    let link = link.ok_or(EditError::NoRelation { line })?;
    let interval = ended(link.interval, line, until)?;
    if interval == link.interval {
        return Ok(text.to_owned());
    }
    let item = doc.item_text(line as usize);
    let tail = link.span.end.min(item.end)..item.end;
    let edited = match braces(&text[tail.clone()]) {
        Some((start, end)) => splice(text, tail.start + start..tail.start + end, &interval.to_string()),
        None => splice(text, tail.end..tail.end, &format!(" {interval}")),
    };
    let expected = Link { interval, ..link.clone() };
    let same = |found: &Link| {
        (found.line, &found.relation, &found.target, &found.context, found.interval)
            == (line, &expected.relation, &expected.target, &expected.context, interval)
    };
    if Doc::new(format, &edited).page.links.iter().any(same) {
        Ok(edited)
    } else {
        Err(EditError::unreadable("a relation", &text[item], "interval", ""))
    }
}

/// Removes the line of a relation, or of a list item that starts with a link.
pub fn remove_link_line(format: Format, text: &str, line: u32) -> Result<String, EditError> {
    let doc = Doc::new(format, text);
    let number = line as usize;
    let starts_with = |link: &Link| {
        let before = text.get(doc.lines.start(number)..link.span.start).unwrap_or_default();
        matches!(before.trim_matches([' ', '\t', '>', '!']), "-" | "*" | "+" | "- links_to")
    };
    let removable = |link: &Link| link.line == line && (is_relation(link) || starts_with(link));
    if !doc.page.links.iter().any(removable) {
        return Err(EditError::NoRelation { line });
    }
    Ok(splice(text, doc.lines.start(number)..doc.lines.end(number), ""))
}

/// Returns an interval with a new end.
pub(super) fn ended(interval: Interval, line: u32, until: PartialDate) -> Result<Interval, EditError> {
    match interval.from {
        Some(from) if from.first_day() > until.last_day() => {
            Err(EditError::EndBeforeStart { line, from: from.to_string(), until: until.to_string() })
        }
        _ => Ok(Interval { until: Some(until), ..interval }),
    }
}

/// Returns the range of the last `{…}` that contains two dots, including the braces.
fn braces(text: &str) -> Option<(usize, usize)> {
    let end = text.rfind('}')? + 1;
    let start = text[..end].rfind('{')?;
    text[start..end].contains("..").then_some((start, end))
}

/// Returns whether a link is a relation in the body; links in the frontmatter have an empty span.
fn is_relation(link: &Link) -> bool {
    link.relation != LINKS_TO && link.span.start < link.span.end
}

fn normalized(new: &NewRelation) -> NewRelation {
    let target = join_lines(&new.target);
    let inner = target.strip_prefix("[[").and_then(|rest| rest.strip_suffix("]]")).unwrap_or(&target);
    NewRelation {
        relation: join_lines(&new.relation),
        target: inner.trim().to_owned(),
        label: new.label.as_deref().map(join_lines).filter(|label| !label.is_empty()),
        context: new.context.as_deref().map(join_lines).filter(|context| !context.is_empty()),
        interval: new.interval,
    }
}

fn has_relation(page: &Page, new: &NewRelation) -> bool {
    let target = new.target.split(['#', '|']).next().unwrap_or_default().trim();
    page.links.iter().any(|link| {
        link.relation == new.relation
            && link.target == target
            && link.interval == new.interval
            && (link.context == new.context || new.relation == LINKS_TO && new.context.is_none())
    })
}

/// What two relations are compared by.
pub(super) type Key = (String, String, Interval, Option<String>);

/// Returns what a relation to write is compared by.
pub(super) fn key(new: &NewRelation) -> Key {
    let new = normalized(new);
    let target = new.target.split(['#', '|']).next().unwrap_or_default().trim().to_owned();
    (new.relation, target, new.interval, new.context)
}

/// Returns what a relation of a page is compared by.
pub(super) fn key_of_link(link: &Link) -> Key {
    (link.relation.clone(), link.target.clone(), link.interval, link.context.clone())
}

/// Returns the text of the list item of a relation.
pub(super) fn item(format: Format, new: &NewRelation) -> String {
    written(format, &normalized(new))
}

fn written(format: Format, new: &NewRelation) -> String {
    let word = new.relation.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'));
    let is_label = format == Format::Org && RELATION_LABELS.contains(&new.relation.as_str());
    let verb = if is_label {
        new.relation.to_uppercase()
    } else if word {
        new.relation.clone()
    } else {
        format!("\"{}\"", new.relation)
    };
    let mut line = format!("{verb} {}", format.link(&new.target, new.label.as_deref()));
    if let Some(context) = &new.context {
        line += &format!(" ({context})");
    }
    if !new.interval.is_unbounded() {
        line += &format!(" {}", new.interval);
    }
    line
}
