//! Operations: each thing Lore can do, defined once in its own file and offered by every face.
//!
//! An operation is a struct of parameters whose doc comments are its help and its tool description. Every face (the
//! command line, `lore call`, `lore pipe`, MCP, HTTP) is built from [`registry`]; none has logic of its own.

mod as_of;
mod change;
mod external_text;
mod filters;
mod knowledge;
mod lifecycle_view;
mod machine;
mod pages;
mod search;
mod upkeep;
mod views;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use clap::{ArgMatches, Args, Command};
use lore_engine::Report;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::app::access::Demand;
use crate::app::error::{AppError, Result};
use crate::app::session::Session;

pub use external_text::fenced;

/// An operation.
pub trait Operation: Args + DeserializeOwned + JsonSchema {
    /// Name; a space separates a group from its command.
    const NAME: &'static str;
    /// Other names.
    const ALIASES: &'static [&'static str] = &[];
    /// Whether it changes anything.
    const WRITES: bool = false;
    /// Whether it reads, but also logs in the ledger if the policy asks for it and the caller may write.
    const LOGS: bool = false;
    /// Whether the command-line help omits it, because another command does the same.
    const HIDDEN: bool = false;
    /// Whether it concerns the machine and its user rather than one vault.
    const MACHINE: bool = false;
    /// Output type.
    type Output: Serialize + JsonSchema + Render + 'static;
    /// Runs the operation.
    fn run(self, session: &Session) -> Result<Self::Output>;
}

/// Renders an output for people.
pub trait Render {
    /// Returns the full text.
    fn human(&self) -> String;

    /// Returns one line per item.
    fn brief(&self) -> String {
        self.human()
    }

    /// Returns the process exit status: 0 done or found, 1 nothing found, 5 something is broken.
    fn exit(&self) -> u8 {
        0
    }

    /// Returns bytes to print unchanged when no format was requested.
    fn raw(&self) -> Option<&[u8]> {
        None
    }
}

/// A type-erased output.
pub trait DynOutput: Render {
    /// Returns the output as JSON, the same for every face.
    fn json(&self) -> Value;
}

impl<T: Serialize + Render> DynOutput for T {
    fn json(&self) -> Value {
        serde_json::to_value(self).unwrap_or(Value::Null)
    }
}

/// A type-erased operation.
pub struct OperationInfo {
    /// Name.
    pub name: &'static str,
    /// Other names.
    pub aliases: &'static [&'static str],
    /// Whether it changes anything.
    pub writes: bool,
    /// Whether it may log in the ledger. A read-only grant allows it; it then logs nothing.
    pub logs: bool,
    /// Whether it concerns the machine and its user rather than one vault.
    pub machine: bool,
    /// Builds its subcommand.
    pub command: fn() -> Command,
    /// Returns the names of its parameters.
    pub parameters: fn() -> Arc<[String]>,
    /// Returns the schema of its parameters.
    pub input: fn() -> Schema,
    /// Returns the schema of its output.
    pub output: fn() -> Schema,
    /// Runs it from command-line arguments.
    pub from_cli: fn(&ArgMatches, &Session) -> Result<Box<dyn DynOutput>>,
    /// Runs it from JSON.
    pub from_json: fn(Value, &Session) -> Result<Box<dyn DynOutput>>,
}

impl OperationInfo {
    /// Returns what it demands of a grant.
    pub fn demand(&self) -> Demand {
        Demand { name: self.name, writes: self.writes, machine: self.machine }
    }

    /// Returns its tool name: `project add` is `project_add`.
    pub fn tool(&self) -> String {
        self.name.replace([' ', '-'], "_")
    }

    fn of<O: Operation>() -> OperationInfo {
        OperationInfo {
            name: O::NAME,
            aliases: O::ALIASES,
            writes: O::WRITES,
            logs: O::LOGS,
            machine: O::MACHINE,
            command: || {
                O::augment_args(Command::new(last_word(O::NAME)))
                    .visible_aliases(O::ALIASES.iter().copied())
                    .hide(O::HIDDEN)
            },
            parameters: parameters::<O>,
            input: schema::<O>,
            output: output_schema::<O::Output>,
            from_cli: |matches, session| {
                let operation = O::from_arg_matches(matches)
                    .map_err(|error| AppError::usage(error.to_string(), "run with --help for usage"))?;
                Ok(Box::new(operation.run(session)?))
            },
            from_json: |value, session| Ok(Box::new(read_json::<O>(value)?.run(session)?)),
        }
    }
}

