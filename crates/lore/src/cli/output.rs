//! The only module that writes to standard output, which carries data only.

use std::io::{ErrorKind, Write as _};

use clap::ValueEnum as _;
use lore_text::{visible, visible_json};
use serde_json::Value;

use super::{Format, Globals};
use crate::app::error::{AppError, Result};
use crate::app::session::Session;
use crate::ops::DynOutput;

/// Output settings.
#[derive(Debug, Clone, Copy)]
pub(super) struct Output {
    /// The output format.
    pub(super) format: Format,
    /// Whether a flag chose the format.
    pub(super) explicit: bool,
    /// Whether standard output is a terminal.
    pub(super) terminal: bool,
}

impl Output {
    /// Chooses the format: flag, environment, configuration, then whether standard output is a terminal.
    pub(super) fn choose(globals: &Globals, session: &Session) -> Result<Output> {
        let flag = if globals.json { Some(Format::Json) } else { globals.format };
        let known = |name: &str| Format::from_str(name, false).ok();
        let named = match session.environment.format.as_deref() {
            Some(name) => Some(known(name).ok_or_else(|| {
                AppError::usage(
                    format!("LORE_FORMAT is {name:?}, which is not a format"),
                    "set it to json, human or brief",
                )
            })?),
            None => None,
        };
        let configured = named.or(known(session.config.get("format")?.as_str()));
        let default = if session.environment.terminal { Format::Human } else { Format::Json };
        let format = flag.or(configured).unwrap_or(default);
        Ok(Output { format, explicit: flag.is_some(), terminal: session.environment.terminal })
    }

    /// Prints an operation's output and returns the exit status.
    pub(super) fn answer(self, answer: &dyn DynOutput) -> Result<u8> {
        match (answer.raw(), self.explicit) {
            // A program gets the bytes; a terminal would act on what is in them.
            (Some(bytes), false) if !self.terminal => print(bytes)?,
            (Some(bytes), false) => print_visible(&String::from_utf8_lossy(bytes))?,
            _ => match self.format {
                Format::Json => self.value(&answer.json())?,
                Format::Human => print_visible(&answer.human())?,
                Format::Brief => print_visible(&answer.brief())?,
            },
        }
        Ok(answer.exit())
    }

    /// Prints a JSON value on one line.
    pub(super) fn value(self, value: &Value) -> Result<()> {
        print(json_line(value).as_bytes())
    }
}

/// Returns a JSON value on one line. What a terminal acts on and JSON does not escape by itself is escaped, too.
pub(super) fn json_line(value: &Value) -> String {
    visible_json(&value.to_string()) + "\n"
}

/// Writes text for people, with hidden characters in visible form.
fn print_visible(text: &str) -> Result<()> {
    print(visible(text).as_bytes())
}

/// Writes to standard output. A broken pipe is not an error.
pub(super) fn print(bytes: &[u8]) -> Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(AppError::usage(
            format!("cannot write to standard output: {error}"),
            "check where the output is redirected",
        )),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use lore_text::is_acted_on;
    use serde_json::json;

    use super::*;

    #[test]
    fn json_is_exact_and_shows_hidden_characters() {
        let value = json!({ "a\u{9b}": "\u{1b}[1m\u{7f}\u{202e}\u{e0041}\n\"é\" 👩" });
        let line = json_line(&value);
        assert!(!line.trim_end().chars().any(|letter| letter.is_control() || is_acted_on(letter)), "{line}");
        assert!(line.contains("\\u202e\\udb40\\udc41") && line.contains('é'), "{line}");
        assert_eq!(serde_json::from_str::<Value>(&line).expect("JSON"), value);
    }
}
