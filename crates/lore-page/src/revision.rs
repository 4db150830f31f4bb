//! Appends an agent's new text to a page that a person has edited, as a revision below the edit.

use crate::edit::{self, SectionPlace};
use crate::format::Format;

/// Prefix of a revision's heading; the time follows.
const HEADING: &str = "Agent revision — ";

/// Returns the current text unchanged, followed by the body of the new text as a revision with this time, its headings
/// below that of the revision. Nothing is added if the page or its last revision already says the same.
pub fn revision(format: Format, current: &str, new: &str, time: &str) -> String {
    let untitled = without_title(format, new);
    let added = without_blank_ends(body(
        format,
        &edit::demote_headings(format, &untitled, levels_down(format, &untitled)),
    ))
    .to_owned();
    let is_repeated = same(body(format, &without_title(format, current)), body(format, &untitled))
        || last_revision(format, current).is_some_and(|last| same(last, &added))
        || ends_with_revision(format, current, &added);
    if added.is_empty() || is_repeated {
        return current.to_owned();
    }
    let ends_blank = current.lines().next_back().is_none_or(|line| line.trim().is_empty());
    let gap = if ends_blank { "" } else { "\n" };
    let block = format!("{gap}{} {HEADING}{time}\n\n{added}\n", format.heading_marks(level(format)));
    edit::append(format, current, &block).unwrap_or_else(|_| current.to_owned())
}

/// Returns an edited text if only its properties differ; otherwise the current text, with what the edit adds to it or
/// changes in it as a revision.
pub fn revision_of_edit(format: Format, current: &str, edited: &str, time: &str) -> String {
    if same(body(format, current), body(format, edited)) {
        return edited.to_owned();
    }
    let appended = body(format, edited).strip_prefix(body(format, current).trim_end());
    if let Some(added) = appended.filter(|added| added.starts_with(['\n', '\r'])) {
        return revision(format, current, &format!("\n{added}"), time);
    }
    let known = own_sections(format, current);
    let changed = own_sections(format, edited).into_iter().filter(|(whole, own)| {
        !own.trim().is_empty() && known.iter().all(|(known, _)| known.trim() != whole.trim())
    });
    let text: String = changed.map(|part| format!("\n{}\n", addition(&known, part))).collect();
    revision(format, current, &text, time)
}

/// Returns what a changed part adds: its heading and the text below that of the part with the same heading, if that is
/// unchanged; otherwise all of it.
fn addition(known: &[(&str, &str)], (whole, own): (&str, &str)) -> String {
    let heading = &whole[..whole.len() - own.len()];
    let same_heading = known.iter().filter(|(known, text)| known[..known.len() - text.len()] == *heading);
    let rest = same_heading.filter_map(|(_, text)| own.trim_start().strip_prefix(text.trim())).next();
    match rest.filter(|rest| !heading.is_empty() && rest.starts_with(['\n', '\r'])) {
        Some(rest) => format!("{}\n\n{}", heading.trim_end(), without_blank_ends(rest)),
        None => without_blank_ends(whole).to_owned(),
    }
}

/// Returns the parts of a body between its headings: each with its heading, and without it.
fn own_sections(format: Format, text: &str) -> Vec<(&str, &str)> {
    let places = edit::sections(format, text);
    let start = text.len() - body(format, text).len();
    let ends = places.iter().skip(1).map(|place| place.whole.start).chain([text.len()]);
    let top_end = places.first().map_or(text.len(), |place| place.whole.start);
    let top = text.get(start..top_end).unwrap_or_default();
    let own = places.iter().zip(ends).filter_map(|(place, end)| {
        Some((text.get(place.whole.start..end)?, text.get(place.body.start..end)?))
    });
    std::iter::once((top, top)).chain(own).collect()
}

/// Returns a page without a leading level-one heading.
fn without_title(format: Format, text: &str) -> String {
    let start = text.len() - body(format, text).len();
    let first = edit::sections(format, text).into_iter().next().filter(|_| format.has_title_heading());
    match first {
        Some(SectionPlace { heading, whole, body })
            if heading.level == 1 && text[start..whole.start].trim().is_empty() =>
        {
            // The newline keeps a rule below the heading from being parsed as frontmatter.
            format!("{}\n{}", &text[..whole.start], &text[body.start..])
        }
        _ => text.to_owned(),
    }
}

/// Returns the level of a revision's heading.
fn level(format: Format) -> usize {
    usize::from(format.section_level())
}

/// Returns a page without its frontmatter.
fn body(format: Format, text: &str) -> &str {
    &text[format.read("", text).0.page.truth.start..]
}

