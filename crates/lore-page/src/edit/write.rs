//! Writes values as YAML: plain if that reads back as the same text, otherwise quoted.

use saphyr_parser::ScalarStyle;

use super::property::TypedValue;
use crate::frontmatter::yaml;
use crate::page::{Properties, Value};

/// Where a value is written, which decides what may be plain.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ScalarContext {
    /// After `key: `.
    Line,
    /// After `- `.
    Item,
    /// Inside `[…]` or `{…}`.
    Flow,
}

/// Writes a value. Lists and mappings are written in flow form.
pub(super) fn value(value: &Value, context: ScalarContext) -> String {
    match value {
        Value::Text(text) => scalar(text, context),
        Value::List(items) => {
            let items: Vec<_> = items.iter().map(|item| self::value(item, ScalarContext::Flow)).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Map(Properties(entries)) => {
            let entry = |(key, item): &(String, Value)| {
                format!("{}: {}", scalar(key, ScalarContext::Flow), self::value(item, ScalarContext::Flow))
            };
            format!("{{{}}}", entries.iter().map(entry).collect::<Vec<_>>().join(", "))
        }
    }
}

/// Writes a typed value in flow form: a text that another reader would take for a number, a boolean or null is quoted.
pub(super) fn typed(value: &TypedValue, context: ScalarContext) -> String {
    let quoted = |text: &str, context| {
        let is_text = !is_typed_scalar(text) && is_plain(text, context);
        if is_text { text.to_owned() } else { double_quoted(text) }
    };
    match value {
        TypedValue::Null => "null".to_owned(),
        TypedValue::Bool(true) => "true".to_owned(),
        TypedValue::Bool(false) => "false".to_owned(),
        TypedValue::Number(number) => number.clone(),
        TypedValue::Text(text) => quoted(text, context),
        TypedValue::List(items) => {
            let items: Vec<_> = items.iter().map(|item| typed(item, ScalarContext::Flow)).collect();
            format!("[{}]", items.join(", "))
        }
        TypedValue::Map(entries) => {
            let entry = |(key, item): &(String, TypedValue)| {
                format!("{}: {}", quoted(key, ScalarContext::Flow), typed(item, ScalarContext::Flow))
            };
            format!("{{{}}}", entries.iter().map(entry).collect::<Vec<_>>().join(", "))
        }
    }
}

/// Returns whether YAML reads a plain text as a number, a boolean or null.
fn is_typed_scalar(text: &str) -> bool {
    let words = ["true", "false", "null", "~", ".nan", ".inf", "-.inf", "+.inf"];
    let is_radix = ["0x", "0o"].iter().any(|prefix| text.to_lowercase().starts_with(prefix));
    words.iter().any(|word| word.eq_ignore_ascii_case(text)) || text.parse::<f64>().is_ok() || is_radix
}

/// Writes a scalar in place of another, with the quotes that its author chose. Double quotes that the old text needed
/// do not count as a choice.
pub(super) fn scalar_like(text: &str, old: &str, style: ScalarStyle) -> String {
    match style {
        ScalarStyle::DoubleQuoted if is_plain(old, ScalarContext::Line) => double_quoted(text),
        ScalarStyle::SingleQuoted if !text.chars().any(needs_escape) => {
            format!("'{}'", text.replace('\'', "''"))
        }
        _ => scalar(text, ScalarContext::Line),
    }
}

/// Writes a top-level key.
pub(super) fn key(text: &str) -> String {
    let plain = !text.chars().any(needs_escape)
        && yaml::read(&format!("{text}: x\n"))
            .is_ok_and(|read| read.properties.0 == [(text.to_owned(), Value::Text("x".to_owned()))]);
    if plain { text.to_owned() } else { double_quoted(text) }
}

fn scalar(text: &str, context: ScalarContext) -> String {
    if is_plain(text, context) { text.to_owned() } else { double_quoted(text) }
}

/// Returns whether the text may be written without quotes. It uses the parser itself, so the two cannot disagree.
fn is_plain(text: &str, context: ScalarContext) -> bool {
    if text.is_empty() || text.chars().any(needs_escape) || is_ambiguous_yaml(text) {
        return false;
    }
    let (source, expected) = match context {
        ScalarContext::Line => (format!("k: {text} # c\n"), Value::Text(text.to_owned())),
        ScalarContext::Item => {
            (format!("k:\n- {text} # c\n"), Value::List(vec![Value::Text(text.to_owned())]))
        }
        ScalarContext::Flow => (format!("k: [{text}]\n"), Value::List(vec![Value::Text(text.to_owned())])),
    };
    yaml::read(&source).is_ok_and(|read| read.properties.0 == [("k".to_owned(), expected)])
}

/// Returns whether older YAML readers would parse the text differently: words that they take for booleans, and digits
/// with colons, which they take for minutes and seconds. Lore reads these as written; quotes make other readers do so
/// too.
fn is_ambiguous_yaml(text: &str) -> bool {
    let words = ["y", "n", "yes", "no", "on", "off"];
    let minutes = || text.contains(':') && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b':');
    words.iter().any(|word| word.eq_ignore_ascii_case(text)) || minutes()
}

fn double_quoted(text: &str) -> String {
    let mut out = String::from('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if needs_escape(c) => out.push_str(&format!("\\u{:04X}", u32::from(c))),
            c => out.push(c),
        }
    }
    out + "\""
}

/// Returns whether a character must be escaped: controls, and the separators and the byte order mark, which some
/// readers treat as line endings or drop.
fn needs_escape(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}
