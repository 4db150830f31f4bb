//! Scores the units of all candidate pages against a question. Each feature is scaled to 0..1 over the candidates. The
//! score is their weighted sum: log-odds, so that a difference of 1 means about three times as likely.

use jiff::civil::Date;

use super::newest::{Dated, by_date};
use super::question::{Question, is_time};
use super::units::{Unit, Units};
use super::vectors::vector_features;
use crate::search::expression::{Term, TermCounter, days_in};
use crate::search::page_date::line_day;
use crate::search::vocabulary::WordEmbedder;

/// The saturation of a term's frequency in BM25.
const K1: f64 = 1.2;

/// The influence of length in BM25.
const B: f64 = 0.75;

/// Number of units that are compared by their vectors: the others have no chance.
const SHORTLIST: usize = 120;

/// A page whose units compete.
pub(in crate::search) struct Candidate<'a> {
    pub text: &'a str,
    pub units: &'a Units,
    /// The score of the page, from 0 to 1.
    pub score: f64,
    /// The day that the page is about.
    pub day: Option<Date>,
    /// Whether it gives way to others: a source beside the pages derived from it, or a superseded page.
    pub is_stub: bool,
}

/// A unit and its score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::search) struct ScoredUnit {
    /// The number of the candidate.
    pub page: usize,
    /// The number of the unit on its page.
    pub unit: usize,
    pub score: f64,
    /// Whether it contains a term itself.
    pub has_terms: bool,
    /// Distance in days from a day that the question names.
    pub distance: Option<i32>,
}

/// How much each feature counts. Fitted by listwise regression on half of the conversations of LoCoMo.
struct FeatureWeights {
    /// BM25 of the unit.
    line: f64,
    /// BM25 of the unit with one neighbour on each side and its heading.
    near: f64,
    /// BM25 of the unit with two neighbours on each side.
    around: f64,
    /// Score of the page.
    page: f64,
    /// Spoken by the only person that the question names.
    speaker: f64,
    /// Tells a time, if the question asks for one.
    when: f64,
    /// Tells a time.
    time: f64,
    /// Is a question itself.
    question: f64,
    /// Follows a question that matches.
    reply: f64,
    /// Logarithm of its length.
    length: f64,
    /// Words of the question by their nearest words of the unit.
    soft: f64,
    /// The same with its neighbours.
    soft_near: f64,
    /// Cosine of the unit.
    cosine: f64,
    /// Cosine of the unit with its neighbours.
    cosine_near: f64,
}

/// The weights without vectors.
const BY_WORDS: FeatureWeights = FeatureWeights {
    line: 1.7,
    near: 1.4,
    around: 2.2,
    page: 2.1,
    speaker: 2.6,
    when: 1.9,
    time: 0.5,
    question: -0.6,
    reply: 1.6,
    length: 3.0,
    soft: 0.0,
    soft_near: 0.0,
    cosine: 0.0,
    cosine_near: 0.0,
};

/// The weights with the vectors of a static model.
const WITH_VECTORS: FeatureWeights = FeatureWeights {
    line: 0.4,
    near: 0.3,
    around: 1.7,
    page: 1.8,
    speaker: 2.6,
    when: 2.0,
    time: 0.4,
    question: -0.6,
    reply: 1.6,
    length: 2.7,
    soft: 1.4,
    soft_near: 1.5,
    cosine: 1.1,
    cosine_near: 1.6,
};

/// Advantage of the first unit of a page, which decides where nothing else does.
const FIRST: f64 = 0.2;

/// Disadvantage of greetings, thanks and goodbyes.
const SMALL_TALK: f64 = 1.5;

/// Disadvantage of a page that gives way to others.
const STUB: f64 = 2.0;

/// Advantage of a unit by its distance in days from a day that the question names.
const NEAR_DAY: [(i32, f64); 3] = [(1, 4.0), (3, 2.5), (7, 1.0)];

