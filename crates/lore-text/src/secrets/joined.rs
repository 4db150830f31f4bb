//! Credentials that a line break splits: wrapped lines, with their indentation and quote marks, and characters that
//! are not visible.

use std::ops::Range;

use super::literals::{LiteralHit, LiteralKind, hits};
use super::rules::FORMATS;
use super::{Form, SecretMatch, ahead, behind};

/// Maximum number of bytes of a split credential, before or after its literal.
const REACH: usize = 512;
/// Maximum number of line breaks in a credential.
const MAX_BREAKS: usize = 8;
/// Minimum number of bytes of a credential with a literal.
const MIN_BYTES: usize = 18;
/// Characters that take no space: they hide in a word and split it.
const INVISIBLE: [char; 6] = ['\u{ad}', '\u{200b}', '\u{200c}', '\u{200d}', '\u{2060}', '\u{feff}'];

/// A text whose words are not split by line breaks.
pub struct JoinedText {
    pub text: String,
    /// Each place where something was left out: the offset in the joined text, and in the original one.
    joins: Vec<(usize, usize)>,
}

impl JoinedText {
    /// Joins the words at line breaks; `None` if there are none.
    pub fn new(original: &str) -> Option<JoinedText> {
        let mut joined = JoinedText { text: String::new(), joins: Vec::new() };
        let mut copied = 0;
        let mut from = 0;
        while let Some(at) = next_break(original, from) {
            let (end, start) = gap(original.as_bytes(), at);
            from = start.max(at + 1);
            while !original.is_char_boundary(from) {
                from += 1;
            }
            let is_split = |byte: Option<&u8>| byte.is_some_and(is_word);
            let bytes = original.as_bytes();
            if end > copied && is_split(bytes[..end].last()) && is_split(bytes.get(start)) {
                joined.text.push_str(&original[copied..end]);
                joined.joins.push((joined.text.len(), start));
                copied = start;
            }
        }
        joined.text.push_str(&original[copied..]);
        (!joined.joins.is_empty()).then_some(joined)
    }

    /// Returns the credentials that a break splits.
    pub fn find(&self) -> Vec<SecretMatch> {
        hits(&self.text).filter_map(|hit| self.find_at(&hit)).collect()
    }

    /// Returns the range in the original text.
    pub fn original(&self, span: &Range<usize>) -> Range<usize> {
        self.origin(span.start)..self.origin(span.end.saturating_sub(1)) + 1
    }

    /// Returns the joins in a part of the joined text, as offsets in it.
    pub fn joins_within(&self, span: &Range<usize>) -> impl Iterator<Item = usize> {
        let first = self.joins.partition_point(|(at, _)| *at <= span.start);
        let end = span.end;
        self.joins[first..].iter().map(|(at, _)| *at).take_while(move |at| *at < end)
    }

    fn origin(&self, offset: usize) -> usize {
        match self.joins.partition_point(|(at, _)| *at <= offset) {
            0 => offset,
            after => {
                let (at, original) = self.joins[after - 1];
                original + (offset - at)
            }
        }
    }

    fn find_at(&self, hit: &LiteralHit) -> Option<SecretMatch> {
        let start = hit.range.start;
        let first = self.joins.partition_point(|(at, _)| *at <= start);
        let (next, _) = *self.joins.get(first)?;
        if next > start + REACH || !may_go_on(hit, &self.text[start..next]) {
            return None;
        }
        // A word that begins a line may be a credential even if the line above ends with a letter.
        let begins_line = first > 0 && self.joins[first - 1].0 == start;
        let from = [start, behind(&self.text, start, REACH)];
        // What follows the credential on another line is not part of it, so it may end at any break.
        let ends = self.joins[first..].iter().skip(1).map(|(at, _)| *at).take(MAX_BREAKS);
        let ends = ends.chain([start + ahead(&self.text, start, REACH).len()]);
        for end in ends.filter(|end| (start + MIN_BYTES..=start + REACH).contains(end)) {
            for from in from.iter().skip(usize::from(!begins_line)) {
                let local = LiteralHit { kind: hit.kind, range: start - from..hit.range.end.min(end) - from };
                let Some((rank, rule, span)) = local.credential(&self.text[*from..end]) else { continue };
                let span = from + span.start..from + span.end;
                if rule.certain && self.joins_within(&span).next().is_some() {
                    let value = Some(self.text[span.clone()].to_owned());
                    return Some(SecretMatch {
                        rank,
                        rule,
                        span: self.original(&span),
                        value,
                        form: Form::Split,
                    });
                }
            }
        }
        None
    }
}

/// Returns whether a credential may go on after the break: there is no blank before it.
fn may_go_on(hit: &LiteralHit, line: &str) -> bool {
    let is_one_word = match hit.kind {
        LiteralKind::Format(rank) if FORMATS[rank].spans_lines() => return false,
        LiteralKind::Format(rank) => FORMATS[rank].is_one_word(),
        LiteralKind::Url => true,
        LiteralKind::Name => false,
    };
    !is_one_word || !line.contains(char::is_whitespace)
}

/// Returns the next line break or invisible character.
fn next_break(text: &str, mut from: usize) -> Option<usize> {
    loop {
        // The first bytes of the characters in question.
        let is_candidate = |byte: &u8| matches!(byte, b'\n' | 0xC2 | 0xE2 | 0xEF);
        let at = from + text.as_bytes().get(from..)?.iter().position(is_candidate)?;
        let character = text[at..].chars().next()?;
        if character == '\n' || INVISIBLE.contains(&character) {
            return Some(at);
        }
        from = at + character.len_utf8();
    }
}

/// Returns where the text before a break ends and where the text after it starts: without blanks, a backslash that
/// continues the line, indentation and quote marks.
fn gap(bytes: &[u8], at: usize) -> (usize, usize) {
    if bytes[at] != b'\n' {
        return (at, at + if bytes[at] == 0xC2 { 2 } else { 3 });
    }
    let before =
        bytes[..at].iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\\')).count();
    let after = bytes[at + 1..].iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'>')).count();
    (at - before, at + 1 + after)
}

/// Returns whether a byte may be inside a credential.
fn is_word(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-.+/=~%:".contains(byte)
}
