//! What a confidence is computed from, and how.

use super::coverage::Coverage;

/// How far the best page of a tiny vault stands out that has every word of the question.
const SMALL_WORDS: f64 = 0.5;

/// What is added in a small vault, in log-odds: that a question is about its pages is more likely to begin with.
const SMALL: f64 = 1.8;

/// Log-odds from which on nothing is added, and how far below them everything is.
const LIKELY: f64 = 1.1;
const FADE: f64 = 3.7;

/// How small a vault is from which on that is added in full.
const MEDIUM: f64 = 0.6;

/// What a confidence is computed from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Features {
    pub coverage: Coverage,
    /// How far the score by words is above the background, as a share of the highest possible score.
    pub words: f64,
    /// The similarity of the nearest chunk, if a static model embedded it: other models have other scales.
    pub similarity: Option<f64>,
    /// How small the vault is, from 0 to 1.
    pub small: f64,
    /// Whether similar words were compared, so that `coverage.soft` is more than `coverage.exact`.
    pub compares_words: bool,
}

impl Features {
    /// Returns the confidence. The weights were fitted on eight deals of six sets; each set was judged by the weights of
    /// the others.
    pub(super) fn confidence(&self) -> f64 {
        let Coverage { soft, exact } = self.coverage;
        // A few pages are no background: no word is rare among them, and none of them stands out.
        let words = self.words.max(SMALL_WORDS * exact * self.small);
        let z = match self.similarity {
            Some(nearest) if self.compares_words => -5.12 + 5.46 * soft + 3.43 * words + 2.03 * nearest,
            _ if self.compares_words => -4.60 + 6.14 * soft + 3.60 * words,
            _ => -2.89 + 4.52 * exact + 4.18 * words,
        };
        // Less is added to what is likely anyway.
        let room = ((LIKELY - z) / FADE).clamp(0.0, 1.0);
        let z = z + SMALL * room * (self.small / MEDIUM).min(1.0);
        1.0 / (1.0 + (-z).exp())
    }
}