/// Returns every operation, in the order of the manual.
pub fn registry() -> Vec<OperationInfo> {
    vec![
        OperationInfo::of::<machine::init::Init>(),
        OperationInfo::of::<machine::project::Add>(),
        OperationInfo::of::<machine::project::List>(),
        OperationInfo::of::<machine::project::Default>(),
        OperationInfo::of::<machine::project::Remove>(),
        OperationInfo::of::<machine::project::Info>(),
        OperationInfo::of::<machine::map::Map>(),
        OperationInfo::of::<upkeep::sync::Sync>(),
        OperationInfo::of::<machine::status::Status>(),
        OperationInfo::of::<machine::doctor::Doctor>(),
        OperationInfo::of::<machine::stats::Stats>(),
        OperationInfo::of::<upkeep::validate::Validate>(),
        OperationInfo::of::<machine::config::Get>(),
        OperationInfo::of::<machine::config::Set>(),
        OperationInfo::of::<machine::config::Unset>(),
        OperationInfo::of::<machine::config::List>(),
        OperationInfo::of::<pages::put::Put>(),
        OperationInfo::of::<pages::get::Get>(),
        OperationInfo::of::<pages::show::Show>(),
        OperationInfo::of::<pages::edit::Edit>(),
        OperationInfo::of::<pages::mv::Mv>(),
        OperationInfo::of::<pages::rm::Rm>(),
        OperationInfo::of::<pages::list::List>(),
        OperationInfo::of::<pages::ls::Ls>(),
        OperationInfo::of::<pages::recent::Recent>(),
        OperationInfo::of::<pages::tags::Tags>(),
        OperationInfo::of::<pages::tags::Tag>(),
        OperationInfo::of::<pages::tags::Untag>(),
        OperationInfo::of::<pages::timeline::Timeline>(),
        OperationInfo::of::<pages::timeline::TimelineAdd>(),
        OperationInfo::of::<pages::raw::Raw>(),
        OperationInfo::of::<pages::notes::WriteNote>(),
        OperationInfo::of::<pages::notes::EditNote>(),
        OperationInfo::of::<pages::notes::SearchNotes>(),
        OperationInfo::of::<pages::history::History>(),
        OperationInfo::of::<pages::history::Diff>(),
        OperationInfo::of::<pages::history::Restore>(),
        OperationInfo::of::<pages::blame::Blame>(),
        OperationInfo::of::<search::full_text::Search>(),
        OperationInfo::of::<search::query::Query>(),
        OperationInfo::of::<search::build_context::BuildContext>(),
        OperationInfo::of::<search::context::Context>(),
        OperationInfo::of::<knowledge::link::Link>(),
        OperationInfo::of::<knowledge::links::Links>(),
        OperationInfo::of::<knowledge::links::Backlinks>(),
        OperationInfo::of::<knowledge::link::LinkClose>(),
        OperationInfo::of::<knowledge::link::Unlink>(),
        OperationInfo::of::<knowledge::graph::Graph>(),
        OperationInfo::of::<knowledge::path::Path>(),
        OperationInfo::of::<knowledge::facts::Facts>(),
        OperationInfo::of::<knowledge::facts::FactAdd>(),
        OperationInfo::of::<knowledge::gaps::Gaps>(),
        OperationInfo::of::<knowledge::gaps::Add>(),
        OperationInfo::of::<knowledge::gaps::Approve>(),
        OperationInfo::of::<knowledge::gaps::Resolve>(),
        OperationInfo::of::<knowledge::check::Check>(),
        OperationInfo::of::<knowledge::capture::Capture>(),
        OperationInfo::of::<knowledge::ingest::Ingest>(),
        OperationInfo::of::<knowledge::stale::Stale>(),
        OperationInfo::of::<knowledge::set_status::SetStatus>(),
        OperationInfo::of::<knowledge::compact::Compact>(),
        OperationInfo::of::<knowledge::curate::Curate>(),
        OperationInfo::of::<knowledge::lint::Lint>(),
        OperationInfo::of::<knowledge::lint::Index>(),
        OperationInfo::of::<upkeep::git::Status>(),
        OperationInfo::of::<upkeep::git::Push>(),
        OperationInfo::of::<upkeep::git::Pull>(),
        OperationInfo::of::<upkeep::git::Commit>(),
        OperationInfo::of::<machine::service::Install>(),
        OperationInfo::of::<machine::service::Status>(),
        OperationInfo::of::<machine::service::Uninstall>(),
        OperationInfo::of::<machine::setup::Setup>(),
        OperationInfo::of::<machine::skills::List>(),
        OperationInfo::of::<machine::skills::Show>(),
        OperationInfo::of::<machine::skills::Extract>(),
        OperationInfo::of::<machine::skills::Doctor>(),
        OperationInfo::of::<upkeep::retention::Run>(),
        OperationInfo::of::<upkeep::retention::Status>(),
        OperationInfo::of::<upkeep::retention::Rotate>(),
        OperationInfo::of::<upkeep::embed::Embed>(),
        OperationInfo::of::<machine::model::List>(),
        OperationInfo::of::<machine::model::Pull>(),
        OperationInfo::of::<machine::model::Use>(),
        OperationInfo::of::<machine::model::PathOf>(),
        OperationInfo::of::<machine::model::Remove>(),
        OperationInfo::of::<machine::eval::Eval>(),
        OperationInfo::of::<machine::token::Add>(),
        OperationInfo::of::<machine::token::List>(),
        OperationInfo::of::<machine::token::Remove>(),
        OperationInfo::of::<upkeep::test::Test>(),
        OperationInfo::of::<machine::database::Checkpoint>(),
        OperationInfo::of::<machine::database::Backup>(),
    ]
}

