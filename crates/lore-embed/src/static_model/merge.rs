//! Byte-pair encoding: merges the characters of a word into pieces, lowest rank first. A heap of the possible merges
//! keeps it near-linear, so that a megabyte without a space is harmless.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::layout::{MergeSlot, Tables, pair_hash};

/// Buffers for merging, reused from word to word.
#[derive(Debug, Default)]
pub struct Workspace {
    symbols: Vec<Symbol>,
    /// Rank and position of a merge. An entry whose symbols have changed since is skipped.
    queue: BinaryHeap<Reverse<(u16, usize)>>,
}

/// A piece of the word in its current state, and its merge with the next piece.
#[derive(Debug, Clone, Copy)]
struct Symbol {
    id: u16,
    /// Rank and result of the merge with the next symbol; `None` for a symbol that was merged away.
    merge: Option<(u16, u16)>,
    previous: usize,
    next: usize,
}

/// Index that means "no symbol".
const NONE: usize = usize::MAX;

impl Tables<'_> {
    /// Returns the rank of the merge of two pieces and the merged piece.
    fn merge_of(&self, left: u16, right: u16) -> Option<(u16, u16)> {
        let mask = self.merges.len() - 1;
        let start = pair_hash(left, right);
        for step in 0..self.merges.len() {
            let slot = MergeSlot::from_bytes(self.merges[(start + step) & mask])?;
            if slot.pair == (left, right) {
                return Some((slot.rank, slot.merged));
            }
        }
        None
    }
}

impl Workspace {
    /// Clears the buffers for a new word.
    pub fn begin(&mut self) {
        self.symbols.clear();
        self.queue.clear();
    }

    /// Appends a piece.
    pub fn push(&mut self, id: u16) {
        let at = self.symbols.len();
        self.symbols.push(Symbol { id, merge: None, previous: at.wrapping_sub(1), next: at + 1 });
    }

    /// Merges until nothing can be merged, and passes the remaining pieces to `give` in order.
    pub fn finish(&mut self, tables: &Tables<'_>, give: &mut impl FnMut(u16)) {
        if let Some(last) = self.symbols.last_mut() {
            last.next = NONE;
        }
        for at in 0..self.symbols.len() {
            self.offer(at, tables);
        }
        while let Some(Reverse((rank, at))) = self.queue.pop() {
            if let Some((now, merged)) = self.symbols[at].merge
                && now == rank
            {
                self.join(at, merged, tables);
            }
        }
        let mut at = if self.symbols.is_empty() { NONE } else { 0 };
        while at != NONE {
            give(self.symbols[at].id);
            at = self.symbols[at].next;
        }
    }

    /// Replaces a symbol and the next one with `merged`.
    fn join(&mut self, at: usize, merged: u16, tables: &Tables<'_>) {
        let removed = self.symbols[at].next;
        let next = self.symbols[removed].next;
        self.symbols[removed].merge = None;
        self.symbols[at].id = merged;
        self.symbols[at].next = next;
        if next != NONE {
            self.symbols[next].previous = at;
        }
        self.offer(at, tables);
        if self.symbols[at].previous != NONE {
            self.offer(self.symbols[at].previous, tables);
        }
    }

    /// Looks up the merge of a symbol with the next one and queues it.
    fn offer(&mut self, at: usize, tables: &Tables<'_>) {
        let Symbol { id, next, .. } = self.symbols[at];
        let merge = if next == NONE { None } else { tables.merge_of(id, self.symbols[next].id) };
        self.symbols[at].merge = merge;
        if let Some((rank, _)) = merge {
            self.queue.push(Reverse((rank, at)));
        }
    }
}
