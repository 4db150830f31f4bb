//! Retrieval quality: questions with known answers, asked the way a user asks them.

mod measures;
mod set;

pub use measures::{Measures, Scores, percentile};
pub use set::{Document, Question, Set};
