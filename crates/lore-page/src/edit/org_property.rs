//! Sets and removes the properties of an Org file: in its property drawer, or as a keyword.

use std::ops::Range;

use super::EditError;
use super::lines::{insert_lines, splice};
use super::property::TypedValue;
use crate::format::Format;
use crate::frontmatter::content_start;
use crate::org::{self, COLON_LISTS, Head, Property};
use crate::page::{Properties, Value};

/// Sets a property: replaces its value, or adds a line to the drawer, or adds the drawer. The title and the tags are
/// keywords.
pub(super) fn set_property(text: &str, key: &str, value: &Value) -> Result<String, EditError> {
    let written = written(key, value).ok_or_else(|| refused(key))?;
    set(text, key, &written, Some(&normalized(key, value)))
}

/// Sets a property to a typed value. Org has texts only, so a list or a mapping is written as JSON.
pub(super) fn set_typed_property(text: &str, key: &str, value: &TypedValue) -> Result<String, EditError> {
    if let Some(value) = untyped(value) {
        return set_property(text, key, &value);
    }
    let written = typed(value);
    let expected = org::property_value(key, &written);
    set(text, key, &written, expected.as_ref())
}

/// Removes a property with all its lines; removing the last one of a drawer removes the drawer.
pub(super) fn remove_property(text: &str, key: &str) -> Result<String, EditError> {
    let head = org::head(text).map_err(malformed)?;
    let is_same = |property: &&Property<'_>| org::key_of(property.key).eq_ignore_ascii_case(key);
    let mut removed: Vec<Range<usize>> = Vec::new();
    if let Some(drawer) = &head.drawer {
        let own: Vec<_> = drawer.properties.iter().filter(is_same).collect();
        if !own.is_empty() && own.len() == drawer.properties.len() {
            removed.push(drawer.range.clone());
        } else {
            removed.extend(own.iter().map(|property| property.start..property.end));
        }
    }
    let keywords = head.keywords.iter().filter(|keyword| is_keyword(keyword.key, key));
    removed.extend(keywords.map(|keyword| keyword.range.clone()));
    if removed.is_empty() {
        return Ok(text.to_owned());
    }
    removed.sort_by_key(|range| range.start);
    let mut edited = text.to_owned();
    for range in removed.into_iter().rev() {
        edited = splice(&edited, range, "");
    }
    let (before, after) = (properties(text), properties(&edited));
    checked(edited, key, others(&before, key) == others(&after, key) && after.get(key).is_none())
}

fn set(text: &str, key: &str, written: &str, expected: Option<&Value>) -> Result<String, EditError> {
    if written.contains(['\n', '\r'])
        || key.is_empty()
        || key.contains(|c: char| c.is_whitespace() || c == ':')
    {
        return Err(refused(key));
    }
    let head = org::head(text).map_err(malformed)?;
    let before = properties(text);
    if before.get(key) == expected && expected.is_some() {
        return Ok(text.to_owned());
    }
    let edited = match place(&head, key, written) {
        Place::Value(range) => splice(text, range.clone(), &spaced(text, &range, written)),
        Place::Drawer(at) => insert_lines(
            text,
            at,
            format!("{}:{}: {written}", indent(text, &head), drawer_key(key)).trim_end(),
        ),
        Place::NewDrawer => {
            let line = format!(":{}: {written}", drawer_key(key));
            let drawer = format!(":PROPERTIES:\n{}\n:END:\n", line.trim_end());
            insert_lines(text, content_start(text), &drawer)
        }
        Place::Keyword(at) => {
            let name = if key.eq_ignore_ascii_case("tags") { "filetags" } else { "title" };
            insert_lines(text, at, format!("#+{name}: {written}").trim_end())
        }
    };
    let edited = without_later_lines(edited, key)?;
    let after = properties(&edited);
    let is_same = match expected {
        Some(Value::Text(text)) if text.is_empty() => after.get(key).is_none(),
        expected => after.get(key) == expected,
    };
    checked(edited, key, others(&before, key) == others(&after, key) && is_same)
}

