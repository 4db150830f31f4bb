//! The relevant parts of `tokenizer.json`, with errors for anything that is not a BERT tokenizer.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};

use super::words::Rules;

#[derive(Deserialize)]
pub(super) struct Definition<'a> {
    #[serde(default)]
    added_tokens: Vec<Added>,
    normalizer: Option<Normalizer>,
    pre_tokenizer: Option<TokenizerKind>,
    post_processor: Option<Ends>,
    #[serde(borrow)]
    pub(super) model: Model<'a>,
}

#[derive(Deserialize)]
pub(super) struct Model<'a> {
    #[serde(rename = "type", default = "word_piece")]
    kind: Cow<'a, str>,
    #[serde(default = "unknown")]
    pub(super) unk_token: String,
    #[serde(default = "sharps")]
    pub(super) continuing_subword_prefix: String,
    #[serde(default = "hundred")]
    pub(super) max_input_chars_per_word: usize,
    pub(super) vocab: Listed,
}

/// The tokens in the order of the file: one concatenated string, and the end of each token.
#[derive(Default)]
pub(super) struct Listed {
    pub(super) text: String,
    /// The end of each token in `text`, and its id.
    pub(super) tokens: Vec<(u32, u32)>,
}

#[derive(Deserialize)]
struct Added {
    id: u32,
    content: String,
    #[serde(default)]
    single_word: bool,
    #[serde(default)]
    normalized: bool,
}

#[derive(Deserialize)]
struct TokenizerKind {
    #[serde(rename = "type")]
    kind: String,
}

#[derive(Deserialize)]
struct Normalizer {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default = "yes")]
    clean_text: bool,
    #[serde(default = "yes")]
    handle_chinese_chars: bool,
    strip_accents: Option<bool>,
    #[serde(default = "yes")]
    lowercase: bool,
}

/// The two ways to specify which tokens mark the ends of a text.
#[derive(Deserialize)]
#[serde(tag = "type")]
enum Ends {
    TemplateProcessing {
        single: Vec<TokenizerStep>,
    },
    BertProcessing {
        cls: (String, u32),
        sep: (String, u32),
    },
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
enum TokenizerStep {
    SpecialToken { id: String },
    Sequence(serde::de::IgnoredAny),
}

fn word_piece() -> Cow<'static, str> {
    Cow::Borrowed("WordPiece")
}

fn unknown() -> String {
    "[UNK]".to_owned()
}

fn sharps() -> String {
    "##".to_owned()
}

fn hundred() -> usize {
    100
}

fn yes() -> bool {
    true
}

impl Definition<'_> {
    /// Returns the rules for splitting text into words.
    pub(super) fn rules(&self) -> Result<Rules, String> {
        let foreign = |what: &str, kind: &str| {
            Err(format!("unsupported {what} `{kind}`; use a model of the BERT family"))
        };
        if self.model.kind != "WordPiece" {
            return foreign("model", &self.model.kind);
        }
        match self.pre_tokenizer.as_ref().map_or("", |step| step.kind.as_str()) {
            "BertPreTokenizer" => {}
            other => return foreign("pre_tokenizer", other),
        }
        match &self.normalizer {
            Some(normalizer) if normalizer.kind == "BertNormalizer" => Ok(Rules {
                clean: normalizer.clean_text,
                split_ideographs: normalizer.handle_chinese_chars,
                strip_accents: normalizer.strip_accents.unwrap_or(normalizer.lowercase),
                lowercase: normalizer.lowercase,
            }),
            other => foreign("normalizer", other.as_ref().map_or("", |normalizer| normalizer.kind.as_str())),
        }
    }

    /// Returns the names of the tokens that mark the ends of a text.
    pub(super) fn ends(&self) -> Result<(String, String), String> {
        match &self.post_processor {
            None => Ok(("[CLS]".to_owned(), "[SEP]".to_owned())),
            Some(Ends::BertProcessing { cls, sep }) => Ok((cls.0.clone(), sep.0.clone())),
            Some(Ends::TemplateProcessing { single }) => match single.as_slice() {
                [
                    TokenizerStep::SpecialToken { id: first },
                    TokenizerStep::Sequence(_),
                    TokenizerStep::SpecialToken { id: last },
                ] => Ok((first.clone(), last.clone())),
                _ => Err("expected one token before and one after a text; use another model".to_owned()),
            },
            Some(Ends::Other) => Err("unsupported post_processor; use another model".to_owned()),
        }
    }

    /// Returns the added tokens, which are matched before the text is split. None is empty.
    pub(super) fn added(&self) -> Result<Vec<(String, u32)>, String> {
        let tokens = self.added_tokens.iter().filter(|token| !token.content.is_empty());
        let checked = tokens.map(|token| match token.single_word || token.normalized {
            true => Err(format!("unsupported matching rule of token `{}`", token.content)),
            false => Ok((token.content.clone(), token.id)),
        });
        checked.collect()
    }
}

impl<'de> Deserialize<'de> for Listed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Listed, D::Error> {
        deserializer.deserialize_map(ListedVisitor)
    }
}

struct ListedVisitor;

impl<'de> Visitor<'de> for ListedVisitor {
    type Value = Listed;

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("a map from tokens to ids")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Listed, A::Error> {
        let mut listed = Listed::default();
        while let Some((token, number)) = map.next_entry::<Text, u32>()? {
            listed.text.push_str(&token.0);
            let end =
                u32::try_from(listed.text.len()).map_err(|_| serde::de::Error::custom("too many tokens"))?;
            listed.tokens.push((end, number));
        }
        Ok(listed)
    }
}

/// A key that is only copied if it contains escapes.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);
