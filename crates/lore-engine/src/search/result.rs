//! What a search returns.

use lore_page::LineRange;
use lore_ports::{ChunkRow, PageRow};
use lore_text::{ContentHash, RelativeDate};

use super::request::{Depth, Mode};
use crate::lifecycle::State;
use crate::note::Note;

/// A search result.
#[derive(Debug, Default)]
pub struct SearchResult {
    /// Best first.
    pub hits: Vec<Hit>,
    /// Whether no page had all the words, so that any of them matched.
    pub relaxed: bool,
    /// Whether there are more hits after these.
    pub more: bool,
    /// How the pages were retrieved, which may differ from the request.
    pub mode: Mode,
    /// Notes for the user.
    pub notes: Vec<Note>,
    /// How well the query is answered, if that was requested.
    pub quality: Option<AnswerQuality>,
    /// The tokens used, if there is a budget.
    pub spent: Option<Spent>,
}

/// A matching page, or a line of one.
#[derive(Debug, Clone)]
pub struct Hit {
    /// The page.
    pub page: PageRow,
    /// The page's lifecycle state today.
    pub state: State,
    /// Warnings that follow from the state.
    pub warnings: Vec<String>,
    /// The reasons for the match, strongest first.
    pub why: Vec<String>,
    /// Whether a link or a fact makes it an answer to the question.
    pub answers: bool,
    /// The score; comparable within one result only.
    pub score: f64,
    /// How the stages arrived at the score, if that was requested.
    pub steps: Vec<String>,
    /// How well it answers the query, from 0 to 1, if that was requested.
    pub confidence: Option<f64>,
    /// The excerpt to show.
    pub excerpt: Option<Excerpt>,
    /// The chunk that contains the excerpt. Not set in [`Mode::Words`].
    pub chunk: Option<ChunkRow>,
    /// The content to show, if there is a budget.
    pub content: Option<Content>,
    /// Whether the query is its name.
    pub named: bool,
    /// Whether it was found only because it supersedes another page.
    pub successor: bool,
    /// The file as read for the excerpt, if it is not too long to keep.
    pub(super) text: Option<String>,
    /// Hash of the file as read.
    pub(super) hash: Option<ContentHash>,
}

impl Hit {
    /// Returns a hit as the retrievers know it; the later stages add the rest.
    pub(super) fn new(page: PageRow, score: f64, why: Vec<String>) -> Hit {
        Hit {
            page,
            state: State::default(),
            warnings: Vec::new(),
            why,
            answers: false,
            score,
            steps: Vec::new(),
            confidence: None,
            excerpt: None,
            chunk: None,
            content: None,
            named: false,
            successor: false,
            text: None,
            hash: None,
        }
    }
}

/// A passage with what is needed to verify it later.
#[derive(Debug, Clone)]
pub struct Excerpt {
    /// The text.
    pub text: String,
    /// Its lines.
    pub lines: LineRange,
    /// Hash of the file it was read from.
    pub hash: ContentHash,
}

/// The content of a hit that fits the budget.
#[derive(Debug, Clone)]
pub struct Content {
    /// The depth that was reached; never [`Depth::Auto`].
    pub depth: Depth,
    /// The passages, in the order of the page.
    pub passages: Vec<Passage>,
    /// The position of the passage that matched among them.
    pub matched: usize,
    /// Its cost in tokens, with everything around it.
    pub tokens: usize,
}

impl Content {
    /// Returns the text of all passages.
    pub fn text(&self) -> Option<String> {
        let texts: Vec<&str> = self.passages.iter().map(|passage| passage.text.as_str()).collect();
        (!texts.is_empty()).then(|| texts.join("\n…\n"))
    }
}

/// Consecutive lines of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    /// The lines.
    pub lines: LineRange,
    /// The headings above them, without the title.
    pub heading: Option<String>,
    /// The text.
    pub text: String,
    /// Relative dates in it, and the days they mean.
    pub dates: Vec<RelativeDate>,
}

/// How a token budget was used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spent {
    /// Total cost in tokens.
    pub total: usize,
    /// Tokens left.
    pub remaining: usize,
    /// Number of hits that did not fit.
    pub left_out: usize,
}

/// How well a query is answered.
#[derive(Debug, Clone)]
pub struct AnswerQuality {
    /// Confidence of the best hit, from 0 to 1; 0 without hits. Unlike a score, it is comparable across queries.
    pub confidence: f64,
    /// What follows from it.
    pub verdict: Verdict,
    /// The page of the best hit.
    pub page: Option<PageRow>,
    /// The pages that come nearest, if none of them answers and the hits were left out.
    pub nearest: Vec<PageRow>,
}

/// Whether a query is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The hits answer it.
    Answered,
    /// They may answer it.
    Unsure,
    /// Nothing that was found answers it.
    Nothing,
}

impl Verdict {
    /// Confidence from which a query counts as answered.
    pub const ANSWERED: f64 = 0.75;

    /// Confidence below which nothing was found.
    pub const NOTHING: f64 = 0.15;

    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Answered => "answered",
            Verdict::Unsure => "unsure",
            Verdict::Nothing => "nothing",
        }
    }

    /// Returns the verdict that follows from a confidence.
    pub fn of(confidence: f64) -> Verdict {
        match confidence {
            confidence if confidence >= Verdict::ANSWERED => Verdict::Answered,
            confidence if confidence >= Verdict::NOTHING => Verdict::Unsure,
            _ => Verdict::Nothing,
        }
    }
}
