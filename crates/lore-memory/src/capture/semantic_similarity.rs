//! Semantic similarity between a text and the pages of the vault. The text is split into the chunks it would have in
//! the index, and each is compared with the chunks of the pages.

use std::collections::BTreeMap;

use lore_engine::{Capture, Note, Result, VaultContext, VectorQuery, chunks, nearest};
use lore_page::Format;
use lore_ports::{Filter, ModelRow, PageNo};

use super::similar::CANDIDATES;

/// Number of bytes of a text that are split into chunks.
const MAX_BYTES: usize = 16 * 1024;

/// Number of chunks that are embedded. The first chunks show what a text is about, and each one costs a scan of all
/// pages.
const CHUNKS: usize = 4;

/// Number of words above which a text counts as long.
const LONG: usize = 80;

/// Minimum cosines for similar and related pages.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Thresholds {
    pub similar: f64,
    /// None if related pages are not linked.
    pub related: Option<f64>,
}

/// Default thresholds of one model. Each model distributes cosines differently.
struct ModelThresholds {
    model: &'static str,
    similar: f64,
    related: f64,
    /// Added for long texts. A static model averages word vectors, so longer texts on the same subject look more alike.
    long: f64,
}

/// Thresholds measured with `eval/capture`, which has the figures.
const MEASURED: [ModelThresholds; 2] = [
    ModelThresholds { model: "wordllama-256", similar: 0.65, related: 0.45, long: 0.2 },
    ModelThresholds { model: "all-MiniLM-L6-v2", similar: 0.7, related: 0.5, long: 0.0 },
];

/// Conservative thresholds for models that have not been measured: too few pages rather than too many.
const UNMEASURED: ModelThresholds = ModelThresholds { model: "", similar: 0.85, related: 0.75, long: 0.0 };

/// Semantic similarity of pages to a text.
#[derive(Debug, Default)]
pub(super) struct SemanticSimilarity {
    /// Cosine of each nearby page and of each page in `also`.
    pub cosines: BTreeMap<PageNo, f64>,
    pub thresholds: Thresholds,
    /// Model that computed the cosines.
    pub model: Option<String>,
    /// Why no model was used, or what it has not embedded yet.
    pub note: Option<Note>,
}

/// Returns the pages nearest to a text with this title, and those in `also`. Without a model the result is empty and a
/// note gives the reason.
pub(super) fn semantic_similarity(
    context: &VaultContext,
    title: &str,
    text: &str,
    also: &[PageNo],
    filter: &Filter,
) -> Result<SemanticSimilarity> {
    let unavailable = |note| SemanticSimilarity { note: Some(note), ..SemanticSimilarity::default() };
    let failed = |error| unavailable(Note::Model { error, effect: None });
    let Some(row) = context.active_model()? else {
        return Ok(unavailable(Note::Remark("no embedding model is set up".into())));
    };
    let name = row.identity.name.clone();
    let embedder = match context.embedder(&row) {
        Ok(embedder) => embedder,
        Err(error) => return Ok(failed(error)),
    };
    if !embedder.reads(text) {
        let note = format!("{name} does not support the script of the text");
        return Ok(unavailable(Note::Remark(note)));
    }
    let texts = first_chunks(title, text);
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let vectors = match embedder.embed_passages(&texts) {
        Ok(vectors) => vectors,
        Err(error) => return Ok(failed(error)),
    };
    let cosines = mean_cosines(context, &row, &vectors, also, filter)?;
    let pending = context.store().count_pending(context.project(), row.number)?;
    let effect = "were compared by words only";
    let note = (pending > 0).then_some(Note::NotEmbedded { count: pending, what: "chunk", effect });
    let thresholds = thresholds(&context.policy().capture, &name, text);
    Ok(SemanticSimilarity { cosines, thresholds, model: Some(name), note })
}

/// Returns the first chunks that a page with this text would have.
fn first_chunks(title: &str, text: &str) -> Vec<String> {
    let text = &text[..text.floor_char_boundary(MAX_BYTES)];
    let mut page = Format::guess(text).parse(text).page;
    page.title = title.to_owned();
    chunks(&page, text).into_iter().take(CHUNKS).map(|chunk| chunk.text).collect()
}

/// Returns, for each page, the mean over all vectors of the cosine to its nearest chunk. The mean keeps a page that
/// matches only one part of a long text from counting as similar.
fn mean_cosines(
    context: &VaultContext,
    row: &ModelRow,
    vectors: &[Vec<f32>],
    also: &[PageNo],
    filter: &Filter,
) -> Result<BTreeMap<PageNo, f64>> {
    let mut sums: BTreeMap<PageNo, f64> = also.iter().map(|page| (*page, 0.0)).collect();
    for vector in vectors {
        let also: Vec<PageNo> = sums.keys().copied().collect();
        let query = VectorQuery { model: row.number, vector, filter, limit: CANDIDATES, also: &also };
        for hit in nearest(context, &query)? {
            *sums.entry(hit.chunk.page).or_default() += f64::from(hit.similarity);
        }
    }
    sums.values_mut().for_each(|sum| *sum /= vectors.len().max(1) as f64);
    Ok(sums)
}

/// Returns the policy's thresholds, else the defaults for the model and the length of the text.
fn thresholds(policy: &Capture, model: &str, text: &str) -> Thresholds {
    let defaults = MEASURED.iter().find(|defaults| defaults.model == model).unwrap_or(&UNMEASURED);
    let extra = if text.split_whitespace().nth(LONG).is_some() { defaults.long } else { 0.0 };
    let related = policy.related.unwrap_or(defaults.related + extra);
    Thresholds {
        similar: policy.meaning.unwrap_or(defaults.similar + extra),
        related: (related > 0.0).then_some(related),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_chunked_like_its_page() {
        assert_eq!(first_chunks("Looms", "Looms weave.\n"), ["Looms\nLooms weave."]);
        assert_eq!(
            first_chunks("Looms", "---\ntags: [a]\n---\n# Looms\n\nThey weave.\n"),
            ["Looms\nThey weave."]
        );
        assert_eq!(first_chunks("T", ""), ["T"]);
        let long = "## Part\n\nSome words of it.\n\n".repeat(2000);
        assert_eq!(first_chunks("T", &long).len(), CHUNKS);
        let cut = "ä".repeat(MAX_BYTES);
        assert!(first_chunks("T", &cut).iter().map(String::len).sum::<usize>() <= MAX_BYTES + 100);
    }
    #[test]
    fn policy_overrides_model_thresholds() {
        let defaults = Capture::default();
        let shown = |policy: &Capture, model: &str, words: usize| {
            let Thresholds { similar, related } = thresholds(policy, model, &"word ".repeat(words));
            format!("{similar:.2} {}", related.map_or("none".into(), |related| format!("{related:.2}")))
        };
        assert_eq!(shown(&defaults, "wordllama-256", 10), "0.65 0.45");
        assert_eq!(shown(&defaults, "wordllama-256", 81), "0.85 0.65");
        assert_eq!(shown(&defaults, "all-MiniLM-L6-v2", 81), "0.70 0.50");
        assert_eq!(shown(&defaults, "ollama:nomic-embed-text", 10), "0.85 0.75");
        let stated = Capture { meaning: Some(0.9), related: Some(0.0), ..Capture::default() };
        assert_eq!(shown(&stated, "wordllama-256", 81), "0.90 none");
    }
}
