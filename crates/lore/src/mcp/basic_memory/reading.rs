//! `read_note`, `view_note`, `cat`, `fetch` and `read_content`.

use lore_engine::Code;
use serde_json::{Map, Value, json};

use super::arguments::{Arguments, parameters};
use super::{Answer, BridgeCall};
use crate::app::error::{AppError, Result};

/// Reads the page that `identifier` names.
pub(super) fn show(arguments: &Arguments) -> Result<(&'static str, Value)> {
    Ok(("show", json!({ "reference": arguments.text("identifier").unwrap_or_default() })))
}

/// Reads the page that `id` names.
pub(super) fn show_id(arguments: &Arguments) -> Result<(&'static str, Value)> {
    Ok(("show", json!({ "reference": arguments.text("id").unwrap_or_default() })))
}

/// Reads the file that `path` names.
pub(super) fn file(arguments: &Arguments) -> Result<(&'static str, Value)> {
    Ok(("read_file", parameters(json!({ "path": arguments.text("path") }))))
}

/// A note as `show` gives it.
struct Note<'a> {
    page: &'a Value,
    content: &'a str,
    /// Number of the lines of the frontmatter.
    head: usize,
}

impl<'a> Note<'a> {
    fn new(page: &'a Value) -> Note<'a> {
        let content = page["content"].as_str().unwrap_or_default();
        let mut lines = content.lines();
        let has_head = lines.next() == Some("---");
        let end = lines.position(|line| line.trim_end() == "---" || line.trim_end() == "...");
        let head = end.filter(|_| has_head).map_or(0, |end| end + 2);
        Note { page, content, head }
    }

    fn body(&self) -> String {
        let body: String = self.content.split_inclusive('\n').skip(self.head).collect();
        body.trim_start_matches(['\n', '\r']).to_owned()
    }

    fn total(&self) -> usize {
        self.content.lines().count()
    }

    fn lines(&self, first: usize, last: usize) -> String {
        self.content.lines().skip(first - 1).take(last + 1 - first).collect::<Vec<_>>().join("\n")
    }

    /// Returns the fields that every form has.
    fn fields(&self) -> Map<String, Value> {
        let mut fields = Map::new();
        fields.insert("title".into(), self.page["title"].clone());
        fields.insert("permalink".into(), permalink(self.page).into());
        fields.insert("file_path".into(), self.page["path"].clone());
        // JSON has no fence, and a part of a note does not show its frontmatter.
        if self.page["properties"]["origin"].as_str().is_some_and(|origin| origin.trim() == "external") {
            fields.insert("origin".into(), "external".into());
        }
        fields
    }

    /// Returns the frontmatter with numbers and booleans as such, where they are written without quotes.
    fn frontmatter(&self) -> Value {
        let mut fields = self.page["properties"].clone();
        for line in self.content.lines().take(self.head) {
            let Some((key, written)) = line.split_once(':') else { continue };
            let typed = match serde_json::from_str(written.trim()) {
                Ok(value @ (Value::Number(_) | Value::Bool(_))) => value,
                _ => continue,
            };
            if let Some(field) = fields.get_mut(key).filter(|field| field.is_string()) {
                *field = typed;
            }
        }
        fields
    }

    fn whole(&self, with_head: bool) -> Map<String, Value> {
        let content = if with_head { self.content.to_owned() } else { self.body() };
        let mut fields = self.fields();
        fields.insert("content".into(), content.into());
        fields.insert("frontmatter".into(), self.frontmatter());
        fields.insert("checksum".into(), self.page["hash"].clone());
        fields
    }

    fn part(&self, first: usize, last: usize, section: Value) -> Map<String, Value> {
        let mut fields = self.fields();
        fields.insert("content".into(), self.lines(first, last).into());
        fields.insert("frontmatter".into(), Value::Null);
        fields.insert("checksum".into(), self.page["hash"].clone());
        fields.insert("section".into(), section);
        fields.insert("start_line".into(), first.into());
        fields.insert("end_line".into(), last.into());
        fields.insert("total_lines".into(), self.total().into());
        fields
    }
}

/// Returns the permalink of a page: the one in its frontmatter, else its slug.
pub(super) fn permalink(page: &Value) -> String {
    let own = [&page["permalink"], &page["properties"]["permalink"]].into_iter().filter_map(Value::as_str);
    let own = own.into_iter().find(|own| !own.trim().is_empty());
    own.or(page["slug"].as_str()).unwrap_or_default().to_owned()
}

/// Returns the requested lines, cut to those of the note.
fn range(arguments: &Arguments, note: &Note<'_>) -> Result<Option<(usize, usize)>> {
    let (first, last) = (arguments.number("start_line"), arguments.number("end_line"));
    if first.is_none() && last.is_none() {
        return Ok(None);
    }
    let (first, total) = (first.unwrap_or(1), note.total());
    let last = last.unwrap_or(total).min(total);
    if first == 0 || (first > last && first <= total) {
        return Err(AppError::usage("the lines are not a range", "pass a start_line from 1 to end_line"));
    }
    if first > total {
        let message = format!("start_line {first} is past the end of the document ({total} lines)");
        return Err(AppError::usage(message, "pass a smaller start_line"));
    }
    Ok(Some((first, last)))
}

/// Answers `read_note`.
pub(super) fn read_note(call: BridgeCall<'_>) -> Result<Answer> {
    let (arguments, is_json) = (call.arguments, call.is_json());
    let identifier = arguments.text("identifier").unwrap_or_default();
    let page = match &call.outcome {
        Ok((page, _)) => page,
        Err(failure) if failure.code == Code::NotFound && is_json => {
            return Ok(Answer::json(json!({
                "title": null, "permalink": null, "file_path": null, "content": null, "frontmatter": null,
                "error": "NOTE_NOT_FOUND", "message": format!("Note not found: {identifier}"),
            })));
        }
        Err(failure) => return missing(failure, call.project, identifier),
    };
    let note = Note::new(page);
    let range = range(arguments, &note)?;
    if arguments.value("include_content") == Value::Bool(false) {
        let updated = page["updated"].clone();
        let mut fields = note.fields();
        fields.insert("checksum".into(), page["hash"].clone());
        fields.insert("updated_at".into(), updated);
        let line =
            |(key, value): (&String, &Value)| format!("{key}: {}\n", value.as_str().unwrap_or_default());
        let text: String = fields.iter().map(line).collect();
        let text = format!("# Note metadata\n{}", text.trim_end());
        return Ok(if is_json { Answer::json(Value::Object(fields)) } else { Answer::text(text) });
    }
    let Some((first, last)) = range else {
        let with_head = arguments.is("include_frontmatter");
        let whole = Value::Object(note.whole(with_head));
        return Ok(if is_json { Answer::json(whole) } else { Answer::note(page, note.content) });
    };
    let total = note.total();
    let next = (last < total).then(|| (last + 1, (last + 1 + last - first).min(total)));
    if is_json {
        let mut fields = note.part(first, last, Value::Null);
        fields.insert("has_more".into(), next.is_some().into());
        fields.insert("next_start_line".into(), json!(next.map(|next| next.0)));
        fields.insert("next_end_line".into(), json!(next.map(|next| next.1)));
        return Ok(Answer::json(Value::Object(fields)));
    }
    let more = next.map(|(first, last)| format!("; next: start_line={first}, end_line={last}"));
    let mut text = format!(
        "Lines {first}-{last} of {total} (document, including frontmatter){}\n",
        more.unwrap_or_default()
    );
    for (number, line) in note.lines(first, last).lines().enumerate() {
        text.push_str(&format!("{}: {line}\n", first + number));
    }
    Ok(Answer::note(page, text.trim_end()))
}

/// Answers a call for a note that does not exist with what else there is; other errors stay errors.
fn missing(failure: &AppError, project: &str, identifier: &str) -> Result<Answer> {
    if failure.code != Code::NotFound {
        return Ok(super::writing::failure_text("", failure));
    }
    let place = if project.is_empty() { String::new() } else { format!(" in {project}") };
    Ok(Answer::text(format!(
        "# Note Not Found{place}: \"{identifier}\"\n\n{}. {}\n\nSearch with `search_notes(query=\"{identifier}\")`, or \
         create it with `write_note`.",
        failure.message, failure.hint
    )))
}

/// Answers `view_note`.
pub(super) fn view_note(call: BridgeCall<'_>) -> Result<Answer> {
    let identifier = call.arguments.text("identifier").unwrap_or_default();
    match &call.outcome {
        Ok((page, _)) => Ok(Answer::note(
            page,
            format!(
                "Note retrieved: \"{identifier}\"\n\nShow this note to the user as a Markdown artifact.\n\nContent:\n<note>\n{}\n</note>",
                page["content"].as_str().unwrap_or_default().trim_end()
            ),
        )),
        Err(failure) => missing(failure, call.project, identifier),
    }
}

/// Answers `cat`.
pub(super) fn cat(call: BridgeCall<'_>) -> Result<Answer> {
    let arguments = call.arguments;
    let (page, _) = call.outcome?;
    let note = Note::new(&page);
    let with_head = arguments.is("include_frontmatter");
    let mut lines = range(arguments, &note)?;
    let mut section = Value::Null;
    if let Some(wanted) = arguments.text("section") {
        let (path, first, last) = section_of(&page, wanted)?;
        section = path.into();
        lines = Some((first, last));
    }
    let Some(most) = arguments.number("max_tokens") else {
        let mut fields = match lines {
            None => note.whole(with_head),
            Some((first, last)) => note.part(first, last, section.clone()),
        };
        if lines.is_some() && section.is_null() {
            fields.remove("section");
            fields.insert("frontmatter".into(), note.frontmatter());
        }
        return Ok(Answer::json(Value::Object(fields)));
    };
    let (first, last) = lines.unwrap_or((note.head + 1, note.total()));
    // Four characters are about one token; the first line is always there.
    let mut room = most.saturating_mul(4);
    let mut end = first.saturating_sub(1);
    for line in note.content.lines().skip(first - 1).take(last + 1 - first) {
        if end >= first && line.len() + 1 > room {
            break;
        }
        room = room.saturating_sub(line.len() + 1);
        end += 1;
    }
    let mut fields = note.part(first, end.max(first), section);
    if end < last {
        let text = fields["content"].as_str().unwrap_or_default();
        let cut = format!("{text}\n… [truncated at max_tokens={most}; continue with lines={}-]", end + 1);
        fields.insert("content".into(), cut.into());
        fields.insert("truncated".into(), true.into());
        fields.insert("continue_line".into(), (end + 1).into());
    }
    Ok(Answer::json(Value::Object(fields)))
}

/// Returns the path and the lines of a section, named by its heading or by the end of its path.
fn section_of(page: &Value, wanted: &str) -> Result<(String, usize, usize)> {
    let wanted = wanted.trim().trim_start_matches('#').trim();
    let (mut path, mut known): (Vec<(u64, &str)>, Vec<String>) = (Vec::new(), Vec::new());
    for heading in page["headings"].as_array().map(Vec::as_slice).unwrap_or_default() {
        let level = heading["level"].as_u64().unwrap_or(1);
        path.retain(|(above, _)| *above < level);
        path.push((level, heading["text"].as_str().unwrap_or_default()));
        let name = path.iter().map(|(_, text)| *text).collect::<Vec<_>>().join("/");
        let is_it = name.eq_ignore_ascii_case(wanted)
            || name.to_lowercase().ends_with(&format!("/{}", wanted.to_lowercase()));
        if is_it {
            let line = |at: usize| heading["lines"][at].as_u64().unwrap_or(1) as usize;
            return Ok((name, line(0), line(1)));
        }
        known.push(name);
    }
    let title = page["title"].as_str().unwrap_or_default();
    let message = format!("Section '{wanted}' not found in note '{title}'");
    Err(AppError::usage(message, format!("Available sections: {}", known.join(", "))))
}

/// Answers `fetch`, in the shape that ChatGPT expects.
pub(super) fn fetch(call: BridgeCall<'_>) -> Result<Answer> {
    let id = call.arguments.text("id").unwrap_or_default();
    let document = match &call.outcome {
        Ok((page, _)) => json!({
            "id": id, "title": page["title"], "text": page["content"], "url": permalink(page),
            "metadata": { "format": "markdown" },
        }),
        Err(failure) if failure.code == Code::NotFound => {
            let title = id.rsplit('/').next().unwrap_or(id);
            json!({ "id": id, "title": title, "text": failure.message, "url": id,
                    "metadata": { "error": "Document not found" } })
        }
        Err(_) => return call.outcome.map(|_| Answer::text("")),
    };
    Ok(blocks(&document))
}

/// Returns a value as a list with one text block.
pub(super) fn blocks(value: &Value) -> Answer {
    Answer::json(json!([{ "type": "text", "text": value.to_string() }]))
}

/// Answers `read_content`.
pub(super) fn read_content(call: BridgeCall<'_>) -> Result<Answer> {
    let path = call.arguments.text("path").unwrap_or_default();
    match call.outcome {
        Ok((file, _)) => {
            let kind = content_type(file["path"].as_str().unwrap_or(path));
            Ok(Answer::json(json!({
                "type": "text", "text": file["content"], "content_type": format!("{kind}; charset=utf-8"),
                "encoding": "utf-8",
            })))
        }
        Err(failure) if failure.code == Code::NotFound && !path.split('/').any(|part| part == "..") => {
            Ok(Answer::text(format!("Resource not found: {path}")).failed())
        }
        Err(failure) => Ok(Answer::json(json!({ "type": "error", "error": failure.message }))),
    }
}

/// Returns the media type of a file by its extension.
pub(super) fn content_type(path: &str) -> &'static str {
    match path.rsplit_once('.').map(|(_, end)| end.to_ascii_lowercase()).as_deref() {
        Some("md" | "markdown") => "text/markdown",
        Some("csv") => "text/csv",
        Some("json") => "application/json",
        Some("html" | "htm") => "text/html",
        Some("png") => "image/png",
        Some("jpg" | "jpeg") => "image/jpeg",
        Some("gif") => "image/gif",
        Some("pdf") => "application/pdf",
        Some("txt" | "org" | "toml" | "yaml" | "yml") => "text/plain",
        _ => "application/octet-stream",
    }
}
