//! The vocabulary of a model, with lookup of the longest prefix of a word.
//!
//! An open-addressing hash table over one string. The hash is computed byte by byte, so that all prefixes of a word are
//! hashed in one pass and then looked up from longest to shortest.

use super::definition::Listed;

/// The tokens, each either the start of a word or a continuation.
#[derive(Debug)]
pub(super) struct Vocabulary {
    text: String,
    entries: Vec<VocabularyEntry>,
    /// Half of a token's hash and the index of its entry; `EMPTY` for free slots. The length is a power of two, at most
    /// half full.
    slots: Vec<(u32, u32)>,
    /// Bytes of the longest token.
    longest: usize,
}

/// A token: the range of its text, without the prefix of a continuation.
#[derive(Debug, Clone, Copy)]
struct VocabularyEntry {
    start: u32,
    end: u32,
    number: u32,
    continues: bool,
}

const EMPTY: u32 = u32::MAX;
const STARTING: u64 = 0x51_7c_c1_b7_27_22_0a_95;
const CONTINUING: u64 = 0x9e_37_79_b9_7f_4a_7c_15;

fn step(hash: u64, byte: u8) -> u64 {
    (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23)
}

/// Mixes all bits of the hash: one half selects the slot, the other is stored in it.
fn spread(hash: u64) -> (usize, u32) {
    let spread = hash.wrapping_mul(0xff51_afd7_ed55_8ccd);
    ((spread >> 32) as usize, (spread ^ hash >> 29) as u32)
}

impl Vocabulary {
    /// Builds the table from the tokens of a file. If a token is listed twice, the last one wins.
    pub(super) fn new(listed: Listed, prefix: &str) -> Vocabulary {
        let size = (listed.tokens.len() * 2).next_power_of_two().max(16);
        let mut vocabulary = Vocabulary {
            text: listed.text,
            entries: Vec::with_capacity(listed.tokens.len()),
            slots: vec![(0, EMPTY); size],
            longest: 0,
        };
        let mut start = 0;
        for (end, number) in listed.tokens {
            let token = &vocabulary.text[start as usize..end as usize];
            let continues = !prefix.is_empty() && token.len() > prefix.len() && token.starts_with(prefix);
            let skipped = if continues { prefix.len() as u32 } else { 0 };
            vocabulary.insert(VocabularyEntry { start: start + skipped, end, number, continues });
            start = end;
        }
        vocabulary
    }

    fn insert(&mut self, entry: VocabularyEntry) {
        let hash = self.piece(entry).bytes().fold(seed(entry.continues), step);
        self.longest = self.longest.max(self.piece(entry).len());
        match self.slot(hash, self.piece(entry), entry.continues) {
            Ok(known) => self.entries[known].number = entry.number,
            Err(free) => {
                self.slots[free] = (spread(hash).1, self.entries.len() as u32);
                self.entries.push(entry);
            }
        }
    }

    fn piece(&self, entry: VocabularyEntry) -> &str {
        &self.text[entry.start as usize..entry.end as usize]
    }

    /// Returns the entry of a piece, or the free slot for it.
    fn slot(&self, hash: u64, piece: &str, continues: bool) -> Result<usize, usize> {
        let mask = self.slots.len() - 1;
        let (mut at, kept) = spread(hash);
        loop {
            at &= mask;
            let (other, index) = self.slots[at];
            if index == EMPTY {
                return Err(at);
            }
            let entry = self.entries[index as usize];
            if other == kept && entry.continues == continues && self.piece(entry) == piece {
                return Ok(index as usize);
            }
            at += 1;
        }
    }

    /// Returns the longest token that is a prefix of a word, or of the rest of one, and its length. The buffer for the
    /// hashes belongs to the caller, so that it is allocated once per text.
    pub(super) fn longest(&self, word: &str, continues: bool, hashes: &mut Vec<u64>) -> Option<(u32, usize)> {
        let reach = word.len().min(self.longest);
        let mut hash = seed(continues);
        hashes.clear();
        hashes.extend(word.as_bytes()[..reach].iter().map(|&byte| {
            hash = step(hash, byte);
            hash
        }));
        (1..=reach).rev().filter(|&end| word.is_char_boundary(end)).find_map(|end| {
            let index = self.slot(hashes[end - 1], &word[..end], continues).ok()?;
            Some((self.entries[index].number, end))
        })
    }

    /// Returns the id of a token.
    pub(super) fn find(&self, token: &str) -> Option<u32> {
        let hash = token.bytes().fold(seed(false), step);
        self.slot(hash, token, false).ok().map(|index| self.entries[index].number)
    }

    /// Returns the largest token id.
    pub(super) fn greatest(&self) -> u32 {
        self.entries.iter().map(|entry| entry.number).max().unwrap_or(0)
    }
}

fn seed(continues: bool) -> u64 {
    if continues { CONTINUING } else { STARTING }
}
