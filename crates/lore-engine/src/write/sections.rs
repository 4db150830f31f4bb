//! What a schema says about edits of sections: which only grow, and whether an edit must name its section.

use lore_page::{Format, edit};
use lore_vault::decode;

use super::{Action, PageChange, PreparedChange, WriteOptions};
use crate::context::VaultContext;
use crate::error::{Error, Result};

/// Checks a change of a page's text against the sections of its schema.
pub(super) fn check(
    context: &VaultContext,
    change: &PageChange<'_>,
    terms: &WriteOptions,
    ready: &PreparedChange,
) -> Result<()> {
    let policy = context.policy();
    let Some(schema) = policy.schema(&ready.path).filter(|_| !terms.is_move) else { return Ok(()) };
    let (Some(old), Some(new)) = (&ready.old, &ready.new) else { return Ok(()) };
    let (old, new) = (decode(old).text, decode(new).text);
    let format = Format::of(&ready.path);
    let is_edit = matches!(change.action, Action::Edit(_) | Action::Rewrite(_));
    if is_edit
        && schema.edit_by_section
        && terms.section.is_none()
        && body(format, &old) != body(format, &new)
    {
        let names = edit::sections(format, &old).into_iter();
        let names = names.filter(|place| place.heading.level == format.section_level());
        let sections = names.map(|place| place.heading.text).collect();
        return Err(Error::SectionNeeded { path: ready.path.clone(), sections });
    }
    for section in &schema.append_only {
        let (before, after) = (texts(format, &old, section), texts(format, &new, section));
        if !after.starts_with(before.trim_end()) {
            return Err(Error::AppendOnly { path: ready.path.clone(), section: section.clone() });
        }
    }
    Ok(())
}

/// Returns the text of the sections with this name, without blank lines before it.
fn texts(format: Format, text: &str, name: &str) -> String {
    let places = edit::sections(format, text);
    let level = format.section_level();
    let named = places.iter().filter(|place| place.heading.level == level && place.heading.text == name);
    let bodies: String = named.map(|place| place.body.of(text)).collect();
    bodies.replace("\r\n", "\n").trim_start_matches('\n').to_owned()
}

fn body(format: Format, text: &str) -> &str {
    &text[format.body_start(text)..]
}
