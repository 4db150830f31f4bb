//! JSON exports of Roam Research: each page becomes an outline, and references to blocks become links to anchors.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use lore_engine::{Error, Result};
use lore_text::{MONTHS, slugify};
use lore_vault::{SourceFile, SourceTree};
use regex::Regex;
use serde::Deserialize;

use super::super::{Found, Proposed, Sink};
use super::page::PageText;

/// Maximum size of an export.
const MAX_EXPORT: u64 = 512 * 1024 * 1024;

/// Maximum depth of an outline.
const MAX_DEPTH: usize = 100;

static REFERENCE: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\(\(([\w-]{6,})\)\)").ok());

/// An embedded block or page, or a reference to a block with a text of its own.
static EMBED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let embed =
        r"\{\{(?:\[\[)?embed(?:-path|-children)?(?:\]\])?: ?(?:\(\(([\w-]{6,})\)\)|\[\[([^\[\]]+)\]\])\}\}";
    Regex::new(&format!(r"{embed}|\[([^\[\]]+)\]\(\(\(([\w-]{{6,}})\)\)\)")).ok()
});

#[derive(Debug, Deserialize)]
struct RoamPage {
    title: String,
    #[serde(default)]
    uid: Option<String>,
    #[serde(default)]
    children: Vec<Block>,
}

#[derive(Debug, Deserialize)]
struct Block {
    #[serde(default)]
    string: String,
    #[serde(default)]
    uid: String,
    #[serde(default)]
    children: Vec<Block>,
}

/// Whether a single JSON file is a list of pages with titles and children.
pub(super) fn recognizes(tree: &SourceTree) -> bool {
    let [file] = tree.files.as_slice() else { return false };
    file.path.ends_with(".json")
        && parse(tree, file).is_ok_and(|pages| pages.iter().any(|page| !page.children.is_empty()))
}

fn parse(tree: &SourceTree, file: &SourceFile) -> Result<Vec<RoamPage>> {
    let bytes = tree.read(file, MAX_EXPORT)?;
    serde_json::from_slice(&bytes).map_err(|error| Error::BadInput {
        message: format!("{} is not an export of Roam: {error}", file.path),
        hint: "export all pages from Roam as JSON".into(),
    })
}

/// Reads the pages of every JSON file.
pub(super) fn read(tree: &SourceTree, sink: &mut Sink<'_>) -> Result<()> {
    for file in &tree.files {
        if !file.path.ends_with(".json") {
            let reason = "it is not JSON; only its original is kept".to_owned();
            sink(Found::Skipped { path: file.path.clone(), reason })?;
            continue;
        }
        let pages = parse(tree, file)?;
        let mut blocks = BTreeMap::new();
        for page in &pages {
            page.children.iter().for_each(|block| note(block, &page.title, &mut blocks, 0));
        }
        let mut named = BTreeSet::new();
        pages.iter().flat_map(|page| &page.children).for_each(|block| note_references(block, &mut named, 0));
        for page in &pages {
            sink(Found::Item(convert(page, &blocks, &named)))?;
        }
    }
    Ok(())
}

fn note(block: &Block, title: &str, blocks: &mut BTreeMap<String, String>, depth: usize) {
    blocks.insert(block.uid.clone(), title.to_owned());
    if depth < MAX_DEPTH {
        block.children.iter().for_each(|child| note(child, title, blocks, depth + 1));
    }
}

fn note_references(block: &Block, named: &mut BTreeSet<String>, depth: usize) {
    for found in REFERENCE.iter().flat_map(|pattern| pattern.captures_iter(&block.string)) {
        named.insert(found[1].to_owned());
    }
    if depth < MAX_DEPTH {
        block.children.iter().for_each(|child| note_references(child, named, depth + 1));
    }
}

fn convert(page: &RoamPage, blocks: &BTreeMap<String, String>, named: &BTreeSet<String>) -> Proposed {
    let mut text = PageText::new(&page.title);
    let mut outline = String::new();
    page.children.iter().for_each(|block| write(block, 0, blocks, named, &mut outline));
    text.line(outline.trim_end());
    let day = day(&page.title);
    let slug = slugify(&page.title);
    let path = match &day {
        Some(day) => format!("daily/{day}.md"),
        None => format!("{}.md", if slug.is_empty() { "page" } else { &slug }),
    };
    if let Some(day) = &day {
        text.property("date", day);
    }
    let key = page.uid.clone().unwrap_or_else(|| page.title.clone());
    Proposed { key, path, bytes: text.finish().into_bytes(), is_named_freely: true, ..Proposed::default() }
}

