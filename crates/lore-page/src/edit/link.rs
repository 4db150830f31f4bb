//! Rewrites link targets, for when a page moves.

use std::ops::Range;

use lore_text::{on_one_line, percent_encode};

use super::EditError;
use super::layout;
use super::lines::Lines;
use crate::format::Format;
use crate::page::{Link, LinkStyle};
use crate::wiki::{self, LinkOrder};

/// Characters with a meaning in a destination between `<` and `>`.
const BRACKETED: &str = "#?<>\\\r\n";

/// Characters with a meaning in a destination without `<>`.
const BARE: &str = "#?<>\\\r\n\t ()";

/// Rewrites the target of each link for which `target` returns a new one, and nothing else.
///
/// For a wiki link, the target is the text before `#` and `|`. For a Markdown link, it is the path of its destination
/// as written, relative to the page; a reference (`[text][name]`) is changed in its definition.
pub fn retarget_links(
    text: &str,
    path: &str,
    target: &mut dyn FnMut(&Link) -> Option<String>,
) -> Result<String, EditError> {
    rewrite(text, path, target, Fragment::Keep)
}

/// Like [`retarget_links`], for links that will point to a different page: the part after `#`, which is a position on
/// the old page, is removed. Labels are kept.
pub fn repoint_links(
    text: &str,
    path: &str,
    target: &mut dyn FnMut(&Link) -> Option<String>,
) -> Result<String, EditError> {
    rewrite(text, path, target, Fragment::Remove)
}

/// Whether the part after `#` is kept.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Fragment {
    Keep,
    Remove,
}

fn rewrite(
    text: &str,
    path: &str,
    target: &mut dyn FnMut(&Link) -> Option<String>,
    fragment: Fragment,
) -> Result<String, EditError> {
    if Format::of(path) == Format::Org {
        return super::org_link::rewrite(text, path, target, fragment == Fragment::Remove);
    }
    let page = crate::parse(path, text).page;
    let (links, order) = (page.links, LinkOrder::of(&page.properties));
    let mut changes: Vec<(Range<usize>, String)> = Vec::new();
    let mut renamed = Vec::new();
    for link in &links {
        let Some(new) = target(link) else { continue };
        if link.span.start == link.span.end {
            renamed.push((link, new));
            continue;
        }
        let place = match link.style {
            LinkStyle::Wiki => {
                wiki_target(text, link.span.start..link.span.end, fragment, order).map(|place| (place, new))
            }
            LinkStyle::Markdown => destination(text, link.span.start..link.span.end, fragment)
                .map(|place| (place.clone(), encoded(text, place.start, &new))),
        };
        changes.extend(place);
    }
    if !renamed.is_empty() {
        property_targets(text, &renamed, fragment, order, &mut changes)?;
    }
    let edited = apply(text, changes);
    let reads_back = |edited: &str| {
        let links = crate::parse(path, edited).page.links;
        layout::read(edited).is_ok() && renamed.iter().all(|(old, target)| has(&links, &old.relation, target))
    };
    if !renamed.is_empty() && !reads_back(&edited) {
        return Err(EditError::Property { key: renamed[0].0.relation.clone() });
    }
    Ok(edited)
}

fn has(links: &[Link], relation: &str, target: &str) -> bool {
    links.iter().any(|link| link.relation == relation && link.target == target)
}

/// Finds links in the frontmatter: in the value of their key, by their target.
fn property_targets(
    text: &str,
    renamed: &[(&Link, String)],
    fragment: Fragment,
    order: LinkOrder,
    changes: &mut Vec<(Range<usize>, String)>,
) -> Result<(), EditError> {
    let Some(layout) = layout::read(text)? else { return Ok(()) };
    for key in &layout.keys {
        let value = &text[key.colon_end..key.value_end];
        for found in wiki::find(value) {
            let place = key.colon_end + found.start..key.colon_end + found.end;
            let Some(read) = wiki::read(&text[place.start + 2..place.end - 2], order) else { continue };
            let new = renamed.iter().find(|(link, _)| link.relation == key.key && link.target == read.target);
            if let Some((_, new)) = new {
                let new = match open_quote(&value[..found.start]) {
                    Some('"') => new.replace('\\', "\\\\").replace('"', "\\\""),
                    Some(_) => new.replace('\'', "''"),
                    None => new.clone(),
                };
                changes.extend(wiki_target(text, place, fragment, order).map(|place| (place, new)));
            }
        }
    }
    Ok(())
}

