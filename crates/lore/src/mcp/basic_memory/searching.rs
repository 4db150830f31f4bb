//! `search_notes`, `search`, `grep`, `find` with conditions, `recent_activity` and `tail`.

use lore_engine::Code;
use serde_json::{Map, Value, json};

use super::arguments::{Arguments, parameters};
use super::reading::blocks;
use super::writing::failure_text;
use super::{Answer, BridgeCall, number};
use crate::app::error::{AppError, Result};

/// Kinds of search that clients name.
const TYPES: [&str; 6] = ["text", "title", "permalink", "vector", "semantic", "hybrid"];

/// Kinds of items that clients name.
const ENTITIES: [&str; 3] = ["entity", "observation", "relation"];

/// Translates `search_notes`.
pub(super) fn search_notes(arguments: &Arguments) -> Result<(&'static str, Value)> {
    let kind = arguments.text("search_type");
    if let Some(kind) = kind.filter(|kind| !TYPES.contains(kind)) {
        let message = format!("Invalid search_type '{kind}'");
        return Err(AppError::usage(message, format!("Valid options: {}", TYPES.join(", "))));
    }
    if let Some(name) =
        ["valid_overlaps", "time_kind"].into_iter().find(|name| arguments.text(name).is_some())
    {
        return Err(AppError::usage(format!("{name} is not supported"), "use valid_at with a date"));
    }
    let entities = entities(&arguments.list("entity_types"))?;
    Ok((
        "find_notes",
        parameters(json!({
            "query": arguments.text("query"),
            "search_type": kind,
            "page": arguments.number("page"),
            "page_size": arguments.number("page_size"),
            "note_types": arguments.list("note_types"),
            "entity_types": entities,
            "categories": arguments.list("categories"),
            "tags": arguments.list("tags"),
            "status": arguments.text("status"),
            "after_date": arguments.text("after_date"),
            "metadata_filters": arguments.value("metadata_filters"),
            "min_similarity": arguments.value("min_similarity"),
            "valid_at": arguments.text("valid_at"),
            "projects": arguments.list("projects"),
            "all_projects": arguments.is("search_all_projects"),
            "contents": !arguments.is("compact"),
        })),
    ))
}

fn entities(names: &[String]) -> Result<Vec<String>> {
    let name = |name: &String| {
        let known = name.trim().to_lowercase();
        match ENTITIES.contains(&known.as_str()) {
            true => Ok(known),
            false => Err(AppError::usage(
                format!("Invalid type: {name}"),
                format!("Valid types are: {}", ENTITIES.join(", ")),
            )),
        }
    };
    names.iter().filter(|name| !name.trim().is_empty()).map(name).collect()
}

/// Returns a result in the shape of a search.
fn item(found: &Value, is_compact: bool, with_project: bool) -> Value {
    let mut fields = Map::new();
    let mut set = |key: &str, value: Value| fields.insert(key.to_owned(), value);
    let kind = found["type"].as_str().unwrap_or("entity");
    let content = found["content"].as_str();
    let title = match (kind, content) {
        ("observation", Some(text)) => {
            let start: String = text.chars().take(50).collect();
            format!("{}: {start}...", found["category"].as_str().unwrap_or_default())
        }
        _ => found["title"].as_str().unwrap_or_default().to_owned(),
    };
    set("title", title.into());
    for (name, from) in [
        ("type", "type"),
        ("score", "score"),
        ("entity", "entity"),
        ("external_id", "id"),
        ("permalink", "permalink"),
    ] {
        set(name, found[from].clone());
    }
    if let Some(text) = content.filter(|_| !is_compact) {
        set("content", text.into());
        set("content_length", text.chars().count().into());
    }
    if !is_compact {
        set("content_truncated", false.into());
    }
    set("file_path", found["file_path"].clone());
    set("updated_at", found["updated"].clone());
    let metadata = match kind {
        "entity" => json!({ "note_type": found["note_type"] }),
        "observation" => json!({ "tags": found["tags"].as_array().filter(|tags| !tags.is_empty()) }),
        _ => json!({}),
    };
    set("metadata", metadata);
    set("entity_id", number(&found["id"]));
    if kind == "observation" {
        set("observation_id", number(&found["permalink"]));
        set("category", found["category"].clone());
    }
    if let Some(relation) = found["relation"].as_object() {
        set("relation_id", relation["id"].clone());
        set("from_entity", relation["from"].clone());
        set("to_entity", relation["to"].clone());
        set("relation_type", relation["relation_type"].clone());
    }
    set("project_id", number(&found["project"]));
    set("project_external_id", found["project"].clone());
    if with_project {
        set("project", found["project"].clone());
    }
    Value::Object(fields)
}

