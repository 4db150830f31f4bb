//! Script detection: an English model cannot embed Chinese.

/// Returns whether at least half of the letters are Latin. Digits alone count as Latin; punctuation and emoji alone do
/// not.
pub fn is_mostly_latin(text: &str) -> bool {
    if !text.chars().any(char::is_alphanumeric) {
        return false;
    }
    let letters = text.chars().filter(|letter| letter.is_alphabetic());
    let (latin, others) = letters.fold((0usize, 0usize), |(latin, others), letter| match letter {
        '\0'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' => (latin + 1, others),
        _ => (latin, others + 1),
    });
    latin >= others
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_majority_of_letters_decides() {
        for text in ["2024", "Who knows Ada?", "Übergrößenträger", "Who is 李明", "\u{1f436} dog"] {
            assert!(is_mostly_latin(text), "{text}");
        }
        for text in [
            "狗的训练",
            "кто знает Аду",
            "Ada 是谁的女儿",
            "من يعرف",
            "犬の訓練",
            "",
            "?!",
            "\u{1f436}\u{1f415}",
        ] {
            assert!(!is_mostly_latin(text), "{text}");
        }
    }
}
