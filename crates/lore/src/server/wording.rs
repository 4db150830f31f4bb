//! Words hints for MCP and HTTP clients.
//!
//! Hints are written for the command line: `lore model list` and `--yes`. Each face names the same operations and
//! parameters in its own way, and offers only some of them. A hint is a list of clauses, separated by `; `, and a clause
//! is a list of alternatives, separated by `, or `. An alternative that the client cannot follow is dropped if another
//! one remains; otherwise the clause begins with `on the command line:`, and alternatives without flags are preferred. No
//! translated hint contains a flag.

mod command;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::app::access::{Grant, Reach};
use crate::app::wording::Wording;
use crate::ops::{OperationInfo, REGISTRY};

use command::{Command, flag_of};

/// Introduces a clause that only a person at the command line can follow.
pub const ON_THE_COMMAND_LINE: &str = "on the command line: ";

/// How a face names operations and parameters.
pub trait Face: Send + Sync {
    /// Returns the name of the face, as recorded in the history.
    fn name(&self) -> &'static str;

    /// Returns the call of an operation; `None` if the face does not offer it with these parameters.
    fn call(&self, operation: &OperationInfo, parameters: &Map<String, Value>) -> Option<String>;

    /// Returns the name of a parameter in the running request; `None` if the request does not take it.
    fn parameter(&self, operation: &OperationInfo, name: &str) -> Option<String>;

    /// Returns the way to select a project.
    fn project(&self) -> &'static str;

    /// Returns where all operations are described.
    fn catalog(&self) -> &'static str;
}

/// The wording of one request.
pub struct RequestWording {
    /// The face of the request.
    pub face: Arc<dyn Face>,
    /// Its rights: hints suggest only what the client may do.
    pub grant: Option<Grant>,
    /// Whether the server allows operations that change the machine.
    pub machine: bool,
    /// The operation that runs, whose parameters a flag means.
    pub operation: Option<&'static OperationInfo>,
}

impl Wording for RequestWording {
    fn hint(&self, hint: &str) -> String {
        split(hint, "; ").into_iter().map(|clause| self.clause(clause)).collect::<Vec<_>>().join("; ")
    }

    fn message(&self, message: &str) -> String {
        let mut worded = String::new();
        for (part, quoted) in quotes(message) {
            match quoted {
                true => worded.push_str(part),
                false => worded.push_str(
                    &flags(part, |flag| {
                        let other = || field_of_any(flag).unwrap_or_else(|| flag.into());
                        Some(self.flag(flag).unwrap_or_else(other))
                    })
                    .unwrap_or_default(),
                ),
            }
        }
        worded
    }

    fn call(&self, command: &str) -> Option<String> {
        let words = command.strip_prefix("lore ")?;
        if matches!(words, "--help" | "--tools-json") {
            return Some(self.face.catalog().to_owned());
        }
        let Command { operation, parameters } = Command::parse(words)?;
        let demand = operation.demand();
        let granted = self.grant.as_ref().is_none_or(|grant| grant.check(&demand).is_ok());
        let allowed = granted && (self.machine || demand.reach != Reach::ChangesMachine);
        self.face.call(operation, &parameters).filter(|_| allowed)
    }
}

impl RequestWording {
    fn clause(&self, clause: &str) -> String {
        let alternatives = split(clause, ", or ");
        let offered: Vec<String> = alternatives.iter().filter_map(|text| self.alternative(text)).collect();
        if !offered.is_empty() {
            return offered.join(", or ");
        }
        let plain: Vec<&str> =
            alternatives.into_iter().filter(|text| without_flags(text) == **text).collect();
        match plain.is_empty() {
            false => format!("{ON_THE_COMMAND_LINE}{}", plain.join(", or ")),
            true => format!("{ON_THE_COMMAND_LINE}{}", without_flags(clause)),
        }
    }

    /// Returns an alternative in the words of the face; `None` if the client cannot follow it.
    fn alternative(&self, text: &str) -> Option<String> {
        let mut worded = String::new();
        for (at, part) in text.split('`').enumerate() {
            match part {
                prose if at.is_multiple_of(2) => worded.push_str(&flags(prose, |flag| self.flag(flag))?),
                command if command.starts_with("lore ") => {
                    worded.push_str(&format!("`{}`", self.call(command)?))
                }
                flag if flag.starts_with("--") => worded.push_str(&self.flag(flag)?),
                command if command.contains(" --") => return None,
                code => worded.push_str(&format!("`{code}`")),
            }
        }
        Some(worded)
    }

