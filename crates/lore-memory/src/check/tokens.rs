//! Tokenizes sentences for the grammar of endings: words, page names and punctuation, each with its byte offset. Pure.

use std::collections::HashMap;

use lore_page::Link;
use lore_ports::PageNo;
use lore_text::{ends_sentence, fold};

/// Kind of token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// A word.
    Word,
    /// A link or the name of a page, with the pages it can refer to. Empty for an unresolved link.
    Name(Vec<PageNo>),
    /// Punctuation.
    Punctuation(char),
    /// Code or struck-out text: something is here, but it is not asserted.
    Omitted,
}

/// A token of a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    pub kind: TokenKind,
    /// Original text.
    pub raw: String,
    /// Lower-case text without a possessive `'s`.
    pub lower: String,
    /// Byte offset in the page.
    pub at: usize,
    /// Whether it is possessive: `Brex's office`.
    pub possessive: bool,
    /// Whether it is inside quotation marks.
    pub quoted: bool,
}

impl Token {
    /// Returns whether it is this word.
    pub fn is(&self, word: &str) -> bool {
        self.kind == TokenKind::Word && self.lower == word
    }

    /// Returns whether it is one of these words.
    pub fn is_any(&self, words: &[&str]) -> bool {
        self.kind == TokenKind::Word && words.contains(&self.lower.as_str())
    }

    /// Returns whether it is this punctuation mark.
    pub fn is_punctuation(&self, character: char) -> bool {
        self.kind == TokenKind::Punctuation(character)
    }

    /// Returns the pages it names.
    pub fn name(&self) -> Option<&[PageNo]> {
        match &self.kind {
            TokenKind::Name(pages) => Some(pages),
            _ => None,
        }
    }

    /// Returns whether it is capitalized.
    pub fn is_capitalized(&self) -> bool {
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
        // Prose is split into words, which do not contain `&`.
        let name = fold(name).replace(" & ", " ");
        let words = name.split(' ').count();
        if name.chars().count() > 1 && words <= MAX_NAME_WORDS {
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
const MAX_NAME_WORDS: usize = 6;

/// Input of the tokenizer.
pub(super) struct TokenInput<'t> {
    /// Prose of the page, at its original byte offsets.
    pub prose: &'t str,
    /// Links, in order.
    pub links: &'t [Link],
    /// Page that each link resolves to.
    pub targets: &'t [Option<PageNo>],
}

/// Splits a block, given as byte ranges, into sentences.
pub(super) fn sentences(text: &TokenInput<'_>, ranges: &[std::ops::Range<usize>]) -> Vec<Vec<Token>> {
    let mut tokenizer =
        Tokenizer { text, tokens: Vec::new(), sentences: Vec::new(), quoted: false, struck: false };
    for range in ranges {
        tokenizer.read(range.start, range.end);
    }
    tokenizer.end_sentence();
    tokenizer.sentences
}

struct Tokenizer<'t> {
    text: &'t TokenInput<'t>,
    tokens: Vec<Token>,
    sentences: Vec<Vec<Token>>,
    quoted: bool,
    struck: bool,
}

impl Tokenizer<'_> {
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
                at += self.punctuation(letter, at, end);
            }
        }
    }

    fn push(&mut self, kind: TokenKind, raw: &str, at: usize) {
        if self.struck {
            return;
        }
        let plain = raw.replace('’', "'");
        let (lower, possessive) = match plain.strip_suffix("'s").filter(|_| kind == TokenKind::Word) {
            Some(stem) => (stem.to_lowercase(), true),
            None => (plain.to_lowercase(), false),
        };
        let quoted = self.quoted;
        self.tokens.push(Token { kind, raw: raw.to_owned(), lower, at, possessive, quoted });
    }

    fn name(&mut self, link: &Link, number: usize) {
        let shown = link.label.as_deref().unwrap_or(&link.target);
        let pages = self.text.targets.get(number).copied().flatten().into_iter().collect();
        self.push(TokenKind::Name(pages), shown, link.span.start);
        let after = &self.text.prose[link.span.end..];
        if let Some(token) = self.tokens.last_mut() {
            token.possessive = after.starts_with("'s") || after.starts_with("’s");
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
        // `ex-Brex` is about Brex; `ex-husband` is a word of its own.
        let former = raw.get(..3).is_some_and(|start| start.eq_ignore_ascii_case("ex-"));
        if former && raw[3..].starts_with(char::is_uppercase) {
            self.push(TokenKind::Word, &raw[..2], start);
            return start + 3;
        }
        if raw == "s" && self.tokens.last().is_some_and(|token| token.possessive && token.name().is_some()) {
            return start + length;
        }
        self.push(TokenKind::Word, raw, start);
        // `Felix' time`, `the engineers' canteen`.
        let bare = text[length..].strip_prefix(['\'', '’']).is_some_and(|rest| rest.starts_with(' '));
        if bare
            && raw.ends_with(['s', 'x', 'z'])
            && let Some(token) = self.tokens.last_mut()
        {
            token.possessive = true;
        }
        start + length
    }

    fn punctuation(&mut self, character: char, at: usize, end: usize) -> usize {
        let rest = &self.text.prose[at + character.len_utf8()..end];
        match character {
            '~' if rest.starts_with('~') => {
                if !self.struck {
                    self.push(TokenKind::Omitted, "~~", at);
                }
                self.struck = !self.struck;
                return 2;
            }
            '`' if self.tokens.last().is_none_or(|token| token.kind != TokenKind::Omitted) => {
                self.push(TokenKind::Omitted, "`", at);
            }
            '"' | '“' | '”' => self.quoted = character == '“' || character == '"' && !self.quoted,
            '.' | '!' | '?' | ',' | ';' | ':' | '(' | ')' | '—' | '–' | '…' => {
                self.push(TokenKind::Punctuation(character), &character.to_string(), at);
                // The end of a sentence in brackets is before the closing one.
                let end = if character == ')' { at } else { at + character.len_utf8() };
                if ends_sentence(&self.text.prose[..end], rest) {
                    self.end_sentence();
                }
            }
            '-' if self.text.prose[..at].ends_with(char::is_whitespace) => {
                self.push(TokenKind::Punctuation('—'), "-", at);
            }
            _ => {}
        }
        character.len_utf8()
    }

    fn end_sentence(&mut self) {
        self.quoted = false;
        let tokens = std::mem::take(&mut self.tokens);
        if tokens.iter().any(|token| !matches!(token.kind, TokenKind::Punctuation(_))) {
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
                let lower = raw.to_lowercase();
                let (possessive, quoted) = (last.possessive, first.quoted);
                found.push(Token {
                    kind: TokenKind::Name(pages),
                    raw,
                    lower,
                    at: first.at,
                    possessive,
                    quoted,
                });
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
    let words = tokens.iter().take_while(|token| token.kind == TokenKind::Word).count();
    let longest = words.min(all.longest.max(own.longest));
    for length in (1..=longest).rev() {
        let inner_possessive = tokens[..length - 1].iter().any(|token| token.possessive);
        if inner_possessive || length == 1 && !tokens[0].is_capitalized() {
            continue;
        }
        let name = tokens[..length].iter().map(|token| token.lower.as_str()).collect::<Vec<_>>().join(" ");
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
        let prose = lore_page::prose(lore_page::Format::Markdown, text);
        let targets = vec![None; page.links.len()];
        let text = TokenInput { prose: &prose, links: &page.links, targets: &targets };
        let shown = |token: &Token| match &token.kind {
            TokenKind::Name(_) => format!("<{}>", token.raw),
            TokenKind::Omitted => "_".into(),
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
