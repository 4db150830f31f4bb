//! Filters as SQL over the `page` table, each backed by an index.

use lore_ports::{Filter, GlobPart, Label, Namespace, ProjectNo, SlugPattern};
use lore_text::fold;
use rusqlite::ToSql;
use rusqlite::types::Value;

/// Conditions with their values, joined by `AND`.
pub(super) struct Conditions {
    pub(super) sql: String,
    pub(super) values: Vec<Value>,
}

impl Conditions {
    /// Returns all conditions of a filter.
    pub(super) fn all(project: ProjectNo, filter: &Filter) -> Conditions {
        let mut conditions = Conditions::beyond_fts(project, filter);
        conditions.add("p.project = ?", project.into());
        for (label, values) in filter.labels() {
            conditions.label(project, label_name(label), &values);
        }
        if let Some(path) = filter.path.as_deref().filter(|path| path.ends_with('/')) {
            conditions.prefix("p.path", path);
        }
        conditions
    }

    /// Returns the conditions that the full-text table's filter tokens cannot express.
    pub(super) fn beyond_fts(project: ProjectNo, filter: &Filter) -> Conditions {
        let mut conditions = Conditions { sql: "1".into(), values: Vec::new() };
        if let Some(namespace) = &filter.namespace {
            conditions.namespace(project, namespace);
        }
        if let Some(path) = filter.path.as_deref().filter(|path| !path.ends_with('/')) {
            conditions.prefix("p.path", path);
        }
        if let Some(slug) = &filter.slug {
            conditions.add("p.slug = ?", slug.clone().into());
        }
        if !filter.among.is_empty() {
            let slugs = serde_json::to_string(&filter.among).unwrap_or_default();
            conditions.add("p.slug IN (SELECT value FROM json_each(?))", slugs.into());
        }
        match filter.slug_match.as_deref().map(SlugPattern::parse) {
            Some(SlugPattern::Glob(parts)) => conditions.add("p.slug GLOB ?", glob(&parts).into()),
            Some(SlugPattern::Prefix(start)) => conditions.prefix("p.slug", &start),
            None => {}
        }
        if let Some(title) = &filter.title {
            conditions.add("instr(p.title_key, ?) > 0", fold(title).into());
        }
        if let Some(since) = filter.since {
            conditions.add("p.updated >= ?", since.into());
        }
        if let Some(until) = filter.until {
            conditions.add("p.updated < ?", until.into());
        }
        if let Some(aged) = filter.aged {
            conditions
                .add("p.status IS NULL AND coalesce(p.declared_date, p.updated) < ?", aged.before.into());
            if let Some(since) = aged.orphans_since {
                conditions.add("coalesce(p.declared_date, p.updated) >= ?", since.into());
                conditions.sql.push_str(
                    " AND NOT EXISTS (SELECT 1 FROM link WHERE to_page = p.number AND from_page <> p.number)",
                );
            }
        }
        conditions
    }

    /// Returns the values for binding.
    pub(super) fn bound(&self) -> Vec<&dyn ToSql> {
        self.values.iter().map(|value| value as &dyn ToSql).collect()
    }

    fn add(&mut self, sql: &str, value: Value) {
        self.sql.push_str(" AND ");
        self.sql.push_str(sql);
        self.values.push(value);
    }

    /// Requires one of these label values.
    fn label(&mut self, project: ProjectNo, kind: &str, values: &[String]) {
        let marks = vec!["?"; values.len()].join(", ");
        self.sql.push_str(&format!(
            " AND p.number IN (SELECT page FROM label WHERE project = ? AND kind = ? AND value IN ({marks}))"
        ));
        self.values.extend([project.into(), kind.to_owned().into()]);
        self.values.extend(values.iter().cloned().map(Value::from));
    }

    /// Requires one of a namespace's path prefixes or labels.
    fn namespace(&mut self, project: ProjectNo, namespace: &Namespace) {
        let mut ways = Vec::new();
        for prefix in &namespace.prefixes {
            ways.push("p.path >= ? AND p.path < ?".to_owned());
            self.values.push(prefix.clone().into());
            self.values.push(format!("{prefix}\u{10ffff}").into());
        }
        for (label, value) in namespace.labels() {
            ways.push(
                "p.number IN (SELECT page FROM label WHERE project = ? AND kind = ? AND value = ?)"
                    .to_owned(),
            );
            self.values.extend([project.into(), label_name(label).to_owned().into(), value.into()]);
        }
        self.sql.push_str(&format!(" AND ({})", ways.join(" OR ")));
    }

    /// Uses a range instead of LIKE: it uses the index and has no wildcards.
    fn prefix(&mut self, column: &str, start: &str) {
        self.sql.push_str(&format!(" AND {column} >= ? AND {column} < ?"));
        self.values.push(start.to_owned().into());
        self.values.push(format!("{start}\u{10ffff}").into());
    }
}

/// Returns the name of a kind of label in the `label` table.
pub(super) fn label_name(label: Label) -> &'static str {
    match label {
        Label::Type => "type",
        Label::Tag => "tag",
        Label::Status => "status",
        Label::Wing => "wing",
        Label::Property => "property",
    }
}

/// Renders a glob in SQLite's syntax.
fn glob(parts: &[GlobPart]) -> String {
    let mut glob = String::new();
    for part in parts {
        match part {
            GlobPart::Anything => glob.push('*'),
            GlobPart::AnyCharacter => glob.push('?'),
            GlobPart::Text(text) => {
                for letter in text.chars() {
                    match letter {
                        '*' | '?' | '[' => glob.extend(['[', letter, ']']),
                        letter => glob.push(letter),
                    }
                }
            }
            GlobPart::Class { is_negated, ranges } => {
                glob.push_str(if *is_negated { "[^" } else { "[" });
                // A closing bracket must come first.
                let (brackets, others): (Vec<_>, Vec<_>) =
                    ranges.iter().partition(|range| **range == (']', ']'));
                for (first, last) in brackets.into_iter().chain(others) {
                    match first == last {
                        true => glob.push(first),
                        false => glob.extend([first, '-', last]),
                    }
                }
                glob.push(']');
            }
        }
    }
    glob
}
