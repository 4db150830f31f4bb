//! The summary of a page that declares none: a quote directly under the title, else the first sentence of prose.

use lore_text::sentence_end;

use super::plain;
use crate::body::{Blocks, Lines, RawHeading};
use crate::page::Page;

/// Maximum characters of a summary.
const CHARACTERS: usize = 200;

/// Returns the text of the quote directly under the title. A callout is not a summary, and neither is a quotation in the
/// middle of a page.
pub(super) fn quoted(text: &str, page: &Page, blocks: &Blocks, lines: &Lines<'_>) -> Option<String> {
    let quote = blocks.quotes.iter().find(|quote| !blocks.opaque.is_comment(quote.start))?;
    let shown = |heading: &&RawHeading| !blocks.opaque.is_comment(heading.start);
    let title = blocks.headings.iter().find(shown);
    let title = title.filter(|heading| heading.level == 1 && heading.start < quote.start);
    let after = title.map_or(page.truth.start, |title| lines.range(title.start).end);
    let between = without_comments(text.get(after..quote.start)?);
    let setext = between.trim_start().trim_start_matches('=');
    let is_directly_below =
        quote.start < page.truth.end && (between.trim().is_empty() || setext.trim().is_empty());
    if !is_directly_below || quote.text.trim_start().starts_with("[!") {
        return None;
    }
    Some(shortened(&plain(&quote.text))).filter(|text| !text.is_empty())
}

/// Returns the first sentence of the first paragraph of prose.
pub(super) fn first_sentence(text: &str, page: &Page, blocks: &Blocks) -> Option<String> {
    let mut paragraph = String::new();
    let (mut at, mut in_fence) = (page.truth.start, false);
    for line in page.truth.of(text).split_inclusive('\n') {
        let start = at + (line.len() - line.trim_start().len());
        at += line.len();
        let trimmed = line.trim();
        in_fence ^= trimmed.starts_with("```") || trimmed.starts_with("~~~");
        let is_hidden = in_fence || blocks.opaque.is_comment(start);
        if is_hidden || !is_prose(line) {
            if paragraph.is_empty() {
                continue;
            }
            break;
        }
        paragraph.push_str(trimmed);
        paragraph.push(' ');
    }
    let shown = plain(&without_markup(&without_comments(&paragraph)));
    let sentence = &shown[..sentence_end(&shown)];
    Some(shortened(sentence.trim())).filter(|text| text.chars().any(char::is_alphabetic))
}

/// Returns whether a line is part of a paragraph: no heading, list, quote, table, image, field or line of code.
fn is_prose(line: &str) -> bool {
    let text = line.trim();
    // `3.5 million` is not an item of a list.
    let after_number = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_numbered =
        after_number.len() < text.len() && (after_number.starts_with(". ") || after_number.starts_with(") "));
    let marks =
        ["#", "- ", "* ", "+ ", ">", "|", "![", "[ ]", "[x]", "<", "---", "***", "===", "```", "~~~", "%%"];
    let is_field = text.contains(":: ") || text.ends_with("::");
    !text.is_empty()
        && !line.starts_with(['\t'])
        && !line.starts_with("    ")
        && !is_numbered
        && !marks.iter().any(|mark| text.starts_with(mark))
        && !is_field
        && without_links(text).chars().any(char::is_alphabetic)
}

/// Drops links: a line of nothing else leads somewhere, but says nothing.
fn without_links(text: &str) -> String {
    let mut left = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, link)) = rest.split_once('[') {
        left.push_str(before);
        let end = if link.starts_with('[') { "]]" } else { "](" };
        let after = link.split_once(end).map(|(_, after)| after);
        let after = if end == "](" { after.and_then(|url| Some(url.split_once(')')?.1)) } else { after };
        match after {
            Some(after) => rest = after,
            None => {
                left.push('[');
                rest = link;
            }
        }
    }
    left + rest
}

fn without_comments(text: &str) -> String {
    let mut shown = text.to_owned();
    for (open, close) in [("<!--", "-->"), ("%%", "%%")] {
        while let Some(start) = shown.find(open) {
            let from = start + open.len();
            let Some(end) = shown[from..].find(close) else { break };
            shown.replace_range(start..from + end + close.len(), "");
        }
    }
    shown
}

