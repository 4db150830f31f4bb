//! The tools of Basic Memory: names, parameters, aliases, defaults and answers as its clients know them.
//!
//! A tool is a translation. Its arguments become those of one operation, and the output of that operation becomes the
//! answer; nothing is read, searched or written here.

mod arguments;
mod context;
mod listing;
mod manual;
mod projects;
mod reading;
mod schema;
mod searching;
mod tools;
mod writing;

use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Map, Value, json};

use crate::app::error::{AppError, Result};
use crate::app::session::Session;
use crate::ops;

pub use arguments::{Arguments, BridgeParameter};
pub use tools::TOOLS;

/// The translation of a tool.
#[derive(Debug)]
pub struct Bridge {
    /// Its parameters.
    pub takes: &'static [BridgeParameter],
    /// How its answer is wrapped.
    pub form: AnswerForm,
    /// Returns the operation of a call, with its parameters.
    pub call: fn(&Arguments) -> Result<(&'static str, Value)>,
    /// Returns the answer to a call.
    pub reply: fn(BridgeCall<'_>) -> Result<Answer>,
}

/// What a tool answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerForm {
    /// A text or a value, as the field `result`.
    Result,
    /// An object.
    Object,
    /// Text without structured data.
    Text,
}

/// A call that has run.
pub struct BridgeCall<'a> {
    /// The arguments of the call.
    pub arguments: &'a Arguments,
    /// The project that it ran in.
    pub project: &'a str,
    /// Whether the call named none.
    pub is_default: bool,
    /// The time of the call.
    pub now: &'a str,
    /// The output and its text, or the error.
    pub outcome: std::result::Result<(Value, String), AppError>,
}

/// An answer.
pub struct Answer {
    body: Value,
    is_error: bool,
    /// The text for the agent, if it differs from the body.
    shown: Option<String>,
}

impl Answer {
    /// Returns a text.
    pub fn text(text: impl Into<String>) -> Answer {
        Answer { body: Value::String(text.into()), is_error: false, shown: None }
    }

    /// Returns a value.
    pub fn json(body: Value) -> Answer {
        Answer { body, is_error: false, shown: None }
    }

    /// Returns a text of a note. What the agent reads is fenced if the note is external, as in every other tool.
    pub fn note(page: &Value, text: impl Into<String>) -> Answer {
        let answer = Answer::text(text);
        let shown = answer.body.as_str().map(|text| external_part(page, text));
        Answer { shown, ..answer }
    }

    /// Marks the answer as an error.
    pub fn failed(self) -> Answer {
        Answer { is_error: true, ..self }
    }

    /// Returns the answer as the result of a tool. Text from pages stands between marks, as in every other tool.
    pub fn result(self, bridge: &Bridge) -> CallToolResult {
        let text = match self
            .shown
            .as_ref()
            .map(|text| Value::String(text.clone()))
            .as_ref()
            .unwrap_or(&self.body)
        {
            Value::String(text) if self.is_error => ops::for_agents(text),
            Value::String(text) => ops::data_block(text),
            other => ops::json_for_agents(&other.to_string()),
        };
        let content = vec![ContentBlock::text(text)];
        if self.is_error {
            return CallToolResult::error(content);
        }
        let mut result = CallToolResult::success(content);
        result.structured_content = match bridge.form {
            AnswerForm::Result => Some(json!({ "result": self.body })),
            AnswerForm::Object => Some(self.body),
            AnswerForm::Text => None,
        };
        result
    }
}

/// Returns a text of a note as `show` gives it, fenced if the note is external.
fn external_part(page: &Value, text: &str) -> String {
    let of = |key: &str| page[key].as_str().unwrap_or_default();
    ops::fenced_part(of("path"), of("content"), text)
}

impl BridgeCall<'_> {
    /// Whether the answer is JSON.
    fn is_json(&self) -> bool {
        self.arguments.text("output_format") == Some("json")
    }
}

impl Bridge {
    /// Returns the arguments of a call under their own names, with defaults.
    pub fn read(&self, tool: &str, arguments: Map<String, Value>) -> Result<Arguments> {
        Arguments::read(tool, self.takes, arguments)
    }

    /// Returns the input schema.
    pub fn input_schema(&self) -> Map<String, Value> {
        let properties: Map<String, Value> =
            self.takes.iter().map(|given| (given.name.to_owned(), given.schema())).collect();
        let required: Vec<&str> =
            self.takes.iter().filter(|given| given.required).map(|given| given.name).collect();
        let mut schema = Map::from_iter([("type".to_owned(), json!("object"))]);
        schema.insert("properties".into(), Value::Object(properties));
        if !required.is_empty() {
            schema.insert("required".into(), json!(required));
        }
        schema
    }

    /// Returns the output schema.
    pub fn output_schema(&self) -> Map<String, Value> {
        let mut schema = Map::from_iter([("type".to_owned(), json!("object"))]);
        if self.form == AnswerForm::Result {
            schema.insert("properties".into(), json!({ "result": {} }));
            schema.insert("required".into(), json!(["result"]));
        }
        schema
    }
}

/// Returns a number for an id, the same every time: clients expect the ids of rows to be numbers.
fn number(id: &Value) -> Value {
    match id.as_str() {
        Some(id) => {
            let hash = lore_text::ContentHash::of(id.as_bytes()).to_string();
            u64::from_str_radix(hash.get(..12).unwrap_or_default(), 16).map_or(Value::Null, Value::from)
        }
        None => Value::Null,
    }
}

/// Returns the project that a reference begins with, and the rest of it, if no page of the current project has that
/// name: `second/notes/tea`, `memory://second/notes/tea`. A page that will change may be named by its exact title, which
/// becomes its slug.
pub fn route(session: &Session, reference: &str, writes: bool) -> Result<Option<(String, String)>> {
    let bare = lore_engine::without_scheme(reference).trim_start_matches('/');
    let (first, rest) = bare.split_once('/').unwrap_or((bare, ""));
    let is_project = session.projects().roots.contains_key(first);
    if !is_project && !writes {
        return Ok(None);
    }
    let context = session.fresh()?;
    if let Some(page) = context.find(reference)? {
        let is_title = writes && page.title == reference.trim();
        return Ok(is_title.then(|| (context.name().to_owned(), page.slug)));
    }
    // A folder of the current project may have that name too.
    let is_other = is_project && context.vault().list(first)?.is_none();
    Ok(is_other.then(|| (first.to_owned(), rest.to_owned())))
}
