//! Fits search results into a token budget: for each hit a summary, the matching section, or the whole truth. The
//! result never exceeds the budget.

use lore_page::{LineRange, parse};
use lore_ports::PageRow;
use lore_vault::decode;

use super::lines_of;
use crate::context::VaultContext;
use crate::search::request::{Budget, Depth, Mode};
use crate::search::result::{Content, Hit, SearchResult, Spent};

/// A section is added while more tokens than this are left.
const FOR_SECTION: usize = 500;

/// The whole truth of one of the first hits is added while more tokens than this are left.
const FOR_FULL: usize = 1500;

/// Number of hits that `Auto` may show in full.
const FULL_HITS: usize = 3;

/// Adds content to the hits, best first, and drops those whose summary no longer fits.
pub(in crate::search) fn fit(context: &VaultContext, result: &mut SearchResult, budget: &Budget) {
    if result.mode == Mode::Fields {
        return summarize(context, result, budget);
    }
    let count = result.hits.len();
    let (mut kept, mut total) = (0, 0);
    for (rank, hit) in result.hits.iter_mut().enumerate() {
        let Some(content) = open(context, hit, &Want { budget, rank, left: budget.tokens - total }) else {
            break;
        };
        total += content.tokens;
        hit.content = Some(content);
        kept += 1;
        if total >= budget.tokens {
            break;
        }
    }
    result.hits.truncate(kept);
    result.spent = Some(Spent { total, remaining: budget.tokens - total, left_out: count - kept });
}

/// Adds the cost of title and summary to the hits. A search by fields returns no more of a page, and all of the hits.
fn summarize(context: &VaultContext, result: &mut SearchResult, budget: &Budget) {
    let mut total = 0;
    for hit in &mut result.hits {
        let content = summary(context, &hit.page);
        total += content.tokens;
        hit.content = Some(content);
    }
    result.spent = Some(Spent { total, remaining: budget.tokens.saturating_sub(total), left_out: 0 });
}

/// Returns the content of a hit of which only title and summary are shown.
fn summary(context: &VaultContext, page: &PageRow) -> Content {
    let about = format!("{}\n{}", page.title, page.summary.as_deref().unwrap_or_default());
    let tokens = context.models().count_tokens(&about);
    Content { depth: Depth::Summary, text: None, lines: None, tokens }
}

/// The depth wanted for one hit, and the tokens left for it.
struct Want<'a> {
    budget: &'a Budget,
    rank: usize,
    left: usize,
}

/// Returns the content of a hit, as far as wanted and affordable; `None` when not even its summary fits.
fn open(context: &VaultContext, hit: &mut Hit, want: &Want<'_>) -> Option<Content> {
    let (depth, around) = (want.budget.depth, want.budget.around);
    let count = |text: &str| context.models().count_tokens(text);
    let mut content = summary(context, &hit.page);
    let left = want.left.checked_sub(content.tokens)?;
    let wants_section = match depth {
        Depth::Summary => false,
        Depth::Section | Depth::Full => true,
        Depth::Auto => left > FOR_SECTION,
    };
    let file = wants_section.then(|| read(context, hit)).flatten();
    let Some(file) = file else { return Some(content) };
    let around = around(context, &hit.page);
    let Some(left) = left.checked_sub(around) else { return Some(content) };
    let section = section(&file, hit);
    let wants_full = match depth {
        Depth::Summary | Depth::Section => false,
        Depth::Full => true,
        Depth::Auto => want.rank < FULL_HITS && leaves(section.as_ref(), left, &count) > FOR_FULL,
    };
    let full = wants_full.then(|| truth(&file, hit)).flatten();
    if let Some(part) = full {
        let spent = count(&part.text);
        if spent <= left {
            content.show(Depth::Full, part, spent + around);
            return Some(content);
        }
    }
    if let Some((part, spent)) = section.map(|part| part.cut_to(left, &count)) {
        content.show(Depth::Section, part, spent + around);
    }
    Some(content)
}

/// Returns how many tokens are left after a section, or a lower bound if that already suffices for the whole truth. No
/// token is shorter than a byte, so most sections need no exact count.
fn leaves(section: Option<&Part>, left: usize, count: &dyn Fn(&str) -> usize) -> usize {
    let Some(section) = section else { return left };
    let at_least = left.saturating_sub(section.text.len() + 1);
    if at_least > FOR_FULL { at_least } else { left.saturating_sub(count(&section.text)) }
}

impl Content {
    fn show(&mut self, depth: Depth, part: Part, tokens: usize) {
        if !part.text.is_empty() {
            (self.depth, self.text, self.lines) = (depth, Some(part.text), Some(part.lines));
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
