//! The text of a page with everything taken out that nobody says: frontmatter, code, HTML and comments.

use super::blocks;
use crate::frontmatter;

/// What stands in the place of code, so that the words around it do not come together.
const CODE: u8 = b'`';

/// The text with frontmatter and comments blanked, and code and HTML filled with backticks. It has the same bytes in
/// the same places otherwise, so that a place in it is a place in the page.
///
/// ```
/// assert_eq!(lore_page::prose("a <!-- b --> c\n"), "a            c\n");
/// assert_eq!(lore_page::prose("a `b` c\n"), "a ``` c\n");
/// ```
pub fn prose(text: &str) -> String {
    let body_start = frontmatter::read(text).body_start;
    let mut blocks = blocks::read(text, body_start);
    blocks.opaque.finish(text, body_start);
    let mut bytes = text.as_bytes().to_vec();
    let mut fill = |from: usize, until: usize, with: u8| {
        for byte in bytes[from..until].iter_mut().filter(|byte| !matches!(byte, b'\n' | b'\r')) {
            *byte = with;
        }
    };
    fill(0, body_start, b' ');
    for range in blocks.opaque.ranges() {
        fill(range.start, range.end, CODE);
        for comment in blocks.opaque.comments_in(range) {
            fill(comment.start.max(range.start), comment.end.min(range.end), b' ');
        }
    }
    // Ranges begin and end between characters, so whole characters were replaced.
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

#[cfg(test)]
mod tests {
    use super::prose;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(prose(text), expected);
        assert_eq!(prose(text).len(), text.len());
    }

    #[test]
    fn what_nobody_says_is_blanked_in_place() {
        check("---\ntitle: é\n---\nHe left.\n", "   \n         \n   \nHe left.\n");
        check("a\n\n```\nleft é\n```\nb\n", "a\n\n```\n```````\n```\nb\n");
        check("a %%left é%% b\n", "a             b\n");
        check("<!-- left\n\nX -->\nb\n", "         \n\n     \nb\n");
        check("[ref]: left.md\n\nb [x](left.md)\n", "``````````````\n\nb [x](left.md)\n");
    }
}