/// Returns by how many levels to demote headings so that the highest is inside the revision; at least one.
fn levels_down(format: Format, text: &str) -> usize {
    let highest = edit::sections(format, text).iter().map(|place| usize::from(place.heading.level)).min();
    highest.map_or(1, |highest| (level(format) + 1).saturating_sub(highest).max(1))
}

/// Returns the text of a page's last revision, up to the next heading of its level.
fn last_revision(format: Format, text: &str) -> Option<&str> {
    let is_revision = |place: &SectionPlace| {
        usize::from(place.heading.level) == level(format)
            && place.heading.text.starts_with(HEADING.trim_end())
    };
    let place = edit::sections(format, text).into_iter().rfind(is_revision)?;
    // Unlike in a section of the page, a rule inside a revision is part of it.
    let end: usize = text.split_inclusive('\n').take(place.heading.lines.last as usize).map(str::len).sum();
    text.get(place.body.start..end)
}

/// Returns whether a page ends with a revision with this text. An unclosed code block hides the revision's heading from
/// the parser, but not from this check.
fn ends_with_revision(format: Format, text: &str, revision_text: &str) -> bool {
    let (text, revision_text) = (text.replace('\r', ""), revision_text.replace('\r', ""));
    let Some(before) = text.trim_end().strip_suffix(revision_text.trim_end()) else { return false };
    let heading = before.trim_end().lines().next_back().unwrap_or_default();
    before.ends_with('\n')
        && heading.starts_with(&format!("{} {HEADING}", format.heading_marks(level(format))))
}

/// Returns whether two texts are equal except for line endings and surrounding blank lines.
fn same(one: &str, other: &str) -> bool {
    without_blank_ends(&one.replace('\r', "")) == without_blank_ends(&other.replace('\r', ""))
}

