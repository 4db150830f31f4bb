//! Account exports of ChatGPT and Claude: `conversations.json`, alone or in a zip archive. The list is read one conversation at a
//! time, so that an export of any size needs little memory.

use std::collections::HashMap;
use std::fmt;
use std::io::{BufReader, Read};

use lore_engine::{Error, Result};
use lore_vault::{SourceFile, SourceTree};
use serde::de::{DeserializeOwned, Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::super::transcript::{Conversation, Role, Turn, shortened, time_of};
use super::super::{Found, ImportKind, Sink};
use super::agent_sessions::parts;

/// Maximum number of characters kept of a text that a person attached.
const KEPT_ATTACHMENT: usize = 2_000;

/// Reads the conversations of an export.
pub(super) fn read(kind: ImportKind, tree: &SourceTree, sink: &mut Sink<'_>) -> Result<()> {
    let mut has_any = false;
    for file in &tree.files {
        // A file that is named alone is the list, whatever it is called.
        if !is_list(&file.path) && tree.files.len() > 1 {
            let reason = "it has no conversations; only its original is kept".to_owned();
            sink(Found::Skipped { path: file.path.clone(), reason })?;
            continue;
        }
        has_any = true;
        match kind {
            ImportKind::ChatGpt => each(tree, file, sink, chatgpt)?,
            _ => each(tree, file, sink, claude)?,
        }
    }
    match has_any {
        true => Ok(()),
        false => Err(Error::BadInput {
            message: format!("{} has no conversations.json", tree.root().display()),
            hint: "pass the zip archive of the account export, or the file conversations.json in it".into(),
        }),
    }
}

/// Whether a file of an export lists conversations; large exports have several.
fn is_list(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.starts_with("conversations") && name.ends_with(".json")
}

/// Recognizes an account export by the first conversation.
pub(super) fn recognize(tree: &SourceTree) -> Option<ImportKind> {
    let file = tree.files.iter().find(|file| is_list(&file.path))?;
    let mut start = Vec::new();
    let read = tree.stream(file, |reader| reader.take(256 * 1024).read_to_end(&mut start));
    read.ok()?;
    let text = String::from_utf8_lossy(&start);
    let place = |name: &str| text.find(name);
    match (place("\"chat_messages\""), place("\"mapping\"")) {
        (Some(_), None) => Some(ImportKind::Claude),
        (Some(one), Some(other)) if one < other => Some(ImportKind::Claude),
        (_, Some(_)) => Some(ImportKind::ChatGpt),
        (None, None) => None,
    }
}

/// Calls the sink with the pages of each conversation of a list.
fn each<T: DeserializeOwned>(
    tree: &SourceTree,
    file: &SourceFile,
    sink: &mut Sink<'_>,
    convert: fn(T) -> Conversation,
) -> Result<()> {
    let mut failed: Option<Error> = None;
    let mut number = 0;
    let mut take = |one: Value| {
        number += 1;
        let conversation = match serde_json::from_value::<T>(one) {
            Ok(one) => convert(one),
            Err(error) => {
                let reason = format!("it is not a conversation: {error}");
                let path = format!("{}:conversation {number}", file.path);
                let done = sink(Found::Skipped { path, reason });
                return done.map_err(|error| failed = Some(error)).is_ok();
            }
        };
        let id = conversation.id.clone();
        let pages = conversation.pages();
        let mut done = Ok(());
        if pages.is_empty() {
            done = sink(Found::Skipped {
                path: format!("{}:{id}", file.path),
                reason: "it has no messages".into(),
            });
        }
        for page in pages {
            done = done.and_then(|()| sink(Found::Item(page)));
        }
        done.map_err(|error| failed = Some(error)).is_ok()
    };
    let read = tree.stream(file, |reader| {
        let mut deserializer =
            serde_json::Deserializer::from_reader(BufReader::with_capacity(1 << 16, reader));
        Ok(deserializer.deserialize_any(Each { take: &mut take }).and_then(|()| deserializer.end()))
    })?;
    match (failed, read) {
        (Some(error), _) => Err(error),
        (None, Err(error)) => Err(Error::BadInput {
            message: format!("{} is not a list of conversations: {error}", file.path),
            hint: "export the account again; nothing was imported".into(),
        }),
        (None, Ok(())) => Ok(()),
    }
}

/// Visits the elements of a list one at a time.
struct Each<'a> {
    take: &'a mut dyn FnMut(Value) -> bool,
}

impl<'de> Visitor<'de> for Each<'_> {
    type Value = ();

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("a list of conversations")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> std::result::Result<(), A::Error> {
        while let Some(one) = list.next_element()? {
            if !(self.take)(one) {
                return Err(A::Error::custom("stopped"));
            }
        }
        Ok(())
    }
}

#[derive(Debug, Deserialize)]
struct GptConversation {
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    conversation_id: Option<String>,
    #[serde(default)]
    title: Option<String>,
    #[serde(default)]
    create_time: Option<f64>,
    #[serde(default)]
    mapping: HashMap<String, GptNode>,
    #[serde(default)]
    current_node: Option<String>,
    #[serde(default)]
    default_model_slug: Option<String>,
}

