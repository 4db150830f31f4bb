//! Parameters with aliases and defaults, and arguments in the forms that clients send them.

use serde_json::{Map, Value, json};

use crate::app::error::{AppError, Result};

/// A parameter.
#[derive(Debug, Clone, Copy)]
pub struct BridgeParameter {
    /// Its name.
    pub name: &'static str,
    /// Other names that are accepted.
    pub aliases: &'static [&'static str],
    /// Its type.
    pub kind: Kind,
    /// Its default, as JSON.
    pub default: &'static str,
    /// Whether a call must have it.
    pub required: bool,
    /// What it means.
    pub about: &'static str,
}

/// The type of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A string.
    Text,
    /// One of several strings.
    Choice(&'static [&'static str]),
    /// A whole number.
    Integer,
    /// A number.
    Number,
    /// A boolean.
    Boolean,
    /// An object.
    Object,
    /// A list of strings; a string is split at commas.
    List,
}

/// Returns an optional parameter whose default is null.
pub const fn may(name: &'static str, kind: Kind) -> BridgeParameter {
    BridgeParameter { name, aliases: &[], kind, default: "null", required: false, about: "" }
}

/// Returns a required parameter.
pub const fn must(name: &'static str, kind: Kind) -> BridgeParameter {
    BridgeParameter { required: true, ..may(name, kind) }
}

impl BridgeParameter {
    /// Sets the default, as JSON.
    pub const fn or(self, default: &'static str) -> BridgeParameter {
        BridgeParameter { default, ..self }
    }

    /// Sets other names.
    pub const fn alias(self, aliases: &'static [&'static str]) -> BridgeParameter {
        BridgeParameter { aliases, ..self }
    }

    /// Sets the description.
    pub const fn about(self, about: &'static str) -> BridgeParameter {
        BridgeParameter { about, ..self }
    }

    /// Returns its schema.
    pub fn schema(&self) -> Value {
        let mut schema = match self.kind {
            Kind::Text => json!({ "type": "string" }),
            Kind::Choice(names) => json!({ "type": "string", "enum": names }),
            Kind::Integer => json!({ "type": "integer" }),
            Kind::Number => json!({ "type": "number" }),
            Kind::Boolean => json!({ "type": "boolean" }),
            Kind::Object => json!({ "type": "object", "additionalProperties": true }),
            Kind::List => {
                json!({ "anyOf": [{ "type": "array", "items": { "type": "string" } }, { "type": "string" }] })
            }
        };
        if let Some(object) = schema.as_object_mut() {
            let default: Value = serde_json::from_str(self.default).unwrap_or_default();
            if !default.is_null() {
                object.insert("default".into(), default);
            }
            if !self.about.is_empty() {
                object.insert("description".into(), self.about.into());
            }
        }
        schema
    }

    /// Returns a value in its type. Clients also send numbers, booleans, lists and objects as strings.
    fn read(&self, value: Value) -> Option<Value> {
        let parsed = |text: &str| serde_json::from_str::<Value>(text.trim()).ok();
        match (self.kind, value) {
            (_, Value::Null) => Some(Value::Null),
            (Kind::Text, Value::String(text)) => Some(text.into()),
            (Kind::Text, Value::Number(number)) => Some(number.to_string().into()),
            (Kind::Choice(names), Value::String(text)) => names.contains(&text.as_str()).then(|| text.into()),
            (Kind::Integer, Value::Number(number)) => number.as_u64().map(Value::from),
            (Kind::Integer, Value::String(text)) => text.trim().parse::<u64>().ok().map(Value::from),
            (Kind::Number, value @ Value::Number(_)) => Some(value),
            (Kind::Number, Value::String(text)) => text.trim().parse::<f64>().ok().map(Value::from),
            (Kind::Boolean, value @ Value::Bool(_)) => Some(value),
            (Kind::Boolean, Value::String(text)) => match text.trim().to_ascii_lowercase().as_str() {
                "true" | "1" | "yes" => Some(true.into()),
                "false" | "0" | "no" | "" => Some(false.into()),
                _ => None,
            },
            (Kind::Object, value @ Value::Object(_)) => Some(value),
            (Kind::Object, Value::String(text)) => parsed(&text).filter(Value::is_object),
            (Kind::List, Value::Array(items)) => {
                items.iter().all(Value::is_string).then_some(Value::Array(items))
            }
            (Kind::List, Value::String(text)) => match parsed(&text) {
                Some(Value::Array(items)) => Some(Value::Array(items)),
                _ => {
                    let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
                    Some(items.map(Value::from).collect())
                }
            },
            _ => None,
        }
    }
}

/// The arguments of a call, under the names of their parameters.
#[derive(Debug, Clone)]
pub struct Arguments {
    values: Map<String, Value>,
}

/// Parameters that name a page, which may begin with the name of a project.
const REFERENCES: [&str; 5] = ["identifier", "url", "id", "path", "dir_name"];

