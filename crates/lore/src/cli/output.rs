//! The only module that writes to standard output, which carries data only.

use std::io::{ErrorKind, Write as _};

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
}

impl Output {
    /// Chooses the format: flag, then configuration, then whether standard output is a terminal.
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

    /// Prints an operation's output and returns the exit status.
    pub(super) fn answer(self, answer: &dyn DynOutput) -> Result<u8> {
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

    /// Prints a JSON value on one line.
    pub(super) fn value(self, value: &Value) -> Result<()> {
        print(format!("{value}\n").as_bytes())
    }
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