    /// Returns a flag, with or without its value, as a parameter of the running request.
    fn flag(&self, text: &str) -> Option<String> {
        let (flag, value) = text.split_once(' ').map_or((text, None), |(flag, value)| (flag, Some(value)));
        if flag == "--project" {
            return Some(self.face.project().to_owned());
        }
        let operation = self.operation?;
        let (name, is_switch) = flag_of(operation, flag.strip_prefix("--")?)?;
        let name = self.face.parameter(operation, &name?)?;
        Some(match value {
            _ if is_switch => format!("`\"{name}\": true`"),
            Some(value) => format!("`\"{name}\": {}`", Value::from(value)),
            None => format!("`{name}`"),
        })
    }
}

/// Returns the field that a flag of any operation is in nested input; `None` if no operation has the flag.
fn field_of_any(flag: &str) -> Option<String> {
    let long = flag.strip_prefix("--")?;
    let is_known = REGISTRY.iter().any(|operation| flag_of(operation, long).is_some());
    is_known.then(|| format!("`{}`", long.replace('-', "_")))
}

/// Replaces every flag in prose; `None` if one cannot be replaced.
fn flags(prose: &str, replace: impl Fn(&str) -> Option<String>) -> Option<String> {
    let is_letter = |letter: char| letter.is_ascii_lowercase() || letter == '-';
    let (mut worded, mut rest) = (String::new(), prose);
    while let Some(at) = rest.find("--") {
        let (before, from) = rest.split_at(at);
        let end = from.find(|letter| !is_letter(letter)).unwrap_or(from.len());
        let (flag, after) = from.split_at(end);
        let begins = before.is_empty() && worded.is_empty() || before.ends_with([' ', '(']);
        worded.push_str(before);
        match begins && flag.len() > 2 {
            true => worded.push_str(&replace(flag)?),
            false => worded.push_str(flag),
        }
        rest = after;
    }
    Some(worded + rest)
}

/// Names the flags of a clause in plain words: `lore doctor --path X` is `lore doctor` with path X.
fn without_flags(clause: &str) -> String {
    let mut worded = String::new();
    for (at, part) in clause.split('`').enumerate() {
        let plain = |text: &str| {
            flags(text, |flag| Some(flag.trim_start_matches('-').to_owned())).unwrap_or_default()
        };
        match part.split_once(" --") {
            _ if at.is_multiple_of(2) => worded.push_str(&plain(part)),
            Some((command, options)) => {
                worded.push_str(&format!("`{command}` with {}", plain(&format!("--{options}"))));
            }
            None => worded.push_str(&format!("`{}`", plain(part))),
        }
    }
    worded
}

/// Splits a text at a separator outside backticks.
fn split<'a>(text: &'a str, separator: &str) -> Vec<&'a str> {
    let (mut parts, mut start) = (Vec::new(), 0);
    for (at, _) in text.match_indices(separator) {
        if at >= start && text[..at].matches('`').count().is_multiple_of(2) {
            parts.push(&text[start..at]);
            start = at + separator.len();
        }
    }
    parts.push(&text[start..]);
    parts
}

/// Splits a text into parts inside and outside double quotes and backticks.
fn quotes(text: &str) -> Vec<(&str, bool)> {
    let (mut parts, mut start, mut open, mut escaped) = (Vec::new(), 0, None, false);
    for (at, letter) in text.char_indices() {
        match (open, letter) {
            _ if escaped => escaped = false,
            (Some('"'), '\\') => escaped = true,
            (None, '"' | '`') => {
                parts.push((&text[start..at], false));
                (start, open) = (at, Some(letter));
            }
            (Some(quote), letter) if quote == letter => {
                parts.push((&text[start..=at], true));
                (start, open) = (at + 1, None);
            }
            _ => {}
        }
    }
    parts.push((&text[start..], open.is_some()));
    parts
}

/// Asserts that a worded hint has no flag, and commands only for a person at the command line.
#[cfg(test)]
pub fn assert_worded(hint: &str) {
    assert!(!hint.contains("--"), "a flag: {hint}");
    for clause in split(hint, "; ") {
        assert!(!clause.contains("`lore ") || clause.starts_with(ON_THE_COMMAND_LINE), "a command: {hint}");
    }
}
