//! A type-erased operation: its names, schemas and how to run it.

use std::sync::OnceLock;

use clap::{ArgMatches, Command};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::Value;

use super::json_errors::in_plain_words;
use super::{DynOutput, Operation, find};
use crate::app::access::{Demand, Reach};
use crate::app::error::{AppError, Result};
use crate::app::session::Session;

/// A type-erased operation.
pub struct OperationInfo {
    /// Name.
    pub name: &'static str,
    /// Other names.
    pub aliases: &'static [&'static str],
    /// Former names, which are still accepted.
    pub former_names: &'static [&'static str],
    /// Whether it changes anything.
    pub writes: bool,
    /// Whether it may log in the ledger. A read-only grant allows it; it then logs nothing.
    pub logs: bool,
    /// What it reaches beyond one vault.
    pub reach: Reach,
    /// Builds its subcommand.
    pub command: fn() -> Command,
    /// Returns the schema of its parameters.
    pub input: fn() -> Schema,
    /// Returns the schema of its output.
    pub output: fn() -> Schema,
    /// Runs it from command-line arguments.
    pub from_cli: fn(&ArgMatches, &Session) -> Result<Box<dyn DynOutput>>,
    /// Parses its parameters from JSON.
    pub(super) from_json: fn(Value) -> Result<Prepared>,
    /// The names of its parameters. They are cached because building a schema can take longer than running the
    /// operation.
    parameters: OnceLock<Box<[String]>>,
}

/// An operation with its parameters, ready to run.
pub(super) type Prepared = Box<dyn FnOnce(&Session) -> Result<Box<dyn DynOutput>> + Send>;

impl OperationInfo {
    /// Returns what it demands of a grant.
    pub fn demand(&self) -> Demand {
        Demand { name: self.name, writes: self.writes, reach: self.reach }
    }

    /// Returns its tool name: `project add` is `project_add`.
    pub fn tool(&self) -> String {
        self.name.replace([' ', '-'], "_")
    }

    /// Returns the names of its parameters.
    pub fn parameters(&self) -> &[String] {
        self.parameters.get_or_init(|| {
            let schema = (self.input)();
            let properties = schema.get("properties").and_then(Value::as_object);
            properties.into_iter().flat_map(|properties| properties.keys().cloned()).collect()
        })
    }

    /// Returns an error if a parameter is unknown.
    pub(super) fn check(&self, parameters: &Value) -> Result<()> {
        let known = self.parameters();
        let unknown = parameters.as_object().and_then(|given| given.keys().find(|key| !known.contains(key)));
        let Some(unknown) = unknown else { return Ok(()) };
        let message = match self.is_of_the_command_line(unknown) {
            true => format!("{} takes {unknown:?} only on the command line", self.name),
            false => format!("{} has no parameter {unknown:?}", self.name),
        };
        Err(AppError::usage(message, format!("known parameters: {}", known.join(", "))))
    }

    /// Returns whether the command has an argument of this name that no other face has: most of these name files.
    fn is_of_the_command_line(&self, name: &str) -> bool {
        (self.command)().get_arguments().any(|argument| argument.get_id() == name)
    }

    pub(super) const fn of<O: Operation>() -> OperationInfo {
        OperationInfo {
            name: O::NAME,
            aliases: O::ALIASES,
            former_names: O::FORMER_NAMES,
            writes: O::WRITES,
            logs: O::LOGS,
            reach: O::REACH,
            command: || {
                O::augment_args(Command::new(last_word(O::NAME)))
                    .visible_aliases(O::ALIASES.iter().copied())
                    .aliases(O::FORMER_NAMES.iter().copied())
                    .hide(O::HIDDEN)
            },
            input: schema::<O>,
            output: output_schema::<O::Output>,
            from_cli: |matches, session| {
                let operation = O::from_arg_matches(matches)
                    .map_err(|error| AppError::usage(error.to_string(), "run with --help for usage"))?;
                session.starting(writes::<O>());
                Ok(Box::new(operation.run(session)?))
            },
            from_json: |value| {
                let operation: O = parse(value)?;
                Ok(Box::new(|session| {
                    session.starting(writes::<O>());
                    Ok(Box::new(operation.run(session)?))
                }))
            },
            parameters: OnceLock::new(),
        }
    }
}

/// Whether an operation writes, other than to the index.
fn writes<O: Operation>() -> bool {
    O::WRITES && O::NAME != "sync"
}

fn last_word(name: &'static str) -> &'static str {
    name.rsplit(' ').next().unwrap_or(name)
}

fn schema<T: JsonSchema>() -> Schema {
    SchemaGenerator::new(inlined()).into_root_schema_for::<T>()
}

/// Returns the schema of a serialized value: fields that may be skipped are not required.
fn output_schema<T: JsonSchema>() -> Schema {
    SchemaGenerator::new(inlined().for_serialize()).into_root_schema_for::<T>()
}

fn inlined() -> SchemaSettings {
    SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true)
}

/// Parses the parameters of an operation; an unknown name is an error.
pub(super) fn read_json<O: Operation>(parameters: Value) -> Result<O> {
    find(O::NAME)?.check(&parameters)?;
    parse(parameters)
}

fn parse<O: Operation>(parameters: Value) -> Result<O> {
    let parameters = if parameters.is_null() { Value::Object(Default::default()) } else { parameters };
    if !parameters.is_object() {
        let hint = "write one JSON object; see the operation's schema in `lore --tools-json`";
        return Err(AppError::usage(format!("the parameters of {} are not an object", O::NAME), hint));
    }
    O::deserialize(&parameters).map_err(|error| {
        let error = error.to_string();
        let name = parameter_of::<O>(&parameters, &error).map(|name| format!("{name}: "));
        let message = format!("{}: {}{}", O::NAME, name.unwrap_or_default(), in_plain_words(&error));
        AppError::usage(message, "see the operation's schema in `lore --tools-json`")
    })
}

/// Returns the parameter whose value an error is about: serde does not name it, but without it the error is another one.
fn parameter_of<O: Operation>(parameters: &Value, error: &str) -> Option<String> {
    let is_about_a_value = [
        "invalid type",
        "invalid value",
        "invalid length",
        "unknown variant",
        "data did not match",
        "expected ",
    ];
    let given =
        parameters.as_object().filter(|_| is_about_a_value.iter().any(|start| error.starts_with(start)))?;
    let is_cause = |name: &&String| {
        let mut others = given.clone();
        others.remove(*name);
        O::deserialize(&Value::Object(others)).err().is_none_or(|other| other.to_string() != error)
    };
    given.keys().find(is_cause).cloned()
}