/// Advantage of a unit with a word of the question and a day of its own, if the question asks for what is before or
/// after a date, and this is.
const IN_BOUNDS: f64 = 4.0;

/// A unit with what is known about it.
pub(super) struct Line<'a> {
    pub page: usize,
    pub unit: usize,
    pub text: &'a str,
    at: &'a Unit,
    counts: Vec<u16>,
    words: u32,
    tells_time: bool,
    speaks: bool,
    is_stub: bool,
    /// Distance in days from a day that the question names.
    distance: Option<i32>,
    /// Its own day.
    day: Option<Date>,
}

/// Scores units, best first. Without word vectors, or for a long list beyond the best few, only words count.
pub(in crate::search) fn score(
    question: &Question,
    terms: &[Term],
    pages: &[Candidate<'_>],
    embed: WordEmbedder<'_>,
) -> Vec<ScoredUnit> {
    let lines = read(question, terms, pages);
    if lines.is_empty() {
        return Vec::new();
    }
    let features = Features::new(&lines, terms.len(), pages);
    let by_words: Vec<f64> =
        (0..lines.len()).map(|at| features.sum(at, &lines, question, &BY_WORDS)).collect();
    let mut order: Vec<usize> = (0..lines.len()).collect();
    order.sort_by(|a, b| by_words[*b].total_cmp(&by_words[*a]).then(a.cmp(b)));
    order.truncate(SHORTLIST);
    let scores: Vec<f64> =
        match vector_features(question, &lines, &order, &features.weight_of_words(terms), embed) {
            None => order.iter().map(|at| by_words[*at]).collect(),
            Some(vectors) => order
                .iter()
                .zip(vectors)
                .map(|(at, [soft, soft_near, cosine, cosine_near])| {
                    let weights = &WITH_VECTORS;
                    features.sum(*at, &lines, question, weights)
                        + weights.soft * soft
                        + weights.soft_near * soft_near
                        + weights.cosine * cosine
                        + weights.cosine_near * cosine_near
                })
                .collect(),
        };
    let scores = dated(question, terms, &lines, &order, scores);
    let mut found: Vec<ScoredUnit> = order
        .iter()
        .zip(scores)
        .map(|(at, score)| {
            let line = &lines[*at];
            ScoredUnit {
                page: line.page,
                unit: line.unit,
                score,
                has_terms: line.counts.iter().any(|count| *count > 0),
                distance: line.distance,
            }
        })
        .collect();
    found.sort_by(|a, b| b.score.total_cmp(&a.score).then((a.page, a.unit).cmp(&(b.page, b.unit))));
    found
}

/// Returns the scores of units after those that are dated have been ordered.
fn dated(
    question: &Question,
    terms: &[Term],
    lines: &[Line<'_>],
    order: &[usize],
    scores: Vec<f64>,
) -> Vec<f64> {
    let tells: Vec<bool> = terms.iter().map(|term| !question.timing.is_order(term.text())).collect();
    let dated = |(at, score): (&usize, f64)| {
        let line = &lines[*at];
        let terms = line.counts.iter().zip(&tells).map(|(count, tells)| *tells && *count > 0).collect();
        Dated { page: line.page, terms, day: line.day, score }
    };
    let mut found: Vec<Dated> = order.iter().zip(scores).map(dated).collect();
    by_date(&mut found, &question.timing);
    found.into_iter().map(|line| line.score).collect()
}

fn read<'a>(question: &Question, terms: &[Term], pages: &[Candidate<'a>]) -> Vec<Line<'a>> {
    let counter = TermCounter::new(terms);
    let mut lines = Vec::new();
    for (page, candidate) in pages.iter().enumerate() {
        let asked = asked_speaker(question, candidate);
        for (unit, at) in candidate.units.list.iter().enumerate() {
            let text = &candidate.text[at.bytes.clone()];
            let (mut counts, mut words, mut tells_time) = (vec![0; terms.len()], 0, false);
            counter.count(text, &mut counts, &mut |word| {
                words += 1;
                tells_time |= is_time(word);
            });
            let speaks = asked.as_deref().is_some_and(|name| speaker_of(candidate, at) == Some(name));
            let distance = distance(question, candidate.day, text);
            let is_stub = candidate.is_stub;
            let day = line_day(text);
            lines.push(Line {
                page,
                unit,
                text,
                at,
                counts,
                words,
                tells_time,
                speaks,
                is_stub,
                distance,
                day,
            });
        }
    }
    lines
}

