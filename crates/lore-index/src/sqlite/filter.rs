//! Filters as SQL over the `page` table, each on an index of its own.

use lore_engine::{Filter, ProjectNo};
use lore_page::fold;
use rusqlite::ToSql;
use rusqlite::types::Value;

use super::fts::property;

/// Conditions with their values, to be joined by `AND`.
pub(super) struct Conditions {
    pub(super) sql: String,
    pub(super) values: Vec<Value>,
}

impl Conditions {
    /// All that a filter says.
    pub(super) fn all(project: ProjectNo, filter: &Filter) -> Conditions {
        let mut conditions = Conditions::beyond_fts(filter);
        conditions.add("p.project = ?", project.into());
        if !filter.kinds.is_empty() {
            let marks = vec!["?"; filter.kinds.len()].join(", ");
            conditions.sql.push_str(&format!(" AND p.kind IN ({marks})"));
            conditions.values.extend(filter.kinds.iter().cloned().map(Value::from));
        }
        for tag in &filter.tags {
            conditions.label(project, "tag", fold(tag));
        }
        for (key, value) in &filter.properties {
            conditions.label(project, "property", property(key, value));
        }
        if let Some(status) = &filter.status {
            conditions.add("p.status = ?", status.clone().into());
        }
        if let Some(wing) = &filter.wing {
            conditions.add("p.wing = ?", wing.clone().into());
        }
        if let Some(path) = filter.path.as_deref().filter(|path| path.ends_with('/')) {
            conditions.prefix("p.path", path);
        }
        conditions
    }

    /// What the tokens of the full-text table cannot say.
    pub(super) fn beyond_fts(filter: &Filter) -> Conditions {
        let mut conditions = Conditions { sql: "1".into(), values: Vec::new() };
        if let Some(path) = filter.path.as_deref().filter(|path| !path.ends_with('/')) {
            conditions.prefix("p.path", path);
        }
        if let Some(slug) = &filter.slug {
            conditions.add("p.slug = ?", slug.clone().into());
        }
        match filter.slug_match.as_deref() {
            Some(glob) if glob.contains(['*', '?', '[']) => {
                conditions.add("p.slug GLOB ?", glob.to_owned().into())
            }
            Some(start) => conditions.prefix("p.slug", start),
            None => {}
        }
        if let Some(title) = &filter.title {
            conditions.add("instr(lower(p.title), lower(?)) > 0", title.clone().into());
        }
        if let Some(since) = filter.since {
            conditions.add("p.updated >= ?", since.into());
        }
        if let Some(until) = filter.until {
            conditions.add("p.updated < ?", until.into());
        }
        conditions
    }

    /// The values as rusqlite takes them.
    pub(super) fn bound(&self) -> Vec<&dyn ToSql> {
        self.values.iter().map(|value| value as &dyn ToSql).collect()
    }

    fn add(&mut self, sql: &str, value: Value) {
        self.sql.push_str(" AND ");
        self.sql.push_str(sql);
        self.values.push(value);
    }

    fn label(&mut self, project: ProjectNo, kind: &str, value: String) {
        self.sql.push_str(
            " AND p.number IN (SELECT page FROM label WHERE project = ? AND kind = ? AND value = ?)",
        );
        self.values.extend([project.into(), kind.to_owned().into(), value.into()]);
    }

    /// A range instead of LIKE: it uses the index and knows no wildcards.
    fn prefix(&mut self, column: &str, start: &str) {
        self.sql.push_str(&format!(" AND {column} >= ? AND {column} < ?"));
        self.values.push(start.to_owned().into());
        self.values.push(format!("{start}\u{10ffff}").into());
    }
}
