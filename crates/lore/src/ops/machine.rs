//! Operations on this machine: vaults, configuration, models, services, setup, tokens.

pub mod config;
pub mod database;
pub mod doctor;
pub mod eval;
pub mod init;
pub mod map;
pub mod mirror;
pub mod model;
pub mod namespace;
pub mod project;
pub mod service;
pub mod setup;
pub mod skills;
pub mod stats;
pub mod status;
pub mod token;
