//! From bytes to line numbers.

use crate::page::ByteRange;

/// Where each line of a text starts, so that finding a line's number is a binary search.
pub(super) struct Lines<'t> {
    text: &'t str,
    starts: Vec<usize>,
}

impl<'t> Lines<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let mut starts = Vec::with_capacity(text.len() / 32 + 1);
        starts.push(0);
        starts.extend(text.match_indices('\n').map(|(at, _)| at + 1));
        if starts.len() > 1 && starts.last() == Some(&text.len()) {
            starts.pop();
        }
        Lines { text, starts }
    }

    /// The number of lines; an empty text has one.
    pub(super) fn count(&self) -> u32 {
        self.starts.len() as u32
    }

    /// The number of the line that holds a byte, from 1.
    pub(super) fn number(&self, at: usize) -> u32 {
        self.starts.partition_point(|start| *start <= at) as u32
    }

    /// The bytes of the line that holds a byte, with its line end.
    pub(super) fn range(&self, at: usize) -> ByteRange {
        let number = self.number(at) as usize;
        let end = self.starts.get(number).copied().unwrap_or(self.text.len());
        ByteRange { start: self.starts[number - 1], end }
    }
}
