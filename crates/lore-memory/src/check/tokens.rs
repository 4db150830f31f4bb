//! Tokenizes sentences for the grammar of endings: words, page names and punctuation, each with its byte offset. Pure.

use std::collections::HashMap;

use lore_page::Link;
use lore_ports::PageNo;
use lore_text::{ends_sentence, fold};

/// Kind of token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Sort {
    /// A word.
    Word,
    /// A link or the name of a page, with the pages it can refer to. Empty for an unresolved link.
    Name(Vec<PageNo>),
    /// Punctuation.
    Mark(char),
    /// Code or struck-out text: something is here, but it is not asserted.
    Gap,
}

/// A token of a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    pub sort: Sort,
    /// Original text.
    pub raw: String,
    /// Lower-case text without a possessive `'s`.
    pub low: String,
    /// Byte offset in the page.
    pub at: usize,
    /// Whether it is possessive: `Brex's office`.
    pub owner: bool,
    /// Whether it is inside quotation marks.
    pub quoted: bool,
}

impl Token {
    /// Returns whether it is this word.
    pub fn is(&self, word: &str) -> bool {
        self.sort == Sort::Word && self.low == word
    }

    /// Returns whether it is one of these words.
    pub fn is_any(&self, words: &[&str]) -> bool {
        self.sort == Sort::Word && words.contains(&self.low.as_str())
    }

    /// Returns whether it is this punctuation mark.
    pub fn is_mark(&self, mark: char) -> bool {
        self.sort == Sort::Mark(mark)
    }

    /// Returns the pages it names.
    pub fn name(&self) -> Option<&[PageNo]> {
        match &self.sort {
            Sort::Name(pages) => Some(pages),
            _ => None,
        }
    }

    /// Returns whether it is capitalized.
    pub fn capital(&self) -> bool {
        self.raw.chars().next().is_some_and(char::is_uppercase)
    }
}

/// Names by which prose can mention pages.
#[derive(Debug, Default)]
pub(super) struct Vocabulary {
    pages: HashMap<String, Vec<PageNo>>,
    longest: usize,
}

impl Vocabulary {
    /// Adds a name of a page.
    pub fn add(&mut self, name: &str, page: PageNo) {
        let name = fold(name);
        let words = name.split(' ').count();
        if name.chars().count() > 1 && words <= LONGEST {
            self.longest = self.longest.max(words);
            let pages = self.pages.entry(name).or_default();
            if !pages.contains(&page) {
                pages.push(page);
            }
        }
    }

    /// Returns the pages with a name.
    pub fn pages(&self, name: &str) -> &[PageNo] {
        self.pages.get(name).map_or(&[], Vec::as_slice)
    }
}

/// Maximum number of words in a name.
const LONGEST: usize = 6;

/// Input of the tokenizer.
pub(super) struct Text<'t> {
    /// Prose of the page, at its original byte offsets.
    pub prose: &'t str,
    /// Links, in order.
    pub links: &'t [Link],
    /// Page that each link resolves to.
    pub targets: &'t [Option<PageNo>],
}

/// Splits a block, given as byte ranges, into sentences.
pub(super) fn sentences(text: &Text<'_>, ranges: &[std::ops::Range<usize>]) -> Vec<Vec<Token>> {
    let mut reader = Reader { text, tokens: Vec::new(), sentences: Vec::new(), quoted: false, struck: false };
    for range in ranges {
        reader.read(range.start, range.end);
    }
    reader.end_sentence();
    reader.sentences
}

struct Reader<'t> {
    text: &'t Text<'t>,
    tokens: Vec<Token>,
    sentences: Vec<Vec<Token>>,
    quoted: bool,
    struck: bool,
}

