//! Notion exports in Markdown and CSV: ids leave the names, links follow, and a database becomes a page with a table of its rows.

use std::collections::{BTreeMap, BTreeSet};

use lore_engine::Result;
use lore_page::{Format, Value, edit, path_from_root};
use lore_text::{fold, on_one_line, percent_decode, percent_encode};
use lore_vault::{SourceTree, decode, folder, is_page_path, relative};

use super::super::{Found, Proposed, Sink};
use super::files::MAX_FILE;

/// Reads the pages, databases and files.
pub(super) fn read(tree: &SourceTree, sink: &mut Sink<'_>) -> Result<()> {
    let names = names(tree);
    let databases: BTreeSet<String> = tree
        .files
        .iter()
        .filter_map(|file| file.path.strip_suffix(".csv"))
        .map(|stem| stem.trim_end_matches("_all").to_owned())
        .collect();
    for file in &tree.files {
        let path = &file.path;
        let is_old_view = path.strip_suffix(".csv").is_some_and(|stem| tree.has(&format!("{stem}_all.csv")));
        let reason = match () {
            () if is_old_view => Some("the table with all rows is imported instead".to_owned()),
            () if path.ends_with(".html") => {
                Some("export from Notion as Markdown and CSV; HTML is not read".to_owned())
            }
            () if file.size > MAX_FILE => {
                Some(format!("it has {} bytes, over the limit of {MAX_FILE}", file.size))
            }
            () => None,
        };
        if let Some(reason) = reason {
            sink(Found::Skipped { path: path.clone(), reason })?;
            continue;
        }
        let bytes = tree.read(file, MAX_FILE)?;
        let new = names.get(path).cloned().unwrap_or_else(|| path.clone());
        let text = || decode(&bytes).text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
        let bytes = if path.ends_with(".csv") {
            database(&new, &rows(&text()), path, &names).into_bytes()
        } else if is_page_path(path) {
            let is_row = databases.contains(folder(path));
            page(path, &text(), &names, is_row).into_bytes()
        } else {
            bytes
        };
        sink(Found::Item(Proposed { key: path.clone(), path: new, bytes, ..Proposed::default() }))?;
    }
    Ok(())
}

/// Whether a path has a name with an id.
pub(super) fn has_id(path: &str) -> bool {
    path.split('/').any(|name| without_id(name) != name)
}

/// Returns the new path of every file: without ids, each only once.
fn names(tree: &SourceTree) -> BTreeMap<String, String> {
    let mut names = BTreeMap::new();
    let mut taken = BTreeSet::new();
    let has_all = |path: &str| {
        path.strip_suffix(".csv").map(|stem| format!("{stem}_all.csv")).filter(|all| tree.has(all))
    };
    for file in tree.files.iter().filter(|file| has_all(&file.path).is_none()) {
        let mut parts: Vec<String> = file.path.split('/').map(without_id).collect();
        // The directory that wraps an export has only an id.
        if parts.len() > 1 && parts[0].starts_with("Export-") {
            parts.remove(0);
        }
        let plain = parts.join("/");
        let plain = plain
            .strip_suffix(".csv")
            .map_or(plain.clone(), |stem| format!("{}.md", stem.trim_end_matches("_all")));
        let (stem, ending) = plain.rsplit_once('.').unwrap_or((&plain, ""));
        let numbered = (2..).map(|number| format!("{stem} {number}.{ending}"));
        let mut free =
            std::iter::once(plain.clone()).chain(numbered).filter(|name| !taken.contains(&fold(name)));
        let name = free.next().unwrap_or_default();
        taken.insert(fold(&name));
        names.insert(file.path.clone(), name);
    }
    // A link to one view of a table leads to the page with all of its rows.
    for file in &tree.files {
        if let Some(name) = has_all(&file.path).and_then(|all| names.get(&all).cloned()) {
            names.insert(file.path.clone(), name);
        }
    }
    names
}

/// Returns a name without the id of 32 hexadecimal digits at its end.
fn without_id(name: &str) -> String {
    let (stem, ending) = match name.rsplit_once('.') {
        Some((stem, ending)) if ending.len() <= 5 => (stem, format!(".{ending}")),
        _ => (name, String::new()),
    };
    let (stem, all) = stem.strip_suffix("_all").map_or((stem, ""), |stem| (stem, "_all"));
    match stem.rsplit_once(' ') {
        Some((title, id))
            if id.len() == 32
                && id.bytes().all(|byte| byte.is_ascii_hexdigit())
                && !title.trim().is_empty() =>
        {
            format!("{}{all}{ending}", title.trim())
        }
        _ => name.to_owned(),
    }
}

/// Returns a page with its links to other files of the export rewritten, and the properties of a row as such.
fn page(path: &str, text: &str, names: &BTreeMap<String, String>, is_row: bool) -> String {
    let text = links(path, text, names);
    if !is_row {
        return text;
    }
    let mut lines = text.lines().peekable();
    let mut head: Vec<&str> = Vec::new();
    while let Some(line) = lines.next_if(|line| line.trim().is_empty() || line.starts_with("# ")) {
        head.push(line);
    }
    let mut properties = Vec::new();
    while let Some((key, value)) = lines.peek().and_then(|line| line.split_once(": ")) {
        let is_key = !key.is_empty() && key.len() <= 60 && !key.contains(['[', '*', '#', '`', '|']);
        if !is_key {
            break;
        }
        properties.push((key.trim().to_owned(), value.trim().to_owned()));
        lines.next();
    }
    let rest: Vec<&str> = lines.collect();
    let mut text = format!("{}\n{}\n", head.join("\n"), rest.join("\n").trim_end());
    for (key, value) in properties {
        let key = if key.eq_ignore_ascii_case("tags") { "tags".to_owned() } else { key };
        let value = match key == "tags" {
            true => Value::List(value.split(',').map(|tag| Value::Text(tag.trim().to_owned())).collect()),
            false => Value::Text(value),
        };
        text = edit::set_property(Format::Markdown, &text, &key, &value).unwrap_or(text);
    }
    text
}

