//! The pass over brackets and verbatim text.

use std::ops::Range;

use memchr::{memchr_iter, memchr3, memmem};

use crate::body::Blocks;

use super::link::{Target, target_of};

/// A link as written.
#[derive(Debug, Clone)]
pub(crate) struct RawLink {
    /// With its brackets.
    pub(crate) range: Range<usize>,
    /// The target between the brackets.
    pub(crate) target: Range<usize>,
    /// The description between the brackets, if it has one.
    pub(crate) label: Option<Range<usize>>,
}

/// Finds the links to pages and headings outside what is not parsed, in order. Verbatim text is added to what is not
/// parsed; links that lead elsewhere are kept as ranges only.
pub(super) fn scan(text: &str, blocks: &mut Blocks) -> Vec<RawLink> {
    blocks.opaque.sort();
    let mut scanner =
        Scanner { text, starts: &blocks.starts, verbatim: Vec::new(), closers: [0; 2], unclosed: 0 };
    let mut links = Vec::new();
    let mut at = 0;
    let opaque: Vec<Range<usize>> = blocks.opaque.ranges().to_vec();
    for range in &opaque {
        scanner.scan(at, range.start, &mut links);
        at = range.end.max(at);
    }
    scanner.scan(at, text.len(), &mut links);
    for range in scanner.verbatim {
        blocks.opaque.add(range);
    }
    let mut kept = Vec::with_capacity(links.len());
    for link in links {
        match target_of(&text[link.target.clone()]) {
            Target::Elsewhere => blocks.link_ranges.push(link.range),
            _ => kept.push(link),
        }
    }
    kept
}

/// Returns the links between brackets in a short text.
pub(crate) fn bracket_links(text: &str) -> Vec<RawLink> {
    let bytes = text.as_bytes();
    let mut links = Vec::new();
    let (mut at, mut unclosed) = (0, 0);
    for open in memchr_iter(b'[', bytes) {
        if open >= at
            && bytes.get(open + 1) == Some(&b'[')
            && let Some(link) = bracket_link(text, open, text.len(), &mut unclosed)
        {
            at = link.range.end;
            links.push(link);
        }
    }
    links
}

struct Scanner<'t> {
    text: &'t str,
    /// Starts of the blocks that are still ahead.
    starts: &'t [usize],
    verbatim: Vec<Range<usize>>,
    /// Until where no `=` and no `~` closes verbatim text.
    closers: [usize; 2],
    /// Until where no `]]` closes a label.
    unclosed: usize,
}

