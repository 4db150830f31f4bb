//! Finds pages similar to a text, by embedding where a model can read it and by shared words.
//!
//! Both methods count, since each finds what the other misses: words match names and numbers, embeddings match
//! synonyms. A page is similar if either score reaches its own threshold.

use std::collections::BTreeSet;

use lore_engine::{Result, VaultContext, page_body, prepare};
use lore_ports::{Filter, PageNo, PageRow, TextQuery, Weights, Window};
use lore_text::{jaccard, similarity, terms};

use super::nearness::nearness;

/// Maximum number of candidate pages per method.
pub(super) const CANDIDATES: usize = 20;

/// Number of characters of a text used as a query.
pub(super) const LOOKED_FOR: usize = 2000;

/// A page similar to the text.
#[derive(Debug)]
pub struct Similar {
    /// The page.
    pub page: PageRow,
    /// Score between 0 and 1, by the method with the clearer result.
    pub likeness: f64,
    /// Method that gave the score.
    pub way: Way,
}

/// Method of comparing two texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// Cosine of their embeddings.
    Meaning,
    /// Overlap of their terms.
    WriteOptions,
}

impl Way {
    /// Returns the name of the method.
    pub fn name(self) -> &'static str {
        match self {
            Way::Meaning => "meaning",
            Way::WriteOptions => "terms",
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
    pub note: Option<String>,
    /// Semantically close pages, nearest first, whether similar or not.
    pub(super) near: Vec<(PageRow, f64)>,
    /// Minimum cosine of a related page.
    pub(super) related_from: Option<f64>,
}

/// Returns the pages similar to a text with this title.
pub fn similar_pages(context: &VaultContext, title: &str, text: &str) -> Result<Comparison> {
    let policy = context.policy();
    let own = terms(&format!("{title}\n{text}"));
    let mut numbers = by_words(context, &own, text)?;
    let meaning = nearness(context, title, text, &numbers)?;
    let worded: BTreeSet<PageNo> = numbers.iter().copied().collect();
    numbers.extend(meaning.near.keys().filter(|page| !worded.contains(page)));
    let mut found = Vec::new();
    let mut near = Vec::new();
    for page in context.store().pages(context.project(), &numbers)? {
        // Generated files repeat the words of other pages and add nothing of their own.
        if policy.generated.iter().any(|made| made.path.matches(&page.path)) {
            continue;
        }
        let shared = match worded.contains(&page.number) {
            true => said_on(&own, &page, &page_body(context, &page)?),
            false => 0.0,
        };
        let cosine = meaning.near.get(&page.number).copied();
        let ways = [
            Some((Way::WriteOptions, shared, policy.capture.similar)),
            cosine.map(|cosine| (Way::Meaning, cosine, meaning.thresholds.similar)),
        ];
        if let Some((margin, way, likeness)) = clearest(&ways) {
            found.push((margin, Similar { page: page.clone(), likeness, way }));
        }
        near.extend(cosine.map(|cosine| (page, cosine)));
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.page.path.cmp(&b.1.page.path)));
    near.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.path.cmp(&b.0.path)));
    Ok(Comparison {
        similar: found.into_iter().map(|(_, similar)| similar).collect(),
        model: meaning.model,
        note: meaning.note,
        near,
        related_from: meaning.thresholds.related,
    })
}

/// Returns the method that exceeds its threshold by the largest margin. The two scores are not on one scale, but the
/// fraction of the distance from threshold to 1 is.
fn clearest(ways: &[Option<(Way, f64, f64)>]) -> Option<(f64, Way, f64)> {
    let above = ways.iter().flatten().filter(|(_, likeness, least)| likeness >= least);
    let margin = |likeness: f64, least: f64| (likeness - least) / (1.0 - least).max(f64::EPSILON);
    let margins = above.map(|(way, likeness, least)| (margin(*likeness, *least), *way, *likeness));
    margins.max_by(|a, b| a.0.total_cmp(&b.0))
}

/// Returns the pages that share words with a text, best first.
fn by_words(context: &VaultContext, own: &BTreeSet<String>, text: &str) -> Result<Vec<PageNo>> {
    let words = own.iter().cloned().collect::<Vec<_>>().join(" ");
    let looked_for = if words.is_empty() { beginning(text) } else { &words };
    let Some(expression) = prepare(looked_for).relaxed else { return Ok(Vec::new()) };
    let query = TextQuery {
        expression: &expression,
        filter: &Filter::default(),
        weights: Weights::default(),
        window: Window { limit: CANDIDATES, offset: 0 },
    };
    let hits = context.store().search(context.project(), &query)?;
    Ok(hits.iter().map(|hit| hit.page).collect())
}

/// Returns the part of a text used as a query.
pub(super) fn beginning(text: &str) -> &str {
    text.char_indices().nth(LOOKED_FOR).map_or(text, |(at, _)| &text[..at])
}

/// Returns how similar a page is, as a whole or in its best paragraph. A long page contains most words of its subject,
/// so scattered words do not count; nor does a paragraph that says much less than the text.
fn said_on(own: &BTreeSet<String>, page: &PageRow, body: &str) -> f64 {
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
        let begins = line.trim().is_empty() || line.trim_start().starts_with(['-', '*', '+', '#']);
        match found.last_mut() {
            Some(last) if !begins => last.push_str(&format!("{line}\n")),
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
        let ways = |terms: f64, cosine: Option<f64>| {
            let found = clearest(&[
                Some((Way::WriteOptions, terms, 0.5)),
                cosine.map(|cosine| (Way::Meaning, cosine, 0.8)),
            ]);
            found.map(|(_, way, likeness)| (way, likeness))
        };
        assert_eq!(ways(0.49, Some(0.79)), None);
        assert_eq!(ways(0.49, None), None);
        assert_eq!(ways(0.5, None), Some((Way::WriteOptions, 0.5)));
        assert_eq!(ways(0.1, Some(0.8)), Some((Way::Meaning, 0.8)));
        assert_eq!(ways(0.6, Some(0.9)), Some((Way::Meaning, 0.9)), "a margin of one half beats one fifth");
        assert_eq!(ways(0.9, Some(0.9)), Some((Way::WriteOptions, 0.9)));
        assert_eq!(ways(0.9, Some(f64::NAN)), Some((Way::WriteOptions, 0.9)));
    }
}
