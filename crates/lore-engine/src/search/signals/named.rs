//! Finds the pages that a query names.

use lore_ports::{Filter, KeyKind, NameQuery, Order, PageNo, Window};
use lore_text::{fold, is_content_word};

use crate::context::VaultContext;
use crate::error::Result;
use crate::search::request::SearchRequest;
use crate::search::retrieve::passing;

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
            let filter = Filter { wings: vec![page.wing.clone()], ..request.filter.clone() };
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

/// Returns every run of words in a query that could be a name, folded. A single stop word is not a name.
pub(in crate::search) fn names_in(question: &str) -> Vec<String> {
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
