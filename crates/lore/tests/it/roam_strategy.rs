//! The profile `roam`: what a memory that many agents share promises, as its test strategy lists it.
//!
//! What it asks of speed is in `make bench`.

mod gate;
mod index;
mod links;
mod provisioning;
mod query;
mod raw;
mod write_path;
