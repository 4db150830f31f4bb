//! A note as the clients of note-taking tools see it.

use lore_engine::VaultContext;
use lore_page::parse;
use lore_ports::PageRow;
use lore_vault::decode;

use crate::app::error::Result;

/// Returns the permalink of a note: the one in its frontmatter, else its slug.
pub fn permalink(page: &PageRow) -> String {
    let own = page.properties.text("permalink").map(str::trim).filter(|own| !own.is_empty());
    own.unwrap_or(&page.slug).to_owned()
}

/// Returns the text of a note without its frontmatter and the blank lines around it.
pub fn body(context: &VaultContext, page: &PageRow) -> Result<String> {
    let text = decode(&context.read(page)?.bytes).text.into_owned();
    let skipped = parse(&page.path, &text).page.frontmatter.map_or(0, |lines| lines.last as usize);
    let body: String = text.split_inclusive('\n').skip(skipped).collect();
    Ok(body.trim().to_owned())
}
