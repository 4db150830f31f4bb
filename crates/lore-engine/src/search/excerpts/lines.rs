//! Reads structured lines from their files.

use std::collections::BTreeSet;

use lore_page::LineRange;
use lore_ports::PageNo;
use lore_text::ContentHash;
use lore_vault::decode;

use crate::context::VaultContext;
use crate::error::Result;
use crate::search::result::{Excerpt, Hit};
use crate::search::retrieve::FoundLine;

/// Returns a hit for each line, with its text as it is in the file; without the file, as it is in the index.
pub(in crate::search) fn read_lines(
    context: &VaultContext,
    lines: impl Iterator<Item = FoundLine>,
) -> Result<Vec<Hit>> {
    let (found, mut hits): (Vec<FoundLine>, _) = (lines.collect(), Vec::new());
    let numbers: BTreeSet<PageNo> = found.iter().map(|line| line.page).collect();
    let numbers: Vec<PageNo> = numbers.into_iter().collect();
    let rows = context.store().pages(context.project(), &numbers)?;
    for FoundLine { page, lines, text, score, why, .. } in found {
        let Some(page) = rows.iter().find(|row| row.number == page).cloned() else { continue };
        let source = context.vault().read(&page.path, u64::MAX).ok().flatten();
        let read = source.map(|file| (decode(&file.bytes).text.into_owned(), ContentHash::of(&file.bytes)));
        let (text, hash) = match read {
            Some((whole, hash)) => (line_text(&whole, lines).unwrap_or(text), hash),
            None => (text, page.hash),
        };
        let excerpt = Some(Excerpt { text, lines, hash });
        hits.push(Hit { excerpt, ..Hit::new(page, score, vec![why]) });
    }
    Ok(hits)
}

fn line_text(text: &str, lines: LineRange) -> Option<String> {
    let wanted: Vec<&str> =
        text.lines().skip(lines.first as usize - 1).take((lines.last - lines.first) as usize + 1).collect();
    (!wanted.is_empty()).then(|| wanted.join("\n"))
}
