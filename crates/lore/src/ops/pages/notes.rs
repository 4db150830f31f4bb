//! Notes by title: write, edit and search. These are the calls of note-taking tools that agents already know, on top of
//! the same writes and the same search.

mod edit;
mod find;
mod write;

pub use edit::EditNote;
pub use find::SearchNotes;
pub use write::WriteNote;
