//! What the servers share: workers that run operations, and keepers that keep the index fresh behind them.
//!
//! Everything below a face is synchronous. A worker is a thread with sessions of its own, and so with connections of its
//! own to the database; requests are handed to workers and awaited.

mod grant;
mod keeper;
mod stop;
mod workers;

pub use grant::Grant;
pub use keeper::Keepers;
pub use stop::stopped;
pub use workers::{Caller, Host, Step, Workers};
