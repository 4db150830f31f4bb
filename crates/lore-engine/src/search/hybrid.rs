//! Ranking: exact names first, then the fusion of lexical and semantic results, then the signals.

use std::collections::{HashMap, HashSet};

use lore_ports::{ChunkHit, ChunkRow, PageNo};

use super::fusion::{Fusion, Scored, fuse, sort};
use super::relation_search::{Answer, answers};
use super::retrievers::{Meaning, Words, by_any_word, by_meaning, by_words, exact, with_every_word};
use super::signals::{Named, dated, named};
use super::{Mode, Prepared, Ranked, SearchRequest};
use crate::context::VaultContext;
use crate::error::Result;
use crate::note::Note;

/// Minimum number of pages retrieved by each list: those further down have no chance of reaching the top.
const POOL: usize = 100;

/// Bonus for containing every word of the query, if several pages do, on a scale from 0 to 1.
const COMPLETE: f64 = 0.1;

/// Bonus for being named in the query.
const NAMED: f64 = 0.2;

/// Bonus for belonging to the wing of such a page.
const IN_WING: f64 = 0.1;

/// Bonus for having a date that is in the query.
const DATED: f64 = 0.1;

/// A ranking and how it was made.
pub(super) struct Ranking {
    pub ranked: Vec<Ranked>,
    pub relaxed: bool,
    pub mode: Mode,
    pub notes: Vec<Note>,
}

pub(super) fn rank(
    context: &VaultContext,
    request: &SearchRequest,
    prepared: &Prepared,
    needed: usize,
) -> Result<Ranking> {
    let mut first: Vec<Ranked> = Vec::new();
    if request.signals.exact {
        let named = exact(context, request)?.into_iter();
        first = named.map(|(page, why)| ranked(page, 0.0, vec![why.to_owned()])).collect();
    }
    if request.signals.relation && request.mode != Mode::Words {
        for Answer { page, why, line } in answers(context, request)? {
            if !first.iter().any(|known| known.page == page) {
                first.push(Ranked { line, answers: true, ..ranked(page, 0.0, vec![why]) });
            }
        }
    }
    let mut rest = match request.mode {
        Mode::Words => words(context, request, prepared, needed + first.len())?,
        Mode::Lexical | Mode::Semantic | Mode::Hybrid => {
            question(context, request, prepared, needed + first.len())?
        }
    };
    rest.ranked.retain(|hit| match first.iter_mut().find(|known| known.page == hit.page) {
        Some(known) => {
            known.chunk = known.chunk.take().or_else(|| hit.chunk.clone());
            false
        }
        None => true,
    });
    // An exact match ranks above the best of the others, also by its score.
    let (top, count) = (rest.ranked.first().map_or(0.0, |best| best.score), first.len());
    for (at, hit) in first.iter_mut().enumerate() {
        hit.score = top + (count - at) as f64;
    }
    first.append(&mut rest.ranked);
    rest.ranked = first;
    Ok(rest)
}

fn ranked(page: PageNo, score: f64, why: Vec<String>) -> Ranked {
    Ranked { page, score, why, chunk: None, answers: false, line: None }
}

fn words(
    context: &VaultContext,
    request: &SearchRequest,
    prepared: &Prepared,
    limit: usize,
) -> Result<Ranking> {
    let Words { list, relaxed } = by_words(context, request, prepared, limit)?;
    let why = if relaxed { "some words" } else { EVERY_WORD };
    let ranked = list.into_iter().map(|(page, score)| ranked(page, score, vec![why.to_owned()])).collect();
    Ok(Ranking { ranked, relaxed, mode: Mode::Words, notes: Vec::new() })
}

/// Ranks by words, embedding, or both. Without a model, by words alone, with a note.
fn question(
    context: &VaultContext,
    request: &SearchRequest,
    prepared: &Prepared,
    needed: usize,
) -> Result<Ranking> {
    let pool = POOL.max(needed);
    let mut words = match request.mode {
        Mode::Semantic => Vec::new(),
        _ => by_any_word(context, request, prepared, pool)?,
    };
    // Weighted sums need both scores of every page; ranks do not.
    let also: Vec<PageNo> = match request.fusion {
        Fusion::Weighted(_) if request.mode == Mode::Hybrid => words.iter().map(|(page, _)| *page).collect(),
        _ => Vec::new(),
    };
    let (mut mode, mut near, mut notes) = (request.mode, Vec::new(), Vec::new());
    if mode != Mode::Lexical {
        match by_meaning(context, request, pool, &also)? {
            Meaning::Found(found, note) => {
                near = found;
                notes.extend(note);
            }
            Meaning::Without(reason) => {
                mode = Mode::Lexical;
                words = by_any_word(context, request, prepared, pool)?;
                notes.push(reason);
            }
        }
    }
    let resolve_targets: Vec<Scored> =
        near.iter().map(|hit| (hit.chunk.page, f64::from(hit.similarity))).collect();
    let mut list = match mode {
        Mode::Hybrid => fuse(request.fusion, &words, &resolve_targets),
        Mode::Semantic => resolve_targets,
        Mode::Lexical | Mode::Words => fuse(Fusion::Weighted(0.0), &words, &[]),
    };
    let mut reasons = Reasons::new(&words, &near);
    if mode != Mode::Semantic {
        add_signals(context, request, prepared, &mut list, &mut reasons)?;
    }
    if request.signals.recency {
        last_changed_first(context, &mut list, needed)?;
    }
    list.truncate(needed);
    let ranked = list.into_iter().map(|(page, score)| reasons.of(page, score)).collect();
    Ok(Ranking { ranked, relaxed: false, mode, notes })
}

