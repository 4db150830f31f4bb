//! Capital letters.

/// Returns the text with its first letter in upper case.
pub fn capitalize(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_first_letter_changes() {
        for (text, expected) in [("", ""), ("person", "Person"), ("élan vital", "Élan vital"), ("ß", "SS")]
        {
            assert_eq!(capitalize(text), expected);
        }
    }
}
