//! Parses list items into structured lines.

use std::borrow::Cow;
use std::ops::Range;

use crate::format::Format;
use crate::grammar::{self, LineWarnings, Relation, Show};
use crate::interval::Interval;
use crate::org;
use crate::page::{Diagnostic, Entry, LineRange, Observation, Page};

use super::{Blocks, Inline, Item, Lines};

/// The inputs for parsing items.
pub(crate) struct ItemSource<'t> {
    pub(crate) format: Format,
    pub(crate) text: &'t str,
    pub(crate) lines: &'t Lines<'t>,
    pub(crate) blocks: &'t Blocks,
    pub(crate) inline: &'t Inline,
}

/// A relation and the position of its link.
pub(crate) struct Related {
    pub(crate) start: usize,
    pub(crate) relation: Relation,
}

/// What items say about the links in them, in the order of the items.
#[derive(Default)]
pub(crate) struct ItemLinks {
    /// Relations, for the links they belong to.
    pub(crate) related: Vec<Related>,
    /// When a fact or the event of an entry holds, for every link in its range.
    pub(crate) dated: Vec<(Range<usize>, Interval)>,
}

impl ItemLinks {
    /// Returns when a link without a relation of its own is valid: as long as the fact it is in, or since the day of the
    /// entry it is in.
    pub(crate) fn interval(&self, at: usize) -> Interval {
        let after = self.dated.partition_point(|(range, _)| range.start <= at);
        let around = self.dated[..after].iter().rev().find(|(range, _)| at < range.end);
        around.map_or_else(Interval::default, |(_, interval)| *interval)
    }
}

/// Parses every item into the page, and returns what they say about links.
pub(crate) fn read(source: &ItemSource<'_>, page: &mut Page, diagnostics: &mut Vec<Diagnostic>) -> ItemLinks {
    let mut links = ItemLinks::default();
    let mut warnings = LineWarnings::new();
    for item in &source.blocks.items {
        let Some(first) = source.blocks.segments.get(item.segments.clone()).and_then(|all| all.first())
        else {
            continue;
        };
        let line = source.lines.number(first.start);
        let before = (page.facts.len(), page.entries.len());
        links.related.extend(source.read(item, line, page, &mut warnings));
        diagnostics.extend(warnings.drain(..).map(|message| Diagnostic { line, message }));
        if page.facts.len() > before.0 {
            links.dated.extend(page.facts.last().map(|fact| (source.own_range(item), fact.interval)));
        } else if page.entries.len() > before.1 {
            let since = |entry: &Entry| Interval { from: entry.interval().from, until: None };
            links.dated.extend(page.entries.last().map(|entry| (item.range.clone(), since(entry))));
        }
    }
    links.dated.sort_by_key(|(range, _)| range.start);
    links
}

impl<'t> ItemSource<'t> {
    /// Returns the range of an item's own text.
    fn own_range(&self, item: &Item) -> Range<usize> {
        let segments = &self.blocks.segments[item.segments.clone()];
        let start = segments.first().map_or(item.range.start, |first| first.start);
        start..segments.last().map_or(start, |last| last.end)
    }

    fn read(&self, item: &Item, line: u32, page: &mut Page, warnings: &mut LineWarnings) -> Option<Related> {
        let segments = &self.blocks.segments[item.segments.clone()];
        let (first, last) = (segments.first()?, segments.last()?);
        let whole = first.start..last.end;
        let text = self.joined(segments, &whole);
        let text = text.trim();
        match text.as_bytes() {
            [b'*', ..] | [b'<' | b'[', b'0'..=b'9', ..] if self.format == Format::Org => {
                if let Some(entry) = self.entry(item, first, line, warnings) {
                    page.entries.push(entry);
                    return None;
                }
            }
            [b'*', b'*', ..] => {
                if let Some(entry) = self.entry(item, first, line, warnings) {
                    page.entries.push(entry);
                    return None;
                }
            }
            // A fact may start with a link to its subject.
            [b'[', second, ..] if *second != b'[' && !item.starts_with_link => {
                page.observations.extend(self.observation(text, &whole, line));
                return None;
            }
            _ => {}
        }
        if text.contains("::")
            && let Some(fact) = grammar::fact(&self.without_links(text), line, warnings)
        {
            page.facts.push(fact);
            return None;
        }
        self.relation(segments, &whole, warnings)
    }