#[derive(Debug, Deserialize)]
struct GptNode {
    #[serde(default)]
    message: Option<GptMessage>,
    #[serde(default)]
    parent: Option<String>,
    #[serde(default)]
    children: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct GptMessage {
    id: String,
    author: GptAuthor,
    #[serde(default)]
    create_time: Option<f64>,
    #[serde(default)]
    content: Value,
    #[serde(default)]
    metadata: Option<GptMetadata>,
}

#[derive(Debug, Deserialize)]
struct GptAuthor {
    role: String,
}

#[derive(Debug, Default, Deserialize)]
struct GptMetadata {
    #[serde(default)]
    is_visually_hidden_from_conversation: Option<bool>,
    #[serde(default)]
    model_slug: Option<String>,
}

/// Takes the branch that the person last saw.
fn chatgpt(mut found: GptConversation) -> Conversation {
    let last = found.current_node.take().filter(|node| found.mapping.contains_key(node));
    let mut at = last.or_else(|| {
        let leaves = found.mapping.iter().filter(|(_, node)| node.children.is_empty());
        leaves.map(|(id, _)| id.clone()).max()
    });
    let mut turns = Vec::new();
    let mut model = found.default_model_slug.unwrap_or_default();
    // Each node is taken out, so that a cycle ends.
    while let Some(node) = at.and_then(|id| found.mapping.remove(&id)) {
        at = node.parent;
        let Some(message) = node.message else { continue };
        let metadata = message.metadata.unwrap_or_default();
        if metadata.is_visually_hidden_from_conversation == Some(true) {
            continue;
        }
        let role = match message.author.role.as_str() {
            "user" => Role::User,
            "assistant" => Role::Assistant,
            "tool" => Role::Tool,
            _ => continue,
        };
        if model.is_empty() {
            model = metadata.model_slug.unwrap_or_default();
        }
        let at = message.create_time.map(time_of).unwrap_or_default();
        turns.push(Turn { id: message.id, role, at, text: gpt_text(&message.content) });
    }
    turns.reverse();
    Conversation {
        id: found.conversation_id.or(found.id).unwrap_or_default(),
        source: ImportKind::ChatGpt.name(),
        title: found.title.unwrap_or_default(),
        started: found.create_time.map(time_of).unwrap_or_default(),
        project: String::new(),
        model,
        turns,
    }
}

fn gpt_text(content: &Value) -> String {
    let text = |key: &str| content.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let Some(list) = content.get("parts").and_then(Value::as_array) else {
        // Code that was run and its output have a text instead of parts.
        return text("text");
    };
    let part = |part: &Value| match part {
        Value::String(text) => text.clone(),
        part => match part.get("text").and_then(Value::as_str) {
            Some(text) => text.to_owned(),
            None => format!("[{}]", part.get("content_type").and_then(Value::as_str).unwrap_or("attachment")),
        },
    };
    list.iter().map(part).collect::<Vec<_>>().join("\n\n")
}

#[derive(Debug, Deserialize)]
struct ClaudeConversation {
    uuid: String,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    created_at: Option<String>,
    #[serde(default)]
    chat_messages: Option<Vec<Option<ClaudeMessage>>>,
}

#[derive(Debug, Deserialize)]
struct ClaudeMessage {
    uuid: String,
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    content: Value,
    sender: String,
    #[serde(default)]
    created_at: Option<String>,
    #[serde(default)]
    attachments: Option<Vec<ClaudeFile>>,
    #[serde(default)]
    files: Option<Vec<ClaudeFile>>,
}

#[derive(Debug, Deserialize)]
struct ClaudeFile {
    #[serde(default)]
    file_name: Option<String>,
    #[serde(default)]
    extracted_content: Option<String>,
}

fn claude(found: ClaudeConversation) -> Conversation {
    let mut turns = Vec::new();
    for message in found.chat_messages.into_iter().flatten().flatten() {
        let (spoken, output) = parts(&message.content);
        let mut text = if spoken.trim().is_empty() { message.text.unwrap_or_default() } else { spoken };
        for file in message.attachments.iter().chain(&message.files).flatten() {
            let name = file.file_name.as_deref().unwrap_or("without a name");
            let inside = shortened(file.extracted_content.as_deref().unwrap_or_default(), KEPT_ATTACHMENT);
            text.push_str(&format!("\n\n[file {name}] {inside}"));
        }
        let role = if message.sender == "human" { Role::User } else { Role::Assistant };
        let at = message.created_at.unwrap_or_default();
        turns.push(Turn { id: message.uuid.clone(), role, at: at.clone(), text });
        turns.push(Turn { id: format!("{}/output", message.uuid), role: Role::Tool, at, text: output });
    }
    Conversation {
        id: found.uuid,
        source: ImportKind::Claude.name(),
        title: found.name.unwrap_or_default(),
        started: found.created_at.unwrap_or_default(),
        turns,
        ..Conversation::default()
    }
}
