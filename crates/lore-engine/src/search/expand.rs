//! Fits search results into a token budget: for each hit a summary, the matching section, or the whole truth. The
//! result never exceeds the budget.

use lore_page::{LineRange, parse};
use lore_ports::PageRow;
use lore_vault::decode;

use crate::context::VaultContext;
use crate::error::Result;
use crate::search::{Hit, lines_of};

/// A section is added while more tokens than this are left.
const FOR_SECTION: usize = 500;

/// The whole truth of one of the first hits is added while more tokens than this are left.
const FOR_FULL: usize = 1500;

/// Number of hits that `Auto` may show in full.
const FULL_HITS: usize = 3;

/// How much of each hit to return.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Depth {
    /// Title and summary.
    Summary,
    /// The matching section.
    Section,
    /// Everything above the first horizontal rule.
    Full,
    /// As much as the budget allows, the best hits first.
    #[default]
    Auto,
}

/// A hit with its content.
#[derive(Debug, Clone)]
pub struct ExpandedHit {
    /// The hit.
    pub hit: Hit,
    /// The depth that was reached; never [`Depth::Auto`].
    pub depth: Depth,
    /// The section or the truth.
    pub content: Option<String>,
    /// The lines of the content.
    pub lines: Option<LineRange>,
    /// Its cost in tokens.
    pub tokens: usize,
}

/// Hits inside a budget.
#[derive(Debug)]
pub struct Budgeted {
    /// Best first.
    pub hits: Vec<ExpandedHit>,
    /// Total cost in tokens.
    pub total: usize,
    /// Tokens left.
    pub remaining: usize,
    /// Number of hits that did not fit.
    pub left_out: usize,
}

/// A token budget.
#[derive(Clone, Copy)]
pub struct Budget<'a> {
    /// Total number of tokens.
    pub tokens: usize,
    /// Returns the tokens that the caller's formatting adds around a page's content.
    pub around: &'a dyn Fn(&PageRow) -> usize,
}

/// Expands hits within a budget, best first.
pub fn expand(context: &VaultContext, hits: Vec<Hit>, depth: Depth, budget: Budget<'_>) -> Result<Budgeted> {
    let Budget { tokens: budget, around } = budget;
    let count = hits.len();
    let mut opened: Vec<ExpandedHit> = Vec::new();
    let mut total = 0;
    for (rank, hit) in hits.into_iter().enumerate() {
        let one = open(context, hit, &Want { depth, rank, left: budget - total, around });
        let Some(one) = one else { break };
        total += one.tokens;
        opened.push(one);
        if total >= budget {
            break;
        }
    }
    let left_out = count - opened.len();
    Ok(Budgeted { hits: opened, total, remaining: budget - total, left_out })
}

/// The depth wanted for one hit, and the tokens left for it.
struct Want<'a> {
    depth: Depth,
    rank: usize,
    left: usize,
    around: &'a dyn Fn(&PageRow) -> usize,
}

/// Expands a hit as far as wanted and affordable; `None` when not even its summary fits.
fn open(context: &VaultContext, hit: Hit, want: &Want<'_>) -> Option<ExpandedHit> {
    let count = |text: &str| context.models().count_tokens(text);
    let about = count(&format!("{}\n{}", hit.page.title, hit.page.summary.as_deref().unwrap_or_default()));
    let mut opened = ExpandedHit { hit, depth: Depth::Summary, content: None, lines: None, tokens: about };
    let left = want.left.checked_sub(about)?;
    let wants_section = match want.depth {
        Depth::Summary => false,
        Depth::Section | Depth::Full => true,
        Depth::Auto => left > FOR_SECTION,
    };
    let file = wants_section.then(|| read(context, &mut opened.hit)).flatten();
    let Some(file) = file else { return Some(opened) };
    let around = (want.around)(&opened.hit.page);
    let Some(left) = left.checked_sub(around) else { return Some(opened) };
    let section = section(&file, &opened.hit);
    let wants_full = match want.depth {
        Depth::Summary | Depth::Section => false,
        Depth::Full => true,
        Depth::Auto => want.rank < FULL_HITS && leaves(section.as_ref(), left, &count) > FOR_FULL,
    };
    let full = wants_full.then(|| truth(&file, &opened.hit)).flatten();
    if let Some(part) = full {
        let spent = count(&part.text);
        if spent <= left {
            opened.show(Depth::Full, part, spent + around);
            return Some(opened);
        }
    }
    if let Some((part, spent)) = section.map(|part| part.cut_to(left, &count)) {
        opened.show(Depth::Section, part, spent + around);
    }
    Some(opened)
}

/// Returns how many tokens are left after a section, or a lower bound if that already suffices for the whole truth. No
/// token is shorter than a byte, so most sections need no exact count.
fn leaves(section: Option<&Part>, left: usize, count: &dyn Fn(&str) -> usize) -> usize {
    let Some(section) = section else { return left };
    let at_least = left.saturating_sub(section.text.len() + 1);
    if at_least > FOR_FULL { at_least } else { left.saturating_sub(count(&section.text)) }
}

impl ExpandedHit {
    fn show(&mut self, depth: Depth, part: Part, tokens: usize) {
        if !part.text.is_empty() {
            (self.depth, self.content, self.lines) = (depth, Some(part.text), Some(part.lines));
            self.tokens += tokens;
        }
    }
}

/// Lines of a file.
struct Part {
    text: String,
    lines: LineRange,
}

impl Part {
    /// Keeps as many of the first lines as fit into `tokens`, and returns them with their cost.
    fn cut_to(self, tokens: usize, count: &dyn Fn(&str) -> usize) -> (Part, usize) {
        let all = count(&self.text);
        if all <= tokens {
            return (self, all);
        }
        let ends: Vec<usize> = self.text.match_indices('\n').map(|(at, _)| at).collect();
        let fitting = ends.partition_point(|end| count(&self.text[..*end]) <= tokens);
        let end = fitting.checked_sub(1).map_or(0, |last| ends[last]);
        let last = self.lines.first + (fitting as u32).saturating_sub(1);
        let text = self.text[..end].to_owned();
        let cost = count(&text);
        (Part { text, lines: LineRange { first: self.lines.first, last } }, cost)
    }
}

/// Returns the page's text, reusing what was read for the excerpt if available.
fn read(context: &VaultContext, hit: &mut Hit) -> Option<String> {
    if let Some(text) = hit.text.take() {
        return Some(text);
    }
    let file = context.vault().read(&hit.page.path, u64::MAX).ok()??;
    Some(decode(&file.bytes).text.into_owned())
}

/// Returns the hit's chunk, else its excerpt.
fn section(file: &str, hit: &Hit) -> Option<Part> {
    let chunk = hit.chunk.as_ref().map(|chunk| chunk.lines);
    match (chunk, &hit.excerpt) {
        (Some(lines), _) => Some(Part { text: lines_of(file, lines), lines }),
        (None, Some(excerpt)) => Some(Part { text: excerpt.text.clone(), lines: excerpt.lines }),
        (None, None) => None,
    }
}

/// Returns everything above the first horizontal rule.
fn truth(file: &str, hit: &Hit) -> Option<Part> {
    let range = parse(&hit.page.path, file).page.truth;
    let whole = range.of(file);
    let text = whole.trim();
    let line = |at: usize| 1 + file[..at].matches('\n').count() as u32;
    let start = range.start + (whole.len() - whole.trim_start().len());
    let lines = LineRange { first: line(start), last: line(start + text.len()) };
    (!text.is_empty()).then(|| Part { text: text.to_owned(), lines })
}
