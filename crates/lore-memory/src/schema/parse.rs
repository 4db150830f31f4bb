//! Reads schemas in Picoschema: `name: string, full name`, `role?(array): string`, `state(enum): [open, done]`,
//! `works_at?: Organization`.

use lore_page::{Properties, Value};

/// A schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Schema {
    /// The type of the notes that it describes.
    pub entity: String,
    /// Title of its page.
    pub title: String,
    pub fields: Vec<Field>,
    /// Properties that the notes have.
    pub properties: Vec<Field>,
    pub mode: Mode,
}

/// How a finding counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// As a warning.
    Warn,
    /// As an error.
    Strict,
    /// Not at all.
    Off,
}

/// A field of a schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Field {
    pub name: String,
    pub kind: String,
    pub required: bool,
    pub array: bool,
    /// The values of an enumeration; empty for other types.
    pub allowed: Vec<String>,
}

impl Field {
    /// Whether the field is a relation: its type is the name of a type of notes.
    pub fn is_relation(&self) -> bool {
        self.kind.starts_with(char::is_uppercase)
    }

    fn parse(key: &str, value: &Value) -> Option<Field> {
        let (key, note) = match key.split_once('(') {
            Some((key, note)) => (key, note.trim_end_matches(')')),
            None => (key, ""),
        };
        let marks: Vec<&str> = note.split(',').map(str::trim).collect();
        let name = key.trim().trim_end_matches('?').trim();
        let texts = |items: &[Value]| -> Vec<String> {
            let texts = items.iter().filter_map(|item| match item {
                Value::Text(text) => Some(text.clone()),
                _ => None,
            });
            texts.collect()
        };
        let (kind, allowed) = match value {
            Value::List(items) => ("enum".to_owned(), texts(items)),
            Value::Map(_) => ("object".to_owned(), Vec::new()),
            Value::Text(text) => (text.split(',').next().unwrap_or_default().trim().to_owned(), Vec::new()),
        };
        let bare = kind.trim_end_matches("[]").to_owned();
        let field = Field {
            name: name.to_owned(),
            required: !key.trim().ends_with('?'),
            array: marks.contains(&"array") || bare != kind,
            kind: bare,
            allowed,
        };
        (!field.name.is_empty()).then_some(field)
    }
}

impl Schema {
    /// Reads the schema of a page; none if it has no fields.
    pub fn of_page(properties: &Properties, title: &str) -> Option<Schema> {
        let Some(Value::Map(fields)) = properties.get("schema") else { return None };
        let entity = properties.text("entity").unwrap_or(title).trim().to_owned();
        let settings = match properties.get("settings") {
            Some(Value::Map(settings)) => settings.clone(),
            _ => Properties::default(),
        };
        let own = match settings.get("frontmatter") {
            Some(Value::Map(own)) => own.clone(),
            _ => Properties::default(),
        };
        let mode = match settings.text("validation").map(str::to_ascii_lowercase).as_deref() {
            Some("strict") => Mode::Strict,
            Some("off" | "none") => Mode::Off,
            _ => Mode::Warn,
        };
        let read =
            |fields: &Properties| fields.iter().filter_map(|(key, value)| Field::parse(key, value)).collect();
        Some(Schema { entity, title: title.to_owned(), fields: read(fields), properties: read(&own), mode })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_have_marks_and_types() {
        let text = "---\ntitle: Task\nentity: task\nschema:\n  owner: Person\n  status(enum): [open, done]\n  \
                    step(array): string\n  note?: string, a comment\n  many: string[]\nsettings:\n  validation: strict\n  \
                    frontmatter:\n    prio?: number\n---\n";
        let schema =
            Schema::of_page(&lore_page::parse("t.md", text).page.properties, "Task").expect("a schema");
        assert_eq!((schema.entity.as_str(), schema.mode), ("task", Mode::Strict));
        let shown: Vec<String> = schema
            .fields
            .iter()
            .chain(&schema.properties)
            .map(|field| {
                let marks = [(field.required, "!"), (field.array, "*"), (field.is_relation(), ">")];
                let marks: String = marks.iter().filter(|(is, _)| *is).map(|(_, mark)| *mark).collect();
                format!("{}{marks}:{}{}", field.name, field.kind, field.allowed.join("|"))
            })
            .collect();
        assert_eq!(
            shown,
            [
                "owner!>:Person",
                "status!:enumopen|done",
                "step!*:string",
                "note:string",
                "many!*:string",
                "prio:number"
            ]
        );
        assert_eq!(Schema::of_page(&Properties::default(), "x"), None);
    }
}
