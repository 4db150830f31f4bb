//! A credential format that is known by a fixed part of it, its mark, and how it is tried at a mark.

use std::ops::Range;
use std::sync::OnceLock;

use regex::bytes::{Regex, RegexBuilder};

use super::entropy::is_token;
use super::{SecretRule, ahead};

/// How far a credential of one line goes on at most.
const LINE: usize = 512;
/// How far a key of several lines, or a long token, goes on at most.
const BLOCK: usize = 8 * 1024;
/// How far around a mark a word counts as close by.
const CLOSE: usize = 256;

type Strings = &'static [&'static str];

/// A format with a mark of its own.
pub struct Format {
    pub rule: SecretRule,
    /// What stands in every credential of this format, or right before it.
    pub marks: Strings,
    /// Begins where the format begins; its one group catches what differs from credential to credential.
    pattern: &'static str,
    place: Place,
    reach: Reach,
    /// One of these, in small letters, must stand close by, unless there are none.
    near: Strings,
    /// Whether what the group caught is no stand-in.
    is_real: fn(&str) -> bool,
    compiled: OnceLock<Regex>,
}

/// What a mark is to its credential.
#[derive(Clone, Copy)]
enum Place {
    /// It begins the credential, so that no letter or digit stands before it.
    Begins,
    /// It begins a credential in which `-` and `_` are letters too, so that they cannot join it to a word.
    BeginsAlone,
    /// It announces the credential, which begins with the pattern's group.
    Announces,
    /// It follows a number, with which the credential begins.
    AfterNumber,
}

/// How far a credential may go on.
#[derive(Clone, Copy)]
enum Reach {
    Line(usize),
    Lines,
}

impl Format {
    /// A format whose finds are credentials beyond reasonable doubt.
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
            place: Place::Begins,
            reach: Reach::Line(LINE),
            near: &[],
            is_real: is_token,
            compiled: OnceLock::new(),
        }
    }

    /// A format whose finds may be harmless.
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

    /// `-` and `_` do not set the credential apart from a word before it.
    pub const fn alone(mut self) -> Self {
        self.place = Place::BeginsAlone;
        self
    }

    /// The mark only announces the credential, and may stand within a word.
    pub const fn announced(mut self) -> Self {
        self.place = Place::Announces;
        self
    }

    /// The credential begins with a number before the mark.
    pub const fn after_number(mut self) -> Self {
        self.place = Place::AfterNumber;
        self
    }

    /// The credential may be longer than most.
    pub const fn long(mut self) -> Self {
        self.reach = Reach::Line(BLOCK);
        self
    }

    /// The credential goes on over several lines.
    pub const fn of_lines(mut self) -> Self {
        self.reach = Reach::Lines;
        self
    }

    /// One of these words must stand close by.
    pub const fn near(mut self, words: Strings) -> Self {
        self.near = words;
        self
    }

    /// What the group must fulfil, other than being no phrase and no placeholder.
    pub const fn real(mut self, is_real: fn(&str) -> bool) -> Self {
        self.is_real = is_real;
        self
    }

    /// The credential to which the mark at this place belongs.
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
            (_, Place::Announces) => Some(start + secret.start()..start + secret.end()),
            _ => Some(start..start + secret.end()),
        }
    }

    /// The pattern, built when its mark is first met.
    pub fn regex(&self) -> &Regex {
        self.compiled.get_or_init(|| {
            // A longer word that only begins like a credential is none.
            let bounded = format!(r"\A(?:{})(?:[^0-9A-Za-z]|\z)", self.pattern);
            RegexBuilder::new(&bounded).unicode(false).build().expect("the patterns of the table are valid")
        })
    }

    fn start(&self, bytes: &[u8], mark: usize) -> Option<usize> {
        let before = &bytes[..mark];
        let length_of = |class: fn(&u8) -> bool| before.iter().rev().take_while(|byte| class(byte)).count();
        let (start, edge) = match self.place {
            Place::Announces => return Some(mark),
            Place::Begins => (mark, mark),
            Place::BeginsAlone => (mark, mark - length_of(|byte| matches!(byte, b'-' | b'_'))),
            Place::AfterNumber => {
                let start = mark - length_of(u8::is_ascii_digit);
                (start, start)
            }
        };
        let is_within_word = bytes[..edge].last().is_some_and(u8::is_ascii_alphanumeric);
        (!is_within_word).then_some(start)
    }

    /// What the pattern may look at.
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

/// The whole of a key of several lines: to its end mark, or else to an empty line. None where it is abridged.
fn block(text: &str, start: usize, seen: usize) -> Option<Range<usize>> {
    let part = ahead(text, start, BLOCK);
    let rest = &part[seen..];
    let end = seen + rest.find("-----END").or_else(|| rest.find("\n\n")).unwrap_or(rest.len());
    let is_abridged = part[..end].contains("...") || part[..end].contains('…');
    (!is_abridged).then_some(start..start + end)
}
