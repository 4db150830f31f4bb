//! Normalized pages: their files, in their own format or converted, their sidecar data, and an index.

use std::collections::{BTreeMap, BTreeSet};

use lore_engine::{Result, VaultContext};
use lore_page::{Format, LinkStyle, convert, edit};
use lore_ports::{PageRow, Progress};
use lore_text::{fold, on_one_line, percent_encode};
use lore_vault::{NewFolder, folder as folder_of, relative, sidecar, without_extension};

use super::{Exported, read_page};
use crate::derived::widest_mode;

/// Last line of an index, in Markdown and in Org.
const INDEX_MARKS: [&str; 2] = ["<!-- index of an export by lore -->", "# index of an export by lore"];

pub(super) fn write(
    context: &VaultContext,
    rows: &[PageRow],
    format: Option<Format>,
    folder: &NewFolder,
    exported: &mut Exported,
    progress: Progress<'_>,
) -> Result<()> {
    let names = new_names(rows, format);
    for (number, row) in rows.iter().enumerate() {
        progress(number, rows.len())?;
        let Some(text) = read_page(context, row, exported)? else { continue };
        let path = names.get(row.path.as_str()).map_or(row.path.as_str(), String::as_str);
        let mode = context.vault().mode(&row.path);
        folder.write_within(path, converted(&row.path, path, text, &names).as_bytes(), mode)?;
        exported.pages += 1;
        let data = sidecar(path);
        if folder.has(&data) {
            // A page in the other format has the same data beside it.
            continue;
        }
        if let Some(file) = context.vault().read(&sidecar(&row.path), u64::MAX)? {
            folder.write_within(&data, &file.bytes, context.vault().mode(&sidecar(&row.path)))?;
            exported.files += 1;
        }
    }
    let (index, extension) = match format {
        Some(Format::Org) => (convert(&index(rows, &names), Format::Markdown, Format::Org), "org"),
        _ => (index(rows, &names), "md"),
    };
    let mark = INDEX_MARKS[usize::from(extension == "org")];
    let text = format!("{index}\n{mark}\n");
    folder.write_within(&index_name(rows, &names, extension), text.as_bytes(), widest_mode(context, rows))?;
    Ok(())
}

/// Returns a name that no page has, not even on a file system that ignores case.
fn index_name(rows: &[PageRow], names: &BTreeMap<&str, String>, extension: &str) -> String {
    let new = |row: &PageRow| fold(names.get(row.path.as_str()).unwrap_or(&row.path));
    let taken: BTreeSet<String> = rows.iter().map(new).collect();
    let others = (2..).map(|number| format!("lore-index-{number}.{extension}"));
    let mut free =
        [format!("index.{extension}"), format!("lore-index.{extension}")].into_iter().chain(others);
    free.find(|name| !taken.contains(name)).unwrap_or_default()
}

/// Whether a text is the index of an export, which is no page.
pub(crate) fn is_index(text: &str) -> bool {
    INDEX_MARKS.iter().any(|mark| text.trim_end().lines().next_back() == Some(mark))
}

/// Returns the new path of each page that is converted. A page stays as it is if another one has its new path.
fn new_names(rows: &[PageRow], format: Option<Format>) -> BTreeMap<&str, String> {
    let Some(format) = format else { return BTreeMap::new() };
    let extension = format.extension();
    let mut taken: BTreeSet<String> = rows.iter().map(|row| fold(&row.path)).collect();
    let mut names = BTreeMap::new();
    for row in rows.iter().filter(|row| Format::of(&row.path) != format) {
        let name = format!("{}.{extension}", without_extension(&row.path));
        if taken.insert(fold(&name)) {
            names.insert(row.path.as_str(), name);
        }
    }
    names
}

/// Returns the text of a page with its links to the new paths, in the format of its own.
fn converted(from: &str, to: &str, text: String, names: &BTreeMap<&str, String>) -> String {
    let mut follow = |link: &lore_page::Link| {
        let new = names.get(link.target.as_str())?;
        Some(match link.style {
            LinkStyle::Markdown => relative(from, new),
            LinkStyle::Wiki => new.clone(),
        })
    };
    // A link that cannot be rewritten stays as it is written.
    let text = edit::retarget_links(&text, from, &mut follow).unwrap_or(text);
    convert(&text, Format::of(from), Format::of(to))
}

/// Returns a list of all pages by directory.
fn index(rows: &[PageRow], names: &BTreeMap<&str, String>) -> String {
    let mut text = String::from("# Index\n");
    let mut last = None;
    for row in rows {
        let folder = folder_of(&row.path);
        if last != Some(folder) {
            let heading = if folder.is_empty() { "Pages" } else { folder };
            text.push_str(&format!("\n## {heading}\n\n"));
            last = Some(folder);
        }
        let path = names.get(row.path.as_str()).unwrap_or(&row.path);
        let title = on_one_line(&row.title.replace(['[', ']'], " "));
        text.push_str(&format!("- [{title}]({})\n", percent_encode(path, " ()<>?#")));
    }
    text
}
