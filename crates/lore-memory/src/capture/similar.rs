//! Finds pages similar to a text, by embedding where a model can read it and by shared words.
//!
//! Both methods count, since each finds what the other misses: words match names and numbers, embeddings match
//! synonyms. A page is similar if either score reaches its own threshold.

use std::collections::BTreeSet;

use lore_engine::{Note, Result, VaultContext, WEIGHTS, full_text, page_body, prepare};
use lore_ports::{Filter, PageNo, PageRow, TextQuery, Window};
use lore_text::{Disagreement, disagreement, jaccard, similarity, terms};

use super::semantic_similarity::semantic_similarity;

/// Maximum number of candidate pages per method.
pub(super) const CANDIDATES: usize = 20;

/// Number of characters of a text used as a query.
pub(super) const QUERY_CHARS: usize = 2000;

/// A page similar to the text.
#[derive(Debug)]
pub struct Similar {
    /// The page.
    pub page: PageRow,
    /// Score between 0 and 1, by the method with the clearer result.
    pub score: f64,
    /// Method that gave the score.
    pub method: SimilarityMethod,
    /// How the text disagrees with the page, if it says nearly the same except for what matters.
    pub disagreement: Option<Disagreement>,
}

/// Method of comparing two texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SimilarityMethod {
    /// Cosine of their embeddings.
    Embedding,
    /// Overlap of their terms.
    Terms,
}

impl SimilarityMethod {
    /// Returns the name of the method.
    pub fn name(self) -> &'static str {
        match self {
            SimilarityMethod::Embedding => "meaning",
            SimilarityMethod::Terms => "terms",
        }
    }
}

/// Result of a similarity check.
#[derive(Debug, Default)]
pub struct Comparison {
    /// Similar pages, most similar first.
    pub similar: Vec<Similar>,
    /// Model that compared embeddings; if none, only words were compared.
    pub model: Option<String>,
    /// Why no model was used, or what it has not embedded yet.
    pub note: Option<Note>,
    /// Semantically close pages, nearest first, whether similar or not.
    pub(super) near: Vec<(PageRow, f64)>,
    /// Minimum cosine of a related page.
    pub(super) min_related: Option<f64>,
}

/// Returns the pages similar to a text with this title.
pub fn similar_pages(context: &VaultContext, title: &str, text: &str) -> Result<Comparison> {
    similar_pages_in(context, title, text, &Filter::default())
}

/// Returns whether a page has the same words as a text with this title, as far as words are compared.
pub(super) fn has_same_words(
    context: &VaultContext,
    title: &str,
    text: &str,
    filter: &Filter,
) -> Result<bool> {
    let own = terms(&format!("{title}\n{text}"));
    let minimum = context.policy().capture.similar;
    for page in context.store().pages(context.project(), &by_words(context, &own, text, filter)?)? {
        if lexical_similarity(&own, &page, &page_body(context, &page)?) >= minimum {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns the pages of a filter that are similar to a text with this title.
pub fn similar_pages_in(
    context: &VaultContext,
    title: &str,
    text: &str,
    filter: &Filter,
) -> Result<Comparison> {
    let policy = context.policy();
    let own = terms(&format!("{title}\n{text}"));
    let mut numbers = by_words(context, &own, text, filter)?;
    let semantic = semantic_similarity(context, title, text, &numbers, filter)?;
    let lexical: BTreeSet<PageNo> = numbers.iter().copied().collect();
    numbers.extend(semantic.cosines.keys().filter(|page| !lexical.contains(page)));
    let mut found = Vec::new();
    let mut near = Vec::new();
    for page in context.store().pages(context.project(), &numbers)? {
        // Generated files repeat the words of other pages and add nothing of their own.
        if policy.generated.iter().any(|generated| generated.path.matches(&page.path)) {
            continue;
        }
        let shared = match lexical.contains(&page.number) {
            true => lexical_similarity(&own, &page, &page_body(context, &page)?),
            false => 0.0,
        };
        let cosine = semantic.cosines.get(&page.number).copied();
        let scores = [
            Some((SimilarityMethod::Terms, shared, policy.capture.similar)),
            cosine.map(|cosine| (SimilarityMethod::Embedding, cosine, semantic.thresholds.similar)),
        ];
        if let Some((margin, method, score)) = clearest(&scores) {
            let disagreement = disagreement(&page_body(context, &page)?, text);
            found.push((margin, Similar { page: page.clone(), score, method, disagreement }));
        }
        near.extend(cosine.map(|cosine| (page, cosine)));
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.page.path.cmp(&b.1.page.path)));
    near.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.path.cmp(&b.0.path)));
    Ok(Comparison {
        similar: found.into_iter().map(|(_, similar)| similar).collect(),
        model: semantic.model,
        note: semantic.note,
        near,
        min_related: semantic.thresholds.related,
    })
}

