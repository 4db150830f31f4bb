//! `build_context`.

use lore_engine::Code;
use lore_text::observation_permalink;
use serde_json::{Value, json};

use super::arguments::{Arguments, parameters};
use super::external_part;
use super::reading::permalink;
use super::{Answer, BridgeCall, number};
use crate::app::error::{AppError, Result};

/// Translates `build_context`.
pub(super) fn call(arguments: &Arguments) -> Result<(&'static str, Value)> {
    let depth = arguments.text("depth").map(str::parse::<usize>).transpose();
    let depth = depth.map_err(|_| AppError::usage("depth is not a number", "pass a number such as 1"))?;
    Ok((
        "build_context",
        parameters(json!({
            "path": arguments.text("url"), "depth": depth, "timeframe": arguments.text("timeframe"),
            "page": arguments.number("page"), "limit": arguments.number("page_size"),
        })),
    ))
}

/// One page with what belongs to it.
struct Primary<'a> {
    page: &'a Value,
    relations: Vec<Value>,
    related: Vec<Value>,
}

/// Answers `build_context`.
pub(super) fn reply(call: BridgeCall<'_>) -> Result<Answer> {
    let arguments = call.arguments;
    let url = arguments.text("url").unwrap_or_default();
    let uri = lore_engine::without_scheme(url);
    let output = match &call.outcome {
        Ok((output, _)) => output.clone(),
        Err(failure) if failure.code == Code::NotFound => Value::Null,
        Err(_) => return call.outcome.map(|_| Answer::text("")),
    };
    let most = arguments.number("max_related").unwrap_or(10);
    let pages = std::iter::once(&output["page"]).chain(output["further"].as_array().into_iter().flatten());
    let pages: Vec<&Value> = pages.filter(|page| page.is_object()).collect();
    // What is around several pages is given with the first.
    let mut around: Vec<Value> = output["related"].as_array().cloned().unwrap_or_default();
    around.truncate(most);
    let primaries: Vec<Primary<'_>> = pages
        .into_iter()
        .enumerate()
        .map(|(at, page)| {
            let related = if at == 0 { around.iter().map(entity).collect() } else { Vec::new() };
            Primary { page, relations: relations(page, &around, most), related }
        })
        .collect();
    if arguments.text("output_format") == Some("text") {
        return Ok(text(&call, uri, &primaries));
    }
    Ok(Answer::json(value(&call, uri, &primaries, output["more"] == true)))
}

/// Returns the relations of a page in both directions.
fn relations(page: &Value, around: &[Value], most: usize) -> Vec<Value> {
    let title_of = |slug: &Value| {
        let known = around.iter().find(|one| one["slug"] == *slug).map(|one| one["title"].clone());
        known.unwrap_or_else(|| slug.clone())
    };
    let id_of = |slug: &Value| {
        let known = around.iter().find(|one| one["slug"] == *slug).map(|one| one["id"].clone());
        known.unwrap_or_default()
    };
    let own = |slug: &Value| *slug == page["slug"];
    let links = ["links", "backlinks"].into_iter().flat_map(|key| page[key].as_array().into_iter().flatten());
    let end = |slug: &Value| if own(slug) { page["id"].clone() } else { id_of(slug) };
    let relation = |link: &Value| {
        let from = if own(&link["from"]) { page["title"].clone() } else { title_of(&link["from"]) };
        let to = match (link["to"].is_null(), own(&link["to"])) {
            (true, _) => Value::Null,
            (_, true) => page["title"].clone(),
            _ => title_of(&link["to"]),
        };
        let name = if to.is_null() { link["target"].clone() } else { to.clone() };
        let kind = link["relationship"].as_str().unwrap_or_default();
        json!({
            "type": "relation", "relation_id": link["id"], "entity_id": null,
            "title": format!("{kind}: {}", name.as_str().unwrap_or_default()),
            "file_path": link["path"], "permalink": "", "relation_type": kind, "from_entity": from,
            "from_entity_id": number(&end(&link["from"])),
            "from_entity_external_id": end(&link["from"]),
            "to_entity": to, "to_name": name, "to_entity_id": number(&end(&link["to"])),
            "to_entity_external_id": end(&link["to"]),
            "created_at": page["created"],
        })
    };
    links.take(most).map(relation).collect()
}

fn entity(related: &Value) -> Value {
    json!({
        "type": "entity", "external_id": related["id"], "entity_id": number(&related["id"]), "permalink": related["slug"],
        "title": related["title"], "file_path": related["path"], "created_at": related["updated"],
        "updated_at": related["updated"],
    })
}

