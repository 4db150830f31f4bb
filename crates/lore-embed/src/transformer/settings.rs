//! The configuration files of a model: its shape, pooling and prompts.

use std::path::{Path, PathBuf};

use lore_ports::EmbedResult;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::files::{read, read_optional, refuse};

/// The validated configuration of a model: every size is at least one, and the heads divide the width.
#[derive(Debug, Clone)]
pub(super) struct Settings {
    pub(super) shape: ModelShape,
    pub(super) activation: Activation,
    /// Added to the variance before taking its root.
    pub(super) epsilon: f32,
    pub(super) pooling: Pooling,
    /// Prefix of a query.
    pub(super) query_prompt: String,
    /// Prefix of a passage.
    pub(super) passage_prompt: String,
    /// Maximum number of tokens in a text, including the two that mark its ends.
    pub(super) max_tokens: usize,
}

/// The sizes of a model.
#[derive(Debug, Clone, Copy)]
pub(super) struct ModelShape {
    pub(super) vocabulary: usize,
    pub(super) positions: usize,
    /// The position of the first token: RoBERTa numbers them after its padding.
    pub(super) first_position: usize,
    pub(super) types: usize,
    pub(super) width: usize,
    pub(super) layers: usize,
    pub(super) heads: usize,
    pub(super) inner: usize,
}

/// The activation function of the feed-forward block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Activation {
    Gelu,
    GeluTanh,
    Relu,
}

/// How the token vectors of a text are combined into one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pooling {
    Mean,
    First,
}

#[derive(Deserialize)]
struct Config {
    #[serde(default)]
    architectures: Vec<String>,
    #[serde(default)]
    model_type: String,
    #[serde(default = "gelu")]
    hidden_act: String,
    #[serde(default = "absolute")]
    position_embedding_type: String,
    #[serde(default = "default_epsilon")]
    layer_norm_eps: f32,
    vocab_size: usize,
    max_position_embeddings: usize,
    #[serde(default = "two")]
    type_vocab_size: usize,
    hidden_size: usize,
    #[serde(default)]
    pad_token_id: usize,
    num_hidden_layers: usize,
    num_attention_heads: usize,
    intermediate_size: usize,
}

#[derive(Deserialize)]
struct Module {
    #[serde(rename = "type")]
    kind: String,
}

#[derive(Deserialize, Default)]
struct PoolingFile {
    #[serde(default)]
    pooling_mode_cls_token: bool,
    #[serde(default)]
    pooling_mode_mean_tokens: bool,
    #[serde(default)]
    pooling_mode_max_tokens: bool,
    #[serde(default)]
    pooling_mode_mean_sqrt_len_tokens: bool,
    #[serde(default)]
    pooling_mode_weightedmean_tokens: bool,
    #[serde(default)]
    pooling_mode_lasttoken: bool,
}

#[derive(Deserialize, Default)]
struct PromptFile {
    #[serde(default)]
    prompts: std::collections::HashMap<String, String>,
}

#[derive(Deserialize, Default)]
struct LengthFile {
    max_seq_length: Option<usize>,
}

fn gelu() -> String {
    "gelu".to_owned()
}

fn absolute() -> String {
    "absolute".to_owned()
}

fn default_epsilon() -> f32 {
    1e-12
}

fn two() -> usize {
    2
}

impl Settings {
    /// Reads the configuration of a model's directory. The name determines defaults for models whose files are silent.
    pub(super) fn read(folder: &Path, name: &str) -> EmbedResult<Settings> {
        let path = folder.join("config.json");
        let config: Config = parse(&path, &read(&path)?)?;
        let shape = config.shape(&path)?;
        only_known_modules(folder)?;
        let prompts: PromptFile = optional(&folder.join("config_sentence_transformers.json"))?;
        let prompt = |names: &[&str]| names.iter().find_map(|name| prompts.prompts.get(*name).cloned());
        let max_tokens = max_tokens(folder, shape)?;
        Ok(Settings {
            shape,
            activation: config.activation(&path)?,
            epsilon: config.layer_norm_eps,
            pooling: pooling(folder, name)?,
            query_prompt: prompt(&["query"]).unwrap_or_else(|| query_prompt_of(name).to_owned()),
            passage_prompt: prompt(&["document", "passage"]).unwrap_or_default(),
            max_tokens,
        })
    }
}

