//! Splits a long section at sentence boundaries; each piece starts with the end of the one before it.

use lore_page::LineRange;
use lore_text::{estimate_tokens, sentence_end};

use super::ChunkLine;

/// Maximum tokens of a piece. Small models read only 256 tokens: anything after those would be in no vector.
pub(super) const PIECE_TOKENS: usize = 250;

/// Maximum tokens repeated from the previous piece, so that text that crosses the cut is found in one of the two.
const OVERLAP_TOKENS: usize = 40;

/// A piece of a section.
pub(super) struct Piece {
    pub text: String,
    pub lines: LineRange,
}

/// A sentence, or the rest of a line without one.
struct Sentence<'a> {
    text: &'a str,
    line: u32,
    tokens: usize,
    /// Whether it is the last of its line.
    ends_line: bool,
}

/// Returns the pieces of a section's lines; none when all are blank.
pub(super) fn split(text: &str, lines: &[ChunkLine]) -> Vec<Piece> {
    let sentences: Vec<Sentence<'_>> = lines.iter().flat_map(|line| sentences(text, line)).collect();
    let mut pieces = Vec::new();
    let mut start = 0;
    while start < sentences.len() {
        let mut tokens = 0;
        let fits = |sentence: &&Sentence<'_>| {
            tokens += sentence.tokens;
            tokens <= PIECE_TOKENS
        };
        let end = start + sentences[start..].iter().take_while(fits).count().max(1);
        pieces.extend(piece(&sentences[start..end]));
        if end == sentences.len() {
            break;
        }
        start = end - overlap(&sentences[start + 1..end]);
    }
    pieces
}

/// Returns how many of the last sentences are repeated.
fn overlap(sentences: &[Sentence<'_>]) -> usize {
    let mut tokens = 0;
    let few = |sentence: &&Sentence<'_>| {
        tokens += sentence.tokens;
        tokens <= OVERLAP_TOKENS
    };
    sentences.iter().rev().take_while(few).count()
}

fn piece(sentences: &[Sentence<'_>]) -> Option<Piece> {
    let said = |sentence: &&Sentence<'_>| !sentence.text.trim().is_empty();
    let first = sentences.iter().find(said)?.line;
    let last = sentences.iter().rev().find(said)?.line;
    let mut text = String::new();
    for sentence in sentences {
        text.push_str(sentence.text);
        if sentence.ends_line {
            text.push('\n');
        }
    }
    Some(Piece { text: text.trim().to_owned(), lines: LineRange { first, last } })
}

/// Maximum sentence length in bytes, at four letters per token. A longer sentence is split between words.
const LONGEST: usize = PIECE_TOKENS * 4;

/// Returns the sentences of a line, each with its trailing space.
fn sentences<'a>(text: &'a str, line: &ChunkLine) -> Vec<Sentence<'a>> {
    let mut found = Vec::new();
    let mut rest = &text[line.start..line.end];
    loop {
        // Only this much is scanned for an end: a line without any would be scanned again and again.
        let reach = &rest[..rest.floor_char_boundary(LONGEST)];
        let end = match spaced_end(reach) {
            end if end < reach.len() || reach.len() == rest.len() => end,
            _ => word_end(reach),
        };
        let end = fitting(&rest[..end]);
        let (one, after) = rest.split_at(end);
        let ends_line = after.is_empty();
        found.push(Sentence { text: one, line: line.number, tokens: estimate_tokens(one), ends_line });
        if ends_line {
            return found;
        }
        rest = after;
    }
}

/// Returns the byte offset after the first sentence and the space that follows.
fn spaced_end(text: &str) -> usize {
    text.len() - text[sentence_end(text)..].trim_start().len()
}

/// Returns the byte offset after the last space, or the text's length when there is none.
fn word_end(text: &str) -> usize {
    let last = text.char_indices().rev().find(|(_, letter)| letter.is_whitespace());
    last.map_or(text.len(), |(at, letter)| at + letter.len_utf8())
}

/// Returns how many bytes of a text fit into a piece: scripts without spaces have more tokens per byte.
fn fitting(text: &str) -> usize {
    if estimate_tokens(text) <= PIECE_TOKENS {
        return text.len();
    }
    text.char_indices().nth(PIECE_TOKENS).map_or(text.len(), |(at, _)| at)
}
