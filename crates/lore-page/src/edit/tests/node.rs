//! Edits of a heading with an id.

use super::check;
use crate::edit::*;
use crate::format::Format;
use crate::page::Value;
use expect_test::expect;

const PAGE: &str = "\
:PROPERTIES:
:ID: file-1
:END:
#+title: Plan
#+filetags: :work:

* Next steps :q3:
SCHEDULED: <2024-03-01>
  :PROPERTIES:
  :ID: node-1
  :END:
Ask Ada.
** Detail
More.
* Empty
:PROPERTIES:
:ID: node-2
:END:
* Log
";

const STEPS: u32 = 7;
const EMPTY: u32 = 15;

#[test]
fn text_is_added_to_the_node_itself() {
    check(
        PAGE,
        |text| append_to_node(text, STEPS, "Ask Byron."),
        expect![[r#"
             Ask Ada.
            +
            +Ask Byron.
             ** Detail
        "#]],
    );
    let added = append_to_node(PAGE, STEPS, "Ask Byron.").expect("an edit");
    assert!(added.contains("Ask Ada.\n\nAsk Byron.\n** Detail\n"), "{added}");
    let added = append_to_node(PAGE, STEPS, "** Later").expect("an edit");
    assert!(added.contains("More.\n\n** Later\n* Empty\n"), "{added}");
    let added = append_to_node(PAGE, EMPTY, "- one").expect("an edit");
    assert!(added.contains(":ID: node-2\n:END:\n\n- one\n\n* Log\n"), "{added}");
    let added = prepend_to_node(PAGE, STEPS, "First.").expect("an edit");
    assert!(added.contains("  :END:\n\nFirst.\n\nAsk Ada.\n"), "{added}");
    assert_eq!(append_to_node(PAGE, 18, "x"), Err(EditError::NoNode { line: 18 }));
    let hidden = append_to_node(PAGE, STEPS, "#+begin_src\n");
    assert!(hidden.is_ok(), "a block does not hide headings in Org: {hidden:?}");
}

#[test]
fn properties_are_those_of_the_drawer() {
    let set = |key: &'static str, value: &'static str| {
        move |text: &str| {
            edit_node_property(text, STEPS, key, |drawer| {
                set_property(Format::Org, drawer, key, &Value::Text(value.to_owned()))
            })
        }
    };
    check(
        PAGE,
        set("status", "current"),
        expect![[r#"
               :ID: node-1
            +  :STATUS: current
               :END:
        "#]],
    );
    for key in ["ID", "title", "tags"] {
        assert_eq!(set(key, "x")(PAGE), Err(EditError::Property { key: key.to_owned() }));
    }
    let status = set("status", "current")(PAGE).expect("an edit");
    let removed =
        edit_node_property(&status, STEPS, "status", |drawer| remove_property(Format::Org, drawer, "status"));
    assert_eq!(removed.as_deref(), Ok(PAGE));
}

#[test]
fn tags_are_on_the_line_of_the_heading() {
    check(
        PAGE,
        |text| add_node_tag(text, STEPS, "todo"),
        expect![[r#"

            -* Next steps :q3:
            +* Next steps :q3:todo:
             SCHEDULED: <2024-03-01>
        "#]],
    );
    check(
        PAGE,
        |text| add_node_tag(text, EMPTY, "todo"),
        expect![[r#"
             More.
            -* Empty
            +* Empty :todo:
             :PROPERTIES:
        "#]],
    );
    check(
        PAGE,
        |text| remove_node_tag(text, STEPS, "#Q3"),
        expect![[r#"

            -* Next steps :q3:
            +* Next steps
             SCHEDULED: <2024-03-01>
        "#]],
    );
    assert_eq!(add_node_tag(PAGE, EMPTY, "work").as_deref(), Ok(PAGE));
    assert_eq!(remove_node_tag(PAGE, STEPS, "other").as_deref(), Ok(PAGE));
    assert_eq!(remove_node_tag(PAGE, STEPS, "work"), Err(EditError::InheritedTag { tag: "work".into() }));
    assert!(matches!(add_node_tag(PAGE, STEPS, "two words"), Err(EditError::Unreadable { .. })));
}

#[test]
fn edits_of_a_node_see_only_its_section() {
    let replace = |from: &'static str| {
        move |text: &str| edit_node(text, STEPS, |node| replace_text(node, from, "Babbage", None))
    };
    check(
        PAGE,
        replace("Ada"),
        expect![[r#"
               :END:
            -Ask Ada.
            +Ask Babbage.
             ** Detail
        "#]],
    );
    assert_eq!(replace("Log")(PAGE), Err(EditError::Count { found: 0, expected: 1 }));
    assert!(replace("node-1")(PAGE).is_err(), "the node keeps its id");
}
