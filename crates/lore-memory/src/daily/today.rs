//! The daily page, and how one day's page follows another's.

use jiff::civil::Date;
use lore_engine::fill;
use lore_page::{Format, Value, edit};

use super::without_blank_ends;
use crate::generated::without_block;

/// Sections of a daily page, in order.
pub const SECTIONS: [&str; 6] =
    ["User Schedule", "User Tasks", "Agent Plan", "Agent Notes", "Agent Log", "Handoff"];

const TODAY: &str = "Today";
const YESTERDAY: &str = "Yesterday";
const PLAN: &str = SECTIONS[2];
const HANDOFF: &str = SECTIONS[5];

/// Returns the page of a new day: the template with its date, and the previous day's handoff under the plan.
pub fn fresh_today(date: Date, yesterday: Option<&str>, template: &str) -> String {
    let page = fill(template, TODAY, &date.to_string());
    let Some(yesterday) = yesterday else { return page };
    let handoff_text = handoff(yesterday);
    // Text from the template itself was not handed over by anyone.
    if handoff_text.trim().is_empty() || handoff_text.trim() == handoff(&page).trim() {
        return page;
    }
    let from = date_of(yesterday).map_or_else(|| "yesterday".to_owned(), |date| date.to_string());
    let with_handoff = |text: &str| with_plan(&page, &format!("Carried over from {from}:\n\n{text}\n"));
    let fresh = with_handoff(&handoff_text);
    if has_sections_of(&fresh, &page) {
        return fresh;
    }
    // An unclosed code block or comment would swallow the rest of the page; inside a quote it cannot.
    let quoted: Vec<String> =
        handoff_text.lines().map(|line| format!("> {line}").trim_end().to_owned()).collect();
    with_handoff(&quoted.join("\n"))
}

/// Returns the date of a page, from its `date` property.
pub fn date_of(text: &str) -> Option<Date> {
    lore_page::parse("", text).page.properties.text("date")?.trim().parse().ok()
}

/// Returns a page with its date.
pub fn with_date(text: &str, date: Date) -> String {
    let value = Value::Text(date.to_string());
    edit::set_property(Format::Markdown, text, "date", &value).unwrap_or_else(|_| text.to_owned())
}

/// Returns a daily page retitled as yesterday's.
pub fn as_yesterday(text: &str) -> String {
    let text = &without_block(text);
    let renamed = edit::rename_heading(Format::Markdown, text, &format!("# {TODAY}"), YESTERDAY);
    let renamed = renamed.unwrap_or_else(|_| text.to_owned());
    let titled = lore_page::parse("", &renamed).page.properties.text("title") == Some(TODAY);
    if !titled {
        return renamed;
    }
    edit::set_property(Format::Markdown, &renamed, "title", &Value::Text(YESTERDAY.to_owned()))
        .unwrap_or(renamed)
}

/// Returns the text under the handoff heading, without surrounding blank lines; a rule ends it.
pub fn handoff(text: &str) -> String {
    let text = &without_block(text);
    let places = edit::sections(Format::Markdown, text);
    let sections =
        places.iter().filter(|place| place.heading.level == 2 && is_called(&place.heading.text, HANDOFF));
    let bodies = sections.map(|place| {
        // The newline keeps a rule at the start from being parsed as frontmatter.
        let body = format!("\n{}", place.body.of(text));
        without_blank_ends(lore_page::parse("", &body).page.truth.of(&body)).replace("\r\n", "\n")
    });
    bodies.filter(|body| !body.is_empty()).collect::<Vec<_>>().join("\n\n")
}

/// Returns the page with a block at the end of its plan, which is added if missing.
fn with_plan(page: &str, block: &str) -> String {
    let added = edit::insert_after_section(Format::Markdown, page, &format!("## {PLAN}"), block);
    let appended =
        added.or_else(|_| edit::append(Format::Markdown, page, &format!("\n## {PLAN}\n\n{block}")));
    appended.unwrap_or_else(|_| page.to_owned())
}

/// Returns whether a page has all sections of another.
fn has_sections_of(page: &str, other: &str) -> bool {
    let names = |text: &str| -> Vec<String> {
        let sections =
            edit::sections(Format::Markdown, text).into_iter().filter(|place| place.heading.level <= 2);
        sections.map(|place| place.heading.text).collect()
    };
    let found = names(page);
    names(other).iter().all(|name| found.contains(name))
}

