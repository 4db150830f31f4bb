//! Reading succeeds for any text in linear time, and the positions it reports are valid.

use std::time::{Duration, Instant};

use proptest::prelude::*;
use proptest::sample::select;

use crate::page::{ByteRange, LineRange};
use crate::parse;

/// Fragments with a meaning, so that random text exercises the grammar.
#[rustfmt::skip]
pub(crate) const FRAGMENTS: &[&str] = &[
    "\n", "\n\n", "\r\n", " ", "  ", "\t", "- ", "+ ", " * ", "1. ", "* ", "** ", "*** TODO ", "-----\n", "|", "# ", "#+",
    "#+title: x\n", "#+filetags: :a:b:\n", "#+begin_src\n", "#+end_src\n", "#+begin_quote\n", "#+end_quote\n",
    ":PROPERTIES:\n", ":END:\n", ":ID: 7\n", ":ROAM_ALIASES: \"a b\" c\n", ":ROAM_ALIASES: Über 中文\n", ":KEY+: v\n", ":LOGBOOK:\n", ":x:", ": ",
    "[[", "]]", "][", "[", "]", "[[id:1][a]]", "[[id:2]]", "[[file:a.org::*b]]", "[[roam:c]]", "[[*d]]", "id:0192f3a1-7c",
    "<id:x>", "=", "~", "=a=", "\\", "SUPERSEDES ", ", ", "*2024-01-01* | ", "[2024-01-01 Mon] ", "<2024-01-01>--",
    " — ", "[a] ", "knows ", "(ctx)", "{2017..}", "p:: o", ":: ", "S | ", "#tag", "word", "é", "你好", "\u{feff}", "\0",
    "\r", "\\begin{x}\n", "\\end{x}\n", "SCHEDULED: <2024-01-01>\n", "[X] ", "\"", "%20",
];

fn check_places(text: &str) {
    let parsed = parse("folder/page.org", text);
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
    page.nodes.iter().for_each(|node| ordered(node.lines));
    page.markup.iter().copied().for_each(ordered);
    page.entries.iter().for_each(|entry| ordered(entry.lines));
    page.observations.iter().for_each(|observation| in_file(observation.line));
    page.facts.iter().for_each(|fact| in_file(fact.line));
    parsed.diagnostics.iter().for_each(|diagnostic| in_file(diagnostic.line));
    valid(page.truth);
    page.timeline.into_iter().for_each(valid);
    for link in &page.links {
        in_file(link.line);
        valid(link.span);
        assert!(!link.target.trim().is_empty(), "{link:?} in {text:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_read(parts in prop::collection::vec(select(FRAGMENTS), 0..40)) {
        check_places(&parts.concat());
    }

    #[test]
    fn any_characters_are_read(text in "\\PC{0,60}") {
        check_places(&text);
    }
}

#[test]
fn hostile_texts_are_read_in_linear_time() {
    let unfinished = [
        "[[a][",
        "[[",
        "=a ",
        "~b ",
        "#+begin_src\n",
        "\\begin{x}\n",
        ":PROPERTIES:\n",
        "* A\n:PROPERTIES:\n:X: y\n",
        "- a\n ",
        "id:",
        "<id:x",
        "SUPERSEDES [[id:1]], ",
        "[[id:1][x\n",
        "- [2024-01-01",
        "#+begin_quote\n",
        ":x:\n",
    ];
    for part in unfinished {
        let text = part.repeat(400_000 / part.len());
        let started = Instant::now();
        check_places(&text);
        assert!(started.elapsed() < Duration::from_secs(8), "{part:?} took {:?}", started.elapsed());
    }
}
