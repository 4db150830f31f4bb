//! The database of Quaid: pages with their frontmatter, truth and timeline, and the links, assertions, tags, entries and
//! sidecar data of its other tables as lines of those pages.

use std::collections::BTreeMap;

use lore_engine::{Error, Result};
use lore_page::edit::{self, NewEntry, NewFact, NewRelation};
use lore_page::{Format, Interval, Value, parse};
use lore_ports::{Cell, Table};
use lore_text::{PartialDate, on_one_line};
use lore_vault::{SourceTree, sidecar};

use super::super::{Found, Proposed, Sink, TableReader};

/// Tables that are made again from the pages, by their prefixes.
const DERIVED: [&str; 3] = ["page_fts", "page_embeddings", "embedding_models"];

/// Tables whose rows become parts of pages.
const READ: [&str; 6] = ["pages", "links", "assertions", "tags", "raw_data", "timeline_entries"];

/// Whether a single file is an SQLite database.
pub(super) fn recognizes(tree: &SourceTree) -> bool {
    let [file] = tree.files.as_slice() else { return false };
    let start = tree.stream(file, |reader| lore_vault::first_line(reader, 16));
    start.is_ok_and(|start| start.starts_with(b"SQLite format 3"))
}

/// Reads the tables and makes the pages.
pub(super) fn read(tree: &SourceTree, tables: Option<TableReader<'_>>, sink: &mut Sink<'_>) -> Result<()> {
    let Some(read) = tables else {
        return Err(Error::BadInput {
            message: "databases cannot be read here".into(),
            hint: "run the import on the command line".into(),
        });
    };
    let tables = read(tree.root(), &DERIVED).map_err(|error| Error::BadInput {
        message: format!("cannot read {}: {error}", tree.root().display()),
        hint: "the file is damaged or not a database; nothing was changed".into(),
    })?;
    let table = |name: &str| tables.iter().find(|table| table.name == name);
    let Some(pages) =
        table("pages").filter(|pages| pages.columns.iter().any(|name| name == "compiled_truth"))
    else {
        return Err(Error::BadInput {
            message: format!("{} is not a database of Quaid", tree.root().display()),
            hint: "its table `pages` has a column `compiled_truth`".into(),
        });
    };
    for other in tables.iter().filter(|table| !READ.contains(&table.name.as_str()) && !table.rows.is_empty())
    {
        let reason = format!("{} rows stay in the original", other.rows.len());
        sink(Found::Skipped { path: format!("table {}", other.name), reason })?;
    }
    let parts = Parts {
        slugs: pages
            .rows
            .iter()
            .filter_map(|row| Some((pages.number(row, "id")?, pages.text(row, "slug"))))
            .collect(),
        links: table("links"),
        assertions: table("assertions"),
        tags: table("tags"),
        data: table("raw_data"),
        entries: table("timeline_entries"),
    };
    for row in &pages.rows {
        let slug = pages.text(row, "slug");
        let path = format!("{slug}.md");
        match parts.page(pages, row, &path) {
            Ok(text) => sink(Found::Item(Proposed {
                key: slug.clone(),
                path: path.clone(),
                bytes: text.into_bytes(),
                ..Proposed::default()
            }))?,
            Err(reason) => {
                sink(Found::Skipped { path: slug, reason })?;
                continue;
            }
        }
        if let Some(data) = pages.number(row, "id").and_then(|id| parts.sidecar(id)) {
            let key = format!("{slug} data");
            sink(Found::Item(Proposed { key, path: sidecar(&path), bytes: data, ..Proposed::default() }))?;
        }
    }
    Ok(())
}

struct Parts<'a> {
    slugs: BTreeMap<i64, String>,
    links: Option<&'a Table>,
    assertions: Option<&'a Table>,
    tags: Option<&'a Table>,
    data: Option<&'a Table>,
    entries: Option<&'a Table>,
}

/// Returns the rows of a table that belong to a page.
fn of<'a>(table: Option<&'a Table>, column: &str, page: i64) -> Vec<(&'a Table, &'a Vec<Cell>)> {
    let rows = table.into_iter().flat_map(|table| table.rows.iter().map(move |row| (table, row)));
    rows.filter(|(table, row)| table.number(row, column) == Some(page)).collect()
}

