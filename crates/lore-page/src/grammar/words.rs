//! Words, tags and the text of links inside a line.

use std::borrow::Cow;

use unicode_normalization::char::is_combining_mark;

use crate::wiki;

/// Returns whether the character may be part of a word: a letter or digit of any script with its marks, `_` or `-`.
fn is_word_char(c: char) -> bool {
    match c {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '_' | '-' => true,
        _ if c.is_ascii() => false,
        // Persian and the Indic scripts join letters with these two inside a word.
        '\u{200c}' | '\u{200d}' => true,
        _ => c.is_alphanumeric() || is_combining_mark(c),
    }
}

/// Returns whether the text is one word, and not only hyphens.
pub(super) fn is_word(text: &str) -> bool {
    text.chars().all(is_word_char) && text.contains(char::is_alphanumeric)
}

/// Returns the end of a tag whose name starts at `start`, just after its `#`. A number is not a tag.
pub(crate) fn tag_end(text: &str, start: usize) -> Option<usize> {
    let rest = &text[start..];
    let length = rest.find(|c| !is_word_char(c) && c != '/').unwrap_or(rest.len());
    let name = rest[..length].trim_end_matches(['/', '-']);
    let named = name.chars().any(|c| c != '/' && c != '-' && !c.is_numeric());
    named.then_some(start + name.len())
}

/// Returns the tags in a short text, without their `#`. A tag starts a word or directly follows another tag.
pub(crate) fn tags(text: &str) -> Vec<&str> {
    let mut found: Vec<&str> = Vec::new();
    let mut end = 0;
    for (hash, _) in text.match_indices('#') {
        let is_free = hash == end || text[..hash].ends_with(|c: char| c.is_whitespace() || c == '(');
        if let Some(tag) = tag_end(text, hash + 1).filter(|_| is_free) {
            found.push(&text[hash + 1..tag]);
            end = tag;
        }
    }
    found
}

/// The part of a link that represents it in plain text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Show {
    /// `[[target|label]]` becomes `target`.
    Target,
    /// `[[target|label]]` becomes `label`.
    Label,
}

/// Replaces `[[target|label]]` and `[text](path)` with the text they show. Code is left alone.
pub(crate) fn shown_links(text: &str, show: Show) -> Cow<'_, str> {
    if !text.contains('[') {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    let mut at = 0;
    for link in wiki::find(text) {
        push_shown(&mut shown, &text[at..link.start]);
        let inner = &text[link.start + 2..link.end - 2];
        shown.push_str(match inner.split_once('|') {
            Some((target, _)) if show == Show::Target => target.trim_end_matches('\\').trim(),
            Some((_, label)) => label.trim(),
            None => inner.trim(),
        });
        at = link.end;
    }
    push_shown(&mut shown, &text[at..]);
    Cow::Owned(shown)
}

/// Appends text without wiki links, with each `[text](path)` replaced by its text.
fn push_shown(shown: &mut String, text: &str) {
    let mut rest = text;
    while let Some(at) = rest.find(['[', '`', '\\']) {
        shown.push_str(&rest[..at]);
        rest = &rest[at..];
        let (piece, length) = match rest.as_bytes()[0] {
            b'`' => (None, wiki::code_end(rest, 0)),
            b'\\' => (None, 1 + rest[1..].chars().next().map_or(0, char::len_utf8)),
            _ => markdown_link(rest).map_or((None, 1), |(piece, length)| (Some(piece), length)),
        };
        shown.push_str(piece.unwrap_or(&rest[..length]));
        rest = &rest[length..];
    }
    shown.push_str(rest);
}

/// Returns the text of the link at the start, and the length of the whole link. Each search ends at the next bracket,
/// so a line of brackets takes linear time.
fn markdown_link(text: &str) -> Option<(&str, usize)> {
    let close = 1 + text[1..].find(['[', ']'])?;
    let path = text[close..].strip_prefix("](")?;
    let end = path.find(['[', ')'])?;
    path[end..].starts_with(')').then_some((&text[1..close], close + 2 + end + 1))
}
