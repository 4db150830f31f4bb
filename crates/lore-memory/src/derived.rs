//! What a page made from others takes over from them: the marks of trust and provenance, and the privacy of their files.

use std::collections::BTreeMap;

use lore_engine::{VaultContext, property_values};
use lore_page::{Properties, Value, parse};
use lore_ports::PageRow;

/// The property that says where the text of a page comes from, and its value for text from outside.
pub(crate) const ORIGIN: &str = "origin";
pub(crate) const EXTERNAL: &str = "external";

/// Properties that name or describe one page only. All others may say how far its text is to be trusted, who may see it
/// or how long it is kept, so they hold for a part of it too.
const OF_ONE_PAGE: [&str; 26] = [
    "id",
    "title",
    "aliases",
    "alias",
    "permalink",
    "slug",
    "tags",
    "summary",
    "description",
    "type",
    "kind",
    "created",
    "updated",
    "modified",
    "date",
    "supersedes",
    "contradicts",
    "compacted_from",
    "refs",
    "roam_refs",
    "roam_aliases",
    "custom_id",
    "filetags",
    "category",
    "schema",
    "cssclasses",
];

/// Returns the properties that a part of a page has too.
pub(crate) fn of_part(properties: &Properties) -> impl Iterator<Item = (&str, &Value)> {
    properties.iter().filter(|(key, _)| !OF_ONE_PAGE.contains(&key.to_lowercase().as_str()))
}

/// Whether a value marks text from outside.
pub(crate) fn is_external(key: &str, value: &Value) -> bool {
    key.eq_ignore_ascii_case(ORIGIN) && matches!(value, Value::Text(text) if text.trim() == EXTERNAL)
}

/// Whether a page with this text says that its text comes from outside.
pub(crate) fn is_external_text(path: &str, text: &str) -> bool {
    parse(path, text).page.properties.iter().any(|(key, value)| is_external(key, value))
}

/// Whether a value keeps a page from being copied to a mirror.
pub(crate) fn opts_out(context: &VaultContext, key: &str, value: &Value) -> bool {
    let policy = context.policy();
    let mut opt_outs = policy.mirrors.values().filter_map(|mirror| mirror.opt_out.as_deref());
    let is_set = !matches!(value, Value::Text(text) if is_off(text));
    is_set && opt_outs.any(|opt_out| opt_out == key)
}

/// Whether the value of a switch means no.
pub(crate) fn is_off(value: &str) -> bool {
    ["", "false", "no", "0"].contains(&value.trim().to_lowercase().as_str())
}

/// Whether a page with this text is kept from being copied by a property.
pub(crate) fn is_kept_back(path: &str, text: &str, key: &str) -> bool {
    property_values(&parse(path, text).page, key).iter().any(|value| !is_off(value))
}

/// Returns the marks of any of the pages that hold for a page made from all of them.
pub(crate) fn of_whole<'p>(
    context: &VaultContext,
    pages: impl Iterator<Item = &'p PageRow>,
) -> Vec<(String, Value)> {
    let marks = |page: &'p PageRow| {
        let is_mark =
            |(key, value): &(&str, &Value)| is_external(key, value) || opts_out(context, key, value);
        page.properties.iter().filter(is_mark).map(|(key, value)| (key.to_owned(), value.clone()))
    };
    let found: BTreeMap<String, Value> = pages.flat_map(marks).collect::<Vec<_>>().into_iter().collect();
    found.into_iter().collect()
}

/// Returns the widest mode of files made from the files of these pages, if one of them is private.
pub(crate) fn widest_mode<'p>(
    context: &VaultContext,
    pages: impl IntoIterator<Item = &'p PageRow>,
) -> Option<u32> {
    const READ_BY_ALL: u32 = 0o044;
    let modes = pages.into_iter().filter_map(|page| context.vault().mode(&page.path));
    let widest = modes.reduce(|one, other| one & other)?;
    (widest & READ_BY_ALL != READ_BY_ALL).then_some(widest & 0o777)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opting_out_is_any_value_but_false() {
        for (value, expected) in [("true", true), ("yes", true), ("false", false), ("", false)] {
            assert_eq!(is_kept_back("a.md", &format!("---\nno: {value}\n---\n"), "no"), expected, "{value}");
            let org = format!(":PROPERTIES:\n:NO: {value}\n:END:\n");
            assert_eq!(is_kept_back("a.org", &org, "no"), expected, "{value}");
        }
    }
}