/// Returns the distance of a unit from the nearest day that the question names, in days. Its own day counts, else the
/// page's, unless it names the same day in words.
fn distance(question: &Question, page: Option<Date>, text: &str) -> Option<i32> {
    if question.days.is_empty() {
        return None;
    }
    let (named, _) = days_in(text);
    if question.days.iter().any(|day| named.iter().any(|other| day.is(other))) {
        return Some(0);
    }
    let date = line_day(text).or(page)?;
    question.days.iter().filter_map(|day| day.distance(date)).min()
}

fn speaker_of<'a>(page: &Candidate<'a>, unit: &Unit) -> Option<&'a str> {
    unit.speaker.clone().map(|bytes| &page.text[bytes])
}

/// Returns the speaker that the question names, if it names one of them only.
fn asked_speaker(question: &Question, page: &Candidate<'_>) -> Option<String> {
    let mut asked: Option<&str> = None;
    for name in page.units.list.iter().filter_map(|unit| speaker_of(page, unit)) {
        if asked == Some(name) || !question.names(name) {
            continue;
        }
        if asked.is_some() {
            return None;
        }
        asked = Some(name);
    }
    asked.map(str::to_owned)
}

/// The features of all units that depend on words, scaled to 0..1.
struct Features {
    line: Vec<f64>,
    near: Vec<f64>,
    around: Vec<f64>,
    page: Vec<f64>,
    /// The weight of each term: rare terms count more.
    idf: Vec<f64>,
}

impl Features {
    fn new(lines: &[Line<'_>], terms: usize, pages: &[Candidate<'_>]) -> Features {
        let rows = |reach: usize| -> Vec<(Vec<u16>, u32)> {
            (0..lines.len()).map(|at| summed(lines, at, reach, terms)).collect()
        };
        let alone = rows(0);
        let scores: Vec<f64> = lines.iter().map(|line| pages[line.page].score).collect();
        Features {
            line: scaled(bm25(&alone, terms)),
            near: scaled(bm25(&rows(1), terms)),
            around: scaled(bm25(&rows(2), terms)),
            page: scaled(scores),
            idf: idf(&alone, terms),
        }
    }

    fn weight_of_words<'w>(&'w self, terms: &'w [Term]) -> impl Fn(&str) -> f64 + 'w {
        // A word that no unit contains is as rare as can be.
        let unknown = self.idf.iter().copied().fold(1.0, f64::max);
        move |word| {
            let known = terms.iter().zip(&self.idf).find(|(term, _)| term.is(word));
            known.map_or(unknown, |(_, idf)| *idf)
        }
    }

