//! Links: `[[id:…][label]]`, `[[file:…]]`, `[[roam:…]]`, `[[*Heading]]`, `[[Name]]`, and the relation before them.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use lore_text::{fold, percent_decode};

use super::inline::{RawLink, bracket_links};
use super::scan::Scan;
use super::value::key_of;
use crate::body::{ItemLinks, ItemSource, Lines, NO_REFERENCE, OWN_NAMES, REFERENCES, line_around};
use crate::grammar::RELATION_LABELS;
use crate::interval::Interval;
use crate::markdown::{has_page_extension, path_from_root};
use crate::page::{ByteRange, Heading, LINKS_TO, Link, LinkStyle};

/// What the target of a link names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Target<'t> {
    /// A node, by its id; and the text after `::`.
    Id(&'t str, Option<&'t str>),
    /// A page, by the path of its file; and the text after `::`.
    File(&'t str, Option<&'t str>),
    /// A page, by its name.
    Name(&'t str),
    /// A heading of the same file.
    Heading(&'t str),
    /// Anything else: an address, another kind of file.
    Elsewhere,
}

/// Returns what a target names.
pub(crate) fn target_of(target: &str) -> Target<'_> {
    let target = target.trim();
    if let Some(heading) = target.strip_prefix(['*', '#']) {
        return Target::Heading(heading.trim());
    }
    let scheme = target.find(':').map(|at| (&target[..at], &target[at + 1..]));
    match scheme {
        Some((scheme, id)) if scheme.eq_ignore_ascii_case("id") => {
            let (id, place) = split_place(id.trim());
            if id.is_empty() { Target::Elsewhere } else { Target::Id(id, place) }
        }
        Some((scheme, path)) if scheme.eq_ignore_ascii_case("file") => file(path),
        Some((scheme, name)) if scheme.eq_ignore_ascii_case("roam") && !name.trim().is_empty() => {
            Target::Name(name.trim())
        }
        _ if target.starts_with(['/', '~']) || target.starts_with("./") || target.starts_with("../") => {
            file(target)
        }
        Some((scheme, rest)) if is_scheme(scheme) && !rest.starts_with([' ', '\n', '\t', ':']) => {
            Target::Elsewhere
        }
        _ if target.starts_with('(') || target.is_empty() => Target::Elsewhere,
        _ => Target::Name(target),
    }
}

fn file(path: &str) -> Target<'_> {
    let (path, place) = split_place(path);
    let path = path.strip_prefix("//").unwrap_or(path);
    let is_page = has_page_extension(path) && !path.starts_with('~');
    if is_page { Target::File(path, place) } else { Target::Elsewhere }
}

/// Splits the place in a file, after `::`, off its name.
fn split_place(target: &str) -> (&str, Option<&str>) {
    match target.split_once("::") {
        Some((name, place)) => {
            (name, Some(place.trim_start_matches(['*', '#']).trim()).filter(|place| !place.is_empty()))
        }
        None => (target, None),
    }
}

fn is_scheme(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'.' | b'-'))
}

/// Returns the heading of the same file that the contents of brackets name.
pub(crate) fn own_heading(inner: &str) -> Option<String> {
    let target = inner.split("][").next().unwrap_or(inner);
    // A custom id is a property, not a heading.
    match target_of(target) {
        Target::Heading(heading) if target.trim().starts_with('*') && !heading.is_empty() => {
            Some(lore_text::on_one_line(&unescaped(heading)))
        }
        _ => None,
    }
}

/// Replaces links with what they show: the label, or the target without its scheme.
pub(crate) fn shown_links(text: &str) -> Cow<'_, str> {
    if !text.contains("[[") {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    let mut at = 0;
    for link in bracket_links(text) {
        shown.push_str(&text[at..link.range.start]);
        let target = &text[link.target.clone()];
        match link.label.clone() {
            Some(label) => shown.push_str(&text[label]),
            None => match target_of(target) {
                Target::Name(name) | Target::Heading(name) => shown.push_str(&unescaped(name)),
                _ => shown.push_str(target),
            },
        }
        at = link.range.end;
    }
    shown.push_str(&text[at..]);
    Cow::Owned(shown)
}

/// Removes the backslashes that Org writes before brackets and backslashes.
fn unescaped(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.replace("\\[", "[").replace("\\]", "]").replace("\\\\", "\\"))
}

