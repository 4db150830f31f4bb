//! What a caller asks for.

use lore_ports::Filter;
use lore_text::PartialDate;

use super::fuse::Fusion;
use super::result::Hit;
use super::signals::Signals;
use super::within::Within;
use crate::context::VaultContext;

/// Maximum number of hits that a caller may ask for.
pub const MAX_HITS: usize = 10_000;

/// How pages are retrieved.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Mode {
    /// Pages with all the words, else with some of them: what `search` promises.
    #[default]
    Words,
    /// Any of the content words, ranked by how rare they are: suits questions.
    Lexical,
    /// By embedding similarity.
    Semantic,
    /// Both.
    Hybrid,
    /// By the fields that contain a word, with fixed weights. Signals do not apply.
    Fields,
}

/// A search request.
#[derive(Debug, Clone, Default)]
pub struct SearchRequest {
    /// The query as typed.
    pub text: String,
    /// How pages are retrieved.
    pub mode: Mode,
    /// How lexical and semantic results are combined.
    pub fusion: Fusion,
    /// Which ranking signals are enabled.
    pub signals: Signals,
    /// Which pages to search.
    pub filter: Filter,
    /// The period and the participant to search.
    pub within: Within,
    /// Return structured lines of this kind instead of pages.
    pub kind: Option<HitKind>,
    /// The day, month or year as of which relations are evaluated, if not today. Anything dated later is ignored.
    pub as_of: Option<PartialDate>,
    /// Maximum number of hits.
    pub limit: usize,
    /// Number of hits to skip.
    pub offset: usize,
    /// Minimum cosine of pages found by embedding.
    pub min_similarity: Option<f64>,
    /// Whether to judge how well the hits answer the query, and to leave them out if they do not.
    pub judge: bool,
    /// Whether to return hits that do not answer the query too.
    pub all: bool,
    /// Whether to explain the score of each hit, stage by stage.
    pub explain: bool,
    /// The content to return with the hits; without it, hits have an excerpt only.
    pub budget: Option<Budget>,
}

/// The kind of a hit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HitKind {
    /// A page.
    Page,
    /// An observation.
    Observation,
    /// A relation.
    Relation,
    /// A fact.
    Fact,
    /// A timeline entry.
    Entry,
}

/// How much of each hit to return. The passage that matched is always part of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Depth {
    /// One line: title and passage.
    List,
    /// Title, summary and passage.
    Summary,
    /// The matching section.
    Section,
    /// The whole page without its frontmatter and timeline.
    Full,
    /// The best passages of all pages; small pages and those that the query names are whole.
    #[default]
    Auto,
}

/// A token budget for the content of hits. The caller's formatting counts.
#[derive(Debug, Clone, Copy)]
pub struct Budget {
    /// How much of each hit to return.
    pub depth: Depth,
    /// Maximum number of tokens.
    pub tokens: usize,
    /// Whether a person or an agent asked for this many; otherwise an answer ends where more adds little.
    pub is_requested: bool,
    /// Tokens around all hits.
    pub base: usize,
    /// Returns the tokens around the passages of a hit, such as its title.
    pub around: fn(&VaultContext, &Hit, Depth) -> usize,
    /// Tokens around a passage, such as its line numbers.
    pub passage: usize,
}
