//! Patterns of slugs, parsed here once, so that every store matches the same slugs.

/// A pattern of slugs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SlugPattern {
    /// Slugs that start with this text.
    Prefix(String),
    /// Slugs that consist of these parts.
    Glob(Vec<GlobPart>),
}

/// A part of a glob.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GlobPart {
    /// This text.
    Text(String),
    /// `*`: any number of any characters, slashes included.
    Anything,
    /// `?`: one character.
    AnyCharacter,
    /// `[a-z]` or `[^a-z]`: one character in these ranges, or in none of them.
    Class {
        /// Whether it matches the other characters.
        is_negated: bool,
        /// First and last characters.
        ranges: Vec<(char, char)>,
    },
}

impl SlugPattern {
    /// Parses a pattern. Without wildcards it is a prefix; a bracket that is not closed stands for itself.
    pub fn parse(text: &str) -> SlugPattern {
        let (mut parts, mut rest) = (Vec::new(), text);
        while let Some(first) = rest.chars().next() {
            let after = &rest[first.len_utf8()..];
            let (part, left) = match first {
                '*' => (GlobPart::Anything, after),
                '?' => (GlobPart::AnyCharacter, after),
                '[' => class(after).unwrap_or((GlobPart::Text("[".into()), after)),
                letter => (GlobPart::Text(letter.into()), after),
            };
            match (parts.last_mut(), part) {
                (Some(GlobPart::Text(text)), GlobPart::Text(more)) => text.push_str(&more),
                (_, part) => parts.push(part),
            }
            rest = left;
        }
        match parts.as_slice() {
            [] | [GlobPart::Text(_)] => SlugPattern::Prefix(text.to_owned()),
            _ => SlugPattern::Glob(parts),
        }
    }
}

/// Parses a class after its opening bracket; returns it and what follows it.
fn class(text: &str) -> Option<(GlobPart, &str)> {
    let (is_negated, inside) = text.strip_prefix('^').map_or((false, text), |rest| (true, rest));
    // A closing bracket at the start belongs to the class.
    let start = usize::from(inside.starts_with(']'));
    let end = start + inside.get(start..)?.find(']')?;
    let letters: Vec<char> = inside[..end].chars().collect();
    let (mut ranges, mut at) = (Vec::new(), 0);
    while let Some(first) = letters.get(at).copied() {
        match letters.get(at + 1..at + 3) {
            Some(['-', last]) => {
                ranges.push((first, *last));
                at += 3;
            }
            _ => {
                ranges.push((first, first));
                at += 1;
            }
        }
    }
    Some((GlobPart::Class { is_negated, ranges }, &inside[end + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> GlobPart {
        GlobPart::Text(text.into())
    }

    fn class(is_negated: bool, ranges: &[(char, char)]) -> GlobPart {
        GlobPart::Class { is_negated, ranges: ranges.to_vec() }
    }

    #[test]
    fn patterns_are_prefixes_or_globs() {
        use GlobPart::{AnyCharacter, Anything};
        for (pattern, expected) in [
            ("*/b?x", vec![Anything, text("/b"), AnyCharacter, text("x")]),
            ("a[bc]", vec![text("a"), class(false, &[('b', 'b'), ('c', 'c')])]),
            ("[^a-z-]*", vec![class(true, &[('a', 'z'), ('-', '-')]), Anything]),
            ("[]a]", vec![class(false, &[(']', ']'), ('a', 'a')])]),
            ("*[", vec![Anything, text("[")]),
        ] {
            assert_eq!(SlugPattern::parse(pattern), SlugPattern::Glob(expected), "{pattern}");
        }
        for prefix in ["", "people/a", "100%_", "a[b", "[^]"] {
            assert_eq!(SlugPattern::parse(prefix), SlugPattern::Prefix(prefix.into()), "{prefix}");
        }
    }
}
