//! Each test shows an edit as a person would check it: the text before, and the lines that change.

mod carry;
mod carry_node;
mod entry;
mod escaped;
mod fact;
mod heading;
mod items;
mod link;
mod markdown;
mod node;
mod org;
mod outline;
mod property;
mod property_list;
mod property_removal;
mod random;
mod relation;
mod section;
mod tag;
mod text;
mod truth;

use expect_test::Expect;

use super::*;

use markdown::{
    add_entry, add_fact, add_relation, add_tag, add_to_truth, append, carry_over, close_fact, close_relation,
    demote_headings, insert_after_section, insert_before_section, prepend, remove_link_line, remove_property,
    remove_sections, remove_tag, rename_heading, replace_section, replace_truth, section_items, sections,
    set_property,
};

/// Checks the lines that an edit removes and adds, or its error. The same text with CRLF line endings or after a byte
/// order mark must give the same result.
#[track_caller]
fn check(before: &str, edit: impl Fn(&str) -> Result<String, EditError>, expected: Expect) {
    let after = edit(before);
    expected.assert_eq(&match &after {
        Ok(after) => difference(before, after),
        Err(error) => format!("{error}\n"),
    });
    let windows = |text: &str| text.replace('\n', "\r\n");
    if before.contains('\n') {
        assert_eq!(edit(&windows(before)), after.clone().map(|after| windows(&after)), "with CRLF");
    }
    let marked = |text: &str| format!("\u{feff}{text}");
    assert_eq!(edit(&marked(before)), after.map(|after| marked(&after)), "after a byte order mark");
}

/// Renders the changed lines, with one unchanged line before and after.
fn difference(before: &str, after: &str) -> String {
    if before == after {
        return "unchanged\n".to_owned();
    }
    let (old, new): (Vec<_>, Vec<_>) = (before.split('\n').collect(), after.split('\n').collect());
    let start = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let rest = old.len().min(new.len()) - start;
    let end = old.iter().rev().zip(new.iter().rev()).take(rest).take_while(|(old, new)| old == new).count();
    let mut out = String::new();
    let shown =
        |sign: &str, lines: &[&str]| lines.iter().map(|line| format!("{sign}{line}\n")).collect::<String>();
    out += &shown(" ", &old[start.saturating_sub(1)..start]);
    out += &shown("-", &old[start..old.len() - end]);
    out += &shown("+", &new[start..new.len() - end]);
    out += &shown(" ", &old[old.len() - end..(old.len() - end + 1).min(old.len())]);
    // Editors would strip trailing space from an expectation.
    out.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

fn texts(items: &[&str]) -> crate::page::Value {
    crate::page::Value::List(items.iter().copied().map(scalar).collect())
}

fn scalar(text: &str) -> crate::page::Value {
    crate::page::Value::Text(text.to_owned())
}
