//! Implementations of [`Embedder`](lore_ports::Embedder) and of remote summarizers. The dependencies that models need
//! stay in this crate.
//!
//! Its place among the crates is enforced: what it must not know does not compile.
//!
//! ```compile_fail
//! use lore_engine::VaultContext; // It knows no vault.
//! ```

mod chat;
mod count;
mod endpoint;
mod files;
mod http;
mod hub;
mod script;
mod service;
mod static_model;
mod transformer;
mod vector;

pub use chat::{Chat, ChatProtocol, ChatSettings};
pub use count::{count_tokens, counts_exactly};
pub use endpoint::{Endpoint, EndpointSettings, Protocol};
pub use http::RequestPolicy;
pub use hub::{Check, DEFAULT_HUB, HubFile, HubModel, known_model, known_models, pull, verify};
pub use static_model::{StaticModel, pack};
pub use transformer::{Instructions, Precision, Transformer, TransformerOptions};
