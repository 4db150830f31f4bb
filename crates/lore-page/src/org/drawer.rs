//! Property drawers: `:PROPERTIES:`, lines of `:KEY: value`, and `:END:`.

use std::ops::Range;

use memchr::memchr;

/// Maximum number of properties of a drawer that are compared with each other.
const COMPARED: usize = 64;

/// A property drawer. All ranges are bytes of the file.
#[derive(Debug, Default)]
pub(crate) struct Drawer<'t> {
    /// From the start of `:PROPERTIES:` to the end of `:END:`, including its line ending.
    pub(crate) range: Range<usize>,
    /// The start of the line of `:END:`.
    pub(crate) end_line: usize,
    /// Its properties in order, including duplicates.
    pub(crate) properties: Vec<Property<'t>>,
}

/// A line of a property drawer.
#[derive(Debug)]
pub(crate) struct Property<'t> {
    /// The key as written, without colons and without the `+` that adds to a value.
    pub(crate) key: &'t str,
    /// Whether the value is added to that of an earlier line: `:KEY+: more`.
    pub(crate) adds: bool,
    /// The value, without the space around it.
    pub(crate) value: &'t str,
    /// The start of the line.
    pub(crate) start: usize,
    /// The bytes of the value; empty and after the key for no value.
    pub(crate) value_range: Range<usize>,
    /// The byte after the line and its ending.
    pub(crate) end: usize,
}

/// Why lines that start like a property drawer are none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Malformed {
    /// The first byte of the line that is wrong.
    pub(crate) at: usize,
    /// Whether the drawer has no end; otherwise a line is not `:KEY: value`.
    pub(crate) is_unclosed: bool,
}

/// Reads the property drawer at the start of a line; `None` if there is none.
pub(crate) fn drawer_after(text: &str, start: usize) -> Result<Option<Drawer<'_>>, Malformed> {
    let (first, mut at) = line(text, start);
    if !first.trim().eq_ignore_ascii_case(":PROPERTIES:") {
        return Ok(None);
    }
    let mut properties = Vec::new();
    loop {
        if at >= text.len() {
            return Err(Malformed { at: start, is_unclosed: true });
        }
        let (content, next) = line(text, at);
        if content.trim().eq_ignore_ascii_case(":END:") {
            return Ok(Some(Drawer { range: start..next, end_line: at, properties }));
        }
        match property(content, at, next) {
            Some(property) => {
                properties.push(property);
                at = next;
            }
            // A heading or the end of the properties' shape: what follows decides only the message.
            None => {
                return Err(Malformed { at, is_unclosed: content.starts_with('*') || !is_closed(text, at) });
            }
        }
    }
}

/// Reads the property drawer of a file; `None` if there is none.
pub(crate) fn file_drawer(text: &str, start: usize) -> Result<Option<Drawer<'_>>, Malformed> {
    drawer_after(text, file_drawer_start(text, start))
}

/// Returns where the property drawer of a file must start: only comments may precede it.
pub(super) fn file_drawer_start(text: &str, start: usize) -> usize {
    let mut at = start;
    loop {
        let (content, next) = line(text, at);
        let trimmed = content.trim_start();
        let is_comment = trimmed == "#" || trimmed.starts_with("# ");
        if !is_comment || next <= at {
            return at;
        }
        at = next;
    }
}

/// Returns the properties whose key an earlier one has too; Org ignores them. Only the first of many are compared.
pub(super) fn repeated<'a, 't>(drawer: &'a Drawer<'t>) -> impl Iterator<Item = &'a Property<'t>> {
    let all = &drawer.properties[..drawer.properties.len().min(COMPARED)];
    let is_repeated = |(at, property): &(usize, &Property<'t>)| {
        !property.adds && all[..*at].iter().any(|earlier| earlier.key.eq_ignore_ascii_case(property.key))
    };
    all.iter().enumerate().filter(is_repeated).map(|(_, property)| property)
}

/// Whether the section has an `:END:` after a byte.
fn is_closed(text: &str, from: usize) -> bool {
    let lines = text[from..].lines().take_while(|line| !line.starts_with("* ")).take(200);
    lines.into_iter().any(|line| line.trim().eq_ignore_ascii_case(":END:"))
}

fn property(content: &str, start: usize, end: usize) -> Option<Property<'_>> {
    let indent = content.len() - content.trim_start_matches([' ', '\t']).len();
    let rest = &content[indent..];
    let token = &rest[..rest.find([' ', '\t']).unwrap_or(rest.trim_end().len())];
    let key = token.strip_prefix(':')?.strip_suffix(':').filter(|key| !key.is_empty())?;
    let after = indent + token.len();
    let value = content[after..].trim();
    let value_start = match value.is_empty() {
        true => start + after,
        false => start + content.len() - content[after..].trim_start().len(),
    };
    let (key, adds) =
        key.strip_suffix('+').filter(|key| !key.is_empty()).map_or((key, false), |key| (key, true));
    Some(Property { key, adds, value, start, value_range: value_start..value_start + value.len(), end })
}

/// Returns the line that starts at a byte without its ending, and the start of the next one.
pub(super) fn line(text: &str, start: usize) -> (&str, usize) {
    let rest = text.as_bytes().get(start..).unwrap_or_default();
    let end = memchr(b'\n', rest).map_or(text.len(), |at| start + at);
    let next = (end + 1).min(text.len());
    (text[start..end].strip_suffix('\r').unwrap_or(&text[start..end]), next)
}