/// Where the value of a property is, or its new line goes.
enum Place {
    Value(Range<usize>),
    /// Before the end of the drawer.
    Drawer(usize),
    NewDrawer,
    /// At the start of a line.
    Keyword(usize),
}

fn place(head: &Head<'_>, key: &str, written: &str) -> Place {
    if let Some(keyword) = head.keywords.iter().find(|keyword| is_keyword(keyword.key, key)) {
        return Place::Value(keyword.value_range.clone());
    }
    let after_drawer = head.drawer.as_ref().map_or(head.start, |drawer| drawer.range.end);
    if key.eq_ignore_ascii_case("title") {
        return Place::Keyword(after_drawer);
    }
    // Tags that no keyword can hold go to the drawer.
    if key.eq_ignore_ascii_case("tags") && !written.starts_with('[') {
        let title = head.keywords.iter().find(|keyword| keyword.key.eq_ignore_ascii_case("title"));
        return Place::Keyword(title.map_or(after_drawer, |title| title.range.end));
    }
    let Some(drawer) = &head.drawer else { return Place::NewDrawer };
    let own = drawer.properties.iter().find(|property| org::key_of(property.key).eq_ignore_ascii_case(key));
    match own {
        Some(property) => Place::Value(property.value_range.clone()),
        None => Place::Drawer(drawer.end_line),
    }
}

/// Whether a keyword of the file holds a property.
fn is_keyword(keyword: &str, key: &str) -> bool {
    match key.to_ascii_lowercase().as_str() {
        "tags" => keyword.eq_ignore_ascii_case("filetags"),
        key => keyword.eq_ignore_ascii_case(key),
    }
}

/// Removes the second and later lines of a property, which would add to its value.
fn without_later_lines(text: String, key: &str) -> Result<String, EditError> {
    let head = org::head(&text).map_err(malformed)?;
    let own = head.drawer.iter().flat_map(|drawer| &drawer.properties);
    let own = own.filter(|property| property.adds && org::key_of(property.key).eq_ignore_ascii_case(key));
    let lines = own.map(|property| property.start..property.end);
    let tags = head
        .keywords
        .iter()
        .filter(|keyword| key.eq_ignore_ascii_case("tags") && keyword.key.eq_ignore_ascii_case("filetags"));
    let later: Vec<Range<usize>> = lines.chain(tags.skip(1).map(|keyword| keyword.range.clone())).collect();
    let mut edited = text.clone();
    for range in later.into_iter().rev() {
        edited = splice(&edited, range, "");
    }
    Ok(edited)
}

/// Returns a value with the space it needs after its key.
fn spaced(text: &str, range: &Range<usize>, written: &str) -> String {
    let needs_space = text[..range.start].ends_with(':') && !written.is_empty();
    if needs_space { format!(" {written}") } else { written.to_owned() }
}

