//! The headings and anchors of a page, and whether a link names one of them.

use std::collections::HashSet;

use lore_page::Page;
use lore_text::fold;

/// The names that a link to a part of a page may use.
pub(super) struct HeadingNames {
    /// Headings in their normal form; `None` if the page is unknown and every name may exist.
    names: Option<HashSet<String>>,
}

impl HeadingNames {
    /// Returns the names of a page with this text.
    pub(super) fn new(page: &Page, text: &str) -> HeadingNames {
        let headings = page.headings.iter().map(|heading| heading.text.as_str());
        // Anchors may be made from the heading as written, with what looks like HTML.
        let first_lines: HashSet<u32> = page.headings.iter().map(|heading| heading.lines.first).collect();
        let lines = (1..).zip(text.lines()).filter(|(number, _)| first_lines.contains(number));
        let mut names: HashSet<String> =
            headings.chain(lines.map(|(_, line)| line)).chain(anchors(text)).map(heading_key).collect();
        names
            .extend(page.headings.iter().filter_map(|heading| Some(heading_key(&org_title(&heading.text)?))));
        HeadingNames { names: Some(names) }
    }

    /// Returns the names of a page that cannot be read.
    pub(super) fn unknown() -> HeadingNames {
        HeadingNames { names: None }
    }

    /// Whether the page has a heading. `Part#Chapter` names a heading below another; `^id` is a block, `*` everything,
    /// `first:#last` a range, and `heading,1` a position below a heading.
    pub(super) fn has(&self, heading: &str) -> bool {
        let Some(names) = &self.names else { return true };
        let parts = heading.split('#').map(|part| part.trim().trim_end_matches(':').trim());
        parts.filter(|part| !part.is_empty() && !part.starts_with(['^', '*'])).all(|part| {
            let part =
                part.rsplit_once(',').filter(|(_, line)| is_number(line)).map_or(part, |(part, _)| part);
            // Several headings with one text have the anchors `text`, `text-1`, `text-2`.
            let first = part.rsplit_once('-').filter(|(_, number)| is_number(number)).map(|(part, _)| part);
            let is_known = |name: &str| heading_key(name).is_empty() || names.contains(&heading_key(name));
            is_known(part) || first.is_some_and(is_known)
        })
    }
}

/// Returns the title of a heading as Org reads it. A page converted from Org keeps keywords and tags of its headings as
/// text, and links name the titles.
fn org_title(heading: &str) -> Option<String> {
    let is_likely =
        heading.ends_with(':') || ["TODO ", "DONE ", "[#"].iter().any(|start| heading.starts_with(start));
    let page = is_likely.then(|| lore_page::parse("heading.org", &format!("* {heading}\n")).page)?;
    page.headings.into_iter().next().map(|heading| heading.text)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns the letters and digits of a heading, by which links to it are compared. Tools differ in what they make of spaces
/// and punctuation.
pub fn heading_key(heading: &str) -> String {
    fold(heading).chars().filter(|letter| letter.is_alphanumeric()).collect()
}

/// Returns the anchors written as HTML or as attributes: `<a id="x">`, `<a name='x'>`, `{#x}`.
fn anchors(text: &str) -> impl Iterator<Item = &str> {
    ["id=\"", "id='", "name=\"", "name='", "{#"].into_iter().flat_map(move |mark| {
        text.match_indices(mark).filter_map(move |(at, _)| {
            let rest = &text[at + mark.len()..];
            rest.find(['"', '\'', '}', '\n']).map(|end| &rest[..end])
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_are_found_in_the_forms_of_several_tools() {
        let text = "# Getting started: a *guide*\n\n## What's new?\n\n## Same\n\n## Same\n\n## 安装 指南\n\n<a id=\"old-name\"></a>\n\n## Named {#own-id}\n\n### plant(opts: Opts<T>)\n";
        let names = HeadingNames::new(&lore_page::parse("a.md", text).page, text);
        for heading in [
            "Getting started: a guide",
            "getting-started-a-guide",
            "Getting started a guide#What's new?",
            "whats-new",
            "same-1",
            "安装-指南",
            "old-name",
            "own-id",
            "plantopts-optst,1",
            "^block",
            "*",
            "same,1:#*",
            "what's new?:#same",
            "",
        ] {
            assert!(names.has(heading), "{heading}");
        }
        let text = "# TODO Plan the move :work:urgent:\n## Costs: a list:\n";
        let names = HeadingNames::new(&lore_page::parse("a.md", text).page, text);
        for heading in ["Plan the move", "todo-plan-the-move-workurgent", "Costs: a list:"] {
            assert!(names.has(heading), "{heading}");
        }
        assert!(!names.has("Plan"));
    }

    #[test]
    fn other_names_are_missing() {
        let text = "# Getting started\n## What's new?\n## Same\n";
        let names = HeadingNames::new(&lore_page::parse("a.md", text).page, text);
        for heading in ["Getting", "Same#Missing", "new-9x"] {
            assert!(!names.has(heading), "{heading}");
        }
        assert!(HeadingNames::unknown().has("anything"));
    }
}
