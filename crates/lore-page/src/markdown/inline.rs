//! Finds wiki links and tags in one pass over the body outside code and comments.

use std::ops::Range;

use crate::grammar::tag_end;
use crate::wiki::Brackets;

use crate::body::{Blocks, Inline};

/// Finds the wiki links and tags of the body that starts at `body_start`.
pub(super) fn scan(text: &str, body_start: usize, blocks: &Blocks) -> Inline {
    let mut scanner =
        Scanner { text, brackets: Brackets::default(), starts: &blocks.starts, tags: Vec::new() };
    let mut at = body_start;
    for opaque in blocks.opaque.ranges() {
        scanner.scan(at, opaque.start);
        at = opaque.end.max(at);
    }
    scanner.scan(at, text.len());
    let (wiki, mut tags) = (scanner.brackets.finish(), scanner.tags);
    drop_inside(&mut tags, &wiki);
    drop_inside(&mut tags, &blocks.link_ranges);
    Inline { wiki, tags }
}

struct Scanner<'t> {
    text: &'t str,
    brackets: Brackets,
    /// Starts of the blocks that are still ahead.
    starts: &'t [usize],
    tags: Vec<Range<usize>>,
}

impl Scanner<'_> {
    fn scan(&mut self, from: usize, until: usize) {
        let bytes = self.text.as_bytes();
        let mut at = from;
        while let Some(found) =
            bytes.get(at..until).and_then(|rest| rest.iter().position(|byte| SYNTAX_BYTES[*byte as usize]))
        {
            at += found;
            match bytes[at] {
                b'[' => {
                    self.pass_starts(at);
                    self.brackets.open(at);
                }
                b']' => {
                    self.pass_starts(at);
                    self.brackets.close(at, bytes.get(at + 1) == Some(&b']'));
                }
                b'#' => {
                    if let Some(tag) = self.tag(at) {
                        at = tag.end - 1;
                        self.tags.push(tag);
                    }
                }
                // A backslash escapes the next character.
                _ => at += 1,
            }
            at += 1;
        }
    }

    fn pass_starts(&mut self, at: usize) {
        while let Some((start, ahead)) = self.starts.split_first()
            && *start <= at
        {
            self.brackets.end_block();
            self.starts = ahead;
        }
    }

    /// Returns the tag at a `#`, which must start a word or directly follow another tag.
    fn tag(&self, hash: usize) -> Option<Range<usize>> {
        let before = self.text[..hash].chars().next_back();
        let free = before.is_none_or(|c| c.is_whitespace() || matches!(c, '(' | '\u{feff}'));
        if !free && self.tags.last().is_none_or(|tag| tag.end != hash) {
            return None;
        }
        tag_end(self.text, hash + 1).map(|end| hash + 1..end)
    }
}

/// The bytes that can start, end or escape a link or tag.
const SYNTAX_BYTES: [bool; 256] = {
    let mut table = [false; 256];
    table[b'[' as usize] = true;
    table[b']' as usize] = true;
    table[b'#' as usize] = true;
    table[b'\\' as usize] = true;
    table
};

/// Drops the tags inside one of the ranges; both lists are sorted.
fn drop_inside(tags: &mut Vec<Range<usize>>, ranges: &[Range<usize>]) {
    let mut next = 0;
    tags.retain(|tag| {
        while next < ranges.len() && ranges[next].end <= tag.start {
            next += 1;
        }
        ranges.get(next).is_none_or(|range| tag.start < range.start)
    });
}
