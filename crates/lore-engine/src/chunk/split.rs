//! Cutting a long section at the ends of sentences, with some of the last piece before each next one.

use lore_page::LineRange;

use super::Line;
use super::tokens::estimate_tokens;

/// A section longer than this is cut. Small models read 256 tokens and no more: what stands behind would be in no vector.
pub(super) const PIECE_TOKENS: usize = 250;

/// So much of a piece stands again at the head of the next, so that what crosses the cut is found in one of them.
const OVERLAP_TOKENS: usize = 40;

/// A piece of a section.
pub(super) struct Piece {
    pub text: String,
    pub lines: LineRange,
}

/// A sentence, or a line that ends without one.
struct Sentence<'a> {
    text: &'a str,
    line: u32,
    tokens: usize,
    /// Whether a new line begins after it.
    ends_line: bool,
}

/// The pieces of a section's lines; none when there is nothing but blank ones.
pub(super) fn split(text: &str, lines: &[Line]) -> Vec<Piece> {
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

/// How many of the last sentences are said again.
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

/// The longest sentence, in bytes of a script with four letters to a token. A longer one is cut between words.
const LONGEST: usize = PIECE_TOKENS * 4;

/// The sentences of a line, each with the space after it.
fn sentences<'a>(text: &'a str, line: &Line) -> Vec<Sentence<'a>> {
    let mut found = Vec::new();
    let mut rest = &text[line.start..line.end];
    loop {
        // Only so much is looked at for an end: a line without any would be read over and over again.
        let reach = &rest[..rest.floor_char_boundary(LONGEST)];
        let end = match sentence_end(reach) {
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

/// The byte after the first sentence: a full stop, question or exclamation mark and the space that follows, or one of
/// the marks that need none.
fn sentence_end(text: &str) -> usize {
    let mut ended = false;
    let mut spaced = false;
    for (at, letter) in text.char_indices() {
        match letter {
            '。' | '！' | '？' => return at + letter.len_utf8(),
            '.' | '?' | '!' => ended = true,
            ')' | '"' | '\'' | '”' | '’' if ended && !spaced => {}
            _ if letter.is_whitespace() => spaced = ended,
            _ if spaced => return at,
            _ => ended = false,
        }
    }
    text.len()
}

/// The byte after the last space of a text, or its end where there is none.
fn word_end(text: &str) -> usize {
    let last = text.char_indices().rev().find(|(_, letter)| letter.is_whitespace());
    last.map_or(text.len(), |(at, letter)| at + letter.len_utf8())
}

/// The byte up to which a text is no longer than a piece: scripts without spaces have more tokens to a byte.
fn fitting(text: &str) -> usize {
    if estimate_tokens(text) <= PIECE_TOKENS {
        return text.len();
    }
    text.char_indices().nth(PIECE_TOKENS).map_or(text.len(), |(at, _)| at)
}
