//! `table show|set|remove`: tables on pages that the policy reads as data.

use std::collections::BTreeMap;

use clap::Args;
use lore_memory::{read_table, remove_table_row, set_table_row};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::error::{AppError, Result};
use crate::app::session::Session;
use crate::ops::line::Line;
use crate::ops::views::WriteResult;
use crate::ops::{Operation, Render};

/// Print the rows of a table that the policy names
///
/// The rows are read from the page as it is now, whether Lore or an editor wrote it. Without a name, all tables are
/// printed.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore table show\n  lore table show bindings --json")]
pub struct Show {
    /// Table [default: all]
    #[serde(default)]
    name: Option<String>,
}

/// Output of `table show`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Tables {
    tables: Vec<TableView>,
}

/// A table.
#[derive(Debug, Serialize, JsonSchema)]
struct TableView {
    name: String,
    path: Line,
    columns: Vec<String>,
    /// The cells of each row by column.
    rows: Vec<BTreeMap<String, String>>,
}

impl Operation for Show {
    const NAME: &'static str = "table show";
    type Output = Tables;

    fn run(self, session: &Session) -> Result<Tables> {
        let context = session.fresh()?;
        let names = match self.name {
            Some(name) => vec![name],
            None => context.policy().tables.keys().cloned().collect(),
        };
        let table = |name: String| -> Result<TableView> {
            let data = read_table(context, &name)?;
            let columns = data.columns.clone();
            let row = |row: lore_memory::Row| columns.iter().cloned().zip(row.cells).collect();
            let rows = data.rows.into_iter().map(row).collect();
            Ok(TableView { name, path: data.path.into(), columns: data.columns, rows })
        };
        Ok(Tables { tables: names.into_iter().map(table).collect::<Result<_>>()? })
    }
}

impl Render for Tables {
    fn human(&self) -> String {
        let mut text = String::new();
        for table in &self.tables {
            text.push_str(&format!("{} ({})\n", table.name, table.path));
            for row in &table.rows {
                let cell = |column: &String| row.get(column).map(String::as_str).unwrap_or_default();
                let cells: Vec<&str> = table.columns.iter().map(cell).collect();
                text.push_str(&format!("  {}\n", cells.join(" | ")));
            }
            if table.rows.is_empty() {
                text.push_str("  no rows\n");
            }
        }
        if text.is_empty() { "the policy names no table\n".into() } else { text }
    }
}

/// Set cells of a row, or add the row
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  lore table set bindings Tasks source=Todoist mirror=state/today\n  lore table set integrations github mode=read"
)]
pub struct Set {
    /// Table
    name: String,
    /// First cell of the row
    key: String,
    /// Cells as COLUMN=VALUE
    #[arg(value_name = "COLUMN=VALUE", required = true)]
    cells: Vec<String>,
}

impl Operation for Set {
    const NAME: &'static str = "table set";
    const WRITES: bool = true;
    type Output = WriteResult;

    fn run(self, session: &Session) -> Result<WriteResult> {
        let cell = |pair: &String| -> Result<(String, String)> {
            let (column, value) = pair.split_once('=').ok_or_else(|| {
                AppError::usage(
                    format!("{pair:?} is not of the form column=value"),
                    "pass a column and its value, such as mode=read",
                )
            })?;
            Ok((column.trim().to_owned(), value.trim().to_owned()))
        };
        let cells = self.cells.iter().map(cell).collect::<Result<Vec<_>>>()?;
        Ok(WriteResult::new(set_table_row(session.fresh()?, &self.name, &self.key, &cells)?))
    }
}

/// Remove a row of a table
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore table remove tasks 'Check Zoom'")]
pub struct Remove {
    /// Table
    name: String,
    /// First cell of the row
    key: String,
}

impl Operation for Remove {
    const NAME: &'static str = "table remove";
    const WRITES: bool = true;
    type Output = WriteResult;

    fn run(self, session: &Session) -> Result<WriteResult> {
        Ok(WriteResult::new(remove_table_row(session.fresh()?, &self.name, &self.key)?))
    }
}
