//! One suite for every backend. Each test receives a function that opens the same new database as often as needed; a
//! backend joins with one line at the end of this file.

mod filters;
mod intake;
mod ledger;
mod order;
mod pages;
mod projects;
mod transactions;
mod vectors;
mod words;

use lore_ports::Store;

/// Opens another connection to the test's database.
pub type Open<'a> = &'a dyn Fn() -> Box<dyn Store>;

/// Generates one test per function, in a module named after the backend. `$with` creates a database and runs the test.
macro_rules! conformance {
    ($backend:ident, $with:path) => {
        mod $backend {
            stories! { $with;
                pages:
                    pages_are_listed_and_fingerprinted_by_path
                    rows_round_trip
                    put_replaces_all_rows_of_a_page
                    rename_keeps_the_number_and_returns_the_names
                    rename_replaces_the_target_page
                    removing_a_page_leaves_only_pending_links
                    pages_are_found_by_every_kind_of_name
                    ids_are_found_by_prefix
                    links_are_found_by_both_ends_and_by_name
                    links_are_found_by_relation_and_counted_by_target
                    links_with_a_verb_are_ordered_by_page_and_line
                    statements_are_ordered_by_page_kind_and_line
                    touch_changes_only_timestamps
                    labels_and_counts_follow_the_pages;
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
                    words_are_stemmed_and_accents_ignored
                    unspaced_scripts_match_inside_sentences
                    no_user_input_is_an_error
                    common_words_match_nothing
                    filter_tokens_are_not_searchable
                    weights_are_configurable;
                projects:
                    projects_are_isolated
                    new_root_clears_the_index_and_keeps_the_ledger
                    forget_removes_the_requested_parts
                    forget_in_a_transaction_leaves_no_text;
                transactions:
                    failed_transactions_are_rolled_back
                    nested_transactions_join_the_outer_one
                    transactions_read_their_own_writes
                    other_connections_see_committed_data;
                ledger:
                    versions_are_stored_by_path
                    snapshots_are_listed_newest_first
                    rename_moves_the_history
                    authors_follow_renames
                    pruning_is_per_project
                    old_snapshots_are_pruned
                    failures_are_recorded_and_cleared
                    resolved_findings_are_stored_by_project
                    settings_are_replaced;
                intake:
                    gaps_round_trip
                    open_gaps_are_listed_first_oldest_first
                    gap_text_and_sensitivity_require_approval
                    imports_preserve_the_bytes
                    the_last_import_of_a_page_is_active
                    imports_and_gaps_follow_renames
                    failed_transactions_leave_no_import;
                vectors:
                    new_chunks_are_pending_until_embedded
                    pages_are_represented_by_their_nearest_chunk
                    explicitly_requested_pages_are_compared
                    filters_apply_before_the_nearest_search
                    unchanged_chunks_are_not_reembedded
                    slots_of_removed_chunks_are_reused
                    identical_text_reuses_its_vector
                    new_models_are_inactive_until_activated
                    removing_a_model_leaves_nothing
                    vectors_outlive_the_index
                    vectors_of_the_wrong_length_are_rejected
                    approximate_search_finds_the_exact_nearest
                    page_vectors_are_means_of_their_chunks
                    vectors_can_be_recomputed;
            }
        }
    };
}

macro_rules! stories {
    ($with:path; $($module:ident: $($story:ident)*;)*) => {
        $(mod $module {
            $(#[test]
            fn $story() {
                $with(&crate::conformance::$module::$story);
            })*
        })*
    };
}

conformance!(sqlite, crate::sqlite::with_database);
