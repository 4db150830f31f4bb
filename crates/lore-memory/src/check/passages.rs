//! Sentences that a page asserts: no code, comments, headings, open tasks or quotes of somebody else. Pure.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use lore_page::{Format, LINKS_TO, Page, prose};
use lore_ports::PageNo;

use super::tokens::{Token, TokenInput, sentences};

/// Observation categories that assert nothing.
const UNASSERTED: [&str; 14] = [
    "question",
    "idea",
    "todo",
    "plan",
    "risk",
    "hypothesis",
    "wish",
    "goal",
    "rumor",
    "rumour",
    "quote",
    "example",
    "scenario",
    "prediction",
];

/// A sentence of a page.
#[derive(Debug)]
pub(super) struct TokenSentence {
    pub tokens: Vec<Token>,
    /// Block that contains it.
    pub block: usize,
    /// Date of the timeline entry that contains it.
    pub day: Option<String>,
}

/// Returns the sentences of a page, in order. `targets` gives the page that each link resolves to.
pub(super) fn passages(
    format: Format,
    source: &str,
    page: &Page,
    targets: &[Option<PageNo>],
) -> Vec<TokenSentence> {
    let plain_text = prose(format, source);
    let text = TokenInput { prose: &plain_text, links: &page.links, targets };
    let mut found = Vec::new();
    for (number, block) in blocks(&plain_text, page).into_iter().enumerate() {
        let day = block.day;
        let sentences = sentences(&text, &block.ranges).into_iter();
        found.extend(sentences.map(|tokens| TokenSentence { tokens, block: number, day: day.clone() }));
    }
    found
}

/// Consecutive lines that form a unit.
#[derive(Debug, Default)]
struct Block {
    ranges: Vec<Range<usize>>,
    day: Option<String>,
    unasserted: bool,
}

fn blocks(prose: &str, page: &Page) -> Vec<Block> {
    let mut reader = BlockReader::new(prose, page);
    let mut at = 0;
    for (number, line) in (1..).zip(prose.split_inclusive('\n')) {
        reader.line(number, at, line.trim_end());
        at += line.len();
    }
    reader.close();
    reader.blocks
}

struct BlockReader<'p> {
    prose: &'p str,
    page: &'p Page,
    /// Lines of facts and relations, which are checked separately.
    structured: HashSet<u32>,
    /// Entries by first line.
    entries: HashMap<u32, usize>,
    blocks: Vec<Block>,
    open: Option<Block>,
    in_quote: bool,
    quotes: usize,
}

