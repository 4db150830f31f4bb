//! Marks contradictions on pages: their status, and a relation between them.

use std::collections::BTreeSet;

use lore_page::edit::{EditError, NewRelation, add_relation, set_property};
use lore_page::{Value, parse};

use super::{CONTESTED, CONTRADICTS, Prepare};
use crate::error::{Error, Result};
use crate::memory::Memory;
use crate::progress::unwatched;
use crate::reconcile::{Look, reconcile};
use crate::vault::without_extension;
use crate::write::{Action, Outcome, PageChange, Ready};

/// Marks the written page and adds relations to the pages it contradicts.
pub(super) fn mark_new(
    memory: &Memory,
    ready: &mut [Ready],
    path: &str,
    others: &BTreeSet<String>,
    warnings: &mut Vec<String>,
) -> Result<()> {
    let Some(one) = ready.iter_mut().find(|one| one.to.as_deref().unwrap_or(&one.path) == path) else {
        return Ok(());
    };
    let Some(mut text) = one.new.as_ref().and_then(|new| String::from_utf8(new.clone()).ok()) else {
        return Ok(());
    };
    match set_contested(&text) {
        Ok(marked) => text = marked,
        Err(error) => warnings.push(not_marked(path, &error)),
    }
    for other in others {
        let row = memory.page_at(other)?;
        let named = |target: &str| memory.find(target).ok().flatten().is_some_and(|row| row.path == *other);
        let says_so = parse(path, &text)
            .page
            .links
            .iter()
            .any(|link| link.relation.eq_ignore_ascii_case(CONTRADICTS) && named(&link.target));
        if says_so {
            continue;
        }
        let title = row.as_ref().map(|row| row.title.clone()).filter(|title| named(title));
        let slug = row.map_or_else(|| without_extension(other).to_owned(), |row| row.slug);
        let relation =
            |target: String| NewRelation { relation: CONTRADICTS.into(), target, ..NewRelation::default() };
        let added =
            title.map(|title| add_relation(&text, &relation(title))).and_then(std::result::Result::ok);
        match added.map_or_else(|| add_relation(&text, &relation(slug)), Ok) {
            Ok(related) => text = related,
            Err(error) => warnings.push(not_marked(path, &error)),
        }
    }
    one.new = Some(text.into_bytes());
    Ok(())
}

/// Marks the existing pages, as additional files of the same write.
pub(super) fn mark_others(
    memory: &Memory,
    ready: &mut Vec<Ready>,
    others: &BTreeSet<String>,
    prepare: Prepare<'_>,
    warnings: &mut Vec<String>,
) -> Result<()> {
    for path in others {
        // A page in the same write is marked in its new content.
        if let Some(one) = ready.iter_mut().find(|one| one.to.as_deref().unwrap_or(&one.path) == path) {
            let marked = one.new.as_ref().and_then(|new| std::str::from_utf8(new).ok()).map(set_contested);
            match marked {
                Some(Ok(text)) => one.new = Some(text.into_bytes()),
                Some(Err(error)) => warnings.push(not_marked(path, &error)),
                None => {}
            }
            continue;
        }
        let paths = BTreeSet::from([path.clone()]);
        reconcile(memory, &Look::Paths { paths: &paths, moved: &[], proposal: None }, &unwatched)?;
        let edit =
            |text: &str| set_contested(text).map_err(|source| Error::Edit { slug: path.clone(), source });
        let change =
            PageChange { path: path.clone(), action: Action::Edit(Box::new(edit)), expected_version: None };
        match prepare(change) {
            Ok(one) if one.outcome != Outcome::Unchanged => ready.push(one),
            Ok(_) => {}
            Err(error) => warnings.push(format!("{path} could not be marked as contested: {error}")),
        }
    }
    Ok(())
}

fn set_contested(text: &str) -> std::result::Result<String, EditError> {
    set_property(text, "status", &Value::Text(CONTESTED.into()))
}

fn not_marked(path: &str, error: &EditError) -> String {
    format!("{path} could not be marked as contested: {error}")
}
