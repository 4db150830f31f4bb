//! Remarks on a result, such as what it does not cover.

use std::fmt;

use lore_ports::EmbedError;

/// A remark on a result. It names the situation; the binary adds what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Note {
    /// Something is not embedded yet.
    NotEmbedded {
        /// How many.
        count: u64,
        /// Of what, in the singular.
        what: &'static str,
        /// What that means for the result.
        effect: &'static str,
    },
    /// The embedding model cannot be used.
    Model {
        /// Why.
        error: EmbedError,
        /// What was done instead.
        effect: Option<&'static str>,
    },
    /// A remark that needs no action.
    Remark(String),
}

impl fmt::Display for Note {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Note::NotEmbedded { count: 1, what, effect } => {
                write!(to, "1 {what} is not embedded yet; {effect}")
            }
            Note::NotEmbedded { count, what, effect } => {
                write!(to, "{count} {what}s are not embedded yet; {effect}")
            }
            Note::Model { error, effect: Some(effect) } => write!(to, "{error}; {effect}"),
            Note::Model { error, effect: None } => error.fmt(to),
            Note::Remark(text) => to.write_str(text),
        }
    }
}
