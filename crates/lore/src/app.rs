//! What every face shares: configuration, environment, sessions, access rights, errors and hints.

pub mod access;
pub mod config;
pub mod environment;
pub mod error;
pub mod hints;
pub mod log;
pub mod models;
pub mod session;
pub mod shell;
pub mod stderr;
pub mod summarizers;
pub mod trust;
pub mod wording;
pub mod xml;
