//! Finds prose that reports an end while the link is still open. Pure.
//!
//! A sentence counts on any page, not only on that of the person who left. The link must be a relation without an end
//! date that is valid today, of a kind that ends when somebody leaves. Links that began after the reported end are
//! skipped, and so are links with an earlier, ended interval that the sentence may refer to.

use std::collections::{HashMap, HashSet};

use lore_engine::DEFAULT_TYPE;
use lore_page::{Format, LINKS_TO, Page, Value};
use lore_ports::{LinkRow, PageNo, PageRow};
use lore_text::{PartialDate, fold};
use lore_vault::folder;

use super::contradiction::{Candidate, ContradictionKind, LineRef, topic};
use super::dates::is_season;
use super::ended::ByPage;
use super::endings::{Ending, EndingObject, EndingSubject, endings, reports_return};
use super::passages::{TokenSentence, passages};
use super::rows::Rows;
use super::tokens::{Token, TokenKind, Vocabulary, find_names};
use super::verbs::{VerbKind, ends_with_scope, verb_kind};

/// Rows and names that the prose of a vault is checked against.
pub(super) struct ProseChecker<'r> {
    rows: &'r Rows,
    links: &'r ByPage<'r>,
    vocabulary: Vocabulary,
}

/// A page with its text.
pub(super) struct PageText<'p> {
    pub row: &'p PageRow,
    pub text: &'p str,
    pub page: &'p Page,
    /// Page that each of its links resolves to.
    pub targets: &'p [Option<PageNo>],
}