fn results(output: &Value) -> &[Value] {
    output["results"].as_array().map(Vec::as_slice).unwrap_or_default()
}

fn page_of(output: &Value, results: Vec<Value>) -> Value {
    json!({
        "results": results, "current_page": output["page"], "page_size": output["page_size"],
        "total": output["total"], "total_is_exact": output["total_is_exact"], "has_more": output["more"],
    })
}

/// Answers `search_notes`.
pub(super) fn searched(call: BridgeCall<'_>) -> Result<Answer> {
    let arguments = call.arguments;
    let query = arguments.text("query").unwrap_or_default();
    let output = match &call.outcome {
        Ok((output, _)) => output,
        Err(failure) if failure.message == "nothing to search for" => {
            return Ok(Answer::text(format!("# No Search Criteria\n\n{}", failure.hint)));
        }
        Err(failure) => return Ok(failure_text("# Search Failed\n\n", failure)),
    };
    let is_many = arguments.is("search_all_projects") || !arguments.list("projects").is_empty();
    if call.is_json() {
        let is_compact = arguments.is("compact");
        let items = results(output).iter().map(|found| item(found, is_compact, is_many)).collect();
        let mut answer = page_of(output, items);
        if arguments.text("valid_at").is_some() {
            answer["temporal_applied"] = true.into();
        }
        return Ok(Answer::json(answer));
    }
    let projects: Vec<&str> =
        output["projects"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let projects = projects.join(", ");
    if results(output).is_empty() {
        return Ok(Answer::text(format!(
            "No results found for '{query}' in project '{projects}'. Try broader or different terms, or call \
             recent_activity."
        )));
    }
    let mut text = format!("# Search Results: {query}\n*project: {projects}*\n");
    for found in results(output) {
        let found = item(found, true, is_many);
        let of = |key: &str| found[key].as_str().unwrap_or_default().to_owned();
        text.push_str(&format!("\n### {}\n- permalink: {}\n", of("title"), of("permalink")));
        if is_many {
            text.push_str(&format!("- project: {}\n", of("project")));
        }
        let score = found["score"].as_f64().unwrap_or_default();
        text.push_str(&format!("- external_id: {}\n- score: {score:.4}\n", of("external_id")));
    }
    let shown = results(output).len();
    text.push_str(&format!(
        "\n---\n*{shown} results | page {}, page_size {}*",
        output["page"], output["page_size"]
    ));
    Ok(Answer::text(text))
}

/// Translates `search`.
pub(super) fn search(arguments: &Arguments) -> Result<(&'static str, Value)> {
    Ok(("find_notes", json!({ "query": arguments.text("query").unwrap_or_default() })))
}

/// Answers `search`, in the shape that ChatGPT expects.
pub(super) fn chat_results(call: BridgeCall<'_>) -> Result<Answer> {
    let (output, _) = call.outcome?;
    let items: Vec<Value> = results(&output)
        .iter()
        .map(|found| json!({ "id": found["permalink"], "title": found["title"], "url": found["permalink"] }))
        .collect();
    Ok(blocks(&json!({
        "results": items, "total_count": items.len(), "query": call.arguments.value("query"),
    })))
}

/// Translates `grep`.
pub(super) fn grep(arguments: &Arguments) -> Result<(&'static str, Value)> {
    let kind = if arguments.is("semantic") { "semantic" } else { "text" };
    Ok((
        "find_notes",
        parameters(json!({
            "query": arguments.text("pattern"), "search_type": kind, "page": arguments.number("page"),
            "page_size": arguments.number("page_size"), "context_lines": arguments.number("context_lines"),
            "max_matches": arguments.number("max_matches"), "contents": arguments.number("context_lines").is_none(),
        })),
    ))
}

/// Answers `grep`.
pub(super) fn grepped(call: BridgeCall<'_>) -> Result<Answer> {
    let (output, _) = call.outcome?;
    let windows = call.arguments.number("context_lines").is_some();
    let one = |found: &Value| match windows {
        false => item(found, false, false),
        true => {
            let matches = &found["matches"];
            json!({
                "title": found["title"], "permalink": found["permalink"], "file_path": found["file_path"],
                "external_id": found["id"], "total_lines": matches["total_lines"],
                "match_count": matches["match_count"], "windows": matches["windows"],
                "next_match_line": matches["next_match_line"],
            })
        }
    };
    let mut answer = page_of(&output, results(&output).iter().map(one).collect());
    if windows {
        answer["pagination_scope"] = "search_candidates".into();
    }
    Ok(Answer::json(answer))
}

/// Translates `find` with conditions such as `born>1800`.
pub(super) fn find_by_conditions(arguments: &Arguments) -> Result<(&'static str, Value)> {
    let mut filters: Map<String, Value> = Map::new();
    let mut types = Vec::new();
    for condition in arguments.list("meta") {
        let Some(at) = condition.find(['=', '<', '>']).filter(|at| *at > 0) else {
            let message = format!("{condition:?} is not a condition");
            return Err(AppError::usage(message, "use key=value, key>value or key<=value"));
        };
        let (key, rest) = condition.split_at(at);
        let key = key.trim();
        let (operator, value) = [(">=", "$gte"), ("<=", "$lte"), (">", "$gt"), ("<", "$lt"), ("=", "")]
            .into_iter()
            .find_map(|(sign, operator)| rest.strip_prefix(sign).map(|value| (operator, value.trim())))
            .unwrap_or(("", rest));
        match (key, operator) {
            ("type", "") => types.push(value.to_owned()),
            (_, "") => {
                filters.insert(key.to_owned(), value.into());
            }
            _ => {
                let entry = filters.entry(key.to_owned()).or_insert_with(|| json!({}));
                if let Some(entry) = entry.as_object_mut() {
                    entry.insert(operator.to_owned(), value.into());
                }
            }
        }
    }
    Ok((
        "find_notes",
        parameters(json!({
            "metadata_filters": filters, "note_types": types, "page": arguments.number("page"),
            "page_size": arguments.number("page_size"), "contents": true, "entity_types": ["entity"],
        })),
    ))
}

/// Answers `find` with conditions.
pub(super) fn found_by_conditions(arguments: &Arguments, output: &Value) -> Answer {
    let fields = arguments.list("fields");
    let one = |found: &Value| {
        if fields.is_empty() {
            return item(found, false, false);
        }
        let values: Map<String, Value> =
            fields.iter().map(|field| (field.clone(), found["properties"][field].clone())).collect();
        json!({
            "title": found["title"], "permalink": found["permalink"], "file_path": found["file_path"],
            "external_id": found["id"], "updated_at": found["updated"], "fields": values,
        })
    };
    Answer::json(page_of(output, results(output).iter().map(one).collect()))
}

/// Translates `recent_activity`.
pub(super) fn recent(arguments: &Arguments) -> Result<(&'static str, Value)> {
    let kinds = entities(&arguments.list("type"))?;
    let kinds = if kinds.is_empty() { vec!["entity".to_owned()] } else { kinds };
    Ok((
        "find_notes",
        parameters(json!({
            "entity_types": kinds, "after_date": arguments.text("timeframe").unwrap_or("7d"),
            "page": arguments.number("page"), "page_size": arguments.number("page_size"),
        })),
    ))
}

/// Translates `tail`.
pub(super) fn tail(arguments: &Arguments) -> Result<(&'static str, Value)> {
    Ok((
        "find_notes",
        parameters(json!({
            "entity_types": ["entity"], "after_date": arguments.text("timeframe").unwrap_or("7d"),
            "page_size": arguments.number("lines"),
        })),
    ))
}

fn activity(found: &Value, with_update: bool) -> Value {
    let mut one = json!({
        "type": found["type"], "title": found["title"], "permalink": found["permalink"],
        "file_path": found["file_path"], "created_at": found["created"],
    });
    if with_update {
        one["updated_at"] = found["updated"].clone();
    }
    one
}

/// Answers `tail`.
pub(super) fn tailed(call: BridgeCall<'_>) -> Result<Answer> {
    let (output, _) = call.outcome?;
    Ok(Answer::json(results(&output).iter().map(|found| activity(found, true)).collect()))
}

/// Answers `recent_activity`.
pub(super) fn recent_answer(call: BridgeCall<'_>) -> Result<Answer> {
    let is_json = call.is_json();
    let output = match &call.outcome {
        Ok((output, _)) => output,
        Err(failure) if failure.code == Code::Usage => return Ok(failure_text("", failure)),
        Err(_) => return call.outcome.map(|_| Answer::text("")),
    };
    if is_json {
        return Ok(Answer::json(results(output).iter().map(|found| activity(found, false)).collect()));
    }
    let timeframe = call.arguments.text("timeframe").unwrap_or("7d");
    let mut text = format!("## Recent Activity: {} ({timeframe})\n", call.project);
    let of = |kind: &str| -> Vec<&Value> {
        results(output).iter().filter(|found| found["type"] == kind).collect()
    };
    let (notes, observations, relations) = (of("entity"), of("observation"), of("relation"));
    if !notes.is_empty() {
        text.push_str(&format!("\n**📄 Recent Notes & Documents ({}):**\n", notes.len()));
        for note in notes {
            let path = note["file_path"].as_str().unwrap_or_default();
            let folder = path.rsplit_once('/').map(|(folder, _)| format!(" ({folder})")).unwrap_or_default();
            let (title, id) = (note["title"].as_str(), note["id"].as_str());
            text.push_str(&format!(
                "  • {}{folder} [id: {}]\n",
                title.unwrap_or_default(),
                id.unwrap_or_default()
            ));
        }
    }
    if !observations.is_empty() {
        text.push_str(&format!("\n**🔍 Recent Observations ({}):**\n", observations.len()));
        for one in observations {
            let (category, content) = (one["category"].as_str(), one["content"].as_str());
            text.push_str(&format!(
                "  - **{}:** {}\n",
                category.unwrap_or_default(),
                content.unwrap_or_default()
            ));
        }
    }
    if !relations.is_empty() {
        text.push_str(&format!("\n**🔗 Recent Connections ({}):**\n", relations.len()));
        for one in relations {
            let relation = &one["relation"];
            let part = |key: &str| relation[key].as_str().unwrap_or_default().to_owned();
            let missing = if relation["to"].is_null() { " (missing)" } else { "" };
            text.push_str(&format!(
                "  • [[{}]] → {} → [[{}]]{missing}\n",
                part("from_title"),
                part("relation_type"),
                part("to_name")
            ));
        }
    }
    let shown = results(output).len();
    let page = output["page"].as_u64().unwrap_or(1);
    let summary = match output["more"] == true {
        true => format!("Showing {shown} items (page {page}). Use page={} to see more.", page + 1),
        false => format!("{shown} items found."),
    };
    text.push_str(&format!("\n**Activity Summary:** {summary}"));
    Ok(Answer::text(text))
}
