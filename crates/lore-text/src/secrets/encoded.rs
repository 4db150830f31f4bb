//! Credentials in an encoding: base64, hexadecimal digits and percent escapes, also one inside another.

use std::ops::Range;

use super::entropy::decode_base64;
use super::joined::JoinedText;
use super::literals::hits;
use super::{Form, SecretMatch, SecretRule, ahead};
use crate::percent::percent_decode;

/// Maximum depth of encodings inside one another.
const MAX_DEPTH: usize = 2;
/// Minimum number of base64 digits of a credential.
const MIN_BASE64: usize = 24;
/// Minimum number of hexadecimal digits of a credential.
const MIN_HEX: usize = 36;
/// Number of digits decoded to decide whether text is encoded.
const HEAD: usize = 16;
/// Maximum number of places tried in one run of digits.
const MAX_STARTS: usize = 16;

/// Returns the certain credentials in the encoded parts of a text, in which lines may have been joined.
pub fn find(text: &str, joined: Option<&JoinedText>) -> Vec<SecretMatch> {
    find_within(text, joined, MAX_DEPTH)
}

fn find_within(text: &str, joined: Option<&JoinedText>, depth: usize) -> Vec<SecretMatch> {
    let mut found = Vec::new();
    for run in runs(text.as_bytes(), is_digit, MIN_BASE64) {
        found.extend(in_digits(text, &run, joined, depth));
    }
    if text.contains('%') {
        for run in runs(text.as_bytes(), is_in_url, MIN_BASE64).filter(|run| has_escape(&text[run.clone()])) {
            let plain = percent_decode(&text[run.clone()]);
            let inner = credential(&plain, depth);
            found.extend(inner.map(|(rank, rule, value)| SecretMatch {
                rank,
                rule,
                span: run.clone(),
                value: Some(value),
                form: Form::Percent,
            }));
        }
    }
    found
}

/// Returns the credential in a run of digits.
fn in_digits(
    text: &str,
    run: &Range<usize>,
    joined: Option<&JoinedText>,
    depth: usize,
) -> Option<SecretMatch> {
    let bytes = text.as_bytes();
    let separators = run.clone().filter(|at| !bytes[*at].is_ascii_alphanumeric()).map(|at| at + 1);
    // A path, a name or the end of the line above may precede the encoded text.
    let joins = joined.into_iter().flat_map(|joined| joined.joins_within(run));
    let mut starts: Vec<usize> =
        [run.start].into_iter().chain(joins.take(MAX_STARTS)).chain(separators.take(MAX_STARTS)).collect();
    starts.sort_unstable();
    for start in starts.into_iter().take(MAX_STARTS).filter(|start| run.end - start >= MIN_BASE64) {
        let digits = &text[start..run.end];
        for (form, decode) in [(Form::Base64, base64 as fn(&str) -> Option<Vec<u8>>), (Form::Hex, hex)] {
            let Some(plain) = decode_text(digits, form, decode) else { continue };
            if let Some((rank, rule, value)) = credential(&plain, depth) {
                let padding = bytes[run.end..].iter().take(2).take_while(|byte| **byte == b'=').count();
                let span = start..run.end + padding;
                return Some(SecretMatch { rank, rule, span, value: Some(value), form });
            }
        }
    }
    None
}

/// Decodes digits if they encode text; the beginning decides, so that data costs nothing.
fn decode_text(digits: &str, form: Form, decode: fn(&str) -> Option<Vec<u8>>) -> Option<String> {
    if form == Form::Hex && digits.len() < MIN_HEX {
        return None;
    }
    let head = without_nul(decode(ahead(digits, 0, HEAD))?);
    let is_text = |byte: &u8| byte.is_ascii_graphic() || matches!(byte, b' ' | b'\n' | b'\r' | b'\t');
    if head.len() < 4 || !head.iter().all(is_text) {
        return None;
    }
    let plain = without_nul(decode(digits)?);
    // What follows on the next line is not part of it; decoded, it is noise.
    let plain = plain.into_iter().map(|byte| if is_text(&byte) { byte } else { b'\n' });
    String::from_utf8(plain.collect()).ok()
}

/// Returns the bytes without the zeros of UTF-16.
fn without_nul(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes.retain(|byte| *byte != 0);
    bytes
}

/// Returns the first certain credential in a decoded text.
fn credential(text: &str, depth: usize) -> Option<(usize, &'static SecretRule, String)> {
    let plain = hits(text).filter_map(|hit| hit.credential(text)).find(|(_, rule, _)| rule.certain);
    match plain {
        Some((rank, rule, span)) => Some((rank, rule, text[span].to_owned())),
        None if depth > 1 => {
            let inner = find_within(text, None, depth - 1).into_iter().next()?;
            Some((inner.rank, inner.rule, inner.value?))
        }
        None => None,
    }
}

/// Returns the longest parts of a text that consist of a class of bytes and have a least length. Looks at every
/// `least`th byte only, as a run contains one of them, and around it.
fn runs(bytes: &[u8], is_part: fn(&u8) -> bool, least: usize) -> impl Iterator<Item = Range<usize>> {
    let mut from = 0;
    std::iter::from_fn(move || {
        while let Some(byte) = bytes.get(from + least - 1) {
            let probe = from + least - 1;
            if !is_part(byte) {
                from = probe + 1;
                continue;
            }
            let start = probe - bytes[from..probe].iter().rev().take_while(|byte| is_part(byte)).count();
            let end = probe + bytes[probe..].iter().take_while(|byte| is_part(byte)).count();
            from = end;
            if end - start >= least {
                return Some(start..end);
            }
        }
        None
    })
}

fn is_digit(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_')
}

fn is_in_url(byte: &u8) -> bool {
    byte.is_ascii_graphic() && !b"\"'`<>()[]{}|\\^".contains(byte)
}

fn has_escape(text: &str) -> bool {
    let is_escape =
        |after: &[u8]| after.len() == 3 && after[0] == b'%' && after[1..].iter().all(u8::is_ascii_hexdigit);
    text.as_bytes().windows(3).any(is_escape)
}

fn base64(digits: &str) -> Option<Vec<u8>> {
    decode_base64(digits)
}

fn hex(digits: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    // What is not a digit ends the number.
    let whole = digits.bytes().take_while(u8::is_ascii_hexdigit).count() / 2 * 2;
    let pairs = digits.as_bytes()[..whole].chunks_exact(2);
    pairs.map(|pair| Some(digit(pair[0])? << 4 | digit(pair[1])?)).collect()
}
