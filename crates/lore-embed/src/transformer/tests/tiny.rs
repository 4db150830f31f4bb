//! A model of a few thousand weights that tests write, intact or broken, into a temporary directory.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use lore_ports::EmbedResult;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{Precision, Transformer, TransformerOptions};

/// The tiny model's files before they are written. Its widths are not multiples of any kernel's block size.
pub(super) struct Tiny {
    pub(super) config: Value,
    pub(super) tokenizer: Value,
    pub(super) tensors: BTreeMap<String, Tensor>,
    /// Further files by path.
    pub(super) others: BTreeMap<&'static str, Value>,
}

#[derive(Clone)]
pub(super) struct Tensor {
    pub(super) kind: &'static str,
    pub(super) shape: Vec<usize>,
    pub(super) numbers: Vec<f32>,
}

pub(super) const WORDS: [&str; 13] =
    ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "sea", "is", "wide", "##r", "##s", "ship", ".", "query"];

impl Tiny {
    pub(super) fn new() -> Tiny {
        let (width, inner, layers) = (36, 50, 2);
        let mut tiny = Tiny {
            config: json!({
                "architectures": ["BertModel"], "model_type": "bert", "hidden_act": "gelu",
                "hidden_size": width, "intermediate_size": inner, "num_hidden_layers": layers,
                "num_attention_heads": 4, "max_position_embeddings": 24, "type_vocab_size": 2,
                "vocab_size": WORDS.len(), "layer_norm_eps": 1e-12
            }),
            tokenizer: json!({
                "added_tokens": [{"id": 2, "content": "[CLS]"}, {"id": 3, "content": "[SEP]"}],
                "normalizer": {"type": "BertNormalizer", "lowercase": true},
                "pre_tokenizer": {"type": "BertPreTokenizer"},
                "post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2]},
                "model": {"type": "WordPiece", "unk_token": "[UNK]", "vocab": vocabulary()}
            }),
            tensors: BTreeMap::new(),
            others: BTreeMap::new(),
        };
        let mut random = Random(7);
        tiny.table(&mut random, "embeddings.word_embeddings", [WORDS.len(), width]);
        tiny.table(&mut random, "embeddings.position_embeddings", [24, width]);
        tiny.table(&mut random, "embeddings.token_type_embeddings", [2, width]);
        tiny.norm(&mut random, "embeddings.LayerNorm", width);
        for layer in 0..layers {
            let name = |rest: &str| format!("encoder.layer.{layer}.{rest}");
            for part in ["self.query", "self.key", "self.value", "output.dense"] {
                tiny.dense(&mut random, &name(&format!("attention.{part}")), [width, width]);
            }
            tiny.dense(&mut random, &name("intermediate.dense"), [inner, width]);
            tiny.dense(&mut random, &name("output.dense"), [width, inner]);
            tiny.norm(&mut random, &name("attention.output.LayerNorm"), width);
            tiny.norm(&mut random, &name("output.LayerNorm"), width);
        }
        tiny
    }

    fn put(&mut self, name: String, shape: &[usize], number: impl FnMut(usize) -> f32) {
        let numbers = (0..shape.iter().product()).map(number).collect();
        self.tensors.insert(name, Tensor { kind: "F32", shape: shape.to_vec(), numbers });
    }

    fn table(&mut self, random: &mut Random, name: &str, shape: [usize; 2]) {
        self.put(format!("{name}.weight"), &shape, |_| random.next());
    }

    fn dense(&mut self, random: &mut Random, name: &str, shape: [usize; 2]) {
        self.put(format!("{name}.weight"), &shape, |_| random.next() * 0.3);
        self.put(format!("{name}.bias"), &shape[..1], |_| random.next() * 0.1);
    }

    fn norm(&mut self, random: &mut Random, name: &str, width: usize) {
        self.put(format!("{name}.weight"), &[width], |_| 1.0 + random.next() * 0.2);
        self.put(format!("{name}.bias"), &[width], |_| random.next() * 0.1);
    }

    /// Returns the weights as a safetensors file.
    pub(super) fn safetensors(&self) -> Vec<u8> {
        let (mut header, mut data) = (serde_json::Map::new(), Vec::new());
        for (name, tensor) in &self.tensors {
            let start = data.len();
            for number in &tensor.numbers {
                match tensor.kind {
                    "F16" => data.extend(to_half(*number).to_le_bytes()),
                    "BF16" => data.extend((((number.to_bits() + 0x8000) >> 16) as u16).to_le_bytes()),
                    _ => data.extend(number.to_le_bytes()),
                }
            }
            let entry =
                json!({"dtype": tensor.kind, "shape": tensor.shape, "data_offsets": [start, data.len()]});
            header.insert(name.clone(), entry);
        }
        let mut header = serde_json::to_vec(&header).unwrap();
        header.resize(header.len().next_multiple_of(8), b' ');
        [&(header.len() as u64).to_le_bytes(), header.as_slice(), &data].concat()
    }

    /// Writes the model into a directory of this name.
    pub(super) fn write(&self, name: &str) -> Written {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join(name);
        std::fs::create_dir_all(folder.join("1_Pooling")).unwrap();
        std::fs::write(folder.join("model.safetensors"), self.safetensors()).unwrap();
        let texts = [("config.json", &self.config), ("tokenizer.json", &self.tokenizer)];
        for (path, value) in texts.into_iter().chain(self.others.iter().map(|(path, value)| (*path, value))) {
            std::fs::write(folder.join(path), value.to_string()).unwrap();
        }
        Written { _home: home, folder }
    }
}

/// A written model; its directory is removed on drop.
pub(super) struct Written {
    _home: TempDir,
    pub(super) folder: PathBuf,
}

impl Written {
    pub(super) fn open(&self, precision: Precision) -> EmbedResult<Transformer> {
        Transformer::open(&self.folder, &TransformerOptions { precision, threads: 1 })
    }

    pub(super) fn file(&self, name: &str) -> PathBuf {
        Path::new(&self.folder).join(name)
    }
}

fn vocabulary() -> Value {
    WORDS.iter().enumerate().map(|(number, word)| ((*word).to_owned(), Value::from(number))).collect()
}

/// Deterministic pseudo-random numbers between -1 and 1.
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f32 / (1 << 23) as f32 - 1.0
    }
}

/// Converts to f16, for magnitudes between 2^-14 and 2; anything smaller becomes 0.
fn to_half(number: f32) -> u16 {
    let bits = number.to_bits();
    let sign = (bits >> 16) as u16 & 0x8000;
    if number.abs() < 6.2e-5 {
        return sign;
    }
    sign | (((bits & 0x7fff_ffff) - (112 << 23) + 0x1000) >> 13) as u16
}
