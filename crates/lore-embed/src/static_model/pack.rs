//! Packs the published files of a static model into one file that can be used in place. Deterministic: the same input
//! gives the same bytes.

use lore_ports::{EmbedError, EmbedResult};
use lore_text::ContentHash;

use super::layout::{self, MergeSlot, ModelCounts, WordSlot, pair_hash, word_hash};
use super::source::{Tokenizer, Weights};
use super::tokenizer::Scratch;

/// Packs a model's vectors (safetensors, f16) and its vocabulary (`tokenizer.json`, byte-pair encoding with byte
/// fallback) into the file that [`StaticModel`](crate::StaticModel) reads.
pub fn pack(weights: &[u8], tokenizer: &[u8]) -> EmbedResult<Vec<u8>> {
    let wrong = |place: &str, reason| EmbedError::Model { place: place.to_owned(), reason };
    let tokenizer = Tokenizer::read(tokenizer).map_err(|reason| wrong("the tokenizer", reason))?;
    let weights = Weights::read(weights).map_err(|reason| wrong("the weights", reason))?;
    if weights.rows != tokenizer.pieces.len() {
        let reason = format!("got {} vectors for {} pieces", weights.rows, tokenizer.pieces.len());
        return Err(wrong("the weights", reason));
    }
    // Which words are a single piece is known only by merging the characters of each, which needs the other tables.
    // Characters are never merged, so the first draft contains only them.
    let characters: Vec<u16> = ids(&tokenizer, |piece| piece.chars().count() == 1);
    let draft = assemble(&tokenizer, &weights, &characters);
    let words = pieces_of_their_own(&tokenizer, &draft);
    Ok(assemble(&tokenizer, &weights, &words))
}

/// Returns the pieces that a word equal to them becomes: nearly all, but not, for example, those for single bytes.
fn pieces_of_their_own(tokenizer: &Tokenizer, draft: &[u8]) -> Vec<u16> {
    let (counts, _) = layout::read_header(draft).expect("the draft has just been written");
    let tables = layout::tables(draft, &counts);
    let (mut scratch, mut found) = (Scratch::default(), Vec::new());
    ids(tokenizer, |_| true)
        .into_iter()
        .filter(|id| {
            found.clear();
            let piece = &tokenizer.pieces[usize::from(*id)];
            tables.encode_word(piece, &mut scratch, &mut |id| found.push(id));
            found == [*id]
        })
        .collect()
}

fn ids(tokenizer: &Tokenizer, is_included: impl Fn(&str) -> bool) -> Vec<u16> {
    (0..=u16::MAX).zip(&tokenizer.pieces).filter(|(_, piece)| is_included(piece)).map(|(id, _)| id).collect()
}

fn assemble(tokenizer: &Tokenizer, weights: &Weights<'_>, words: &[u16]) -> Vec<u8> {
    let words = word_table(tokenizer, words);
    let merges = merge_table(tokenizer);
    let text = tokenizer.pieces.concat();
    let counts = ModelCounts {
        dimensions: weights.dimensions,
        pieces: weights.rows,
        specials: tokenizer.specials.len(),
        word_slots: words.len(),
        merge_slots: merges.len(),
        text: text.len(),
    };
    let mut body = Vec::new();
    body.extend(tokenizer.byte_ids.iter().chain(&tokenizer.specials).flat_map(|id| id.to_le_bytes()));
    body.extend(joins(&tokenizer.pieces));
    let mut end = 0u32;
    for piece in &tokenizer.pieces {
        end += u32::try_from(piece.len()).expect("a piece is a few characters");
        body.extend(end.to_le_bytes());
    }
    body.extend(words.as_flattened());
    body.extend(merges.as_flattened());
    body.extend(text.as_bytes());
    body.extend(weights.halves);
    let mut file = layout::header(&counts, ContentHash::of(&body).0).to_vec();
    file.append(&mut body);
    file
}

/// A bit for each pair of bytes that is adjacent in some piece, as the end of one character and the start of the next.
fn joins(pieces: &[String]) -> Vec<u8> {
    let mut joins = vec![0; layout::JOINS];
    for piece in pieces {
        for (at, _) in piece.char_indices().skip(1) {
            let [left, right] = [piece.as_bytes()[at - 1], piece.as_bytes()[at]].map(usize::from);
            joins[((left << 8) | right) >> 3] |= 1 << (right & 7);
        }
    }
    joins
}

fn word_table(tokenizer: &Tokenizer, words: &[u16]) -> Vec<[u8; 8]> {
    // At most half of the slots are taken, so that a lookup soon finds an empty one.
    let mut table = vec![WordSlot::EMPTY; (words.len() * 2).next_power_of_two()];
    for id in words {
        let hash = word_hash(tokenizer.pieces[usize::from(*id)].as_bytes());
        let slot = WordSlot { tag: (hash >> 32) as u32, id: *id };
        place(&mut table, hash as usize, WordSlot::EMPTY, slot.to_bytes());
    }
    table
}

fn merge_table(tokenizer: &Tokenizer) -> Vec<[u8; 8]> {
    let mut table = vec![MergeSlot::EMPTY; (tokenizer.merges.len() * 2).next_power_of_two()];
    for (rank, (left, right, merged)) in (0..u16::MAX).zip(&tokenizer.merges) {
        let slot = MergeSlot { pair: (*left, *right), rank, merged: *merged };
        place(&mut table, pair_hash(*left, *right), MergeSlot::EMPTY, slot.to_bytes());
    }
    table
}

fn place(table: &mut [[u8; 8]], hash: usize, empty: [u8; 8], slot: [u8; 8]) {
    let mask = table.len() - 1;
    let free = (0..table.len()).map(|step| hash.wrapping_add(step) & mask).find(|at| table[*at] == empty);
    table[free.expect("half of the slots are free")] = slot;
}
