//! End-to-end tests: the real binary, in its own directory and environment.
//!
//! Tests that double as documentation are transcripts (`tests/cmd/*.md`); the others are written in Rust.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "these tests create, damage and compare files without Lore"
)]

mod adopted_vaults;
mod as_of;
mod assertions;
mod capture_set;
mod check_set;
mod crash_support;
mod curate;
mod ending_set;
mod git_support;
mod help_text;
mod invariants;
mod mcp_errors;
mod mention_set;
mod merge;
mod notes_by_title;
mod odd_parameters;
mod org;
mod rebuild_equality;
mod sample_brain;
mod sandbox;
mod transcript;

// Hostile and unusual files.
mod derived_pages;
mod disk_full;
mod exact_references;
mod fields_mode;
mod folder_moves;
mod foreign_database;
mod forged_staging;
mod hostile_files;
mod hostile_names;
mod hostile_paths;
mod hostile_text;
mod hostile_vaults;
mod round_trip;
mod round_trip_names;
mod slug_collisions;

// Concurrent and killed processes.
mod changed_truths;
mod chaos;
mod concurrency;
mod hand_edits;
mod kill_signals;
mod killed_migration;
mod killed_recovery;
mod killed_writes;
mod modes;
mod moved_files;
mod multi_process;
mod namespaces;
mod recovery_after_edit;
mod special_files;
mod stale_plans;
mod stale_reads;
mod stress;
mod stress_worker;
mod watch;

// Knowledge: lifecycle, capture, gaps, ingest, contradictions, compaction.
mod capture;
mod check;
mod compact;
mod gaps;
mod ingest;
mod lifecycle;
mod rewrites;
mod shown_pages;
mod single_values;

// Search, models and embeddings.
mod ambiguous_names;
mod broken_models;
mod embedding_errors;
mod embedding_killed;
mod explained_scores;
mod mock_server;
mod model_migration;
mod refused_texts;
mod relational;
mod search_cases;
mod search_rules;
mod search_signals;
mod search_support;
mod semantic_search;
mod unreadable;
mod unusual_questions;
mod vanished_vault;
mod verdicts;

// The `personal` profile.
mod passages;
mod personal;
mod personal_aliases;
mod personal_conflict;
mod personal_generated;
mod personal_inbox;
mod personal_management;
mod personal_permissions;
mod personal_retention;
mod personal_rotation;
mod personal_routines;
mod personal_rules;
mod personal_today;

// Database, configuration and environment.
mod basic_memory;
mod broken_database;
mod configuration;
mod environment;
mod jumping_clock;
mod log;
mod replaced_database;
mod trust;

// Moving in and out.
mod import;

// Clients, hooks, skills and expectations.
mod expectations;
mod hooks;
mod notifications;
mod server_access;
mod server_hints;
mod server_limits;
mod server_policy;
mod server_support;
mod services;
mod setup;
mod skill_commands;
mod skills;

// Vaults in a git repository.
mod git_faces;
mod roam_strategy;
mod secrets;
mod snapshots;
