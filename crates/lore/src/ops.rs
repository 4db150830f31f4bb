//! Operations: each thing Lore can do, defined once in its own file and offered by every face.
//!
//! An operation is a struct of parameters whose doc comments are its help and its tool description. Every face (the
//! command line, `lore call`, `lore pipe`, MCP, HTTP) is built from the [`REGISTRY`]; none has logic of its own.

mod agent_text;
mod as_of;
mod call;
mod change;
mod external_text;
mod filters;
mod info;
pub(crate) mod json_errors;
mod knowledge;
mod lifecycle_view;
mod line;
mod machine;
mod pages;
mod registry;
mod search;
mod transfer;
mod upkeep;
mod views;
mod wrapped_page;

use clap::Args;
use lore_engine::Report;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::app::access::Reach;
use crate::app::error::Result;
use crate::app::session::Session;

pub use agent_text::{data_block, for_agents, json_for_agents, line_for_agents};
pub use call::{Call, run};
pub use external_text::{PageText, fenced_part};
pub use info::OperationInfo;
pub use registry::{REGISTRY, find, tools};
pub use transfer::import::{Import, Round};

use info::read_json;

/// An operation.
pub trait Operation: Args + DeserializeOwned + JsonSchema + Send + 'static {
    /// Name; a space separates a group from its command.
    const NAME: &'static str;
    /// Other names.
    const ALIASES: &'static [&'static str] = &[];
    /// Former names, which are still accepted but not shown.
    const FORMER_NAMES: &'static [&'static str] = &[];
    /// Whether it changes anything.
    const WRITES: bool = false;
    /// Whether it reads, but also logs in the ledger if the policy asks for it and the caller may write.
    const LOGS: bool = false;
    /// Whether the command-line help omits it, because another command does the same.
    const HIDDEN: bool = false;
    /// Whether it concerns the machine and its user rather than one vault.
    const MACHINE: bool = false;
    /// What it reaches beyond one vault, which decides who may run it over MCP and HTTP.
    const REACH: Reach = Reach::of(Self::MACHINE, Self::WRITES);
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

    /// Returns what an agent gets as structured data beside the full text, if that is less than the whole output.
    fn references(&self) -> Option<Value> {
        None
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

/// Converts a report of the watcher to the output of `sync`.
pub fn synced(report: Report) -> impl DynOutput {
    upkeep::sync::Synced::new(report)
}
