//! The optional parts at the end of a line: `(…)` and `{from..until}`.

use super::escape::is_escaped;
use crate::interval::Interval;

/// The phrase that identifies diagnostics about intervals.
pub(crate) const NO_INTERVAL: &str = "is not an interval";

/// Splits off a final `(…)` after a space. Returns the text before it and its contents.
///
/// Parentheses nest, and those in quotes or after a backslash do not count: `(source: chat; "sad :(")`.
pub(super) fn parenthesis(text: &str) -> Option<(&str, &str)> {
    if !text.ends_with(')') {
        return None;
    }
    let open = opening(text, true).or_else(|| opening(text, false))?;
    let before = &text[..open];
    if !before.is_empty() && !before.ends_with(char::is_whitespace) {
        return None;
    }
    let inner = text[open + 1..text.len() - 1].trim();
    (!inner.is_empty()).then_some((before.trim_end(), inner))
}

/// Splits off a final `{…}`. Returns the text before it and its contents.
pub(super) fn braces(text: &str) -> Option<(&str, &str)> {
    let inside = text.strip_suffix('}').filter(|inside| !is_escaped(text, inside.len()))?;
    let open = inside.rfind('{').filter(|open| !is_escaped(inside, *open))?;
    Some((text[..open].trim_end(), inside[open + 1..].trim()))
}

/// Parses the contents of braces; an invalid interval gives a warning and counts as unbounded.
pub(super) fn interval(inner: &str, warnings: &mut super::LineWarnings) -> Interval {
    inner.parse().unwrap_or_else(|_| {
        warnings.push(format!(
            "`{{{inner}}}` {NO_INTERVAL}; write {{from..until}} with YYYY, YYYY-MM or YYYY-MM-DD, in order"
        ));
        Interval::default()
    })
}

/// Returns the position of the parenthesis that the last byte of the text closes.
fn opening(text: &str, quotes_count: bool) -> Option<usize> {
    let mut depth = 0_usize;
    let mut quoted = false;
    for (at, byte) in text.bytes().enumerate().rev() {
        // The last byte closes what is searched for, even after a backslash in a text that was written by hand.
        let is_escaped = at + 1 < text.len() && matches!(byte, b'"' | b'(' | b')') && is_escaped(text, at);
        match byte {
            _ if is_escaped => {}
            b'"' if quotes_count => quoted = !quoted,
            b')' if !quoted => depth += 1,
            b'(' if !quoted => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}
