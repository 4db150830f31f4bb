//! Properties that hold for every edit of every text.

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::page::{Properties, Value};
use crate::parse;

/// Generates lines of every kind a page has.
fn line() -> impl Strategy<Value = String> {
    let kinds = prop_oneof![
        "#{1,3} [A-C]",
        "- (knows|\"works at\") \\[\\[[A-C]\\]\\]( \\(ctx\\))?( \\{2020\\.\\.\\})?",
        "  [*-] [ab]:: [cd]( \\{2020\\.\\.\\})?( \\(source: x\\))?",
        "- \\*\\*202[0-4]-01-01\\*\\* \\| x — y",
        "(---|```|~~~|\\*\\*\\*|===|> quote|<!--|-->|    code|\\| a \\|)",
        "(Prose|Größe|\u{1f389}|\\[\\[A#b\\|c\\]\\]) (\\[x\\]\\(a%20b\\.md#h\\)|#tag|é)",
        "#{1,3} (Timeline|Relations|State)",
        "",
    ];
    (kinds, prop_oneof![9 => Just("\n"), 1 => Just("\r\n")]).prop_map(|(line, end)| line + end)
}

/// Generates properties as Lore itself would write them, and as people do.
fn block() -> impl Strategy<Value = String> {
    let key = prop_oneof![
        "[a-d]: [g-m]{1,5}( [a-z]{1,5})?( # note)?",
        "[a-d]: (\"x\"|'y'|\\[p, q\\]|2025-01-15|)",
        "tags:\n  - p\n  - q",
        "up: \"\\[\\[A\\]\\]\"",
        "note: \\|\n  one\n  two",
        "# comment",
    ];
    vec(key, 0..5).prop_map(|keys| {
        format!("---\n{}---\n", keys.iter().map(|key| format!("{key}\n")).collect::<String>())
    })
}

fn page() -> impl Strategy<Value = String> {
    let byte_order_mark = prop_oneof![9 => Just(""), 1 => Just("\u{feff}")];
    let front = prop_oneof![Just(String::new()), block()];
    let body = vec(line(), 0..14).prop_map(|lines| lines.concat());
    (byte_order_mark, front, body, any::<bool>(), any::<bool>()).prop_map(
        |(byte_order_mark, front, body, cut, windows)| {
            let text = format!("{byte_order_mark}{front}{body}");
            let text = if cut { text.trim_end_matches(['\r', '\n']).to_owned() } else { text };
            if windows { text.replace("\r\n", "\n").replace('\n', "\r\n") } else { text }
        },
    )
}

fn value() -> impl Strategy<Value = Value> {
    let text =
        prop_oneof!["[a-z]{0,8}", "[ -~]{0,8}", "\\PC{0,8}", "[:#'\"\\[\\]{},&*!|>%@`\\\\\n\t -]{0,6}"];
    let text = text.prop_map(Value::Text);
    text.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(Value::List),
            inner.prop_map(|value| Value::Map(Properties(vec![("k: 1".to_owned(), value)]))),
        ]
    })
}

fn relation() -> NewRelation {
    let interval = "2019..".parse().expect("an interval");
    NewRelation { relation: "met".to_owned(), target: "Z".to_owned(), interval, ..NewRelation::default() }
}

fn fact() -> NewFact {
    NewFact { predicate: "is".to_owned(), object: "Z".to_owned(), ..NewFact::default() }
}

fn entry() -> NewEntry {
    let detail = Some("more".to_owned());
    NewEntry { date: "2022-01-01".to_owned(), summary: "Z".to_owned(), detail, ..NewEntry::default() }
}

/// Applies every edit to a text; some of them fail.
fn all_edits(text: &str, other: &str) -> Vec<(&'static str, Result<String, EditError>)> {
    let until = "2024".parse().expect("a date");
    let mut edits = vec![
        ("set", set_property(text, "a", &Value::Text(other.to_owned()))),
        ("set other", set_property(text, other, &Value::List(vec![Value::Text("x".to_owned())]))),
        ("remove", remove_property(text, "a")),
        ("add tag", add_tag(text, other)),
        ("remove tag", remove_tag(text, other)),
        ("append", append(text, other)),
        ("prepend", prepend(text, other)),
        ("replace", replace_text(text, other, "x", None)),
        ("section", replace_section(text, "A", other)),
        ("section other", replace_section(text, other, "x")),
        ("before", insert_before_section(text, "B", other)),
        ("after", insert_after_section(text, "B", other)),
        ("relation", add_relation(text, &relation())),
        ("relation other", add_relation(text, &NewRelation { target: other.to_owned(), ..relation() })),
        ("fact", add_fact(text, &fact())),
        ("fact other", add_fact(text, &NewFact { object: other.to_owned(), ..fact() })),
        ("entry", add_entry(text, &entry())),
        ("entry other", add_entry(text, &NewEntry { summary: other.to_owned(), ..entry() })),
        ("rename", rename_heading(text, "A", other)),
        ("rename other", rename_heading(text, other, "Z")),
        ("demote", Ok(demote_headings(text, other.len()))),
        ("without sections", Ok(remove_sections(text, sections(text).iter().step_by(2)))),
        ("retarget", retarget_links(text, "a/b.md", &mut |_| Some(other.to_owned()))),
        ("repoint", repoint_links(text, "a/b.md", &mut |_| Some(other.to_owned()))),
    ];
    for line in 0..8 {
        edits.push(("close relation", close_relation(text, line, until)));
        edits.push(("remove line", remove_link_line(text, line)));
        edits.push(("close fact", close_fact(text, line, until)));
    }
    edits
}

