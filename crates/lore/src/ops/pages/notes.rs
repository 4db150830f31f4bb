//! Notes by title: write, edit and search. These are the calls of note-taking tools that agents already know, on top of
//! the same writes and the same search.

mod edit;
mod find;
mod find_notes;
mod item;
mod list_folder;
mod read_file;
mod write;

pub use edit::EditNote;
pub use find::SearchNotes;
pub use find_notes::FindNotes;
pub use list_folder::ListFolder;
pub use read_file::ReadFile;
pub use write::WriteNote;
