//! Fits the content of hits into a token budget: the best passages of all candidate pages, or as much of each hit as
//! was asked for. The passage that matched is part of every hit, and the result never exceeds the budget.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use lore_page::{Format, LineRange, parse};
use lore_text::relative_dates;
use lore_vault::decode;

use super::remarks::remarks;
use crate::context::VaultContext;
use crate::search::expression::{Prepared, Term, asked_time};
use crate::search::page_date::{line_day, page_day};
use crate::search::passages::{Candidate, Costs, Limits, Question, ScoredUnit, Units, score, select, units};
use crate::search::request::{Budget, Depth, Mode, SearchRequest};
use crate::search::result::{Content, Excerpt, Hit, Passage, SearchResult, Spent};
use crate::search::within::Within;

/// Tokens of passages after which an answer ends, unless a number of tokens was asked for.
const USUAL: usize = 1000;

/// A page of at most this many tokens is shown whole.
const SMALL: usize = 120;

/// A page that the query names is shown whole if it has at most this many tokens.
const WHOLE: usize = 1500;

/// Maximum tokens of a section.
const SECTION: usize = 500;

/// A budget of this many tokens shows the best passage in any case, though titles and fields leave no room for it …
const ENOUGH: usize = 150;

/// … by exceeding it by at most this many.
const OVER: usize = 100;

/// Maximum bytes of the passage that is shown with a summary, and in a list.
const BRIEF: usize = 240;

/// Minimum bytes of such a passage: fewer tell nothing.
const SHORTEST: usize = 60;

/// The type of pages that only record where something came from.
const SOURCE: &str = "source";

/// How much weaker than the best line of its page a line with words of the query may be to stand for it.
const OWN_WORDS: f64 = 1.5;

/// Tokens of a relative date with its meaning.
const DATE_TOKENS: usize = 16;

/// Fills hits with content, and drops those beyond the limit or the budget.
pub(in crate::search) fn fit(
    context: &VaultContext,
    request: &SearchRequest,
    query: &Prepared,
    result: &mut SearchResult,
    budget: &Budget,
) {
    if result.mode == Mode::Fields {
        return summarize(context, result, budget);
    }
    let question = Question::new(&request.text);
    let mut terms = Term::all(query);
    terms.retain(|term| !question.numbers.iter().any(|number| term.is(number)));
    let texts: Vec<String> = result.hits.iter_mut().map(|hit| read(context, hit)).collect();
    let mut split: Vec<Units> =
        result.hits.iter().zip(&texts).map(|(hit, text)| units(Format::of(&hit.page.path), text)).collect();
    for ((hit, text), units) in result.hits.iter().zip(&texts).zip(&mut split) {
        units.list.retain(|unit| request.within.has_line(&hit.page, &text[unit.bytes.clone()]));
    }
    let asks_past = asked_time(&request.text, &context.today()).past;
    let pages: Vec<Candidate<'_>> = (result.hits.iter().zip(&texts).zip(&split))
        .map(|((hit, text), units)| Candidate {
            text,
            units,
            score: hit.score.min(1.5),
            day: page_day(&hit.page),
            is_stub: hit.page.kind == SOURCE && is_cited(hit, &result.hits, &texts)
                || !asks_past && !hit.named && !hit.answers && !hit.state.superseded_by.is_empty(),
        })
        .collect();
    let by_words = matches!(result.mode, Mode::Lexical | Mode::Words);
    let embed = |words: &[&str]| if by_words { None } else { context.models().embed_words(words) };
    let scored = score(&question, &terms, &pages, &embed);
    let notes = remarks(&request.text, &question, &result.hits, &pages, &scored);
    let limit = request.limit;
    let fitting = Fitting { context, budget, hits: &result.hits, pages: &pages, scored: &scored, limit };
    let found = match budget.depth {
        Depth::Auto => fitting.passages(),
        depth => fitting.each(depth),
    };
    let found = fitting.with_best(found);
    result.notes.extend(notes);
    finish(result, found, budget, limit);
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

/// Adds the cost of title and summary to the hits. A search by fields returns no more of a page, and all of the hits.
fn summarize(context: &VaultContext, result: &mut SearchResult, budget: &Budget) {
    let mut total = 0;
    for hit in &mut result.hits {
        let tokens = (budget.around)(context, hit, Depth::Summary);
        total += tokens;
        hit.content = Some(Content { depth: Depth::Summary, passages: Vec::new(), matched: 0, tokens });
    }
    result.spent = Some(Spent { total, remaining: budget.tokens.saturating_sub(total), left_out: 0 });
}

/// Returns the page's text, reusing what was read for the excerpt if available.
fn read(context: &VaultContext, hit: &mut Hit) -> String {
    if let Some(text) = hit.text.take() {
        return text;
    }
    let file = context.vault().read(&hit.page.path, u64::MAX).ok().flatten();
    file.map(|file| decode(&file.bytes).text.into_owned()).unwrap_or_default()
}

/// What is fitted into the budget.
struct Fitting<'a> {
    context: &'a VaultContext,
    budget: &'a Budget,
    hits: &'a [Hit],
    pages: &'a [Candidate<'a>],
    scored: &'a [ScoredUnit],
    limit: usize,
}

