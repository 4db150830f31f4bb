//! Reads the published files of a static model and rejects what the packed form cannot represent.

use std::collections::{BTreeMap, HashMap};

use serde::Deserialize;
use serde_json::Value;

use super::tokenizer::SPACE_MARK;

/// A vocabulary and its merges.
#[derive(Debug)]
pub struct Tokenizer {
    /// The pieces by id, with a space in place of U+2581.
    pub pieces: Vec<String>,
    /// Ids of the special tokens, which are matched in a text first; longest first.
    pub specials: Vec<u16>,
    /// The ids of the single bytes.
    pub byte_ids: Vec<u16>,
    /// The merges in order of rank: two ids and the id of the merged piece.
    pub merges: Vec<(u16, u16, u16)>,
}

/// The vectors of a model.
#[derive(Debug)]
pub struct Weights<'a> {
    /// Number of vectors, one per piece.
    pub rows: usize,
    /// Dimensions of a vector.
    pub dimensions: usize,
    /// All numbers as f16, row by row.
    pub halves: &'a [u8],
}

#[derive(Deserialize)]
struct File {
    added_tokens: Vec<AddedToken>,
    normalizer: Value,
    pre_tokenizer: Value,
    model: Model,
}

#[derive(Deserialize)]
struct AddedToken {
    id: u16,
    content: String,
    single_word: bool,
    lstrip: bool,
    rstrip: bool,
    normalized: bool,
}

#[derive(Deserialize)]
struct Model {
    r#type: String,
    dropout: Option<f32>,
    continuing_subword_prefix: Option<String>,
    end_of_word_suffix: Option<String>,
    byte_fallback: bool,
    #[serde(default)]
    ignore_merges: bool,
    vocab: BTreeMap<String, u16>,
    merges: Vec<Merge>,
}

/// A merge: two pieces separated by a space, or a list of two.
#[derive(Deserialize)]
#[serde(untagged)]
enum Merge {
    Spaced(String),
    Pair(String, String),
}

#[derive(Deserialize)]
struct Tensor {
    dtype: String,
    shape: Vec<usize>,
    data_offsets: [usize; 2],
}

impl Tokenizer {
    /// Parses a `tokenizer.json`, or returns why it cannot be packed.
    pub fn read(json: &[u8]) -> Result<Self, String> {
        let file: File = serde_json::from_slice(json).map_err(|error| error.to_string())?;
        file.check()?;
        let pieces = pieces(&file.model.vocab)?;
        let id = |piece: &str| file.model.vocab.get(piece).copied().ok_or(format!("missing piece {piece:?}"));
        let byte_ids = (0..=255).map(|byte: u8| id(&format!("<0x{byte:02X}>"))).collect::<Result<_, _>>()?;
        let merge = |merge: &Merge| {
            let (left, right) = merge.pair()?;
            Ok((id(left)?, id(right)?, id(&format!("{left}{right}"))?))
        };
        let merges = file.model.merges.iter().map(merge).collect::<Result<Vec<_>, String>>()?;
        if merges.len() >= usize::from(u16::MAX) {
            return Err(format!("too many merges: {}", merges.len()));
        }
        let mut added: Vec<&AddedToken> = file.added_tokens.iter().collect();
        added.sort_by_key(|token| (usize::MAX - token.content.len(), token.id));
        let specials = added.iter().map(|token| token.id).collect();
        Ok(Tokenizer { pieces, specials, byte_ids, merges })
    }
}

impl File {
    /// The packed form supports one kind of tokenizer: SentencePiece with byte fallback.
    fn check(&self) -> Result<(), String> {
        let space_mark = SPACE_MARK.to_string();
        let normalizer = serde_json::json!({ "type": "Sequence", "normalizers": [
            { "type": "Prepend", "prepend": space_mark },
            { "type": "Replace", "pattern": { "String": " " }, "content": space_mark },
        ] });
        let model = &self.model;
        let plain = model.dropout.is_none()
            && model.continuing_subword_prefix.is_none()
            && model.end_of_word_suffix.is_none()
            && !model.ignore_merges;
        if model.r#type != "BPE" || !model.byte_fallback || !plain {
            return Err("not a plain byte-pair encoding with byte fallback".to_owned());
        }
        if self.normalizer != normalizer || !self.pre_tokenizer.is_null() {
            return Err("unsupported normalizer or pre-tokenizer".to_owned());
        }
        for AddedToken { id, content, single_word, lstrip, rstrip, normalized } in &self.added_tokens {
            let known = model.vocab.get(content) == Some(id) && content.starts_with('<');
            if !known || *single_word || *lstrip || *rstrip || *normalized {
                return Err(format!("unsupported matching rule of token {content:?}"));
            }
        }
        Ok(())
    }
}

impl Merge {
    fn pair(&self) -> Result<(&str, &str), String> {
        match self {
            Merge::Spaced(pair) => pair.split_once(' ').ok_or(format!("invalid merge {pair:?}")),
            Merge::Pair(left, right) => Ok((left, right)),
        }
    }
}

/// Returns the pieces by id. The ids must be consecutive from 0, because they are the row numbers of the vectors.
fn pieces(vocab: &BTreeMap<String, u16>) -> Result<Vec<String>, String> {
    let mut pieces = vec![None; vocab.len()];
    for (piece, id) in vocab {
        let slot = pieces.get_mut(usize::from(*id)).ok_or(format!("the id {id} of {piece:?} is too high"))?;
        if piece.contains(' ') || slot.replace(piece.replace(SPACE_MARK, " ")).is_some() {
            return Err(format!("the piece {piece:?} contains a space, or its id {id} is not unique"));
        }
    }
    pieces.into_iter().collect::<Option<Vec<_>>>().ok_or("the vocabulary is empty".to_owned())
}

impl<'a> Weights<'a> {
    /// Parses the only tensor of a safetensors file, or returns why it cannot be packed.
    pub fn read(file: &'a [u8]) -> Result<Self, String> {
        let cut = || "the file is truncated".to_owned();
        let (length, rest) = file.split_first_chunk::<8>().ok_or_else(cut)?;
        let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| cut())?;
        let (json, data) = rest.split_at_checked(length).ok_or_else(cut)?;
        let mut tensors: HashMap<String, Value> =
            serde_json::from_slice(json).map_err(|error| error.to_string())?;
        tensors.remove("__metadata__");
        let mut tensors = tensors.into_values();
        let (Some(tensor), None) = (tensors.next(), tensors.next()) else {
            return Err("expected exactly one tensor".to_owned());
        };
        let tensor: Tensor = serde_json::from_value(tensor).map_err(|error| error.to_string())?;
        let (&[rows, dimensions], "F16") = (tensor.shape.as_slice(), tensor.dtype.as_str()) else {
            return Err(format!("expected F16 rows, found {} of shape {:?}", tensor.dtype, tensor.shape));
        };
        let [start, end] = tensor.data_offsets;
        let halves = data.get(start..end).ok_or_else(cut)?;
        if dimensions == 0
            || rows.checked_mul(dimensions).and_then(|all| all.checked_mul(2)) != Some(halves.len())
        {
            return Err(cut());
        }
        if halves.as_chunks::<2>().0.iter().any(|half| half[1] & 0x7c == 0x7c) {
            return Err("it contains values that are not finite".to_owned());
        }
        Ok(Weights { rows, dimensions, halves })
    }
}
