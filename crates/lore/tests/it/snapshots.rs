//! Snapshots: history, blame, restore, sidecar data, lint fixes and secrets.

mod history;
mod lint_fix;
mod restore;
mod secrets;
mod sidecars;
