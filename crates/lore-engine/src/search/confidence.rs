//! Confidence: how well a page answers a question, from 0 to 1. Unlike a score, it is comparable across questions.

use std::collections::BTreeSet;

use lore_ports::Embedder;
use lore_text::terms;

use super::excerpts::page_terms;
use super::result::{AnswerQuality, Hit, SearchResult};
use super::retrieve::page_similarity;
use crate::context::VaultContext;
use crate::error::{Error, Result};
use crate::note::Note;

/// Confidence in an answer from a link or a fact, and in a page that the question names.
const CERTAIN: f64 = 1.0;

/// Judges the best hit of a result and records the confidence there. A question without content words is not judged;
/// a failure is only a note, so that the hits are still returned.
pub(super) fn judge(context: &VaultContext, question: &str, result: &mut SearchResult) {
    let question_terms = terms(question);
    if question_terms.is_empty() {
        return;
    }
    // An answer from a link or a fact counts, whatever words the page contains.
    let best = result.hits.iter().position(|hit| hit.answers).unwrap_or(0);
    let Some(best) = result.hits.get_mut(best) else {
        result.quality = Some(AnswerQuality { confidence: 0.0, page: None });
        return;
    };
    match confidence(context, question, &question_terms, best) {
        Ok(confidence) => {
            best.confidence = Some(confidence);
            result.quality = Some(AnswerQuality { confidence, page: Some(best.page.clone()) });
        }
        Err(error) => {
            let note = format!("cannot judge how well this was answered: {error}");
            result.notes.push(Note::Remark(note));
        }
    }
}

/// Returns the share of the question's terms on the page, or the cosine, whichever is larger. Terms are counted first,
/// and no model is used if they reach the policy's threshold.
fn confidence(
    context: &VaultContext,
    question: &str,
    question_terms: &BTreeSet<String>,
    best: &Hit,
) -> Result<f64> {
    if best.answers || matches!(context.find(question), Ok(Some(_)) | Err(Error::Ambiguous { .. })) {
        return Ok(CERTAIN);
    }
    let page_terms = page_terms(context, &best.page)?;
    let covered =
        question_terms.intersection(&page_terms).count() as f64 / question_terms.len().max(1) as f64;
    if covered >= context.policy().gaps.threshold {
        return Ok(covered);
    }
    let query = |embedder: &dyn Embedder| embedder.embed_query(question);
    let cosine = page_similarity(context, question, &best.page, &query)?;
    Ok(cosine.unwrap_or_default().max(covered))
}
