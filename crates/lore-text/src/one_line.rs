//! Text on one line.

/// Returns the text on one line: runs of white space and control characters become single spaces.
pub fn on_one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for word in text.split(|letter: char| letter.is_whitespace() || letter.is_control()) {
        if !word.is_empty() && !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_and_control_characters_become_single_spaces() {
        for (text, line) in [
            ("", ""),
            (" \r\n\t", ""),
            ("one", "one"),
            ("  one\r\n\n two\tthree  ", "one two three"),
            ("one\0two\u{1b}[1m\u{7f}", "one two [1m"),
            ("one\u{a0}\u{2028}two", "one two"),
        ] {
            assert_eq!(on_one_line(text), line, "{text:?}");
        }
    }
}
