//! Tests of the engine and its features on a real vault and a real SQLite database, as the faces use them.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    reason = "tests edit files as a user would; a failed unwrap fails the test"
)]

mod breaker;
mod budget;
mod capture;
mod checkouts;
mod compact;
mod counting_store;
mod embed_queue;
mod facts;
mod fixture;
mod full_text;
mod gaps_and_imports;
mod graph;
mod hostile;
mod ignore;
mod lifecycle;
mod lines;
mod links;
mod nearest;
mod paths;
mod port_calls;
mod random;
mod rebuild;
mod relations;
mod relocate;
mod search;
mod slugs;
mod snapshots;
mod sync;
mod titles;
mod unusual_files;
mod validate;
mod versions;
mod watch;
mod write;
