//! Prompts: workflows that a person can start by name.

use rmcp::model::{GetPromptResult, Prompt, PromptArgument, PromptMessage, Role};
use serde_json::{Map, Value, json};

use crate::app::error::{AppError, Result};
use crate::app::session::Session;
use crate::ops;

/// Returns the operation whose output a prompt includes, with its parameters.
type Shown = fn(&Given<'_>) -> Option<(&'static str, Value)>;

struct Known {
    name: &'static str,
    title: &'static str,
    about: &'static str,
    arguments: &'static [Argument],
    text: &'static str,
    shown: Shown,
}

struct Argument {
    name: &'static str,
    about: &'static str,
    required: bool,
}

/// Arguments of a prompt.
struct Given<'a>(&'a Map<String, Value>);

impl Given<'_> {
    fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty())
    }
}

const fn argument(name: &'static str, about: &'static str) -> Argument {
    Argument { name, about, required: false }
}

const PROMPTS: &[Known] = &[
    Known {
        name: "memory_briefing",
        title: "Briefing",
        about: "Compile a briefing from the current state of memory",
        arguments: &[],
        text: "Compile a briefing for me from the state of my memory below. Use this order and skip empty sections: \
               what needs my attention now (contradictions, overdue and due commitments), what shifted (facts that began \
               or ended), changed pages and their open threads, stale pages that matter, gaps. Read pages with memory_get before you say more about \
               them than is shown here; cite slugs.",
        shown: |_| Some(("briefing", json!({}))),
    },
    Known {
        name: "memory_ingest_meeting",
        title: "Import a meeting",
        about: "Import a meeting transcript into memory",
        arguments: &[argument("transcript", "Transcript or notes; default: the text pasted next")],
        text: "Import this meeting into memory. 1. List its date, people, companies and decisions. 2. For each, find \
               its page with memory_query; read existing pages with memory_get. 3. Call memory_ingest once with the \
               whole text as content, source_type meeting, a source_ref with the date, and the changes to each page: \
               timeline entries for events, assertions for facts, links with verbs and dates, and a rewritten text \
               only where the truth changed; expected_version is the version you read, 0 for a new page. 4. Tell me \
               what was written, and what contradicts earlier pages.",
        shown: |_| None,
    },
    Known {
        name: "continue_conversation",
        title: "Continue",
        about: "Continue work on a topic",
        arguments: &[argument("topic", "The topic"), argument("timeframe", "How far back, such as 7d")],
        text: "Continue our work from where we stopped. The relevant memory follows; read the pages that matter with \
               memory_get, summarize the state and the open points in a few lines, and go on from there.",
        shown: |given| match given.text("topic") {
            Some(topic) => Some(("query", json!({ "question": topic }))),
            None => Some(("recent", json!({ "timeframe": given.text("timeframe").unwrap_or("7d") }))),
        },
    },
    Known {
        name: "recent_activity",
        title: "Recent changes",
        about: "Summarize recent changes",
        arguments: &[argument("timeframe", "How far back, such as 7d")],
        text: "Summarize what changed in my memory, using the list below: group changes by topic, say what is new in \
               each, and read the pages (memory_get) where the list is not enough.",
        shown: |given| Some(("recent", json!({ "timeframe": given.text("timeframe").unwrap_or("7d") }))),
    },
    Known {
        name: "search",
        title: "Search",
        about: "Search memory and answer from it",
        arguments: &[Argument { name: "query", about: "What to look for", required: true }],
        text: "Answer from my memory, using the results below; search again with other words if they do not answer \
               the question. Cite slugs, heed warnings, and say what memory does not know.",
        shown: |given| given.text("query").map(|query| ("query", json!({ "question": query }))),
    },
    Known {
        name: "ai_assistant_guide",
        title: "How to use memory",
        about: "How an assistant should use the memory tools",
        arguments: &[],
        // The instructions of the server, which depend on its tools.
        text: "",
        shown: |_| None,
    },
];

/// Returns all prompts.
pub(super) fn list() -> Vec<Prompt> {
    let argument = |argument: &Argument| {
        PromptArgument::new(argument.name).with_description(argument.about).with_required(argument.required)
    };
    PROMPTS
        .iter()
        .map(|known| {
            let arguments: Vec<PromptArgument> = known.arguments.iter().map(argument).collect();
            let arguments = (!arguments.is_empty()).then_some(arguments);
            Prompt::new(known.name, Some(known.about), arguments).with_title(known.title)
        })
        .collect()
}

/// Returns a prompt's message, including the operation output it needs.
pub(super) fn get(
    session: &Session,
    name: &str,
    arguments: &Map<String, Value>,
    instructions: &str,
) -> Result<GetPromptResult> {
    let Some(known) = PROMPTS.iter().find(|known| known.name == name) else {
        let names: Vec<&str> = PROMPTS.iter().map(|known| known.name).collect();
        let message = format!("unknown prompt {name:?}");
        return Err(AppError::usage(message, format!("known prompts: {}", names.join(", "))));
    };
    let given = Given(arguments);
    let missing = known.arguments.iter().find(|one| one.required && given.text(one.name).is_none());
    if let Some(missing) = missing {
        return Err(AppError::usage(format!("{name} needs the argument {:?}", missing.name), missing.about));
    }
    let mut text = if known.text.is_empty() { instructions } else { known.text }.to_owned();
    if let Some((operation, input)) = (known.shown)(&given) {
        let answer = ops::run(operation, input, session)?;
        text.push_str(&format!("\n\n{}", ops::data_block(&answer.human())));
    }
    if let Some(transcript) = given.text("transcript") {
        text.push_str(&format!("\n\n{}", ops::data_block(transcript)));
    }
    Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]).with_description(known.about))
}
