//! Parses a command of the command line into an operation with its parameters in JSON.

use clap::{Arg, ArgAction};
use serde_json::{Map, Value};

use crate::ops::{self, OperationInfo};

/// An operation with the parameters that a command gives it.
pub(super) struct Command {
    pub operation: &'static OperationInfo,
    pub parameters: Map<String, Value>,
}

impl Command {
    /// Parses the words after `lore`; `None` if no operation does it.
    pub(super) fn parse(words: &str) -> Option<Command> {
        let words = split_words(words);
        let (operation, words) = operation(&words)?;
        let mut parameters = Map::new();
        let mut positional = positionals(operation).into_iter();
        let mut last: Option<String> = None;
        let mut words = words.iter().copied().peekable();
        while let Some(word) = words.next() {
            let (name, value) = match word.strip_prefix("--") {
                Some("project") => {
                    (Some("project".to_owned()), words.next().map(|word| unquoted(word).into()))
                }
                Some(long) => match flag_of(operation, long)? {
                    (name, true) => (name, Some(Value::Bool(true))),
                    (name, false) => (name, words.next().map(read)),
                },
                None => match positional.next() {
                    Some(name) => (name, Some(read(word))),
                    // The value before has a space in it.
                    None => {
                        let before = last.as_ref().and_then(|name| parameters.get_mut(name))?;
                        *before = format!("{} {}", before.as_str()?, unquoted(word)).into();
                        continue;
                    }
                },
            };
            // Options that only read a file or standard input have no parameter: other faces pass the content itself.
            if let Some(name) = name {
                parameters.insert(name.clone(), value.unwrap_or_default());
                last = Some(name);
            }
        }
        Some(Command { operation, parameters })
    }
}

/// Splits a command at spaces outside double quotes, which stay.
fn split_words(command: &str) -> Vec<&str> {
    let mut in_quotes = false;
    let words = command.split(|letter: char| {
        in_quotes ^= letter == '"';
        letter == ' ' && !in_quotes
    });
    words.filter(|word| !unquoted(word).is_empty()).collect()
}

/// Returns the operation that the first one or two words name, and the words after it.
fn operation<'a, 'w>(words: &'w [&'a str]) -> Option<(&'static OperationInfo, &'w [&'a str])> {
    (1..=2).rev().find_map(|count| {
        let (name, rest) = words.split_at_checked(count)?;
        Some((ops::find(&name.join(" ")).ok()?, rest))
    })
}

/// Returns the parameter of a flag, if it has one, and whether it is a switch; `None` if the operation has no such flag.
pub(super) fn flag_of(operation: &OperationInfo, long: &str) -> Option<(Option<String>, bool)> {
    let command = (operation.command)();
    let argument = command.get_arguments().find(|argument| argument.get_long() == Some(long))?;
    Some((parameter(operation, argument), matches!(argument.get_action(), ArgAction::SetTrue)))
}

fn positionals(operation: &OperationInfo) -> Vec<Option<String>> {
    let command = (operation.command)();
    command.get_positionals().map(|argument| parameter(operation, argument)).collect()
}

/// Returns the name of an argument in JSON.
fn parameter(operation: &OperationInfo, argument: &Arg) -> Option<String> {
    let long = argument.get_long().map(|long| long.replace('-', "_"));
    let names = long.into_iter().chain([argument.get_id().to_string()]);
    names.into_iter().find(|name| operation.parameters().contains(name))
}

/// Reads a value: digits are a number, unless they are quoted.
fn read(word: &str) -> Value {
    word.parse::<u64>().map_or_else(|_| unquoted(word).into(), Value::from)
}

fn unquoted(word: &str) -> &str {
    word.trim_matches('"')
}
