//! Maintenance of calendar-based pages: rolling over the daily page, retention, and shortening or revising pages.
//!
//! Everything is pure except `rotate` and `retention`, which read and write a vault.

mod age;
mod day;
mod inbox;
mod inject;
mod period;
mod retention;
mod revision;
mod rollup;
mod rotate;
mod today;

pub use age::{Age, NotAnAge};
pub use day::{day_of, next_turn};
pub use inbox::scratch_name;
pub use inject::last_entries;
pub use period::{NamePeriod, date_in_name};
pub use retention::{Ageing, Retained, ageing, raw_size, retain};
pub use revision::revision;
pub use rollup::{Kept, RollUp, roll_up};
pub use rotate::{Rotation, local_now, rotate};
pub use today::{SECTIONS, as_yesterday, date_of, fresh_today};

/// Trims blank lines at both ends; the first line keeps its indentation.
fn without_blank_ends(text: &str) -> &str {
    let blank: usize =
        text.split_inclusive('\n').take_while(|line| line.trim().is_empty()).map(str::len).sum();
    text[blank..].trim_end()
}
