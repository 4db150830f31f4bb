//! Schemas of notes: pages of type `schema` say which observations, relations and properties the notes of a type have.
//! Notes are checked against them, and schemas are inferred from notes.

mod infer;
mod parse;
mod validate;

use std::collections::HashMap;

use lore_engine::{Result, VaultContext};
use lore_ports::{Filter, LinkFilter, Order, PageRow, StatementFilter, StatementKind, Window};

pub use infer::{FieldFrequency, SchemaDrift, SchemaInference, drift, infer};
pub use validate::{FieldResult, FieldStatus, NoteReport, TypeSummary, ValidationReport, validate};

use parse::Schema;

/// Relations without a verb, which no schema names.
const PLAIN_LINK: &str = "links_to";

/// The structured lines of a note, by name and in order.
struct NoteLines {
    observations: Vec<(String, String)>,
    /// Relation, target as written, and type of the target.
    relations: Vec<(String, String, Option<String>)>,
}

/// Returns the notes of a type, by path.
fn notes_of(context: &VaultContext, kind: &str) -> Result<Vec<PageRow>> {
    list(context, &Filter { kinds: vec![kind.to_owned()], ..Filter::default() })
}

/// Returns every note, by path.
fn all_notes(context: &VaultContext) -> Result<Vec<PageRow>> {
    list(context, &Filter::default())
}

fn list(context: &VaultContext, filter: &Filter) -> Result<Vec<PageRow>> {
    let all = Window { limit: i64::MAX as usize, offset: 0 };
    let mut pages = context.store().list(context.project(), filter, Order::Title, all)?;
    pages.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(pages)
}

fn lines_of(context: &VaultContext, page: &PageRow) -> Result<NoteLines> {
    let numbers = [page.number];
    let kind = Some(StatementKind::Observation);
    let filter = StatementFilter { pages: Some(&numbers), kind, ..StatementFilter::default() };
    let statements = context.store().statements(context.project(), &filter)?;
    let observations = statements.into_iter().map(|row| (row.statement.predicate, row.statement.object));
    let links = context.store().links(context.project(), &LinkFilter::From(&numbers))?;
    let ends: Vec<i64> = links.iter().filter_map(|row| row.to).collect();
    let targets = context.store().pages(context.project(), &ends)?;
    let kinds: HashMap<i64, String> =
        targets.into_iter().map(|target| (target.number, target.kind)).collect();
    let kind_of = |number: Option<i64>| kinds.get(&number?).cloned();
    let relations = links.into_iter().filter(|row| row.link.relation != PLAIN_LINK);
    let relations = relations.map(|row| (row.link.relation, row.link.target, kind_of(row.to)));
    Ok(NoteLines { observations: observations.collect(), relations: relations.collect() })
}

/// Returns the schema for notes of a type.
fn schema_for(schemas: &[Schema], kind: &str) -> Option<Schema> {
    schemas.iter().find(|schema| schema.entity.eq_ignore_ascii_case(kind)).cloned()
}

/// Returns every schema of the vault.
fn schemas(context: &VaultContext) -> Result<Vec<Schema>> {
    Ok(notes_of(context, "schema")?
        .iter()
        .filter_map(|page| Schema::of_page(&page.properties, &page.title))
        .collect())
}
