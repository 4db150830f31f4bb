//! Backslashes before characters that would otherwise end a part of a line: `17 March \- 29 April`, `a\; b`.
//!
//! A backslash before any other character is itself, so paths and formulas read as they are written.

use std::borrow::Cow;

/// Characters with a meaning inside the provenance of a fact.
pub(crate) const PROVENANCE: &str = ";\"“”()<%";

/// Characters with a meaning inside the context of a relation.
pub(crate) const CONTEXT: &str = "\"()<%";

/// Characters with a meaning in the object of a fact.
pub(crate) const OBJECT: &str = "(){}<%";

/// Characters with a meaning in the source of an entry.
pub(crate) const ENTRY_SOURCE: &str = "-–—[]<%";

/// Characters with a meaning in the summary of an entry.
pub(crate) const SUMMARY: &str = "<%";

/// Returns a text in which every character of `special` is preceded by a backslash.
pub(crate) fn escape(text: &str, special: &str) -> String {
    escape_where(text, special, |_| true)
}

/// Returns a text in which the characters of `special` at positions that need it are preceded by a backslash.
pub(crate) fn escape_where(text: &str, special: &str, needs: impl Fn(usize) -> bool) -> String {
    let mut escaped = String::with_capacity(text.len() + 8);
    let mut backslashes = 0;
    for (at, c) in text.char_indices() {
        if c == '\\' {
            backslashes += 1;
            continue;
        }
        let is_special = special.contains(c) && (backslashes > 0 || needs(at));
        push_backslashes(&mut escaped, if is_special { 2 * backslashes + 1 } else { backslashes });
        escaped.push(c);
        backslashes = 0;
    }
    // The character after the part has a meaning too.
    push_backslashes(&mut escaped, 2 * backslashes);
    escaped
}

/// Returns a text without the backslashes that [`escape`] adds.
pub(crate) fn unescape<'t>(text: &'t str, special: &str) -> Cow<'t, str> {
    if !text.contains('\\') {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut backslashes: usize = 0;
    for c in text.chars() {
        if c == '\\' {
            backslashes += 1;
            continue;
        }
        push_backslashes(&mut plain, if special.contains(c) { backslashes / 2 } else { backslashes });
        plain.push(c);
        backslashes = 0;
    }
    push_backslashes(&mut plain, backslashes.div_ceil(2));
    Cow::Owned(plain)
}

/// Returns whether the character at a position follows an odd number of backslashes.
pub(crate) fn is_escaped(text: &str, at: usize) -> bool {
    text.as_bytes()[..at].iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1
}

fn push_backslashes(text: &mut String, count: usize) {
    text.extend(std::iter::repeat_n('\\', count));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_special_characters_are_escaped() {
        for (text, escaped) in [
            ("meeting/123", "meeting/123"),
            ("a; b", "a\\; b"),
            ("C:\\dir\\file", "C:\\dir\\file"),
            ("C:\\(x86)", "C:\\\\\\(x86\\)"),
            ("ends with \\", "ends with \\\\"),
            ("“quoted”", "\\“quoted\\”"),
        ] {
            assert_eq!(escape(text, PROVENANCE), escaped);
            assert_eq!(unescape(escaped, PROVENANCE), text);
        }
    }

    #[test]
    fn plain_texts_read_as_they_are() {
        for text in ["\\\\server\\share", "C:\\dir", "\\alpha", "a - b"] {
            assert_eq!(unescape(text, PROVENANCE), text);
        }
    }
}
