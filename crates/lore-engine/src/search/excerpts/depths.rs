//! How much of a page is shown: a part of the line that matched, its section, or the whole page.

use std::collections::{BTreeMap, BTreeSet};

use lore_page::{LineRange, parse};
use lore_text::relative_dates;

use super::cut::cut;
use super::fitting::Fitting;
use crate::search::page_date::line_day;
use crate::search::request::Depth;
use crate::search::result::{Content, Passage};

/// A page of at most this many tokens is shown whole.
const SMALL: usize = 120;

/// A page that the query names is shown whole if it has at most this many tokens.
const WHOLE: usize = 1500;

/// Maximum tokens of a section.
const SECTION: usize = 500;

/// Maximum bytes of the passage that is shown with a summary, and in a list.
const BRIEF: usize = 240;

/// Maximum bytes of the part of a long line that is shown for its page.
pub(super) const PART: usize = 960;

/// Minimum bytes of such a passage: fewer tell nothing.
const SHORTEST: usize = 60;

/// Maximum bytes of a day or a speaker's name at the beginning of a passage that is cut.
const HEAD: usize = 48;

impl Fitting<'_> {
    /// Shows small pages whole, and those that the query names, as far as there is room.
    pub(super) fn expanded(
        &self,
        mut found: BTreeMap<usize, Content>,
        chosen: &[(usize, usize)],
        mut room: usize,
    ) -> BTreeMap<usize, Content> {
        for (at, content) in &mut found {
            let most = if self.hits[*at].named { WHOLE } else { SMALL };
            // No token is shorter than a byte, and few are longer than eight.
            if self.pages[*at].text.len() > most * 8 {
                continue;
            }
            let units: BTreeSet<usize> =
                chosen.iter().filter(|(page, _)| page == at).map(|(_, unit)| *unit).collect();
            let Some(whole) = self.whole(*at, &units.into_iter().collect::<Vec<_>>()) else { continue };
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
    /// timeline; these units in any case.
    fn whole(&self, at: usize, units: &[usize]) -> Option<Content> {
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
        let is_outside = |unit: &&usize| {
            let own = self.pages[at].units.list[**unit].lines;
            body.is_empty() || own.first < lines.first || own.last > lines.last
        };
        let outside: Vec<usize> = units.iter().filter(is_outside).copied().collect();
        passages.extend(self.joined(at, &outside));
        (!passages.is_empty()).then(|| self.content(at, Depth::Full, passages))
    }

    /// Returns each hit with the content of a depth, best first, while the budget lasts.
    pub(super) fn each(&self, depth: Depth) -> BTreeMap<usize, Content> {
        let mut found = BTreeMap::new();
        let mut room = self.budget.tokens.saturating_sub(self.budget.base);
        for at in 0..self.hits.len().min(self.limit) {
            let fits = |content: &Content| content.tokens <= room;
            let content = match depth {
                Depth::Full => {
                    let matched: Vec<usize> = self.matched(at).into_iter().collect();
                    self.whole(at, &matched).filter(fits).or_else(|| self.section(at, room))
                }
                Depth::Section => self.section(at, room),
                Depth::Summary | Depth::List | Depth::Auto => None,
            };
            let shown = if depth == Depth::List { depth } else { Depth::Summary };
            let brief = || self.brief(at, room, shown, BRIEF);
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

    /// Returns the part of the matching passage around the words of the query, cut to the room that is left.
    pub(super) fn brief(&self, at: usize, room: usize, depth: Depth, most: usize) -> Option<Content> {
        if at >= self.hits.len() {
            return None;
        }
        let Some(unit) = self.matched(at) else {
            return Some(self.content(at, depth, Vec::new())).filter(|bare| bare.tokens <= room);
        };
        let whole = self.joined(at, &[unit]).remove(0);
        let head = self.head(at, unit);
        let mut most = whole.text.len().min(most);
        loop {
            let text = cut(&whole.text, head, most, self.terms);
            let dates = whole.dates.iter().filter(|date| text.contains(&date.words)).cloned().collect();
            let content = self.content(at, depth, vec![Passage { text, dates, ..whole.clone() }]);
            if content.tokens <= room {
                return Some(content);
            }
            // A short passage is shown whole or hardly shorter.
            most = most * 7 / 8;
            if most < SHORTEST {
                return None;
            }
        }
    }

    /// Returns the bytes at the beginning of a unit that tell its day or its speaker.
    fn head(&self, at: usize, unit: usize) -> usize {
        let unit = &self.pages[at].units.list[unit];
        let text = &self.pages[at].text[unit.bytes.clone()];
        let spoken = unit.speaker.as_ref().map_or(0, |name| name.end + 1 - unit.bytes.start);
        let day = || text.find(|letter: char| letter.is_ascii_digit()).map_or(0, |start| start + 10);
        let dated = line_day(text).map_or(0, |_| day());
        Some(spoken.max(dated)).filter(|head| *head <= HEAD).unwrap_or_default()
    }
}

fn line_at(text: &str, at: usize) -> u32 {
    1 + text[..at].matches('\n').count() as u32
}
