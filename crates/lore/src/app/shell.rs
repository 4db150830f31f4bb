//! Commands as a POSIX shell reads them.

/// Splits a command into its words; none if a quote is not closed. No shell is run.
pub fn split(command: &str) -> Option<Vec<String>> {
    shlex::split(command)
}

/// Joins words into a command, each quoted if it needs to be.
pub fn join<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    words.into_iter().map(quote).collect::<Vec<_>>().join(" ")
}

/// Quotes a word if it needs to be. A NUL, which no shell accepts, becomes U+FFFD.
pub fn quote(word: &str) -> String {
    let word = word.replace('\0', "\u{fffd}");
    shlex::try_quote(&word).expect("only a NUL cannot be quoted").into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_for_the_shell() {
        for (word, expected) in [
            ("plain", "plain"),
            ("notes/a-b.md", "notes/a-b.md"),
            ("two words", "'two words'"),
            ("", "''"),
            ("it's", r#""it's""#),
            ("$HOME `x` \"y\"", "'$HOME `x` \"y\"'"),
            ("$HOME's", r#"'$HOME'"'s""#),
            ("東京", "'東京'"),
            ("a\0b", "'a\u{fffd}b'"),
        ] {
            assert_eq!(quote(word), expected, "{word}");
            assert_eq!(split(&quote(word)), Some(vec![word.replace('\0', "\u{fffd}")]), "{word}");
        }
        assert_eq!(join(["lore", "show", "two words"]), "lore show 'two words'");
    }
}
