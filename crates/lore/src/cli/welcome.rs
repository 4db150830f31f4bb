//! What `lore` prints without a command where there is no vault yet.

use serde::Serialize;

use crate::ops::Render;

/// How to begin.
#[derive(Debug, Serialize)]
pub(super) struct Welcome {
    message: &'static str,
    next: [FirstStep; 3],
}

/// A command to begin with.
#[derive(Debug, Serialize)]
struct FirstStep {
    command: &'static str,
    does: &'static str,
}

impl Welcome {
    /// Returns the first commands for a new user.
    pub(super) fn new() -> Welcome {
        Welcome {
            message: "There is no vault yet",
            next: [
                FirstStep {
                    command: "lore init ~/notes",
                    does: "create a vault, or adopt a directory of notes",
                },
                FirstStep { command: "lore setup", does: "list AI clients and set one up to use the vault" },
                FirstStep { command: "lore --help", does: "list all commands" },
            ],
        }
    }
}

impl Render for Welcome {
    fn human(&self) -> String {
        let mut text = format!("{}. To begin:\n", self.message);
        for FirstStep { command, does } in &self.next {
            text.push_str(&format!("  {command:<18} {does}\n"));
        }
        text
    }
}
