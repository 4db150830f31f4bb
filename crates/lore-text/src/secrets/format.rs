//! A credential format recognized by a fixed literal, and the match at such a literal.

use std::ops::Range;
use std::sync::OnceLock;

use regex::bytes::{Regex, RegexBuilder};

use super::entropy::is_token;
use super::{SecretRule, ahead};

/// Maximum number of bytes of a single-line credential.
const LINE: usize = 512;
/// Maximum number of bytes of a multi-line key or a long token.
const BLOCK: usize = 8 * 1024;
/// Distance in bytes within which a word is near a literal.
const NEARBY_BYTES: usize = 256;

type Strings = &'static [&'static str];

/// A format with its own literals.
pub struct SecretFormat {
    pub rule: SecretRule,
    /// Fixed part of every credential of this format, or text right before it.
    pub literals: Strings,
    /// Starts where the format starts; its only group captures the variable part.
    pattern: &'static str,
    position: TokenPosition,
    extent: Extent,
    /// Words, in lower case, one of which must be near the literal; empty for none.
    nearby: Strings,
    /// Returns whether the captured part is not a placeholder.
    is_real: fn(&str) -> bool,
    compiled: OnceLock<Regex>,
}

/// Position of a literal relative to its credential.
#[derive(Clone, Copy)]
enum TokenPosition {
    /// It starts the credential, so no letter or digit may precede it.
    Start,
    /// It starts a credential that may contain `-` and `_`, so these do not separate it from a word.
    StandaloneStart,
    /// It announces the credential, which starts with the pattern's group.
    Prefix,
    /// It follows a number, which starts the credential.
    AfterNumber,
}

/// Maximum extent of a credential.
#[derive(Clone, Copy)]
enum Extent {
    Line(usize),
    Lines,
}

impl SecretFormat {
    /// Creates a format whose matches are credentials beyond reasonable doubt.
    pub const fn certain(
        name: &'static str,
        what: &'static str,
        literals: Strings,
        pattern: &'static str,
    ) -> Self {
        SecretFormat {
            rule: SecretRule { name, what, certain: true },
            literals,
            pattern,
            position: TokenPosition::Start,
            extent: Extent::Line(LINE),
            nearby: &[],
            is_real: is_token,
            compiled: OnceLock::new(),
        }
    }

    /// Creates a format whose matches may be harmless.
    pub const fn likely(
        name: &'static str,
        what: &'static str,
        literals: Strings,
        pattern: &'static str,
    ) -> Self {
        let mut format = SecretFormat::certain(name, what, literals, pattern);
        format.rule.certain = false;
        format
    }

    /// Makes `-` and `_` not separate the credential from a preceding word.
    pub const fn alone(mut self) -> Self {
        self.position = TokenPosition::StandaloneStart;
        self
    }

    /// Makes the literal only announce the credential, so that it may be inside a word.
    pub const fn announced(mut self) -> Self {
        self.position = TokenPosition::Prefix;
        self
    }

    /// Makes the credential start with a number before the literal.
    pub const fn after_number(mut self) -> Self {
        self.position = TokenPosition::AfterNumber;
        self
    }

    /// Raises the maximum length.
    pub const fn long(mut self) -> Self {
        self.extent = Extent::Line(BLOCK);
        self
    }

    /// Lets the credential span several lines.
    pub const fn of_lines(mut self) -> Self {
        self.extent = Extent::Lines;
        self
    }

    /// Requires one of these words near the literal.
    pub const fn near(mut self, words: Strings) -> Self {
        self.nearby = words;
        self
    }

    /// Replaces the check of the group, which by default rejects phrases and placeholders.
    pub const fn real(mut self, is_real: fn(&str) -> bool) -> Self {
        self.is_real = is_real;
        self
    }

