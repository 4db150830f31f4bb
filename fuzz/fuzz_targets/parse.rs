//! Checks that any text parses as Markdown and as Org, and that every position the page reports lies in the text.

#![no_main]

use libfuzzer_sys::fuzz_target;
use lore_page::{ByteRange, LineRange, Parsed};
use lore_text::{path_slug, slugify};

fuzz_target!(|text: &str| {
    check("folder/page.md", text);
    check("folder/page.org", text);

    let slug = slugify(text);
    assert_eq!(slugify(&slug), slug);
    path_slug(text);
});

fn check(path: &str, text: &str) {
    let Parsed { page, diagnostics } = lore_page::parse(path, text);
    let count = text.lines().count().max(1) as u32;
    let in_file = |line: u32| assert!((1..=count).contains(&line), "line {line} of {count}");
    let ordered = |lines: LineRange| {
        in_file(lines.first);
        in_file(lines.last);
        assert!(lines.first <= lines.last, "{lines:?}");
    };
    let valid = |range: ByteRange| assert!(text.get(range.start..range.end).is_some(), "{range:?}");

    page.frontmatter.into_iter().for_each(ordered);
    page.headings.iter().for_each(|heading| ordered(heading.lines));
    page.nodes.iter().for_each(|node| ordered(node.lines));
    page.markup.iter().copied().for_each(ordered);
    page.entries.iter().for_each(|entry| ordered(entry.lines));
    page.observations.iter().for_each(|observation| in_file(observation.line));
    page.facts.iter().for_each(|fact| in_file(fact.line));
    diagnostics.iter().for_each(|diagnostic| in_file(diagnostic.line));
    valid(page.truth);
    page.timeline.into_iter().for_each(valid);
    for link in &page.links {
        in_file(link.line);
        valid(link.span);
        assert!(!link.target.is_empty());
    }
}
