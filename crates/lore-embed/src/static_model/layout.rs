//! The packed file of a static model: a header, then tables that are used in place. Opening it reads only the header,
//! so the first query of a process does not have to parse a vocabulary.
//!
//! All numbers are little-endian. After the header come, without gaps and in this order: the ids of the 256 single
//! bytes (u16), the ids of the special tokens (u16, longest first), a bit for each pair of bytes that is adjacent in
//! some piece, the end of each piece in the text of all pieces (u32), the table of words, the table of merges, the text
//! of all pieces, and the vectors (f16, one row per piece).

use std::ops::Range;

/// The first bytes of every packed file.
const MAGIC: [u8; 8] = *b"LOREVEC\n";

/// Incremented whenever older files can no longer be read.
const VERSION: u32 = 1;

/// Bytes of the header: magic, SHA-256 of the body, version, six counts, and reserved space.
const HEADER: usize = 128;

/// Bytes in the table of byte pairs: a bit for each pair.
pub const JOINS: usize = 256 * 256 / 8;

/// Sizes of the tables in a packed file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModelCounts {
    /// Dimensions of a vector.
    pub dimensions: usize,
    /// Number of pieces in the vocabulary.
    pub pieces: usize,
    /// Number of special tokens, which are matched in a text first.
    pub specials: usize,
    /// Number of slots in the table of words; a power of two.
    pub word_slots: usize,
    /// Number of slots in the table of merges; a power of two.
    pub merge_slots: usize,
    /// Total bytes of all pieces.
    pub text: usize,
}

/// The tables of a packed file, borrowed from its bytes.
#[derive(Debug, Clone, Copy)]
pub struct Tables<'a> {
    /// The ids of the pieces for single bytes.
    pub byte_ids: &'a [[u8; 2]],
    /// Ids of the special tokens, longest first.
    pub specials: &'a [[u8; 2]],
    /// A bit for each pair of bytes that is adjacent in some piece, as the end of one character and the start of the
    /// next.
    pub joins: &'a [u8],
    /// The end of each piece in `text`.
    pub ends: &'a [[u8; 4]],
    /// Pieces that a word equal to them becomes, by the hash of their text: [`WordSlot`].
    pub words: &'a [[u8; 8]],
    /// Merges by the ids of their two pieces: [`MergeSlot`].
    pub merges: &'a [[u8; 8]],
    /// The text of all pieces, concatenated, with a space in place of U+2581.
    pub text: &'a [u8],
    /// The vectors, one row per piece.
    pub vectors: &'a [[u8; 2]],
}

/// A slot in the table of words. The hash is compared before the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WordSlot {
    /// The upper half of the word's hash.
    pub tag: u32,
    /// The piece.
    pub id: u16,
}

/// A slot in the table of merges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MergeSlot {
    /// The two pieces.
    pub pair: (u16, u16),
    /// Priority; lower ranks are merged first.
    pub rank: u16,
    /// The merged piece.
    pub merged: u16,
}

impl WordSlot {
    /// An empty slot is all zeros; the seventh byte of a taken slot is 1.
    pub const EMPTY: [u8; 8] = [0; 8];

    /// Encodes the slot.
    pub fn to_bytes(self) -> [u8; 8] {
        let ([a, b, c, d], [e, f]) = (self.tag.to_le_bytes(), self.id.to_le_bytes());
        [a, b, c, d, e, f, 1, 0]
    }

    /// Decodes a slot; `None` if it is empty.
    pub fn from_bytes(bytes: [u8; 8]) -> Option<Self> {
        let [a, b, c, d, e, f, is_used, _] = bytes;
        let slot = WordSlot { tag: u32::from_le_bytes([a, b, c, d]), id: u16::from_le_bytes([e, f]) };
        (is_used != 0).then_some(slot)
    }
}

impl MergeSlot {
    /// An empty slot has the rank `u16::MAX`, which no merge may have.
    pub const EMPTY: [u8; 8] = [0xff; 8];

    /// Encodes the slot.
    pub fn to_bytes(self) -> [u8; 8] {
        let [a, b] = self.pair.0.to_le_bytes();
        let [c, d] = self.pair.1.to_le_bytes();
        let [e, f] = self.rank.to_le_bytes();
        let [g, h] = self.merged.to_le_bytes();
        [a, b, c, d, e, f, g, h]
    }

    /// Decodes a slot; `None` if it is empty.
    pub fn from_bytes(bytes: [u8; 8]) -> Option<Self> {
        let [a, b, c, d, e, f, g, h] = bytes;
        let rank = u16::from_le_bytes([e, f]);
        let pair = (u16::from_le_bytes([a, b]), u16::from_le_bytes([c, d]));
        (rank != u16::MAX).then_some(MergeSlot { pair, rank, merged: u16::from_le_bytes([g, h]) })
    }
}

