//! A tool: an operation under the name and with the parameters that agents know it by. Its schemas are made from the
//! operation's own.

use serde_json::{Map, Value, json};

use crate::failure::{Failure, Result};
use crate::ops::{self, Entry};

/// Which tools a client loads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Set {
    /// Pages with truth and timeline, links, facts, gaps.
    Memory,
    /// Notes by their titles, and projects.
    Notes,
    /// What is in every set: capture, context, upkeep.
    Common,
}

/// What calling a tool does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Acts {
    /// It changes nothing.
    Reads,
    /// It only ever adds.
    Adds,
    /// It may take something's place or remove it.
    Replaces,
}

/// A tool.
#[derive(Debug, Clone, Copy)]
pub struct Tool {
    /// Its name.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// What it does and when to use it.
    pub about: &'static str,
    /// Its set.
    pub set: Set,
    /// Whether it is one of the few that do most of the work.
    pub core: bool,
    /// What calling it does.
    pub acts: Acts,
    /// Whether calling it twice is as good as once.
    pub repeatable: bool,
    /// The operation, by what is asked.
    pub operation: fn(&Map<String, Value>) -> &'static str,
    /// The operation its schemas are made from.
    pub schema: &'static str,
    /// Its parameters.
    pub takes: &'static [Takes],
    /// What it gives, in the names of the operation's output; the schema says no more.
    pub gives: &'static [&'static str],
    /// Parameters of the operation that are always the same, as JSON.
    pub fixed: &'static str,
}

/// A parameter of a tool.
#[derive(Debug, Clone, Copy)]
pub struct Takes {
    name: &'static str,
    to: &'static str,
    required: bool,
    in_list: bool,
    default: Option<&'static str>,
    about: Option<&'static str>,
    chooses: bool,
}

/// A parameter that may be left out.
pub const fn may(name: &'static str) -> Takes {
    Takes { name, to: name, required: false, in_list: false, default: None, about: None, chooses: false }
}

/// A parameter that must be there.
pub const fn must(name: &'static str) -> Takes {
    Takes { required: true, ..may(name) }
}

impl Takes {
    /// The operation's name for it.
    pub const fn to(self, to: &'static str) -> Takes {
        Takes { to, ..self }
    }

    /// One of what the operation takes a list of.
    pub const fn in_list(self) -> Takes {
        Takes { in_list: true, ..self }
    }

    /// Its value where it is left out, as JSON.
    pub const fn or(self, default: &'static str) -> Takes {
        Takes { default: Some(default), ..self }
    }

    /// What an agent should know about it.
    pub const fn about(self, about: &'static str) -> Takes {
        Takes { about: Some(about), ..self }
    }

    /// It chooses the operation, which does not take it; a type in words.
    pub const fn chooses(self, kind: &'static str) -> Takes {
        Takes { chooses: true, to: kind, ..self }
    }
}

impl Tool {
    /// The operation that answers a call, and its parameters.
    pub fn call(&self, arguments: Map<String, Value>) -> Result<(Entry, Value)> {
        self.check(&arguments)?;
        let entry = ops::find((self.operation)(&arguments))?;
        let mut input = match serde_json::from_str(self.fixed) {
            Ok(Value::Object(fixed)) => fixed,
            _ => Map::new(),
        };
        for takes in self.takes.iter().filter(|takes| !takes.chooses) {
            let given = arguments.get(takes.name).filter(|value| !value.is_null()).cloned();
            let usual = || takes.default.and_then(|default| serde_json::from_str(default).ok());
            if let Some(value) = given.or_else(usual) {
                let value = if takes.in_list { json!([value]) } else { value };
                input.insert(takes.to.to_owned(), value);
            }
        }
        // Parameters that only some of the operations behind a tool have.
        let known = (entry.parameters)();
        input.retain(|name, _| known.contains(name));
        Ok((entry, Value::Object(input)))
    }

