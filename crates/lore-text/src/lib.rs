//! Language for every layer of Lore: words, sentences, scripts, slugs, dates, similarity, hashes, vector codes and secret
//! patterns.
//!
//! The bottom crate. It is pure: it reads no file, no clock and no environment, and knows nothing about pages.
//!
//! Its place among the crates is enforced: what it must not know does not compile.
//!
//! ```compile_fail
//! use lore_page::Page; // It knows nothing about pages.
//! ```

mod age;
mod capitalize;
mod closing_tag;
mod cron;
mod day;
mod day_name;
mod detect;
pub mod diff;
mod disagreement;
mod hash;
mod language;
mod one_line;
mod partial_date;
mod percent;
mod period;
mod project_slug;
pub mod quantity;
mod relative_dates;
mod script;
mod search_terms;
pub mod secrets;
mod sentences;
pub mod sign_codes;
mod similarity;
mod slug;
mod span;
mod stem;
mod stop_words;
mod timeframe;
mod tokens;
mod visible;
mod wildcard;

pub use age::{Age, NotAnAge};
pub use capitalize::capitalize;
pub use closing_tag::{escape_closing_tags, escape_tags};
pub use cron::{Cron, NotACron};
pub use day::{day_of, next_day_start};
pub use day_name::is_day_name;
pub use detect::language_of;
pub use disagreement::{Disagreement, disagreement};
pub use hash::{ContentHash, ContentHasher, keyed_hash, stable_number};
pub use language::foreign_stop_words;
pub use one_line::on_one_line;
pub use partial_date::{NotADate, PartialDate};
pub use percent::{percent_decode, percent_encode};
pub use period::{NamePeriod, date_in_name, date_of_file, find_period, parse_period};
pub use project_slug::project_slug;
pub use relative_dates::{RelativeDate, relative_date_at, relative_dates};
pub use script::{is_unspaced, pairs, runs};
pub use search_terms::{folded_words, is_word_char, query_terms, search_terms};
pub use sentences::{ends_sentence, sentence_end, sentences};
pub use similarity::{jaccard, similarity, terms};
pub use slug::{fold, observation_permalink, path_slug, relation_permalink, slugify};
pub use stem::{Language, has_stem, stem};
pub use stop_words::is_content_word;
pub use timeframe::{
    MONTHS, NotATimeframe, WEEKDAYS, date_millis, date_on, epoch_day, month_number, since, until,
    written_date,
};
pub use tokens::estimate_tokens;
pub use visible::{is_acted_on, visible, visible_json};
pub use wildcard::wildcard;