    fn sum(&self, at: usize, lines: &[Line<'_>], question: &Question, weights: &FeatureWeights) -> f64 {
        let line = &lines[at];
        let is_question = |line: &Line<'_>| line.text.trim_end_matches(['"', '*', '_']).ends_with('?');
        let before =
            at.checked_sub(1).map(|at| (at, &lines[at])).filter(|(_, other)| other.page == line.page);
        let replies = before.filter(|(_, other)| is_question(other)).map_or(0.0, |(at, _)| self.line[at]);
        let flag = f64::from;
        let small_talk = if self.line[at] < 0.5 && is_small_talk(line) { SMALL_TALK } else { 0.0 };
        weights.line * self.line[at]
            + weights.near * self.near[at]
            + weights.around * self.around[at]
            + weights.page * self.page[at]
            + weights.speaker * flag(u8::from(line.speaks))
            + weights.when * flag(u8::from(question.asks_when && line.tells_time))
            + weights.time * flag(u8::from(line.tells_time))
            + weights.question * flag(u8::from(is_question(line)))
            + weights.reply * replies
            + weights.length * (1.0 + line.text.len() as f64 / 4.0).ln() / 5.0
            + near_day(line)
            + in_bounds(line, question)
            + if line.unit == 0 { FIRST } else { 0.0 }
            - small_talk
            - if line.is_stub { STUB } else { 0.0 }
    }
}

fn near_day(line: &Line<'_>) -> f64 {
    let Some(distance) = line.distance else { return 0.0 };
    NEAR_DAY.iter().find(|(days, _)| distance <= *days).map_or(0.0, |(_, advantage)| *advantage)
}

fn in_bounds(line: &Line<'_>, question: &Question) -> f64 {
    let is_in = || line.day.is_some_and(|day| question.timing.covers(day));
    let is_asked = question.timing.is_bounded() && line.counts.iter().any(|count| *count > 0);
    if is_asked && is_in() { IN_BOUNDS } else { 0.0 }
}

/// Returns whether a turn is only a greeting, thanks or a goodbye.
fn is_small_talk(line: &Line<'_>) -> bool {
    const PHRASES: [&str; 16] = [
        "bye",
        "thanks",
        "thank you",
        "take care",
        "talk to you",
        "talk soon",
        "see you",
        "good luck",
        "no problem",
        "you're welcome",
        "sounds good",
        "have a great",
        "have a good",
        "catch you",
        "good night",
        "hello",
    ];
    if line.at.speaker.is_none() || line.words > 16 {
        return false;
    }
    let text = line.text.to_lowercase();
    PHRASES.iter().any(|phrase| text.contains(phrase))
}

/// Adds up the counts of a unit and its neighbours within its page.
fn summed(lines: &[Line<'_>], at: usize, reach: usize, terms: usize) -> (Vec<u16>, u32) {
    let (mut counts, mut words) = (vec![0u16; terms], 0);
    let last = (at + reach).min(lines.len() - 1);
    for line in lines[at.saturating_sub(reach)..=last].iter().filter(|line| line.page == lines[at].page) {
        counts.iter_mut().zip(&line.counts).for_each(|(sum, count)| *sum = sum.saturating_add(*count));
        words += line.words;
    }
    (counts, words)
}

fn idf(rows: &[(Vec<u16>, u32)], terms: usize) -> Vec<f64> {
    let total = rows.len() as f64;
    (0..terms)
        .map(|term| {
            let with = rows.iter().filter(|(counts, _)| counts[term] > 0).count() as f64;
            (1.0 + (total - with + 0.5) / (with + 0.5)).ln()
        })
        .collect()
}

fn bm25(rows: &[(Vec<u16>, u32)], terms: usize) -> Vec<f64> {
    let idf = idf(rows, terms);
    let mean = rows.iter().map(|(_, words)| f64::from(*words)).sum::<f64>() / rows.len() as f64;
    let score = |(counts, words): &(Vec<u16>, u32)| -> f64 {
        let norm = K1 * (1.0 - B + B * f64::from(*words) / mean.max(1.0));
        let parts = counts.iter().zip(&idf).filter(|(count, _)| **count > 0);
        parts.map(|(count, idf)| idf * f64::from(*count) * (K1 + 1.0) / (f64::from(*count) + norm)).sum()
    };
    rows.iter().map(score).collect()
}

/// Scales values to 0..1; equal values become 0.
pub(super) fn scaled(mut values: Vec<f64>) -> Vec<f64> {
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let range = high - low;
    values.iter_mut().for_each(|value| *value = if range > 0.0 { (*value - low) / range } else { 0.0 });
    values
}
