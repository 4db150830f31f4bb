//! Tables of another program's database, read as data.

/// A table with its rows.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Table {
    /// Its name.
    pub name: String,
    /// Names of its columns.
    pub columns: Vec<String>,
    /// Its rows, each with one cell per column.
    pub rows: Vec<Vec<Cell>>,
}

/// A value of a row.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// No value.
    Null,
    /// A whole number.
    Integer(i64),
    /// A number.
    Real(f64),
    /// Text.
    Text(String),
    /// Bytes.
    Blob(Vec<u8>),
}

impl Table {
    /// Returns a value of a row as text; empty without one.
    pub fn text(&self, row: &[Cell], column: &str) -> String {
        let at = self.columns.iter().position(|name| name == column);
        match at.and_then(|at| row.get(at)) {
            Some(Cell::Text(text)) => text.clone(),
            Some(Cell::Integer(number)) => number.to_string(),
            Some(Cell::Real(number)) => number.to_string(),
            _ => String::new(),
        }
    }

    /// Returns a value of a row as a whole number.
    pub fn number(&self, row: &[Cell], column: &str) -> Option<i64> {
        let at = self.columns.iter().position(|name| name == column)?;
        match row.get(at)? {
            Cell::Integer(number) => Some(*number),
            _ => None,
        }
    }
}
