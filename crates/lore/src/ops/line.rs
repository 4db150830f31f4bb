//! Values of pages that are shown on one line.

use std::fmt;
use std::ops::Deref;

use lore_text::{on_one_line, visible};
use schemars::JsonSchema;
use serde::Serialize;

/// A value that a file or its name gives, such as a path: exact as JSON, and always one line in a text.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct Line(String);

impl fmt::Display for Line {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.chars().any(char::is_control) {
            to.pad(&visible(&on_one_line(&self.0)))
        } else {
            to.pad(&self.0)
        }
    }
}

impl Deref for Line {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl From<String> for Line {
    fn from(text: String) -> Line {
        Line(text)
    }
}

impl From<&str> for Line {
    fn from(text: &str) -> Line {
        Line(text.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_is_exact_as_json_and_one_line_as_text() {
        let line = Line::from("a\nb.md");
        assert_eq!(serde_json::to_value(&line).expect("JSON"), "a\nb.md");
        assert_eq!(format!("{line:<8}|"), "a b.md  |");
    }
}
