//! One suite for every backend. A story gets a way to open the same new, empty database as often as it likes; a
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

use lore_engine::Store;

/// Opens the story's database once more.
pub type Open<'a> = &'a dyn Fn() -> Box<dyn Store>;

/// One test per story, in a module of the backend's name. `$with` makes a database and tells the story of it.
macro_rules! conformance {
    ($backend:ident, $with:path) => {
        mod $backend {
            stories! { $with;
                pages:
                    pages_are_listed_and_fingerprinted_by_path
                    a_row_comes_back_as_it_was_put
                    a_page_put_again_replaces_all_of_the_old_one
                    a_rename_keeps_the_number_and_gives_the_names
                    a_rename_removes_what_stood_there
                    a_removed_page_leaves_nothing_but_pending_links
                    a_page_is_known_by_each_kind_of_name
                    an_id_is_found_by_its_beginning
                    links_are_found_by_both_ends_and_by_name
                    links_are_found_by_relation_and_counted_by_target
                    links_with_a_verb_come_by_page_and_line
                    statements_come_by_page_kind_and_line
                    a_touch_changes_times_only
                    labels_and_counts_follow_the_pages;
                filters:
                    each_filter_alone_lists_and_finds_the_same
                    filters_together_all_have_to_hold
                    a_folder_is_no_prefix
                    wildcards_count_in_globs_only
                    filters_fold_case_in_every_script
                    folders_keep_their_case
                    old_pages_without_a_status_are_found;
                order:
                    lists_are_ordered_and_windowed
                    a_stated_day_goes_before_the_time_of_a_file
                    the_windows_of_a_search_make_up_the_whole;
                words:
                    scores_are_positive_and_fall
                    a_title_weighs_more_than_a_body
                    every_field_is_searched
                    phrases_prefixes_and_operators_work
                    words_are_stemmed_and_accents_do_not_matter
                    scripts_without_spaces_are_found_inside_a_sentence
                    nothing_a_person_types_is_an_error
                    a_word_that_most_pages_have_tells_nothing
                    filter_tokens_are_no_words
                    weights_can_be_other_ones;
                projects:
                    projects_do_not_mix
                    a_new_root_empties_the_index_and_keeps_the_ledger
                    forgetting_takes_what_it_is_told_to
                    what_is_forgotten_in_a_transaction_leaves_no_words;
                transactions:
                    a_failed_transaction_leaves_nothing
                    a_transaction_inside_another_joins_it
                    a_transaction_reads_what_it_wrote
                    other_connections_see_what_is_committed;
                ledger:
                    versions_are_kept_by_path
                    snapshots_come_newest_first_with_their_bytes
                    a_rename_carries_history_over
                    authors_are_kept_by_path_and_follow_a_rename
                    a_project_prunes_its_own_snapshots_only
                    old_snapshots_are_pruned
                    failures_are_noted_and_forgotten
                    settled_findings_are_kept_by_project
                    settings_are_replaced;
                intake:
                    a_gap_comes_back_as_it_was_put
                    open_gaps_come_first_and_the_oldest_of_them
                    a_gap_has_no_words_and_no_permission_without_a_name
                    a_source_is_kept_byte_for_byte
                    of_each_page_the_last_source_counts
                    a_page_that_moves_takes_its_source_and_its_gaps_along
                    what_fails_with_a_source_leaves_none;
                vectors:
                    new_chunks_wait_until_they_have_a_vector
                    the_nearest_chunk_stands_for_its_page
                    pages_asked_for_by_name_are_compared_too
                    filters_come_before_the_nearest
                    a_chunk_that_stays_is_not_embedded_again
                    a_chunk_that_goes_is_not_found_and_its_place_is_taken
                    the_same_text_elsewhere_has_its_vector_at_once
                    a_new_model_answers_only_when_it_is_chosen
                    a_removed_model_leaves_nothing
                    vectors_outlive_the_index
                    vectors_of_another_length_are_refused
                    the_nearest_of_many_are_the_nearest_of_all
                    a_page_points_where_its_chunks_point_together
                    vectors_can_be_asked_for_again;
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
