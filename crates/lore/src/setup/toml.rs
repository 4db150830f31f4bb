//! Edits TOML settings and leaves everything else unchanged.

use lore_engine::line_of;
use serde_json::Value;
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, TableLike, value};

use super::SettingsError;

/// An editable TOML document.
pub struct Toml {
    document: DocumentMut,
    /// Whether its lines end with CRLF.
    uses_crlf: bool,
}

impl Toml {
    /// Parses a document.
    pub fn parse(text: &str) -> Result<Toml, SettingsError> {
        let uses_crlf = text.contains("\r\n");
        let document = text.replace("\r\n", "\n").parse::<DocumentMut>().map_err(|error| SettingsError {
            line: error.span().map(|span| line_of(text, span.start) as usize),
            message: error.message().lines().collect::<Vec<_>>().join(" "),
        })?;
        Ok(Toml { document, uses_crlf })
    }

    /// Returns the document as text.
    pub fn text(&self) -> String {
        let text = self.document.to_string();
        if self.uses_crlf { text.replace('\n', "\r\n") } else { text }
    }

    /// Returns the value at a path of keys; only strings, lists and tables are converted.
    pub fn get(&self, path: &[&str]) -> Option<Value> {
        path.iter().try_fold(self.document.as_item(), |item, key| item.get(key)).map(read)
    }

    /// Sets the table at a path of two keys; in an existing table, only the keys of the new table change. Returns the
    /// paths of the tables created on the way.
    pub fn set(&mut self, path: [&str; 2], fields: &Value) -> Result<Vec<Vec<String>>, SettingsError> {
        let [outer, inner] = path;
        let created_keys =
            if self.document.contains_key(outer) { Vec::new() } else { vec![vec![outer.to_owned()]] };
        let mut table = Table::new();
        table.set_implicit(true);
        let type_error =
            |what: String| SettingsError { line: None, message: format!("{what} is not a table") };
        let outer_table = self.document.entry(outer).or_insert(Item::Table(table));
        let inline = outer_table.is_inline_table();
        let outer_table = outer_table.as_table_like_mut().ok_or_else(|| type_error(outer.to_owned()))?;
        let new = || if inline { value(InlineTable::new()) } else { Item::Table(Table::new()) };
        let entry = outer_table.entry(inner).or_insert_with(new);
        let entry = entry.as_table_like_mut().ok_or_else(|| type_error(format!("{outer}.{inner}")))?;
        for (key, new_value) in fields.as_object().into_iter().flatten() {
            if entry.get(key).map(read).as_ref() != Some(new_value) {
                put(entry, key, new_value);
            }
        }
        Ok(created_keys)
    }

    /// Removes the table at a path of two keys; returns whether there was one.
    pub fn remove(&mut self, path: [&str; 2]) -> bool {
        let [outer, inner] = path;
        let outer = self.document.get_mut(outer).and_then(Item::as_table_like_mut);
        outer.and_then(|outer| outer.remove(inner)).is_some()
    }

    /// Removes an empty table.
    pub fn remove_empty(&mut self, key: &str) {
        if self.document.get(key).and_then(Item::as_table_like).is_some_and(TableLike::is_empty) {
            self.document.remove(key);
        }
    }
}

fn put(table: &mut dyn TableLike, key: &str, new_value: &Value) {
    let item = match new_value {
        Value::Array(items) => value(items.iter().filter_map(Value::as_str).collect::<Array>()),
        Value::Object(fields) => value(
            fields
                .iter()
                .filter_map(|(key, value)| Some((key.as_str(), value.as_str()?)))
                .collect::<InlineTable>(),
        ),
        other => value(other.as_str().unwrap_or_default()),
    };
    match (table.get_mut(key).and_then(Item::as_table_like_mut), new_value) {
        // An existing table keeps its other keys.
        (Some(existing), Value::Object(fields)) => {
            for (key, new_value) in fields {
                put(existing, key, new_value);
            }
        }
        _ => drop(table.insert(key, item)),
    }
}

fn read(item: &Item) -> Value {
    if let Some(text) = item.as_str() {
        return text.into();
    }
    if let Some(items) = item.as_array() {
        return items.iter().map(|item| Value::from(item.as_str().unwrap_or_default())).collect();
    }
    let Some(table) = item.as_table_like() else { return Value::Null };
    table.iter().map(|(key, item)| (key.to_owned(), read(item))).collect()
}
