//! The engine on a real vault and a real SQLite file, through `Memory`, as every face uses it.

mod fixture;

mod breaker;
mod budget;
mod capture;
mod compact;
mod facts;
mod graph;
mod hostile;
mod ignore;
mod intake;
mod lifecycle;
mod lines;
mod links;
mod meaning;
mod odd;
mod paths;
mod random;
mod rebuild;
mod relations;
mod relocate;
mod search;
mod slugs;
mod snapshots;
mod sync;
mod titles;
mod validate;
mod versions;
mod watch;
mod write;
