//! Describes an MCP tool: an operation with the name and parameters that agents see. Its schemas are derived from the
//! operation's schemas.

use serde_json::{Map, Value, json};

use super::basic_memory::Bridge;
use crate::app::access::Reach;
use crate::app::error::{AppError, Result};
use crate::ops;

/// The set a tool belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Set {
    /// Pages with truth and timeline, links, facts, gaps.
    Memory,
    /// Notes by their titles, and projects.
    Notes,
    /// Tools in every set: capture, context, maintenance.
    Common,
    /// The tools of Basic Memory, in its words and shapes.
    BasicMemory,
}

/// The effect of calling a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Changes nothing.
    Reads,
    /// Only adds.
    Adds,
    /// May replace or remove content.
    Replaces,
}

/// An MCP tool.
#[derive(Debug, Clone, Copy)]
pub struct Tool {
    /// The tool name.
    pub name: &'static str,
    /// Display name.
    pub title: &'static str,
    /// What it does and when to use it.
    pub about: &'static str,
    /// The set it belongs to.
    pub set: Set,
    /// Whether it belongs to the core set.
    pub core: bool,
    /// The effect of a call.
    pub acts: Effect,
    /// Whether calling it twice has the same effect as calling it once.
    pub repeatable: bool,
    /// Chooses the operation from the arguments.
    pub operation: fn(&Map<String, Value>) -> &'static str,
    /// The operation its schemas are derived from.
    pub schema: &'static str,
    /// The parameters.
    pub takes: &'static [Parameter],
    /// Output fields listed in the output schema.
    pub gives: &'static [&'static str],
    /// Fixed parameters of the operation, as JSON.
    pub fixed: &'static str,
    /// How it is translated, if its parameters and answers are those of another product.
    pub bridge: Option<&'static Bridge>,
}

/// A parameter of a tool.
#[derive(Debug, Clone, Copy)]
pub struct Parameter {
    name: &'static str,
    to: &'static str,
    required: bool,
    /// The parameter without which it is not required.
    required_with: Option<&'static str>,
    in_list: bool,
    default: Option<&'static str>,
    about: Option<&'static str>,
    chooses: bool,
}

/// Returns an optional parameter.
pub const fn may(name: &'static str) -> Parameter {
    Parameter {
        name,
        to: name,
        required: false,
        required_with: None,
        in_list: false,
        default: None,
        about: None,
        chooses: false,
    }
}

/// Returns a required parameter.
pub const fn must(name: &'static str) -> Parameter {
    Parameter { required: true, ..may(name) }
}

impl Parameter {
    /// Sets the name of the operation's parameter.
    pub const fn to(self, to: &'static str) -> Parameter {
        Parameter { to, ..self }
    }

    /// Makes a required parameter optional without this other one.
    pub const fn only_with(self, other: &'static str) -> Parameter {
        Parameter { required_with: Some(other), ..self }
    }

    /// Passes the value as a list of one.
    pub const fn in_list(self) -> Parameter {
        Parameter { in_list: true, ..self }
    }

    /// Sets the default, as JSON.
    pub const fn or(self, default: &'static str) -> Parameter {
        Parameter { default: Some(default), ..self }
    }

    /// Sets the description.
    pub const fn about(self, about: &'static str) -> Parameter {
        Parameter { about: Some(about), ..self }
    }

    /// Marks a parameter that only chooses the operation and is not passed on; `kind` is its JSON type.
    pub const fn chooses(self, kind: &'static str) -> Parameter {
        Parameter { chooses: true, to: kind, ..self }
    }
}

impl Parameter {
    fn is_always_required(&self) -> bool {
        self.required && self.required_with.is_none()
    }
}

impl Tool {
    /// Returns whether a server offers the tool; `machine` is whether it allows changes of the machine.
    pub fn is_offered(&self, machine: bool) -> bool {
        // A client of another product is told why a tool that it knows is refused.
        machine
            || self.bridge.is_some()
            || ops::find(self.schema).is_ok_and(|operation| operation.reach != Reach::ChangesMachine)
    }

