//! Logseq graphs: journals, page properties and block references become what a page of Lore has for them. The outline stays as
//! it is. In Org, properties and the ids of blocks already have the form that Lore reads.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use lore_engine::Result;
use lore_page::{Format, Value, edit, parse};
use lore_text::percent_decode;
use lore_vault::{SourceFile, SourceTree, decode, is_hidden, is_page_path};
use regex::Regex;

use super::super::{Found, Proposed, Sink};
use super::files::MAX_FILE;

static BLOCK_ID: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^\s*(?:id::|:(?i:id):) ([0-9a-fA-F-]{36})\s*$").ok());
static BLOCK_REFERENCE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(\{\{embed )?\(\(([0-9a-fA-F-]{36})\)\)(\}\})?").ok());
static PAGE_EMBED: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\{\{embed (\[\[[^\]]+\]\])\}\}").ok());
static PROPERTY: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"^([A-Za-z][\w./-]*):: ?(.*)$").ok());

/// Reads the pages, journals and assets.
pub(super) fn read(tree: &SourceTree, sink: &mut Sink<'_>) -> Result<()> {
    let blocks = blocks(tree)?;
    for file in &tree.files {
        let path = &file.path;
        let is_settings = path.starts_with("logseq/") || path.contains("/logseq/");
        if path.split('/').any(is_hidden) || is_settings {
            let reason = "it has settings or backups; only its original is kept".to_owned();
            sink(Found::Skipped { path: path.clone(), reason })?;
            continue;
        }
        if file.size > MAX_FILE {
            let reason = format!("it has {} bytes, over the limit of {MAX_FILE}", file.size);
            sink(Found::Skipped { path: path.clone(), reason })?;
            continue;
        }
        let mut item = Proposed { key: path.clone(), path: journal_path(path), ..Proposed::default() };
        item.bytes = match is_page_path(path).then(|| Format::of(path)) {
            Some(Format::Markdown) => page(path, &text(tree, file)?, &blocks).into_bytes(),
            Some(Format::Org) => org_page(path, &text(tree, file)?, &blocks).into_bytes(),
            None => tree.read(file, MAX_FILE)?,
        };
        sink(Found::Item(item))?;
    }
    Ok(())
}

fn text(tree: &SourceTree, file: &SourceFile) -> Result<String> {
    let bytes = tree.read(file, MAX_FILE)?;
    Ok(decode(&bytes).text.trim_start_matches('\u{feff}').replace("\r\n", "\n"))
}

/// Returns the title of the page that each block with an id is on.
fn blocks(tree: &SourceTree) -> Result<BTreeMap<String, String>> {
    let mut blocks = BTreeMap::new();
    for file in tree.files.iter().filter(|file| is_page_path(&file.path) && file.size <= MAX_FILE) {
        let text = text(tree, file)?;
        let title = title(&file.path, &text);
        for line in text.lines() {
            if let Some(found) = BLOCK_ID.as_ref().and_then(|pattern| pattern.captures(line)) {
                blocks.insert(found[1].to_lowercase(), title.clone());
            }
        }
    }
    Ok(blocks)
}

/// Returns the title of a page: its property, else its file name with namespaces.
fn title(path: &str, text: &str) -> String {
    let own =
        text.lines().take_while(|line| line.contains(":: ")).find_map(|line| line.strip_prefix("title:: "));
    let name = journal_path(path);
    let name = lore_vault::without_extension(name.rsplit('/').next().unwrap_or(&name)).to_owned();
    own.map_or_else(
        || percent_decode(&name.replace("___", "/")).into_owned(),
        |title| title.trim().to_owned(),
    )
}

/// Returns the path of a file; a journal is named by its day.
fn journal_path(path: &str) -> String {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let is_day = name.len() > 10 && name.is_char_boundary(10) && {
        let (day, rest) = name.split_at(10);
        rest.starts_with('.')
            && day.bytes().enumerate().all(|(at, byte)| match at {
                4 | 7 => byte == b'_',
                _ => byte.is_ascii_digit(),
            })
    };
    match is_day && folder.ends_with("journals") {
        true => format!("{folder}/{}{}", name[..10].replace('_', "-"), &name[10..]),
        false => path.to_owned(),
    }
}

