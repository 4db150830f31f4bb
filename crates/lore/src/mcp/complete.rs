//! Completes slugs, projects and tags by prefix.

use lore_ports::{Filter, Order, Window};
use lore_text::fold;
use rmcp::model::{ArgumentInfo, CompletionInfo};
use serde_json::json;

use crate::app::error::{AppError, Result};
use crate::app::session::Session;
use crate::ops;

/// Returns completions for an argument.
pub(super) fn complete(session: &Session, argument: &ArgumentInfo) -> Result<CompletionInfo> {
    let begun = fold(argument.value.trim());
    let mut values: Vec<String> = match argument.name.as_str() {
        "project" | "name" => {
            session.projects().roots.keys().filter(|name| fold(name).starts_with(&begun)).cloned().collect()
        }
        "tag" | "tags" => tags(session, &begun)?,
        _ => slugs(session, &begun)?,
    };
    for value in &mut values {
        *value = ops::line_for_agents(value);
    }
    let total = values.len();
    values.truncate(CompletionInfo::MAX_VALUES);
    let mut found =
        CompletionInfo::new(values).map_err(|error| AppError::usage(error, "type more characters"))?;
    found.has_more = Some(total > CompletionInfo::MAX_VALUES);
    found.total = u32::try_from(total).ok();
    Ok(found)
}

/// Returns slugs that start with the prefix, then slugs with a part that does.
fn slugs(session: &Session, begun: &str) -> Result<Vec<String>> {
    let context = session.fresh()?;
    let window = Window { limit: usize::MAX >> 1, offset: 0 };
    let rows = context.store().list(context.project(), &Filter::default(), Order::Title, window)?;
    let mut slugs: Vec<(bool, String)> = rows
        .into_iter()
        .map(|row| (!row.slug.starts_with(begun), row.slug))
        .filter(|(later, slug)| !later || slug.split(['/', '-']).any(|part| part.starts_with(begun)))
        .collect();
    slugs.sort();
    Ok(slugs.into_iter().map(|(_, slug)| slug).collect())
}

fn tags(session: &Session, begun: &str) -> Result<Vec<String>> {
    let all = ops::run("tags", json!({}), session)?.json();
    let all = all["tags"].as_array().cloned().unwrap_or_default();
    let name = |tag: &serde_json::Value| tag.as_str().or(tag["tag"].as_str()).map(str::to_owned);
    Ok(all.iter().filter_map(name).filter(|tag| fold(tag).starts_with(begun)).collect())
}
