//! Retrieval quality, measured with questions that have known answers.

mod measures;
mod set;

pub use measures::{Measures, Scores, percentile};
pub use set::{Document, EvalQuestion, Set};