/// Returns the indent of the drawer.
fn indent<'t>(text: &'t str, head: &Head<'_>) -> &'t str {
    let Some(drawer) = &head.drawer else { return "" };
    let line = &text[drawer.range.clone()];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// Returns a key as a drawer has it.
fn drawer_key(key: &str) -> String {
    match key {
        "aliases" => "ROAM_ALIASES".to_owned(),
        "refs" => "ROAM_REFS".to_owned(),
        key if key.bytes().any(|byte| byte.is_ascii_uppercase()) => key.to_owned(),
        key => key.to_uppercase(),
    }
}

/// Writes a value; `None` if Org has no form for it.
fn written(key: &str, value: &Value) -> Option<String> {
    let key = key.to_ascii_lowercase();
    let words = match normalized(&key, value) {
        Value::Text(text) => return (text.trim() == text).then_some(text),
        Value::List(items) => items.into_iter().map(|item| match item {
            Value::Text(text) => Some(text),
            _ => None,
        }),
        Value::Map(_) => return Some(json(value)),
    };
    let Some(words) = words.collect::<Option<Vec<String>>>() else { return Some(json(value)) };
    let is_tag = |word: &String| {
        !word.is_empty() && !word.contains(|c: char| c == ':' || c.is_whitespace() || c.is_control())
    };
    match key.as_str() {
        "tags" if words.is_empty() => Some(String::new()),
        "tags" if words.iter().all(is_tag) => Some(format!(":{}:", words.join(":"))),
        "aliases" | "refs" => Some(words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")),
        key if COLON_LISTS.contains(&key) && !words.is_empty() && words.iter().all(is_tag) => {
            Some(words.iter().map(|word| format!(":{word}:")).collect::<Vec<_>>().join(" "))
        }
        _ => Some(json(value)),
    }
}

/// Returns a value as it reads back: some properties are always lists.
fn normalized(key: &str, value: &Value) -> Value {
    let is_list = matches!(key.to_ascii_lowercase().as_str(), "tags" | "aliases" | "refs");
    match value {
        Value::Text(text) if is_list && !text.trim().is_empty() => {
            let split = |c: char| c == ',' || c.is_whitespace();
            let words: Vec<&str> = match key.eq_ignore_ascii_case("tags") {
                true => text.split(split).filter(|word| !word.is_empty()).collect(),
                false => vec![text.trim()],
            };
            Value::List(words.into_iter().map(|word| Value::Text(word.to_owned())).collect())
        }
        value => value.clone(),
    }
}

fn quoted(word: &str) -> String {
    let is_plain = !word.is_empty() && !word.contains(|c: char| c.is_whitespace() || c == '"' || c == '\\');
    if is_plain {
        word.to_owned()
    } else {
        format!("\"{}\"", word.replace('\\', "\\\\").replace('"', "\\\""))
    }
}

/// Writes a list or mapping as JSON, which is YAML too.
fn json(value: &Value) -> String {
    match value {
        Value::Text(text) => json_text(text),
        Value::List(items) => format!("[{}]", items.iter().map(json).collect::<Vec<_>>().join(", ")),
        Value::Map(Properties(entries)) => {
            let entries = entries.iter().map(|(key, value)| format!("{}: {}", json_text(key), json(value)));
            format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
        }
    }
}

fn typed(value: &TypedValue) -> String {
    match value {
        TypedValue::Null => "null".to_owned(),
        TypedValue::Bool(value) => value.to_string(),
        TypedValue::Number(number) => number.clone(),
        TypedValue::Text(text) => json_text(text),
        TypedValue::List(items) => format!("[{}]", items.iter().map(typed).collect::<Vec<_>>().join(", ")),
        TypedValue::Map(entries) => {
            let entries = entries.iter().map(|(key, value)| format!("{}: {}", json_text(key), typed(value)));
            format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
        }
    }
}

/// Returns a typed value without its types, unless it is a list or mapping with values other than texts.
fn untyped(value: &TypedValue) -> Option<Value> {
    match value {
        TypedValue::Null => Some(Value::Text(String::new())),
        TypedValue::Bool(value) => Some(Value::Text(value.to_string())),
        TypedValue::Number(text) | TypedValue::Text(text) => Some(Value::Text(text.clone())),
        TypedValue::List(items) => {
            let text = |item: &TypedValue| match item {
                TypedValue::Text(text) => Some(Value::Text(text.clone())),
                _ => None,
            };
            items.iter().map(text).collect::<Option<Vec<Value>>>().map(Value::List)
        }
        TypedValue::Map(_) => None,
    }
}

fn json_text(text: &str) -> String {
    let mut out = String::from('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if c.is_control() => out.push_str(&format!("\\u{:04X}", u32::from(c))),
            c => out.push(c),
        }
    }
    out + "\""
}

fn properties(text: &str) -> Properties {
    Format::Org.read("", text).0.page.properties
}

fn others<'p>(properties: &'p Properties, key: &str) -> Vec<&'p (String, Value)> {
    properties.0.iter().filter(|(name, _)| !name.eq_ignore_ascii_case(key)).collect()
}

fn refused(key: &str) -> EditError {
    EditError::Property { key: key.to_owned() }
}

fn checked(edited: String, key: &str, reads_back: bool) -> Result<String, EditError> {
    if reads_back { Ok(edited) } else { Err(refused(key)) }
}

fn malformed(line: u32) -> EditError {
    EditError::Frontmatter { line, message: "malformed property drawer".to_owned() }
}
