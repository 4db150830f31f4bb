//! A JSON export of mem0: each memory becomes a page.

use lore_engine::{Error, Result};
use lore_text::slugify;
use lore_vault::SourceTree;
use serde::Deserialize;
use serde_json::Value;

use super::super::{Found, Proposed, Sink};
use super::page::{PageText, as_prose, link_target};
use crate::page_text::first_sentence;

/// Maximum size of the file.
const MAX_FILE: u64 = 256 * 1024 * 1024;

/// Maximum number of characters of a title.
const TITLE_CHARS: usize = 80;

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Export {
    Bare(Vec<Memory>),
    Wrapped {
        #[serde(alias = "memories", alias = "data")]
        results: Vec<Memory>,
        #[serde(default)]
        relations: Vec<Relation>,
    },
}

#[derive(Debug, Deserialize)]
struct Memory {
    id: String,
    #[serde(alias = "text", alias = "data")]
    memory: String,
    #[serde(default)]
    user_id: Option<String>,
    #[serde(default)]
    agent_id: Option<String>,
    #[serde(default)]
    run_id: Option<String>,
    #[serde(default)]
    created_at: Option<String>,
    #[serde(default)]
    updated_at: Option<String>,
    #[serde(default)]
    categories: Option<Vec<String>>,
    #[serde(default)]
    metadata: Option<serde_json::Map<String, Value>>,
}

#[derive(Debug, Deserialize)]
struct Relation {
    source: String,
    #[serde(alias = "relation")]
    relationship: String,
    #[serde(alias = "destination")]
    target: String,
}

/// Whether a single file is an export.
pub(super) fn recognizes(tree: &SourceTree) -> bool {
    let [file] = tree.files.as_slice() else { return false };
    file.path.ends_with(".json") && parse(tree, file).is_ok()
}

fn parse(tree: &SourceTree, file: &lore_vault::SourceFile) -> Result<Export> {
    let bytes = tree.read(file, MAX_FILE)?;
    serde_json::from_slice(&bytes).map_err(|error| Error::BadInput {
        message: format!("{} is not an export of mem0: {error}", file.path),
        hint: "it must be a list of memories, or an object with `results`".into(),
    })
}

/// Reads the memories.
pub(super) fn read(tree: &SourceTree, sink: &mut Sink<'_>) -> Result<()> {
    for file in &tree.files {
        let (memories, relations) = match parse(tree, file)? {
            Export::Bare(memories) => (memories, Vec::new()),
            Export::Wrapped { results, relations } => (results, relations),
        };
        for memory in memories {
            sink(Found::Item(page(&memory)))?;
        }
        if !relations.is_empty() {
            sink(Found::Item(relations_page(&relations)))?;
        }
    }
    Ok(())
}

fn page(memory: &Memory) -> Proposed {
    let title = match first_sentence(&memory.memory, TITLE_CHARS) {
        sentence if sentence.is_empty() => memory.memory.chars().take(TITLE_CHARS).collect(),
        sentence => sentence,
    };
    let mut text = PageText::new(&title);
    text.property("type", "memory");
    let day = |time: &Option<String>| {
        time.as_deref().and_then(|time| time.get(..10)).unwrap_or_default().to_owned()
    };
    text.property("created", &day(&memory.created_at));
    text.property("updated", &day(&memory.updated_at));
    text.property("user", memory.user_id.as_deref().unwrap_or_default());
    text.property("agent", memory.agent_id.as_deref().unwrap_or_default());
    text.property("session", memory.run_id.as_deref().unwrap_or_default());
    text.property("source", &format!("mem0:{}", memory.id));
    text.list("tags", memory.categories.as_deref().unwrap_or_default());
    for (key, value) in memory.metadata.iter().flatten() {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        text.property(&format!("mem0_{}", slugify(key).replace('-', "_")), &value);
    }
    text.line(&as_prose(memory.memory.trim()));
    let slug: String = slugify(&title.replace('/', " ")).chars().take(60).collect();
    let path = format!("{}.md", if slug.is_empty() { "memory" } else { slug.trim_end_matches('-') });
    let bytes = text.finish().into_bytes();
    Proposed { key: memory.id.clone(), path, bytes, is_named_freely: true, ..Proposed::default() }
}

/// The graph of an export has relations between names, not between memories.
fn relations_page(relations: &[Relation]) -> Proposed {
    let mut text = PageText::new("mem0 relations");
    for relation in relations {
        let verb = relation.relationship.trim().replace([' ', '[', ']', ':'], "_");
        let (from, to) = (link_target(&relation.source), link_target(&relation.target));
        text.line(&format!("- {from} | {verb}:: {to}"));
    }
    let bytes = text.finish().into_bytes();
    let (key, path) = ("relations".to_owned(), "mem0-relations.md".to_owned());
    Proposed { key, path, bytes, is_named_freely: true, ..Proposed::default() }
}
