//! `man`: the manual of the tools, made from the tools themselves, and the skills.

use serde_json::{Value, json};

use super::arguments::Arguments;
use super::tools::TOOLS;
use super::{Answer, BridgeCall};
use crate::app::error::{AppError, Result};

/// Translates `man`: a page that is not a tool is a skill.
pub(super) fn call(arguments: &Arguments) -> Result<(&'static str, Value)> {
    match arguments.text("page") {
        Some(page) if tool(page).is_none() => Ok(("skills_show", json!({ "name": page }))),
        _ => Ok(("skills_list", json!({}))),
    }
}

/// Returns the text of a tool's page.
fn tool(page: &str) -> Option<String> {
    let name = page.split('(').next().unwrap_or(page).trim().replace('-', "_");
    let tool = TOOLS.iter().find(|tool| tool.name == name)?;
    let bridge = tool.bridge?;
    let mut text = format!("# {}\n\n{}\n\n## Parameters\n\n", tool.name, tool.about);
    for given in bridge.takes {
        let schema = given.schema();
        let kind = schema["type"].as_str().unwrap_or("list or string");
        let default = match given.required {
            true => "required".to_owned(),
            false => format!("default {}", given.default),
        };
        let aliases = match given.aliases {
            [] => String::new(),
            names => format!("; also {}", names.join(", ")),
        };
        text.push_str(&format!("- `{}`: {kind}, {default}{aliases}\n", given.name));
    }
    Some(text)
}

/// Answers `man`.
pub(super) fn reply(call: BridgeCall<'_>) -> Result<Answer> {
    let arguments = call.arguments;
    if let Some(page) = arguments.text("page") {
        if let Some(text) = tool(page) {
            return Ok(Answer::text(text.trim_end()));
        }
        let (skill, _) = call
            .outcome
            .map_err(|failure| AppError { message: format!("No manual entry for {page}"), ..failure })?;
        return Ok(Answer::text(skill["text"].as_str().unwrap_or_default()));
    }
    let (skills, _) = call.outcome?;
    let query = arguments.text("query").unwrap_or_default().to_lowercase();
    let fits = |name: &str, about: &str| format!("{name} {about}").to_lowercase().contains(&query);
    let tools = TOOLS.iter().map(|tool| (tool.name.to_owned(), tool.about.to_owned()));
    let skills = skills["skills"].as_array().cloned().unwrap_or_default();
    let skills = skills.iter().map(|skill| {
        let part = |key: &str| skill[key].as_str().unwrap_or_default().to_owned();
        (part("name"), part("description"))
    });
    let list = |items: Vec<(String, String)>| -> String {
        let items = items.into_iter().filter(|(name, about)| fits(name, about));
        items.map(|(name, about)| format!("- {name} — {about}\n")).collect()
    };
    let (tools, skills) = (list(tools.collect()), list(skills.collect()));
    Ok(Answer::text(format!(
        "# Manual\n\nRead a page with `man(page=\"NAME\")`.\n\n## Tools\n\n{tools}\n## Skills\n\n{skills}"
    )))
}
