//! Edits of any text change only their own lines, and what they add reads back.

use proptest::prelude::*;
use proptest::sample::select;

use crate::edit::*;
use crate::format::Format::Org;
use crate::org::tests::random::FRAGMENTS;
use crate::page::Value;

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(select(FRAGMENTS), 0..24).prop_map(|parts| parts.concat())
}

fn word() -> impl Strategy<Value = String> {
    select(&["status", "owner", "x_y", "title", "tags", "aliases", "projects"][..]).prop_map(str::to_owned)
}

/// Whether each line of a text is in another, in order. A byte order mark belongs to no line.
fn has_lines(text: &str, of: &str) -> bool {
    let (text, of) = (text.trim_start_matches('\u{feff}'), of.trim_start_matches('\u{feff}'));
    let mut lines = text.split('\n');
    of.split('\n').all(|line| lines.any(|other| other.trim_end() == line.trim_end()))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn set_properties_read_back_and_can_be_removed(text in text(), key in word(), value in "[a-z]{1,8}") {
        let before = Org.parse(&text).page;
        if let Ok(edited) = set_property(Org, &text, &key, &Value::Text(value.clone())) {
            let page = Org.parse(&edited).page;
            prop_assert!(page.properties.list(&key).contains(&value), "{edited:?}");
            prop_assert_eq!(page.headings.len(), before.headings.len());
            prop_assert_eq!(page.links.iter().filter(|link| link.span.end > 0).count(), before.links.iter().filter(|link| link.span.end > 0).count());
            // A drawer that becomes empty goes, also one that was empty before.
            let has_empty_drawer = text.to_uppercase().replace(['\r', '\n', ' ', '\t'], "").contains(":PROPERTIES::END:");
            if !has_empty_drawer && before.properties.get(&key).is_none() && !text.to_lowercase().contains(&key) && !text.contains("#+") {
                prop_assert_eq!(remove_property(Org, &edited, &key), Ok(text.clone()), "{:?}", edited);
            }
        }
    }

    #[test]
    fn added_lines_keep_all_others(text in text(), name in "[a-z]{1,6}") {
        let fact = NewFact { predicate: "likes".into(), object: name.clone(), ..NewFact::default() };
        let relation = NewRelation { relation: "knows".into(), target: format!("id:{name}"), ..NewRelation::default() };
        let entry = NewEntry { date: "2024-03-01".into(), summary: name.clone(), ..NewEntry::default() };
        let before = Org.parse(&text).page;
        for edited in [add_fact(Org, &text, &fact), add_relation(Org, &text, &relation), add_entry(Org, &text, &entry)].into_iter().flatten() {
            let page = Org.parse(&edited).page;
            prop_assert!(has_lines(&edited, text.trim_end_matches(['\n', '\r', ' '])), "{text:?} {edited:?}");
            prop_assert!(page.facts.len() + page.links.len() + page.entries.len() >= before.facts.len() + before.links.len() + before.entries.len(), "{text:?} {edited:?}");
        }
    }

    #[test]
    fn no_edit_panics(text in text(), one in text(), two in text(), line in 0_u32..12) {
        let until = "2024".parse().expect("a year");
        let _ = append(Org, &text, &one);
        let _ = prepend(Org, &text, &one);
        let _ = replace_section(Org, &text, &one, &two);
        let _ = append_to_section(Org, &text, &one, &two);
        let _ = replace_truth(Org, &text, &one);
        let _ = add_to_truth(Org, &text, &one);
        let _ = close_fact(Org, &text, line, until);
        let _ = close_relation(Org, &text, line, until);
        let _ = remove_relation(Org, &text, line);
        let _ = remove_link_line(Org, &text, line);
        let _ = rename_heading(Org, &text, &one, &two);
        let _ = combine(Org, &text, &one);
        let _ = retarget_links(&text, "a/b.org", &mut |_| Some(two.clone()));
        let _ = add_tag(Org, &text, &one);
        let places = sections(Org, &text);
        let _ = remove_sections(Org, &text, places.iter().step_by(2));
        let dropped = Dropped::default();
        let terms = RewriteTerms { dropped: &dropped, topic: &|_| None };
        let _ = carry_over(Org, &text, &one, &terms);
        let _ = crate::convert(&text, Org, crate::Format::Markdown);
        let _ = crate::convert(&text, crate::Format::Markdown, Org);
    }
}
