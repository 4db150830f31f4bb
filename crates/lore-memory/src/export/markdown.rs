//! Normalized Markdown: the files of the pages, their sidecar data, and an index.

use lore_engine::{Result, VaultContext};
use lore_ports::{PageRow, Progress};
use lore_text::{on_one_line, percent_encode};
use lore_vault::{NewFolder, folder as folder_of, sidecar};

use super::{Exported, free_name, read_page};

pub(super) fn write(
    context: &VaultContext,
    rows: &[PageRow],
    folder: &NewFolder,
    exported: &mut Exported,
    progress: Progress<'_>,
) -> Result<()> {
    for (number, row) in rows.iter().enumerate() {
        progress(number, rows.len())?;
        let Some(text) = read_page(context, row, exported)? else { continue };
        folder.write(&row.path, text.as_bytes())?;
        exported.pages += 1;
        let beside = sidecar(&row.path);
        if let Some(file) = context.vault().read(&beside, u64::MAX)? {
            folder.write(&beside, &file.bytes)?;
            exported.files += 1;
        }
    }
    let name = free_name(rows, "index.md", "lore-index.md");
    folder.write(&name, index(rows).as_bytes())?;
    Ok(())
}

/// Returns a list of all pages by directory.
fn index(rows: &[PageRow]) -> String {
    let mut text = String::from("# Index\n");
    let mut last = None;
    for row in rows {
        let folder = folder_of(&row.path);
        if last != Some(folder) {
            let heading = if folder.is_empty() { "Pages" } else { folder };
            text.push_str(&format!("\n## {heading}\n\n"));
            last = Some(folder);
        }
        let title = on_one_line(&row.title.replace(['[', ']'], " "));
        text.push_str(&format!("- [{title}]({})\n", percent_encode(&row.path, " ()<>?#")));
    }
    text
}
