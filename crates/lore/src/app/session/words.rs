//! Hints and notes in the words of the calling face.

use std::sync::Arc;

use lore_engine::Note;

use super::Session;
use crate::app::hints::note_hint;
use crate::app::wording::Wording;

impl Session {
    /// Runs `work` with hints in the words of a face.
    pub fn with_wording<T>(&self, wording: Arc<dyn Wording>, work: impl FnOnce() -> T) -> T {
        self.wording.replace(Some(wording));
        let done = work();
        self.wording.replace(None);
        done
    }

    /// Returns whether hints are read at a command line.
    pub fn is_command_line(&self) -> bool {
        self.wording.borrow().is_none()
    }

    /// Returns a hint in the words of the calling face.
    pub fn hint(&self, hint: &str) -> String {
        self.wording.borrow().as_ref().map_or_else(|| hint.to_owned(), |wording| wording.hint(hint))
    }

    /// Returns a note, and what to do about it, in the words of the calling face.
    pub fn note(&self, note: &Note) -> String {
        match note_hint(note) {
            Some(hint) => format!("{note}; {}", self.hint(&hint)),
            None => note.to_string(),
        }
    }

    /// Returns the form of a command in the calling face; `None` if the face does not offer it.
    pub fn call(&self, command: &str) -> Option<String> {
        match self.wording.borrow().as_ref() {
            Some(wording) => wording.call(command),
            None => Some(command.to_owned()),
        }
    }
}
