//! Passages: the best lines of all candidate pages. Pure, apart from the vectors of words that are passed in.

mod headings;
mod newest;
mod question;
mod score;
mod select;
mod timing;
mod units;
mod vectors;

pub(super) use headings::below_heading;
pub(super) use question::Question;
pub(super) use score::{Candidate, ScoredUnit, score};
pub(super) use select::{Costs, Limits, select};
pub(super) use units::{Unit, Units, units};