/// Rewrites the destinations of links.
fn links(path: &str, text: &str, names: &BTreeMap<String, String>) -> String {
    let here = names.get(path).map_or(path, String::as_str);
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("](") {
        let (before, after) = rest.split_at(at + 2);
        result.push_str(before);
        let Some(end) = end_of_target(after) else {
            rest = after;
            break;
        };
        let target = &after[..end];
        let (name, heading) = target
            .split_once('#')
            .map_or((target, String::new()), |(name, heading)| (name, format!("#{heading}")));
        match path_from_root(path, &percent_decode(name)).and_then(|old| names.get(&old)) {
            Some(new) => {
                result.push_str(&format!("{}{heading}", percent_encode(&relative(here, new), " ()<>")))
            }
            None => result.push_str(target),
        }
        rest = &after[end..];
    }
    result.push_str(rest);
    result
}

/// Returns where the destination of a link ends: parentheses in a name are written as they are.
fn end_of_target(text: &str) -> Option<usize> {
    let mut open = 0usize;
    for (at, letter) in text.char_indices() {
        match letter {
            '\n' => break,
            '(' => open += 1,
            ')' if open == 0 => return Some(at),
            ')' => open -= 1,
            _ => {}
        }
    }
    text.find(')')
}

/// Returns a page with a table of the rows; a row with a page of its own links to it.
fn database(new: &str, rows: &[Vec<String>], path: &str, names: &BTreeMap<String, String>) -> String {
    let stem = path.strip_suffix(".csv").unwrap_or(path);
    let inside = format!("{}/", stem.trim_end_matches("_all"));
    let pages: BTreeMap<String, &String> = names
        .iter()
        .filter(|(old, new)| old.starts_with(&inside) && is_page_path(new))
        .map(|(_, new)| (fold(lore_vault::without_extension(new.rsplit('/').next().unwrap_or(new))), new))
        .collect();
    let title = lore_vault::without_extension(new.rsplit('/').next().unwrap_or(new));
    let mut text = format!("---\ntype: database\n---\n# {title}\n\n");
    for (number, row) in rows.iter().enumerate() {
        let cell = |(at, value): (usize, &String)| {
            let plain = on_one_line(value).replace('|', "\\|");
            match pages.get(&fold(value.trim())).filter(|_| at == 0 && number > 0) {
                Some(page) => format!("[{plain}]({})", percent_encode(&relative(new, page), " ()<>")),
                None => plain,
            }
        };
        let cells: Vec<String> = row.iter().enumerate().map(cell).collect();
        text.push_str(&format!("| {} |\n", cells.join(" | ")));
        if number == 0 {
            text.push_str(&format!("|{}\n", " --- |".repeat(row.len())));
        }
    }
    text
}

/// Parses CSV with quoted fields.
fn rows(text: &str) -> Vec<Vec<String>> {
    let (mut rows, mut row, mut field, mut is_quoted) = (Vec::new(), Vec::new(), String::new(), false);
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if is_quoted && letters.peek() == Some(&'"') => {
                field.push('"');
                letters.next();
            }
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => row.push(std::mem::take(&mut field)),
            '\n' if !is_quoted => {
                row.push(std::mem::take(&mut field));
                rows.push(std::mem::take(&mut row));
            }
            letter => field.push(letter),
        }
    }
    if !field.is_empty() || !row.is_empty() {
        row.push(field);
        rows.push(row);
    }
    let width = rows.first().map_or(0, Vec::len);
    rows.retain(|row| row.iter().any(|field| !field.trim().is_empty()));
    rows.iter_mut().for_each(|row| row.resize(width, String::new()));
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_leave_the_names() {
        let id = "0123456789abcdef0123456789abcdef";
        assert_eq!(without_id(&format!("My page {id}.md")), "My page.md");
        assert_eq!(without_id(&format!("Tasks {id}_all.csv")), "Tasks_all.csv");
        assert_eq!(without_id("Plain.md"), "Plain.md");
    }

    #[test]
    fn links_follow_and_rows_get_properties() {
        let names = BTreeMap::from([
            ("A 1/B 2.md".to_owned(), "A/B.md".to_owned()),
            ("A 1.md".to_owned(), "A.md".to_owned()),
        ]);
        assert_eq!(
            links("A 1.md", "[b](A%201/B%202.md#x) [w](https://e.example/a)", &names),
            "[b](A/B.md#x) [w](https://e.example/a)"
        );
        assert_eq!(links("A 1/B 2.md", "[a](../A%201.md)", &names), "[a](../A.md)");
        let names = BTreeMap::from([("C (d) 3.md".to_owned(), "C (d).md".to_owned())]);
        assert_eq!(links("A 1.md", "([c](C%20(d)%203.md))", &names), "([c](C%20%28d%29.md))");
        let row =
            page("A 1/B 2.md", "# B\n\nStatus: Done\nTags: x, z\n\nText: not a property?\n", &names, true);
        assert!(
            row.contains("Status: Done") && row.contains("tags: [x, z]") && row.starts_with("---\n"),
            "{row}"
        );
    }

    #[test]
    fn tables_are_parsed() {
        let table = rows("Name,Note\nOne,\"a, \"\"b\"\"\nc\"\nTwo\n");
        assert_eq!(table, [["Name", "Note"], ["One", "a, \"b\"\nc"], ["Two", ""]]);
    }
}
