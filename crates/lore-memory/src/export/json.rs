//! One JSON object per page, one per line, with everything that the page states.

use lore_engine::{Result, VaultContext};
use lore_page::parse;
use lore_ports::{LinkFilter, PageNo, PageRow, Progress};
use lore_vault::{NewFolder, sidecar};
use serde_json::{Value, json};

use super::{Exported, read_page};
use crate::derived::widest_mode;

pub(super) fn write(
    context: &VaultContext,
    rows: &[PageRow],
    folder: &NewFolder,
    exported: &mut Exported,
    progress: Progress<'_>,
) -> Result<()> {
    let mode = widest_mode(context, rows);
    for (number, row) in rows.iter().enumerate() {
        progress(number, rows.len())?;
        let Some(text) = read_page(context, row, exported)? else { continue };
        let mut line = object(context, row, &text)?.to_string();
        line.push('\n');
        folder.append("pages.jsonl", line.as_bytes(), mode)?;
        exported.pages += 1;
    }
    if rows.is_empty() {
        folder.write("pages.jsonl", b"")?;
    }
    Ok(())
}

fn object(context: &VaultContext, row: &PageRow, text: &str) -> Result<Value> {
    let page = parse(&row.path, text).page;
    let (store, project) = (context.store(), context.project());
    let links = store.links(project, &LinkFilter::From(&[row.number]))?;
    let targets: Vec<PageNo> = links.iter().filter_map(|link| link.to).collect();
    let targets = store.pages(project, &targets)?;
    let slug_of = |number: Option<PageNo>| {
        targets.iter().find(|page| Some(page.number) == number).map(|page| &page.slug)
    };
    let links: Vec<Value> = links
        .iter()
        .map(|row| {
            let link = &row.link;
            json!({ "relation": link.relation, "target": link.target, "page": slug_of(row.to), "interval": link.interval.to_string() })
        })
        .collect();
    let facts: Vec<Value> = page
        .facts
        .iter()
        .map(|fact| {
            json!({ "subject": fact.subject, "predicate": fact.predicate, "object": fact.object,
                    "interval": fact.interval.to_string(), "source": fact.source, "by": fact.by, "confidence": fact.confidence })
        })
        .collect();
    let entries: Vec<Value> = page
        .entries
        .iter()
        .map(|entry| json!({ "date": entry.date, "source": entry.source, "summary": entry.summary, "detail": entry.detail }))
        .collect();
    let observations: Vec<Value> = page
        .observations
        .iter()
        .map(|one| json!({ "category": one.category, "content": one.content, "tags": one.tags, "context": one.context }))
        .collect();
    let data = context.vault().read(&sidecar(&row.path), u64::MAX)?;
    let data: Option<Value> = data.and_then(|file| serde_json::from_slice(&file.bytes).ok());
    Ok(json!({
        "path": row.path, "slug": row.slug, "id": row.id, "title": row.title, "type": row.kind,
        "tags": page.tags, "aliases": page.aliases, "properties": row.properties,
        "truth": page.truth.of(text).trim(), "timeline": page.timeline.map(|range| range.of(text).trim()),
        "observations": observations, "facts": facts, "entries": entries, "links": links,
        "version": row.version, "data": data, "text": text,
    }))
}