impl Scanner<'_> {
    fn scan(&mut self, from: usize, until: usize, links: &mut Vec<RawLink>) {
        let bytes = self.text.as_bytes();
        let mut at = from;
        let plain = memmem::Finder::new(b"id:");
        let mut next_id = plain.find(&bytes[from..until.max(from)]).map_or(until, |found| from + found);
        while at < until {
            let Some(found) = memchr3(b'[', b'=', b'~', &bytes[at..until]).map(|found| at + found) else {
                self.plain_ids(next_id, until, links);
                return;
            };
            if next_id < found {
                next_id = self
                    .plain_ids(next_id, found, links)
                    .unwrap_or_else(|| plain.find(&bytes[found..until]).map_or(until, |more| found + more));
            }
            at = match bytes[found] {
                b'[' if bytes.get(found + 1) == Some(&b'[') => self.bracket(found, until, links),
                b'[' => found + 1,
                mark => self.verbatim(found, until, mark),
            };
            if next_id < at {
                next_id = plain.find(&bytes[at..until.max(at)]).map_or(until, |more| at + more);
            }
        }
    }

    fn bracket(&mut self, open: usize, until: usize, links: &mut Vec<RawLink>) -> usize {
        let end = self.block_end(open).min(until);
        match bracket_link(self.text, open, end, &mut self.unclosed) {
            Some(link) => {
                let after = link.range.end;
                links.push(link);
                after
            }
            None => open + 1,
        }
    }

    /// Returns the start of the first block after a byte.
    fn block_end(&mut self, at: usize) -> usize {
        while let Some((start, ahead)) = self.starts.split_first()
            && *start <= at
        {
            self.starts = ahead;
        }
        self.starts.first().copied().unwrap_or(self.text.len())
    }

    /// Returns where the search goes on after a `=` or `~`: after the verbatim text it starts, or after itself.
    fn verbatim(&mut self, open: usize, until: usize, mark: u8) -> usize {
        let bytes = self.text.as_bytes();
        let kind = usize::from(mark == b'~');
        let starts = open == 0
            || is_before(bytes[open - 1])
            || self.text[..open].ends_with(['—', '–', '\u{200b}', '\u{feff}']);
        let is_inside = bytes.get(open + 1).is_some_and(|byte| !byte.is_ascii_whitespace() && *byte != mark);
        if !starts || !is_inside || open < self.closers[kind] {
            return open + 1;
        }
        let end = self.block_end(open).min(until);
        for close in memchr_iter(mark, &bytes[open + 2..end.max(open + 2)]).map(|at| open + 2 + at) {
            let is_closed = !bytes[close - 1].is_ascii_whitespace()
                && bytes.get(close + 1).is_none_or(|byte| is_after(*byte));
            if is_closed {
                self.verbatim.push(open..close + 1);
                return close + 1;
            }
        }
        self.closers[kind] = end;
        open + 1
    }

    /// Adds the plain links to ids in a range: `id:…` and `<id:…>`. Returns the position of the next one after it.
    fn plain_ids(&self, from: usize, until: usize, links: &mut Vec<RawLink>) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let mut at = from;
        while at < until {
            let before = at.checked_sub(1).map(|before| bytes[before]);
            let is_angled = before == Some(b'<');
            let is_free =
                before.is_none_or(|byte| !byte.is_ascii_alphanumeric() && !matches!(byte, b'_' | b'-'));
            if is_angled || is_free {
                let written = bytes[at + 3..until].iter().take_while(|byte| is_id_byte(**byte)).count();
                // A dot at the end ends the sentence.
                let length = self.text[at + 3..at + 3 + written].trim_end_matches('.').len();
                let end = at + 3 + length;
                let is_link = if is_angled { bytes.get(end) == Some(&b'>') } else { length >= 8 };
                if is_link && length > 0 {
                    let range = if is_angled { at - 1..end + 1 } else { at..end };
                    links.push(RawLink { range, target: at..end, label: None });
                }
            }
            at =
                memmem::find(&bytes[at + 3..until.max(at + 3)], b"id:").map_or(until, |found| at + 3 + found);
        }
        None
    }
}

/// Whether an id may have this byte. One that Org makes of the time has a dot: `20240101T101010.123456`.
fn is_id_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.')
}

fn is_before(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, b'-' | b'(' | b'\'' | b'"' | b'{' | b'|')
}

fn is_after(byte: u8) -> bool {
    byte.is_ascii_whitespace()
        || !byte.is_ascii()
        || matches!(
            byte,
            b'-' | b'.' | b',' | b';' | b':' | b'!' | b'?' | b'\'' | b'"' | b')' | b'}' | b'[' | b'\\' | b'|'
        )
}

/// Reads the link whose brackets open at a byte and that ends before another. `unclosed` is until where no label is
/// closed, so that a search that failed is not repeated.
fn bracket_link(text: &str, open: usize, end: usize, unclosed: &mut usize) -> Option<RawLink> {
    let bytes = text.as_bytes();
    let mut at = open + 2;
    loop {
        match bytes.get(at).filter(|_| at < end)? {
            b'\\' => at += 2,
            b']' => break,
            b'[' => return None,
            _ => at += 1,
        }
    }
    let target = open + 2..at;
    if target.is_empty() || text.get(target.clone())?.trim().is_empty() {
        return None;
    }
    match bytes.get(at + 1)? {
        b']' if at + 2 <= end => Some(RawLink { range: open..at + 2, target, label: None }),
        b'[' => {
            let from = at + 2;
            if from < *unclosed {
                return None;
            }
            let Some(close) = memmem::find(bytes.get(from..end)?, b"]]").map(|found| from + found) else {
                *unclosed = end;
                return None;
            };
            (close > from).then(|| RawLink { range: open..close + 2, target, label: Some(from..close) })
        }
        _ => None,
    }
}
