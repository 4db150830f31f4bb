//! A credential format recognized by a fixed part, its mark, and the match at a mark.

use std::ops::Range;
use std::sync::OnceLock;

use regex::bytes::{Regex, RegexBuilder};

use super::entropy::is_token;
use super::{SecretRule, ahead};

/// Maximum number of bytes of a single-line credential.
const LINE: usize = 512;
/// Maximum number of bytes of a multi-line key or a long token.
const BLOCK: usize = 8 * 1024;
/// Distance in bytes within which a word is near a mark.
const CLOSE: usize = 256;

type Strings = &'static [&'static str];

/// A format with its own mark.
pub struct Format {
    pub rule: SecretRule,
    /// Fixed part of every credential of this format, or text right before it.
    pub marks: Strings,
    /// Starts where the format starts; its only group captures the variable part.
    pattern: &'static str,
    place: TokenPosition,
    reach: Reach,
    /// Words, in lower case, one of which must be near the mark; empty for none.
    near: Strings,
    /// Returns whether the captured part is not a placeholder.
    is_real: fn(&str) -> bool,
    compiled: OnceLock<Regex>,
}

/// Position of a mark relative to its credential.
#[derive(Clone, Copy)]
enum TokenPosition {
    /// It starts the credential, so no letter or digit may precede it.
    Begins,
    /// It starts a credential that may contain `-` and `_`, so these do not separate it from a word.
    BeginsAlone,
    /// It announces the credential, which starts with the pattern's group.
    Announces,
    /// It follows a number, which starts the credential.
    AfterNumber,
}

/// Maximum extent of a credential.
#[derive(Clone, Copy)]
enum Reach {
    Line(usize),
    Lines,
}

impl Format {
    /// Creates a format whose matches are credentials beyond reasonable doubt.
    pub const fn certain(
        name: &'static str,
        what: &'static str,
        marks: Strings,
        pattern: &'static str,
    ) -> Self {
        Format {
            rule: SecretRule { name, what, certain: true },
            marks,
            pattern,
            place: TokenPosition::Begins,
            reach: Reach::Line(LINE),
            near: &[],
            is_real: is_token,
            compiled: OnceLock::new(),
        }
    }

    /// Creates a format whose matches may be harmless.
    pub const fn likely(
        name: &'static str,
        what: &'static str,
        marks: Strings,
        pattern: &'static str,
    ) -> Self {
        let mut format = Format::certain(name, what, marks, pattern);
        format.rule.certain = false;
        format
    }

    /// Makes `-` and `_` not separate the credential from a preceding word.
    pub const fn alone(mut self) -> Self {
        self.place = TokenPosition::BeginsAlone;
        self
    }

    /// Makes the mark only announce the credential, so that it may be inside a word.
    pub const fn announced(mut self) -> Self {
        self.place = TokenPosition::Announces;
        self
    }

    /// Makes the credential start with a number before the mark.
    pub const fn after_number(mut self) -> Self {
        self.place = TokenPosition::AfterNumber;
        self
    }

    /// Raises the maximum length.
    pub const fn long(mut self) -> Self {
        self.reach = Reach::Line(BLOCK);
        self
    }

    /// Lets the credential span several lines.
    pub const fn of_lines(mut self) -> Self {
        self.reach = Reach::Lines;
        self
    }

    /// Requires one of these words near the mark.
    pub const fn near(mut self, words: Strings) -> Self {
        self.near = words;
        self
    }

    /// Replaces the check of the group, which by default rejects phrases and placeholders.
    pub const fn real(mut self, is_real: fn(&str) -> bool) -> Self {
        self.is_real = is_real;
        self
    }

    /// Returns the credential that the mark at this offset belongs to.
    pub fn find(&self, text: &str, mark: usize) -> Option<Range<usize>> {
        let start = self.start(text.as_bytes(), mark)?;
        let caught = self.regex().captures(self.part(text, start).as_bytes())?;
        let secret = caught.get(1)?;
        let is_real = (self.is_real)(std::str::from_utf8(secret.as_bytes()).ok()?);
        if !is_real || !self.is_near(text.as_bytes(), mark) {
            return None;
        }
        match (self.reach, self.place) {
            (Reach::Lines, _) => block(text, start, secret.end()),
            (_, TokenPosition::Announces) => Some(start + secret.start()..start + secret.end()),
            _ => Some(start..start + secret.end()),
        }
    }

    /// Returns the pattern, compiled on first use.
    pub fn regex(&self) -> &Regex {
        self.compiled.get_or_init(|| {
            // A longer word that only starts like a credential does not match.
            let bounded = format!(r"\A(?:{})(?:[^0-9A-Za-z]|\z)", self.pattern);
            RegexBuilder::new(&bounded).unicode(false).build().expect("the patterns of the table are valid")
        })
    }

    fn start(&self, bytes: &[u8], mark: usize) -> Option<usize> {
        let before = &bytes[..mark];
        let length_of = |class: fn(&u8) -> bool| before.iter().rev().take_while(|byte| class(byte)).count();
        let (start, edge) = match self.place {
            TokenPosition::Announces => return Some(mark),
            TokenPosition::Begins => (mark, mark),
            TokenPosition::BeginsAlone => (mark, mark - length_of(|byte| matches!(byte, b'-' | b'_'))),
            TokenPosition::AfterNumber => {
                let start = mark - length_of(u8::is_ascii_digit);
                (start, start)
            }
        };
        let is_within_word = bytes[..edge].last().is_some_and(u8::is_ascii_alphanumeric);
        (!is_within_word).then_some(start)
    }

    /// Returns the text that the pattern may match.
    fn part<'a>(&self, text: &'a str, start: usize) -> &'a str {
        match self.reach {
            Reach::Lines => ahead(text, start, BLOCK),
            Reach::Line(length) => {
                let part = ahead(text, start, length);
                part.split('\n').next().unwrap_or(part)
            }
        }
    }

    fn is_near(&self, bytes: &[u8], mark: usize) -> bool {
        let around = &bytes[mark.saturating_sub(CLOSE)..bytes.len().min(mark + CLOSE)];
        let around = around.to_ascii_lowercase();
        let holds = |word: &&str| around.windows(word.len()).any(|window| window == word.as_bytes());
        self.near.is_empty() || self.near.iter().any(holds)
    }
}

/// Returns a multi-line key, up to its end mark or an empty line. None if it is abridged.
fn block(text: &str, start: usize, seen: usize) -> Option<Range<usize>> {
    let part = ahead(text, start, BLOCK);
    let rest = &part[seen..];
    let end = seen + rest.find("-----END").or_else(|| rest.find("\n\n")).unwrap_or(rest.len());
    let is_abridged = part[..end].contains("...") || part[..end].contains('…');
    (!is_abridged).then_some(start..start + end)
}
