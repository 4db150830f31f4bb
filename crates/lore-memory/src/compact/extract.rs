//! The built-in summarizer, which needs no model: it selects the most important sentences and keeps structured lines
//! that are still valid. Pure and deterministic; every sentence comes from one of the pages.

mod lines;
mod rank;

use std::collections::BTreeMap;

use lore_page::{Page, parse};
use lore_ports::TextModelError;
use lore_text::{estimate_tokens, jaccard, similarity};

use self::lines::{KeptLines, kept_lines};
use self::rank::{RankedSentence, ranked};
use super::prose::sentences;
use super::summarizer::{Summarizer, SummarySource};

/// Minimum similarity of two equal sentences.
const SAME: f64 = 0.7;

/// Share of the budget for observations and relations.
const FOR_LINES: f64 = 0.5;

/// Share of the budget for timeline entries.
const FOR_ENTRIES: f64 = 0.2;

/// The built-in extractive summarizer.
#[derive(Debug, Clone)]
pub struct Extractive {
    /// Today as `YYYY-MM-DD`; statements that have ended before are left out.
    pub today: String,
    /// Approximate number of tokens of a summary. Facts that are still valid are always kept.
    pub tokens: usize,
}

impl Summarizer for Extractive {
    fn name(&self) -> String {
        "extractive".into()
    }

    fn summarize(&self, pages: &[SummarySource]) -> Result<String, TextModelError> {
        let text = extract(pages, &self.today, self.tokens);
        let place = self.name();
        if text.is_empty() {
            return Err(TextModelError { place, reason: "the pages have no text".into() });
        }
        Ok(text)
    }
}

/// Returns a summary of pages: selected sentences, structured lines that are still valid, and their sources.
fn extract(sources: &[SummarySource], today: &str, tokens: usize) -> String {
    let pages: Vec<Page> = sources.iter().map(|source| parse(&source.path, &source.text).page).collect();
    let mut newest: Vec<usize> = (0..sources.len()).collect();
    newest.sort_by(|a, b| {
        sources[*b].date.cmp(&sources[*a].date).then(sources[*a].slug.cmp(&sources[*b].slug))
    });
    let lines = kept_lines(sources, &pages, &newest, today);
    let mut budget = tokens;
    let facts = take(&lines.facts, usize::MAX, &mut budget);
    let part = |part: f64| (tokens as f64 * part) as usize;
    let observations = take(&lines.observations, part(FOR_LINES), &mut budget);
    let relations = take(&lines.relations, part(FOR_LINES).min(budget), &mut budget);
    let entries = take(&lines.entries, part(FOR_ENTRIES), &mut budget);
    let mut all: Vec<RankedSentence> = Vec::new();
    for (rank, at) in newest.iter().enumerate() {
        let own = sentences(&pages[*at], &sources[*at].text).into_iter().enumerate();
        // Ranges from 1 for the oldest page to 1.3 for the newest.
        let age = 1.3 - 0.3 * rank as f64 / (newest.len().max(2) - 1) as f64;
        all.extend(own.map(|(order, text)| RankedSentence::new(*at, order, text, age)));
    }
    let chosen = choose(ranked(all), &newest, budget.max(tokens / 3));
    if chosen.is_empty() && lines.is_empty() {
        return String::new();
    }
    let mut text = paragraphs(sources, &newest, chosen);
    section(&mut text, "Decisions and observations", &observations);
    section(&mut text, "Facts", &facts);
    section(&mut text, "Relations", &relations);
    let cited: Vec<String> =
        newest.iter().map(|at| format!("- {} ({})", cite(&sources[*at]), sources[*at].date)).collect();
    section(&mut text, "Sources", &cited);
    if !entries.is_empty() {
        text.push_str("\n---\n");
        section(&mut text, "Timeline", &entries);
    }
    text
}

/// Returns as many of the lines as fit a share of the budget.
fn take(lines: &[String], limit: usize, budget: &mut usize) -> Vec<String> {
    let mut spent = 0;
    let fit = lines.iter().take_while(|line| {
        spent += estimate_tokens(line);
        spent <= limit
    });
    let taken: Vec<String> = fit.cloned().collect();
    let cost: usize = taken.iter().map(|line| estimate_tokens(line)).sum();
    *budget = budget.saturating_sub(cost);
    taken
}

/// Selects sentences within a budget: first the best of every page, then the best overall, skipping duplicates.
fn choose(ranked: Vec<RankedSentence>, newest: &[usize], budget: usize) -> Vec<RankedSentence> {
    let mut order: Vec<usize> = newest
        .iter()
        .filter_map(|page| ranked.iter().position(|sentence| sentence.source == *page))
        .collect();
    order.sort_unstable();
    let rest: Vec<usize> = (0..ranked.len()).filter(|at| !order.contains(at)).collect();
    let mut remaining = budget;
    let mut chosen: Vec<RankedSentence> = Vec::new();
    for at in order.into_iter().chain(rest) {
        let sentence = &ranked[at];
        let is_duplicate = |other: &RankedSentence| {
            jaccard(&other.terms, &sentence.terms) >= SAME
                || similarity(&other.terms, &sentence.terms) >= 0.85
        };
        let cost = estimate_tokens(&sentence.text);
        if cost <= remaining && !chosen.iter().any(is_duplicate) {
            remaining -= cost;
            chosen.push(sentence.clone());
        }
    }
    chosen
}

/// Returns one paragraph per page, newest first, with its sentences in page order and a link to the page.
fn paragraphs(sources: &[SummarySource], newest: &[usize], chosen: Vec<RankedSentence>) -> String {
    let mut by_page: BTreeMap<usize, Vec<RankedSentence>> = BTreeMap::new();
    for sentence in chosen {
        by_page.entry(sentence.source).or_default().push(sentence);
    }
    let mut text = String::new();
    for at in newest {
        let Some(mut own) = by_page.remove(at) else { continue };
        own.sort_by_key(|sentence| sentence.order);
        let words: Vec<String> = own.iter().map(|sentence| with_full_stop(&sentence.text)).collect();
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&format!("{} ({})\n", words.join(" "), cite(&sources[*at])));
    }
    text
}

/// Returns a sentence with a full stop, which list items often lack.
fn with_full_stop(sentence: &str) -> String {
    let ends = sentence.ends_with(['.', '!', '?', '…', '。', '！', '？', ':', ';', '"', '”', '»']);
    if ends { sentence.to_owned() } else { format!("{sentence}.") }
}

fn section(text: &mut String, heading: &str, lines: &[String]) {
    if lines.is_empty() {
        return;
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str(&format!("## {heading}\n\n{}\n", lines.join("\n")));
}

/// Returns a link to a page, labelled with its title if the title is valid in a link.
fn cite(source: &SummarySource) -> String {
    let plain = !source.title.contains(['[', ']', '|', '#', '\n']) && source.title != source.slug;
    if plain { format!("[[{}|{}]]", source.slug, source.title) } else { format!("[[{}]]", source.slug) }
}

impl KeptLines {
    fn is_empty(&self) -> bool {
        [&self.facts, &self.observations, &self.relations, &self.entries].iter().all(|lines| lines.is_empty())
    }
}

#[cfg(test)]
mod tests;