/// Returns whether `after` contains all lines of `before` in order; the last one may have gained a line ending.
fn keeps_all_lines(before: &str, after: &str) -> bool {
    let mut after = after.trim_start_matches('\u{feff}').split_inclusive('\n');
    before.trim_start_matches('\u{feff}').split_inclusive('\n').all(|line| {
        after.any(|found| {
            found == line || (!line.ends_with('\n') && found.trim_end_matches(['\r', '\n']) == line)
        })
    })
}

/// Returns the minimum number of lines that a change removes and adds.
fn changed_lines(before: &str, after: &str) -> (usize, usize) {
    let (old, new): (Vec<_>, Vec<_>) = (before.split('\n').collect(), after.split('\n').collect());
    let start = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let rest = old.len().min(new.len()) - start;
    let end = old.iter().rev().zip(new.iter().rev()).take(rest).take_while(|(old, new)| old == new).count();
    (old.len() - end - start, new.len() - end - start)
}

fn config() -> ProptestConfig {
    ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn no_edit_panics(text in prop_oneof![page(), "(---\n)?[-a:#\\[\\](){}|*>`' \t\r\n\\PC]{0,60}"], other in "[-a:#\\[\\](){}|* \n\\PC]{0,10}") {
        for (_, edit) in all_edits(&text, &other) {
            prop_assert!(edit.map_or(true, |edited| edited.len() < 10_000));
        }
    }

    #[test]
    fn additions_keep_every_line(text in page(), other in "[a-z ]{1,6}(\n[a-z]{1,3})?") {
        let additions = [
            append(&text, &other),
            prepend(&text, &other),
            insert_before_section(&text, "B", &other),
            insert_after_section(&text, "B", &other),
            add_relation(&text, &relation()),
            add_fact(&text, &fact()),
            add_entry(&text, &entry()),
            set_property(&text, "zz", &Value::Text(other.clone())),
        ];
        for edited in additions.into_iter().flatten() {
            prop_assert!(keeps_all_lines(&text, &edited), "{edited:?}");
        }
    }

    #[test]
    fn additions_read_back(text in page()) {
        let links = |text: &str| parse("", text).page.links.len();
        if let Ok(edited) = add_relation(&text, &relation()) {
            prop_assert_eq!(add_relation(&edited, &relation()), Ok(edited.clone()));
            prop_assert_eq!(links(&edited), links(&text) + 1);
        }
        let facts = |text: &str| parse("", text).page.facts.len();
        if let Ok(edited) = add_fact(&text, &fact()) {
            prop_assert_eq!(facts(&edited), facts(&text) + 1);
        }
        let entries = |text: &str| parse("", text).page.entries.len();
        if let Ok(edited) = add_entry(&text, &entry()) {
            prop_assert_eq!(entries(&edited), entries(&text) + 1);
            prop_assert_eq!(add_entry(&edited, &entry()), Ok(edited.clone()));
        }
    }

    #[test]
    fn demoting_changes_only_the_levels(text in page()) {
        let outline = |text: &str, by: u8| -> Vec<(u8, String)> {
            let headings = parse("", text).page.headings.into_iter();
            headings.map(|heading| ((heading.level + by).min(6), heading.text)).collect()
        };
        prop_assert_eq!(outline(&demote_headings(&text, 1), 0), outline(&text, 1));
    }

    #[test]
    fn remaining_sections_are_unchanged(text in page(), chosen in vec(any::<bool>(), 14)) {
        let places = sections(&text);
        let removed: Vec<_> = places.iter().zip(chosen).filter_map(|(place, removed)| removed.then_some(place)).collect();
        let inside = |place: &SectionPlace| {
            removed.iter().any(|removed| (removed.whole.start..removed.whole.end).contains(&place.whole.start))
        };
        let kept: Vec<_> = places.iter().filter(|place| !inside(place)).map(|place| &place.heading.text).collect();
        let edited = remove_sections(&text, removed.iter().copied());
        let left = sections(&edited);
        prop_assert_eq!(left.iter().map(|place| &place.heading.text).collect::<Vec<_>>(), kept);
        prop_assert!(edited.len() <= text.len() + 2 * removed.len());
    }

    #[test]
    fn renaming_back_restores_the_text(text in page()) {
        if let Ok(edited) = rename_heading(&text, "A", "Zed") {
            prop_assert_eq!(changed_lines(&text, &edited), (1, 1));
            prop_assert_eq!(rename_heading(&edited, "Zed", "A"), Ok(text));
        }
    }

    #[test]
    fn single_line_edits_change_a_single_line(text in page(), line in 1..14_u32) {
        let until = "2024".parse().expect("a date");
        for edited in [close_relation(&text, line, until), close_fact(&text, line, until)].into_iter().flatten() {
            prop_assert_eq!(changed_lines(&text, &edited), (1, 1));
        }
        if let Ok(edited) = remove_link_line(&text, line) {
            let kept = |(at, text)| if at == line { None } else { Some(text) };
            let expected: String = (1..).zip(text.split_inclusive('\n')).filter_map(kept).collect();
            let byte_order_mark = if line == 1 && text.starts_with('\u{feff}') { "\u{feff}" } else { "" };
            prop_assert_eq!(edited, byte_order_mark.to_owned() + &expected);
        }
    }

    #[test]
    fn any_value_reads_back_and_the_body_is_unchanged(text in page(), key in "[a-e]|[ -~]{1,4}", value in value()) {
        if let Ok(edited) = set_property(&text, &key, &value) {
            let page = parse("", &edited).page;
            prop_assert_eq!(page.properties.get(&key), Some(&value));
            let body = parse("", &text).page.truth.start;
            prop_assert_eq!(&edited[page.truth.start..], &text[body..]);
            prop_assert_eq!(set_property(&edited, &key, &value), Ok(edited.clone()));
        }
    }

    #[test]
    fn values_are_always_writable(value in value()) {
        let edited = set_property("Body\n", "key", &value);
        prop_assert!(edited.is_ok(), "{edited:?}");
    }

    #[test]
    fn setting_then_removing_a_new_key_restores_the_text(text in page(), value in value()) {
        let empty_block = text.replace('\r', "").contains("---\n---");
        if let Ok(edited) = set_property(&text, "zz", &value)
            && !empty_block
        {
            prop_assert_eq!(remove_property(&edited, "zz"), Ok(text));
        }
    }

    #[test]
    fn setting_back_restores_the_text(text in page(), new in "[g-m]{1,6}") {
        for key in ["a", "b", "c", "d"] {
            let old = parse("", &text).page.properties.get(key).cloned();
            let doubled = text.matches(&format!("\n{key}:")).count() > 1;
            if let Some(old @ Value::Text(_)) = old
                && !doubled
                && let Ok(edited) = set_property(&text, key, &Value::Text(new.clone()))
            {
                prop_assert_eq!(set_property(&edited, key, &old), Ok(text.clone()));
            }
        }
    }

    #[test]
    fn replacing_back_restores_the_text(text in page(), from in "[A-Ca-e]", to in "[W-Z]{2}") {
        let text = text.replace("\r\n", "\n");
        let count = text.matches(&from).count();
        if !text.contains(&to) {
            let edited = replace_text(&text, &from, &to, Some(count)).expect("the count is right");
            prop_assert_eq!(replace_text(&edited, &to, &from, Some(count)), Ok(text));
        }
    }

    #[test]
    fn appended_text_is_parsed(text in "([a-z ]{0,9}\n){0,4}") {
        let edited = append(&text, "\n- met [[Z]]").expect("append never fails");
        prop_assert!(edited.ends_with('\n'));
        prop_assert_eq!(&parse("", &edited).page.links[0].relation, "met");
    }

    #[test]
    fn replacing_a_section_keeps_the_rest(before in vec(line(), 0..6), after in vec(line(), 0..6)) {
        let quiet = |lines: Vec<String>| -> String {
            lines.into_iter().filter(|line| !line.contains(['`', '~', '<', '>', '=', '-'])).collect()
        };
        let (before, after) = (quiet(before), quiet(after));
        let text = format!("{before}\n# Here\n\nold\n\n# Next\n{after}");
        let edited = replace_section(&text, "Here", "new").expect("there is one section");
        prop_assert_eq!(edited, text.replace("\nold\n", "\nnew\n").replace("\nold\r\n", "\nnew\r\n"));
    }
}
