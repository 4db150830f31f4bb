//! The parts of `tokenizer.json` that matter, and the refusal of what is not BERT's way.

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
    pre_tokenizer: Option<Kind>,
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

/// The tokens in the order of the file: one string of all of them, and where each ends.
#[derive(Default)]
pub(super) struct Listed {
    pub(super) text: String,
    /// The end of a token in `text`, and its number.
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
struct Kind {
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

/// Either way of saying which tokens mark the ends of a text.
#[derive(Deserialize)]
#[serde(tag = "type")]
enum Ends {
    TemplateProcessing {
        single: Vec<Step>,
    },
    BertProcessing {
        cls: (String, u32),
        sep: (String, u32),
    },
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
enum Step {
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
    /// How text is cut into words.
    pub(super) fn rules(&self) -> Result<Rules, String> {
        let foreign = |what: &str, kind: &str| {
            Err(format!("its {what} is `{kind}`, and Lore reads BERT's; choose a model of the BERT family"))
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

    /// The names of the tokens that mark the ends of a text.
    pub(super) fn ends(&self) -> Result<(String, String), String> {
        match &self.post_processor {
            None => Ok(("[CLS]".to_owned(), "[SEP]".to_owned())),
            Some(Ends::BertProcessing { cls, sep }) => Ok((cls.0.clone(), sep.0.clone())),
            Some(Ends::TemplateProcessing { single }) => match single.as_slice() {
                [Step::SpecialToken { id: first }, Step::Sequence(_), Step::SpecialToken { id: last }] => {
                    Ok((first.clone(), last.clone()))
                }
                _ => Err("it does not put one token before a text and one after it; choose another model"
                    .to_owned()),
            },
            Some(Ends::Other) => Err("its post_processor is not known; choose another model".to_owned()),
        }
    }

    /// The tokens that are found before the text is cut, none of them empty.
    pub(super) fn added(&self) -> Result<Vec<(String, u32)>, String> {
        let tokens = self.added_tokens.iter().filter(|token| !token.content.is_empty());
        let checked = tokens.map(|token| match token.single_word || token.normalized {
            true => Err(format!("its token `{}` asks for rules that Lore does not have", token.content)),
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
        formatter.write_str("a map from tokens to their numbers")
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

/// A key that is not copied unless it was written with escapes.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);