impl Fitting<'_> {
    fn count(&self, text: &str) -> usize {
        self.context.models().count_tokens(text)
    }

    fn around(&self, at: usize, depth: Depth) -> usize {
        (self.budget.around)(self.context, &self.hits[at], depth)
    }

    /// Returns the unit of a page that matched: the line that answers, else the best one.
    fn matched(&self, at: usize) -> Option<usize> {
        let (hit, units) = (&self.hits[at], &self.pages[at].units.list);
        let line = hit.excerpt.as_ref().filter(|_| hit.answers).map(|excerpt| excerpt.lines.first);
        let answer = line.and_then(|line| {
            units.iter().position(|unit| unit.lines.first <= line && line <= unit.lines.last)
        });
        let best = || {
            let best = self.scored.iter().find(|unit| unit.page == at)?;
            // A line with the words comes before its neighbours, unless it is much weaker.
            let own = self.scored.iter().find(|unit| unit.page == at && unit.has_terms);
            Some(own.filter(|own| own.score >= best.score - OWN_WORDS).unwrap_or(best).unit)
        };
        answer.or_else(best).or((!units.is_empty()).then_some(0))
    }

    /// Returns the best passages of all pages.
    fn passages(&self) -> BTreeMap<usize, Content> {
        let ceiling = self.budget.tokens.saturating_sub(self.budget.base);
        let usual = if self.budget.is_requested { ceiling } else { ceiling.min(USUAL) };
        // Most pages are never considered, so their cost is counted when it is needed.
        let around: Vec<OnceCell<usize>> = vec![OnceCell::new(); self.hits.len()];
        let page = |at: usize| *around[at].get_or_init(|| self.around(at, Depth::Section));
        let first = self.first();
        let costs = Costs { page: &page, passage: self.budget.passage };
        let choose = |tokens: usize| {
            let limits = Limits { tokens, pages: self.limit };
            select(self.pages, self.scored, &first, limits, &costs)
        };
        let mut chosen = choose(usual);
        // Costs were estimated. What they leave of a requested number of tokens is filled.
        let total = if self.budget.is_requested { spent(&self.contents(&chosen)) } else { ceiling };
        if total < ceiling {
            chosen = choose(ceiling.saturating_mul(ceiling) / total.max(1));
        }
        // The exact costs decide, so that the last choices may have to go.
        loop {
            let found = self.contents(&chosen);
            let total = spent(&found);
            if total <= ceiling {
                return self.expanded(found, ceiling - total);
            }
            let over = total - ceiling;
            chosen.truncate(chosen.len() - (1 + over / 60).min(chosen.len()));
        }
    }

    /// Returns the units that are shown in any case: those of the best page and of the pages that answer.
    fn first(&self) -> Vec<(usize, usize)> {
        let is_first = |at: &usize| {
            let hit = &self.hits[*at];
            *at == 0 && !self.pages[*at].is_stub || hit.answers || hit.named || hit.successor
        };
        let answering = (0..self.hits.len()).filter(is_first).take(self.limit);
        answering.filter_map(|at| Some((at, self.matched(at)?))).collect()
    }

    /// Returns the chosen units as contents of their pages.
    fn contents(&self, chosen: &[(usize, usize)]) -> BTreeMap<usize, Content> {
        let mut by_page: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        chosen.iter().for_each(|(page, unit)| by_page.entry(*page).or_default().push(*unit));
        if by_page.is_empty() {
            return self.shortest();
        }
        let content = |(at, mut units): (usize, Vec<usize>)| {
            units.sort_unstable();
            (at, self.content(at, Depth::Section, self.joined(at, &units)))
        };
        by_page.into_iter().map(content).collect()
    }

    /// Returns the beginning of the best passage, if the budget has room for nothing else.
    fn shortest(&self) -> BTreeMap<usize, Content> {
        let ceiling = self.budget.tokens.saturating_sub(self.budget.base);
        let cut = self.brief(0, ceiling, Depth::Section);
        cut.map(|content| (0, content)).into_iter().collect()
    }

    /// Returns the best page alone if it did not fit with others, as much of it as fits: a lesser one, such as an outdated
    /// one, must not take its place because it is shorter.
    fn with_best(&self, found: BTreeMap<usize, Content>) -> BTreeMap<usize, Content> {
        let shown = if self.budget.depth == Depth::Auto { self.first().first().copied() } else { None };
        let best = shown.map(|(at, _)| at).or_else(|| found.is_empty().then_some(0));
        let Some(at) = best.filter(|at| !found.contains_key(at)) else { return found };
        let ceiling = self.budget.tokens.saturating_sub(self.budget.base);
        let brief = |room: usize| self.brief(at, room, Depth::Section);
        let over = || brief(ceiling.saturating_add(OVER)).filter(|_| self.budget.tokens >= ENOUGH);
        brief(ceiling).or_else(over).map(|content| (at, content)).into_iter().collect()
    }

    /// Joins neighbouring units to passages.
    fn joined(&self, at: usize, units: &[usize]) -> Vec<Passage> {
        let page = &self.pages[at];
        let mut passages: Vec<Passage> = Vec::new();
        let mut last: Option<usize> = None;
        for number in units {
            let unit = &page.units.list[*number];
            let text = &page.text[unit.bytes.clone()];
            let heading =
                unit.heading.map(|at| page.units.headings[at].clone()).filter(|path| !path.is_empty());
            let before = last.map(|last| &page.units.list[last]).filter(|_| last == number.checked_sub(1));
            last = Some(*number);
            let day = line_day(text).or(page.day);
            let dates = day.map(|day| relative_dates(text, day)).unwrap_or_default();
            match (passages.last_mut(), before) {
                (Some(open), Some(before)) if open.heading == heading => {
                    open.text.push_str(if before.block == unit.block { " " } else { "\n" });
                    open.text.push_str(text);
                    open.lines.last = open.lines.last.max(unit.lines.last);
                    let new: Vec<_> = dates.into_iter().filter(|date| !open.dates.contains(date)).collect();
                    open.dates.extend(new);
                }
                _ => passages.push(Passage { lines: unit.lines, heading, text: text.to_owned(), dates }),
            }
        }
        passages
    }

    fn content(&self, at: usize, depth: Depth, passages: Vec<Passage>) -> Content {
        let cost = |passage: &Passage| {
            self.count(&passage.text) + self.budget.passage + passage.dates.len() * DATE_TOKENS
        };
        let texts: usize = passages.iter().map(cost).sum();
        let matched = self.place_of_match(at, &passages);
        Content { depth, tokens: self.around(at, depth) + texts, passages, matched }
    }

    /// Returns the position of the passage that has the unit that matched.
    fn place_of_match(&self, at: usize, passages: &[Passage]) -> usize {
        let unit = self.matched(at).map(|unit| self.pages[at].units.list[unit].lines);
        let has = |passage: &Passage| {
            unit.is_some_and(|own| passage.lines.first <= own.first && own.last <= passage.lines.last)
        };
        passages.iter().position(has).unwrap_or_default()
    }

    /// Shows small pages whole, and those that the query names, as far as there is room.
    fn expanded(&self, mut found: BTreeMap<usize, Content>, mut room: usize) -> BTreeMap<usize, Content> {
        for (at, content) in &mut found {
            let most = if self.hits[*at].named { WHOLE } else { SMALL };
            // No token is shorter than a byte, and few are longer than eight.
            if self.pages[*at].text.len() > most * 8 {
                continue;
            }
            let Some(whole) = self.whole(*at) else { continue };
            let own = whole.passages.iter().map(|passage| self.count(&passage.text)).sum::<usize>();
            let more = whole.tokens.saturating_sub(content.tokens);
            if own <= most && more <= room {
                room -= more;
                *content = whole;
            }
        }
        found
    }

    /// Returns a page without its frontmatter: everything above the first rule, and what is below it unless that is a
    /// timeline; the matching passage in any case.
    fn whole(&self, at: usize) -> Option<Content> {
        let file = self.pages[at].text;
        let page = parse(&self.hits[at].page.path, file).page;
        let is_timeline = page.timeline.is_some_and(|below| {
            let starts = |line: u32| line > line_at(file, below.start);
            let named = page.headings.iter().any(|heading| {
                starts(heading.lines.first) && heading.text.trim().eq_ignore_ascii_case("timeline")
            });
            named || page.entries.iter().any(|entry| starts(entry.lines.first))
        });
        let end = if is_timeline { page.truth.end } else { file.len() };
        let whole = file.get(page.truth.start..end).unwrap_or_default();
        let body = whole.trim();
        let start = page.truth.start + (whole.len() - whole.trim_start().len());
        let lines = LineRange { first: line_at(file, start), last: line_at(file, start + body.len()) };
        let mut passages = Vec::new();
        if !body.is_empty() {
            let dates = self.pages[at].day.map(|day| relative_dates(body, day)).unwrap_or_default();
            passages.push(Passage { lines, heading: None, text: body.to_owned(), dates });
        }
        if let Some(unit) = self.matched(at) {
            let own = self.pages[at].units.list[unit].lines;
            if body.is_empty() || own.first < lines.first || own.last > lines.last {
                passages.extend(self.joined(at, &[unit]));
            }
        }
        (!passages.is_empty()).then(|| self.content(at, Depth::Full, passages))
    }

    /// Returns each hit with the content of a depth, best first, while the budget lasts.
    fn each(&self, depth: Depth) -> BTreeMap<usize, Content> {
        let mut found = BTreeMap::new();
        let mut room = self.budget.tokens.saturating_sub(self.budget.base);
        for at in 0..self.hits.len().min(self.limit) {
            let fits = |content: &Content| content.tokens <= room;
            let content = match depth {
                Depth::Full => self.whole(at).filter(fits).or_else(|| self.section(at, room)),
                Depth::Section => self.section(at, room),
                Depth::Summary | Depth::List | Depth::Auto => None,
            };
            let brief = || self.brief(at, room, if depth == Depth::List { depth } else { Depth::Summary });
            let Some(content) = content.filter(fits).or_else(brief) else { break };
            room -= content.tokens;
            found.insert(at, content);
        }
        found
    }

    /// Returns the matching passage with as much of its section as fits.
    fn section(&self, at: usize, room: usize) -> Option<Content> {
        let units = &self.pages[at].units.list;
        let matched = self.matched(at)?;
        let most = SECTION.min(room);
        let (mut first, mut last) = (matched, matched);
        let mut best = self.content(at, Depth::Section, self.joined(at, &[matched]));
        if best.tokens > room {
            return None;
        }
        loop {
            let same =
                |other: usize| units.get(other).is_some_and(|unit| unit.heading == units[matched].heading);
            let below = Some(last + 1).filter(|next| same(*next)).map(|next| (first, next));
            let above = first.checked_sub(1).filter(|next| same(*next)).map(|next| (next, last));
            let wider = [below, above].into_iter().flatten().find_map(|(from, until)| {
                let range: Vec<usize> = (from..=until).collect();
                let content = self.content(at, Depth::Section, self.joined(at, &range));
                (content.tokens <= most).then_some((from, until, content))
            });
            let Some((from, until, content)) = wider else { return Some(best) };
            (first, last, best) = (from, until, content);
        }
    }

    /// Returns the beginning of the matching passage, cut to the room that is left.
    fn brief(&self, at: usize, room: usize, depth: Depth) -> Option<Content> {
        if at >= self.hits.len() {
            return None;
        }
        let bare = self.content(at, depth, Vec::new());
        let unit = self.matched(at);
        let mut passage = unit.map(|unit| self.joined(at, &[unit]).remove(0));
        let mut most = BRIEF;
        while let Some(whole) = &passage {
            let mut cut = whole.clone();
            shorten(&mut cut.text, most);
            let content = self.content(at, depth, vec![cut]);
            if content.tokens <= room {
                return Some(content);
            }
            most /= 2;
            if most < SHORTEST {
                passage = None;
            }
        }
        (bare.tokens <= room && unit.is_none()).then_some(bare)
    }
}

/// Returns the tokens of contents.
fn spent(found: &BTreeMap<usize, Content>) -> usize {
    found.values().map(|content| content.tokens).sum()
}

/// Cuts a text at a space.
fn shorten(text: &mut String, most: usize) {
    if text.len() > most {
        let end = text.floor_char_boundary(most);
        let end = text[..end].rfind(' ').unwrap_or(end);
        text.truncate(end);
        text.push('…');
    }
}

fn line_at(text: &str, at: usize) -> u32 {
    1 + text[..at].matches('\n').count() as u32
}
