//! The code shared by every operation that edits one page.

use lore_engine::{Action, Error, PageChange, write};
use lore_page::edit::EditError;
use lore_vault::{VaultPath, without_extension};

use crate::app::error::Result;
use crate::app::session::Session;
use crate::ops::views::WriteResult;

/// Edits the text of the referenced page through the engine's write path.
pub fn change(
    session: &Session,
    reference: &str,
    expected_version: Option<u64>,
    edit: impl Fn(&str) -> std::result::Result<String, EditError>,
) -> Result<WriteResult> {
    let context = session.fresh()?;
    let path = context.file(reference)?;
    let slug = without_extension(&path);
    let edit = move |text: &str| edit(text).map_err(|source| Error::Edit { slug: slug.to_owned(), source });
    let action = Action::Edit(Box::new(edit));
    let written =
        write(context, &[PageChange { path: VaultPath::known(path.clone()), action, expected_version }])?;
    Ok(WriteResult::new(written))
}