/// Orders equally good pages by their last change. Only those that could be shown are considered.
fn last_changed_first(context: &VaultContext, list: &mut [Scored], needed: usize) -> Result<()> {
    let last = list.get(needed.saturating_sub(1)).or(list.last()).map_or(0.0, |last| last.1);
    let end = list.partition_point(|(_, score)| *score >= last);
    let shown = &mut list[..end];
    if !shown.windows(2).any(|two| two[0].1 == two[1].1) {
        return Ok(());
    }
    let numbers: Vec<PageNo> = shown.iter().map(|(page, _)| *page).collect();
    let rows = context.store().pages(context.project(), &numbers)?;
    let known: HashMap<PageNo, (std::cmp::Reverse<i64>, &str)> =
        rows.iter().map(|row| (row.number, (std::cmp::Reverse(row.updated), row.path.as_str()))).collect();
    let changed = |page: PageNo| known.get(&page);
    shown.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| changed(a.0).cmp(&changed(b.0))));
    Ok(())
}

/// The reasons for each page.
struct Reasons {
    words: HashSet<PageNo>,
    near: HashMap<PageNo, (ChunkRow, f32)>,
    signals: HashMap<PageNo, Vec<String>>,
}

impl Reasons {
    fn new(words: &[Scored], near: &[ChunkHit]) -> Self {
        Reasons {
            words: words.iter().map(|(page, _)| *page).collect(),
            near: near.iter().map(|hit| (hit.chunk.page, (hit.chunk.clone(), hit.similarity))).collect(),
            signals: HashMap::new(),
        }
    }

    fn add(&mut self, page: PageNo, why: &str) {
        self.signals.entry(page).or_default().push(why.to_owned());
    }

    fn of(&self, page: PageNo, score: f64) -> Ranked {
        let mut why = self.signals.get(&page).cloned().unwrap_or_default();
        if self.words.contains(&page) && !why.iter().any(|why| why == EVERY_WORD) {
            why.push("some words".into());
        }
        let near = self.near.get(&page);
        why.extend(near.map(|(_, similarity)| format!("similarity {similarity:.2}")));
        Ranked { chunk: near.map(|(chunk, _)| chunk.clone()), ..ranked(page, score, why) }
    }
}

const EVERY_WORD: &str = "all words";

fn add_signals(
    context: &VaultContext,
    request: &SearchRequest,
    prepared: &Prepared,
    list: &mut Vec<Scored>,
    reasons: &mut Reasons,
) -> Result<()> {
    let signals = request.signals;
    if signals.entity {
        for Named { page, name, itself } in named(context, request)? {
            raise(list, page, if itself { NAMED } else { IN_WING });
            let why = if itself { "the question names it" } else { "filed under a name in the question" };
            reasons.add(page, &format!("{why}: {name}"));
        }
    }
    if signals.dates {
        for (page, date) in dated(context, request, list)? {
            raise(list, page, DATED);
            reasons.add(page, &format!("has the date {date}"));
        }
    }
    if signals.complete {
        let complete = with_every_word(context, request, prepared, POOL)?;
        for page in &complete {
            raise(list, *page, COMPLETE);
            reasons.add(*page, EVERY_WORD);
        }
        // If only one page has every word, no other can be a better lexical match.
        if let [page] = complete[..] {
            let top = list.iter().map(|(_, score)| *score).fold(0.0, f64::max);
            raise(list, page, top + COMPLETE);
        }
    }
    sort(list);
    Ok(())
}

fn raise(list: &mut Vec<Scored>, page: PageNo, by: f64) {
    match list.iter_mut().find(|(known, _)| *known == page) {
        Some((_, score)) => *score += by,
        None => list.push((page, by)),
    }
}
