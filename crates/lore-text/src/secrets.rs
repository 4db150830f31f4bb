//! Detects credentials in text: where one is and of which kind, never its value.
//!
//! One pass searches for the fixed parts of all formats at once; a format's pattern is only compiled and tried where
//! its fixed part occurs. Text without any of them costs just that one pass, and a second one over the words that line
//! breaks split. Encoded text is decoded only if it begins like text.

mod assignment;
mod bytes;
mod encoded;
mod entropy;
mod format;
mod joined;
mod literals;
mod rules;
mod url;
mod vendors;

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::ops::Range;

use joined::JoinedText;
use sha2::{Digest, Sha256};

pub use bytes::{MARK, masked, masked_bytes, scan_bytes};

/// Number of bytes examined by [`looks_binary`].
const SAMPLE: usize = 8 * 1024;

/// A known credential format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SecretRule {
    /// Name in the policy and in messages.
    pub name: &'static str,
    /// Description for users, as one phrase.
    pub what: &'static str,
    /// Whether a match is a credential beyond reasonable doubt.
    pub certain: bool,
}

/// Location of a credential. Never contains the credential itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leak {
    /// Name of the rule that matched.
    pub rule: &'static str,
    /// Line number, from 1.
    pub line: u32,
    /// Column of the first character, from 1.
    pub column: u32,
    /// Whether the rule is a certain one.
    pub certain: bool,
    /// Identifies this rule on this line; can be copied into the policy to allow exactly this match.
    pub fingerprint: String,
    /// Identifies the credential wherever it is, in whatever form.
    pub secret: String,
    /// How it is written.
    pub form: Form,
    /// Where it is in the text: all of what must go to remove it.
    pub span: Range<usize>,
}

/// How a credential is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// As it is.
    Plain,
    /// Split by a line break or invisible characters.
    Split,
    /// In base64.
    Base64,
    /// In hexadecimal digits.
    Hex,
    /// With percent escapes.
    Percent,
}

impl Form {
    /// Returns a description for users; `None` for a plain one.
    pub fn what(self) -> Option<&'static str> {
        match self {
            Form::Plain => None,
            Form::Split => Some("split over lines"),
            Form::Base64 => Some("in base64"),
            Form::Hex => Some("in hexadecimal"),
            Form::Percent => Some("URL-encoded"),
        }
    }
}

/// Byte range of a credential, with its rule and the rule's index in [`rules`].
struct SecretMatch {
    rank: usize,
    rule: &'static SecretRule,
    span: Range<usize>,
    /// The credential itself, if it differs from the text.
    value: Option<String>,
    form: Form,
}

/// Returns all rules, most specific first.
pub fn rules() -> impl Iterator<Item = &'static SecretRule> {
    let formats = rules::FORMATS.iter().map(|format| &format.rule);
    formats.chain([&url::RULE]).chain(assignment::RULES.iter().map(|assigned| &assigned.rule))
}

/// Returns the credentials in a text, sorted by line; if two rules match the same text, the more specific wins.
pub fn scan(text: &str) -> Vec<Leak> {
    let mut finds = literals::find(text);
    finds.sort_by_key(|find| (find.span.start, find.rank));
    let mut disguised = Vec::new();
    match JoinedText::new(text) {
        None => disguised.extend(encoded::find(text, None)),
        Some(joined) => {
            disguised.extend(joined.find());
            for mut find in encoded::find(&joined.text, Some(&joined)) {
                find.span = joined.original(&find.span);
                disguised.push(find);
            }
        }
    }
    if !disguised.is_empty() {
        let covered = covered(&finds);
        finds.extend(disguised.into_iter().filter(|find| !overlaps(&covered, &find.span)));
        finds.sort_by_key(|find| (find.span.start, find.rank));
    }
    locate(text, &most_specific(finds))
}

/// Returns the parts of the text that certain matches cover, in order; the input must be sorted by start.
fn covered(finds: &[SecretMatch]) -> Vec<Range<usize>> {
    let mut parts: Vec<Range<usize>> = Vec::new();
    for find in finds.iter().filter(|find| find.rule.certain) {
        match parts.last_mut() {
            Some(last) if find.span.start < last.end => last.end = last.end.max(find.span.end),
            _ => parts.push(find.span.clone()),
        }
    }
    parts
}

