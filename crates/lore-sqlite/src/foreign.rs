//! Reads the tables of another program's SQLite database. Nothing is written to it or beside it.

use std::path::Path;

use lore_ports::{Cell, Error, Result, Table};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};

/// Maximum number of rows of a table.
const MAX_ROWS: usize = 5_000_000;

/// Reads every ordinary table of a database except those with one of these prefixes, which are another index.
pub fn read_tables(path: &Path, left_out: &[&str]) -> Result<Vec<Table>> {
    let refuse = |error: rusqlite::Error| refused(path, &error);
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(refuse)?;
    connection.execute_batch("PRAGMA trusted_schema = OFF; PRAGMA query_only = ON").map_err(refuse)?;
    let sql = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
               AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name";
    let names: Vec<String> = connection
        .prepare(sql)
        .and_then(|mut found| found.query_map([], |row| row.get(0))?.collect())
        .map_err(refuse)?;
    let wanted = names.into_iter().filter(|name| !left_out.iter().any(|prefix| name.starts_with(prefix)));
    wanted.map(|name| table(&connection, name).map_err(refuse)).collect()
}

/// What is wrong with another program's file says nothing about Lore's own.
pub(crate) fn refused(path: &Path, error: &rusqlite::Error) -> Error {
    Error::ForeignFile { path: path.to_owned(), reason: error.to_string() }
}

fn table(connection: &Connection, name: String) -> rusqlite::Result<Table> {
    let quoted = name.replace('"', "\"\"");
    let mut found = connection.prepare(&format!("SELECT * FROM \"{quoted}\" LIMIT {MAX_ROWS}"))?;
    let columns: Vec<String> = found.column_names().map(str::to_owned).collect();
    let width = columns.len();
    let rows = found.query_map([], |row| (0..width).map(|at| Ok(cell(row.get_ref(at)?))).collect());
    let rows = rows.and_then(Iterator::collect)?;
    Ok(Table { name, columns, rows })
}

fn cell(value: ValueRef<'_>) -> Cell {
    match value {
        ValueRef::Null => Cell::Null,
        ValueRef::Integer(number) => Cell::Integer(number),
        ValueRef::Real(number) => Cell::Real(number),
        ValueRef::Text(text) => Cell::Text(String::from_utf8_lossy(text).into_owned()),
        ValueRef::Blob(bytes) => Cell::Blob(bytes.to_vec()),
    }
}