impl Reader<'_> {
    fn read(&mut self, start: usize, end: usize) {
        let mut at = start;
        while let Some(letter) = self.text.prose[at..end].chars().next() {
            let next = self.text.links.partition_point(|link| link.span.start < at);
            if let Some(link) =
                self.text.links.get(next).filter(|link| link.span.start == at && link.span.end <= end)
            {
                self.name(link, next);
                at = link.span.end;
            } else if letter.is_alphanumeric() {
                at = self.word(at, end);
            } else {
                at += self.mark(letter, at, end);
            }
        }
    }

    fn push(&mut self, sort: Sort, raw: &str, at: usize) {
        if self.struck {
            return;
        }
        let plain = raw.replace('’', "'");
        let (low, owner) = match plain.strip_suffix("'s").filter(|_| sort == Sort::Word) {
            Some(owner) => (owner.to_lowercase(), true),
            None => (plain.to_lowercase(), false),
        };
        let quoted = self.quoted;
        self.tokens.push(Token { sort, raw: raw.to_owned(), low, at, owner, quoted });
    }

    fn name(&mut self, link: &Link, number: usize) {
        let shown = link.label.as_deref().unwrap_or(&link.target);
        let pages = self.text.targets.get(number).copied().flatten().into_iter().collect();
        self.push(Sort::Name(pages), shown, link.span.start);
        let after = &self.text.prose[link.span.end..];
        if let Some(token) = self.tokens.last_mut() {
            token.owner = after.starts_with("'s") || after.starts_with("’s");
        }
    }

    /// Reads a word: letters, digits and inner punctuation, as in `left-handed`, `didn't`, `2024-03-01`, `1.5`.
    fn word(&mut self, start: usize, end: usize) -> usize {
        let text = &self.text.prose[start..end];
        let mut length = 0;
        let mut letters = text.char_indices().peekable();
        while let Some((at, letter)) = letters.next() {
            let next = letters.peek().map(|(_, next)| *next);
            let inside = matches!(letter, '\'' | '’' | '-' | '.' | '&' | '@' | '/' | ':')
                && next.is_some_and(char::is_alphanumeric);
            if !letter.is_alphanumeric() && !inside {
                break;
            }
            length = at + letter.len_utf8();
        }
        let raw = &text[..length];
        if raw == "s" && self.tokens.last().is_some_and(|token| token.owner && token.name().is_some()) {
            return start + length;
        }
        self.push(Sort::Word, raw, start);
        start + length
    }

    fn mark(&mut self, letter: char, at: usize, end: usize) -> usize {
        let rest = &self.text.prose[at + letter.len_utf8()..end];
        match letter {
            '~' if rest.starts_with('~') => {
                if !self.struck {
                    self.push(Sort::Gap, "~~", at);
                }
                self.struck = !self.struck;
                return 2;
            }
            '`' if self.tokens.last().is_none_or(|token| token.sort != Sort::Gap) => {
                self.push(Sort::Gap, "`", at);
            }
            '"' | '“' | '”' => self.quoted = letter == '“' || letter == '"' && !self.quoted,
            '.' | '!' | '?' | ',' | ';' | ':' | '(' | ')' | '—' | '–' | '…' => {
                self.push(Sort::Mark(letter), &letter.to_string(), at);
                // The end of a sentence in brackets is before the closing one.
                let end = if letter == ')' { at } else { at + letter.len_utf8() };
                if ends_sentence(&self.text.prose[..end], rest) {
                    self.end_sentence();
                }
            }
            '-' if self.text.prose[..at].ends_with(char::is_whitespace) => {
                self.push(Sort::Mark('—'), "-", at);
            }
            _ => {}
        }
        letter.len_utf8()
    }

    fn end_sentence(&mut self) {
        self.quoted = false;
        let tokens = std::mem::take(&mut self.tokens);
        if tokens.iter().any(|token| !matches!(token.sort, Sort::Mark(_))) {
            self.sentences.push(tokens);
        }
    }
}

/// Merges the longest runs of words that are page names into name tokens. A single word must be capitalized. The page's
/// own names take precedence.
pub(super) fn find_names(tokens: Vec<Token>, all: &Vocabulary, own: &Vocabulary) -> Vec<Token> {
    let mut found: Vec<Token> = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while at < tokens.len() {
        match longest_name(&tokens[at..], all, own) {
            Some((length, pages)) => {
                let last = &tokens[at + length - 1];
                let raw = tokens[at..at + length]
                    .iter()
                    .map(|token| token.raw.as_str())
                    .collect::<Vec<_>>()
                    .join(" ");
                let first = &tokens[at];
                let low = raw.to_lowercase();
                let (owner, quoted) = (last.owner, first.quoted);
                found.push(Token { sort: Sort::Name(pages), raw, low, at: first.at, owner, quoted });
                at += length;
            }
            None => {
                found.push(tokens[at].clone());
                at += 1;
            }
        }
    }
    found
}

fn longest_name(tokens: &[Token], all: &Vocabulary, own: &Vocabulary) -> Option<(usize, Vec<PageNo>)> {
    let words = tokens.iter().take_while(|token| token.sort == Sort::Word).count();
    let most = words.min(all.longest.max(own.longest));
    for length in (1..=most).rev() {
        let inner_owner = tokens[..length - 1].iter().any(|token| token.owner);
        if inner_owner || length == 1 && !tokens[0].capital() {
            continue;
        }
        let name = tokens[..length].iter().map(|token| token.low.as_str()).collect::<Vec<_>>().join(" ");
        for known in [own, all] {
            let pages = known.pages(&name);
            if !pages.is_empty() {
                return Some((length, pages.to_vec()));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<Vec<String>> {
        let page = lore_page::parse("a.md", text).page;
        let prose = lore_page::prose(text);
        let targets = vec![None; page.links.len()];
        let text = Text { prose: &prose, links: &page.links, targets: &targets };
        let shown = |token: &Token| match &token.sort {
            Sort::Name(_) => format!("<{}>", token.raw),
            Sort::Gap => "_".into(),
            _ if token.quoted => format!("'{}'", token.raw),
            _ => token.raw.clone(),
        };
        let all = 0..text.prose.len();
        sentences(&text, std::slice::from_ref(&all))
            .iter()
            .map(|tokens| tokens.iter().map(shown).collect())
            .collect()
    }

    #[test]
    fn text_is_split_into_sentences_and_tokens() {
        for (text, expected) in [
            ("He left [[Brex|it]] in 2024. She did.", "He left <it> in 2024 . / She did ."),
            ("Left Brex Inc. in May. J. R. left.", "Left Brex Inc . in May . / J . R . left ."),
            ("Left-handed, v1.5 `left X` ~~left~~ ok?", "Left-handed , v1.5 _ _ ok ?"),
            ("Ann said \"he left\" twice!", "Ann said 'he' 'left' twice !"),
            ("See [[Brex]]'s office", "See <Brex> office"),
        ] {
            let found: Vec<String> = read(text).iter().map(|tokens| tokens.join(" ")).collect();
            assert_eq!(found.join(" / "), expected);
        }
    }
}
