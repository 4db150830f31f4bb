//! Ranking signals besides words and embeddings. Each can be switched off, so that its value can be measured.

mod dated;
mod late;
mod mentioned;
mod named;
mod transcripts;

use std::cmp::Reverse;
use std::collections::HashMap;

use lore_ports::{PageNo, PageRow, Weights};

use super::confidence::term_weights;
use super::expression::Prepared;
use super::fuse::{EVERY_WORD, Ranking, Scored, sort};
use super::page_date::page_date;
use super::request::{Mode, SearchRequest};
use super::retrieve::{POOL, WEIGHTS, updated, with_every_word};
use super::vocabulary::Vocabulary;
use crate::context::VaultContext;
use crate::error::Result;

use dated::{Dated, dated};
use late::compare;
use mentioned::{Mentioned, mentioned};
pub(super) use named::names_in;
use named::{Named, named};
pub use transcripts::is_transcript;
use transcripts::lower_transcripts;

/// Bonus for containing every word of the query, if several pages do, on a scale from 0 to 1.
const COMPLETE: f64 = 0.1;

/// Bonus for being named in the query.
const NAMED: f64 = 0.2;

/// Bonus for belonging to the wing of such a page.
const IN_WING: f64 = 0.1;

/// Largest bonus for being mentioned by one of the best pages, as a share of the page's own score: a page that has little
/// to do with the query is mentioned for another reason.
const MENTIONED: f64 = 0.5;

/// Weight of the best passage: how well its words match those of the query, one by one.
const PASSAGE: f64 = 0.1;

/// Weight of the best sentence by the same measure.
const SINGLE: f64 = 0.3;

/// Weight of the most similar sentence by its vector. Static vectors are similar for short sentences about anything.
const SENTENCE: f64 = 0.05;

/// Bonus for having a date that is in the query, if that is a month or a year.
const DATED: f64 = 0.1;

/// The same for a day: hardly anything else tells the notes of two days apart.
const SAME_DAY: f64 = 0.4;

/// What the pages were found by.
pub(super) struct FoundBy<'a> {
    pub query: &'a Prepared,
    /// Compares words, if there is a static model.
    pub vocabulary: Option<&'a Vocabulary<'a>>,
}

/// Which signals are enabled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Signals {
    /// A page whose title, slug, alias or id is the query ranks first.
    pub exact: bool,
    /// The only page with every word of the query ranks next; if there are several, each gets a bonus.
    pub complete: bool,
    /// A page that a typed link or a fact leads to answers a question about that relation and ranks right after.
    pub relation: bool,
    /// A page whose title or alias is in the query gets a bonus, and so do the pages of its wing.
    pub entity: bool,
    /// A page whose title or alias is in a passage of one of the best pages gets a bonus.
    pub mentions: bool,
    /// A match in an alias weighs more than one in the text.
    pub alias: bool,
    /// A match in a heading weighs more than one in the text.
    pub heading: bool,
    /// A page with a date that is in the query gets a bonus.
    pub dates: bool,
    /// An imported conversation counts less than a page, unless the question asks for conversations.
    pub transcripts: bool,
    /// The best pages are compared with the query word by word, by their best passages.
    pub passages: bool,
    /// They are compared by their most similar sentences.
    pub sentences: bool,
    /// Of equally good pages, the one that changed last ranks first.
    pub recency: bool,
}

impl Default for Signals {
    fn default() -> Self {
        Signals {
            exact: true,
            complete: true,
            relation: true,
            entity: true,
            mentions: true,
            alias: true,
            heading: true,
            dates: true,
            transcripts: true,
            passages: true,
            sentences: true,
            recency: true,
        }
    }
}

impl Signals {
    /// No signals.
    pub const NONE: Signals = Signals {
        exact: false,
        complete: false,
        relation: false,
        entity: false,
        mentions: false,
        alias: false,
        heading: false,
        dates: false,
        transcripts: false,
        passages: false,
        sentences: false,
        recency: false,
    };

    /// Returns the weights of the fields.
    pub(super) fn weights(self) -> Weights {
        let usual = WEIGHTS;
        Weights {
            aliases: if self.alias { usual.aliases } else { 1.0 },
            headings: if self.heading { usual.headings } else { 1.0 },
            ..usual
        }
    }
}

/// Adjusts a ranking. A search for words keeps the order of the full-text index, and a semantic one its own up to ties.
pub(super) fn apply(
    context: &VaultContext,
    request: &SearchRequest,
    found_by: &FoundBy<'_>,
    ranking: &mut Ranking,
) -> Result<()> {
    if ranking.mode == Mode::Words {
        return Ok(());
    }
    if ranking.mode != Mode::Semantic {
        if request.signals.mentions {
            raise_mentioned(context, found_by.query, ranking)?;
        }
        compare_words(context, request, found_by, ranking)?;
        raise_pages(context, request, found_by.query, ranking)?;
    }
    if request.signals.transcripts {
        for page in lower_transcripts(context, request, &mut ranking.list)? {
            add_reason(ranking, page, "it is a conversation, which counts less than a page".to_owned());
        }
    }
    if request.signals.recency {
        last_changed_first(context, ranking)?;
    }
    Ok(())
}