/// Converts a report of the watcher to the output of `sync`.
pub fn synced(report: Report) -> impl DynOutput {
    upkeep::sync::Synced::new(report)
}

/// Returns the operation with this tool or command name.
pub fn find(name: &str) -> Result<OperationInfo> {
    let wanted = name.replace([' ', '-'], "_");
    let named = |entry: &OperationInfo| entry.tool() == wanted || entry.aliases.contains(&wanted.as_str());
    registry().into_iter().find(named).ok_or_else(|| unknown(name, &wanted))
}

fn unknown(name: &str, wanted: &str) -> AppError {
    let known = registry();
    let scored = known.iter().map(|entry| (strsim::jaro_winkler(&entry.tool(), wanted), entry.tool()));
    let nearest = scored.filter(|(score, _)| *score > 0.75).max_by(|a, b| a.0.total_cmp(&b.0));
    let nearest = nearest.map(|(_, tool)| format!("did you mean {tool}? ")).unwrap_or_default();
    AppError::usage(
        format!("unknown operation {name:?}"),
        format!("{nearest}`lore --tools-json` lists all operations"),
    )
}

/// Returns the operations in the form of MCP tool discovery.
pub fn tools() -> Value {
    let bare = |schema: Schema| {
        let mut value = schema.to_value();
        if let Some(object) = value.as_object_mut() {
            object.retain(|key, _| !matches!(key.as_str(), "description" | "title" | "$schema"));
        }
        value
    };
    let tool = |entry: &OperationInfo| {
        let input = (entry.input)();
        let about = input.get("description").and_then(Value::as_str).unwrap_or_default().to_owned();
        serde_json::json!({
            "name": entry.tool(),
            "description": about,
            "inputSchema": bare(input),
            "outputSchema": bare((entry.output)()),
            "annotations": { "readOnlyHint": !(entry.writes || entry.logs) },
        })
    };
    serde_json::json!({ "tools": registry().iter().map(tool).collect::<Vec<_>>() })
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

/// Returns the names of an operation's parameters. They are cached because building a schema can take longer than
/// running the operation.
fn parameters<O: Operation>() -> Arc<[String]> {
    static KNOWN: Mutex<BTreeMap<&str, Arc<[String]>>> = Mutex::new(BTreeMap::new());
    let names = || -> Arc<[String]> {
        let schema = schema::<O>();
        let properties = schema.get("properties").and_then(Value::as_object);
        properties.into_iter().flat_map(|properties| properties.keys().cloned()).collect()
    };
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    known.entry(O::NAME).or_insert_with(names).clone()
}

/// Parses parameters; an unknown name is an error.
pub(crate) fn read_json<O: Operation>(value: Value) -> Result<O> {
    let value = if value.is_null() { Value::Object(Default::default()) } else { value };
    let known = parameters::<O>();
    let unknown = value.as_object().and_then(|given| given.keys().find(|key| !known.contains(key)));
    if let Some(unknown) = unknown {
        let hint = format!("known parameters: {}", known.join(", "));
        return Err(AppError::usage(format!("{} has no parameter {unknown:?}", O::NAME), hint));
    }
    serde_json::from_value(value).map_err(|error| {
        AppError::usage(format!("{}: {error}", O::NAME), "see the operation's schema in `lore --tools-json`")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_has_a_unique_name_and_help() {
        let mut names: Vec<String> = registry().iter().map(OperationInfo::tool).collect();
        names.sort();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count, "two operations share a name");
        for entry in registry() {
            let about = (entry.command)().get_about().map(ToString::to_string).unwrap_or_default();
            assert!(about.len() > 10 && !about.ends_with('.'), "{}: {about:?}", entry.name);
            assert!((entry.input)().get("description").is_some(), "{} has no description", entry.name);
        }
    }

    #[test]
    fn unknown_operation_suggests_the_nearest() {
        let failure = find("serch").err().expect("unknown");
        assert!(failure.hint.contains("search"), "{}", failure.hint);
    }
}