impl<'r> ProseChecker<'r> {
    /// Creates a context with the titles and aliases of all pages.
    pub fn new(rows: &'r Rows, links: &'r ByPage<'r>) -> ProseChecker<'r> {
        let mut vocabulary = Vocabulary::default();
        for page in rows.pages.values() {
            vocabulary.add(&page.title, page.number);
            aliases(page).into_iter().for_each(|alias| vocabulary.add(&alias, page.number));
        }
        ProseChecker { rows, links, vocabulary }
    }

    /// Returns the open links that a page's prose reports as ended.
    pub fn ended_links(&self, page_text: &PageText<'_>) -> Vec<Candidate> {
        let own = self.own_names(page_text);
        let mut sentences =
            passages(Format::of(&page_text.row.path), page_text.text, page_text.page, page_text.targets);
        for sentence in &mut sentences {
            let tokens = std::mem::take(&mut sentence.tokens);
            sentence.tokens = find_names(tokens, &self.vocabulary, &own);
        }
        let mut found = Vec::new();
        let mut seen = HashSet::new();
        for (at, sentence) in sentences.iter().enumerate() {
            if sentence.day.as_ref().is_some_and(|day| *day > self.rows.today) {
                continue;
            }
            for ending in endings(&sentence.tokens, sentence.day.is_some()) {
                for (subject, target) in self.resolve_targets(page_text, &sentences, at, &ending) {
                    let Some(link) = self.open_link(subject, target, sentence, &ending) else { continue };
                    if !self.returned(&sentences, target) && seen.insert((subject, target)) {
                        found.push(self.candidate(page_text, link, &ending));
                    }
                }
            }
        }
        found
    }

    /// Returns the page's own names, and the first and last word of its title unless another page has that name.
    fn own_names(&self, page_text: &PageText<'_>) -> Vocabulary {
        let mut own = Vocabulary::default();
        let number = page_text.row.number;
        let is_ambiguous = |name: &str| -> bool {
            let others = self.vocabulary.pages(&fold(name)).iter().filter(|page| **page != number);
            others.clone().count() > 0
                && others.into_iter().any(|page| page_text.targets.contains(&Some(*page)))
        };
        for name in aliases(page_text.row).into_iter().chain([page_text.row.title.clone()]) {
            if !is_ambiguous(&name) {
                own.add(&name, number);
            }
        }
        let words: Vec<&str> = page_text.row.title.split(' ').collect();
        if let [first, .., last] = words.as_slice() {
            for word in [first, last] {
                let capital = word.chars().next().is_some_and(char::is_uppercase) && word.chars().count() > 2;
                let free = self.vocabulary.pages(&fold(word)).is_empty() && !self.shared(page_text, word);
                if capital && free && !["The", "And"].contains(word) {
                    own.add(word, number);
                }
            }
        }
        own
    }

    /// Returns whether a linked page has the word in its title.
    fn shared(&self, page_text: &PageText<'_>, word: &str) -> bool {
        let linked = page_text.targets.iter().flatten().filter(|page| **page != page_text.row.number);
        let mut titles = linked.map(|page| self.rows.title(*page));
        titles.any(|title| title.split(' ').any(|other| other.eq_ignore_ascii_case(word)))
    }

    /// Returns the subject and object pages of an ending.
    fn resolve_targets(
        &self,
        page_text: &PageText<'_>,
        sentences: &[TokenSentence],
        at: usize,
        ending: &Ending,
    ) -> Vec<(PageNo, PageNo)> {
        let own = page_text.row.number;
        let subjects: Vec<PageNo> = match &ending.subject {
            EndingSubject::Page => vec![own],
            EndingSubject::Pronoun if self.has_rival(page_text, sentences, at, ending) => Vec::new(),
            EndingSubject::Pronoun => vec![own],
            EndingSubject::Named(names) => names.iter().filter_map(|name| only(name)).collect(),
            EndingSubject::Other => Vec::new(),
        };
        let target = |subject: PageNo| match &ending.object {
            EndingObject::Named(name) => only(name),
            _ if subject != own => Some(own),
            EndingObject::Unstated if ending.weak && ending.date.is_none() => None,
            EndingObject::Unstated | EndingObject::Organization => self.only_post(own),
        };
        let pair = |subject: PageNo| target(subject).filter(|to| *to != subject).map(|to| (subject, to));
        subjects.into_iter().filter_map(pair).collect()
    }

    /// Returns whether a pronoun may refer to somebody else: another page of the same type, or an unknown name,
    /// precedes it.
    fn has_rival(
        &self,
        page_text: &PageText<'_>,
        sentences: &[TokenSentence],
        at: usize,
        ending: &Ending,
    ) -> bool {
        let block = sentences[at].block;
        let before = sentences[..=at].iter().filter(|sentence| sentence.block == block);
        let mut tokens = before.flat_map(|sentence| {
            let first = |number: usize| number == 0 && !is_acting(sentence.tokens.get(1));
            sentence.tokens.iter().enumerate().map(move |(number, token)| (first(number), token))
        });
        tokens.any(|(first, token)| token.at < ending.at && self.is_rival(page_text, token, first))
    }

    fn is_rival(&self, page_text: &PageText<'_>, token: &Token, first: bool) -> bool {
        match &token.kind {
            TokenKind::Name(pages) => pages
                .iter()
                .any(|page| *page != page_text.row.number && self.is_same_type(page_text.row, *page)),
            TokenKind::Word => {
                let acronym = token.raw.chars().all(|letter| !letter.is_lowercase());
                let pronoun = ["i", "he", "she", "they"].contains(&token.lower.as_str());
                !first && token.is_capitalized() && !acronym && !pronoun && !is_season(token)
            }
            _ => false,
        }
    }

    /// Returns whether two pages have the same type; untyped pages are compared by folder.
    fn is_same_type(&self, one: &PageRow, other: PageNo) -> bool {
        let Some(other) = self.rows.pages.get(&other) else { return true };
        match one.kind == other.kind {
            true if one.kind == DEFAULT_TYPE => folder(&one.path) == folder(&other.path),
            same => same,
        }
    }

    /// Returns the only page to which a page has an open post.
    fn only_post(&self, page: PageNo) -> Option<PageNo> {
        let posts = self.links.get(&page)?.iter();
        let posts =
            posts.filter(|link| self.is_open(link) && verb_kind(&link.link.relation) == VerbKind::Post);
        let targets: HashSet<PageNo> = posts.filter_map(|link| link.to).collect();
        only(&targets.into_iter().collect::<Vec<_>>())
    }

    /// Returns the open link between two pages that a sentence reports as ended.
    fn open_link(
        &self,
        from: PageNo,
        to: PageNo,
        sentence: &TokenSentence,
        ending: &Ending,
    ) -> Option<&'r LinkRow> {
        let links: Vec<&LinkRow> =
            self.links.get(&from)?.iter().copied().filter(|link| link.to == Some(to)).collect();
        let day = sentence.day.as_ref().and_then(|day| day.parse().ok());
        let when = ending.date.or(day);
        if ending.date.is_some_and(|date| date.first_day() > self.rows.today)
            || self.is_explained(&links, when)
        {
            return None;
        }
        let ends = |link: &&LinkRow| match verb_kind(&link.link.relation) {
            VerbKind::Post => true,
            VerbKind::Plain | VerbKind::Other => link.link.interval.from.is_some(),
            VerbKind::Home | VerbKind::Lasting => false,
        };
        let has_started = |link: &&LinkRow| match (link.link.interval.from, when) {
            (Some(from), Some(when)) => from.first_day() <= when.last_day(),
            _ => true,
        };
        let about = |link: &&LinkRow| ends_with_scope(&link.link.relation, &ending.scope);
        links.into_iter().filter(|link| self.is_open(link)).filter(ends).filter(about).find(has_started)
    }

