//! Search requests from the user's settings, and the names of search modes.

use clap::ValueEnum;
use lore_engine::{Fusion, Mode as EngineMode, QueryMode, SearchRequest, Signals};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::config::signals;
use crate::app::error::{AppError, Result};
use crate::app::session::Session;

/// Search mode.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Lexical and semantic
    #[default]
    Hybrid,
    /// Full-text, weighted by term rarity
    Lexical,
    /// By embedding
    Semantic,
    /// By field, with fixed weights
    Fields,
}

impl Mode {
    /// Returns the name of the mode.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Hybrid => "hybrid",
            Mode::Lexical => "lexical",
            Mode::Semantic => "semantic",
            Mode::Fields => "fields",
        }
    }
}

impl From<QueryMode> for Mode {
    fn from(mode: QueryMode) -> Mode {
        match mode {
            QueryMode::Hybrid => Mode::Hybrid,
            QueryMode::Lexical => Mode::Lexical,
            QueryMode::Semantic => Mode::Semantic,
            QueryMode::Fields => Mode::Fields,
        }
    }
}

impl From<Mode> for EngineMode {
    fn from(mode: Mode) -> EngineMode {
        match mode {
            Mode::Hybrid => EngineMode::Hybrid,
            Mode::Lexical => EngineMode::Lexical,
            Mode::Semantic => EngineMode::Semantic,
            Mode::Fields => EngineMode::Fields,
        }
    }
}

impl From<EngineMode> for Mode {
    fn from(mode: EngineMode) -> Mode {
        match mode {
            EngineMode::Hybrid => Mode::Hybrid,
            EngineMode::Lexical | EngineMode::Words => Mode::Lexical,
            EngineMode::Semantic => Mode::Semantic,
            EngineMode::Fields => Mode::Fields,
        }
    }
}

/// Returns the minimum similarity: the parameter, else the setting, else none.
pub fn min_similarity(session: &Session, given: Option<f64>) -> Result<Option<f64>> {
    let set = || Ok(session.config.set_value("search.min_similarity").and_then(|text| text.parse().ok()));
    match given {
        Some(least) if (0.0..=1.0).contains(&least) => Ok(Some(least)),
        Some(least) => Err(AppError::usage(
            format!("the minimum similarity {least} is not between 0 and 1"),
            "omit it, or start with 0.3",
        )),
        None => set(),
    }
}

/// Returns a request in this mode with the user's settings for fusion and signals; the caller adds the query.
pub fn request(session: &Session, mode: Mode) -> Result<SearchRequest> {
    let config = &session.config;
    let fusion = match config.get("search.fusion")?.as_str() {
        "union" => Fusion::Union,
        "rrf" => Fusion::Reciprocal(Fusion::RECIPROCAL_K),
        _ => config.get("search.weight")?.parse().map_or(Fusion::Model, Fusion::Weighted),
    };
    let signals = signals(&config.get("search.signals")?).unwrap_or_else(|_| Signals::default());
    Ok(SearchRequest { mode: mode.into(), fusion, signals, ..SearchRequest::default() })
}
