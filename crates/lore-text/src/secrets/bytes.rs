//! Credentials in files of any kind, and text without them.

use std::borrow::Cow;
use std::ops::Range;

use super::{Leak, count, scan};

/// What replaces a credential.
pub const MARK: &str = "[removed secret]";

/// Number of bytes scanned at once, so that a large file needs little memory beside its own.
const BLOCK: usize = 4 * 1024 * 1024;
/// Number of bytes of the next block that are scanned with each: a credential may go on there.
const OVERLAP: usize = 64 * 1024;

/// Returns the credentials in a file of any kind: text in UTF-8 or UTF-16, or data with text in it. Spans are ranges of
/// the bytes.
pub fn scan_bytes(bytes: &[u8]) -> Vec<Leak> {
    scan_in_blocks(bytes, BLOCK, OVERLAP)
}

pub(super) fn scan_in_blocks(bytes: &[u8], block: usize, overlap: usize) -> Vec<Leak> {
    let mut leaks: Vec<Leak> = Vec::new();
    let (mut start, mut lines) = (0, 0);
    while start < bytes.len() {
        let end = block_end(bytes, start + block, overlap);
        let found = scan_block(&bytes[start..bytes.len().min(end + overlap)]);
        for mut leak in found.into_iter().filter(|leak| leak.span.start < end - start) {
            leak.span = start + leak.span.start..start + leak.span.end;
            leak.line += lines;
            // The previous block may have reached into this one.
            if leaks.last().is_none_or(|last| last.span.end <= leak.span.start) {
                leaks.push(leak);
            }
        }
        lines += count(bytes[start..end].iter().filter(|byte| **byte == b'\n'));
        start = end;
    }
    leaks
}

/// Returns the end of a block: after a line, if there is a break near its maximum length.
fn block_end(bytes: &[u8], most: usize, overlap: usize) -> usize {
    if most >= bytes.len() {
        return bytes.len();
    }
    let near = most - overlap..most;
    bytes[near.clone()].iter().rposition(|byte| *byte == b'\n').map_or(most, |at| near.start + at + 1)
}

fn scan_block(bytes: &[u8]) -> Vec<Leak> {
    let mut leaks = scan(&same_length(bytes));
    if bytes.contains(&0) {
        // Without its zeros, UTF-16 of either byte order reads like ASCII.
        let solid: Vec<u8> = bytes.iter().copied().filter(|byte| *byte != 0).collect();
        let found = scan(&same_length(&solid));
        // Each offset in the shorter text, in ascending order, is the number of bytes before it that are not zero.
        let mut solid_offsets = (0..bytes.len()).filter(|at| bytes[*at] != 0).enumerate();
        let mut original =
            |offset: usize| solid_offsets.find(|(solid, _)| *solid == offset).map(|(_, at)| at);
        for mut leak in found {
            let (first, last) = (leak.span.start, leak.span.end - 1);
            let Some(start) = original(first) else { continue };
            let end = if last == first { Some(start) } else { original(last) };
            leak.span = start..end.unwrap_or(start) + 1;
            if !leaks.iter().any(|known| overlap(&known.span, &leak.span)) {
                leaks.push(leak);
            }
        }
        leaks.sort_by_key(|leak| leak.span.start);
    }
    leaks
}

/// Returns a text with a mark in place of each of these credentials.
pub fn masked(text: &str, is_wanted: impl Fn(&Leak) -> bool) -> Cow<'_, str> {
    let mut clean = String::new();
    let mut copied = 0;
    for leak in scan(text).into_iter().filter(|leak| is_wanted(leak)) {
        clean.push_str(&text[copied..leak.span.start]);
        clean.push_str(MARK);
        copied = leak.span.end;
    }
    if copied == 0 { Cow::Borrowed(text) } else { Cow::Owned(clean + &text[copied..]) }
}

/// Returns a file without these credentials: with a mark in text, overwritten in data, whose size may matter.
pub fn masked_bytes(bytes: &[u8], is_wanted: impl Fn(&Leak) -> bool) -> Vec<u8> {
    if let Ok(text) = std::str::from_utf8(bytes)
        && !text.contains('\0')
    {
        return masked(text, is_wanted).into_owned().into_bytes();
    }
    let mut clean = bytes.to_vec();
    for leak in scan_bytes(bytes).into_iter().filter(|leak| is_wanted(leak)) {
        clean[leak.span].iter_mut().filter(|byte| **byte != 0).for_each(|byte| *byte = b'*');
    }
    clean
}

fn overlap(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start < b.end && b.start < a.end
}

/// Returns bytes as text of the same length: each byte that is not UTF-8 becomes a question mark.
fn same_length(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| '?'));
    }
    Cow::Owned(text)
}
