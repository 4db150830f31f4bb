//! The `call` and `pipe` commands: run operations with JSON input, once or line by line.

use std::io::{BufRead as _, Read as _};

use clap::ArgMatches;
use lore_vault::read_to_limit;
use serde_json::{Value, json};

use super::output::{json_line, print};
use crate::app::error::{AppError, Result, status};
use crate::app::session::{INPUT, Session};
use crate::mcp::operation_of;
use crate::ops;

/// Runs one operation with JSON parameters and prints its output as JSON.
pub(super) fn call(session: &Session, matches: &ArgMatches) -> Result<u8> {
    let tool = matches.get_one::<String>("tool").map(String::as_str).unwrap_or_default();
    let input = match matches.get_one::<String>("input").map(String::as_str) {
        None => "{}".to_owned(),
        Some("-") => {
            let bytes = read_to_limit(std::io::stdin().lock(), INPUT).map_err(|error| unreadable(&error))?;
            String::from_utf8_lossy(&bytes).into_owned()
        }
        Some(text) => text.to_owned(),
    };
    let input = parse(&input)?;
    let (operation, input) = operation_of(tool, input)?;
    let answer = ops::run(operation, input, session)?;
    print(json_line(&answer.json()).as_bytes())?;
    Ok(answer.exit())
}

/// Runs one operation per line of standard input. A bad line gets an error as its answer and does not end the loop. A
/// database that was deleted or replaced is opened again before the next line: `open` returns a new session.
pub(super) fn pipe(session: &Session, open: &dyn Fn() -> Result<Session>) -> Result<u8> {
    let mut reopened = None;
    let mut bytes = Vec::new();
    let mut input = std::io::stdin().lock();
    loop {
        bytes.clear();
        // Reads bytes, not text: a line that is not UTF-8 must not end the loop.
        match input.by_ref().take(INPUT).read_until(b'\n', &mut bytes) {
            Ok(0) => return Ok(0),
            // The rest of the line cannot be told from the next request.
            Ok(count) if count as u64 == INPUT => {
                let error = std::io::Error::other(format!("a line is longer than {INPUT} bytes"));
                return Err(unreadable(&error));
            }
            Ok(_) => {}
            Err(error) => return Err(unreadable(&error)),
        }
        let line = String::from_utf8_lossy(&bytes);
        if line.trim().is_empty() {
            continue;
        }
        if !reopened.as_ref().unwrap_or(session).is_in_place() {
            session.talk.warn("the database was deleted or replaced; it is opened again");
            reopened = Some(open()?);
        }
        print(json_line(&answer(reopened.as_ref().unwrap_or(session), &line)).as_bytes())?;
    }
}

fn answer(session: &Session, line: &str) -> Value {
    let mut id = Value::Null;
    let outcome = parse(line).and_then(|mut request| {
        id = request.get_mut("id").map(Value::take).unwrap_or_default();
        let tool =
            request.get("tool").or_else(|| request.get("name")).and_then(Value::as_str).map(str::to_owned);
        let tool = tool.ok_or_else(|| {
            AppError::usage("the line has no `tool`", r#"write {"tool": "search", "input": {"query": "…"}}"#)
        })?;
        let input = ["input", "arguments"].iter().find_map(|key| request.get_mut(*key).map(Value::take));
        let (operation, input) = operation_of(&tool, input.unwrap_or_default())?;
        ops::run(operation, input, session)
    });
    let mut answer = match outcome {
        Ok(answer) => json!({ "result": answer.json(), "exit": answer.exit() }),
        Err(failure) => {
            let mut error = failure.json();
            error["exit"] = status(failure.code).exit.into();
            error
        }
    };
    if !id.is_null() {
        answer["id"] = id;
    }
    answer
}

fn unreadable(error: &std::io::Error) -> AppError {
    AppError::usage(format!("cannot read standard input: {error}"), "pipe JSON lines in")
}

fn parse(text: &str) -> Result<Value> {
    serde_json::from_str(text)
        .map_err(|error| AppError::usage(format!("invalid JSON: {error}"), "write one JSON object"))
}
