//! The code shared by every operation that edits one page.

use lore_engine::{Action, Edit, Error, PageChange, WriteOptions, write_as};
use lore_page::Format;
use lore_page::edit::{Dropped, EditError};
use lore_vault::{VaultPath, without_extension};

use crate::app::error::Result;
use crate::app::session::Session;
use crate::ops::views::WriteResult;

/// Edits lines of the referenced page through the engine's write path.
pub fn change(
    session: &Session,
    reference: &str,
    expected_version: Option<u64>,
    edit: impl Fn(Format, &str) -> std::result::Result<String, EditError>,
) -> Result<WriteResult> {
    write_edit(session, reference, expected_version, edit, None)
}

/// Replaces text of the referenced page: structured lines that the new text does not mention are kept unless dropped.
/// The section is the one that the edit names.
pub fn rewrite(
    session: &Session,
    reference: &str,
    expected_version: Option<u64>,
    edit: impl Fn(Format, &str) -> std::result::Result<String, EditError>,
    dropped: Dropped,
    section: Option<&str>,
) -> Result<WriteResult> {
    let dropping = Some((dropped, section.map(str::to_owned)));
    write_edit(session, reference, expected_version, edit, dropping)
}

fn write_edit(
    session: &Session,
    reference: &str,
    expected_version: Option<u64>,
    edit: impl Fn(Format, &str) -> std::result::Result<String, EditError>,
    dropped: Option<(Dropped, Option<String>)>,
) -> Result<WriteResult> {
    let context = session.fresh()?;
    let path = context.file_to_write(reference)?;
    let (slug, format) = (without_extension(&path), Format::of(&path));
    let edit: Edit<'_> = Box::new(move |text| {
        edit(format, text).map_err(|source| Error::Edit { slug: slug.to_owned(), source })
    });
    let action = if dropped.is_some() { Action::Rewrite(edit) } else { Action::Edit(edit) };
    let change = PageChange { path: VaultPath::known(path.clone()), action, expected_version };
    let (dropped, section) = dropped.unwrap_or_default();
    let options = WriteOptions { section, ..WriteOptions::dropping(&path, dropped) };
    Ok(WriteResult::new(write_as(context, &[change], &options)?))
}
