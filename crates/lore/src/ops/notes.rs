//! Notes by their titles: write one, edit one in words, and search them. The ways of the note-keeping tools that agents
//! know, over the same writes and the same search.

mod edit;
mod find;
mod write;

pub use edit::EditNote;
pub use find::SearchNotes;
pub use write::WriteNote;
