//! Search by fields: each field of a page that matches counts once with a fixed weight, and of equals the one updated
//! last comes first. No frequency, no length: what is stable stays where it is.

use lore_page::{fold, parse};

use crate::error::Result;
use crate::index::{Filter, Order, PageRow, Window};
use crate::memory::Memory;
use crate::search::prepare;
use crate::vault::decode;

/// The weight of each field.
const TITLE: u32 = 100;
const LABEL: u32 = 50;
const SUMMARY: u32 = 20;
const BODY: u32 = 5;

/// A page that answers.
#[derive(Debug)]
pub struct FieldHit {
    /// The page.
    pub page: PageRow,
    /// The weights of its matching fields together.
    pub score: u32,
    /// Which fields matched.
    pub reasons: Vec<&'static str>,
}

/// The pages of which a field has a word of the query, the best first.
pub fn search_fields(memory: &Memory, query: &str, filter: &Filter, limit: usize) -> Result<Vec<FieldHit>> {
    let words = words(query);
    if words.is_empty() {
        return Ok(Vec::new());
    }
    let all = Window { limit: i64::MAX as usize, offset: 0 };
    let mut hits = Vec::new();
    for page in memory.store().list(memory.project(), filter, Order::Updated, all)? {
        let body = body(memory, &page)?;
        let (score, reasons) = weigh(&page, &body, &words);
        if score > 0 {
            hits.push(FieldHit { page, score, reasons });
        }
    }
    // Pages come in the order of their last change; the date that a page states counts more.
    hits.sort_by(|a, b| b.score.cmp(&a.score).then_with(|| updated(&b.page).cmp(&updated(&a.page))));
    hits.truncate(limit);
    Ok(hits)
}

/// When a page says that it was updated; else when its file was.
pub fn updated(page: &PageRow) -> String {
    let noted = page.properties.text("updated").map(str::to_owned);
    noted.unwrap_or_else(|| {
        jiff::Timestamp::from_millisecond(page.updated)
            .unwrap_or_default()
            .to_string()
            .chars()
            .take(10)
            .collect()
    })
}

/// The words that decide: those that say something, or all where none does.
fn words(query: &str) -> Vec<String> {
    let telling = prepare(query).terms;
    let words: Vec<String> = telling.iter().map(|word| fold(word)).collect();
    if words.is_empty() { fold(query).split_whitespace().map(str::to_owned).collect() } else { words }
}

fn weigh(page: &PageRow, body: &str, words: &[String]) -> (u32, Vec<&'static str>) {
    let has = |text: &str| {
        let text = fold(text);
        let whole = |word: &str| text.split(|letter: char| !letter.is_alphanumeric()).any(|one| one == word);
        // Scripts without spaces, and words with a sign inside, are found as they stand.
        let plain = |word: &str| word.chars().all(|letter| letter.is_ascii_alphanumeric());
        words.iter().any(|word| if plain(word) { whole(word) } else { text.contains(word.as_str()) })
    };
    let projects = page.properties.list("projects");
    let fields = [
        ("title", TITLE, has(&page.title)),
        ("tag", LABEL, page.tags.iter().any(|tag| has(tag))),
        ("project", LABEL, projects.iter().any(|project| has(project))),
        ("status", LABEL, page.status.as_deref().is_some_and(has)),
        ("summary", SUMMARY, page.summary.as_deref().is_some_and(has)),
        ("body", BODY, has(body)),
    ];
    let matched = fields.into_iter().filter(|(.., matched)| *matched);
    matched.fold((0, Vec::new()), |(score, mut reasons), (name, weight, _)| {
        reasons.push(name);
        (score + weight, reasons)
    })
}

fn body(memory: &Memory, page: &PageRow) -> Result<String> {
    let Some(file) = memory.vault().read(&page.path, u64::MAX)? else { return Ok(String::new()) };
    let text = decode(&file.bytes).text.into_owned();
    let start = parse(&page.path, &text).page.truth.start;
    Ok(text[start..].to_owned())
}
