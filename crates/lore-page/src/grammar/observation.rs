//! Observations: `[category] text #tag (context)`.

use super::tail;

/// An observation without its tags, which the caller has already found.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Statement<'t> {
    pub(crate) category: &'t str,
    pub(crate) content: &'t str,
    pub(crate) context: Option<&'t str>,
}

/// Parses an observation.
pub(crate) fn observation(text: &str) -> Option<Statement<'_>> {
    let inside = text.strip_prefix('[')?;
    let close = inside.find(['[', ']', '(', ')'])?;
    let rest = inside[close..].strip_prefix(']')?;
    let category = inside[..close].trim();
    let content = rest.trim();
    if !rest.starts_with(char::is_whitespace) || content.is_empty() || !is_category(category) {
        return None;
    }
    match tail::parenthesis(content) {
        Some((before, context)) if !before.is_empty() => {
            Some(Statement { category, content: before, context: Some(context) })
        }
        _ => Some(Statement { category, content, context: None }),
    }
}

/// Returns whether the text is a category and not a checkbox, a time, a footnote or a callout.
fn is_category(text: &str) -> bool {
    let mut chars = text.chars();
    let checkbox = match (chars.next(), chars.next()) {
        (None, _) => true,
        (Some(only), None) => matches!(only, 'x' | 'X') || !only.is_alphanumeric(),
        (Some(first), Some(_)) => matches!(first, '^' | '!'),
    };
    !checkbox && !is_time(text)
}

fn is_time(text: &str) -> bool {
    text.contains(':') && text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b':' | b'.' | b','))
}
