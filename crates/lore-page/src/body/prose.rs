//! The text of a page without anything that is not prose: frontmatter, code, HTML and comments.

use crate::format::Format;

/// Fills the place of code, so that the words around it stay separate.
const CODE: u8 = b'`';

/// Blanks frontmatter and comments, and fills code and HTML with backticks. All other bytes stay in place, so offsets
/// are the same as in the page.
///
/// ```
/// use lore_page::Format::{Markdown, Org};
/// assert_eq!(lore_page::prose(Markdown, "a <!-- b --> c\n"), "a            c\n");
/// assert_eq!(lore_page::prose(Markdown, "a `b` c\n"), "a ``` c\n");
/// assert_eq!(lore_page::prose(Org, "a =b= c\n"), "a ``` c\n");
/// ```
pub fn prose(format: Format, text: &str) -> String {
    let (blocks, body_start) = format.blocks(text);
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
    // Ranges start and end on character boundaries, so whole characters were replaced.
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(prose(Format::Markdown, text), expected);
        assert_eq!(prose(Format::Markdown, text).len(), text.len());
    }

    #[test]
    fn non_prose_is_blanked_in_place() {
        check("---\ntitle: é\n---\nHe left.\n", "   \n         \n   \nHe left.\n");
        check("a\n\n```\nleft é\n```\nb\n", "a\n\n```\n```````\n```\nb\n");
        check("a %%left é%% b\n", "a             b\n");
        check("<!-- left\n\nX -->\nb\n", "         \n\n     \nb\n");
        check("[ref]: left.md\n\nb [x](left.md)\n", "``````````````\n\nb [x](left.md)\n");
    }
}