    /// Returns whether the credential contains no blank, so that one up to the end of a line may go on in the next.
    pub const fn is_one_word(&self) -> bool {
        matches!(self.extent, Extent::Line(_)) && !matches!(self.position, TokenPosition::Prefix)
    }

    /// Returns whether the pattern itself spans lines.
    pub const fn spans_lines(&self) -> bool {
        matches!(self.extent, Extent::Lines)
    }

    /// Returns the credential that the literal at this offset belongs to.
    pub fn find(&self, text: &str, literal_start: usize) -> Option<Range<usize>> {
        let start = self.start(text.as_bytes(), literal_start)?;
        let captures = self.regex().captures(self.part(text, start).as_bytes())?;
        let secret = captures.get(1)?;
        let is_real = (self.is_real)(std::str::from_utf8(secret.as_bytes()).ok()?);
        if !is_real || !self.has_nearby_word(text.as_bytes(), literal_start) {
            return None;
        }
        match (self.extent, self.position) {
            (Extent::Lines, _) => block(text, start, secret.end()),
            (_, TokenPosition::Prefix) => Some(start + secret.start()..start + secret.end()),
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

    fn start(&self, bytes: &[u8], literal_start: usize) -> Option<usize> {
        let before = &bytes[..literal_start];
        let length_of = |class: fn(&u8) -> bool| before.iter().rev().take_while(|byte| class(byte)).count();
        let (start, edge) = match self.position {
            TokenPosition::Prefix => return Some(literal_start),
            TokenPosition::Start => (literal_start, literal_start),
            TokenPosition::StandaloneStart => {
                (literal_start, literal_start - length_of(|byte| matches!(byte, b'-' | b'_')))
            }
            TokenPosition::AfterNumber => {
                let start = literal_start - length_of(u8::is_ascii_digit);
                (start, start)
            }
        };
        let before = &bytes[..edge];
        let is_within_word =
            before.last().is_some_and(u8::is_ascii_alphanumeric) && !ends_with_escape(before);
        (!is_within_word).then_some(start)
    }

    /// Returns the text that the pattern may match.
    fn part<'a>(&self, text: &'a str, start: usize) -> &'a str {
        match self.extent {
            Extent::Lines => ahead(text, start, BLOCK),
            Extent::Line(length) => {
                let part = ahead(text, start, length);
                part.split('\n').next().unwrap_or(part)
            }
        }
    }

    fn has_nearby_word(&self, bytes: &[u8], literal_start: usize) -> bool {
        let around =
            &bytes[literal_start.saturating_sub(NEARBY_BYTES)..bytes.len().min(literal_start + NEARBY_BYTES)];
        let around = around.to_ascii_lowercase();
        let contains = |word: &&str| around.windows(word.len()).any(|window| window == word.as_bytes());
        self.nearby.is_empty() || self.nearby.iter().any(contains)
    }
}

/// Whether text ends with an escape of JSON or of source code, such as `\n`: its last letter is no part of what follows.
fn ends_with_escape(before: &[u8]) -> bool {
    let is_hex = |digits: &[u8]| digits.iter().all(u8::is_ascii_hexdigit);
    match before {
        [.., b'\\', b'n' | b'r' | b't' | b'b' | b'f' | b'v' | b'a' | b'e' | b'0'] => true,
        [.., b'\\', b'x', first, second] => is_hex(&[*first, *second]),
        [.., b'\\', b'u', one, two, three, four] => is_hex(&[*one, *two, *three, *four]),
        _ => false,
    }
}

/// Returns a multi-line key, up to its end mark or an empty line. None if it is abridged.
fn block(text: &str, start: usize, matched: usize) -> Option<Range<usize>> {
    let part = ahead(text, start, BLOCK);
    let rest = &part[matched..];
    let end = matched + rest.find("-----END").or_else(|| rest.find("\n\n")).unwrap_or(rest.len());
    let is_abridged = part[..end].contains("...") || part[..end].contains('…');
    (!is_abridged).then_some(start..start + end)
}
