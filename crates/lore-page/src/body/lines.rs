//! Maps byte offsets to line numbers.

use crate::page::ByteRange;

/// The start of each line of a text, so that finding a line number is a binary search.
pub(crate) struct Lines<'t> {
    text: &'t str,
    starts: Vec<usize>,
}

impl<'t> Lines<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        let mut starts = Vec::with_capacity(text.len() / 32 + 1);
        starts.push(0);
        starts.extend(memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1));
        if starts.len() > 1 && starts.last() == Some(&text.len()) {
            starts.pop();
        }
        Lines { text, starts }
    }

    /// Returns the number of lines; an empty text has one.
    pub(crate) fn count(&self) -> u32 {
        self.starts.len() as u32
    }

    /// Returns the number of the line that contains a byte, starting at 1.
    pub(crate) fn number(&self, at: usize) -> u32 {
        self.starts.partition_point(|start| *start <= at) as u32
    }

    /// Returns the byte after a line and its ending.
    pub(crate) fn end(&self, number: u32) -> usize {
        self.starts.get(number as usize).copied().unwrap_or(self.text.len())
    }

    /// Returns the bytes of the line that contains a byte, including its line ending.
    pub(crate) fn range(&self, at: usize) -> ByteRange {
        let number = self.number(at) as usize;
        let end = self.starts.get(number).copied().unwrap_or(self.text.len());
        ByteRange { start: self.starts[number - 1], end }
    }
}