fn is_called(heading: &str, name: &str) -> bool {
    heading.trim().eq_ignore_ascii_case(name)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TEMPLATE: &str = "---\ntitle: Today\ndate: {{date}}\n---\n# Today\n\n## User Schedule\n\n## User Tasks\n\n\
                            ## Agent Plan\n\n## Agent Notes\n\n## Agent Log\n\n## Handoff\n";

    fn fresh(yesterday: Option<&str>, template: &str) -> String {
        fresh_today(jiff::civil::date(2026, 5, 18), yesterday, template)
    }

    /// Checks the content of the new plan, and that all sections exist.
    #[track_caller]
    fn check_plan(yesterday: &str, expected: &str) {
        for windows in [false, true] {
            let with_ends = |text: &str| if windows { text.replace('\n', "\r\n") } else { text.to_owned() };
            let page = fresh(Some(&with_ends(yesterday)), TEMPLATE);
            let places = edit::sections(Format::Markdown, &page);
            let names: Vec<_> = places
                .iter()
                .filter(|place| place.heading.level == 2)
                .map(|place| &place.heading.text)
                .collect();
            assert_eq!(names, SECTIONS, "{page}");
            let plan = places.iter().find(|place| place.heading.text == PLAN).expect("a plan");
            assert_eq!(plan.body.of(&page).trim_matches('\n'), expected);
            let rest = page.replace(plan.body.of(&page), "\n");
            assert_eq!(rest, TEMPLATE.replace("{{date}}", "2026-05-18"), "the rest must equal the template");
        }
    }

    #[test]
    fn first_day_equals_the_template() {
        assert_eq!(fresh(None, TEMPLATE), TEMPLATE.replace("{{date}}", "2026-05-18"));
    }

    #[test]
    fn handoff_is_added_to_the_plan() {
        check_plan(
            "---\ndate: 2026-05-17\n---\n# Today\n\n## Handoff\n\n- call Ada\n  - about {{date}}\n\n### Later\nmore\n\n## Other\nno\n",
            "Carried over from 2026-05-17:\n\n- call Ada\n  - about {{date}}\n\n### Later\nmore",
        );
        check_plan("## handoff\n    code\ntext", "Carried over from yesterday:\n\n    code\ntext");
        check_plan("## Handoff\n- a\n## Handoff\n- b\n", "Carried over from yesterday:\n\n- a\n\n- b");
        check_plan("---\ndate: soon\n---\n## Handoff\n- a\n", "Carried over from yesterday:\n\n- a");
    }

    #[test]
    fn rule_ends_the_handoff() {
        check_plan("## Handoff\n- a\n\n---\n\n- log\n", "Carried over from yesterday:\n\n- a");
        check_plan("x\n\n---\n\n## Handoff\n- a\n\n---\n\n## Next\n", "Carried over from yesterday:\n\n- a");
        check_plan("x\n\n---\n\n## Handoff\n---\na: b\n---\n", "");
    }

    #[test]
    fn empty_handoff_adds_nothing() {
        for yesterday in
            ["", "# Today\n", "## Handoff\n", "## Handoff\n\n \n## Next\n- x\n", "### Handoff\n- deep\n"]
        {
            check_plan(yesterday, "");
        }
        let template = TEMPLATE.replace("## Handoff\n", "## Handoff\n\n<!-- what carries over -->\n");
        let untouched = fresh(None, &template);
        assert_eq!(fresh(Some(&untouched), &template), untouched);
    }

    #[test]
    fn unclosed_blocks_are_quoted() {
        check_plan(
            "## Handoff\n- a\n\n```\ncode\n",
            "Carried over from yesterday:\n\n> - a\n>\n> ```\n> code",
        );
        check_plan("## Handoff\n<!-- a\n", "Carried over from yesterday:\n\n> <!-- a");
    }

    #[test]
    fn plan_keeps_template_text_and_line_endings() {
        let template = "# Today\r\n## Agent Plan\r\n- plan\r\n## Handoff\r\n";
        assert_eq!(
            fresh(Some("## Handoff\n- a\n- b\n"), template),
            "# Today\r\n## Agent Plan\r\n- plan\r\n\r\nCarried over from yesterday:\r\n\r\n- a\r\n- b\r\n\r\n## Handoff\r\n"
        );
        assert_eq!(
            fresh(Some("## Handoff\n- a\n"), "# Today\n"),
            "# Today\n\n## Agent Plan\n\nCarried over from yesterday:\n\n- a\n"
        );
    }

    #[test]
    fn date_is_read_from_the_property() {
        for (text, expected) in [
            ("---\ndate: 2026-05-18\n---\n", Some("2026-05-18")),
            ("---\ndate: \" 2026-05-18 \"\n---\n", Some("2026-05-18")),
            ("---\ndate: 2026-02-30\n---\n", None),
            ("date: 2026-05-18\n", None),
            ("", None),
        ] {
            assert_eq!(date_of(text).map(|date| date.to_string()).as_deref(), expected, "{text:?}");
        }
        assert_eq!(date_of(&fresh(None, TEMPLATE)), Some(jiff::civil::date(2026, 5, 18)));
    }

    #[test]
    fn yesterday_differs_only_in_title() {
        for (today, yesterday) in [
            ("# Today\n\n## Agent Log\n- x\n", "# Yesterday\n\n## Agent Log\n- x\n"),
            (
                "\u{feff}---\r\ntitle: \"Today\" # t\r\ndate: 2026-05-18\r\n---\r\n# Today  \r\nToday\r\n",
                "\u{feff}---\r\ntitle: \"Yesterday\" # t\r\ndate: 2026-05-18\r\n---\r\n# Yesterday  \r\nToday\r\n",
            ),
            (
                "---\ntitle: Today\n---\n```\n# Today\n```\n",
                "---\ntitle: Yesterday\n---\n```\n# Today\n```\n",
            ),
            ("---\ntitle: Mine\n---\n## Today\n", "---\ntitle: Mine\n---\n## Today\n"),
            ("# Todays\n", "# Todays\n"),
            ("", ""),
        ] {
            assert_eq!(as_yesterday(today), yesterday);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn new_page_has_its_sections_for_any_handoff(
            lines in prop::collection::vec("(#{1,4} [A-C]|[a-c]|---|===|```|~~~~|<!--|<div>|    x|- y|> z|%%|)(\n|\r\n)", 0..8),
        ) {
            let page = fresh(Some(&format!("## Handoff\n{}", lines.concat())), TEMPLATE);
            let places = edit::sections(Format::Markdown, &page);
            let names: Vec<_> =
                places.iter().filter(|place| place.heading.level <= 2).map(|place| place.heading.text.as_str()).collect();
            prop_assert_eq!(&names[0], &TODAY);
            prop_assert_eq!(&names[1..], &SECTIONS[..], "{}", page);
        }
    }
}
