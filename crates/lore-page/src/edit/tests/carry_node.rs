//! Headings with an id that a rewrite keeps.

use crate::edit::{Dropped, EditError, RewriteTerms, carry_over, replace_truth};
use crate::format::Format;

const PAGE: &str = "\
:PROPERTIES:
:ID: file-1
:END:
#+title: Plan

Why.

* TODO Next steps :work:
:PROPERTIES:
:ID: node-1
:END:
Ask Ada.
** Detail
* Later
:PROPERTIES:
:ID: node-2
:END:
* Log
";

const STEPS: &str = "* TODO Next steps :work:\n:PROPERTIES:\n:ID: node-1\n:END:\nAsk Babbage.\n** Detail\n";

fn rewrite(new: &str, dropped: &Dropped) -> Result<String, EditError> {
    let terms = RewriteTerms { dropped, topic: &|_| None };
    carry_over(Format::Org, PAGE, new, &terms).map(|done| done.text)
}

/// Checks the error of a rewrite, or that there is none.
#[track_caller]
fn check(new: &str, dropped: &[&str], expected: Option<&str>) {
    let done = rewrite(new, &Dropped::parse(dropped.iter().copied()));
    match expected {
        None => assert_eq!(done.as_deref(), Ok(new)),
        Some(part) => {
            let message = done.expect_err("a node is lost").to_string();
            assert!(message.contains(part), "{message}");
        }
    }
}

#[test]
fn text_without_a_node_is_refused_unless_the_node_is_dropped() {
    let new = PAGE.replace(":ID: node-2\n", ":CREATED: 2024\n");
    check(&new, &[], Some("lacks the heading \"Later\" with the id node-2"));
    for name in ["node-2", "id:node-2", ":ID: node-2", "Later", "* Later", "all"] {
        check(&new, &[name], None);
    }
    check(&new, &["node-1"], Some("node-2"));
    check(&new, &["Log"], Some("no line `Log` to drop"));
    check(&PAGE.replace("Ask Ada.", "Ask Babbage."), &[], None);
    let moved = format!("{}{STEPS}", PAGE.replace(&STEPS.replace("Babbage", "Ada"), ""));
    check(&moved, &[], None);
    check(&PAGE.replace("TODO Next steps :work:", "Done"), &[], None);
    check(&PAGE.replace(":ID: node-1", ":id: node-1\n:ROAM_EXCLUDE: t"), &[], None);
}

#[test]
fn text_of_a_single_node_is_refused() {
    for text in [STEPS.to_owned(), format!(":PROPERTIES:\n:ID: file-1\n:END:\n\n{STEPS}")] {
        check(&text, &[], Some("replace the section \"Next steps\" instead"));
        check(&text, &["node-2"], Some("only that of the heading"));
        check(&text, &["all"], None);
    }
    let as_page = ":PROPERTIES:\n:ID: node-1\n:END:\n#+title: Next steps\n\nAsk Babbage.\n";
    check(as_page, &["node-2"], Some("only that of the heading"));
    let done = replace_truth(Format::Org, PAGE, STEPS);
    assert!(matches!(done, Err(EditError::LoneNode { .. })), "{done:?}");
    let alone = format!("#+title: Plan\n\n{STEPS}* Log\n");
    assert_eq!(replace_truth(Format::Org, &alone, STEPS), Ok(format!("#+title: Plan\n\n{STEPS}")));
}

#[test]
fn replaced_text_names_the_node() {
    let heading = "* Later\n:PROPERTIES:\n:ID: node-2\n:END:\n";
    let new = PAGE.replace(heading, "");
    assert_eq!(rewrite(&new, &Dropped::default().with_found(heading)).as_deref(), Ok(new.as_str()));
    assert!(rewrite(&new, &Dropped::default().with_found("Why.")).is_err());
}
