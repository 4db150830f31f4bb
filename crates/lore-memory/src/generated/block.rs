//! A generated block between two marker lines in a file that a person otherwise owns.

use std::ops::Range;

use lore_page::{Format, edit};

/// Line before the block.
pub const OPEN: &str = "<!-- reconciler-section -->";

/// Line after the block.
pub const CLOSE: &str = "<!-- /reconciler-section -->";

/// Location of the block in a file.
#[derive(Debug, PartialEq, Eq)]
enum BlockPosition {
    /// Bytes between the two marker lines.
    Between(Range<usize>),
    /// No marker.
    Nowhere,
    /// The markers do not enclose exactly one block, or are inside code.
    Broken,
}

/// Returns the text with the content of the block replaced and every other byte unchanged. A text without markers gets
/// the block at its end.
///
/// Returns `None` if the block is ambiguous: a single marker, duplicates, wrong order, markers in code or with other
/// text on the line; or if the new text would make it ambiguous.
pub fn put_block(text: &str, open: &str, close: &str, inner: &str) -> Option<String> {
    let line_end = line_end(text);
    let mut inside = inner.trim_end_matches(['\n', '\r']).replace("\r\n", "\n").replace('\n', line_end);
    if !inside.is_empty() {
        inside.push_str(line_end);
    }
    let (written, start) = match find(text, open, close) {
        BlockPosition::Between(old) => {
            (format!("{}{inside}{}", &text[..old.start], &text[old.end..]), old.start)
        }
        BlockPosition::Nowhere => {
            let head = format!("{text}{}{open}{line_end}", gap(text, line_end));
            let start = head.len();
            (format!("{head}{inside}{close}{line_end}"), start)
        }
        BlockPosition::Broken => return None,
    };
    let expected = BlockPosition::Between(start..start + inside.len());
    (find(&written, open, close) == expected).then_some(written)
}

/// Like [`put_block`], but a text without markers gets the block at the end of a section, and one without that section
/// stays as it is.
pub fn put_block_in(text: &str, section: &str, inner: &str) -> Option<String> {
    if find(text, OPEN, CLOSE) != BlockPosition::Nowhere {
        return put_block(text, OPEN, CLOSE, inner);
    }
    let empty = format!("{OPEN}\n{CLOSE}");
    match edit::append_to_section(Format::Markdown, text, &format!("## {section}"), &empty) {
        Ok(text) => put_block(&text, OPEN, CLOSE, inner),
        Err(_) => Some(text.to_owned()),
    }
}

/// Returns the text without its block and the markers; as it is, if there is none.
pub fn without_block(text: &str) -> String {
    let BlockPosition::Between(inside) = find(text, OPEN, CLOSE) else { return text.to_owned() };
    let line_start = |at: usize| text[..at].rfind('\n').map_or(0, |end| end + 1);
    let start = line_start(inside.start.saturating_sub(1));
    let end = text[inside.end..].find('\n').map_or(text.len(), |end| inside.end + end + 1);
    let (before, after) = (&text[..start], &text[end..]);
    // The blank line that set it apart goes with it.
    let blank = after.lines().next().is_some_and(|line| line.trim().is_empty());
    let rest = if blank { after.split_once('\n').map_or("", |(_, rest)| rest) } else { after };
    let is_end = rest.is_empty() && before.ends_with("\n\n");
    format!("{}{rest}", if is_end { &before[..before.len() - 1] } else { before })
}

/// Returns the line endings needed for one blank line at the end of a text.
fn gap(text: &str, line_end: &str) -> String {
    let content = text.trim_start_matches('\u{feff}');
    let last_blank =
        content.ends_with('\n') && content.lines().next_back().is_some_and(|line| line.trim().is_empty());
    match content {
        "" => String::new(),
        _ if last_blank => String::new(),
        _ if content.ends_with('\n') => line_end.to_owned(),
        _ => line_end.repeat(2),
    }
}

fn line_end(text: &str) -> &'static str {
    let windows = text.matches("\r\n").count();
    if windows * 2 > text.matches('\n').count() { "\r\n" } else { "\n" }
}

fn find(text: &str, open: &str, close: &str) -> BlockPosition {
    let (mut opened, mut closed): (Vec<usize>, Vec<usize>) = (Vec::new(), Vec::new());
    let mut fence: Option<&str> = None;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let content = line.trim_start_matches('\u{feff}').trim();
        if content.starts_with(open) || content.starts_with(close) {
            let alone = content == open || content == close;
            if fence.is_some() || !alone || is_indented(line) {
                return BlockPosition::Broken;
            }
            if content == open { opened.push(start + line.len()) } else { closed.push(start) }
        }
        fence = match fence {
            Some(open) if closes(content, open) => None,
            Some(open) => Some(open),
            None => opening_fence(content),
        };
        start += line.len();
    }
    match (opened.as_slice(), closed.as_slice()) {
        ([], []) => BlockPosition::Nowhere,
        ([from], [to]) if from <= to => BlockPosition::Between(*from..*to),
        _ => BlockPosition::Broken,
    }
}

/// Returns whether the line may be code because of its indentation.
fn is_indented(line: &str) -> bool {
    line.starts_with("    ") || line[..line.len() - line.trim_start().len()].contains('\t')
}

/// Returns the backticks or tildes that open a code block, also in a list or a quote.
fn opening_fence(content: &str) -> Option<&str> {
    let content = content.trim_start_matches(['>', '-', '+', '*', ' ', '\t']);
    let marker = content.chars().next().filter(|marker| matches!(marker, '`' | '~'))?;
    let info = content.trim_start_matches(marker);
    let fence = &content[..content.len() - info.len()];
    // Backticks followed by more of them on the same line are inline code.
    (fence.len() >= 3 && !(marker == '`' && info.contains('`'))).then_some(fence)
}

