//! Runs an agent's command with a brief on its standard input.

use std::io::Write as _;
use std::process::{Command, Stdio};

use crate::app::error::{AppError, Result};
use crate::app::session::Session;

/// What the command answered.
pub struct Answer {
    /// Its standard output.
    pub text: String,
    /// Its exit status; none if a signal ended it.
    pub status: Option<i32>,
}

/// Runs the command and waits for it. Its error output is that of this process.
pub fn run(session: &Session, command: &[String], brief: &str) -> Result<Answer> {
    let [program, arguments @ ..] = command else {
        return Err(AppError::usage("no command given", "pass it after --"));
    };
    let failed = |error: std::io::Error| {
        AppError::usage(format!("cannot run {program:?}: {error}"), "pass a program of this machine after --")
    };
    let mut child = Command::new(program)
        .args(arguments)
        .env("LORE_PROJECT", session.context()?.name())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    let input = child.stdin.take();
    let brief = brief.to_owned();
    // A command that does not read its input must not block this one.
    let writer = std::thread::spawn(move || input.map(|mut input| input.write_all(brief.as_bytes())));
    let output = child.wait_with_output().map_err(failed)?;
    let _ = writer.join();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(Answer { text, status: output.status.code() })
}
