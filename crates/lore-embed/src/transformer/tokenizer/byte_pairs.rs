//! The byte-level tokenizer of RoBERTa models: every byte is a token, and known pairs are merged, the most frequent first.

use std::collections::HashMap;

use serde::Deserialize;

/// Converts text to tokens.
#[derive(Debug)]
pub(in crate::transformer) struct BytePairs {
    /// The token of each byte.
    bytes: Box<[u32; 256]>,
    /// The rank of a pair of tokens, lowest first, and the token that it becomes.
    merges: HashMap<(u32, u32), (u32, u32)>,
    opening: u32,
    closing: u32,
}

#[derive(Deserialize)]
struct Definition {
    normalizer: Option<serde::de::IgnoredAny>,
    pre_tokenizer: Option<Step>,
    post_processor: Option<Step>,
    model: Model,
}

#[derive(Deserialize)]
struct Step {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    add_prefix_space: bool,
    cls: Option<(String, u32)>,
    sep: Option<(String, u32)>,
}

#[derive(Deserialize)]
struct Model {
    vocab: HashMap<String, u32>,
    merges: Vec<Merge>,
}

/// The two ways to write a pair.
#[derive(Deserialize)]
#[serde(untagged)]
enum Merge {
    Joined(String),
    Pair(String, String),
}

impl Merge {
    fn parts(&self) -> Option<(&str, &str)> {
        match self {
            Merge::Joined(pair) => pair.split_once(' '),
            Merge::Pair(one, other) => Some((one, other)),
        }
    }
}

impl BytePairs {
    /// Reads the bytes of a `tokenizer.json`; all token ids must be below `size`.
    pub(super) fn parse(bytes: &[u8], size: usize) -> Result<BytePairs, String> {
        let definition: Definition = serde_json::from_slice(bytes)
            .map_err(|error| format!("cannot parse the tokenizer ({error}); download the model again"))?;
        let is_plain = definition.normalizer.is_none()
            && definition
                .pre_tokenizer
                .as_ref()
                .is_some_and(|step| step.kind == "ByteLevel" && !step.add_prefix_space);
        let ends = definition.post_processor.filter(|step| step.kind == "RobertaProcessing");
        let (Some((_, opening)), Some((_, closing)), true) =
            ends.map(|step| (step.cls, step.sep)).map_or((None, None, is_plain), |(a, b)| (a, b, is_plain))
        else {
            return Err("unsupported kind of byte-level tokenizer; use another model".to_owned());
        };
        let vocabulary = &definition.model.vocab;
        let greatest = vocabulary.values().copied().chain([opening, closing]).max().unwrap_or(0);
        if greatest as usize >= size {
            return Err(format!(
                "token id {greatest} is out of range for a vocabulary of {size}; download the model again"
            ));
        }
        let find = |token: &str| {
            let missing = || format!("missing token `{token}`; download the model again");
            vocabulary.get(token).copied().ok_or_else(missing)
        };
        let mut of_bytes = Box::new([0; 256]);
        for (byte, token) in of_bytes.iter_mut().enumerate() {
            *token = find(&letter_of(byte as u8).to_string())?;
        }
        let mut merges = HashMap::with_capacity(definition.model.merges.len());
        for (rank, merge) in (0u32..).zip(&definition.model.merges) {
            let (one, other) =
                merge.parts().ok_or("a merge is not a pair; download the model again".to_owned())?;
            merges.insert((find(one)?, find(other)?), (rank, find(&format!("{one}{other}"))?));
        }
        Ok(BytePairs { bytes: of_bytes, merges, opening, closing })
    }

    /// Returns the tokens of a text between the two that mark its ends, at most `limit` in total.
    pub(in crate::transformer) fn encode(&self, text: &str, limit: usize) -> Vec<u32> {
        let mut tokens = vec![self.opening];
        let mut rest = text;
        while !rest.is_empty() && tokens.len() < limit {
            let (word, after) = rest.split_at(word_length(rest));
            self.push_word(word, &mut tokens);
            rest = after;
        }
        tokens.truncate(limit.saturating_sub(1));
        tokens.push(self.closing);
        tokens
    }

    /// Appends the tokens of a word: its bytes, merged as long as a pair is known.
    fn push_word(&self, word: &str, tokens: &mut Vec<u32>) {
        let start = tokens.len();
        tokens.extend(word.bytes().map(|byte| self.bytes[usize::from(byte)]));
        loop {
            let own = &tokens[start..];
            let pairs = own.windows(2).enumerate();
            let known = pairs.filter_map(|(at, pair)| Some((self.merges.get(&(pair[0], pair[1]))?, at)));
            let Some(((_, merged), at)) = known.min_by_key(|((rank, _), at)| (*rank, *at)) else { return };
            tokens[start + at] = *merged;
            tokens.remove(start + at + 1);
        }
    }
}

