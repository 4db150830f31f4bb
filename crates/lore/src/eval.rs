//! Retrieval quality, measured with questions that have known answers.

mod measures;
mod pairs;
mod runs;
mod set;

pub use measures::{Measures, Scores, percentile};
pub use pairs::{Deal, Pair, auroc, deal};
pub use runs::{LostPoints, Rankings, Runs, lost_points};
pub use set::{Document, EvalQuestion, Set};
