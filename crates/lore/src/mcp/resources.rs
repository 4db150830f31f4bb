//! Resources: every page, the list of pages by type, and information about the project.

use std::borrow::Cow;
use std::collections::BTreeMap;

use lore_engine::VaultContext;
use lore_ports::{Filter, Order, PageRow, Window};
use lore_text::percent_decode;
use lore_vault::decode;
use rmcp::model::{ListResourcesResult, ReadResourceResult, Resource, ResourceContents, ResourceTemplate};
use serde_json::json;

use crate::app::error::{AppError, Result};
use crate::app::session::Session;
use crate::ops::{self, PageText, data_block, line_for_agents};

/// Resources per page of the list.
const PAGE: usize = 100;

/// Maximum number of pages that a pattern gives.
const MATCHES: usize = 50;

const PAGES: &str = "memory://pages/";
const INDEX: &str = "memory://index";
const PROJECT_INFO: &str = "memory://project_info";

/// Lists resources; the cursor is the offset to continue from.
pub(super) fn list(session: &Session, cursor: Option<String>) -> Result<ListResourcesResult> {
    let start: usize = match cursor {
        None => 0,
        Some(cursor) => cursor.parse().map_err(|_| {
            AppError::usage(format!("invalid cursor {cursor:?}"), "start again without a cursor")
        })?,
    };
    let context = session.fresh()?;
    let window = Window { limit: PAGE + 1, offset: start };
    let mut rows = context.store().list(context.project(), &Filter::default(), Order::Title, window)?;
    let more = rows.len() > PAGE;
    rows.truncate(PAGE);
    let page = |row: PageRow| {
        let resource =
            Resource::new(format!("{PAGES}{}", row.slug), row.slug).with_title(line_for_agents(&row.title));
        let resource = resource.with_mime_type(mime(&row.path)).with_size(row.size);
        match row.summary {
            Some(summary) => resource.with_description(line_for_agents(&summary)),
            None => resource,
        }
    };
    let fixed = [
        Resource::new(INDEX, "index").with_description("All pages by type").with_mime_type("text/markdown"),
        Resource::new(PROJECT_INFO, "project_info")
            .with_description("Counts and index status of the project")
            .with_mime_type("application/json"),
    ];
    let fixed = fixed.into_iter().filter(|_| start == 0);
    let mut result = ListResourcesResult::with_all_items(fixed.chain(rows.into_iter().map(page)).collect());
    result.next_cursor = more.then(|| (start + PAGE).to_string());
    Ok(result)
}

fn mime(path: &str) -> &'static str {
    if path.ends_with(".org") { "text/org" } else { "text/markdown" }
}

/// Returns the resource templates.
pub(super) fn templates() -> Vec<ResourceTemplate> {
    vec![
        ResourceTemplate::new("memory://pages/{slug}", "page")
            .with_title("Page")
            .with_description("A page's text; a slug with * gives every page that it matches")
            .with_mime_type("text/markdown"),
        ResourceTemplate::new("memory://id/{id}", "page_by_id")
            .with_title("Page by id")
            .with_description("The text of the page with an id")
            .with_mime_type("text/markdown"),
    ]
}

/// Reads a resource.
pub(super) fn read(session: &Session, uri: &str) -> Result<ReadResourceResult> {
    let contents = match uri {
        INDEX => ResourceContents::text(data_block(&index(session)?), uri).with_mime_type("text/markdown"),
        PROJECT_INFO => ResourceContents::text(data_block(&project_info(session)?), uri)
            .with_mime_type("application/json"),
        _ => {
            let context = session.fresh()?;
            let reference = reference_of(uri);
            let window = Window { limit: MATCHES, offset: 0 };
            let contents = match context.pages_matching(&reference, window)? {
                Some(pages) if !pages.is_empty() => {
                    let address = |page: &PageRow| format!("{PAGES}{}", page.slug);
                    pages
                        .iter()
                        .map(|page| page_contents(context, page, &address(page)))
                        .collect::<Result<_>>()?
                }
                _ => vec![page_contents(context, &context.page(&reference)?, uri)?],
            };
            return Ok(ReadResourceResult::new(contents));
        }
    };
    Ok(ReadResourceResult::new(vec![contents]))
}

/// Returns the reference in an address. The resolver decodes the address of a page itself.
fn reference_of(uri: &str) -> Cow<'_, str> {
    if uri.starts_with(PAGES) { Cow::Borrowed(uri) } else { percent_decode(uri) }
}

fn page_contents(context: &VaultContext, page: &PageRow, uri: &str) -> Result<ResourceContents> {
    let text = decode(&context.read(page)?.bytes).text.into_owned();
    let text = PageText::new(context, page, text).fenced();
    Ok(ResourceContents::text(data_block(&text), uri).with_mime_type(mime(&page.path)))
}

/// Returns the slug of the page that a resource is; none for a list of pages. A page that does not exist yet has the slug in
/// its address.
pub(super) fn page_of(session: &Session, uri: &str) -> Result<Option<String>> {
    if matches!(uri, INDEX | PROJECT_INFO) {
        return Ok(None);
    }
    let reference = reference_of(uri);
    let plain = reference.strip_prefix(PAGES).unwrap_or(&reference);
    let found = session.fresh()?.find(&reference)?;
    Ok(Some(found.map_or_else(|| plain.trim_start_matches("memory://").to_owned(), |page| page.slug)))
}

fn index(session: &Session) -> Result<String> {
    let context = session.fresh()?;
    let window = Window { limit: usize::MAX >> 1, offset: 0 };
    let rows = context.store().list(context.project(), &Filter::default(), Order::Title, window)?;
    let mut by_type: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for row in rows {
        by_type.entry(row.kind).or_default().push(row.slug);
    }
    let mut text = String::new();
    for (kind, mut slugs) in by_type {
        slugs.sort();
        text.push_str(&format!("# {kind}\n\n"));
        text.extend(slugs.iter().map(|slug| format!("- {slug}\n")));
        text.push('\n');
    }
    Ok(text)
}

fn project_info(session: &Session) -> Result<String> {
    let run = |name: &str| -> Result<serde_json::Value> { Ok(ops::run(name, json!({}), session)?.json()) };
    Ok(json!({ "project": run("project_info")?, "status": run("status")?, "stats": run("stats")? })
        .to_string())
}
