//! Shortens a page for injection: only the last entries of a long log.

use lore_page::{Format, edit};

/// Returns the text with the list under a heading shortened to its last entries, and the number of omitted ones; none
/// if there are not more.
///
/// An entry is a top-level list item with its content. One line in place of the first gives the number of omitted
/// entries. Other text between entries is kept.
pub fn last_entries(text: &str, heading: &str, keep: usize) -> Option<(String, usize)> {
    let items = edit::section_items(Format::Markdown, text, heading).ok()?;
    let omitted_count = items.len().checked_sub(keep).filter(|count| *count > 0)?;
    let omitted = &items[..omitted_count];
    let line_end = if text[omitted[0].start..omitted[0].end].ends_with("\r\n") { "\r\n" } else { "\n" };

    let mut out = String::with_capacity(text.len());
    out.push_str(&text[..omitted[0].start]);
    out.push_str(&notice(omitted_count));
    out.push_str(line_end);
    for (at, item) in omitted.iter().enumerate() {
        let next = items.get(at + 1).map(|next| next.start);
        // Blank lines between omitted entries are removed; other text is kept.
        let next_only = next.filter(|next| text[item.end..*next].trim().is_empty());
        let end = next.filter(|_| at + 1 < omitted_count).unwrap_or(text.len());
        let piece = &text[next_only.unwrap_or(item.end)..end];
        out.push_str(if would_join(&out, piece) { line_end } else { "" });
        out.push_str(piece);
    }
    Some((out, omitted_count))
}

/// Returns whether a line would become part of the one before it, or turn it into a heading.
fn would_join(before: &str, after: &str) -> bool {
    let is_text = |line: Option<&str>| line.is_some_and(|line| !line.trim().is_empty());
    let next = after.lines().next();
    let starts_block = next.is_some_and(|line| {
        let mut words = line.split_whitespace();
        let marker = words.next().unwrap_or_default();
        // An empty item, or a number other than one, does not start a list below a line of text.
        marker.starts_with('#') || (["-", "*", "+", "1.", "1)"].contains(&marker) && words.next().is_some())
    });
    is_text(before.lines().next_back()) && is_text(next) && !starts_block
}

fn notice(count: usize) -> String {
    format!("({count} earlier {} left out)", if count == 1 { "entry" } else { "entries" })
}

#[cfg(test)]
mod tests {
    use lore_page::edit::section_items;
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(text: &str, keep: usize, expected: &str) {
        for windows in [false, true] {
            let with_ends = |text: &str| if windows { text.replace('\n', "\r\n") } else { text.to_owned() };
            let cut = last_entries(&with_ends(text), "Agent Log", keep).map(|(cut, _)| cut);
            assert_eq!(cut, Some(with_ends(expected)), "{text:?}");
        }
    }

    #[test]
    fn last_entries_are_kept() {
        let page = "# Today\n\n- a plan\n\n## Agent Log\n\n- one\n- two\n- three\n\n## Handoff\n\n- more\n";
        let cut = |lines: &str| page.replace("- one\n- two\n- three\n", lines);
        check(page, 2, &cut("(1 earlier entry left out)\n- two\n- three\n"));
        check(page, 1, &cut("(2 earlier entries left out)\n- three\n"));
        check(page, 0, &cut("(3 earlier entries left out)\n"));
        assert_eq!(last_entries(page, "Agent Log", 1).map(|(_, count)| count), Some(2));
    }

    #[test]
    fn nothing_to_omit_returns_none() {
        for (text, keep) in [
            ("## Agent Log\n- one\n- two\n", 2),
            ("## Agent Log\n- one\n- two\n", 10),
            ("## Agent Log\n", 0),
            ("## Other\n- one\n", 0),
            ("## Agent Log\n```\n- one\n- two\n```\n", 0),
            ("", 0),
        ] {
            assert_eq!(last_entries(text, "Agent Log", keep), None, "{text:?}");
        }
    }

    #[test]
    fn entries_are_omitted_with_their_content() {
        check(
            "## Agent Log\n- one\n  - nested\n\n  para\nlazy\n\n* two\n+ three\n  more\n",
            1,
            "## Agent Log\n(2 earlier entries left out)\n+ three\n  more\n",
        );
        check(
            "## Agent Log\n\n9. nine\n10. ten\n11. eleven\n",
            1,
            "## Agent Log\n\n(2 earlier entries left out)\n\n11. eleven\n",
        );
        check(
            "## Agent Log\n- one\n\n- two\n\n- three",
            1,
            "## Agent Log\n(2 earlier entries left out)\n- three",
        );
    }

    #[test]
    fn prose_between_entries_is_kept() {
        check(
            "## Agent Log\n\nNewest last.\n\n- one\n\nLunch\n\n- two\n- three\n\nEnd\n",
            1,
            "## Agent Log\n\nNewest last.\n\n(2 earlier entries left out)\n\nLunch\n\n- three\n\nEnd\n",
        );
        check(
            "## Agent Log\n- one\n- two\n```\ncode\n```\n9. nine\n",
            1,
            "## Agent Log\n(2 earlier entries left out)\n\n```\ncode\n```\n9. nine\n",
        );
        check(
            "## Agent Log\n- one\n\n### Noon\n- two\n\ntail\n\n---\n- no entry\n",
            0,
            "## Agent Log\n(2 earlier entries left out)\n\n### Noon\n\ntail\n\n---\n- no entry\n",
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn exactly_the_requested_entries_are_kept(
            lines in prop::collection::vec("((- |\\* |[19]\\. |  - |  |> - |### |)[a-c]|-|---|===)(\r\n|\n|\n\n)", 0..12),
            keep in 0..4_usize,
        ) {
            let text = format!("# Other\n\n---\n\n## Agent Log\n\n{}", lines.concat());
            let items = section_items(Format::Markdown, &text, "Agent Log").expect("a section").len();
            match last_entries(&text, "Agent Log", keep) {
                None => prop_assert!(items <= keep),
                Some((cut, left_out)) => {
                    prop_assert_eq!(items, keep + left_out);
                    prop_assert_eq!(section_items(Format::Markdown, &cut, "Agent Log").expect("a section").len(), keep, "{:?}", cut);
                    let headings = |text: &str| lore_page::parse("", text).page.headings.len();
                    prop_assert_eq!(headings(&cut), headings(&text), "{:?}", cut);
                }
            }
        }
    }
}
