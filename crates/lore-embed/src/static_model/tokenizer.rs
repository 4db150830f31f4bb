//! From a text to the ids of its pieces, as the tokenizer the model was trained with does it. It is written by hand
//! because the usual libraries parse the vocabulary when they start, which takes longer than a hundred queries; this one
//! works on the tables of the packed file where they lie.
//!
//! Words are cut out where no piece of the vocabulary could reach across. Most of them are a piece themselves and cost
//! one look-up; only the others are merged from their characters.

use super::layout::{Tables, WordSlot, word_hash};
use super::merge::Workspace;

/// The character that the model's vocabulary has for a space. A text that has it means a space.
pub const SPACE_MARK: char = '\u{2581}';

/// The memory a text is encoded in; kept from text to text.
#[derive(Debug, Default)]
pub struct Scratch {
    spaced: String,
    workspace: Workspace,
}

impl Tables<'_> {
    /// Gives the ids of the text's pieces, in their order.
    pub fn encode(&self, text: &str, scratch: &mut Scratch, give: &mut impl FnMut(u16)) {
        let mut rest = text;
        while let Some((at, length, id)) = self.special(rest) {
            self.encode_plain(&rest[..at], scratch, give);
            give(id);
            rest = &rest[at + length..];
        }
        self.encode_plain(rest, scratch, give);
    }

    /// Where the first special token in the text is, how long, and its id.
    fn special(&self, text: &str) -> Option<(usize, usize, u16)> {
        text.match_indices('<').find_map(|(at, _)| {
            self.specials.iter().map(|id| u16::from_le_bytes(*id)).find_map(|id| {
                let piece = self.piece(id).filter(|piece| !piece.is_empty())?;
                text.as_bytes()[at..].starts_with(piece).then_some((at, piece.len(), id))
            })
        })
    }

    /// Encodes a text without special tokens. The model wants a space before the first word.
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

    /// Where the word that starts here ends: at the first place that no piece reaches across.
    fn word_end(&self, text: &[u8], start: usize) -> usize {
        let mut pairs = text[start..].iter().zip(&text[start + 1..]);
        let apart = pairs.position(|(left, right)| {
            let bit = (usize::from(*left) << 8) | usize::from(*right);
            right & 0xc0 != 0x80 && self.joins[bit >> 3] & (1 << (bit & 7)) == 0
        });
        apart.map_or(text.len(), |at| start + at + 1)
    }

    /// Gives the ids of one word's pieces.
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
                // What has no piece is spelled with the pieces of its bytes.
                None => bytes.iter().for_each(|byte| {
                    workspace.push(u16::from_le_bytes(self.byte_ids[usize::from(*byte)]));
                }),
            }
        }
        workspace.finish(self, give);
    }

    /// The piece that a word is, if merging its characters would give that one piece.
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

    /// The text of a piece.
    pub fn piece(&self, id: u16) -> Option<&[u8]> {
        let end = |at: usize| self.ends.get(at).map(|end| u32::from_le_bytes(*end) as usize);
        let start = if id == 0 { 0 } else { end(usize::from(id) - 1)? };
        self.text.get(start..end(usize::from(id))?)
    }
}