/// Hashes a word for the table of words.
pub fn word_hash(word: &[u8]) -> u64 {
    let (eights, rest) = word.as_chunks::<8>();
    let last = rest.iter().fold(word.len() as u64, |sum, byte| (sum << 8) | u64::from(*byte));
    let numbers = eights.iter().map(|eight| u64::from_le_bytes(*eight));
    numbers.chain([last]).fold(0, |hash, number| {
        let mixed = (hash ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mixed ^ (mixed >> 29)
    })
}

/// Hashes a pair of pieces for the table of merges.
pub fn pair_hash(left: u16, right: u16) -> usize {
    let pair = (u32::from(left) << 16) | u32::from(right);
    let mixed = (u64::from(pair) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 32) as usize
}

/// Encodes the header of a file whose body has this hash.
pub fn header(counts: &ModelCounts, checksum: [u8; 32]) -> [u8; HEADER] {
    let ModelCounts { dimensions, pieces, specials, word_slots, merge_slots, text } = *counts;
    let mut bytes = [0; HEADER];
    bytes[..8].copy_from_slice(&MAGIC);
    bytes[8..40].copy_from_slice(&checksum);
    let numbers = [VERSION as usize, dimensions, pieces, specials, word_slots, merge_slots, text];
    for (slot, number) in bytes[40..].as_chunks_mut::<4>().0.iter_mut().zip(numbers) {
        *slot = u32::try_from(number).expect("a model is smaller than 4 GB").to_le_bytes();
    }
    bytes
}

/// Parses a header into the counts and the hash of the body, or returns why the file is invalid.
pub fn read_header(file: &[u8]) -> Result<(ModelCounts, [u8; 32]), String> {
    let header = file.get(..HEADER).filter(|header| header.starts_with(&MAGIC));
    let header = header.ok_or("not a packed model")?;
    let checksum = header[8..40].try_into().expect("the range has 32 bytes");
    let number = |at: usize| u32::from_le_bytes(header[40..].as_chunks::<4>().0[at]);
    if number(0) != VERSION {
        return Err(format!("unsupported format {}, expected format {VERSION}", number(0)));
    }
    let [dimensions, pieces, specials, word_slots, merge_slots, text] =
        [1, 2, 3, 4, 5, 6].map(|at| number(at) as usize);
    let counts = ModelCounts { dimensions, pieces, specials, word_slots, merge_slots, text };
    let sound = dimensions > 0
        && (1..=1 << 16).contains(&pieces)
        && word_slots.is_power_of_two()
        && merge_slots.is_power_of_two();
    if !sound || sections(&counts).last().is_none_or(|last| last.end != file.len()) {
        return Err("the file is truncated or damaged".to_owned());
    }
    Ok((counts, checksum))
}

/// Returns whether a file has the current format. Evaluated at compile time.
#[cfg_attr(not(feature = "embedded-model"), allow(dead_code))]
pub const fn is_current(file: &[u8]) -> bool {
    let Some((magic, rest)) = file.split_first_chunk::<8>() else { return false };
    let Some((_, rest)) = rest.split_first_chunk::<32>() else { return false };
    let Some((version, _)) = rest.split_first_chunk::<4>() else { return false };
    u64::from_le_bytes(*magic) == u64::from_le_bytes(MAGIC) && u32::from_le_bytes(*version) == VERSION
}

/// Returns what follows the header; its hash identifies the file.
pub fn body(file: &[u8]) -> &[u8] {
    file.get(HEADER..).unwrap_or_default()
}

/// Returns the tables of a file with these counts. The header has been checked, so the lengths are right.
pub fn tables<'a>(file: &'a [u8], counts: &ModelCounts) -> Tables<'a> {
    let [byte_ids, specials, joins, ends, words, merges, text, vectors] =
        sections(counts).map(|section| &file[section]);
    Tables {
        byte_ids: byte_ids.as_chunks().0,
        specials: specials.as_chunks().0,
        joins,
        ends: ends.as_chunks().0,
        words: words.as_chunks().0,
        merges: merges.as_chunks().0,
        text,
        vectors: vectors.as_chunks().0,
    }
}

fn sections(counts: &ModelCounts) -> [Range<usize>; 8] {
    let ModelCounts { dimensions, pieces, specials, word_slots, merge_slots, text } = *counts;
    let vectors = pieces.saturating_mul(dimensions).saturating_mul(2);
    let sizes = [512, specials * 2, JOINS, pieces * 4, word_slots * 8, merge_slots * 8, text, vectors];
    let mut at = HEADER;
    sizes.map(|size| {
        let start = at;
        at = at.saturating_add(size);
        start..at
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const COUNTS: ModelCounts =
        ModelCounts { dimensions: 4, pieces: 3, specials: 1, word_slots: 8, merge_slots: 2, text: 5 };

    fn file() -> Vec<u8> {
        let length = sections(&COUNTS)[7].end;
        let mut file = header(&COUNTS, [7; 32]).to_vec();
        file.resize(length, 0);
        file
    }

    #[test]
    fn headers_round_trip() {
        let file = file();
        assert_eq!(read_header(&file), Ok((COUNTS, [7; 32])));
        let tables = tables(&file, &COUNTS);
        assert_eq!((tables.byte_ids.len(), tables.ends.len(), tables.words.len()), (256, 3, 8));
        assert_eq!((tables.merges.len(), tables.text.len(), tables.vectors.len()), (2, 5, 12));
    }

    #[test]
    fn invalid_files_are_rejected() {
        let good = file();
        let mut newer = good.clone();
        newer[40] = 9;
        let mut invalid = good.clone();
        invalid[56] = 7;
        for (bytes, expected) in [
            (&b""[..], "not a packed model"),
            (&[0; 4096][..], "not a packed model"),
            (&good[..good.len() - 1], "the file is truncated or damaged"),
            (&invalid, "the file is truncated or damaged"),
            (&newer, "unsupported format 9, expected format 1"),
        ] {
            assert_eq!(read_header(bytes), Err(expected.to_owned()));
        }
    }

    #[test]
    fn slots_round_trip() {
        let word = WordSlot { tag: 0x0102_0304, id: 31_999 };
        assert_eq!(WordSlot::from_bytes(word.to_bytes()), Some(word));
        assert_eq!(WordSlot::from_bytes(WordSlot::EMPTY), None);
        let merge = MergeSlot { pair: (1, 65_535), rank: 61_248, merged: 260 };
        assert_eq!(MergeSlot::from_bytes(merge.to_bytes()), Some(merge));
        assert_eq!(MergeSlot::from_bytes(MergeSlot::EMPTY), None);
    }
}