impl Arguments {
    /// Reads the arguments of a call.
    pub fn read(tool: &str, takes: &[BridgeParameter], mut given: Map<String, Value>) -> Result<Arguments> {
        let names = || takes.iter().map(|given| given.name).collect::<Vec<_>>().join(", ");
        let mut values = Map::new();
        for parameter in takes {
            let sent = std::iter::once(&parameter.name).chain(parameter.aliases);
            let sent: Vec<Value> = sent.filter_map(|name| given.remove(*name)).collect();
            let value = match sent.into_iter().find(|value| !value.is_null()) {
                Some(value) => parameter.read(value.clone()).ok_or_else(|| {
                    let message = format!("{tool}: {value} is no value for {:?}", parameter.name);
                    AppError::usage(message, format!("see the schema of {tool}"))
                })?,
                None if parameter.required => {
                    let message = format!("{tool} needs the parameter {:?}", parameter.name);
                    return Err(AppError::usage(message, format!("known parameters: {}", names())));
                }
                None => serde_json::from_str(parameter.default).unwrap_or_default(),
            };
            values.insert(parameter.name.to_owned(), value);
        }
        match given.keys().next() {
            Some(unknown) => {
                let message = format!("{tool} has no parameter {unknown:?}");
                Err(AppError::usage(message, format!("known parameters: {}", names())))
            }
            None => Ok(Arguments { values }),
        }
    }

    /// Returns a string that is not empty.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.values.get(name).and_then(Value::as_str).filter(|text| !text.is_empty())
    }

    /// Returns a boolean.
    pub fn is(&self, name: &str) -> bool {
        self.values.get(name).and_then(Value::as_bool).unwrap_or(false)
    }

    /// Returns a number.
    pub fn number(&self, name: &str) -> Option<usize> {
        self.values.get(name).and_then(Value::as_u64).map(|number| number as usize)
    }

    /// Returns a value; null if there is none.
    pub fn value(&self, name: &str) -> Value {
        self.values.get(name).cloned().unwrap_or_default()
    }

    /// Returns the strings of a list.
    pub fn list(&self, name: &str) -> Vec<String> {
        let items = self.values.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        items.iter().filter_map(Value::as_str).map(str::to_owned).collect()
    }

    /// Returns the project that the call names.
    pub fn project(&self) -> Option<String> {
        self.text("project").or_else(|| self.text("project_id")).map(str::to_owned)
    }

    /// Returns the reference that may begin with the name of a project.
    pub fn reference(&self) -> Option<String> {
        REFERENCES.iter().find_map(|name| self.text(name)).map(str::to_owned)
    }

    /// Sets the project.
    pub fn set_project(&mut self, name: &str) {
        self.values.insert("project".to_owned(), name.into());
    }

    /// Replaces that reference.
    pub fn set_reference(&mut self, reference: &str) {
        if let Some(name) = REFERENCES.iter().find(|name| self.text(name).is_some()) {
            self.values.insert((*name).to_owned(), reference.into());
        }
    }
}

/// Removes empty values from parameters, so that the operation uses its defaults.
pub fn parameters(given: Value) -> Value {
    match given {
        Value::Object(map) => Value::Object(map.into_iter().filter(|(_, value)| !value.is_null()).collect()),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TAKES: &[BridgeParameter] = &[
        must("query", Kind::Text).alias(&["q"]),
        may("page", Kind::Integer).or("1"),
        may("tags", Kind::List),
        may("deep", Kind::Boolean).or("false"),
        may("meta", Kind::Object),
    ];

    fn read(given: Value) -> Result<Arguments> {
        let Value::Object(given) = given else { panic!("an object") };
        Arguments::read("tool", TAKES, given)
    }

    #[test]
    fn arguments_are_read_in_every_form() {
        let sent = json!({ "q": "tea", "page": "2", "tags": "a, b", "deep": "true", "meta": "{\"x\": 1}" });
        let read_back = read(sent).expect("fine");
        assert_eq!(
            (read_back.text("query"), read_back.number("page"), read_back.is("deep")),
            (Some("tea"), Some(2), true)
        );
        assert_eq!(read_back.list("tags"), ["a", "b"]);
        assert_eq!(read_back.value("meta")["x"], 1);
        assert_eq!(read(json!({ "query": "x", "tags": "[\"c\"]" })).expect("fine").list("tags"), ["c"]);
        for (wrong, says) in [
            (json!({}), "needs the parameter \"query\""),
            (json!({ "query": "x", "nope": 1 }), "has no parameter \"nope\""),
            (json!({ "query": "x", "page": "many" }), "no value for \"page\""),
            (json!({ "query": "x", "page": -1 }), "no value for \"page\""),
            (json!({ "query": ["x"] }), "no value for \"query\""),
        ] {
            let failure = read(wrong.clone()).expect_err("wrong");
            assert!(failure.message.contains(says), "{wrong}: {}", failure.message);
        }
    }
}
