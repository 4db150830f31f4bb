//! Observations: `[category] text #tag (context)`, or with the tags after the context.

use std::borrow::Cow;

use super::{tags, tail};

/// An observation without its tags, which the caller has already found.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Statement<'t> {
    pub(crate) category: &'t str,
    pub(crate) content: Cow<'t, str>,
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
    let (text, tags) = split_tags(content);
    let found = [(content, ""), (text, tags)].into_iter().find_map(|(text, tags)| {
        let (before, context) = tail::parenthesis(text)?;
        (!before.is_empty()).then_some((before, context, tags))
    });
    Some(match found {
        None => Statement { category, content: Cow::Borrowed(content), context: None },
        Some((before, context, "")) => {
            Statement { category, content: Cow::Borrowed(before), context: Some(context) }
        }
        Some((before, context, tags)) => {
            Statement { category, content: Cow::Owned(format!("{before} {tags}")), context: Some(context) }
        }
    })
}

/// Splits off the words at the end that consist of tags.
fn split_tags(text: &str) -> (&str, &str) {
    let mut end = text.len();
    while let Some(word) =
        text[..end].trim_end().rsplit(char::is_whitespace).next().filter(|word| is_tags(word))
    {
        end = text[..end].trim_end().len() - word.len();
    }
    (text[..end].trim_end(), text[end..].trim())
}

/// Returns whether a word consists of one or more tags.
fn is_tags(word: &str) -> bool {
    let tags = tags(word);
    !tags.is_empty() && tags.iter().map(|tag| tag.len() + 1).sum::<usize>() == word.len()
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
