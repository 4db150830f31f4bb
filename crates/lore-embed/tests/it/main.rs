//! The providers that speak to others, against servers on this machine.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod chat;
mod endpoint;
mod hub;
mod server;
