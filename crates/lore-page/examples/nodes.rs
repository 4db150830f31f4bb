//! Prints the nodes of Org files as JSON lines, to compare with the database of org-roam:
//! `cargo run --example nodes -- DIRECTORY FILE…`, with files relative to the directory.

#![allow(clippy::disallowed_methods, clippy::print_stdout)]

use lore_page::{Link, Page};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let Some(folder) = arguments.next() else { return };
    for path in arguments {
        let Ok(bytes) = std::fs::read(format!("{folder}/{path}")) else { continue };
        let page = lore_page::parse(&path, &String::from_utf8_lossy(&bytes)).page;
        let file_tags = page.properties.list("tags");
        if let Some(id) = &page.id {
            print(
                &path,
                id,
                (0, page.shown_title()),
                [&page.aliases, &file_tags, &page.refs],
                &links(&page, None),
            );
        }
        for node in &page.nodes {
            let lists = [&node.aliases, &node.tags, &node.refs];
            print(&path, &node.id, (node.level, &node.title), lists, &links(&page, Some(&node.id)));
        }
    }
}

/// Returns the ids that a node links to: those of links in its own text.
fn links(page: &Page, node: Option<&String>) -> Vec<String> {
    let is_own = |link: &&Link| page.node_at(link.line).map(|node| &node.id) == node;
    let links = page.links.iter().filter(is_own);
    links.filter_map(|link| link.target.strip_prefix("id:")).map(str::to_owned).collect()
}

fn print(path: &str, id: &str, (level, title): (u8, &str), lists: [&Vec<String>; 3], links: &[String]) {
    let text =
        |text: &str| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\t', "\\t"));
    let list =
        |items: &[String]| format!("[{}]", items.iter().map(|item| text(item)).collect::<Vec<_>>().join(","));
    let [aliases, tags, refs] = lists;
    println!(
        "{{\"id\":{},\"file\":{},\"level\":{level},\"title\":{},\"aliases\":{},\"tags\":{},\"refs\":{},\"links\":{}}}",
        text(id),
        text(path),
        text(title),
        list(aliases),
        list(tags),
        list(refs),
        list(links)
    );
}