fn overlaps(parts: &[Range<usize>], span: &Range<usize>) -> bool {
    let next = parts.partition_point(|part| part.end <= span.start);
    parts.get(next).is_some_and(|part| part.start < span.end)
}

/// Returns whether a file looks binary: its first bytes contain a NUL or many control bytes. UTF-16 with a BOM is text.
pub fn looks_binary(bytes: &[u8]) -> bool {
    if bytes.starts_with(b"\xFF\xFE") || bytes.starts_with(b"\xFE\xFF") {
        return false;
    }
    let sample = &bytes[..bytes.len().min(SAMPLE)];
    // Form feeds and escape codes of terminal output occur in captured text.
    let is_control = |byte: &u8| matches!(byte, 0..=8 | 0x0B | 0x0E..=0x1A | 0x1C..=0x1F | 0x7F);
    sample.contains(&0) || sample.iter().filter(|byte| is_control(byte)).count() * 10 > sample.len()
}

/// Returns the matches that no more specific match overlaps; the input must be sorted by start.
fn most_specific(finds: Vec<SecretMatch>) -> Vec<SecretMatch> {
    let mut kept: Vec<SecretMatch> = Vec::with_capacity(finds.len());
    for find in finds {
        match kept.last_mut() {
            Some(last) if find.span.start < last.span.end => {
                if find.rank < last.rank {
                    *last = find;
                }
            }
            _ => kept.push(find),
        }
    }
    kept
}

/// Computes the line, column and fingerprint of each match.
fn locate(text: &str, finds: &[SecretMatch]) -> Vec<Leak> {
    let mut leaks = Vec::with_capacity(finds.len());
    // A line of many megabytes may contain many matches: it is scanned once, and hashed once per rule.
    let mut known: HashMap<(usize, Range<usize>), String> = HashMap::new();
    let (mut line, mut column, mut counted) = (1, 1, 0);
    let mut lines = 0..0;
    for find in finds {
        let passed = &text[counted..find.span.start];
        if let Some(at) = passed.rfind('\n') {
            line += count(passed.bytes().filter(|byte| *byte == b'\n'));
            column = 1;
            lines.start = counted + at + 1;
            counted = lines.start;
        }
        column += count(text[counted..find.span.start].chars());
        counted = find.span.start;
        // The fingerprint of a multi-line key covers all of its lines: the first one alone says nothing about it.
        if lines.end < find.span.end {
            lines.end = text[find.span.end..].find('\n').map_or(text.len(), |at| find.span.end + at);
        }
        let fingerprint = known
            .entry((find.rank, lines.clone()))
            .or_insert_with(|| fingerprint(find.rule.name, text[lines.clone()].trim()))
            .clone();
        leaks.push(Leak {
            rule: find.rule.name,
            line,
            column,
            certain: find.rule.certain,
            fingerprint,
            secret: secret_fingerprint(find.value.as_deref().unwrap_or(&text[find.span.clone()])),
            form: find.form,
            span: find.span.clone(),
        });
    }
    leaks
}

/// Returns up to `length` bytes from an offset.
fn ahead(text: &str, start: usize, length: usize) -> &str {
    let mut end = text.len().min(start + length);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[start..end]
}

/// Returns the offset up to `length` bytes before another.
fn behind(text: &str, end: usize, length: usize) -> usize {
    let mut start = end.saturating_sub(length);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    start
}

fn count(items: impl Iterator) -> u32 {
    u32::try_from(items.count()).unwrap_or(u32::MAX)
}

/// Returns the first 16 hexadecimal digits of SHA-256 over the rule's name, NUL and the trimmed line.
fn fingerprint(rule: &str, line: &str) -> String {
    digits(&Sha256::new().chain_update(rule).chain_update([0]).chain_update(line).finalize()[..8])
}

/// Returns the first 12 hexadecimal digits of SHA-256 over the credential without blanks, so that a key of several
/// lines has the same one however it is indented.
fn secret_fingerprint(value: &str) -> String {
    let solid: String = value.chars().filter(|c| !c.is_whitespace() && *c != '>').collect();
    digits(&Sha256::new().chain_update("lore secret\0").chain_update(solid).finalize()[..6])
}

fn digits(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
