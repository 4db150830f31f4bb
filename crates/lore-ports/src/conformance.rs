//! The conformance suite of the storage port: one set of tests for every database.
//!
//! A backend enables the feature `conformance` in its dev-dependencies and calls [`conformance!`](crate::conformance!) in
//! its test binary. Each test receives a function that opens the same new database as often as needed.
#![expect(
    missing_docs,
    clippy::unwrap_used,
    reason = "a test is described by its name, and a failed unwrap fails it"
)]

pub mod filters;
pub mod frequencies;
pub mod gaps_and_imports;
pub mod ledger;
pub mod links;
pub mod nearest;
pub mod order;
pub mod pages;
pub mod projects;
pub mod replicas;
pub mod sample;
pub mod state;
pub mod statements;
pub mod transactions;
pub mod vectors;
pub mod words;

use crate::Store;

/// Opens another connection to the test's database.
pub type Open<'a> = &'a dyn Fn() -> Box<dyn Store>;

/// Generates the tests of a backend, in a module of this name. The function creates a database and runs a test with it:
///
/// ```text
/// lore_ports::conformance!(sqlite, crate::with_database);
///
/// fn with_database(test: &dyn Fn(lore_ports::conformance::Open<'_>)) {
///     let folder = TempDir::new().unwrap();
///     test(&|| Box::new(open(&folder.path().join("lore.db")).unwrap()));
/// }
/// ```
#[macro_export]
macro_rules! conformance {
    ($backend:ident, $with_database:path) => {
        mod $backend {
            $crate::conformance_tests! { $with_database;
                pages:
                    pages_are_listed_and_fingerprinted_by_path
                    rows_round_trip
                    put_replaces_all_rows_of_a_page
                    changes_are_applied_in_their_order
                    rename_keeps_the_number_and_returns_the_names
                    rename_replaces_the_target_page
                    removing_a_page_leaves_only_pending_links
                    numbers_of_removed_pages_are_not_reused
                    pages_are_found_by_every_kind_of_name
                    ids_are_found_by_prefix
                    touch_changes_only_timestamps
                    labels_and_counts_follow_the_pages;
                links:
                    links_are_found_by_both_ends_and_by_name
                    links_are_found_by_relation_and_counted_by_target
                    links_with_a_verb_are_ordered_by_page_and_line
                    links_are_ordered_by_path_and_line;
                statements:
                    statements_are_ordered_by_page_kind_and_line
                    facts_are_found_by_the_names_in_them;
                filters:
                    single_filters_agree_in_list_and_search
                    combined_filters_must_all_match
                    folders_differ_from_prefixes
                    wildcards_apply_only_to_globs
                    filters_fold_case_in_every_script
                    folder_filters_are_case_sensitive
                    aged_pages_without_a_status_are_found;
                order:
                    lists_are_ordered_and_windowed
                    declared_dates_precede_mtimes
                    search_windows_add_up;
                words:
                    scores_are_positive_and_descending
                    titles_weigh_more_than_bodies
                    every_field_is_searched
                    phrases_prefixes_and_operators_work
                    terms_match_as_they_are
                    terms_of_every_script_match
                    no_text_is_an_error
                    filter_tokens_are_not_searchable
                    weights_are_configurable;
                frequencies:
                    pages_are_counted_per_term
                    counts_may_stop_above_the_share
                    counts_follow_every_write
                    rolled_back_pages_are_not_counted;
                projects:
                    projects_are_isolated
                    forget_removes_the_requested_parts
                    forget_in_a_transaction_leaves_no_text;
                replicas:
                    projects_are_found_by_their_vault_id
                    vaults_that_get_an_id_keep_their_rows
                    known_ids_are_not_taken_over
                    moved_vaults_replace_their_checkout
                    moved_vaults_without_an_id_keep_their_rows
                    checkouts_have_their_own_fingerprints
                    forget_removes_replicas;
                state:
                    each_field_of_the_state_round_trips
                    state_is_per_project_and_survives_maintenance
                    forget_removes_the_state_with_the_ledger
                    failures_are_recorded_and_cleared
                    resolved_findings_are_stored_by_project;
                transactions:
                    failed_transactions_are_rolled_back
                    nested_transactions_join_the_outer_one
                    transactions_read_their_own_writes
                    other_connections_see_committed_data
                    read_transactions_see_a_single_state;
                ledger:
                    versions_are_stored_by_path
                    versions_and_ids_are_read_and_written_together
                    renames_follow_each_other
                    released_slugs_keep_their_highest_version
                    snapshots_are_listed_newest_first
                    rename_moves_the_history
                    authors_follow_renames
                    written_bytes_become_a_snapshot_once
                    pruning_is_per_project
                    old_snapshots_are_pruned
                    detached_snapshots_are_pruned_but_not_listed
                    snapshots_can_be_rewritten;
                gaps_and_imports:
                    gaps_round_trip
                    open_gaps_are_listed_first_oldest_first
                    gaps_are_listed_by_namespace
                    gap_text_and_sensitivity_require_approval
                    batches_are_kept_in_parts
                    imports_preserve_the_bytes
                    imports_can_be_rewritten
                    the_last_import_of_a_page_is_active
                    imports_and_gaps_follow_renames
                    failed_transactions_leave_no_import;
                nearest:
                    candidates_are_ordered_by_distance
                    chunks_of_requested_pages_are_always_returned
                    vectors_are_read_by_chunk
                    chunks_are_read_by_page
                    filters_apply_before_the_nearest_search
                    candidates_are_the_nearest_of_many;
                vectors:
                    new_chunks_are_pending_until_embedded
                    unchanged_chunks_are_not_reembedded
                    slots_of_removed_chunks_are_reused
                    identical_text_reuses_its_vector
                    new_models_are_inactive_until_activated
                    removing_a_model_leaves_nothing
                    vectors_outlive_the_index
                    vectors_of_the_wrong_length_are_rejected
                    vectors_are_read_by_page
                    vectors_can_be_recomputed
                    vectors_of_removed_text_can_be_pruned;
            }
        }
    };
}

/// Generates one test per function of the suite.
#[doc(hidden)]
#[macro_export]
macro_rules! conformance_tests {
    ($with_database:path; $($module:ident: $($test:ident)*;)*) => {
        $(mod $module {
            $(#[test]
            fn $test() {
                $with_database(&$crate::conformance::$module::$test);
            })*
        })*
    };
}
