//! The WordPiece tokenizer of BERT models.

use super::definition::Definition;
use super::vocabulary::Vocabulary;
use super::words::{Rules, Words};

/// Converts text to tokens: the longest known pieces of each word.
#[derive(Debug)]
pub(in crate::transformer) struct WordPiece {
    vocabulary: Vocabulary,
    rules: Rules,
    /// Tokens that are matched in the original text, before normalization.
    added: Vec<(String, u32)>,
    /// The first bytes of the added tokens.
    starts_added: Box<[bool; 256]>,
    opening: u32,
    closing: u32,
    unknown: u32,
    max_word_chars: usize,
}

impl WordPiece {
    /// Reads the bytes of a `tokenizer.json`; all token ids must be below `size`.
    pub(super) fn parse(bytes: &[u8], size: usize) -> Result<WordPiece, String> {
        let definition: Definition = serde_json::from_slice(bytes)
            .map_err(|error| format!("cannot parse the tokenizer ({error}); download the model again"))?;
        let (rules, ends) = (definition.rules()?, definition.ends()?);
        let added = definition.added()?;
        let model = definition.model;
        let vocabulary = Vocabulary::new(model.vocab, &model.continuing_subword_prefix);
        let named = |name: &str| {
            let found = added.iter().find(|token| token.0 == name).map(|token| token.1);
            let missing = || format!("missing token `{name}`; download the model again");
            found.or_else(|| vocabulary.find(name)).ok_or_else(missing)
        };
        let (opening, closing, unknown) = (named(&ends.0)?, named(&ends.1)?, named(&model.unk_token)?);
        let greatest = added.iter().map(|token| token.1).chain([vocabulary.greatest()]).max().unwrap_or(0);
        if greatest as usize >= size {
            return Err(format!(
                "token id {greatest} is out of range for a vocabulary of {size}; download the model again"
            ));
        }
        let mut starts_added = Box::new([false; 256]);
        for (token, _) in &added {
            starts_added[usize::from(token.as_bytes()[0])] = true;
        }
        let max_word_chars = model.max_input_chars_per_word;
        Ok(WordPiece { vocabulary, rules, added, starts_added, opening, closing, unknown, max_word_chars })
    }

    /// Returns the tokens of a text between the two that mark its ends, at most `limit` in total.
    pub(in crate::transformer) fn encode(&self, text: &str, limit: usize) -> Vec<u32> {
        let mut tokens = vec![self.opening];
        let mut left = text;
        let mut words = Words::new(self.rules);
        let mut hashes = Vec::new();
        while tokens.len() < limit {
            let (plain, added) = self.next_added(left);
            words.each(plain, |word| {
                self.push_word(word, &mut hashes, &mut tokens);
                tokens.len() < limit
            });
            let Some((token, length)) = added else { break };
            tokens.push(token);
            left = &left[plain.len() + length..];
        }
        tokens.truncate(limit.saturating_sub(1));
        tokens.push(self.closing);
        tokens
    }

    /// Returns the text before the next added token, and the id and length of that token.
    fn next_added<'a>(&self, text: &'a str) -> (&'a str, Option<(u32, usize)>) {
        for (at, &byte) in text.as_bytes().iter().enumerate() {
            if !self.starts_added[usize::from(byte)] {
                continue;
            }
            let here =
                self.added.iter().filter(|token| text.as_bytes()[at..].starts_with(token.0.as_bytes()));
            if let Some((token, number)) = here.max_by_key(|token| token.0.len()) {
                return (&text[..at], Some((*number, token.len())));
            }
        }
        (text, None)
    }

    /// Appends the longest known pieces of a word, from left to right. If any rest is unknown, the whole word is.
    fn push_word(&self, word: &str, hashes: &mut Vec<u64>, tokens: &mut Vec<u32>) {
        let before = tokens.len();
        let mut start = 0;
        let too_long = word.len() > self.max_word_chars && word.chars().count() > self.max_word_chars;
        while start < word.len() && !too_long {
            let found = self.vocabulary.longest(&word[start..], start > 0, hashes);
            let Some((token, length)) = found else { break };
            tokens.push(token);
            start += length;
        }
        if start < word.len() {
            tokens.truncate(before);
            tokens.push(self.unknown);
        }
    }
}