impl Config {
    fn shape(&self, path: &Path) -> EmbedResult<ModelShape> {
        let architecture = self.architectures.first().map(String::as_str);
        let is_known = |name: &str| name.starts_with("Bert") || name.starts_with("Roberta");
        let foreign = match (architecture, self.model_type.as_str()) {
            (Some(name), _) if !is_known(name) => Some(name),
            (_, "bert" | "roberta") => None,
            (_, name) if !(name.is_empty() && architecture.is_some()) => Some(name),
            _ => None,
        };
        let is_roberta = self.model_type == "roberta"
            || self.model_type.is_empty() && architecture.is_some_and(|name| name.starts_with("Roberta"));
        if let Some(kind) = foreign {
            let reason = format!(
                "unsupported architecture `{kind}`; use a model of the BERT family, \
                or serve this one at an endpoint"
            );
            return Err(refuse(path, reason));
        }
        if self.position_embedding_type != "absolute" {
            let kind = &self.position_embedding_type;
            return Err(refuse(path, format!("unsupported position embedding `{kind}`; use another model")));
        }
        let shape = ModelShape {
            vocabulary: self.vocab_size,
            positions: self.max_position_embeddings,
            first_position: if is_roberta { self.pad_token_id + 1 } else { 0 },
            types: self.type_vocab_size,
            width: self.hidden_size,
            layers: self.num_hidden_layers,
            heads: self.num_attention_heads,
            inner: self.intermediate_size,
        };
        let sizes = [shape.vocabulary, shape.types, shape.width, shape.layers, shape.heads, shape.inner];
        let fits =
            sizes.iter().all(|size| (1..1 << 24).contains(size)) && shape.width.is_multiple_of(shape.heads);
        if fits {
            Ok(shape)
        } else {
            let named: Vec<String> = self.sizes().map(|(name, size)| format!("{name} {size}")).to_vec();
            Err(refuse(path, format!("invalid sizes: {}; download the model again", named.join(", "))))
        }
    }

    /// The sizes under their names in the file.
    fn sizes(&self) -> [(&'static str, usize); 7] {
        [
            ("vocab_size", self.vocab_size),
            ("max_position_embeddings", self.max_position_embeddings),
            ("type_vocab_size", self.type_vocab_size),
            ("hidden_size", self.hidden_size),
            ("num_hidden_layers", self.num_hidden_layers),
            ("num_attention_heads", self.num_attention_heads),
            ("intermediate_size", self.intermediate_size),
        ]
    }

    fn activation(&self, path: &Path) -> EmbedResult<Activation> {
        match self.hidden_act.as_str() {
            "gelu" => Ok(Activation::Gelu),
            "gelu_new" | "gelu_fast" | "gelu_pytorch_tanh" => Ok(Activation::GeluTanh),
            "relu" => Ok(Activation::Relu),
            other => Err(refuse(path, format!("unsupported activation `{other}`; use another model"))),
        }
    }
}

/// Returns the maximum number of tokens in a text: two mark its ends, and at least one must be its own.
fn max_tokens(folder: &Path, shape: ModelShape) -> EmbedResult<usize> {
    let path = folder.join("sentence_bert_config.json");
    let file: LengthFile = optional(&path)?;
    let max_tokens =
        file.max_seq_length.unwrap_or(512).min(shape.positions.saturating_sub(shape.first_position));
    if max_tokens < 3 {
        let path = if shape.positions < 3 { folder.join("config.json") } else { path };
        return Err(refuse(
            &path,
            format!("a maximum of {max_tokens} tokens is too small; download the model again"),
        ));
    }
    Ok(max_tokens)
}

/// Rejects models with unknown modules: a module after the pooling would change the vectors.
fn only_known_modules(folder: &Path) -> EmbedResult<()> {
    let path = folder.join("modules.json");
    let modules: Vec<Module> = optional(&path)?;
    for module in modules {
        let kind = module.kind.rsplit('.').next().unwrap_or_default();
        if !["Transformer", "Pooling", "Normalize"].contains(&kind) {
            let reason = format!("unsupported module `{kind}`; use another model");
            return Err(refuse(&path, reason));
        }
    }
    Ok(())
}

fn pooling(folder: &Path, name: &str) -> EmbedResult<Pooling> {
    let path: PathBuf = folder.join("1_Pooling").join("config.json");
    let Some(bytes) = read_optional(&path)? else {
        return Ok(if name.to_lowercase().starts_with("bge") { Pooling::First } else { Pooling::Mean });
    };
    let file: PoolingFile = parse(&path, &bytes)?;
    let others = file.pooling_mode_max_tokens
        || file.pooling_mode_mean_sqrt_len_tokens
        || file.pooling_mode_weightedmean_tokens
        || file.pooling_mode_lasttoken;
    match (file.pooling_mode_cls_token, file.pooling_mode_mean_tokens, others) {
        (true, false, false) => Ok(Pooling::First),
        (false, true, false) => Ok(Pooling::Mean),
        _ => Err(refuse(
            &path,
            "unsupported pooling (only mean and first token are supported); use another model",
        )),
    }
}

/// Returns the query prompt of models whose files do not specify one.
fn query_prompt_of(name: &str) -> &'static str {
    let name = name.to_lowercase();
    let needs_prompt = name.starts_with("bge-") && name.ends_with("-en-v1.5");
    if needs_prompt { "Represent this sentence for searching relevant passages: " } else { "" }
}

fn optional<T: DeserializeOwned + Default>(path: &Path) -> EmbedResult<T> {
    read_optional(path)?.map_or_else(|| Ok(T::default()), |bytes| parse(path, &bytes))
}

fn parse<T: DeserializeOwned>(path: &Path, bytes: &[u8]) -> EmbedResult<T> {
    serde_json::from_slice(bytes)
        .map_err(|error| refuse(path, format!("cannot parse the file ({error}); download the model again")))
}