fn write(
    block: &Block,
    depth: usize,
    blocks: &BTreeMap<String, String>,
    named: &BTreeSet<String>,
    to: &mut String,
) {
    let indent = "  ".repeat(depth);
    let mut text = block.string.replace("{{[[TODO]]}}", "[ ]").replace("{{[[DONE]]}}", "[x]");
    text = text.replace("{{TODO}}", "[ ]").replace("{{DONE}}", "[x]").replace("^^", "==");
    text = links(&text, blocks);
    let anchor = if named.contains(&block.uid) { format!(" ^{}", block.uid) } else { String::new() };
    let mut lines = text.trim_end().lines();
    to.push_str(&format!("{indent}- {}{anchor}\n", lines.next().unwrap_or_default()));
    for line in lines {
        to.push_str(&format!("{indent}  {line}\n"));
    }
    if depth < MAX_DEPTH {
        block.children.iter().for_each(|child| write(child, depth + 1, blocks, named, to));
    }
}

/// Returns a text with its references to blocks and its embeds as links.
fn links(text: &str, blocks: &BTreeMap<String, String>) -> String {
    let (Some(reference), Some(embed)) = (&*REFERENCE, &*EMBED) else { return text.to_owned() };
    let to = |uid: &str| blocks.get(uid).map(|page| format!("{page}#^{uid}"));
    let text = embed.replace_all(text, |found: &regex::Captures<'_>| {
        let group = |number: usize| found.get(number).map(|group| group.as_str());
        let link = match (group(1).and_then(to), group(2), group(4).and_then(to)) {
            (Some(block), _, _) => Some(format!("![[{block}]]")),
            (_, Some(page), _) => Some(format!("![[{page}]]")),
            (_, _, Some(block)) => Some(format!("[[{block}|{}]]", &found[3])),
            _ => None,
        };
        link.unwrap_or_else(|| found[0].to_owned())
    });
    let plain = |found: &regex::Captures<'_>| to(&found[1]).map(|block| format!("[[{block}]]"));
    let link = |found: &regex::Captures<'_>| plain(found).unwrap_or_else(|| found[0].to_owned());
    reference.replace_all(&text, link).into_owned()
}

/// Returns the day of a daily page: `January 5th, 2024`.
fn day(title: &str) -> Option<String> {
    let (month, rest) = title.split_once(' ')?;
    let number = MONTHS.iter().position(|name| name.eq_ignore_ascii_case(month))? + 1;
    let (day, year) = rest.split_once(", ")?;
    let day: u32 = day.trim_end_matches(|letter: char| letter.is_ascii_alphabetic()).parse().ok()?;
    let year: u32 = year.trim().parse().ok().filter(|year| (1900..3000).contains(year))?;
    (1..=31).contains(&day).then(|| format!("{year}-{number:02}-{day:02}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outlines_and_days() {
        assert_eq!(day("January 5th, 2024").as_deref(), Some("2024-01-05"));
        assert_eq!(day("Janus 5th, 2024"), None);
        let page: RoamPage = serde_json::from_str(
            r#"{"title":"Plan","children":[{"string":"{{[[TODO]]}} see ((abcdef123)) ^^now^^","uid":"x1","children":[{"string":"two\nlines","uid":"abcdef123"}]}]}"#,
        ).expect("a page");
        let blocks = BTreeMap::from([("abcdef123".to_owned(), "Plan".to_owned())]);
        let text =
            String::from_utf8(convert(&page, &blocks, &BTreeSet::from(["abcdef123".to_owned()])).bytes)
                .expect("text");
        assert!(
            text.ends_with("- [ ] see [[Plan#^abcdef123]] ==now==\n  - two ^abcdef123\n    lines\n"),
            "{text}"
        );
    }

    #[test]
    fn embeds_and_references_with_a_text() {
        let blocks = BTreeMap::from([("abcdef123".to_owned(), "Plan".to_owned())]);
        for (text, expected) in [
            ("{{[[embed]]: ((abcdef123))}}", "![[Plan#^abcdef123]]"),
            ("{{embed-path: ((abcdef123))}}", "![[Plan#^abcdef123]]"),
            ("{{[[embed]]: [[Plan]]}}", "![[Plan]]"),
            ("[now](((abcdef123)))", "[[Plan#^abcdef123|now]]"),
            ("{{query: ((abcdef123))}}", "{{query: [[Plan#^abcdef123]]}}"),
            ("[x](((nowhere99))) ((nowhere99))", "[x](((nowhere99))) ((nowhere99))"),
        ] {
            assert_eq!(links(text, &blocks), expected);
        }
    }
}
