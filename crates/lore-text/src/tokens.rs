//! Estimates token counts without a vocabulary: good enough for chunking, and the same for every model.

/// Estimates the number of tokens of a text: four ASCII letters per token, one per character of an unspaced script, two
/// other non-ASCII letters per token.
pub fn estimate_tokens(text: &str) -> usize {
    let (mut ascii, mut unspaced, mut others) = (0usize, 0usize, 0usize);
    for letter in text.chars() {
        match letter {
            _ if letter.is_ascii() => ascii += 1,
            '\u{1100}'..='\u{11ff}' | '\u{2e80}'..='\u{d7ff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'.. => {
                unspaced += 1;
            }
            _ => others += 1,
        }
    }
    ascii.div_ceil(4) + unspaced + others.div_ceil(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn token_is_four_letters_or_one_unspaced_character() {
        for (text, expected) in [
            ("", 0),
            ("a", 1),
            ("four", 1),
            ("fives", 2),
            ("東京都", 3),
            ("東京都 is", 4),
            ("안녕", 2),
            ("äöü", 2),
        ] {
            assert_eq!(estimate_tokens(text), expected, "{text}");
        }
    }
}