impl<'p> BlockReader<'p> {
    fn new(prose: &'p str, page: &'p Page) -> BlockReader<'p> {
        let relations =
            page.links.iter().filter(|link| link.relation != LINKS_TO && !is_ending_verb(&link.relation));
        let structured =
            relations.map(|link| link.line).chain(page.facts.iter().map(|fact| fact.line)).collect();
        let entries = page.entries.iter().enumerate().map(|(at, entry)| (entry.lines.first, at)).collect();
        BlockReader {
            prose,
            page,
            structured,
            entries,
            blocks: Vec::new(),
            open: None,
            in_quote: false,
            quotes: 0,
        }
    }

    fn line(&mut self, number: u32, at: usize, line: &str) {
        let end = at + line.len();
        let start = end - line.trim_start().len();
        let text = &self.prose[start..end];
        if let Some(quoted) = text.strip_prefix('>') {
            return self.quote(end - quoted.trim_start().len()..end);
        }
        self.in_quote = false;
        let code = text.bytes().all(|byte| byte == b'`');
        let dashes = text.len() > 2 && text.bytes().all(|byte| matches!(byte, b'-' | b'=' | b'*' | b'_'));
        if dashes {
            // A line of dashes turns the text above it into a heading.
            self.open = None;
        } else if code || is_heading(text) || text.starts_with('|') || self.structured.contains(&number) {
            self.close();
        } else if let Some(entry) = self.entries.get(&number) {
            self.entry(*entry, start..end);
        } else if let Some(item) = item_text(text) {
            self.item(end - item.len()..end);
        } else {
            self.open.get_or_insert_default().ranges.push(start..end);
        }
    }

    /// Handles a quote line. The first quote of the truth is the page's summary; any other quotes somebody else.
    fn quote(&mut self, range: Range<usize>) {
        if !self.in_quote {
            self.close();
            self.in_quote = true;
            self.quotes += 1;
            let summary = self.quotes == 1 && range.start < self.page.truth.end;
            self.open = Some(Block { unasserted: !summary, ..Block::default() });
        }
        if let Some(block) = &mut self.open {
            block.ranges.push(range);
        }
    }

    fn entry(&mut self, number: usize, range: Range<usize>) {
        self.close();
        let entry = &self.page.entries[number];
        let line = &self.prose[range.clone()];
        let summary =
            line.rfind(entry.summary.as_str()).unwrap_or_else(|| line.rfind("**").map_or(0, |at| at + 2));
        let mut block = Block { day: Some(entry.date.clone()), ..Block::default() };
        block.ranges.push(range.start + summary..range.end);
        self.open = Some(block);
    }

    fn item(&mut self, range: Range<usize>) {
        let nested =
            self.open.as_ref().and_then(|block| block.day.clone()).filter(|_| self.is_indented(&range));
        self.close();
        let text = &self.prose[range.clone()];
        let mut block = Block { day: nested, ..Block::default() };
        let mut start = range.start;
        if let Some((category, rest)) = text.strip_prefix('[').and_then(|rest| rest.split_once(']'))
            && !category.starts_with('[')
            && !rest.starts_with('(')
        {
            let category = category.trim().to_lowercase();
            block.unasserted = category.is_empty() || UNASSERTED.contains(&category.as_str());
            start = range.end - rest.len();
        }
        block.ranges.push(start..range.end);
        self.open = Some(block);
    }

    fn is_indented(&self, range: &Range<usize>) -> bool {
        let line = self.prose[..range.start].rfind('\n').map_or(0, |at| at + 1);
        self.prose[line..].starts_with([' ', '\t'])
    }

    fn close(&mut self) {
        let block = self.open.take();
        self.blocks.extend(block.filter(|block| !block.unasserted && !block.ranges.is_empty()));
    }
}

/// Returns whether a relation's verb is itself an ending: `left [[Brex]]`.
fn is_ending_verb(relation: &str) -> bool {
    matches!(relation.to_lowercase().as_str(), "left" | "quit" | "departed" | "exited")
}

fn is_heading(text: &str) -> bool {
    let rest = text.trim_start_matches('#');
    rest.len() < text.len() && (rest.is_empty() || rest.starts_with([' ', '\t']))
}

/// Returns the text of a list item.
fn item_text(text: &str) -> Option<&str> {
    let digits = text.len() - text.trim_start_matches(|letter: char| letter.is_ascii_digit()).len();
    let rest = match digits {
        0 => text.strip_prefix(['-', '*', '+'])?,
        _ => text[digits..].strip_prefix(['.', ')'])?,
    };
    rest.starts_with([' ', '\t']).then(|| rest.trim_start())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let page = lore_page::parse("a.md", text).page;
        let targets = vec![None; page.links.len()];
        let shown = |sentence: &TokenSentence| {
            let words: Vec<&str> = sentence.tokens.iter().map(|token| token.raw.as_str()).collect();
            format!("{}{}", sentence.day.as_deref().unwrap_or_default(), words.join(" "))
        };
        let found: Vec<String> =
            passages(Format::Markdown, text, &page, &targets).iter().map(shown).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn only_asserted_sentences_are_returned() {
        check(
            "# He left\n\nOne\ntwo. Three\n\n```\nleft\n```\nfour <!-- five -->\n",
            &["One two .", "Three", "four"],
        );
        check("He left\n-------\ntext\n", &["text"]);
        check("> Summary.\n> More.\n\n> Quoted.\n", &["Summary .", "More ."]);
        check("- [ ] leave\n- [x] left\n- [idea] go\n- [note] went\n- plain\n", &["left", "went", "plain"]);
        check("- works_at [[B]]\n- role:: X\n- left [[B]]\n| left | B |\n", &["left B"]);
        check(
            "a\n\n---\n\n- **2024-01-02** | x — Left [[B]].\n  More.\n  - nested\n- other\n",
            &["a", "2024-01-02Left B .", "2024-01-02More .", "2024-01-02nested", "other"],
        );
    }
}
