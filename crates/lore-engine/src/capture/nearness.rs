//! How near pages are to a text by their meaning: its chunks as the index would have them, held against those of the
//! pages.

use std::collections::BTreeMap;

use lore_page::parse;

use super::similar::CANDIDATES;
use crate::chunk::chunks;
use crate::error::Result;
use crate::index::{Filter, PageNo};
use crate::memory::Memory;
use crate::policy::Capture;
use crate::vectors::{ModelRow, VectorQuery};

/// How much of a text is cut into chunks.
const LOOKED_AT: usize = 16 * 1024;

/// How many chunks of a text are embedded: the first say what it is about, and each costs a look over all pages.
const CHUNKS: usize = 4;

/// From so many words on a text is long.
const LONG: usize = 80;

/// From which cosine on a page says the same, and from which on it is related.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Thresholds {
    pub similar: f64,
    /// None where no page is to be linked.
    pub related: Option<f64>,
}

/// The thresholds that suit a model: no two spread meanings alike.
struct Usual {
    model: &'static str,
    similar: f64,
    related: f64,
    /// How much is added for a long text. A static model's vector is a mean of words, and the more there are, the more
    /// one text looks like another of its field.
    long: f64,
}

/// As they came out on `eval/capture`, where the figures are.
const MEASURED: [Usual; 2] = [
    Usual { model: "wordllama-256", similar: 0.65, related: 0.45, long: 0.2 },
    Usual { model: "all-MiniLM-L6-v2", similar: 0.7, related: 0.5, long: 0.0 },
];

/// For a model that nobody has measured: rather too few pages than too many.
const UNKNOWN: Usual = Usual { model: "", similar: 0.85, related: 0.75, long: 0.0 };

/// What meaning has to say about a text.
#[derive(Debug, Default)]
pub(super) struct Nearness {
    /// The cosine of each page that is near, and of those that were asked for.
    pub near: BTreeMap<PageNo, f64>,
    pub thresholds: Thresholds,
    /// The model that answered.
    pub model: Option<String>,
    /// Why none did, or what it does not know yet.
    pub note: Option<String>,
}

/// The pages nearest to a text with this title, and those in `also`. Without a model there are none, and a note says why.
pub(super) fn nearness(memory: &Memory, title: &str, text: &str, also: &[PageNo]) -> Result<Nearness> {
    let without = |reason: String| Nearness { note: Some(reason), ..Nearness::default() };
    let Some(row) = memory.active_model()? else {
        return Ok(without("there is no embedding model".into()));
    };
    let name = row.identity.name.clone();
    let embedder = match memory.embedder(&row) {
        Ok(embedder) => embedder,
        Err(reason) => return Ok(without(reason.to_string())),
    };
    if !embedder.reads(text) {
        return Ok(without(format!("{name} does not read the script of the text")));
    }
    let pieces = pieces(title, text);
    let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
    let vectors = match embedder.embed_passages(&pieces) {
        Ok(vectors) => vectors,
        Err(reason) => return Ok(without(reason.to_string())),
    };
    let near = mean_cosines(memory, &row, &vectors, also)?;
    let waiting = memory.store().count_pending(memory.project(), row.number)?;
    let note = (waiting > 0).then(|| {
        format!("{waiting} chunks are not embedded yet and were compared by their words: run `lore embed`")
    });
    let thresholds = thresholds(&memory.policy().capture, &name, text);
    Ok(Nearness { near, thresholds, model: Some(name), note })
}

/// The chunks that a page of this text would have, the first of them.
fn pieces(title: &str, text: &str) -> Vec<String> {
    let text = &text[..text.floor_char_boundary(LOOKED_AT)];
    let mut page = parse("", text).page;
    page.title = title.to_owned();
    chunks(&page, text).into_iter().take(CHUNKS).map(|chunk| chunk.text).collect()
}

/// For each page the mean over the vectors of the cosine to its nearest chunk: a page that says what one part of a long
/// text says does not say the same as the text.
fn mean_cosines(
    memory: &Memory,
    row: &ModelRow,
    vectors: &[Vec<f32>],
    also: &[PageNo],
) -> Result<BTreeMap<PageNo, f64>> {
    let mut sums: BTreeMap<PageNo, f64> = also.iter().map(|page| (*page, 0.0)).collect();
    for vector in vectors {
        let also: Vec<PageNo> = sums.keys().copied().collect();
        let filter = Filter::default();
        let query =
            VectorQuery { model: row.number, vector, filter: &filter, limit: CANDIDATES, also: &also };
        for hit in memory.store().nearest(memory.project(), &query)? {
            *sums.entry(hit.chunk.page).or_default() += f64::from(hit.similarity);
        }
    }
    sums.values_mut().for_each(|sum| *sum /= vectors.len().max(1) as f64);
    Ok(sums)
}

/// What the policy says, else what suits the model and the length of the text.
fn thresholds(policy: &Capture, model: &str, text: &str) -> Thresholds {
    let usual = MEASURED.iter().find(|usual| usual.model == model).unwrap_or(&UNKNOWN);
    let more = if text.split_whitespace().nth(LONG).is_some() { usual.long } else { 0.0 };
    let related = policy.related.unwrap_or(usual.related + more);
    Thresholds {
        similar: policy.meaning.unwrap_or(usual.similar + more),
        related: (related > 0.0).then_some(related),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_embedded_as_its_page_would_be() {
        assert_eq!(pieces("Looms", "Looms weave.\n"), ["Looms\nLooms weave."]);
        assert_eq!(pieces("Looms", "---\ntags: [a]\n---\n# Looms\n\nThey weave.\n"), ["Looms\nThey weave."]);
        assert_eq!(pieces("T", ""), ["T"]);
        let long = "## Part\n\nSome words of it.\n\n".repeat(2000);
        assert_eq!(pieces("T", &long).len(), CHUNKS);
        let cut = "ä".repeat(LOOKED_AT);
        assert!(pieces("T", &cut).iter().map(String::len).sum::<usize>() <= LOOKED_AT + 100);
    }
    #[test]
    fn a_model_has_its_own_thresholds_and_the_policy_goes_before_them() {
        let usual = Capture::default();
        let shown = |policy: &Capture, model: &str, words: usize| {
            let Thresholds { similar, related } = thresholds(policy, model, &"word ".repeat(words));
            format!("{similar:.2} {}", related.map_or("none".into(), |related| format!("{related:.2}")))
        };
        assert_eq!(shown(&usual, "wordllama-256", 10), "0.65 0.45");
        assert_eq!(shown(&usual, "wordllama-256", 81), "0.85 0.65");
        assert_eq!(shown(&usual, "all-MiniLM-L6-v2", 81), "0.70 0.50");
        assert_eq!(shown(&usual, "ollama:nomic-embed-text", 10), "0.85 0.75");
        let stated = Capture { meaning: Some(0.9), related: Some(0.0), ..Capture::default() };
        assert_eq!(shown(&stated, "wordllama-256", 81), "0.90 none");
    }
}