/// Returns the links of the body, with the relation of their item or the label before them.
pub(super) fn of_body(
    path: &str,
    source: &ItemSource<'_>,
    found: &[RawLink],
    items: &ItemLinks,
    headings: &[Heading],
) -> Vec<Link> {
    let text = source.text;
    let own: HashSet<String> = if found.is_empty() {
        HashSet::new()
    } else {
        headings.iter().map(|heading| fold(&heading.text)).collect()
    };
    let mut related = items.related.iter().peekable();
    let mut links = Vec::with_capacity(found.len());
    // The end and the label of the last link that has one.
    let mut labelled: Option<(usize, &'static str)> = None;
    for raw in found {
        let relation = related.next_if(|related| related.start == raw.range.start);
        let label = relation_label(text, raw, labelled);
        labelled = label.map(|label| (raw.range.end, label));
        let Some(mut link) = link(path, text, raw, source.lines, &own) else { continue };
        link.interval = items.interval(raw.range.start);
        match (relation, label) {
            (Some(related), _) => {
                link.relation =
                    known_label(&related.relation.verb).unwrap_or(&related.relation.verb).to_owned();
                link.context.clone_from(&related.relation.context);
                link.interval = related.relation.interval;
            }
            (None, Some(label)) => link.relation = label.to_owned(),
            (None, None) => {}
        }
        links.push(link);
    }
    links
}

fn link(path: &str, text: &str, raw: &RawLink, lines: &Lines<'_>, own: &HashSet<String>) -> Option<Link> {
    let mut link = target(path, &text[raw.target.clone()])?;
    // Org looks for a name in the file first.
    if link.style == LinkStyle::Wiki && !link.target.starts_with("id:") && own.contains(&fold(&link.target)) {
        return None;
    }
    let label = raw.label.clone().map(|label| lore_text::on_one_line(&text[label]));
    link.label = label.filter(|label| !label.is_empty());
    link.context = line_around(text, lines, &raw.range);
    link.line = lines.number(raw.range.start);
    link.span = ByteRange { start: raw.range.start, end: raw.range.end };
    Some(link)
}

/// Returns a plain link to what a target names; `None` if that is no page.
fn target(path: &str, target: &str) -> Option<Link> {
    let one_line = lore_text::on_one_line(&unescaped(target));
    let (target, place, style) = match target_of(&one_line) {
        Target::Id(id, place) => (format!("id:{id}"), place, LinkStyle::Wiki),
        Target::File(file, place) => {
            let file = percent_decode(file);
            let target = path_from_root(path, &file).unwrap_or_else(|| file.to_string());
            (target, place, LinkStyle::Markdown)
        }
        Target::Name(name) => {
            let (name, place) = split_place(name);
            (name.trim().to_owned(), place, LinkStyle::Wiki)
        }
        Target::Heading(_) | Target::Elsewhere => return None,
    };
    Some(Link {
        relation: LINKS_TO.to_owned(),
        target,
        style,
        heading: place.map(str::to_owned),
        label: None,
        context: None,
        interval: Interval::default(),
        embed: false,
        line: 1,
        span: ByteRange::default(),
    })
    .filter(|link| !link.target.is_empty())
}

/// Returns the relation that a label before a link gives it: `SUPERSEDES [[id:a]], [[id:b]]`.
fn relation_label(text: &str, raw: &RawLink, last: Option<(usize, &'static str)>) -> Option<&'static str> {
    if let Some((end, label)) = last
        && raw.range.start - end <= 16
        && is_separator(&text[end..raw.range.start])
    {
        return Some(label);
    }
    let from = raw.range.start.saturating_sub(24);
    let from = (from..=raw.range.start).find(|at| text.is_char_boundary(*at))?;
    let before = text[from..raw.range.start].trim_end_matches([' ', '\t', '\n', '\r']);
    if before.len() == raw.range.start - from {
        return None;
    }
    let before = before.strip_suffix(':').unwrap_or(before);
    let word = before
        .rfind(|c: char| !(c.is_ascii_uppercase() || c == '_'))
        .map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8));
    let is_whole = !before[..word].ends_with(|c: char| c.is_alphanumeric() || c == '-');
    let is_upper = |label: &&&'static str| label.to_ascii_uppercase() == before[word..];
    RELATION_LABELS.iter().find(is_upper).copied().filter(|_| is_whole)
}

fn is_separator(text: &str) -> bool {
    text.split_whitespace().all(|word| matches!(word.trim_matches([',', ';']), "" | "and" | "&" | "+"))
}

fn known_label(verb: &str) -> Option<&'static str> {
    RELATION_LABELS.iter().find(|label| label.to_ascii_uppercase() == verb).copied()
}

/// Returns the links in the properties of the file and its headings, with the key as their relation.
pub(super) fn of_properties(scan: &Scan<'_>, text: &str, lines: &Lines<'_>) -> Vec<Link> {
    let headings = scan.headlines.iter().filter_map(|heading| scan.drawers.get(&heading.start));
    let mut links = Vec::new();
    for property in scan.drawer.iter().chain(headings).flat_map(|drawer| &drawer.properties) {
        add_property(&mut links, property.key, property.value_range.clone(), text, lines);
    }
    for keyword in scan.keywords.iter().filter(|keyword| keyword.is_in_head) {
        add_property(&mut links, keyword.key, keyword.value_range.clone(), text, lines);
    }
    links
}

fn add_property(links: &mut Vec<Link>, key: &str, value: Range<usize>, text: &str, lines: &Lines<'_>) {
    let value_text = &text[value.clone()];
    let is_reference = REFERENCES.iter().any(|known| known.eq_ignore_ascii_case(key));
    if !value_text.contains("[[") && !is_reference {
        return;
    }
    let key = key_of(key);
    if OWN_NAMES.contains(&&*key) || key == "refs" || key == "filetags" {
        return;
    }
    let line = lines.number(value.start);
    let found = bracket_links(value_text);
    let mut add = |target_text: &str, label: Option<&str>| {
        let label = label.map(lore_text::on_one_line);
        links.extend(target("", target_text).map(|link| Link {
            relation: key.to_string(),
            label,
            line,
            ..link
        }));
    };
    for link in &found {
        add(&value_text[link.target.clone()], link.label.clone().map(|label| &value_text[label]));
    }
    let is_none = NO_REFERENCE.contains(&value_text.trim().to_lowercase().as_str());
    if found.is_empty() && is_reference && !is_none {
        match super::property_value(&key, value_text) {
            Some(crate::page::Value::List(items)) => {
                for item in items {
                    if let crate::page::Value::Text(item) = item {
                        add(&item, None);
                    }
                }
            }
            _ => add(value_text, None),
        }
    }
}
