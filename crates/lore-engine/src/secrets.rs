//! Credentials in text: where one stands and of which kind, never what it is.
//!
//! One pass looks for the fixed parts of all formats at once; only where such a part stands is its pattern built and
//! tried. Text without any of them pays for that one pass alone.

mod assignment;
mod entropy;
mod format;
mod marks;
mod rules;
mod url;

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::ops::Range;

use sha2::{Digest, Sha256};

/// How much of a file [`looks_binary`] looks at.
const SAMPLE: usize = 8 * 1024;

/// A credential format that Lore knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SecretRule {
    /// Its name in the policy and in messages.
    pub name: &'static str,
    /// What it finds, in one phrase for people.
    pub what: &'static str,
    /// Whether a find is a credential beyond reasonable doubt.
    pub certain: bool,
}

/// Where a credential stands. Never holds the credential itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leak {
    /// The name of the rule that found it.
    pub rule: &'static str,
    /// Its line, from 1.
    pub line: u32,
    /// Its first character within the line, from 1.
    pub column: u32,
    /// Whether the rule is a certain one.
    pub certain: bool,
    /// Stands for this rule on this line; a person copies it into the policy to allow exactly that.
    pub fingerprint: String,
}

/// A credential's place in the text, by the rule at `rank` of [`rules`].
struct Find {
    rank: usize,
    rule: &'static SecretRule,
    span: Range<usize>,
}

/// Every rule, the most specific first.
pub fn rules() -> impl Iterator<Item = &'static SecretRule> {
    let formats = rules::FORMATS.iter().map(|format| &format.rule);
    formats.chain([&url::RULE]).chain(assignment::RULES.iter().map(|assigned| &assigned.rule))
}

/// Every credential in the text, in order of line; where two rules see the same one, the more specific tells.
pub fn scan(text: &str) -> Vec<Leak> {
    let mut finds = marks::find(text);
    finds.sort_by_key(|find| (find.span.start, find.rank));
    locate(text, &most_specific(finds))
}

/// Whether a file's first bytes are no text: a NUL or many control bytes. UTF-16 with its mark is text.
pub fn looks_binary(bytes: &[u8]) -> bool {
    if bytes.starts_with(b"\xFF\xFE") || bytes.starts_with(b"\xFE\xFF") {
        return false;
    }
    let sample = &bytes[..bytes.len().min(SAMPLE)];
    // Form feeds and the escapes of coloured terminal output occur in captured text.
    let is_control = |byte: &u8| matches!(byte, 0..=8 | 0x0B | 0x0E..=0x1A | 0x1C..=0x1F | 0x7F);
    sample.contains(&0) || sample.iter().filter(|byte| is_control(byte)).count() * 10 > sample.len()
}

/// Of finds in order of their start, those that no more specific find overlaps.
fn most_specific(finds: Vec<Find>) -> Vec<Find> {
    let mut kept: Vec<Find> = Vec::with_capacity(finds.len());
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

/// Gives each find its line, column and fingerprint.
fn locate(text: &str, finds: &[Find]) -> Vec<Leak> {
    let mut leaks = Vec::with_capacity(finds.len());
    // A line of many megabytes may hold many finds: it is counted through once, and hashed once for each rule.
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
        // A key of many lines is known by all of them: the first says nothing about it.
        if lines.end < find.span.end {
            lines.end = text[find.span.end..].find('\n').map_or(text.len(), |at| find.span.end + at);
        }
        let fingerprint = known
            .entry((find.rank, lines.clone()))
            .or_insert_with(|| fingerprint(find.rule.name, text[lines.clone()].trim()))
            .clone();
        leaks.push(Leak { rule: find.rule.name, line, column, certain: find.rule.certain, fingerprint });
    }
    leaks
}

/// At most this many bytes from a place on.
fn ahead(text: &str, start: usize, length: usize) -> &str {
    let mut end = text.len().min(start + length);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[start..end]
}

fn count(items: impl Iterator) -> u32 {
    u32::try_from(items.count()).unwrap_or(u32::MAX)
}

/// The first 16 hexadecimal digits of SHA-256 over the rule's name, NUL and the trimmed line.
fn fingerprint(rule: &str, line: &str) -> String {
    let digest = Sha256::new().chain_update(rule).chain_update([0]).chain_update(line).finalize();
    digest[..8].iter().map(|byte| format!("{byte:02x}")).collect()
}
