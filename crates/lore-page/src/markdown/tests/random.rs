//! Parsing succeeds for any text, and the positions it reports are valid.

use std::time::{Duration, Instant};

use proptest::prelude::*;
use proptest::sample::select;

use super::parse;
use crate::page::{ByteRange, Heading, LineRange, Link};

/// Fragments with a meaning, so that random text exercises the grammar.
#[rustfmt::skip]
const FRAGMENTS: &[&str] = &[
    "\n", "\n\n", "\r\n", " ", "  ", "    ", "\t", "- ", "* ", "1. ", "> ", "# ", "## ", "---\n", "===\n",
    "```\n", "`", "~~~", "[[", "]]", "[", "]", "(", ")", "{", "}", "|", "\\", "\\|", "#", "!", "%%", "<!--",
    "-->", "<div>", "<", ">", "**", "*", "_", "::", ":: ", "..", "2024", "2024-01-01", "**2024-01-01** | ",
    " — ", " - ", "[a] ", "[x] ", "knows ", "[[A]]", "[[B|c]]", "[[D#e]]", "(ctx)", "{2017..}", "{2018..x}",
    "(source: x; \"y\")", "p:: o", "S | ", "#tag", "word", "é", "你好", "🚀", "\u{feff}", "\u{301}",
    "[t](p.md)", "](x.md#y)", "[r]", "[r]: e.md\n", "| a | b |\n|---|---|\n", "---\ntitle: x\n---\n",
    "k: \"[[v]]\"\n", "\r", "\0", "%20", "&amp;", "<pre>", "“", "”", "\"",
];

/// Checks every position that a page reports against its text.
fn check_places(text: &str) {
    let parsed = parse("folder/page.md", text);
    let page = parsed.page;
    let count = text.lines().count().max(1) as u32;
    let in_file = |line: u32| assert!((1..=count).contains(&line), "line {line} of {count} in {text:?}");
    let ordered = |lines: LineRange| {
        in_file(lines.first);
        in_file(lines.last);
        assert!(lines.first <= lines.last, "{lines:?} in {text:?}");
    };
    let valid =
        |range: ByteRange| assert!(text.get(range.start..range.end).is_some(), "{range:?} in {text:?}");

    page.frontmatter.into_iter().for_each(ordered);
    page.headings.iter().for_each(|heading| ordered(heading.lines));
    page.entries.iter().for_each(|entry| ordered(entry.lines));
    page.observations.iter().for_each(|observation| in_file(observation.line));
    page.facts.iter().for_each(|fact| in_file(fact.line));
    parsed.diagnostics.iter().for_each(|diagnostic| in_file(diagnostic.line));
    valid(page.truth);
    page.timeline.into_iter().for_each(valid);
    let mut last_end = 0;
    for link in &page.links {
        in_file(link.line);
        valid(link.span);
        assert!(!link.target.trim().is_empty(), "{link:?} in {text:?}");
        if link.span != ByteRange::default() {
            assert!(
                link.span.start >= last_end || link.style == crate::LinkStyle::Wiki,
                "{link:?} in {text:?}"
            );
            assert!(link.span.of(text).starts_with('['), "{link:?} in {text:?}");
            last_end = link.span.start;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_parsed(text in any::<String>()) {
        check_places(&text);
    }

    #[test]
    fn any_mix_of_the_grammar_is_parsed(pieces in prop::collection::vec(select(FRAGMENTS), 0..60)) {
        check_places(&pieces.concat());
    }

    #[test]
    fn line_endings_do_not_matter(pieces in prop::collection::vec(select(FRAGMENTS), 0..40)) {
        let unix = pieces.concat().replace('\r', "");
        let windows = unix.replace('\n', "\r\n");
        let (unix, windows) = (parse("a.md", &unix).page, parse("a.md", &windows).page);
        prop_assert_eq!(unix.observations, windows.observations);
        prop_assert_eq!(unix.facts, windows.facts);
        prop_assert_eq!(unix.entries, windows.entries);
        // The CommonMark parser itself trims the two differently inside inline code, so the text is not compared.
        let outline = |headings: Vec<Heading>| headings.into_iter().map(|heading| (heading.level, heading.lines));
        prop_assert!(outline(unix.headings).eq(outline(windows.headings)));
        prop_assert_eq!(unix.tags, windows.tags);
        let read = |links: Vec<Link>| links.into_iter().map(|link| (link.relation, link.target, link.line));
        prop_assert!(read(unix.links).eq(read(windows.links)));
    }
}

/// Time must grow linearly with size: each of these takes milliseconds, or minutes if it is quadratic.
#[test]
fn large_pages_take_linear_time() {
    const PIECES: &[&str] = &[
        "[",
        "[[",
        "]]",
        "[[a]] ",
        "- knows [[a]] (b)\n",
        "#a ",
        "%%",
        "%% ",
        "> ",
        "[a](",
        "[a](b.md) ",
        "`",
        "<!--",
        "<",
        "(",
        "\\",
        "- <!-- a -->\n",
        "  a <!-- b -->\n",
        "a:: ",
        "**2024-01-01** | ",
    ];
    let size = 60_000;
    for piece in PIECES {
        let started = Instant::now();
        let many = piece.repeat(size / piece.len());
        for before in ["", "- [a] ", "- a:: ", "# ", "> ", "<div>\n", "- **2024-01-01** | "] {
            parse("a.md", &format!("{before}{many}"));
        }
        assert!(started.elapsed() < Duration::from_secs(10), "{piece:?} took {:?}", started.elapsed());
    }
    let many_tags: String = (0..size / 8).map(|number| format!("#t{number} ")).collect();
    assert_eq!(parse("a.md", &format!("- [a] {many_tags}")).page.tags.len(), size / 8);
}
