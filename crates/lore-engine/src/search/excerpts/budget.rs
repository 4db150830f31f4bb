//! Fits the content of hits into a token budget: the best passages of all candidate pages, or as much of each hit as
//! was asked for. The passage that matched is part of every hit, and the result never exceeds the budget.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use lore_page::Format;
use lore_vault::decode;

use super::fitting::Fitting;
use super::remarks::remarks;
use crate::context::VaultContext;
use crate::error::Result;
use crate::search::ambiguity::asked_pages;
use crate::search::expression::{Prepared, Term, asked_time};
use crate::search::page_date::page_day;
use crate::search::passages::{Candidate, Question, Units, score, units};
use crate::search::request::{Budget, Depth, Mode, SearchRequest};
use crate::search::result::{Content, Excerpt, Hit, SearchResult, Spent};
use crate::search::within::Within;

/// The type of pages that only record where something came from.
const SOURCE: &str = "source";

/// Fills hits with content, and drops those beyond the limit or the budget.
pub(in crate::search) fn fit(
    context: &VaultContext,
    request: &SearchRequest,
    query: &Prepared,
    result: &mut SearchResult,
    budget: &Budget,
) -> Result<()> {
    let time = asked_time(&request.text, &context.today());
    let question = Question::new(&request.text, context.now().date(), time);
    let mut terms = Term::all(query);
    terms.retain(|term| !question.numbers.iter().any(|number| term.is(number)));
    let texts: Vec<String> = result.hits.iter_mut().map(|hit| read(context, hit)).collect();
    let mut split: Vec<Units> =
        result.hits.iter().zip(&texts).map(|(hit, text)| units(Format::of(&hit.page.path), text)).collect();
    for ((hit, text), units) in result.hits.iter().zip(&texts).zip(&mut split) {
        units.list.retain(|unit| request.within.has_line(&hit.page, &text[unit.bytes.clone()]));
    }
    let pages = candidates(&result.hits, &texts, &split, time.past);
    let by_words = matches!(result.mode, Mode::Lexical | Mode::Words | Mode::Fields);
    let embed = |words: &[&str]| if by_words { None } else { context.models().embed_words(words) };
    let scored = score(&question, &terms, &pages, &embed);
    let notes = remarks(&request.text, &question, &result.hits, &pages, &scored);
    let limit = request.limit;
    let depth = depth(result.mode, budget.depth);
    let budget = &Budget { depth, ..*budget };
    let fitting = Fitting {
        context,
        budget,
        hits: &result.hits,
        pages: &pages,
        scored: &scored,
        terms: &terms,
        asked: &asked_pages(context, request)?,
        matches: vec![OnceCell::new(); result.hits.len()],
        limit,
    };
    let found = match depth {
        Depth::Auto => fitting.passages(),
        depth => fitting.each(depth),
    };
    let found = fitting.with_best(found);
    result.notes.extend(notes);
    finish(result, found, budget, limit);
    Ok(())
}

/// Returns the depth of an answer. In a search by fields, lines do not compete: the order of the pages is what was
/// asked for.
fn depth(mode: Mode, asked: Depth) -> Depth {
    match asked {
        Depth::Auto if mode == Mode::Fields => Depth::Summary,
        depth => depth,
    }
}

fn candidates<'a>(
    hits: &[Hit],
    texts: &'a [String],
    split: &'a [Units],
    asks_past: bool,
) -> Vec<Candidate<'a>> {
    let candidate = |((hit, text), units): ((&Hit, &'a String), &'a Units)| Candidate {
        text,
        units,
        score: hit.score.min(1.5),
        day: page_day(&hit.page),
        is_stub: hit.page.kind == SOURCE && is_cited(hit, hits, texts)
            || !asks_past && !hit.named && !hit.answers && !hit.state.superseded_by.is_empty(),
    };
    hits.iter().zip(texts).zip(split).map(candidate).collect()
}

/// Returns whether another candidate refers to a page, so that it says more than the source itself.
fn is_cited(source: &Hit, hits: &[Hit], texts: &[String]) -> bool {
    let others = hits.iter().zip(texts).filter(|(hit, _)| hit.page.number != source.page.number);
    others.filter(|(hit, _)| hit.page.kind != SOURCE).any(|(_, text)| text.contains(&source.page.slug))
}

/// Returns whether a hit is within the period and has the participant of a request.
pub(in crate::search) fn is_within(context: &VaultContext, hit: &Hit, within: &Within) -> bool {
    let read = || {
        let file = context.vault().read(&hit.page.path, u64::MAX).ok().flatten();
        file.map(|file| decode(&file.bytes).text.into_owned())
    };
    let Some(text) = hit.text.clone().or_else(read) else { return false };
    within.has_page(&hit.page, &text, &units(Format::of(&hit.page.path), &text))
}

/// Keeps the hits that have content, and records what was spent.
fn finish(result: &mut SearchResult, mut found: BTreeMap<usize, Content>, budget: &Budget, limit: usize) {
    let wanted = result.hits.len().min(limit);
    let total = budget.base + found.values().map(|content| content.tokens).sum::<usize>();
    let mut at = 0;
    result.hits.retain_mut(|hit| {
        let content = found.remove(&at);
        at += 1;
        if let Some(content) = &content {
            let best = content.passages.get(content.matched);
            let lines = best.map(|passage| passage.lines);
            hit.excerpt = match (hit.excerpt.take(), lines, hit.hash) {
                (None, Some(lines), Some(hash)) => {
                    let text = best.map(|passage| passage.text.clone()).unwrap_or_default();
                    Some(Excerpt { text, lines, hash })
                }
                (known, ..) => known,
            };
        }
        hit.content = content;
        hit.content.is_some()
    });
    let total = if result.hits.is_empty() { 0 } else { total };
    let left_out = wanted.saturating_sub(result.hits.len());
    result.spent = Some(Spent { total, remaining: budget.tokens.saturating_sub(total), left_out });
}

/// Returns the page's text, reusing what was read for the excerpt if available.
fn read(context: &VaultContext, hit: &mut Hit) -> String {
    if let Some(text) = hit.text.take() {
        return text;
    }
    let file = context.vault().read(&hit.page.path, u64::MAX).ok().flatten();
    file.map(|file| decode(&file.bytes).text.into_owned()).unwrap_or_default()
}
