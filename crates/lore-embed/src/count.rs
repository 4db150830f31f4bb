//! How many tokens a text has, for budgets.

use lore_engine::estimate_tokens;

use crate::StaticModel;

/// How many tokens the text has: counted by the tokenizer of the model in the program, otherwise estimated.
pub fn count_tokens(text: &str) -> usize {
    StaticModel::embedded().map_or_else(|| estimate_tokens(text), |model| model.tokens(text))
}

/// Whether [`count_tokens`] counts or estimates.
pub fn counts_exactly() -> bool {
    StaticModel::embedded().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counting_is_exact_only_with_a_model_in_the_program() {
        assert_eq!(counts_exactly(), cfg!(feature = "embedded-model"));
        let expected = if counts_exactly() { 4 } else { 5 };
        assert_eq!(count_tokens("The same statement."), expected);
    }
}
