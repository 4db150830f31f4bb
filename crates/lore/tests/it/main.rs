//! Lore from the outside: the real binary, in a directory and an environment of its own.
//!
//! What a person can read as documentation is a transcript (`tests/cmd/*.md`); the rest is written in Rust.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "these tests make, break and compare files behind Lore's back"
)]

mod aftermath;
mod capture_set;
mod check_set;
mod looking_over;
mod mention_set;
mod rebuilt;
mod sample_brain;
mod sandbox;
mod stage;
mod story;
mod transcript;
mod truths;

// What must hold, whatever the files are.
mod faithful;
mod faithful_names;
mod forged_staging;
mod hostile_files;
mod hostile_names;
mod hostile_paths;
mod no_room;

// What must hold, whatever other processes do.
mod concurrency;
mod interrupted;
mod killed_recovery;
mod killed_then_edited;
mod killed_writes;
mod overtaken;
mod stress;
mod stress_worker;
mod together;
mod watching;

// What is known grows old, is contested and replaced.
mod lifecycle;
// What is kept, what is asked in vain, and what is taken in.
mod capturing;
mod gaps;
mod ingesting;
// What the vault says that cannot all be true.
mod checking;
// Stale pages that become one.
mod compacting;

// Models, vectors, answers inside a budget.
mod asking;
mod broken_models;
mod embedding_killed;
mod embedding_trouble;
mod meaning;
mod model_migration;
mod odd_questions;
mod relational;
mod search_cases;
mod search_rules;
mod search_signals;
mod stand_in;

// What the profile personal promises.
mod personal;
mod personal_aliases;
mod personal_conflict;
mod personal_generated;
mod personal_permissions;
mod personal_retention;
mod personal_rotation;
mod personal_rules;

// What must hold, whatever the surroundings are.
mod broken_database;
mod configuration;
mod surroundings;

// Clients, hooks, skills, and what a vault must answer.
mod expectations;
mod hooks;
mod server_policy;
mod services;
mod setting_up;
mod skill_commands;
mod skills;

// What a vault in a repository is to the people and agents who share it.
mod git_faces;
mod roam_strategy;
mod snapshots;
