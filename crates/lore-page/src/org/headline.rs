//! Headlines: `** TODO [#A] Title :tag:tag:`.

use std::ops::Range;

/// A headline. All ranges are bytes of the file.
#[derive(Debug)]
pub(crate) struct Headline<'t> {
    /// Number of stars.
    pub(crate) level: usize,
    /// The TODO keyword.
    pub(crate) todo: Option<&'t str>,
    /// The title, without keyword, priority and tags.
    pub(crate) title: Range<usize>,
    /// The tags.
    pub(crate) tags: Vec<&'t str>,
    /// The start of the line.
    pub(crate) start: usize,
}

/// Returns the number of stars of a headline; `None` if the line is none.
pub(super) fn level(line: &[u8]) -> Option<usize> {
    let stars = line.iter().take_while(|byte| **byte == b'*').count();
    (stars > 0 && line.get(stars) == Some(&b' ')).then_some(stars)
}

/// Reads the headline that is the line at a byte. `todo` holds the keywords of the file.
pub(super) fn headline<'t>(content: &'t str, start: usize, todo: &[&str]) -> Option<Headline<'t>> {
    let level = level(content.as_bytes())?;
    let mut rest = content[level..].trim_start_matches([' ', '\t']);
    let end = content.trim_end().len();
    let mut keyword = None;
    let word = &rest[..rest.find(' ').unwrap_or(rest.trim_end().len())];
    if todo.contains(&word) {
        keyword = Some(word);
        rest = rest[word.len()..].trim_start();
    }
    if let Some(after) = priority(rest) {
        rest = after.trim_start();
    }
    let title_start = content.len() - rest.len();
    let title = &content[title_start.min(end)..end];
    let (title, tags) = split_tags(title);
    let title_start = start + title_start.min(end);
    Some(Headline { level, todo: keyword, title: title_start..title_start + title.len(), tags, start })
}

/// Returns the text after a priority: `[#A]`.
fn priority(text: &str) -> Option<&str> {
    let inner = text.strip_prefix("[#")?;
    let close = inner.find(']')?;
    let is_priority =
        (1..=2).contains(&close) && inner[..close].bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_priority.then(|| &inner[close + 1..])
}

/// Splits the tags off a title.
fn split_tags(title: &str) -> (&str, Vec<&str>) {
    let Some(inside) = title.strip_suffix(':') else { return (title, Vec::new()) };
    let token = inside.rfind([' ', '\t']).map_or(0, |at| at + 1);
    let Some(tags) = inside[token..].strip_prefix(':').filter(|tags| !tags.is_empty()) else {
        return (title, Vec::new());
    };
    let is_tag = |c: char| c.is_alphanumeric() || matches!(c, '_' | '@' | '#' | '%' | ':');
    if !tags.chars().all(is_tag) {
        return (title, Vec::new());
    }
    let tags = tags.split(':').filter(|tag| !tag.is_empty()).collect();
    (title[..token].trim_end(), tags)
}