    /// Returns the text in which facts are read. Org has brackets inside its links, so what they show is read instead.
    fn without_links<'s>(&self, text: &'s str) -> Cow<'s, str> {
        match self.format {
            Format::Markdown => Cow::Borrowed(text),
            Format::Org => self.format.shown_links(text, Show::Label),
        }
    }

    fn observation(&self, text: &str, whole: &Range<usize>, line: u32) -> Option<Observation> {
        let read = grammar::observation(text)?;
        let tags = match self.format {
            Format::Markdown => {
                let tags = super::within(&self.inline.tags, whole, |tag| tag.start);
                super::unique(tags.iter().map(|tag| &self.text[tag.clone()]))
            }
            Format::Org if is_org_bracket(read.category) => return None,
            Format::Org => super::unique(grammar::tags(&read.content).into_iter()),
        };
        Some(Observation {
            category: read.category.to_owned(),
            content: read.content.into_owned(),
            tags,
            context: read.context.map(str::to_owned),
            line,
        })
    }

    fn relation(
        &self,
        segments: &[Range<usize>],
        whole: &Range<usize>,
        warnings: &mut LineWarnings,
    ) -> Option<Related> {
        let link = super::within(&self.inline.wiki, whole, |link| link.start).first()?;
        let before = self.joined(segments, &(whole.start..link.start));
        let after = self.joined(segments, &(link.end..whole.end));
        let relation = grammar::relation(&before, &after, warnings)?;
        Some(Related { start: link.start, relation })
    }

    fn entry(
        &self,
        item: &Item,
        first: &Range<usize>,
        line: u32,
        warnings: &mut LineWarnings,
    ) -> Option<Entry> {
        let head = self.joined(std::slice::from_ref(first), first);
        let head = match self.format {
            Format::Markdown => head,
            Format::Org => Cow::Owned(entry_head(head.trim())?),
        };
        let read = grammar::entry(head.trim(), warnings)?;
        let (detail, last) = self.detail(item, first);
        Some(Entry {
            date: read.date.to_owned(),
            source: read.source.map(Cow::into_owned),
            summary: read.summary.into_owned(),
            detail,
            lines: LineRange { first: line, last },
        })
    }

    /// Returns the lines of an item after its first, without the indent they share with it, and the last line's number.
    fn detail(&self, item: &Item, first: &Range<usize>) -> (Option<String>, u32) {
        let line = self.lines.range(first.start);
        let indent = columns(unquoted(&self.text[line.start..first.start], item.quotes));
        let rest = self.text.get(line.end..item.range.end).unwrap_or_default();
        let lines = rest.lines().map(|line| dedented(unquoted(line, item.quotes), indent).trim_end());
        let lines: Vec<&str> = lines.collect();
        let kept = lines.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1);
        let start = lines.iter().position(|line| !line.is_empty()).unwrap_or(0);
        let detail = (kept > 0).then(|| lines[start..kept].join("\n"));
        (detail, self.lines.number(first.start) + kept as u32)
    }

    /// Returns the part of an item's text within a range, on one line and without comments.
    fn joined(&self, segments: &[Range<usize>], range: &Range<usize>) -> Cow<'t, str> {
        let opaque = &self.blocks.opaque;
        let text = &self.text[range.clone()];
        if opaque.comments_in(range).is_empty() && !text.contains('\n') {
            return Cow::Borrowed(text);
        }
        let mut joined = String::with_capacity(text.len());
        for segment in segments.iter().filter(|part| part.start <= range.end && part.end >= range.start) {
            if segment.start > range.start {
                joined.push(' ');
            }
            let mut at = segment.start.max(range.start);
            let end = segment.end.min(range.end);
            for comment in opaque.comments_in(&(at..end)) {
                push_joined(&mut joined, &self.text[at..comment.start.clamp(at, end)]);
                at = comment.end.clamp(at, end);
            }
            push_joined(&mut joined, &self.text[at..end]);
        }
        Cow::Owned(joined)
    }
}

/// Returns the first line of an Org entry as the grammar reads it. The date is bold, or a timestamp.
fn entry_head(text: &str) -> Option<String> {
    if text.starts_with("**") {
        return Some(text.to_owned());
    }
    if let Some(bold) = text.strip_prefix('*') {
        let (date, rest) = bold.split_once('*')?;
        return Some(format!("**{date}**{rest}"));
    }
    let (date, rest) = org::leading_date(text)?;
    let rest = rest.trim_start();
    let is_separated =
        rest.starts_with(['|', '—', '–', ':']) || rest.starts_with("- ") || rest.starts_with("--");
    Some(if is_separated { format!("**{date}** {rest}") } else { format!("**{date}** — {rest}") })
}

/// Returns whether the text in brackets is something else in Org: a counter, a statistic, a footnote or a citation.
fn is_org_bracket(text: &str) -> bool {
    text.contains(':')
        || text.starts_with(['@', '#'])
        || text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'/' | b'%'))
}

/// Appends a piece of text. Inline code may span lines; the indents and quote marks of its lines are dropped.
fn push_joined(joined: &mut String, piece: &str) {
    for (number, line) in piece.lines().enumerate() {
        let line = if number > 0 { line.trim_start_matches(['>', ' ', '\t']) } else { line };
        if number > 0 {
            joined.push(' ');
        }
        joined.push_str(if joined.ends_with(' ') { line.trim_start() } else { line });
    }
}

/// Removes the `>` of the quotes around a line.
fn unquoted(line: &str, quotes: usize) -> &str {
    let mut rest = line;
    for _ in 0..quotes {
        let Some(inside) = rest.trim_start().strip_prefix('>') else { break };
        rest = inside.strip_prefix(' ').unwrap_or(inside);
    }
    rest
}

fn columns(prefix: &str) -> usize {
    prefix.chars().count()
}

/// Removes up to `columns` columns of leading white space; a tab extends to the next multiple of four.
fn dedented(line: &str, columns: usize) -> &str {
    let mut column = 0;
    for (at, byte) in line.bytes().enumerate() {
        match byte {
            _ if column >= columns => return &line[at..],
            b' ' => column += 1,
            b'\t' => column = (column / 4 + 1) * 4,
            _ => return &line[at..],
        }
    }
    ""
}
