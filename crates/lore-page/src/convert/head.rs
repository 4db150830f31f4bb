//! The properties of a page in the other format.

use crate::edit;
use crate::format::Format;
use crate::page::{Page, Value};

/// Keyword of a title that was only a heading in Markdown. In Org a title is always a keyword.
pub(super) const HEADING_TITLE: &str = "#+TITLE: ";

/// Returns a body with the properties of a page in a format. Org has no form for some texts: those are written as a
/// list of one text.
pub(super) fn with_properties(format: Format, body: &str, page: &Page) -> String {
    let mut text = body.to_owned();
    // Each property of Org goes to the end of the drawer, and the keywords after it.
    for (key, value) in page.properties.iter() {
        let set = |value: &Value| edit::set_property(format, &text, key, value).ok();
        let in_list = || set(&Value::List(vec![value.clone()]));
        if let Some(edited) = set(value).or_else(in_list) {
            text = edited;
        }
    }
    text
}
