//! Standard output: the only place that writes to it, and only data.

use std::io::{ErrorKind, Write as _};

use serde_json::Value;

use super::{Format, Globals};
use crate::failure::{Failure, Result};
use crate::ops::Answer;
use crate::session::Session;

/// How to print.
#[derive(Debug, Clone, Copy)]
pub(super) struct Output {
    /// The form.
    pub(super) format: Format,
    /// Whether the user asked for it by a flag.
    pub(super) explicit: bool,
}

impl Output {
    /// Flag, then configuration, then by who reads.
    pub(super) fn choose(globals: &Globals, session: &Session) -> Result<Output> {
        let flag = if globals.json { Some(Format::Json) } else { globals.format };
        let configured = match session.config.get("format")?.as_str() {
            "json" => Some(Format::Json),
            "human" => Some(Format::Human),
            "brief" => Some(Format::Brief),
            _ => None,
        };
        let default = if session.environment.terminal { Format::Human } else { Format::Json };
        Ok(Output { format: flag.or(configured).unwrap_or(default), explicit: flag.is_some() })
    }

    /// Prints an operation's output and gives the exit status.
    pub(super) fn answer(self, answer: &dyn Answer) -> Result<u8> {
        match (answer.raw(), self.explicit) {
            (Some(bytes), false) => print(bytes)?,
            _ => match self.format {
                Format::Json => self.value(&answer.json())?,
                Format::Human => print(answer.human().as_bytes())?,
                Format::Brief => print(answer.brief().as_bytes())?,
            },
        }
        Ok(answer.exit())
    }

    /// Prints JSON on a line.
    pub(super) fn value(self, value: &Value) -> Result<()> {
        print(format!("{value}\n").as_bytes())
    }
}

/// Writes to standard output. A reader that has gone is no failure.
pub(super) fn print(bytes: &[u8]) -> Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::usage(format!("cannot write to standard output: {error}"), "check where it goes"))
        }
        _ => Ok(()),
    }
}
