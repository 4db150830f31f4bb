//! The code shared by every operation that edits one page, or a node of one.

use lore_engine::{Action, Edit, Error, PageChange, WriteOptions, node_named, refused_node, write_as};
use lore_page::edit::{Dropped, EditError};
use lore_page::{Format, Node, parse};
use lore_vault::{VaultPath, without_extension};

use crate::app::error::Result;
use crate::app::session::Session;
use crate::ops::views::WriteResult;

/// What an edit changes.
#[derive(Debug, Clone, Copy)]
pub struct EditTarget<'a> {
    /// Format of the file.
    pub format: Format,
    /// The heading that the reference names, if that is a node of its own.
    pub node: Option<&'a Node>,
}

/// The new text of a page.
pub type Edited = std::result::Result<String, EditError>;

/// Edits lines of the referenced page through the engine's write path. A reference to a node of a page is refused.
pub fn change(
    session: &Session,
    reference: &str,
    expected_version: Option<u64>,
    edit: impl Fn(Format, &str) -> Edited,
) -> Result<WriteResult> {
    let edit = |target: EditTarget<'_>, text: &str| match target.node {
        Some(_) => None,
        None => Some(edit(target.format, text)),
    };
    write_edit(session, reference, expected_version, edit, None)
}

/// Edits lines of the referenced page or node.
pub fn change_node(
    session: &Session,
    reference: &str,
    expected_version: Option<u64>,
    edit: impl Fn(EditTarget<'_>, &str) -> Edited,
) -> Result<WriteResult> {
    let edit = |target: EditTarget<'_>, text: &str| Some(edit(target, text));
    write_edit(session, reference, expected_version, edit, None)
}

/// Replaces text of the referenced page or node: structured lines that the new text does not mention are kept unless
/// dropped. The section is the one that the edit names.
pub fn rewrite(
    session: &Session,
    reference: &str,
    expected_version: Option<u64>,
    edit: impl Fn(EditTarget<'_>, &str) -> Edited,
    dropped: Dropped,
    section: Option<&str>,
) -> Result<WriteResult> {
    let dropping = Some((dropped, section.map(str::to_owned)));
    let edit = |target: EditTarget<'_>, text: &str| Some(edit(target, text));
    write_edit(session, reference, expected_version, edit, dropping)
}

/// Makes an edit; one that returns `None` cannot be made to a node.
fn write_edit(
    session: &Session,
    reference: &str,
    expected_version: Option<u64>,
    edit: impl Fn(EditTarget<'_>, &str) -> Option<Edited>,
    dropped: Option<(Dropped, Option<String>)>,
) -> Result<WriteResult> {
    let context = session.fresh()?;
    let path = context.file_to_write(reference)?;
    let page_slug = context.page_at(&path)?.map(|page| page.slug);
    let (slug, format) = (without_extension(&path), Format::of(&path));
    let names = [path.as_str(), page_slug.as_deref().unwrap_or(slug)];
    let edit: Edit<'_> = Box::new(|text| {
        let page = (format == Format::Org).then(|| parse(&path, text).page);
        let node = page.as_ref().and_then(|page| node_named(page, names, reference));
        match (edit(EditTarget { format, node }, text), node) {
            (Some(edited), _) => edited.map_err(|source| Error::Edit { slug: slug.to_owned(), source }),
            (None, Some(node)) => Err(refused_node(&path, node)),
            (None, None) => Ok(text.to_owned()),
        }
    });
    let action = if dropped.is_some() { Action::Rewrite(edit) } else { Action::Edit(edit) };
    let change = PageChange { path: VaultPath::known(path.clone()), action, expected_version };
    let (dropped, section) = dropped.unwrap_or_default();
    let options = WriteOptions { section, ..WriteOptions::dropping(&path, dropped) };
    Ok(WriteResult::new(write_as(context, &[change], &options)?))
}