fn page(path: &str, text: &str, blocks: &BTreeMap<String, String>) -> String {
    let (properties, body) = properties(text);
    let mut lines: Vec<String> = Vec::new();
    for line in body.lines() {
        match BLOCK_ID.as_ref().and_then(|pattern| pattern.captures(line)) {
            // The id belongs to the block above, which gets it as an anchor.
            Some(found) => {
                let anchor = format!(" ^{}", found[1].to_lowercase());
                match lines.iter_mut().rev().find(|line| line.trim_start().starts_with(['-', '*'])) {
                    Some(block) => block.push_str(&anchor),
                    None => lines.push(line.to_owned()),
                }
            }
            None => lines.push(references(Format::Markdown, line, blocks)),
        }
    }
    let mut text = format!("{}\n", lines.join("\n").trim_end());
    let name = lore_vault::without_extension(path.rsplit('/').next().unwrap_or(path)).to_owned();
    let title =
        title(path, &properties.iter().map(|(key, value)| format!("{key}:: {value}\n")).collect::<String>());
    let has_title = properties.iter().any(|(key, _)| key == "title");
    let mut all: Vec<(String, Value)> = Vec::new();
    if !has_title && title != name && !path.contains("journals/") {
        all.push(("title".into(), Value::Text(title)));
    }
    for (key, value) in properties {
        let is_list = matches!(key.as_str(), "tags" | "alias" | "aliases");
        let plain = |value: &str| value.trim().trim_start_matches('#').replace("[[", "").replace("]]", "");
        let key = if key == "alias" { "aliases".to_owned() } else { key };
        all.push((
            key,
            match is_list {
                true => Value::List(
                    value
                        .split([',', '，'])
                        .map(plain)
                        .filter(|one| !one.is_empty())
                        .map(Value::Text)
                        .collect(),
                ),
                false => Value::Text(value.trim().to_owned()),
            },
        ));
    }
    for (key, value) in all {
        text = edit::set_property(Format::Markdown, &text, &key, &value).unwrap_or(text);
    }
    text
}

/// Returns an Org page with its references as links. A namespace in its name is part of its title.
fn org_page(path: &str, text: &str, blocks: &BTreeMap<String, String>) -> String {
    let lines: Vec<String> = text.lines().map(|line| references(Format::Org, line, blocks)).collect();
    let text = format!("{}\n", lines.join("\n").trim_end());
    let name = lore_vault::without_extension(path.rsplit('/').next().unwrap_or(path));
    let title = title(path, "");
    let has_title = parse(path, &text).page.properties.get("title").is_some();
    if has_title || title == name || path.contains("journals/") {
        return text;
    }
    edit::set_property(Format::Org, &text, "title", &Value::Text(title)).unwrap_or(text)
}

/// Splits the properties at the beginning from the rest of a page.
fn properties(text: &str) -> (Vec<(String, String)>, &str) {
    let mut found = Vec::new();
    let mut rest = text;
    // Properties are lines of their own or the first block.
    while let Some((line, after)) = rest.split_once('\n').or(Some((rest, "")).filter(|_| !rest.is_empty())) {
        let plain = line.strip_prefix("- ").unwrap_or(line).trim();
        match PROPERTY.as_ref().and_then(|pattern| pattern.captures(plain)) {
            Some(pair) if !line.starts_with("- ") || found.is_empty() => {
                found.push((pair[1].to_lowercase(), pair[2].trim().to_owned()));
                rest = after;
            }
            _ => break,
        }
    }
    (found, rest.trim_start_matches('\n'))
}

/// Returns a line with references to blocks and pages as links. Org has no form for an embed.
fn references(format: Format, line: &str, blocks: &BTreeMap<String, String>) -> String {
    let (Some(block), Some(embed)) = (&*BLOCK_REFERENCE, &*PAGE_EMBED) else { return line.to_owned() };
    let line = block.replace_all(line, |found: &regex::Captures<'_>| {
        let id = found[2].to_lowercase();
        match blocks.get(&id) {
            Some(_) if format == Format::Org => format!("[[id:{}]]", &found[2]),
            Some(page) => format!("{}[[{page}#^{id}]]", if found.get(1).is_some() { "!" } else { "" }),
            None => found[0].to_owned(),
        }
    });
    embed.replace_all(&line, if format == Format::Org { "$1" } else { "!$1" }).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn journals_properties_and_references() {
        assert_eq!(journal_path("journals/2024_01_05.md"), "journals/2024-01-05.md");
        assert_eq!(journal_path("pages/2024_01_05.md"), "pages/2024_01_05.md");
        let id = "64a1b2c3-0000-4000-8000-0123456789ab";
        let blocks = BTreeMap::from([(id.to_owned(), "Plan".to_owned())]);
        let text = format!(
            "tags:: [[a b]], c\nalias:: P\n\n- Task\n  id:: {id}\n  - see (({id})) and {{{{embed (({id}))}}}} {{{{embed [[X]]}}}}\n"
        );
        let page = page("pages/Plan.md", &text, &blocks);
        assert_eq!(
            page,
            format!(
                "---\ntags: [a b, c]\naliases: [P]\n---\n- Task ^{id}\n  - see [[Plan#^{id}]] and ![[Plan#^{id}]] ![[X]]\n"
            )
        );
        assert_eq!(title("pages/a___b%3F.md", ""), "a/b?");
    }
}
