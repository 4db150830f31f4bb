//! Converts SQL rows to the engine's types.

use lore_page::{Interval, LineRange};
use lore_ports::{LinkDraft, LinkRow, PageRow, Statement, StatementKind, StatementRow};
use lore_text::{ContentHash, PartialDate};
use rusqlite::Row;
use serde_json::from_str;

/// The columns of a [`PageRow`], for a query over [`PAGE_FROM`].
pub(super) const PAGE: &str =
    "p.number, p.path, p.slug, p.id, p.title, p.kind, p.status, p.wing, p.summary, p.tags,
    p.properties, p.diagnostics, p.hash, p.size, p.created, p.updated, coalesce(v.version, 1)";

/// The tables that the [`PAGE`] columns come from.
pub(super) const PAGE_FROM: &str = "page p LEFT JOIN version v ON v.project = p.project AND v.path = p.path";

/// The columns of a [`LinkRow`], for a query over `link l JOIN page p`.
pub(super) const LINK: &str =
    "l.number, l.from_page, p.path, l.to_page, l.id, l.relation, l.target, l.name, l.slug,
    l.heading, l.label, l.context, l.valid_from, l.valid_until, l.line";

/// The columns of a [`StatementRow`].
pub(super) const STATEMENT: &str =
    "page, kind, first, last, subject, predicate, object, valid_from, valid_until, notes";

pub(super) fn page(row: &Row<'_>) -> rusqlite::Result<PageRow> {
    Ok(PageRow {
        number: row.get(0)?,
        path: row.get(1)?,
        slug: row.get(2)?,
        id: row.get(3)?,
        title: row.get(4)?,
        kind: row.get(5)?,
        status: row.get(6)?,
        wing: row.get(7)?,
        summary: row.get(8)?,
        tags: json(row, 9)?,
        properties: json(row, 10)?,
        diagnostics: json(row, 11)?,
        hash: hash(row, 12)?,
        size: row.get::<_, i64>(13)?.unsigned_abs(),
        created: row.get(14)?,
        updated: row.get(15)?,
        version: row.get::<_, i64>(16)?.unsigned_abs(),
    })
}

pub(super) fn link(row: &Row<'_>) -> rusqlite::Result<LinkRow> {
    Ok(LinkRow {
        number: row.get(0)?,
        from: row.get(1)?,
        from_path: row.get(2)?,
        to: row.get(3)?,
        link: LinkDraft {
            id: row.get::<_, i64>(4)?.unsigned_abs(),
            relation: row.get(5)?,
            target: row.get(6)?,
            names: [row.get(7)?, row.get(8)?],
            heading: row.get(9)?,
            label: row.get(10)?,
            context: row.get(11)?,
            interval: interval(row, 12)?,
            line: row.get(14)?,
        },
    })
}

pub(super) fn statement(row: &Row<'_>) -> rusqlite::Result<StatementRow> {
    Ok(StatementRow {
        page: row.get(0)?,
        statement: Statement {
            kind: StatementKind::from_number(row.get(1)?),
            lines: LineRange { first: row.get(2)?, last: row.get(3)? },
            subject: row.get(4)?,
            predicate: row.get(5)?,
            object: row.get(6)?,
            interval: interval(row, 7)?,
            notes: json(row, 9)?,
        },
    })
}

pub(super) fn hash(row: &Row<'_>, at: usize) -> rusqlite::Result<ContentHash> {
    row.get(at).map(ContentHash)
}

/// Parses the dates of an interval. An invalid date can only come from a damaged row, and counts as absent.
fn interval(row: &Row<'_>, at: usize) -> rusqlite::Result<Interval> {
    let date = |text: Option<String>| text.and_then(|text| text.parse::<PartialDate>().ok());
    Ok(Interval { from: date(row.get(at)?), until: date(row.get(at + 1)?) })
}

fn json<T: serde::de::DeserializeOwned>(row: &Row<'_>, at: usize) -> rusqlite::Result<T> {
    let text: String = row.get(at)?;
    from_str(&text).map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(at, rusqlite::types::Type::Text, Box::new(error))
    })
}
