//! Removes a relation with all of its own lines, and nothing else.

use crate::format::Format;
use std::ops::Range;

use super::EditError;
use super::doc::Doc;
use super::lines::splice;
use crate::page::{LINKS_TO, Link, Page};

/// Removes the list item of the relation whose link is on a line, even if the item spans several lines.
///
/// An item with nested items is rejected, because they would become part of whatever is above.
pub fn remove_relation(format: Format, text: &str, line: u32) -> Result<String, EditError> {
    let doc = Doc::new(format, text);
    let is_relation =
        |link: &&Link| link.line == line && link.relation != LINKS_TO && link.span.start < link.span.end;
    let link = doc.page.links.iter().find(is_relation).ok_or(EditError::NoRelation { line })?;
    let number = line as usize;
    // The verb may be on a line above its link.
    let above = (1..=number).rev().take_while(|line| !doc.blank(*line));
    let first = above.into_iter().find(|line| doc.item(*line).is_some()).unwrap_or(number);
    let own = doc.item_text(first);
    let last = doc.lines.at(own.end.saturating_sub(1).max(own.start)).max(number);
    if doc.item_end(first) > last {
        return Err(EditError::NestedContent { line });
    }
    let removed = doc.lines.start(first)..doc.lines.end(last);
    let edited = splice(text, removed.clone(), "");
    let whole = removed.contains(&link.span.start);
    if whole
        && statements_outside(&doc.page, &removed)
            == statements_outside(&Doc::new(format, &edited).page, &(0..0))
    {
        Ok(edited)
    } else {
        Err(EditError::NestedContent { line })
    }
}

/// Lists the statements of a page outside some bytes, in order and without positions, to compare before and after.
fn statements_outside(page: &Page, excluded: &Range<usize>) -> Vec<String> {
    let links = page.links.iter().filter(|link| link.span.end == 0 || !excluded.contains(&link.span.start));
    let links = links.map(|link| format!("{} {} {:?}", link.relation, link.target, link.interval));
    let facts =
        page.facts.iter().map(|fact| format!("{:?} {} {}", fact.subject, fact.predicate, fact.object));
    let observations = page.observations.iter().map(|line| format!("{} {}", line.category, line.content));
    let entries = page.entries.iter().map(|entry| format!("{} {}", entry.date, entry.summary));
    links.chain(facts).chain(observations).chain(entries).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, line: u32, expected: Result<&str, EditError>) {
        assert_eq!(remove_relation(Format::Markdown, text, line), expected.map(str::to_owned));
    }

    #[test]
    fn relation_is_removed_with_all_its_lines() {
        check("a\n- knows [[A]]\n- likes [[B]]\n", 2, Ok("a\n- likes [[B]]\n"));
        check("- knows [[A]] (long\n  story)\n- likes [[B]]\n", 1, Ok("- likes [[B]]\n"));
        check("- likes [[B]]\r\n- knows\r\n  [[A]] {2020..}\r\n", 3, Ok("- likes [[B]]\r\n"));
        check("- likes [[B]]\n- knows [[A]] (through [[C]])", 2, Ok("- likes [[B]]\n"));
    }

    #[test]
    fn prose_is_not_removed() {
        for text in ["Prose [[A]]\n", "- [[A]]\n", "- [[A]] is here\n", "---\nknows: \"[[A]]\"\n---\nx\n"] {
            for line in 1..4 {
                check(text, line, Err(EditError::NoRelation { line }));
            }
        }
    }

    #[test]
    fn relation_with_nested_content_is_rejected() {
        check("- likes [[B]]\n- knows [[A]]\n  - for years\n", 2, Err(EditError::NestedContent { line: 2 }));
        check("- knows [[A]]\n\n  More about it.\n", 1, Err(EditError::NestedContent { line: 1 }));
    }
}
