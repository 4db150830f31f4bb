//! Combines the bodies of two pages: section by section, without repeating a line. The pages are parsed a fixed number of
//! times, however many sections they have.

mod blocks;

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use lore_text::fold;

use self::blocks::Known;
use super::doc::Doc;
use super::lines::{line_end, with_line_end};
use super::{EditError, NewEntry, add_entries, add_to_truth, insert_before_section, sections};
use crate::format::Format;
use crate::page::Heading;

/// Adds the body of another page to a page: text under a heading that the page has goes below that heading, other
/// sections follow its own, entries are sorted into its timeline, other text of the timeline follows at its end. Facts and
/// relations that it has already are left out, and so are list items and paragraphs that it has in the same section. Its
/// frontmatter and its title stay; the other page's are ignored.
pub fn combine(format: Format, text: &str, other: &str) -> Result<String, EditError> {
    let source = Doc::new(format, other);
    let parts = parts(format, source.page.truth.of(other));
    let stated = Doc::new(format, text);
    let known = Known::of(&stated.page, text);
    let own = self::parts(format, stated.page.truth.of(text));
    let intro = known.new_blocks(format, own.intro, parts.intro);
    let mut edited = if intro.is_empty() { text.to_owned() } else { add_intro(format, text, &intro)? };
    edited = add_sections(format, &edited, &parts.sections, &known)?;
    let entry = |entry: &crate::page::Entry| NewEntry {
        date: entry.date.clone(),
        source: entry.source.clone(),
        summary: entry.summary.clone(),
        detail: entry.detail.clone(),
    };
    let entries: Vec<NewEntry> = source.page.entries.iter().map(entry).collect();
    edited = add_entries(format, &edited, &entries)?;
    let doc = Doc::new(format, &edited);
    let rest = known.new_blocks(format, &timeline_rest(&doc, &edited), &timeline_rest(&source, other));
    if rest.is_empty() {
        return Ok(edited);
    }
    match doc.page.timeline {
        Some(_) => super::append(format, &edited, &format!("\n{rest}")),
        None => super::append(format, &edited, &format!("\n{}\n\n{rest}", format.rule())),
    }
}

/// A body: the text before its first section, and its sections at the highest level below the title.
struct Parts<'a> {
    intro: &'a str,
    sections: Vec<Section<'a>>,
}

struct Section<'a> {
    heading: Heading,
    /// The line of the heading; in Org with its keyword and tags, and the dates and the properties below it.
    head: &'a str,
    body: &'a str,
}

/// Whether a heading is only its text. It may have links, which its text does not show, and in Org it may be a task or a
/// node, which no other heading stands for.
fn is_plain(format: Format, heading: &Heading, head: &str) -> bool {
    match format {
        Format::Markdown => !head.contains("[["),
        Format::Org => head.trim().trim_start_matches('*').trim() == heading.text,
    }
}

/// Returns what sections of two pages have in common if they are the same.
fn key(format: Format, heading: &Heading, head: &str) -> String {
    fold(if is_plain(format, heading, head) { &heading.text } else { head.trim() })
}

fn parts(format: Format, truth: &str) -> Parts<'_> {
    let all = sections(format, truth);
    let is_title = |first: &&super::SectionPlace| {
        format.has_title_heading() && first.heading.level == 1 && truth[..first.whole.start].trim().is_empty()
    };
    let title = all.first().filter(is_title);
    let start = title.map_or(0, |title| title.body.start);
    let below: Vec<_> = all.iter().filter(|place| place.whole.start >= start).collect();
    let level = below.iter().map(|place| place.heading.level).min().unwrap_or(2);
    let top: Vec<_> = below.into_iter().filter(|place| place.heading.level == level).collect();
    let intro = &truth[start..top.first().map_or(truth.len(), |place| place.whole.start)];
    let section = |place: &&super::SectionPlace| Section {
        heading: place.heading.clone(),
        head: &truth[place.whole.start..place.body.start],
        body: place.body.of(truth),
    };
    Parts { intro, sections: top.iter().map(section).collect() }
}

/// Adds text between the title and the first section.
fn add_intro(format: Format, text: &str, addition: &str) -> Result<String, EditError> {
    let doc = Doc::new(format, text);
    let first = doc.page.headings.iter().find(|heading| heading.level >= format.section_level());
    let in_truth = |heading: &&Heading| doc.section(heading).start < doc.page.truth.end;
    match first.filter(in_truth) {
        Some(heading) if doc.page.headings.iter().filter(|one| one.text == heading.text).count() == 1 => {
            insert_before_section(format, text, &heading.text, addition)
        }
        _ => add_to_truth(format, text, addition),
    }
}

