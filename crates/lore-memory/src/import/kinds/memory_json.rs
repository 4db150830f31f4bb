//! The knowledge graph of the reference MCP memory server: JSON lines with entities, observations and relations. Each
//! entity becomes a page.

use std::collections::{BTreeMap, BTreeSet};

use lore_engine::{Error, Result};
use lore_text::{fold, on_one_line, slugify};
use lore_vault::SourceTree;
use serde::Deserialize;

use super::super::{Found, Proposed, Sink};
use super::page::{PageText, link_target};

/// Maximum size of the file.
const MAX_FILE: u64 = 256 * 1024 * 1024;

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Line {
    Entity {
        name: String,
        #[serde(rename = "entityType", default)]
        kind: String,
        // Clients wrote nulls into some files.
        #[serde(default)]
        observations: Vec<Option<String>>,
    },
    Relation {
        from: String,
        to: String,
        #[serde(rename = "relationType", default)]
        verb: String,
    },
}

#[derive(Default)]
struct Entity {
    kind: String,
    observations: Vec<String>,
    relations: Vec<(String, String)>,
}

/// Whether the first line of a single file is an entity or a relation.
pub(super) fn recognizes(tree: &SourceTree) -> bool {
    let [file] = tree.files.as_slice() else { return false };
    let first = tree.stream(file, |reader| lore_vault::first_line(reader, 1024 * 1024));
    first.is_ok_and(|line| serde_json::from_slice::<Line>(&line).is_ok())
}

/// Reads the entities with their observations and relations.
pub(super) fn read(tree: &SourceTree, sink: &mut Sink<'_>) -> Result<()> {
    for file in &tree.files {
        let bytes = tree.read(file, MAX_FILE)?;
        let mut entities: BTreeMap<String, Entity> = BTreeMap::new();
        let mut relations = Vec::new();
        for (number, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
            if line.trim_ascii().is_empty() {
                continue;
            }
            let line = serde_json::from_slice(line).map_err(|error| Error::BadInput {
                message: format!("{} line {}: {error}", file.path, number + 1),
                hint: "each line must be an entity or a relation of the memory server".into(),
            })?;
            match line {
                Line::Entity { name, kind, observations } => {
                    let entity = entities.entry(name).or_default();
                    entity.kind = kind;
                    entity.observations.extend(observations.into_iter().flatten());
                }
                Line::Relation { from, to, verb } => relations.push((number + 1, from, to, verb)),
            }
        }
        let named = entities.keys().chain(relations.iter().map(|(_, _, to, _)| to));
        let targets = targets(named.cloned().collect());
        for (line, from, to, verb) in relations {
            match entities.get_mut(&from) {
                Some(entity) => entity.relations.push((verb, to)),
                None => sink(Found::Skipped {
                    path: format!("{}:{line}", file.path),
                    reason: format!("the relation starts at {from:?}, which is no entity"),
                })?,
            }
        }
        for (name, entity) in &entities {
            sink(Found::Item(page(name, entity, &targets)))?;
        }
    }
    Ok(())
}

/// Returns what a link to each entity says: its name, or, where a link cannot say that, another that no entity has. `[[C#]]`
/// is a link to `C`.
fn targets(names: BTreeSet<String>) -> BTreeMap<String, String> {
    let (plain, others): (Vec<String>, Vec<String>) =
        names.into_iter().partition(|name| link_target(name) == *name);
    let mut taken = BTreeSet::new();
    let mut targets = BTreeMap::new();
    for name in plain.into_iter().chain(others) {
        let wanted = Some(link_target(&name)).filter(|wanted| !wanted.is_empty());
        let wanted = wanted.unwrap_or_else(|| "entity".to_owned());
        let numbered = (2..).map(|number| format!("{wanted} ({number})"));
        let mut free = std::iter::once(wanted.clone()).chain(numbered);
        let target = free.find(|target| !taken.contains(&fold(target))).unwrap_or_default();
        taken.insert(fold(&target));
        targets.insert(name, target);
    }
    targets
}

fn page(name: &str, entity: &Entity, targets: &BTreeMap<String, String>) -> Proposed {
    let mut text = PageText::new(name);
    text.property("type", &entity.kind);
    let target = |name: &str| targets.get(name).cloned().unwrap_or_else(|| link_target(name));
    if target(name) != name {
        text.list("aliases", &[target(name)]);
    }
    for observation in &entity.observations {
        text.line(&format!("- [observation] {}", on_one_line(observation)));
    }
    if !entity.relations.is_empty() {
        text.line("");
    }
    for (verb, to) in &entity.relations {
        let verb = on_one_line(&verb.replace(['[', ']', '(', ')', '{', '}', ':'], " "));
        let verb = if verb.is_empty() { "relates_to".to_owned() } else { verb.replace(' ', "_") };
        text.line(&format!("- {verb} [[{}]]", target(to)));
    }
    let slug = slugify(name);
    let path = format!("{}.md", if slug.is_empty() { "entity" } else { &slug });
    let bytes = text.finish().into_bytes();
    Proposed { key: name.to_owned(), path, bytes, is_named_freely: true, ..Proposed::default() }
}
