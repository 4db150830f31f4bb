//! Headings with an `:ID:`, which are nodes of their own.

use std::collections::HashSet;

use crate::body::unique;
use crate::page::{Diagnostic, Node, Page, Properties};

use super::scan::Scan;
use super::value;

/// Returns the nodes inside a page, in order. A heading with `:ROAM_EXCLUDE:` is none.
pub(super) fn nodes(scan: &Scan<'_>, page: &Page) -> Vec<Node> {
    let mut found = Vec::new();
    // The headings around the current one, each with its level and tags.
    let mut around: Vec<(usize, &[&str])> = Vec::new();
    let file_tags = page.properties.list("tags");
    for (heading, line) in page.headings.iter().zip(&scan.headlines) {
        while around.pop_if(|(level, _)| *level >= line.level).is_some() {}
        if let Some(drawer) = scan.drawers.get(&line.start) {
            let mut properties = Properties::default();
            drawer.properties.iter().for_each(|property| value::add(&mut properties, property));
            let id = properties.text("id").map(str::to_owned);
            if let Some(id) = id.filter(|_| properties.get("roam_exclude").is_none()) {
                let inherited = around.iter().flat_map(|(_, tags)| tags.iter().copied());
                let tags =
                    file_tags.iter().map(String::as_str).chain(inherited).chain(line.tags.iter().copied());
                found.push(Node {
                    id,
                    title: heading.text.clone(),
                    aliases: properties.list("aliases"),
                    refs: value::references(&properties),
                    tags: unique(tags),
                    todo: line.todo.map(str::to_owned),
                    level: heading.level,
                    lines: heading.lines,
                    properties,
                });
            }
        }
        around.push((line.level, &line.tags));
    }
    found
}

/// Returns a warning for each node whose id the file or an earlier node has too.
pub(super) fn repeated_ids(page: &Page) -> Vec<Diagnostic> {
    let mut seen: HashSet<&str> = page.id.iter().map(String::as_str).collect();
    let repeated = page.nodes.iter().filter(|node| !seen.insert(&node.id));
    let warning = |node: &Node| Diagnostic {
        line: node.lines.first,
        message: format!("the id {} is used twice in this file", node.id),
    };
    repeated.map(warning).collect()
}