fn observations(page: &Value) -> Vec<Value> {
    let own = permalink(page);
    let one = |found: &Value| {
        let part = |key: &str| found[key].as_str().unwrap_or_default().to_owned();
        let permalink = Value::from(observation_permalink(&own, &part("predicate"), &part("object")));
        json!({
            "type": "observation", "observation_id": number(&permalink), "entity_id": number(&page["id"]), "entity_external_id": page["id"],
            "title": page["title"], "file_path": page["path"],
            "permalink": permalink,
            "category": part("predicate"), "content": part("object"), "created_at": page["created"],
        })
    };
    page["observations"].as_array().into_iter().flatten().map(one).collect()
}

/// Returns the text of a page without its frontmatter.
fn body(page: &Value) -> String {
    let truth = page["compiled_truth"].as_str().unwrap_or_default();
    match page["timeline"].as_str() {
        Some(timeline) => format!("{truth}\n\n---\n\n{timeline}"),
        None => truth.to_owned(),
    }
}

fn value(call: &BridgeCall<'_>, uri: &str, primaries: &[Primary<'_>], more: bool) -> Value {
    let (arguments, is_compact) = (call.arguments, call.arguments.is("compact"));
    let one = |primary: &Primary<'_>| {
        let page = primary.page;
        let mut result = json!({
            "type": "entity", "external_id": page["id"], "entity_id": number(&page["id"]), "permalink": permalink(page),
            "title": page["title"], "file_path": page["path"], "created_at": page["created"],
            "updated_at": page["updated"],
        });
        let related: Vec<&Value> = primary.relations.iter().chain(&primary.related).collect();
        let mut item = json!({ "primary_result": null, "related_results": related });
        if !is_compact {
            result["content"] = body(page).into();
            item["observations"] = observations(page).into();
        }
        item["primary_result"] = result;
        item
    };
    let count = |of: fn(&Primary<'_>) -> usize| primaries.iter().map(of).sum::<usize>();
    let relations = count(|primary| primary.relations.len());
    let related = count(|primary| primary.related.len()) + relations;
    let seen = count(|primary| primary.page["observations"].as_array().map_or(0, Vec::len));
    json!({
        "results": primaries.iter().map(one).collect::<Vec<_>>(),
        "metadata": {
            "uri": uri, "types": null, "depth": depth(arguments), "timeframe": arguments.value("timeframe"),
            "generated_at": call.now, "primary_count": primaries.len(), "related_count": related,
            "total_results": primaries.len() + related, "total_relations": relations, "total_observations": seen,
        },
        "page": arguments.value("page"), "page_size": arguments.value("page_size"), "has_more": more,
    })
}

fn depth(arguments: &Arguments) -> usize {
    arguments.text("depth").and_then(|depth| depth.parse().ok()).unwrap_or(1)
}

fn text(call: &BridgeCall<'_>, uri: &str, primaries: &[Primary<'_>]) -> Answer {
    let Some(first) = primaries.first() else {
        return Answer::text(format!("No results found for '{uri}' in project '{}'.", call.project));
    };
    let is_compact = call.arguments.is("compact");
    let title = |page: &Value| page["title"].as_str().unwrap_or_default().to_owned();
    let heading = if primaries.len() == 1 { title(first.page) } else { uri.to_owned() };
    let mut text = format!("# Context: {heading}\n");
    for primary in primaries {
        text.push_str(&format!("\n## {}\npermalink: {}\n", title(primary.page), permalink(primary.page)));
        let mut section = |name: &str, lines: Vec<String>| {
            if !lines.is_empty() {
                text.push_str(&format!("\n### {name}\n{}\n", lines.join("\n")));
            }
        };
        if !is_compact {
            let lines = observations(primary.page);
            let line = |one: &Value| {
                let part = |key: &str| one[key].as_str().unwrap_or_default();
                format!("- [{}] {}", part("category"), part("content"))
            };
            section("Content", vec![external_part(primary.page, &body(primary.page))]);
            section("Observations", lines.iter().map(line).collect());
        }
        let relation = |one: &Value| {
            let part = |key: &str| one[key].as_str().unwrap_or_default();
            match part("from_entity") == title(primary.page) {
                true => format!("- {} [[{}]]", part("relation_type"), part("to_name")),
                false => {
                    format!("- [[{}]] {} [[{}]]", part("from_entity"), part("relation_type"), part("to_name"))
                }
            }
        };
        section("Relations", primary.relations.iter().map(relation).collect());
        let related = |one: &Value| {
            let part = |key: &str| one[key].as_str().unwrap_or_default();
            format!("- [[{}]] ({})", part("title"), part("permalink"))
        };
        section("Related", primary.related.iter().map(related).collect());
    }
    let related: usize = primaries.iter().map(|one| one.relations.len() + one.related.len()).sum();
    text.push_str(&format!(
        "\n---\n*{} primary, {related} related | depth={} | project: {}*",
        primaries.len(),
        depth(call.arguments),
        call.project
    ));
    Answer::text(text)
}