fn closes(content: &str, fence: &str) -> bool {
    let content = content.trim_start_matches(['>', ' ', '\t']);
    content.starts_with(fence) && content.trim_start_matches(&fence[..1]).is_empty()
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use proptest::prelude::*;

    use super::*;

    fn put(text: &str, inner: &str) -> Option<String> {
        put_block(text, OPEN, CLOSE, inner)
    }

    #[track_caller]
    fn check(text: &str, inner: &str, expected: Expect) {
        let written = put(text, inner).expect("a clear block");
        expected.assert_eq(&written);
        assert_eq!(put(&written, inner).as_ref(), Some(&written), "must be idempotent");
    }

    #[test]
    fn only_the_content_is_replaced() {
        check(
            "# Home\n\nMine  \n<!-- reconciler-section -->\nold\n\nold\n  <!-- /reconciler-section -->  \n\n\nMine too",
            "new\n",
            expect![[r#"
                # Home

                Mine  
                <!-- reconciler-section -->
                new
                  <!-- /reconciler-section -->  


                Mine too"#]],
        );
        check(
            &format!("{OPEN}\nold\n{CLOSE}"),
            "",
            expect![[r#"
            <!-- reconciler-section -->
            <!-- /reconciler-section -->"#]],
        );
    }

    #[test]
    fn block_is_appended_without_markers() {
        let block = format!("{OPEN}\nnew\n{CLOSE}\n");
        for (text, before) in [
            ("", ""),
            ("\u{feff}", "\u{feff}"),
            ("a", "a\n\n"),
            ("a\n", "a\n\n"),
            ("a\n\n", "a\n\n"),
            ("a\n \n", "a\n \n"),
        ] {
            let written = put(text, "new").expect("room at the end");
            assert_eq!(written, format!("{before}{block}"), "{text:?}");
            assert_eq!(put(&written, "new"), Some(written));
        }
    }

    #[test]
    fn windows_line_endings_are_kept() {
        let text = format!("# Home\r\n{OPEN}\r\nold\r\n{CLOSE}\r\nMine\r\n");
        assert_eq!(put(&text, "a\nb\r\n"), Some(text.replace("old", "a\r\nb")));
        assert_eq!(put("Mine\r\n", "a"), Some(format!("Mine\r\n\r\n{OPEN}\r\na\r\n{CLOSE}\r\n")));
    }

    #[test]
    fn ambiguous_blocks_are_rejected() {
        for text in [
            format!("{OPEN}\nold\n"),
            format!("old\n{CLOSE}\n"),
            format!("{CLOSE}\nold\n{OPEN}\n"),
            format!("{OPEN}\na\n{CLOSE}\n{OPEN}\nb\n{CLOSE}\n"),
            format!("{OPEN} text\nold\n{CLOSE}\n"),
            format!("{OPEN}\nold\n{CLOSE} text\n"),
            format!("```html\n{OPEN}\n{CLOSE}\n```\n"),
            format!("{OPEN}\nold\n~~~\n{CLOSE}\n~~~\n"),
            format!("- ~~~~\n  ~~~\n  {OPEN}\n  {CLOSE}\n  ~~~~\n"),
            format!("Text\n\n    {OPEN}\n    {CLOSE}\n"),
            format!("\t{OPEN}\n\t{CLOSE}\n"),
            "```\nnever closed\n".to_owned(),
        ] {
            assert_eq!(put(&text, "new"), None, "{text}");
        }
        assert_eq!(put(&format!("{OPEN}\n{CLOSE}\n"), CLOSE), None, "the new text has a marker");
        assert_eq!(put(&format!("{OPEN}\n{CLOSE}\n"), "```\n"), None, "the new text hides the marker");
    }

    #[test]
    fn code_before_the_block_is_ignored() {
        for code in [
            "```\ncode\n```\n",
            "~~~~ md\n```\n~~~\n~~~~\n",
            "```inline``` code\n",
            &format!("`{OPEN}` is a marker\n"),
        ] {
            let text = format!("{code}{OPEN}\nold\n{CLOSE}\n");
            assert_eq!(put(&text, "new"), Some(text.replace("old", "new")), "{code}");
        }
    }

    #[test]
    fn other_markers_are_supported() {
        assert_eq!(
            put_block("%% a %%\nold\n%% b %%\n", "%% a %%", "%% b %%", "new").as_deref(),
            Some("%% a %%\nnew\n%% b %%\n")
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn written_block_is_found_again(
            lines in proptest::collection::vec(
                proptest::sample::select(vec![OPEN, CLOSE, "```", "- ~~~", "> ```", "text", "", "    x", "\u{feff}"]),
                0..7,
            ),
            line_end in proptest::sample::select(vec!["\n", "\r\n"]),
            inner in "[a`~\n ]{0,6}",
        ) {
            let text = lines.join(line_end);
            if let Some(written) = put(&text, &inner) {
                prop_assert_eq!(put(&written, &inner), Some(written.clone()));
                let (before, rest) = written.split_once(OPEN).expect("an opening marker");
                let (_, after) = rest.rsplit_once(CLOSE).expect("a closing marker");
                prop_assert!(text.starts_with(before.trim_end_matches(['\r', '\n'])));
                prop_assert!(text.ends_with(after.trim_start_matches(['\r', '\n'])));
            }
        }
    }
}
