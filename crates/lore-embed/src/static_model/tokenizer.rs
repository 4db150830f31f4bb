//! Converts text to piece ids as the tokenizer the model was trained with does. Written by hand because the usual
//! libraries parse the vocabulary at startup, which takes longer than a hundred queries; this one works on the tables
//! of the packed file in place.
//!
//! The text is split into words where no piece of the vocabulary could span the boundary. Most words are a piece
//! themselves and cost one lookup; only the others are merged from their characters.

use super::layout::{Tables, WordSlot, word_hash};
use super::merge::Workspace;

/// The character that the vocabulary uses for a space. In a text it is equivalent to a space.
pub const SPACE_MARK: char = '\u{2581}';

/// Buffers for encoding, reused from text to text.
#[derive(Debug, Default)]
pub struct Scratch {
    spaced: String,
    workspace: Workspace,
}

impl Tables<'_> {
    /// Passes the ids of the text's pieces to `give`, in order.
    pub fn encode(&self, text: &str, scratch: &mut Scratch, give: &mut impl FnMut(u16)) {
        let mut rest = text;
        while let Some((at, length, id)) = self.special(rest) {
            self.encode_plain(&rest[..at], scratch, give);
            give(id);
            rest = &rest[at + length..];
        }
        self.encode_plain(rest, scratch, give);
    }

    /// Returns the position, length and id of the first special token in the text.
    fn special(&self, text: &str) -> Option<(usize, usize, u16)> {
        text.match_indices('<').find_map(|(at, _)| {
            self.specials.iter().map(|id| u16::from_le_bytes(*id)).find_map(|id| {
                let piece = self.piece(id).filter(|piece| !piece.is_empty())?;
                text.as_bytes()[at..].starts_with(piece).then_some((at, piece.len(), id))
            })
        })
    }

    /// Encodes a text without special tokens. The model expects a space before the first word.
    fn encode_plain(&self, text: &str, scratch: &mut Scratch, give: &mut impl FnMut(u16)) {
        if text.is_empty() {
            return;
        }
        let Scratch { spaced, workspace } = scratch;
        spaced.clear();
        for part in text.split(SPACE_MARK) {
            spaced.push(' ');
            spaced.push_str(part);
        }
        let mut start = 0;
        while start < spaced.len() {
            let end = self.word_end(spaced.as_bytes(), start);
            self.merge_word(&spaced[start..end], workspace, give);
            start = end;
        }
    }

    /// Returns the end of the word that starts here: the first boundary that no piece spans.
    fn word_end(&self, text: &[u8], start: usize) -> usize {
        let mut pairs = text[start..].iter().zip(&text[start + 1..]);
        let boundary = pairs.position(|(left, right)| {
            let bit = (usize::from(*left) << 8) | usize::from(*right);
            right & 0xc0 != 0x80 && self.joins[bit >> 3] & (1 << (bit & 7)) == 0
        });
        boundary.map_or(text.len(), |at| start + at + 1)
    }

    /// Passes the ids of one word's pieces to `give`.
    pub fn encode_word(&self, word: &str, scratch: &mut Scratch, give: &mut impl FnMut(u16)) {
        self.merge_word(word, &mut scratch.workspace, give);
    }

    fn merge_word(&self, word: &str, workspace: &mut Workspace, give: &mut impl FnMut(u16)) {
        if let Some(id) = self.word(word.as_bytes()) {
            return give(id);
        }
        workspace.begin();
        let mut buffer = [0; 4];
        for character in word.chars() {
            let bytes = character.encode_utf8(&mut buffer).as_bytes();
            match self.word(bytes) {
                Some(id) => workspace.push(id),
                // A character without a piece is encoded as its bytes.
                None => bytes.iter().for_each(|byte| {
                    workspace.push(u16::from_le_bytes(self.byte_ids[usize::from(*byte)]));
                }),
            }
        }
        workspace.finish(self, give);
    }

    /// Returns the piece equal to the word, if merging its characters would give that one piece.
    fn word(&self, word: &[u8]) -> Option<u16> {
        let hash = word_hash(word);
        let mask = self.words.len() - 1;
        for step in 0..self.words.len() {
            let slot = WordSlot::from_bytes(self.words[(hash as usize).wrapping_add(step) & mask])?;
            if slot.tag == (hash >> 32) as u32 && self.piece(slot.id) == Some(word) {
                return Some(slot.id);
            }
        }
        None
    }

    /// Returns the text of a piece.
    pub fn piece(&self, id: u16) -> Option<&[u8]> {
        let end = |at: usize| self.ends.get(at).map(|end| u32::from_le_bytes(*end) as usize);
        let start = if id == 0 { 0 } else { end(usize::from(id) - 1)? };
        self.text.get(start..end(usize::from(id))?)
    }
}