    /// Returns the operation for a call, with its parameters.
    pub fn call(&self, arguments: Map<String, Value>) -> Result<(&'static str, Value)> {
        self.check(&arguments)?;
        let operation = (self.operation)(&arguments);
        let mut input = self.fixed();
        for takes in self.takes.iter().filter(|takes| !takes.chooses) {
            let given = arguments.get(takes.name).filter(|value| !value.is_null()).cloned();
            let usual = || takes.default.and_then(|default| serde_json::from_str(default).ok());
            if let Some(value) = given.or_else(usual) {
                let value = if takes.in_list { json!([value]) } else { value };
                input.insert(takes.to.to_owned(), value);
            }
        }
        // Drops parameters that the chosen operation does not have.
        let known = ops::find(operation)?.parameters();
        input.retain(|name, _| known.contains(name));
        Ok((operation, Value::Object(input)))
    }

    /// Returns the arguments with which the tool runs an operation with these parameters, and the number of fixed
    /// parameters that the tool adds; `None` if it does not run it.
    pub fn invert(
        &self,
        operation: &str,
        parameters: &Map<String, Value>,
    ) -> Option<(Map<String, Value>, usize)> {
        let fixed = self.fixed();
        let mut arguments = Map::new();
        for (name, value) in parameters.iter().filter(|(name, value)| fixed.get(*name) != Some(*value)) {
            let own = if name == "project" { name } else { self.parameter(name)? };
            arguments.insert(own.to_owned(), value.clone());
        }
        let added = fixed.keys().filter(|name| !parameters.contains_key(*name)).count();
        ((self.operation)(&arguments) == operation).then_some((arguments, added))
    }

    /// Returns the name that the tool has for a parameter of its operation.
    pub fn parameter(&self, name: &str) -> Option<&'static str> {
        self.takes.iter().find(|takes| !takes.chooses && takes.to == name).map(|takes| takes.name)
    }

    fn fixed(&self) -> Map<String, Value> {
        match serde_json::from_str(self.fixed) {
            Ok(Value::Object(fixed)) => fixed,
            _ => Map::new(),
        }
    }

    fn check(&self, arguments: &Map<String, Value>) -> Result<()> {
        let names = || self.takes.iter().map(|takes| takes.name).collect::<Vec<_>>().join(", ");
        let is_known = |name: &String| name == "project" || self.takes.iter().any(|takes| takes.name == name);
        if let Some(unknown) = arguments.keys().find(|name| !is_known(name)) {
            let message = format!("{} has no parameter {unknown:?}", self.name);
            return Err(AppError::usage(message, format!("known parameters: {}", names())));
        }
        let is_given = |name: &str| arguments.get(name).is_some_and(|value| !value.is_null());
        let missing = |takes: &&Parameter| {
            takes.required && takes.required_with.is_none_or(is_given) && !is_given(takes.name)
        };
        match self.takes.iter().find(missing) {
            Some(takes) => {
                let message = format!("{} needs the parameter {:?}", self.name, takes.name);
                Err(AppError::usage(message, format!("known parameters: {}", names())))
            }
            None => Ok(()),
        }
    }

    /// Returns the input schema.
    pub fn input_schema(&self) -> Map<String, Value> {
        if let Some(bridge) = self.bridge {
            return bridge.input_schema();
        }
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
            self.takes.iter().filter(|takes| takes.is_always_required()).map(|takes| takes.name).collect();
        let mut schema = Map::from_iter([("type".to_owned(), json!("object"))]);
        schema.insert("properties".into(), Value::Object(properties));
        if !required.is_empty() {
            schema.insert("required".into(), json!(required));
        }
        schema
    }

    /// Returns the output schema: only the names that matter, to cost few tokens.
    pub fn output_schema(&self) -> Map<String, Value> {
        if let Some(bridge) = self.bridge {
            return bridge.output_schema();
        }
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

/// Strips a schema of what an agent does not need: descriptions, formats, limits and nullability.
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