/// Adds each section: to the one with its heading, else after the page's own sections.
fn add_sections(
    format: Format,
    text: &str,
    sections: &[Section<'_>],
    known: &Known,
) -> Result<String, EditError> {
    let places = own_sections(format, text);
    // What is added to each section of the page, and the further sections, by their headings.
    let mut added: Vec<(Range<usize>, String)> = Vec::new();
    let (mut further, mut at): (Vec<(&Section<'_>, String)>, HashMap<String, usize>) = Default::default();
    for section in sections {
        let Section { heading, head, body } = section;
        let key = key(format, heading, head);
        if let Some(own) = places.get(&key) {
            let new = known.new_blocks(format, &text[own.clone()], body);
            if !new.is_empty() {
                added.push((own.clone(), new));
            }
        } else if let Some(at) = at.get(&key) {
            let (_, text): &mut (&Section<'_>, String) = &mut further[*at];
            let new = known.new_blocks(format, text, body);
            let gap = if text.is_empty() || new.is_empty() { "" } else { "\n\n" };
            *text = format!("{text}{gap}{new}");
        } else {
            let new = known.new_blocks(format, "", body);
            // A heading under which nothing is left says nothing, unless it is more than its text.
            if !new.is_empty() || body.trim().is_empty() || !is_plain(format, heading, head) {
                at.insert(key, further.len());
                further.push((section, new));
            }
        }
    }
    let edited = insert_into(text, added);
    let further: Vec<String> =
        further.iter().map(|(section, body)| written(format, section, body.trim())).collect();
    if further.is_empty() { Ok(edited) } else { add_to_truth(format, &edited, &further.join("\n\n")) }
}

/// Returns the text of a section that the page does not have.
fn written(format: Format, Section { heading, head, .. }: &Section<'_>, body: &str) -> String {
    let head = match is_plain(format, heading, head) {
        true => {
            let marks = format.heading_marks(usize::from(heading.level.max(format.section_level())));
            format!("{marks} {}\n", heading.text)
        }
        false if format == Format::Markdown => format!("{}\n", head.trim_end()),
        false => head.trim_end().to_owned(),
    };
    format!("{head}\n{body}").trim_end().to_owned()
}

/// Returns the sections of the truth below the title whose headings occur once, by their headings.
fn own_sections(format: Format, text: &str) -> HashMap<String, Range<usize>> {
    let truth = Doc::new(format, text).page.truth;
    let mut found: HashMap<String, Option<Range<usize>>> = HashMap::new();
    for place in sections(format, text) {
        if place.heading.level < format.section_level() || place.whole.start >= truth.end {
            continue;
        }
        let body = place.body.start..place.body.end;
        let head = &text[place.whole.start..place.body.start];
        found
            .entry(key(format, &place.heading, head))
            .and_modify(|twice| *twice = None)
            .or_insert(Some(body));
    }
    found.into_iter().filter_map(|(heading, own)| Some((heading, own?))).collect()
}

/// Inserts text at the end of sections, given by their bodies.
fn insert_into(text: &str, added: Vec<(Range<usize>, String)>) -> String {
    let line_end = line_end(text);
    let mut insertions: Vec<(usize, String)> = Vec::new();
    for (body, new) in added {
        let (at, new) = insertion(text, body, &new);
        insertions.push((at, with_line_end(&new, line_end)));
    }
    insertions.sort_by_key(|(at, _)| *at);
    let mut edited = String::with_capacity(text.len());
    let mut copied = 0;
    for (at, new) in insertions {
        edited.push_str(&text[copied..at]);
        edited.push_str(&new);
        copied = at;
    }
    edited.push_str(&text[copied..]);
    edited
}

/// Returns where text is inserted at the end of a section, and the text with the blank lines around it.
fn insertion(text: &str, body: Range<usize>, new: &str) -> (usize, String) {
    let is_last = body.end == text.len();
    let old = &text[body.clone()];
    let content = old.trim_end();
    let blank = &old[content.len()..];
    let at = body.start + content.len();
    // Without a blank line before it, a rule would turn the paragraph above it into a heading.
    let is_spaced = blank.matches('\n').count() > usize::from(!content.is_empty());
    let after = if is_last || is_spaced { "" } else { "\n" };
    if content.is_empty() {
        let head = if text[..at].ends_with('\n') { "" } else { "\n" };
        let before = if is_spaced { "\n" } else { "" };
        return (at, format!("{head}{before}{new}\n{after}"));
    }
    let gap = if are_items(content, new) { "\n" } else { "\n\n" };
    let end = if blank.is_empty() { "\n" } else { "" };
    (at, format!("{gap}{new}{after}{end}"))
}

/// Whether a list can go on with further items.
fn are_items(old: &str, new: &str) -> bool {
    let is_item =
        |line: Option<&str>| line.is_some_and(|line| line.trim_start().starts_with(['-', '*', '+']));
    is_item(old.lines().last()) && is_item(new.trim_start_matches(['\n', '\r']).lines().next())
}

/// Returns the text of a timeline that belongs to no entry, without its first rule and its own heading.
fn timeline_rest(doc: &Doc<'_>, text: &str) -> String {
    let Some(timeline) = doc.page.timeline else { return String::new() };
    let is_own = |heading: &&Heading| fold(heading.text.trim()) == "timeline";
    let headings = doc.page.headings.iter().filter(is_own).map(|heading| heading.lines.first);
    let mut skipped: HashSet<u32> = headings.collect();
    for entry in &doc.page.entries {
        skipped.extend(entry.lines.first..=entry.lines.last);
    }
    let first = doc.lines.at(timeline.start) as u32;
    skipped.extend(doc.format.is_rule_line(doc.lines.content(first as usize)).then_some(first));
    let lines = text.lines().zip(1..).filter(|(_, line)| *line >= first && !skipped.contains(line));
    lines.map(|(line, _)| line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Format::Markdown;

    #[track_caller]
    fn check(one: &str, other: &str, expected: &str) {
        let combined = combine(Markdown, one, other).expect("they combine");
        assert_eq!(combined, expected);
        assert_eq!(combine(Markdown, &combined, other).expect("again"), combined, "nothing is added twice");
    }

    #[test]
    fn sections_are_combined_and_lines_are_not_repeated() {
        check(
            "---\ntitle: Acme\n---\n# Acme\n\nA company.\n\n## Facts\n\n- ceo:: Ada\n- hq:: Oslo\n",
            "---\ntitle: ACME Inc\n---\n# ACME Inc\n\nA company.\n\nIt sells looms.\n\n## Facts\n\n- ceo:: Ada\n- size:: 40\n\n## Links\n\n- knows [[Bob]]\n",
            "---\ntitle: Acme\n---\n# Acme\n\nA company.\n\nIt sells looms.\n\n## Facts\n\n- ceo:: Ada\n- hq:: Oslo\n- size:: 40\n\n## Links\n\n- knows [[Bob]]\n",
        );
    }

    #[test]
    fn links_in_headings_are_kept() {
        check(
            "# A\n\n## Notes\n\nOne.\n",
            "# B\n\n## See [[Bob]] and `code`\n\nTwo.\n\nSet [[Zed]]\n---------\n\nThree.\n",
            "# A\n\n## Notes\n\nOne.\n\n## See [[Bob]] and `code`\n\nTwo.\n\nSet [[Zed]]\n---------\n\nThree.\n",
        );
    }

    #[test]
    fn tasks_and_nodes_of_org_stay_whole() {
        let page = "#+title: A\n* Plain\nOne.\n* Steps\n:PROPERTIES:\n:ID: a1\n:END:\nOwn.\n";
        let task = "* TODO [#A] Pay :home:\nSCHEDULED: <2026-12-01 Tue>\n:PROPERTIES:\n:EFFORT: 1:00\n:END:\nPay it.\n";
        let node = "* Steps\n:PROPERTIES:\n:ID: b1\n:END:\nOther.\n";
        let other = format!("#+title: B\n* Plain\nTwo.\n{task}{node}");
        let combined = combine(Format::Org, page, &other).expect("they combine");
        let expected = page.replace("One.\n", "One.\n\nTwo.\n\n") + "\n" + task + "\n" + node;
        assert_eq!(combined, expected);
        assert_eq!(
            combine(Format::Org, &combined, &other).expect("again"),
            combined,
            "nothing is added twice"
        );
    }

    #[test]
    fn entries_are_sorted_into_the_timeline() {
        check(
            "# A\n\nText.\n\n---\n\n## Timeline\n\n- **2024-03-01** | chat — Third\n- **2024-01-01** | chat — First\n",
            "# B\n\nText.\n\n---\n\n## Timeline\n\n- **2024-02-01** | chat — Second\n- **2024-01-01** | chat — First\n",
            "# A\n\nText.\n\n---\n\n## Timeline\n\n- **2024-03-01** | chat — Third\n- **2024-02-01** | chat — Second\n- **2024-01-01** | chat — First\n",
        );
    }

    #[test]
    fn details_and_sources_of_equal_entries_are_kept() {
        let page = |title: &str, entries: &str| format!("# {title}\n\n---\n\n## Timeline\n\n{entries}");
        for (one, other, expected) in [
            (
                "- **2024-03-01** | chat — Signed\n",
                "- **2024-03-01** | chat — Signed\n  By Ada.\n",
                "- **2024-03-01** | chat — Signed\n  By Ada.\n",
            ),
            (
                "- **2024-03-01** | chat — Signed\n  By Ada.\n- **2024-01-01** — Met\n",
                "- **2024-03-01** | chat — Signed\n  By Ada.\n  In Oslo.\n",
                "- **2024-03-01** | chat — Signed\n  By Ada.\n  In Oslo.\n- **2024-01-01** — Met\n",
            ),
            (
                "- **2024-03-01** | chat — Signed\n  By Ada.\n",
                "- **2024-03-01** | chat — Signed\n  For 40 looms.\n",
                "- **2024-03-01** | chat — Signed\n  By Ada.\n  For 40 looms.\n",
            ),
            (
                "- **2024-03-01** | chat — Signed\n",
                "- **2024-03-01** | mail — Signed\n  By Ada.\n",
                "- **2024-03-01** | chat — Signed\n- **2024-03-01** | mail — Signed\n  By Ada.\n",
            ),
            (
                "- **2024-03-01** | chat — Signed\n",
                "- **2024-05-01** — Paid\n- **2024-04-01** — Sent\n  Twice.\n- **2024-01-01** — Met\n",
                "- **2024-05-01** — Paid\n- **2024-04-01** — Sent\n  Twice.\n- **2024-03-01** | chat — Signed\n- **2024-01-01** — Met\n",
            ),
        ] {
            check(&page("A", one), &page("B", other), &page("A", expected));
        }
    }

    #[test]
    fn sections_below_the_timeline_are_kept() {
        check(
            "# A\n\n---\n\n## Timeline\n\n- **2024-03-01** — Signed\n",
            "# B\n\n---\n\n## Timeline\n\n- **2024-03-01** — Signed\n\n---\n\n## Notes\n\nKept.\n\n### Empty\n\n## Sources\n\n- a\n",
            "# A\n\n---\n\n## Timeline\n\n- **2024-03-01** — Signed\n\n---\n\n## Notes\n\nKept.\n\n### Empty\n\n## Sources\n\n- a\n",
        );
        check("# A\n\nText.\n", "# B\n\nText.\n\n---\n\nBelow.\n", "# A\n\nText.\n\n---\n\nBelow.\n");
    }

    #[test]
    fn equal_lines_of_other_sections_are_kept() {
        check(
            "# A\n\n## Members\n\n- Ada\n- ceo:: Ada\n",
            "# B\n\n## Former members\n\n- Ada\n- ceo:: Ada\n\n### Founders\n\n```\nx\n```\n\nAgain.\n\nAgain.\n\n## State\n\n- ceo:: Ada\n",
            "# A\n\n## Members\n\n- Ada\n- ceo:: Ada\n\n## Former members\n\n- Ada\n\n### Founders\n\n```\nx\n```\n\nAgain.\n\nAgain.\n",
        );
        check(
            "# A\n\n## Code\n\n```\nif a:\n  b\n```\n\n## Next\nText\n",
            "# B\n\n## Code\n\n```\nif a:\nb\n```\n\n## Next\n\nMore\n",
            "# A\n\n## Code\n\n```\nif a:\n  b\n```\n\n```\nif a:\nb\n```\n\n## Next\nText\n\nMore\n",
        );
    }

    #[test]
    fn code_blocks_and_nested_items_stay_whole() {
        check(
            "# A\n",
            "# B\n\n```sh\nrun\n\nrun\n```\n\n- one\n  - inner\n- two\n",
            "# A\n\n```sh\nrun\n\nrun\n```\n\n- one\n  - inner\n- two\n",
        );
    }
}
