//! Prompts: ways of working that a person can start by name.

use rmcp::model::{GetPromptResult, Prompt, PromptArgument, PromptMessage, Role};
use serde_json::{Map, Value, json};

use crate::failure::{Failure, Result};
use crate::ops;
use crate::session::Session;

/// An operation whose output a prompt begins with: its name and its parameters.
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

/// What was given for a prompt.
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
        text: "Compile a briefing for me from the state of my memory below. In this order, and each only if there is \
               something: what needs me now (conflicts, overdue commitments), what changed lately, open threads of \
               the pages in use, stale pages that matter, gaps. Read pages with memory_get before you say more about \
               them than is here; cite slugs.",
        shown: |_| Some(("context", json!({}))),
    },
    Known {
        name: "memory_ingest_meeting",
        title: "Take a meeting in",
        about: "Take a meeting's transcript into memory",
        arguments: &[argument("transcript", "The transcript or notes; without it, what is pasted next")],
        text: "Take this meeting into memory. 1. Name its date, people, companies and decisions. 2. For each, \
               memory_query for its page; read those that exist with memory_get. 3. Call memory_ingest once with the \
               whole text as content, source_type meeting, a source_ref with the date, and for each page what \
               follows: timeline entries for what happened, assertions for facts, links with verbs and dates, and a \
               rewritten text only where the truth changed; expected_version is the version you read, 0 for a new \
               page. 4. Tell me what was written, and what contradicts what was known.",
        shown: |_| None,
    },
    Known {
        name: "continue_conversation",
        title: "Continue",
        about: "Take up a topic where it was left",
        arguments: &[
            argument("topic", "What it is about"),
            argument("timeframe", "How far back, such as 7d"),
        ],
        text: "Take up our work where it was left. What memory has on it follows; read the pages that matter with \
               memory_get, say in a few lines where things stand and what is open, and go on from there.",
        shown: |given| match given.text("topic") {
            Some(topic) => Some(("query", json!({ "question": topic }))),
            None => Some(("recent", json!({ "timeframe": given.text("timeframe").unwrap_or("7d") }))),
        },
    },
    Known {
        name: "recent_activity",
        title: "Recent changes",
        about: "Summarise what changed lately",
        arguments: &[argument("timeframe", "How far back, such as 7d")],
        text: "Summarise what changed in my memory, from the list that follows: group it by what it is about, say what \
               is new about each, and read the pages (memory_get) where the list does not tell.",
        shown: |given| Some(("recent", json!({ "timeframe": given.text("timeframe").unwrap_or("7d") }))),
    },
    Known {
        name: "search",
        title: "Search",
        about: "Search memory and answer from it",
        arguments: &[Argument { name: "query", about: "What to look for", required: true }],
        text: "Answer from my memory, by what was found below; search again with other words if it does not answer. \
               Cite slugs, heed warnings, and say what memory does not know.",
        shown: |given| given.text("query").map(|query| ("query", json!({ "question": query }))),
    },
    Known {
        name: "ai_assistant_guide",
        title: "How to use memory",
        about: "How an assistant should use the memory tools",
        arguments: &[],
        text: super::INSTRUCTIONS,
        shown: |_| None,
    },
];

/// The prompts.
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

/// A prompt with what memory has for it.
pub(super) fn get(session: &Session, name: &str, arguments: &Map<String, Value>) -> Result<GetPromptResult> {
    let Some(known) = PROMPTS.iter().find(|known| known.name == name) else {
        let names: Vec<&str> = PROMPTS.iter().map(|known| known.name).collect();
        let message = format!("no prompt is called {name:?}");
        return Err(Failure::usage(message, format!("the prompts are {}", names.join(", "))));
    };
    let given = Given(arguments);
    let missing = known.arguments.iter().find(|one| one.required && given.text(one.name).is_none());
    if let Some(missing) = missing {
        return Err(Failure::usage(format!("{name} needs {:?}", missing.name), missing.about));
    }
    let mut text = known.text.to_owned();
    if let Some((operation, input)) = (known.shown)(&given) {
        let answer = (ops::find(operation)?.from_json)(input, session)?;
        text.push_str(&format!("\n\n{}", answer.human()));
    }
    if let Some(transcript) = given.text("transcript") {
        text.push_str(&format!("\n\n{transcript}"));
    }
    Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]).with_description(known.about))
}
