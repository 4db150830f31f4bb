//! Nodes inside a page: headings of an Org file with an id of their own. Their ids and names resolve to the page; the node
//! is then found in its text.

use lore_page::{Format, Node, Page, parse};
use lore_ports::PageRow;
use lore_text::{fold, slugify};
use lore_vault::decode;

use super::reference::{as_path, names_of};
use crate::context::VaultContext;
use crate::error::{Error, Result};

/// Minimum length of the start of an id.
const ID_PREFIX: usize = 8;

/// Separates a file from a place in it, as in Org.
const PLACE: &str = "::*";

/// Returns the node of a page that a reference names: by its id, its title or an alias, or as `path.org::*Heading`. `None` if
/// the reference names the page itself. `file` are the path and the slug of the page.
pub fn node_named<'p>(page: &'p Page, file: [&str; 2], reference: &str) -> Option<&'p Node> {
    if let Some((_, heading)) = split_place(reference) {
        let heading = fold(heading);
        return page.nodes.iter().find(|node| fold(&node.title) == heading);
    }
    let [name, slug] = names_of(reference);
    let by_id = page.nodes.iter().find(|node| fold(&node.id) == name);
    let is_own_name = |own: &String| fold(own) == name || slugify(own) == name;
    let is_own = page.id.iter().chain([&page.title]).chain(&page.aliases).any(is_own_name);
    // The name of the file means all of it, even where a heading has the same name.
    let is_file = as_path(reference).is_some() || file.iter().any(|own| fold(own) == name);
    if by_id.is_some() || is_own || is_file {
        return by_id;
    }
    let is_start = |node: &&Node| name.len() >= ID_PREFIX && fold(&node.id).starts_with(&name);
    let is_named = |node: &&Node| {
        let mut names = std::iter::once(&node.title).chain(&node.aliases);
        names.any(|one| {
            fold(one) == name || slugify(one) == name || (!slug.is_empty() && slugify(one) == slug)
        })
    };
    page.nodes.iter().find(is_named).or_else(|| page.nodes.iter().find(is_start))
}

impl VaultContext {
    /// Returns the node of a page that a reference names; `None` if it names the page itself.
    pub fn node(&self, page: &PageRow, reference: &str) -> Result<Option<Node>> {
        if Format::of(&page.path) != Format::Org {
            return Ok(None);
        }
        let text = decode(&self.read(page)?.bytes).text.into_owned();
        Ok(node_named(&parse(&page.path, &text).page, [&page.path, &page.slug], reference).cloned())
    }

    /// Refuses a reference to a node of a page where the whole file would be changed.
    pub fn refuse_node(&self, page: &PageRow, reference: &str) -> Result<()> {
        self.node(page, reference)?.map_or(Ok(()), |node| Err(refused_node(&page.path, &node)))
    }
}

/// Returns the error for a node that is given where the whole file would be changed.
pub fn refused_node(path: &str, node: &Node) -> Error {
    Error::BadInput {
        message: format!("{} is a heading, not a file; nothing was changed", node_place(path, node)),
        hint: format!("name the file if all of it is meant: ./{path}"),
    }
}

/// Returns how a node is shown and linked to: `path.org::*Heading`.
pub fn node_place(path: &str, node: &Node) -> String {
    format!("{path}{PLACE}{}", node.title)
}

/// Splits a place in a file off a reference: `path.org::*Heading`.
pub(super) fn split_place(reference: &str) -> Option<(&str, &str)> {
    let (file, heading) = reference.split_once(PLACE)?;
    (!file.trim().is_empty() && !heading.trim().is_empty()).then(|| (file.trim(), heading.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(reference: &str, expected: Option<&str>) {
        let text = ":PROPERTIES:\n:ID: 0192f3a1-file\n:END:\n#+title: Plan\n* Plan\n:PROPERTIES:\n:ID: aaaa1111-x\n:END:\n\
                    ** Next steps\n:PROPERTIES:\n:ID: bbbb2222-y\n:ROAM_ALIASES: Todo\n:END:\n* Plain\n";
        let page = lore_page::parse("a/plan.org", text).page;
        let found = node_named(&page, ["a/plan.org", "a/plan"], reference);
        assert_eq!(found.map(|node| node.title.as_str()), expected, "{reference}");
    }

    #[test]
    fn nodes_are_named_by_id_title_alias_and_place() {
        check("id:bbbb2222-Y", Some("Next steps"));
        check("bbbb2222", Some("Next steps"));
        check("ai-kb: Next steps (bbbb2222)", Some("Next steps"));
        check("next steps", Some("Next steps"));
        check("next-steps", Some("Next steps"));
        check("Todo", Some("Next steps"));
        check("a/plan.org::*Next steps", Some("Next steps"));
        check("aaaa1111-x", Some("Plan"));
    }

    #[test]
    fn the_name_of_the_file_means_all_of_it() {
        let text =
            "#+title: Tension\n* Values\n:PROPERTIES:\n:ID: cccc3333-z\n:ROAM_ALIASES: tensions\n:END:\n";
        let page = lore_page::parse("tensions.org", text).page;
        for (reference, is_node) in
            [("tensions", false), ("tensions.org", false), ("./tensions.org", false), ("Values", true)]
        {
            let found = node_named(&page, ["tensions.org", "tensions"], reference);
            assert_eq!(found.is_some(), is_node, "{reference}");
        }
    }

    #[test]
    fn names_of_the_page_are_not_those_of_a_node() {
        for reference in ["Plan", "0192f3a1-file", "a/plan.org", "Plain", "a/plan.org::*Plain", "bbbb"] {
            check(reference, None);
        }
    }
}