impl Parts<'_> {
    /// Returns the text of a page.
    fn page(&self, pages: &Table, row: &[Cell], path: &str) -> std::result::Result<String, String> {
        let id = pages.number(row, "id").ok_or("it has no id")?;
        let (truth, timeline) = (pages.text(row, "compiled_truth"), pages.text(row, "timeline"));
        let mut text = format!("{}\n", truth.trim());
        if !timeline.trim().is_empty() {
            text.push_str(&format!("\n---\n\n{}\n", timeline.trim()));
        }
        let failed = |error: edit::EditError| error.to_string();
        for (key, value) in self.properties(pages, row, id) {
            text = edit::set_property(Format::Markdown, &text, &key, &value).map_err(failed)?;
        }
        let known = parse(path, &text).page;
        for (table, row) in of(self.entries, "page_id", id) {
            let (date, summary) = (table.text(row, "date"), on_one_line(&table.text(row, "summary")));
            let is_there =
                known.entries.iter().any(|entry| entry.date == date && entry.summary.contains(&summary));
            if !is_there {
                let (source, detail) = (some(table.text(row, "source")), some(table.text(row, "detail")));
                text = edit::add_entry(Format::Markdown, &text, &NewEntry { date, source, summary, detail })
                    .map_err(failed)?;
            }
        }
        for (table, row) in of(self.links, "from_page_id", id) {
            let Some(to) = table.number(row, "to_page_id").and_then(|to| self.slugs.get(&to)) else {
                continue;
            };
            let relation = NewRelation {
                relation: table.text(row, "relationship").trim().replace(' ', "_"),
                target: to.clone(),
                label: None,
                context: some(on_one_line(&table.text(row, "context"))),
                interval: interval(table, row),
            };
            text = edit::add_relation(Format::Markdown, &text, &relation).map_err(failed)?;
        }
        for (table, row) in of(self.assertions, "page_id", id) {
            let confidence = table.text(row, "confidence");
            let fact = NewFact {
                subject: some(table.text(row, "subject")).filter(|subject| *subject != known.title),
                predicate: table.text(row, "predicate").trim().replace(' ', "_"),
                object: on_one_line(&table.text(row, "object")),
                interval: interval(table, row),
                source: some(table.text(row, "source_ref")),
                by: some(table.text(row, "asserted_by")),
                confidence: some(confidence).filter(|confidence| confidence != "1"),
                evidence: some(on_one_line(&table.text(row, "evidence_text"))),
            };
            text = edit::add_fact(Format::Markdown, &text, &fact).map_err(failed)?;
        }
        Ok(text)
    }

    /// Returns the frontmatter with what has columns and tables of its own.
    fn properties(&self, pages: &Table, row: &[Cell], id: i64) -> Vec<(String, Value)> {
        let frontmatter = serde_json::from_str(&pages.text(row, "frontmatter"));
        let frontmatter: serde_json::Map<String, serde_json::Value> = frontmatter.unwrap_or_default();
        let mut list: Vec<(String, Value)> =
            frontmatter.into_iter().filter_map(|(key, value)| Some((key, property(value)?))).collect();
        for (key, column) in [("title", "title"), ("type", "type")] {
            let value = pages.text(row, column);
            if !list.iter().any(|(known, _)| known == key) && !value.is_empty() {
                list.push((key.to_owned(), Value::Text(value)));
            }
        }
        let mut tags: Vec<String> =
            of(self.tags, "page_id", id).iter().map(|(table, row)| table.text(row, "tag")).collect();
        tags.sort();
        // A tag that was added later is in the table alone.
        match list.iter_mut().find(|(known, _)| known == "tags") {
            Some((_, Value::List(known))) => {
                for tag in tags.into_iter().map(Value::Text) {
                    if !known.contains(&tag) {
                        known.push(tag);
                    }
                }
            }
            None if !tags.is_empty() => {
                list.push(("tags".to_owned(), Value::List(tags.into_iter().map(Value::Text).collect())));
            }
            _ => {}
        }
        list
    }

    fn sidecar(&self, id: i64) -> Option<Vec<u8>> {
        let mut sources = serde_json::Map::new();
        for (table, row) in of(self.data, "page_id", id) {
            let data = table.text(row, "data");
            let value = serde_json::from_str(&data).unwrap_or(serde_json::Value::String(data));
            sources.insert(table.text(row, "source"), value);
        }
        let text = serde_json::to_string_pretty(&serde_json::json!({ "sources": sources })).ok()?;
        (!sources.is_empty()).then(|| format!("{text}\n").into_bytes())
    }
}

fn some(text: String) -> Option<String> {
    Some(text).filter(|text| !text.trim().is_empty())
}

fn property(value: serde_json::Value) -> Option<Value> {
    match value {
        serde_json::Value::Null => None,
        serde_json::Value::String(text) => Some(Value::Text(text)),
        serde_json::Value::Array(list) => Some(Value::List(list.into_iter().filter_map(property).collect())),
        other => Some(Value::Text(other.to_string())),
    }
}

fn interval(table: &Table, row: &[Cell]) -> Interval {
    let date = |column: &str| {
        let text = table.text(row, column);
        // A time follows the day; a year or a month is shorter.
        text.get(..10).unwrap_or(&text).parse::<PartialDate>().ok()
    };
    Interval::between(date("valid_from"), date("valid_until")).unwrap_or_default()
}
