//! Daily pages: rolling over today's page, its inbox, and the sections it keeps.

mod day;
mod inbox;
mod rotate;
mod today;

pub use day::{day_of, next_day_start};
pub use inbox::scratch_name;
pub use rotate::{Rotation, local_now, rotate};
pub use today::{SECTIONS, as_yesterday, date_of, fresh_today};

/// Trims blank lines at both ends; the first line keeps its indentation.
fn without_blank_ends(text: &str) -> &str {
    let blank: usize =
        text.split_inclusive('\n').take_while(|line| line.trim().is_empty()).map(str::len).sum();
    text[blank..].trim_end()
}
