//! What lint finds.

use std::fmt;

use super::levels::{Level, Lint};

/// A lint finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The rule.
    pub lint: Lint,
    /// Its severity here.
    pub level: Level,
    /// The file.
    pub path: String,
    /// The line, from 1.
    pub line: Option<u32>,
    /// What is wrong, and how to fix it.
    pub message: String,
    /// Whether `lore lint --fix` can fix it.
    pub fixable: bool,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = self.line.map(|line| format!(":{line}")).unwrap_or_default();
        write!(f, "{}{line}: {} ({})", self.path, self.message, self.lint.name())
    }
}
