//! Operations: each thing Lore can do, defined once in its own file and offered by every face.
//!
//! An operation is a struct of parameters whose doc comments are its help and its tool description. Every face (the
//! command line, `lore call`, `lore pipe`, MCP, HTTP) is built from [`registry`]; none has logic of its own.

mod blame;
mod build_context;
mod capture;
mod change;
mod check;
mod compact;
mod config;
mod context;
mod curate;
mod database;
mod doctor;
mod edit;
mod embed;
mod eval;
mod facts;
mod filters;
mod gaps;
mod get;
mod git;
mod graph;
mod history;
mod ingest;
mod init;
mod link;
mod links;
mod lint;
mod list;
mod ls;
mod map;
mod model;
mod moment;
mod mv;
mod notes;
mod outside;
mod path;
mod project;
mod put;
mod query;
mod raw;
mod recent;
mod rm;
mod search;
mod service;
mod set_status;
mod setup;
mod show;
mod skills;
mod stale;
mod standing;
mod stats;
mod status;
mod sync;
mod tags;
mod test;
mod timeline;
mod token;
mod upkeep;
mod validate;
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

use crate::failure::{Failure, Result};
use crate::session::Session;

pub use outside::fenced;

/// An operation.
pub trait Operation: Args + DeserializeOwned + JsonSchema {
    /// Name; a space separates a group from its command.
    const NAME: &'static str;
    /// Other names.
    const ALIASES: &'static [&'static str] = &[];
    /// Whether it changes anything.
    const WRITES: bool = false;
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
pub trait Answer: Render {
    /// Returns the output as JSON, the same for every face.
    fn json(&self) -> Value;
}

impl<T: Serialize + Render> Answer for T {
    fn json(&self) -> Value {
        serde_json::to_value(self).unwrap_or(Value::Null)
    }
}

/// A type-erased operation.
pub struct Entry {
    /// Name.
    pub name: &'static str,
    /// Other names.
    pub aliases: &'static [&'static str],
    /// Whether it changes anything.
    pub writes: bool,
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
    pub from_cli: fn(&ArgMatches, &Session) -> Result<Box<dyn Answer>>,
    /// Runs it from JSON.
    pub from_json: fn(Value, &Session) -> Result<Box<dyn Answer>>,
}

impl Entry {
    /// Returns its tool name: `project add` is `project_add`.
    pub fn tool(&self) -> String {
        self.name.replace([' ', '-'], "_")
    }

    fn of<O: Operation>() -> Entry {
        Entry {
            name: O::NAME,
            aliases: O::ALIASES,
            writes: O::WRITES,
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
                    .map_err(|error| Failure::usage(error.to_string(), "run with --help for usage"))?;
                Ok(Box::new(operation.run(session)?))
            },
            from_json: |value, session| Ok(Box::new(read_json::<O>(value)?.run(session)?)),
        }
    }
}

