//! Retrieval of timeline entries: answers "when did we sign the lease" by the entries that tell of it.

use lore_ports::{PageNo, StatementFilter, StatementKind};
use lore_text::{PartialDate, fold};

use super::words::by_any_word;
use crate::context::VaultContext;
use crate::error::Result;
use crate::search::expression::{Prepared, Term, count_terms, prepare, without_politeness};
use crate::search::request::SearchRequest;

/// Maximum number of pages whose entries are examined.
const CANDIDATES: usize = 30;

/// Maximum number of answers.
const ANSWERS: usize = 3;

/// Words about time that an entry need not contain.
const TIME: [&str; 13] = [
    "when", "first", "last", "time", "happen", "happened", "day", "date", "week", "month", "year", "since",
    "latest",
];

/// An entry that answers.
pub(super) struct EntryAnswer {
    pub page: PageNo,
    pub line: u32,
    pub why: String,
}

/// Returns the entries that contain every content word of a question about a time. The page's title counts too.
pub(super) fn entries(
    context: &VaultContext,
    request: &SearchRequest,
    query: &Prepared,
) -> Result<Vec<EntryAnswer>> {
    let folded = fold(without_politeness(&request.text));
    let words: Vec<&str> = folded.split(|letter: char| !letter.is_alphanumeric()).collect();
    let is_unit = |word: &str| matches!(word, "year" | "month" | "week" | "day" | "date");
    let asks_when = matches!(words.first(), Some(&"when"))
        || words.windows(2).any(|two| matches!(two[0], "what" | "which") && is_unit(two[1]));
    let asks_time = folded.contains("last time") || folded.contains("first time");
    if !asks_when && !asks_time {
        return Ok(Vec::new());
    }
    let wanted: Vec<String> =
        query.terms.iter().filter(|term| !TIME.contains(&term.as_str())).cloned().collect();
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    // A trailing space: the last word is complete.
    let terms = Term::all(&prepare(&format!("{} ", wanted.join(" "))));
    let pages: Vec<PageNo> =
        by_any_word(context, request, query, CANDIDATES)?.into_iter().map(|(page, _)| page).collect();
    let rows = context.store().pages(context.project(), &pages)?;
    let filter = StatementFilter { pages: Some(&pages), kind: Some(StatementKind::Entry), naming: None };
    let last_day = request.as_of.map(PartialDate::last_day);
    let mut found: Vec<(usize, String, EntryAnswer)> = Vec::new();
    for row in context.store().statements(context.project(), &filter)? {
        let (Some(day), Some(page)) =
            (row.statement.interval.from, rows.iter().find(|page| page.number == row.page))
        else {
            continue;
        };
        let first = day.first_day();
        if last_day.as_ref().is_some_and(|last| first > *last) {
            continue;
        }
        let details: Vec<&str> = row.statement.notes.iter().map(|(_, text)| text.as_str()).collect();
        let text = format!("{} {} {}", row.statement.predicate, row.statement.object, details.join(" "));
        let said = count_terms(&text, &terms);
        if said > 0 && count_terms(&format!("{} {text}", page.title), &terms) == terms.len() {
            let why = format!("answers it: entry of {day} ({}:{})", page.path, row.statement.lines.first);
            let line = row.statement.lines.first;
            found.push((said, first, EntryAnswer { page: row.page, line, why }));
        }
    }
    let earliest = words.contains(&"first");
    found.sort_by(|a, b| {
        let day = if earliest { a.1.cmp(&b.1) } else { b.1.cmp(&a.1) };
        b.0.cmp(&a.0).then(day)
    });
    let mut answers: Vec<EntryAnswer> = Vec::new();
    for (.., answer) in found {
        if answers.len() < ANSWERS && !answers.iter().any(|known| known.page == answer.page) {
            answers.push(answer);
        }
    }
    Ok(answers)
}
