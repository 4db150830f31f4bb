//! Finds `[[target#heading|label]]` links by matching brackets, and parses their contents.

use std::borrow::Cow;
use std::ops::Range;

use crate::page::Properties;

/// Matches brackets one by one and keeps the pairs that are links, in linear time for any nesting.
///
/// Brackets inside a link count by depth: `[[React [[Hooks]]]]` is one link. Where they do not balance, the link
/// extends from `[[` to the next `]]`.
#[derive(Debug, Default)]
pub(crate) struct Brackets {
    open: Vec<usize>,
    last_closed: Option<(usize, usize)>,
    balanced: Vec<Range<usize>>,
    last_double: Option<usize>,
    unbalanced: Vec<Range<usize>>,
}

impl Brackets {
    /// Records a `[`.
    pub(crate) fn open(&mut self, at: usize) {
        if at > 0 && self.open.last() == Some(&(at - 1)) {
            self.last_double = Some(at - 1);
        }
        self.open.push(at);
    }

    /// Records a `]`; `doubled` if another one follows.
    pub(crate) fn close(&mut self, at: usize, doubled: bool) {
        if let Some(start) = self.last_double.take()
            && doubled
        {
            self.unbalanced.push(start..at + 2);
        }
        let Some(start) = self.open.pop() else {
            self.last_closed = None;
            return;
        };
        if self.last_closed.take() == Some((start + 1, at.wrapping_sub(1))) {
            self.keep(start..at + 1);
        } else {
            self.last_closed = Some((start, at));
        }
    }

    /// Discards open brackets, because a link cannot span blocks.
    pub(crate) fn end_block(&mut self) {
        self.open.clear();
        self.last_closed = None;
        self.last_double = None;
    }

    /// Returns the links in order, including their brackets. None is nested in another.
    pub(crate) fn finish(self) -> Vec<Range<usize>> {
        let mut links = self.balanced;
        let mut next = 0;
        let balanced = links.len();
        for candidate in self.unbalanced {
            while next < balanced && links[next].end <= candidate.start {
                next += 1;
            }
            if next == balanced || links[next].start >= candidate.end {
                links.push(candidate);
            }
        }
        if links.len() > balanced {
            links.sort_unstable_by_key(|link| link.start);
        }
        links
    }

    fn keep(&mut self, link: Range<usize>) {
        while let Some(inner) = self.balanced.last()
            && inner.start > link.start
        {
            // In `[[[[a]]]]` the outer brackets add nothing.
            if inner.start == link.start + 2 && inner.end + 2 == link.end {
                return;
            }
            self.balanced.pop();
        }
        self.balanced.push(link);
    }
}

/// Returns the links in a short text, outside inline code.
pub(crate) fn find(text: &str) -> Vec<Range<usize>> {
    let mut brackets = Brackets::default();
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'[' => brackets.open(at),
            b']' => brackets.close(at, bytes.get(at + 1) == Some(&b']')),
            b'\\' => at += 1,
            b'`' => at = code_end(text, at) - 1,
            _ => {}
        }
        at += 1;
    }
    brackets.finish()
}

/// Returns the end of the inline code whose backticks start at `start`, or the end of the backticks if it is unclosed.
pub(crate) fn code_end(text: &str, start: usize) -> usize {
    let ticks = text.as_bytes()[start..].iter().take_while(|byte| **byte == b'`').count();
    let inside = start + ticks;
    text[inside..].find(&text[start..inside]).map_or(inside, |at| inside + at + ticks)
}

/// The contents of a link's brackets.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct WikiText<'t> {
    pub(crate) target: Cow<'t, str>,
    pub(crate) heading: Option<Cow<'t, str>>,
    pub(crate) label: Option<Cow<'t, str>>,
}

/// The order of the two parts of `[[a|b]]`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum LinkOrder {
    /// `[[target|label]]`, as almost everywhere.
    #[default]
    TargetFirst,
    /// `[[label|target]]`, as in Dendron.
    LabelFirst,
}

impl LinkOrder {
    /// Returns the order used on a page with these properties. Dendron writes an id, a description and the time of the last
    /// change in milliseconds on each of its notes.
    pub(crate) fn of(properties: &Properties) -> LinkOrder {
        let is_millis = |key: &str| {
            properties
                .text(key)
                .is_some_and(|text| text.len() >= 12 && text.bytes().all(|byte| byte.is_ascii_digit()))
        };
        let is_dendron = ["id", "desc"].iter().all(|key| properties.text(key).is_some())
            && ["created", "updated"].into_iter().any(is_millis);
        if is_dendron { LinkOrder::LabelFirst } else { LinkOrder::TargetFirst }
    }

    /// Returns the order of one link: an address of Dendron after the bar is a target, whatever page it is on.
    pub(crate) fn of_link(self, inner: &str) -> LinkOrder {
        match inner.split_once('|') {
            Some((_, second)) if second.trim_start().starts_with(DENDRON) => LinkOrder::LabelFirst,
            _ => self,
        }
    }
}

/// The scheme of Dendron's links to a note of a named vault: `dendron://vault/note`.
const DENDRON: &str = "dendron://";

/// Returns a target without the address of a Dendron vault before it.
pub(crate) fn without_dendron_vault(target: &str) -> &str {
    target.strip_prefix(DENDRON).and_then(|rest| rest.split_once('/')).map_or(target, |(_, note)| note)
}

/// Splits the contents of a link's brackets into the target with its heading, and the label.
pub(crate) fn name_and_label(inner: &str, order: LinkOrder) -> (&str, &str) {
    // Inside a table the bar is escaped.
    match inner.split_once('|') {
        Some((label, name)) if order.of_link(inner) == LinkOrder::LabelFirst => {
            (name, label.strip_suffix('\\').unwrap_or(label))
        }
        Some((name, label)) => (name.strip_suffix('\\').unwrap_or(name), label),
        None => (inner, ""),
    }
}

/// Parses the contents of a link's brackets. Returns `None` if they name no other page.
pub(crate) fn read(inner: &str, order: LinkOrder) -> Option<WikiText<'_>> {
    let (name, label) = name_and_label(inner, order);
    let (target, heading) = name.split_once('#').unwrap_or((name, ""));
    let target = join_lines(without_dendron_vault(target.trim()));
    let filled = |text: &'_ str| !text.trim().is_empty();
    if target.chars().all(|letter| letter.is_control() || letter.is_whitespace()) {
        return None;
    }
    Some(WikiText {
        target,
        heading: Some(heading).filter(|text| filled(text)).map(join_lines),
        label: Some(label).filter(|text| filled(text)).map(join_lines),
    })
}

/// Joins the lines of a link that spans several, dropping the `>` of a quote.
fn join_lines(text: &str) -> Cow<'_, str> {
    let text = text.trim();
    if !text.contains('\n') {
        return Cow::Borrowed(text);
    }
    let lines = text.lines().map(|line| line.trim_start_matches(['>', ' ', '\t']).trim_end());
    Cow::Owned(lines.collect::<Vec<_>>().join(" "))
}