/// Returns the method that exceeds its threshold by the largest margin. The two scores are not on one scale, but the
/// fraction of the distance from threshold to 1 is.
fn clearest(scores: &[Option<(SimilarityMethod, f64, f64)>]) -> Option<(f64, SimilarityMethod, f64)> {
    let above = scores.iter().flatten().filter(|(_, score, minimum)| score >= minimum);
    let margin = |score: f64, minimum: f64| (score - minimum) / (1.0 - minimum).max(f64::EPSILON);
    let margins = above.map(|(method, score, minimum)| (margin(*score, *minimum), *method, *score));
    margins.max_by(|a, b| a.0.total_cmp(&b.0))
}

/// Returns the pages that share words with a text, best first.
fn by_words(
    context: &VaultContext,
    own: &BTreeSet<String>,
    text: &str,
    filter: &Filter,
) -> Result<Vec<PageNo>> {
    let words = own.iter().cloned().collect::<Vec<_>>().join(" ");
    let query_text = if words.is_empty() { query_prefix(text) } else { &words };
    let Some(expression) = prepare(query_text).relaxed else { return Ok(Vec::new()) };
    let query = TextQuery {
        expression: &expression,
        filter,
        weights: WEIGHTS,
        window: Window { limit: CANDIDATES, offset: 0 },
    };
    let hits = full_text(context, &query)?;
    Ok(hits.iter().map(|hit| hit.page).collect())
}

/// Returns the part of a text used as a query.
pub(super) fn query_prefix(text: &str) -> &str {
    text.char_indices().nth(QUERY_CHARS).map_or(text, |(at, _)| &text[..at])
}

/// Returns how similar a page is, as a whole or in its best paragraph. A long page contains most words of its subject,
/// so scattered words do not count; nor does a paragraph that says much less than the text.
fn lexical_similarity(own: &BTreeSet<String>, page: &PageRow, body: &str) -> f64 {
    let summary = page.summary.as_deref().unwrap_or_default();
    let head = format!("{} {summary}", page.title);
    let whole = jaccard(own, &terms(&format!("{head}\n{body}")));
    let paragraphs = paragraphs(body);
    let parts = paragraphs.iter().map(String::as_str).chain([head.as_str()]).map(terms);
    let parts = parts.filter(|part| part.len() * 2 >= own.len());
    parts.map(|part| similarity(own, &part)).fold(whole, f64::max)
}

/// Splits a text into paragraphs; each list item is one.
fn paragraphs(body: &str) -> Vec<String> {
    let mut found: Vec<String> = vec![String::new()];
    for line in body.lines() {
        let starts_paragraph = line.trim().is_empty() || line.trim_start().starts_with(['-', '*', '+', '#']);
        match found.last_mut() {
            Some(last) if !starts_paragraph => last.push_str(&format!("{line}\n")),
            _ => found.push(format!("{line}\n")),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn largest_margin_above_threshold_wins() {
        let best = |terms: f64, cosine: Option<f64>| {
            let found = clearest(&[
                Some((SimilarityMethod::Terms, terms, 0.5)),
                cosine.map(|cosine| (SimilarityMethod::Embedding, cosine, 0.8)),
            ]);
            found.map(|(_, method, score)| (method, score))
        };
        assert_eq!(best(0.49, Some(0.79)), None);
        assert_eq!(best(0.49, None), None);
        assert_eq!(best(0.5, None), Some((SimilarityMethod::Terms, 0.5)));
        assert_eq!(best(0.1, Some(0.8)), Some((SimilarityMethod::Embedding, 0.8)));
        assert_eq!(
            best(0.6, Some(0.9)),
            Some((SimilarityMethod::Embedding, 0.9)),
            "a margin of one half beats one fifth"
        );
        assert_eq!(best(0.9, Some(0.9)), Some((SimilarityMethod::Terms, 0.9)));
        assert_eq!(best(0.9, Some(f64::NAN)), Some((SimilarityMethod::Terms, 0.9)));
    }
}
