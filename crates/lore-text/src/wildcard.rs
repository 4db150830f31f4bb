//! Names with wildcards.

/// Whether a text fits a pattern, in which `*` stands for any characters and `?` for one.
pub fn wildcard(pattern: &str, text: &str) -> bool {
    let (pattern, text): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
    let (mut at, mut from) = (0, 0);
    // Where the last star is, and how much of the text it stands for.
    let mut star: Option<(usize, usize)> = None;
    while from < text.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, from));
                at += 1;
            }
            Some(letter) if *letter == '?' || *letter == text[from] => {
                (at, from) = (at + 1, from + 1);
            }
            _ => match star {
                Some((last, taken)) => {
                    star = Some((last, taken + 1));
                    (at, from) = (last + 1, taken + 1);
                }
                None => return false,
            },
        }
    }
    pattern[at..].iter().all(|letter| *letter == '*')
}

#[cfg(test)]
mod tests {
    use super::wildcard;

    #[test]
    fn stars_and_question_marks() {
        for (pattern, text, expected) in [
            ("people/*", "people/ada", true),
            ("people/*", "machines/a", false),
            ("*ada*", "people/ada-lovelace", true),
            ("a?c", "abc", true),
            ("a?c", "ac", false),
            ("abc", "abcd", false),
            ("*.md", "é.md", true),
            ("a*b*c", "a-x-b-b-c", true),
            ("", "", true),
            ("*", "", true),
        ] {
            assert_eq!(wildcard(pattern, text), expected, "{pattern} {text}");
        }
        let long = "a".repeat(3000);
        assert!(!wildcard(&"a*".repeat(500), &format!("b{long}")));
    }
}
