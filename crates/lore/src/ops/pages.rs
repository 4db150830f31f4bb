//! Operations on pages: write, read, edit, move, list, history.

pub mod blame;
pub mod edit;
pub mod folder;
pub mod get;
pub mod history;
pub mod list;
pub mod ls;
pub mod mv;
pub mod notes;
pub mod put;
pub mod raw;
pub mod recent;
pub mod rm;
pub mod save;
pub mod show;
pub mod tags;
pub mod timeline;
