//! Token counts for budgets.

use lore_text::estimate_tokens;

use crate::StaticModel;

/// Returns the number of tokens in a text: exact with the embedded model's tokenizer, otherwise estimated.
pub fn count_tokens(text: &str) -> usize {
    StaticModel::embedded().map_or_else(|| estimate_tokens(text), |model| model.tokens(text))
}

/// Returns whether [`count_tokens`] is exact rather than an estimate.
pub fn counts_exactly() -> bool {
    StaticModel::embedded().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counting_is_exact_only_with_an_embedded_model() {
        assert_eq!(counts_exactly(), cfg!(feature = "embedded-model"));
        let expected = if counts_exactly() { 4 } else { 5 };
        assert_eq!(count_tokens("The same statement."), expected);
    }
}
