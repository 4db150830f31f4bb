//! Tables on pages that the policy reads as data: their rows, whoever wrote them, and changes of one row.

use lore_engine::{
    Action, Edit, Error, PageChange, Receipt, Result, Table, VaultContext, WriteOptions, write_as,
};
use lore_page::Format;
use lore_page::edit::{self, EditError};
use lore_vault::{VaultPath, decode, without_extension};

/// The rows of a table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TableData {
    /// The page.
    pub path: String,
    /// Its columns; the first identifies a row.
    pub columns: Vec<String>,
    /// Its rows.
    pub rows: Vec<Row>,
}

/// A row of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Line of the page, from 1.
    pub line: u32,
    /// Its cells, in the order of the columns.
    pub cells: Vec<String>,
}

/// Reads a table of the policy as it is in the file now. A page without it has no rows.
pub fn read_table(context: &VaultContext, name: &str) -> Result<TableData> {
    let table = table_named(context, name)?;
    let path = page_path(&table);
    let mut data = TableData { path: path.clone(), columns: table.columns.clone(), rows: Vec::new() };
    let Some(file) = context.vault().read(&path, u64::MAX)? else { return Ok(data) };
    let text = decode(&file.bytes).text;
    let found = match edit::table(Format::of(&path), &text, table.section.as_deref()) {
        Ok(found) => found,
        Err(EditError::NoSection { .. }) => None,
        Err(source) => return Err(Error::Edit { slug: path, source }),
    };
    let Some(found) = found else { return Ok(data) };
    let cells = |row| table.columns.iter().map(|column| found.cell(row, column).to_owned()).collect();
    data.rows = found.rows.iter().map(|row| Row { line: row.line, cells: cells(row) }).collect();
    Ok(data)
}

/// Sets cells of the row with this key, which is added if there is none.
pub fn set_table_row(
    context: &VaultContext,
    name: &str,
    key: &str,
    cells: &[(String, String)],
) -> Result<Receipt> {
    let table = table_named(context, name)?;
    let Some((first, others)) = table.columns.split_first() else { return Ok(Receipt::default()) };
    if key.trim().is_empty() {
        return Err(bad_input(format!("a row of the table {name} needs a {first}"), "pass its first cell"));
    }
    if let Some((column, _)) = cells.iter().find(|(column, _)| !others.contains(column)) {
        let hint = format!("its columns are {}", table.columns.join(", "));
        return Err(bad_input(format!("the table {name} has no column {column:?} to set"), &hint));
    }
    let given = |column: &String| cells.iter().find(|(name, _)| name == column).cloned();
    let known = read_table(context, name)?;
    let is_new = known.rows.iter().all(|row| row.cells.first().is_none_or(|cell| cell != key));
    let empty = |column: &String| is_new.then(|| (column.clone(), String::new()));
    let mut row = vec![(first.clone(), key.to_owned())];
    row.extend(others.iter().filter_map(|column| given(column).or_else(|| empty(column))));
    let section = table.section.clone();
    let format = Format::of(&page_path(&table));
    let edit = move |text: &str| edit::put_row(format, text, section.as_deref(), &row);
    write_page(context, &table, edit)
}

/// Removes the row with this key.
pub fn remove_table_row(context: &VaultContext, name: &str, key: &str) -> Result<Receipt> {
    let table = table_named(context, name)?;
    let known = read_table(context, name)?;
    if known.rows.iter().all(|row| row.cells.first().is_none_or(|cell| cell != key)) {
        let keys = known.rows.iter().filter_map(|row| row.cells.first().cloned()).collect::<Vec<_>>();
        let hint = format!("its rows are {}", if keys.is_empty() { "none".into() } else { keys.join(", ") });
        return Err(bad_input(format!("the table {name} has no row {key:?}"), &hint));
    }
    let (section, key) = (table.section.clone(), key.to_owned());
    let format = Format::of(&page_path(&table));
    write_page(context, &table, move |text: &str| {
        let removed = edit::remove_row(format, text, section.as_deref(), &key)?;
        Ok(removed.unwrap_or_else(|| text.to_owned()))
    })
}

fn write_page(
    context: &VaultContext,
    table: &Table,
    edit: impl Fn(&str) -> std::result::Result<String, EditError> + 'static,
) -> Result<Receipt> {
    let path = page_path(table);
    let slug = path.clone();
    let edit: Edit<'static> =
        Box::new(move |text| edit(text).map_err(|source| Error::Edit { slug: slug.clone(), source }));
    let change =
        PageChange { path: VaultPath::known(path), action: Action::Edit(edit), expected_version: None };
    let options = WriteOptions { section: table.section.clone(), ..WriteOptions::default() };
    write_as(context, &[change], &options)
}

fn table_named(context: &VaultContext, name: &str) -> Result<Table> {
    let policy = context.policy();
    policy.tables.get(name).cloned().ok_or_else(|| {
        let known: Vec<&str> = policy.tables.keys().map(String::as_str).collect();
        let hint = match known.as_slice() {
            [] => "add a [table.NAME] to lore.toml".to_owned(),
            known => format!("use one of {}", known.join(", ")),
        };
        bad_input(format!("no table named {name:?}"), &hint)
    })
}

fn page_path(table: &Table) -> String {
    format!("{}.md", without_extension(&table.path))
}

fn bad_input(message: String, hint: &str) -> Error {
    Error::BadInput { message, hint: hint.to_owned() }
}