/// Returns the letter that stands for a byte in the vocabulary: itself if it is visible, else one beyond the bytes.
fn letter_of(byte: u8) -> char {
    let is_visible = |byte: u8| matches!(byte, b'!'..=b'~' | 0xa1..=0xac | 0xae..=0xff);
    if is_visible(byte) {
        return char::from(byte);
    }
    let before = (0..byte).filter(|other| !is_visible(*other)).count() as u32;
    char::from_u32(256 + before).unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// What a run of characters consists of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Letter,
    Number,
    Space,
    Other,
}

fn class(letter: char) -> Class {
    match letter {
        _ if letter.is_whitespace() => Class::Space,
        _ if letter.is_alphabetic() => Class::Letter,
        _ if letter.is_numeric() => Class::Number,
        _ => Class::Other,
    }
}

/// Maximum bytes of a word: merging takes quadratic time.
const LONGEST: usize = 256;

/// Returns the length of the first word: a run of letters, digits or signs with the space before it, the end of a
/// contraction, or spaces.
fn word_length(text: &str) -> usize {
    let mut letters = text.char_indices();
    let Some((_, first)) = letters.next() else { return 0 };
    if first == '\'' {
        let ends = ["'s", "'t", "'re", "'ve", "'m", "'ll", "'d"];
        if let Some(end) = ends.iter().find(|end| text.starts_with(**end)) {
            return end.len();
        }
    }
    let run = |start: usize, wanted: Class| {
        let end = text[start..].char_indices().find(|(_, letter)| class(*letter) != wanted);
        let end = end.map_or(text.len(), |(at, _)| start + at);
        if end - start > LONGEST { text.floor_char_boundary(start + LONGEST) } else { end }
    };
    match (class(first), text[first.len_utf8()..].chars().next().map(class)) {
        (Class::Space, Some(next)) if first == ' ' && next != Class::Space => run(1, next),
        (Class::Space, _) => {
            let end = run(0, Class::Space);
            // The last space belongs to the word after it.
            let last = text[..end].char_indices().next_back().map_or(0, |(at, _)| at);
            if end < text.len() && last > 0 { last } else { end }
        }
        (own, _) => run(0, own),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_split_like_the_reference() {
        let split = |text: &str| {
            let (mut rest, mut words) = (text.to_owned(), Vec::new());
            while !rest.is_empty() {
                let (word, after) = rest.split_at(word_length(&rest));
                words.push(word.to_owned());
                rest = after.to_owned();
            }
            words
        };
        assert_eq!(split("I'll go, it's 12 km."), ["I", "'ll", " go", ",", " it", "'s", " 12", " km", "."]);
        assert_eq!(split("a  b\n\nc \n"), ["a", " ", " b", "\n", "\n", "c", " \n"]);
        assert_eq!(split("«Zürich»!'s"), ["«", "Zürich", "»!'", "s"]);
        assert_eq!(split(" \t x"), [" \t", " x"]);
        assert_eq!(split(""), [""; 0]);
    }

    #[test]
    fn pairs_are_merged_by_rank() {
        let mut vocabulary: HashMap<String, u32> =
            (0..=255u8).map(|byte| (letter_of(byte).to_string(), u32::from(byte))).collect();
        for (token, number) in
            [("lo", 256), ("low", 257), ("er", 258), ("Ġlow", 259), ("<s>", 260), ("</s>", 261)]
        {
            vocabulary.insert(token.to_owned(), number);
        }
        let json = serde_json::json!({
            "normalizer": null,
            "pre_tokenizer": { "type": "ByteLevel", "add_prefix_space": false },
            "post_processor": { "type": "RobertaProcessing", "cls": ["<s>", 260], "sep": ["</s>", 261] },
            "model": { "type": "BPE", "vocab": vocabulary, "merges": ["l o", "lo w", ["e", "r"], "Ġ low"] },
        });
        let tokenizer = BytePairs::parse(json.to_string().as_bytes(), 262).expect("a tokenizer");
        assert_eq!(tokenizer.encode("lower low", 64), [260, 257, 258, 259, 261]);
        assert_eq!(tokenizer.encode("lower low", 3), [260, 257, 261]);
        assert_eq!(tokenizer.encode("ü", 64), [260, 0xc3, 0xbc, 261]);
        assert!(BytePairs::parse(json.to_string().as_bytes(), 261).is_err(), "an id is out of range");
        assert!(BytePairs::parse(b"{}", 9).is_err());
    }
}