    fn check(&self, arguments: &Map<String, Value>) -> Result<()> {
        let names = || self.takes.iter().map(|takes| takes.name).collect::<Vec<_>>().join(", ");
        let is_known = |name: &String| name == "project" || self.takes.iter().any(|takes| takes.name == name);
        if let Some(unknown) = arguments.keys().find(|name| !is_known(name)) {
            let message = format!("{} has no parameter {unknown:?}", self.name);
            return Err(Failure::usage(message, format!("the parameters are {}", names())));
        }
        let missing = |takes: &&Takes| takes.required && arguments.get(takes.name).is_none_or(Value::is_null);
        match self.takes.iter().find(missing) {
            Some(takes) => {
                let message = format!("{} needs {:?}", self.name, takes.name);
                Err(Failure::usage(message, format!("the parameters are {}", names())))
            }
            None => Ok(()),
        }
    }

    /// The schema of its parameters.
    pub fn input_schema(&self) -> Map<String, Value> {
        let operation = ops::find(self.schema).map(|entry| (entry.input)().to_value()).unwrap_or_default();
        let known = operation.get("properties");
        let mut properties = Map::new();
        for takes in self.takes {
            let mut schema = match takes.chooses {
                true => json!({ "type": takes.to }),
                false => plain(known.and_then(|known| known.get(takes.to)).unwrap_or(&Value::Null)),
            };
            if takes.in_list {
                schema = schema.get("items").cloned().unwrap_or_else(|| json!({ "type": "string" }));
            }
            if let Some(object) = schema.as_object_mut() {
                if let Some(about) = takes.about {
                    object.insert("description".into(), about.into());
                }
                if let Some(default) = takes.default.and_then(|default| serde_json::from_str(default).ok()) {
                    object.insert("default".into(), default);
                }
            }
            properties.insert(takes.name.to_owned(), schema);
        }
        let required: Vec<&str> =
            self.takes.iter().filter(|takes| takes.required).map(|takes| takes.name).collect();
        let mut schema = Map::from_iter([("type".to_owned(), json!("object"))]);
        schema.insert("properties".into(), Value::Object(properties));
        if !required.is_empty() {
            schema.insert("required".into(), json!(required));
        }
        schema
    }

    /// The schema of what it gives: the names that matter, so that it costs little to read.
    pub fn output_schema(&self) -> Map<String, Value> {
        let operation = ops::find(self.schema).map(|entry| (entry.output)().to_value()).unwrap_or_default();
        let known = operation.get("properties");
        let kind = |name: &str| match known.and_then(|known| known.get(name)?.get("type")) {
            Some(Value::String(kind)) => json!({ "type": kind }),
            _ => json!({}),
        };
        let properties: Map<String, Value> =
            self.gives.iter().map(|name| ((*name).to_owned(), kind(name))).collect();
        let mut schema = Map::from_iter([("type".to_owned(), json!("object"))]);
        if !properties.is_empty() {
            schema.insert("properties".into(), Value::Object(properties));
        }
        schema
    }
}

/// A schema without what an agent can do without: descriptions, formats, limits, and that null is allowed.
fn plain(schema: &Value) -> Value {
    let variants = ["anyOf", "oneOf"].iter().find_map(|key| schema.get(key)?.as_array());
    if let Some(variants) = variants {
        let names: Vec<&Value> = variants.iter().filter_map(|one| one.get("const")).collect();
        let first = variants.iter().find(|one| one.get("type") != Some(&json!("null")));
        return match names.is_empty() {
            true => first.map(plain).unwrap_or_else(|| json!({})),
            false => json!({ "enum": names }),
        };
    }
    if let Some(names) = schema.get("enum").and_then(Value::as_array) {
        return json!({ "enum": names.iter().filter(|name| !name.is_null()).collect::<Vec<_>>() });
    }
    let kind = match schema.get("type") {
        Some(Value::String(kind)) => kind.clone(),
        Some(Value::Array(kinds)) => {
            let named = kinds.iter().filter_map(Value::as_str).find(|kind| *kind != "null");
            named.unwrap_or("object").to_owned()
        }
        _ => return json!({}),
    };
    let mut plain_schema = Map::from_iter([("type".to_owned(), json!(kind))]);
    if let Some(items) = schema.get("items") {
        plain_schema.insert("items".into(), plain(items));
    }
    if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
        let properties = properties.iter().map(|(name, schema)| (name.clone(), plain(schema)));
        plain_schema.insert("properties".into(), Value::Object(properties.collect()));
        if let Some(required) = schema.get("required") {
            plain_schema.insert("required".into(), required.clone());
        }
    }
    Value::Object(plain_schema)
}
