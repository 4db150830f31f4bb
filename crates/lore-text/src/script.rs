//! Scripts without spaces between words. The index treats each of their characters as a word, so that any run of them
//! is found as a phrase, in every database.

/// Whether this character's script does not separate words by spaces (or, as in Korean, attaches endings to them).
pub fn is_unspaced(character: char) -> bool {
    matches!(u32::from(character),
        0x0E00..=0x0EFF       // Thai, Lao
        | 0x1000..=0x109F     // Myanmar
        | 0x1100..=0x11FF     // Hangul Jamo
        | 0x1780..=0x17FF     // Khmer
        | 0x3005..=0x3007
        | 0x3040..=0x30FF     // Hiragana, Katakana
        | 0x3130..=0x318F
        | 0x31F0..=0x31FF
        | 0x3400..=0x4DBF     // Han
        | 0x4E00..=0x9FFF
        | 0xAC00..=0xD7AF     // Hangul
        | 0xF900..=0xFAFF
        | 0xFF66..=0xFF9D     // half-width Katakana
        | 0x20000..=0x3FFFF)
}

/// Splits a word into runs of unspaced characters and the rest: `東京tower` gives `東京` and `tower`.
pub fn runs(word: &str) -> Vec<&str> {
    let mut runs = Vec::new();
    let mut start = 0;
    let mut last: Option<bool> = None;
    for (at, character) in word.char_indices() {
        let unspaced = is_unspaced(character);
        if last.is_some_and(|last| last != unspaced) {
            runs.push(&word[start..at]);
            start = at;
        }
        last = Some(unspaced);
    }
    if start < word.len() {
        runs.push(&word[start..]);
    }
    runs
}

/// Returns the overlapping pairs of a run; a single character is returned as is.
pub fn pairs(run: &str) -> Vec<&str> {
    let starts: Vec<usize> = run.char_indices().map(|(at, _)| at).chain([run.len()]).collect();
    if starts.len() <= 2 {
        return vec![run];
    }
    starts.windows(3).map(|window| &run[window[0]..window[2]]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_unspaced_characters_are_separated() {
        assert_eq!(runs("東京tower塔"), ["東京", "tower", "塔"]);
        assert_eq!(runs(""), [""; 0]);
        assert_eq!(pairs("世"), ["世"]);
        assert_eq!(pairs("東京都"), ["東京", "京都"]);
    }
}
