//! What survives a rewrite of a page: its id, and the structured lines that the new text does not mention.

use lore_page::edit::{self, Dropped, RewriteTerms};
use lore_page::{Fact, Format, Value, parse};
use lore_vault::{decode, is_page_path, without_extension};

use super::{Authority, PageChange, PreparedChange, WriteOptions};
use crate::context::VaultContext;
use crate::error::{Error, Result};
use crate::predicates::ValueRules;

/// Returns new bytes of a page with the structured lines of the old ones that they do not mention, and notes what
/// happened to these lines. Hand edits never come here, and upkeep writes what the policy says.
pub(super) fn keep_lines(
    context: &VaultContext,
    ready: &mut PreparedChange,
    change: &PageChange<'_>,
    new: Vec<u8>,
    terms: &WriteOptions,
) -> Result<Vec<u8>> {
    let is_page = is_page_path(&ready.path) && context.indexes(&ready.path);
    let Some(old) = ready.old.as_deref().filter(|_| is_page && terms.authority == Authority::Author) else {
        return Ok(new);
    };
    let (nothing, everything) = (Dropped::default(), Dropped::parse(["all"]));
    let named = terms.dropped.get(change.path.as_str()).unwrap_or(&nothing);
    let values = ValueRules::new(context);
    // A line whose rule cannot be read is kept.
    let topic = |fact: &Fact| values.topic(&fact.predicate, &fact.object).ok().flatten();
    let rules = RewriteTerms { dropped: if terms.overwrite { &everything } else { named }, topic: &topic };
    let failed = |source| Error::Edit { slug: without_extension(&ready.path).to_owned(), source };
    let (old, text) = (decode(old), decode(&new));
    let rewritten =
        edit::carry_over(Format::of(&ready.path), &old.text, &text.text, &rules).map_err(failed)?;
    let is_same = rewritten.text == text.text;
    // Text in another encoding is written as it is, unless a line would have to be added to it.
    if !is_same && text.encoding.is_some() {
        return Err(Error::NotUtf8 { path: ready.path.clone() });
    }
    ready.lines = rewritten.lines;
    Ok(if is_same { new } else { rewritten.text.into_bytes() })
}

/// Returns new bytes of a page with the id of the old ones, if they have none: a page keeps its identity.
pub(super) fn keep_id(ready: &PreparedChange, new: Vec<u8>, terms: &WriteOptions) -> Vec<u8> {
    let old = ready.old.as_deref().filter(|_| is_page_path(&ready.path) && !terms.overwrite);
    let Some(id) = old.and_then(|old| parse(&ready.path, &decode(old).text).page.id) else { return new };
    let text = match std::str::from_utf8(&new) {
        Ok(text) if parse(&ready.path, text).page.id.is_none() => text,
        _ => return new,
    };
    // Frontmatter that cannot be edited is left for lint to report.
    edit::set_property(Format::of(&ready.path), text, "id", &Value::Text(id))
        .map_or_else(|_| new.clone(), String::into_bytes)
}