/// Drops emphasis, code marks and the addresses of links.
fn without_markup(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("](") {
        let (before, after) = rest.split_at(at);
        let open = before.rfind('[').filter(|open| !before[..*open].ends_with('['));
        match (open, after.find(')')) {
            (Some(open), Some(close)) => {
                shown.push_str(&before[..open]);
                shown.push_str(&before[open + 1..]);
                rest = &after[close + 1..];
            }
            _ => {
                shown.push_str(before);
                shown.push_str("](");
                rest = &after[2..];
            }
        }
    }
    shown.push_str(rest);
    shown.replace("**", "").replace(['`', '*'], "")
}

/// Cuts a text at a word.
pub(crate) fn shortened(text: &str) -> String {
    let Some((end, _)) = text.char_indices().nth(CHARACTERS) else { return text.to_owned() };
    // The ellipsis is a character too.
    let end = text[..end].char_indices().next_back().map_or(end, |(at, _)| at);
    let cut = text[..end].rfind(' ').unwrap_or(end);
    format!("{}…", text[..cut].trim_end())
}

#[cfg(test)]
mod tests {
    use crate::parse;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(parse("a.md", text).page.shown_summary().unwrap_or_default(), expected, "{text}");
    }

    #[test]
    fn declared_summary_comes_first() {
        check("---\nsummary: Declared.\n---\n# A\n\n> Quoted.\n\nProse.\n", "Declared.");
        check("# A\n\n> Quoted\n> twice.\n\nProse.\n", "Quoted twice.");
        check("> Quoted.\n\nProse.\n", "Quoted.");
        check("A\n===\n\n> Quoted.\n", "Quoted.");
    }

    #[test]
    fn first_sentence_of_prose_stands_for_a_summary() {
        check(
            "# A\n\nAda **runs** the [plant](p.md) with [[Bob|him]]. She left.\n",
            "Ada runs the plant with him.",
        );
        check("# A\n\nWrapped\nlines. More.\n", "Wrapped lines.");
        check("# A\n\n[[Ada]] runs the plant. She left.\n", "Ada runs the plant.");
        check("# A\n\n[Ada](a.md) met [Bob](b.md)\n", "Ada met Bob");
        check("# A\n\n3.5 million people. More.\n", "3.5 million people.");
        check("# A\n\nUse `std::fs` here. More.\n", "Use std::fs here.");
        check("# A\n\n`x` is <!-- not --> here.\n", "x is here.");
        check("# A\n\nProse.\n\n> A quotation from the middle.\n", "Prose.");
    }

    #[test]
    fn other_blocks_are_no_summary() {
        check("# A\n\n> [!note] A callout\n> with text\n\nProse.\n", "Prose.");
        check("# A\n\n<!-- a comment -->\n%% another %%\n\nProse.\n", "Prose.");
        check("# A\n\n```\ncode here\n```\n\nProse.\n", "Prose.");
        check(
            "# A\n\n[ ] open\n- [ ] task\n- item\n| a |\n![[image.png]]\nfield:: value\n\nProse.\n",
            "Prose.",
        );
        check("# A\n\n- only\n- items\n", "");
        check("# A\n\n[[Home]] | [up](../a.md)\n\n1. one\n\nProse.\n", "Prose.");
        check("", "");
    }

    #[test]
    fn summaries_have_at_most_200_characters() {
        let long = format!("# A\n\n{}end.\n", "wörd ".repeat(80));
        let page = parse("a.md", &long).page;
        let found = page.shown_summary().unwrap_or_default();
        assert!(found.chars().count() <= 200 && found.ends_with("wörd…"), "{found}");
        let quoted = format!("# A\n\n> {}\n", "x".repeat(500));
        assert_eq!(parse("a.md", &quoted).page.shown_summary().unwrap_or_default().chars().count(), 200);
    }

    #[test]
    fn title_is_the_property_then_the_heading_then_the_file_name() {
        let title = |text: &str| parse("notes/file.md", text).page.shown_title().to_owned();
        assert_eq!(title("---\ntitle: Own\n---\n# Heading\n"), "Own");
        assert_eq!(title("# Heading\n"), "Heading");
        assert_eq!(title("text\n"), "file");
    }
}
