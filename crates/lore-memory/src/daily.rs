//! Daily pages: rolling over today's page, its inbox, and the sections it keeps.

mod inbox;
mod rotate;
mod today;
mod triage;

pub use inbox::scratch_name;
pub use rotate::{Rotation, rotate};
pub use today::{SECTIONS, as_yesterday, date_of, fresh_today, handoff, with_date};
pub use triage::{Destination, finish_triage, suggestions};

/// Trims blank lines at both ends; the first line keeps its indentation.
fn without_blank_ends(text: &str) -> &str {
    let blank: usize =
        text.split_inclusive('\n').take_while(|line| line.trim().is_empty()).map(str::len).sum();
    text[blank..].trim_end()
}