    /// Returns whether an earlier interval has already ended, so that the sentence may refer to that one.
    fn is_explained(&self, links: &[&LinkRow], when: Option<PartialDate>) -> bool {
        let year = |date: PartialDate| date.first_day()[..4].to_owned();
        let lasting = |link: &&&LinkRow| verb_kind(&link.link.relation) != VerbKind::Lasting;
        let ends = links.iter().filter(lasting).filter_map(|link| link.link.interval.until);
        let mut past = ends.filter(|until| self.rows.is_past(*until));
        past.any(|until| when.is_none_or(|when| year(when) <= year(until)))
    }

    fn is_open(&self, link: &LinkRow) -> bool {
        self.rows.holds(link.link.interval)
            && link.link.interval.until.is_none()
            && link.link.relation != LINKS_TO
    }

    /// Returns whether the page also reports a return to the target.
    fn returned(&self, sentences: &[TokenSentence], target: PageNo) -> bool {
        sentences.iter().filter(|sentence| reports_return(&sentence.tokens)).any(|sentence| {
            let mut names = sentence.tokens.iter().filter_map(Token::name).peekable();
            names.peek().is_none() || names.any(|pages| pages.contains(&target))
        })
    }

    fn candidate(&self, page_text: &PageText<'_>, link: &LinkRow, ending: &Ending) -> Candidate {
        let line = 1 + page_text.text[..ending.at].bytes().filter(|byte| *byte == b'\n').count() as u32;
        let (from, to) = (self.rows.title(link.from), link.to.map_or("", |to| self.rows.title(to)));
        let when = ending.date.map(|date| format!(" ({date})")).unwrap_or_default();
        Candidate {
            kind: ContradictionKind::SaidToHaveEnded,
            subject: self.rows.slug(link.from).to_owned(),
            about: Some(link.from),
            message: format!(
                "the text says \"{}\"{when} of {from} and {to}, but the link `{}` has no end",
                ending.verb, link.link.relation
            ),
            since: ending.date.map(|date| date.to_string()),
            lines: [
                LineRef { page: page_text.row.number, line },
                LineRef { page: link.from, line: link.link.line },
            ],
            topic: topic(&[&link.link.relation]),
        }
    }
}

/// Returns whether a word is a verb, which makes the first word of the sentence a name.
fn is_acting(token: Option<&Token>) -> bool {
    let verbs = [
        "is", "was", "has", "had", "and", "who", "also", "then", "now", "works", "runs", "leads", "went",
        "led", "ran", "left", "quit", "became", "took", "gave",
    ];
    token.is_some_and(|token| {
        token.is_any(&verbs) || token.kind == TokenKind::Word && token.lower.ends_with("ed")
    })
}

/// Returns the only element of a list.
fn only(pages: &[PageNo]) -> Option<PageNo> {
    match pages {
        [one] => Some(*one),
        _ => None,
    }
}

/// Returns the aliases in a page's properties.
fn aliases(page: &PageRow) -> Vec<String> {
    let given = ["aliases", "alias"].iter().filter_map(|key| page.properties.get(key));
    given
        .flat_map(|value| match value {
            Value::Text(text) => vec![text.clone()],
            Value::List(items) => items
                .iter()
                .filter_map(|item| match item {
                    Value::Text(text) => Some(text.clone()),
                    _ => None,
                })
                .collect(),
            Value::Map(_) => Vec::new(),
        })
        .collect()
}

/// Returns the page that each link resolves to, from the rows of the links.
pub(super) fn targets(page: &Page, rows: &[LinkRow]) -> Vec<Option<PageNo>> {
    let mut known: HashMap<(u32, &str), Option<PageNo>> = HashMap::new();
    for row in rows {
        known.insert((row.link.line, row.link.target.as_str()), row.to);
    }
    page.links.iter().map(|link| known.get(&(link.line, link.target.as_str())).copied().flatten()).collect()
}
