//! Ranking signals besides words and embeddings. Each can be switched off, so that its value can be measured.

mod dates;

use lore_ports::{
    Filter, KeyKind, NameQuery, Order, PageNo, PageRow, StatementFilter, StatementKind, Weights, Window,
};
use lore_text::{fold, is_content_word};

use super::SearchRequest;
use super::full_text::WEIGHTS;
use super::fusion::Scored;
use crate::context::VaultContext;
use crate::error::Result;

pub(super) use dates::dates_in;

/// Which signals are enabled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Signals {
    /// A page whose title, slug, alias or id is the query ranks first.
    pub exact: bool,
    /// The only page with every word of the query ranks next; if there are several, each gets a bonus.
    pub complete: bool,
    /// A page that a typed link or a fact leads to answers a question about that relation and ranks right after.
    pub relation: bool,
    /// A page whose title or alias is in the query gets a bonus, and so do the pages of its wing.
    pub entity: bool,
    /// A match in an alias weighs more than one in the text.
    pub alias: bool,
    /// A match in a heading weighs more than one in the text.
    pub heading: bool,
    /// A page with a date that is in the query gets a bonus.
    pub dates: bool,
    /// Of equally good pages, the one that changed last ranks first.
    pub recency: bool,
}

impl Default for Signals {
    fn default() -> Self {
        Signals {
            exact: true,
            complete: true,
            relation: true,
            entity: true,
            alias: true,
            heading: true,
            dates: true,
            recency: true,
        }
    }
}

impl Signals {
    /// No signals.
    pub const NONE: Signals = Signals {
        exact: false,
        complete: false,
        relation: false,
        entity: false,
        alias: false,
        heading: false,
        dates: false,
        recency: false,
    };

    /// Returns the weights of the fields.
    pub(super) fn weights(self) -> Weights {
        let usual = WEIGHTS;
        Weights {
            aliases: if self.alias { usual.aliases } else { 1.0 },
            headings: if self.heading { usual.headings } else { 1.0 },
            ..usual
        }
    }
}

/// Maximum number of words of a name in a query.
const NAME_WORDS: usize = 6;

/// Maximum number of pages of a wing that get a bonus.
const WING_PAGES: usize = 20;

/// Maximum number of pages named in a query; a query that names more is about none of them.
const NAMED_PAGES: usize = 20;

/// A page that a query names.
pub(super) struct Named {
    pub page: PageNo,
    /// The name as it appears in the query.
    pub name: String,
    /// Whether it is the page itself rather than one of its wing.
    pub itself: bool,
}

/// Finds the pages whose title or alias is in the query, and those of their wings.
pub(super) fn named(context: &VaultContext, request: &SearchRequest) -> Result<Vec<Named>> {
    let (store, project) = (context.store(), context.project());
    let names = names_in(&request.text);
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut rows = store.lookup(project, &NameQuery::Exact(&names))?;
    rows.retain(|row| matches!(row.kind, KeyKind::Title | KeyKind::Alias));
    let mut numbers: Vec<PageNo> = rows.iter().map(|row| row.page).collect();
    numbers.sort_unstable();
    numbers.dedup();
    if numbers.len() > NAMED_PAGES {
        return Ok(Vec::new());
    }
    let mut found: Vec<Named> = Vec::new();
    for page in passing(context, &request.filter, &numbers)? {
        let longest = rows.iter().filter(|row| row.page == page.number).max_by_key(|row| row.key.len());
        let Some(name) = longest.map(|row| row.key.clone()) else { continue };
        found.retain(|known| known.page != page.number);
        // Only the page that the wing is named after includes it: `people/ada`, not `people/ada/letters`.
        if page.slug.rsplit('/').next().is_some_and(|last| fold(last) == fold(&page.wing)) {
            let filter = Filter { wing: Some(page.wing.clone()), ..request.filter.clone() };
            for other in
                store.list(project, &filter, Order::Updated, Window { limit: WING_PAGES, offset: 0 })?
            {
                if !found.iter().any(|known| known.page == other.number) {
                    found.push(Named {
                        page: other.number,
                        name: name.clone(),
                        itself: other.number == page.number,
                    });
                }
            }
        } else {
            found.push(Named { page: page.number, name, itself: true });
        }
    }
    Ok(found)
}

/// Returns those of these pages that match a filter.
pub(super) fn passing(context: &VaultContext, filter: &Filter, pages: &[PageNo]) -> Result<Vec<PageRow>> {
    let (store, project) = (context.store(), context.project());
    let mut rows = store.pages(project, pages)?;
    if *filter == Filter::default() {
        return Ok(rows);
    }
    let mut passes = Vec::with_capacity(rows.len());
    for row in rows.drain(..) {
        let one = Filter { slug: filter.slug.clone().or(Some(row.slug.clone())), ..filter.clone() };
        let found = store.list(project, &one, Order::Title, Window { limit: 1, offset: 0 })?;
        if found.first().is_some_and(|found| found.number == row.number) {
            passes.push(row);
        }
    }
    Ok(passes)
}

/// Returns every run of words in a query that could be a name, folded. A single stop word is not a name.
fn names_in(question: &str) -> Vec<String> {
    let words: Vec<String> = question
        .split_whitespace()
        .take(64)
        .map(|word| fold(word.trim_matches(|letter: char| !letter.is_alphanumeric())))
        .map(|word| word.strip_suffix("'s").or(word.strip_suffix("’s")).map(str::to_owned).unwrap_or(word))
        .collect();
    let mut names = Vec::new();
    for start in 0..words.len() {
        for end in start + 1..=(start + NAME_WORDS).min(words.len()) {
            let name = words[start..end].join(" ");
            if end - start > 1 || is_content_word(&name) {
                names.push(name);
            }
        }
    }
    names
}

/// Returns the pages of a list that have a date of the query, with that date.
pub(super) fn dated(
    context: &VaultContext,
    request: &SearchRequest,
    list: &[Scored],
) -> Result<Vec<(PageNo, String)>> {
    let asked = dates_in(&request.text);
    if asked.is_empty() {
        return Ok(Vec::new());
    }
    let pages: Vec<PageNo> = list.iter().map(|(page, _)| *page).collect();
    let wanted = StatementFilter { pages: Some(&pages), kind: Some(StatementKind::Entry), naming: None };
    let mut found: Vec<(PageNo, String)> = Vec::new();
    for row in context.store().statements(context.project(), &wanted)? {
        let Some(day) = row.statement.interval.from else { continue };
        let day = day.to_string();
        if asked.iter().any(|date| day.starts_with(date.as_str()))
            && !found.iter().any(|(page, _)| *page == row.page)
        {
            found.push((row.page, day));
        }
    }
    for page in context.store().pages(context.project(), &pages)? {
        let named = |date: &&String| page.slug.contains(date.as_str()) || page.title.contains(date.as_str());
        if let Some(date) =
            asked.iter().find(named).filter(|_| !found.iter().any(|(known, _)| *known == page.number))
        {
            found.push((page.number, date.clone()));
        }
    }
    Ok(found)
}