/// Returns every operation, in the order of the manual.
pub fn registry() -> Vec<Entry> {
    vec![
        Entry::of::<init::Init>(),
        Entry::of::<project::Add>(),
        Entry::of::<project::List>(),
        Entry::of::<project::Default>(),
        Entry::of::<project::Remove>(),
        Entry::of::<project::Info>(),
        Entry::of::<map::Map>(),
        Entry::of::<sync::Sync>(),
        Entry::of::<status::Status>(),
        Entry::of::<doctor::Doctor>(),
        Entry::of::<stats::Stats>(),
        Entry::of::<validate::Validate>(),
        Entry::of::<config::Get>(),
        Entry::of::<config::Set>(),
        Entry::of::<config::Unset>(),
        Entry::of::<config::List>(),
        Entry::of::<put::Put>(),
        Entry::of::<get::Get>(),
        Entry::of::<show::Show>(),
        Entry::of::<edit::Edit>(),
        Entry::of::<mv::Mv>(),
        Entry::of::<rm::Rm>(),
        Entry::of::<list::List>(),
        Entry::of::<ls::Ls>(),
        Entry::of::<recent::Recent>(),
        Entry::of::<tags::Tags>(),
        Entry::of::<tags::Tag>(),
        Entry::of::<tags::Untag>(),
        Entry::of::<timeline::Timeline>(),
        Entry::of::<timeline::TimelineAdd>(),
        Entry::of::<raw::Raw>(),
        Entry::of::<notes::WriteNote>(),
        Entry::of::<notes::EditNote>(),
        Entry::of::<notes::SearchNotes>(),
        Entry::of::<history::History>(),
        Entry::of::<history::Diff>(),
        Entry::of::<history::Restore>(),
        Entry::of::<blame::Blame>(),
        Entry::of::<search::Search>(),
        Entry::of::<query::Query>(),
        Entry::of::<build_context::BuildContext>(),
        Entry::of::<context::Context>(),
        Entry::of::<link::Link>(),
        Entry::of::<links::Links>(),
        Entry::of::<links::Backlinks>(),
        Entry::of::<link::LinkClose>(),
        Entry::of::<link::Unlink>(),
        Entry::of::<graph::Graph>(),
        Entry::of::<path::Path>(),
        Entry::of::<facts::Facts>(),
        Entry::of::<facts::FactAdd>(),
        Entry::of::<gaps::Gaps>(),
        Entry::of::<gaps::Add>(),
        Entry::of::<gaps::Approve>(),
        Entry::of::<gaps::Resolve>(),
        Entry::of::<check::Check>(),
        Entry::of::<capture::Capture>(),
        Entry::of::<ingest::Ingest>(),
        Entry::of::<stale::Stale>(),
        Entry::of::<set_status::SetStatus>(),
        Entry::of::<compact::Compact>(),
        Entry::of::<curate::Curate>(),
        Entry::of::<lint::Lint>(),
        Entry::of::<lint::Index>(),
        Entry::of::<git::Status>(),
        Entry::of::<git::Push>(),
        Entry::of::<git::Pull>(),
        Entry::of::<git::Commit>(),
        Entry::of::<service::Install>(),
        Entry::of::<service::Status>(),
        Entry::of::<service::Uninstall>(),
        Entry::of::<setup::Setup>(),
        Entry::of::<skills::List>(),
        Entry::of::<skills::Show>(),
        Entry::of::<skills::Extract>(),
        Entry::of::<skills::Doctor>(),
        Entry::of::<upkeep::Run>(),
        Entry::of::<upkeep::Status>(),
        Entry::of::<upkeep::Rotate>(),
        Entry::of::<embed::Embed>(),
        Entry::of::<model::List>(),
        Entry::of::<model::Pull>(),
        Entry::of::<model::Use>(),
        Entry::of::<model::PathOf>(),
        Entry::of::<model::Remove>(),
        Entry::of::<eval::Eval>(),
        Entry::of::<token::Add>(),
        Entry::of::<token::List>(),
        Entry::of::<token::Remove>(),
        Entry::of::<test::Test>(),
        Entry::of::<database::Checkpoint>(),
        Entry::of::<database::Backup>(),
    ]
}

/// Converts a report of the watcher to the output of `sync`.
pub fn synced(report: Report) -> impl Answer {
    sync::Synced::new(report)
}

/// Returns the operation with this tool or command name.
pub fn find(name: &str) -> Result<Entry> {
    let wanted = name.replace([' ', '-'], "_");
    let named = |entry: &Entry| entry.tool() == wanted || entry.aliases.contains(&wanted.as_str());
    registry().into_iter().find(named).ok_or_else(|| unknown(name, &wanted))
}

fn unknown(name: &str, wanted: &str) -> Failure {
    let known = registry();
    let scored = known.iter().map(|entry| (strsim::jaro_winkler(&entry.tool(), wanted), entry.tool()));
    let nearest = scored.filter(|(score, _)| *score > 0.75).max_by(|a, b| a.0.total_cmp(&b.0));
    let nearest = nearest.map(|(_, tool)| format!("did you mean {tool}? ")).unwrap_or_default();
    Failure::usage(
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
    let tool = |entry: &Entry| {
        let input = (entry.input)();
        let about = input.get("description").and_then(Value::as_str).unwrap_or_default().to_owned();
        serde_json::json!({
            "name": entry.tool(),
            "description": about,
            "inputSchema": bare(input),
            "outputSchema": bare((entry.output)()),
            "annotations": { "readOnlyHint": !entry.writes },
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
        return Err(Failure::usage(format!("{} has no parameter {unknown:?}", O::NAME), hint));
    }
    serde_json::from_value(value).map_err(|error| {
        Failure::usage(format!("{}: {error}", O::NAME), "see the operation's schema in `lore --tools-json`")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_has_a_unique_name_and_help() {
        let mut names: Vec<String> = registry().iter().map(Entry::tool).collect();
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
