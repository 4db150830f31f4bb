//! Tests of the network clients against local servers.
#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod chat;
mod endpoint;
mod hub;
mod server;