/// Raises the pages that the best pages mention.
fn raise_mentioned(context: &VaultContext, query: &Prepared, ranking: &mut Ranking) -> Result<()> {
    let best = ranking.list.first().map_or(0.0, |(_, score)| *score);
    for Mentioned { page, name, share } in mentioned(context, query, &ranking.list)? {
        let own = ranking.list.iter().find(|(known, _)| *known == page).map_or(0.0, |(_, score)| *score);
        raise(&mut ranking.list, page, MENTIONED * share * own.min(best));
        add_reason(ranking, page, format!("a page that matches mentions it: {name}"));
    }
    sort(&mut ranking.list);
    Ok(())
}

/// Adds how well the words of the best pages match those of the question.
fn compare_words(
    context: &VaultContext,
    request: &SearchRequest,
    found_by: &FoundBy<'_>,
    ranking: &mut Ranking,
) -> Result<()> {
    let signals = request.signals;
    let is_wanted = ranking.mode == Mode::Hybrid && (signals.passages || signals.sentences);
    let Some(vocabulary) = found_by.vocabulary.filter(|_| is_wanted) else { return Ok(()) };
    let weights = term_weights(context, found_by.query)?.weights;
    for found in compare(context, &request.text, vocabulary, &weights, &ranking.list)? {
        let words = PASSAGE * found.passage + SINGLE * found.single;
        let passage = if signals.passages { words } else { 0.0 };
        let sentence = if signals.sentences { SENTENCE * found.sentence } else { 0.0 };
        raise(&mut ranking.list, found.page, passage + sentence);
        ranking.passages.insert(found.page, passage + sentence);
    }
    sort(&mut ranking.list);
    Ok(())
}

fn raise_pages(
    context: &VaultContext,
    request: &SearchRequest,
    query: &Prepared,
    ranking: &mut Ranking,
) -> Result<()> {
    let signals = request.signals;
    if signals.entity {
        for Named { page, name, itself } in named(context, request)? {
            raise(&mut ranking.list, page, if itself { NAMED } else { IN_WING });
            // A name with a number is hardly a subject that other pages have too.
            if itself && name.bytes().any(|byte| byte.is_ascii_digit()) {
                ranking.named.insert(page);
            }
            let why = if itself { "the question names it" } else { "filed under a name in the question" };
            add_reason(ranking, page, format!("{why}: {name}"));
        }
    }
    if signals.dates {
        for Dated { page, date, is_day } in dated(context, request, &ranking.list)? {
            raise(&mut ranking.list, page, if is_day { SAME_DAY } else { DATED });
            add_reason(ranking, page, format!("has the date {date}"));
        }
    }
    if signals.complete {
        let complete = with_every_word(context, request, query, POOL)?;
        for page in &complete {
            raise(&mut ranking.list, *page, COMPLETE);
            add_reason(ranking, *page, EVERY_WORD.to_owned());
        }
        // If only one page has every word, no other can be a better lexical match.
        if let [page] = complete[..] {
            let top = ranking.list.iter().map(|(_, score)| *score).fold(0.0, f64::max);
            raise(&mut ranking.list, page, top + COMPLETE);
        }
    }
    sort(&mut ranking.list);
    Ok(())
}

fn add_reason(ranking: &mut Ranking, page: PageNo, why: String) {
    ranking.reasons.entry(page).or_default().push(why);
}

fn raise(list: &mut Vec<Scored>, page: PageNo, by: f64) {
    match list.iter_mut().find(|(known, _)| *known == page) {
        Some((_, score)) => *score += by,
        None => list.push((page, by)),
    }
}

/// Returns the latest day that a page states for itself, else that of its file.
fn last_day(page: &PageRow) -> String {
    let day =
        |key: &&str| page.properties.text(key).map(|text| text.trim().chars().take(10).collect::<String>());
    let stated = ["updated", "created"].iter().filter_map(day);
    stated.chain(page_date(page).map(|date| date.day)).max().unwrap_or_else(|| updated(page))
}

/// Orders equally good pages by their last change. Only those that could be shown are considered.
fn last_changed_first(context: &VaultContext, ranking: &mut Ranking) -> Result<()> {
    let (list, needed) = (&mut ranking.list, ranking.needed);
    let last = list.get(needed.saturating_sub(1)).or(list.last()).map_or(0.0, |last| last.1);
    let end = list.partition_point(|(_, score)| *score >= last);
    let shown = &mut list[..end];
    if !shown.windows(2).any(|two| two[0].1 == two[1].1) {
        return Ok(());
    }
    let numbers: Vec<PageNo> = shown.iter().map(|(page, _)| *page).collect();
    let rows = context.store().pages(context.project(), &numbers)?;
    // After a clone all files have the same time, so what a page states about itself counts first.
    let known: HashMap<PageNo, (Reverse<String>, Reverse<i64>, &str)> = rows
        .iter()
        .map(|row| (row.number, (Reverse(last_day(row)), Reverse(row.updated), row.path.as_str())))
        .collect();
    let changed = |page: PageNo| known.get(&page);
    shown.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| changed(a.0).cmp(&changed(b.0))));
    Ok(())
}