/// Trims blank lines at both ends; the first line keeps its indentation.
fn without_blank_ends(text: &str) -> &str {
    let blank: usize =
        text.split_inclusive('\n').take_while(|line| line.trim().is_empty()).map(str::len).sum();
    text[blank..].trim_end()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn revision(current: &str, new: &str, time: &str) -> String {
        super::revision(Format::Markdown, current, new, time)
    }

    fn revision_of_edit(current: &str, edited: &str, time: &str) -> String {
        super::revision_of_edit(Format::Markdown, current, edited, time)
    }

    const TITLE: &str = "## Agent revision — 2026-05-18T04:12:09+02:00";

    const TIME: &str = "2026-05-18T04:12:09+02:00";

    /// Checks what is appended to the current text, and that the same write adds nothing more.
    #[track_caller]
    fn check(current: &str, new: &str, added: &str) {
        for windows in [false, true] {
            let with_ends = |text: &str| if windows { text.replace('\n', "\r\n") } else { text.to_owned() };
            let current = with_ends(current);
            let revised = revision(&current, new, TIME);
            let found = revised.strip_prefix(&current).expect("the current text is untouched");
            assert_eq!(found, with_ends(added));
            assert_eq!(revision(&revised, new, TIME), revised, "the second time");
        }
    }

    #[test]
    fn new_text_is_appended() {
        check("# Day\n\nMine.\n", "Theirs.", &format!("\n{TITLE}\n\nTheirs.\n"));
        check("# Day\n\nMine.\n\n", "\n\n    Theirs.\n\n\n", &format!("{TITLE}\n\n    Theirs.\n"));
        check(
            "---\ntitle: Day\n---\nMine.\n",
            "---\ntitle: Day\nweekday: Monday\n---\n\n# Day\n\n## Summary\n\nTheirs.\n\n### Deep\n",
            &format!("\n{TITLE}\n\n### Summary\n\nTheirs.\n\n#### Deep\n"),
        );
        assert_eq!(revision("Mine", "Theirs", TIME), format!("Mine\n\n{TITLE}\n\nTheirs\n"));
        assert_eq!(revision("", "Theirs", TIME), format!("{TITLE}\n\nTheirs\n"));
    }

    #[test]
    fn headings_stay_inside_the_revision() {
        check(
            "Mine.\n",
            "Day\n===\n\n## A\n\n```\n## code\n```\n\nB\n---\n\n###### F\n",
            &format!("\n{TITLE}\n\n### A\n\n```\n## code\n```\n\n### B\n\n###### F\n"),
        );
        check("Mine.\n", "# One\n\n## A\n\n# Two\n", &format!("\n{TITLE}\n\n#### A\n\n### Two\n"));
        check("Mine.\n", "Intro\n\n# One\n", &format!("\n{TITLE}\n\nIntro\n\n### One\n"));
        check("Mine.\n", "### Deep\n", &format!("\n{TITLE}\n\n#### Deep\n"));
    }

    #[test]
    fn rule_is_not_frontmatter_and_does_not_end_a_revision() {
        check("Mine.\n", "# Day\n---\na: b\n---\n", &format!("\n{TITLE}\n\n---\n### a: b\n"));
        check(
            "Mine.\n",
            "New.\n\n---\n\n- **2026-05-17** | x — y\n",
            &format!("\n{TITLE}\n\nNew.\n\n---\n\n- **2026-05-17** | x — y\n"),
        );
    }

    #[test]
    fn repeated_text_adds_nothing() {
        let page = "---\ntitle: Day\n---\n# Day\n\n## Summary\n\nSame.\n";
        for new in [
            page,
            "## Summary\n\nSame.",
            "---\nupdated: now\n---\n# Other\n\n\n## Summary\r\n\r\nSame.\r\n\r\n",
            "",
            "---\ntitle: Day\n---\n# Day\n",
        ] {
            check(page, new, "");
        }
        let revised = revision(page, "New.\n\n---\n\nEnd.\n", TIME) + "\n## My own\n\nMore.\n";
        check(&revised, "# Day\nNew.\n\n---\n\nEnd.", "");
    }

    #[test]
    fn edit_of_edited_text_becomes_a_revision() {
        let page = "---\nupdated: x\n---\n# Day\n\n## Summary\n\nMine.\n\n## Tasks\n\n- [ ] One\n";
        let edited = page.replace("Mine.", "Theirs.");
        let expected = format!("{page}\n{TITLE}\n\n### Summary\n\nTheirs.\n");
        assert_eq!(revision_of_edit(page, &edited, TIME), expected);
        assert_eq!(revision_of_edit(&expected, &expected.replace("Mine.", "Theirs."), TIME), expected);
        for (edited, added) in [
            (page.replace("Mine.", "Mine.\nMore."), "### Summary\n\nMore."),
            (page.replace("# Day", "# Day\n\nFirst."), "First."),
            (format!("{page}- [ ] Two\n"), "- [ ] Two"),
        ] {
            let expected = format!("{page}\n{TITLE}\n\n{added}\n");
            assert_eq!(revision_of_edit(page, &edited, TIME), expected);
        }
        let property = page.replace("updated: x", "updated: y");
        assert_eq!(revision_of_edit(page, &property, TIME), property);
        assert_eq!(revision_of_edit(page, &page.replace("\nMine.\n", ""), TIME), page);
    }

    #[test]
    fn older_text_counts_as_new_again() {
        let first = revision("Mine.\n", "A.\n", TIME);
        let second = revision(&first, "B.\n", TIME);
        check(&second, "A.\n", &format!("\n{TITLE}\n\nA.\n"));
        check(&second, "Mine.\n", &format!("\n{TITLE}\n\nMine.\n"));
    }

    #[test]
    fn unclosed_code_block_does_not_hide_a_revision() {
        check("Mine.\n\n```\ncode\n", "## New\n", &format!("\n{TITLE}\n\n### New\n"));
    }

    #[test]
    fn end_of_a_heading_is_not_a_revision() {
        check(&format!("Mine.\n\n{TITLE}\n"), "02:00", &format!("\n{TITLE}\n\n02:00\n"));
    }

    fn text() -> impl Strategy<Value = String> {
        let line =
            "(#{1,3} [A-C]|[a-c]|---|===|```|<!--|    x|- y|## Agent revision — z|%%|)(\n|\r\n|\r\r\n|\r)?";
        prop::collection::vec(line, 0..8).prop_map(|lines| lines.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn current_text_is_kept_and_writes_are_idempotent(current in text(), new in text()) {
            let revised = revision(&current, &new, TIME);
            prop_assert!(revised.starts_with(&current));
            prop_assert!(revised == current || (revised.ends_with('\n') && !revised.trim_end_matches(['\r', '\n']).is_empty()));
            prop_assert_eq!(revision(&revised, &new, TIME), revised.clone());
        }

        #[test]
        fn revision_has_no_sibling_headings(new in text()) {
            let new = new.replace('\r', "");
            let revised = revision("Mine.\n", &new, TIME);
            let headings = crate::parse("", &revised).page.headings;
            let siblings = headings.iter().filter(|heading| heading.level <= 2).count();
            prop_assert_eq!(siblings, usize::from(revised != "Mine.\n"), "{}", revised);
        }
    }
}
