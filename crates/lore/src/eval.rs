//! Retrieval quality, measured with questions that have known answers.

mod measures;
mod pairs;
mod set;

pub use measures::{Measures, Scores, percentile};
pub use pairs::{Deal, Pair, auroc, deal};
pub use set::{Document, EvalQuestion, Set};
