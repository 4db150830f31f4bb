//! The properties of a page in the other format.

use crate::edit;
use crate::format::Format;
use crate::page::{Page, Properties, Value};

/// Keyword of a title that was only a heading in Markdown. In Org a title is always a keyword.
pub(super) const HEADING_TITLE: &str = "#+TITLE: ";

/// Property of an Org page with those of the Markdown page whose names or values Org has no form for.
const FRONTMATTER: &str = "frontmatter";

/// Returns a body with the properties of a page in a format. Org has no form for some texts: those are written as a
/// list of one text, or kept in a property of their own.
pub(super) fn with_properties(format: Format, body: &str, page: &Page) -> String {
    let mut text = body.to_owned();
    let mut kept = Vec::new();
    let mut set = |key: &str, value: &Value| {
        let edited = edit::set_property(format, &text, key, value);
        let edited =
            edited.or_else(|_| edit::set_property(format, &text, key, &Value::List(vec![value.clone()])));
        edited.map(|edited| text = edited).is_ok()
    };
    // Each property of Org goes to the end of the drawer, and the keywords after it.
    for (key, value) in page.properties.iter() {
        match value {
            Value::Map(Properties(entries)) if format == Format::Markdown && key == FRONTMATTER => {
                for (key, value) in entries {
                    set(key, value);
                }
            }
            value if !set(key, value) => kept.push((key.to_owned(), value.clone())),
            _ => {}
        }
    }
    if !kept.is_empty() {
        set(FRONTMATTER, &Value::Map(Properties(kept)));
    }
    text
}
