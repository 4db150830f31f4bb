//! The error type of the binary, and the table that maps error codes to exit, HTTP and MCP status.

use std::borrow::Cow;
use std::fmt;

use lore_engine::{Code, Error};
use lore_text::secrets::masked;
use lore_text::{NotATimeframe, on_one_line};
use serde_json::{Value, json};

use crate::app::hints::hint;
use crate::app::wording::Wording;

/// Result of an operation.
pub type Result<T> = std::result::Result<T, AppError>;

/// An error as shown to users: a stable code, a message and a hint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppError {
    /// The error code, which agents branch on.
    pub code: Code,
    /// What is wrong, naming the file or page.
    pub message: String,
    /// How to fix it.
    pub hint: String,
    /// The page's current version, for a version conflict.
    pub current_version: Option<u64>,
}

impl AppError {
    /// Returns an error.
    pub fn new(code: Code, message: impl Into<String>, hint: impl Into<String>) -> AppError {
        let (message, hint) = (without_credentials(message.into()), without_credentials(hint.into()));
        AppError { code, message, hint, current_version: None }
    }

    /// Returns a usage error.
    pub fn usage(message: impl Into<String>, hint: impl Into<String>) -> AppError {
        AppError::new(Code::Usage, message, hint)
    }

    /// Returns the error with the place where it happened, such as a page or a line of a file.
    pub fn at(self, place: impl fmt::Display) -> AppError {
        AppError { message: without_credentials(format!("{place}: {}", self.message)), ..self }
    }

    /// Returns the error in the words of a face.
    pub fn worded(self, wording: &dyn Wording) -> AppError {
        AppError { message: wording.message(&self.message), hint: wording.hint(&self.hint), ..self }
    }

    /// Returns the error as JSON.
    pub fn json(&self) -> Value {
        let mut error = json!({ "code": self.code.name(), "message": self.message, "hint": self.hint });
        if let Some(version) = self.current_version {
            error["current_version"] = version.into();
        }
        json!({ "error": error })
    }
}

/// Masks the credentials in a text that names titles, paths and values of the caller: errors end up in logs.
fn without_credentials(text: String) -> String {
    match masked(&text, |_| true) {
        Cow::Borrowed(_) => text,
        Cow::Owned(masked) => masked,
    }
}

impl From<Error> for AppError {
    fn from(error: Error) -> AppError {
        let current_version = match &error {
            Error::Conflict { current, .. } => Some(*current),
            _ => None,
        };
        // A file name may contain line breaks; an error is one line.
        let message = error.to_string();
        let message = if message.contains('\n') { on_one_line(&message) } else { message };
        AppError { current_version, ..AppError::new(error.code(), message, hint(&error)) }
    }
}

impl From<lore_ports::Error> for AppError {
    fn from(error: lore_ports::Error) -> AppError {
        Error::from(error).into()
    }
}

impl From<lore_vault::Error> for AppError {
    fn from(error: lore_vault::Error) -> AppError {
        Error::from(error).into()
    }
}

impl From<NotATimeframe> for AppError {
    fn from(error: NotATimeframe) -> AppError {
        Error::from(error).into()
    }
}

/// Exit, HTTP and MCP status of an error code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Status {
    /// The process's exit status.
    pub exit: u8,
    /// The HTTP status.
    pub http: u16,
    /// The JSON-RPC error code, for MCP errors that are not tool results.
    pub mcp: i32,
}

/// Returns the status of an error code.
pub fn status(code: Code) -> Status {
    let (exit, http, mcp) = match code {
        Code::NotFound => (1, 404, -32002),
        Code::Ambiguous => (2, 409, -32602),
        Code::Usage => (2, 400, -32602),
        Code::Conflict => (3, 409, -32009),
        Code::Exists => (2, 409, -32602),
        Code::Denied | Code::Untrusted => (4, 403, -32003),
        Code::Lint => (4, 422, -32003),
        Code::Diverged => (4, 409, -32009),
        Code::Git => (2, 502, -32000),
        Code::Model => (5, 502, -32000),
        Code::TooLarge => (4, 413, -32602),
        Code::Edit => (2, 422, -32602),
        Code::Locked => (2, 503, -32000),
        Code::Cancelled => (2, 499, -32800),
        Code::Io => (2, 500, -32603),
        Code::Config => (2, 500, -32603),
        Code::Policy => (5, 500, -32603),
        Code::NoVault => (5, 404, -32602),
        Code::Index | Code::IndexBroken => (5, 500, -32603),
    };
    Status { exit, http, mcp }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn status_table() {
        let mut table = String::new();
        for code in Code::ALL {
            let Status { exit, http, mcp } = status(code);
            table.push_str(&format!("{:<12} exit {exit}  http {http}  mcp {mcp}\n", code.name()));
        }
        expect![[r#"
            not_found    exit 1  http 404  mcp -32002
            ambiguous    exit 2  http 409  mcp -32602
            usage        exit 2  http 400  mcp -32602
            conflict     exit 3  http 409  mcp -32009
            exists       exit 2  http 409  mcp -32602
            denied       exit 4  http 403  mcp -32003
            untrusted    exit 4  http 403  mcp -32003
            lint         exit 4  http 422  mcp -32003
            diverged     exit 4  http 409  mcp -32009
            git          exit 2  http 502  mcp -32000
            model        exit 5  http 502  mcp -32000
            too_large    exit 4  http 413  mcp -32602
            edit         exit 2  http 422  mcp -32602
            locked       exit 2  http 503  mcp -32000
            cancelled    exit 2  http 499  mcp -32800
            io           exit 2  http 500  mcp -32603
            config       exit 2  http 500  mcp -32603
            policy       exit 5  http 500  mcp -32603
            no_vault     exit 5  http 404  mcp -32602
            index        exit 5  http 500  mcp -32603
            index_broken exit 5  http 500  mcp -32603
        "#]]
        .assert_eq(&table);
    }
}
