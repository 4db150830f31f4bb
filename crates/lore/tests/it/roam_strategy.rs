//! The `roam` profile: the guarantees of a memory shared by many agents, as listed in its test strategy.
//!
//! Its performance requirements are in `make bench`.

mod gate;
mod index;
mod links;
mod provisioning;
mod query;
mod raw;
mod write_path;
