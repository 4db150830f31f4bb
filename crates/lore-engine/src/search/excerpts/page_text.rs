//! The text of a whole page, as it is compared with other texts.

use std::collections::BTreeSet;

use lore_page::parse;
use lore_ports::PageRow;
use lore_text::terms;
use lore_vault::decode;

use crate::context::VaultContext;
use crate::error::Result;

/// Returns the terms of a page's title, summary and body.
pub fn page_terms(context: &VaultContext, page: &PageRow) -> Result<BTreeSet<String>> {
    let summary = page.summary.as_deref().unwrap_or_default();
    Ok(terms(&format!("{}\n{summary}\n{}", page.title, page_body(context, page)?)))
}

/// Returns the text of a page below its frontmatter.
pub fn page_body(context: &VaultContext, page: &PageRow) -> Result<String> {
    let Some(file) = context.vault().read(&page.path, u64::MAX)? else { return Ok(String::new()) };
    let text = decode(&file.bytes).text.into_owned();
    let parsed = parse(&page.path, &text).page;
    let timeline = parsed.timeline.map(|range| range.of(&text)).unwrap_or_default();
    Ok(format!("{}\n{timeline}", parsed.truth.of(&text)))
}