/// Returns the quote of the YAML scalar that is open at the end of a text.
fn open_quote(before: &str) -> Option<char> {
    let mut open = None;
    let mut previous = ' ';
    let mut chars = before.chars();
    while let Some(c) = chars.next() {
        match (open, c) {
            (Some('"'), '\\') => {
                chars.next();
            }
            (Some(quote), c) if c == quote => open = None,
            // A quote in the middle of a plain scalar is just a character.
            (None, '"' | '\'') if previous.is_whitespace() || "[{,:-".contains(previous) => open = Some(c),
            _ => {}
        }
        previous = c;
    }
    open
}

pub(super) fn apply(text: &str, mut changes: Vec<(Range<usize>, String)>) -> String {
    changes.sort_by_key(|(range, _)| range.start);
    let mut out = String::with_capacity(text.len());
    let mut kept = 0;
    for (range, new) in changes {
        // Two links may share a definition, which the first has already changed.
        if range.start >= kept {
            out.push_str(&text[kept..range.start]);
            out.push_str(&new);
            kept = range.end;
        }
    }
    out.push_str(&text[kept..]);
    out
}

/// Returns the bytes between `[[` and the first of `#`, `|` and `]]`, without surrounding space. If the fragment is
/// removed, they extend to `|` or `]]`. Where the label comes first, they start after `|`.
pub(super) fn wiki_target(
    text: &str,
    link: Range<usize>,
    fragment: Fragment,
    order: LinkOrder,
) -> Option<Range<usize>> {
    let written = text.get(link.clone())?;
    let mut open = written.find("[[")? + 2;
    if order.of_link(&written[open..]) == LinkOrder::LabelFirst {
        open += written[open..].find('|').map_or(0, |bar| bar + 1);
    }
    let inner = written[open..].strip_suffix("]]")?;
    let ends: &[char] = if fragment == Fragment::Keep { &['#', '|'] } else { &['|'] };
    let name = &inner[..inner.find(ends).unwrap_or(inner.len())];
    // In a table the bar is escaped.
    let name =
        if inner[name.len()..].starts_with('|') { name.strip_suffix('\\').unwrap_or(name) } else { name };
    // The address of a Dendron vault stays: on a page of another tool it says which part is the target.
    let note = wiki::without_dendron_vault(name.trim());
    let start = link.start + open + name.trim_end().len() - note.len();
    Some(start..start + note.len())
}

/// Returns a path as it is written in the destination that starts at a byte.
pub(super) fn encoded(text: &str, start: usize, path: &str) -> String {
    percent_encode(path, if text[..start].ends_with('<') { BRACKETED } else { BARE })
}

/// Returns the bytes of a destination's path without `<>`, and without the fragment and query if those are kept.
pub(super) fn destination(text: &str, link: Range<usize>, fragment: Fragment) -> Option<Range<usize>> {
    let written = text.get(link.clone())?;
    let start = if written.ends_with(')') {
        link.start + label_end(written)? + 2
    } else {
        definition(text, written)?
    };
    let rest = &text[start..];
    let start = start + rest.len() - rest.trim_start().len();
    let rest = &text[start..];
    let (start, end) = match rest.strip_prefix('<') {
        Some(inner) => (start + 1, inner.find('>')?),
        None => (start, bare_end(rest)),
    };
    let path = &text[start..start + end];
    if fragment == Fragment::Remove {
        return Some(start..start + path.len());
    }
    Some(start..start + path.find(['#', '?']).unwrap_or(path.len()))
}

/// Returns the position of the `]` that closes the label at the start of an inline link.
fn label_end(written: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut chars = written.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => {
                chars.next();
            }
            '[' => depth += 1,
            ']' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 && written[at..].starts_with("](") {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

/// Returns the length of a destination without `<>`: up to white space or an unmatched closing parenthesis.
fn bare_end(rest: &str) -> usize {
    let mut depth = 0_usize;
    for (at, c) in rest.char_indices() {
        match c {
            '(' => depth += 1,
            ')' if depth == 0 => return at,
            ')' => depth -= 1,
            c if c.is_whitespace() => return at,
            _ => {}
        }
    }
    rest.len()
}

/// Returns the byte after `[name]:` of the definition that a reference names.
fn definition(text: &str, written: &str) -> Option<usize> {
    let folded = |name: &str| on_one_line(name).to_lowercase();
    let label = written.trim_end_matches("[]");
    let name = folded(label[label.rfind('[')? + 1..].trim_end_matches(']'));
    let lines = Lines::new(text);
    (1..=lines.count()).find_map(|line| {
        let content = lines.content(line);
        let rest = content.trim_start_matches(' ').strip_prefix('[')?;
        let (label, after) = rest.split_once("]:")?;
        (folded(label) == name).then(|| lines.start(line) + content.len() - after.len())
    })
}
