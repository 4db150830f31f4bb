//! Retrieval by fields: each matching field of a page adds a fixed weight, and ties go to the page updated last. Term
//! frequency and text length do not count, which keeps the order stable.

use lore_page::parse;
use lore_ports::{Order, PageRow, Window};
use lore_text::fold;
use lore_vault::decode;

use crate::context::VaultContext;
use crate::error::Result;
use crate::search::expression::Prepared;
use crate::search::request::SearchRequest;
use crate::search::result::Hit;

/// Weight of each field.
const TITLE: u32 = 100;
const LABEL: u32 = 50;
const SUMMARY: u32 = 20;
const BODY: u32 = 5;

/// Returns the pages with a field that contains a word of the query, best first.
pub(in crate::search) fn by_fields(
    context: &VaultContext,
    request: &SearchRequest,
    query: &Prepared,
) -> Result<Vec<Hit>> {
    let words = words(&request.text, query);
    if words.is_empty() {
        return Ok(Vec::new());
    }
    let all = Window { limit: i64::MAX as usize, offset: 0 };
    let mut hits: Vec<(u32, String, Hit)> = Vec::new();
    for page in context.store().list(context.project(), &request.filter, Order::Updated, all)? {
        let body = body(context, &page)?;
        let (score, fields) = weigh(&page, &body, &words);
        if score > 0 {
            let why = fields.iter().map(|field| format!("matched {field}")).collect();
            hits.push((score, updated(&page), Hit::new(page, f64::from(score), why)));
        }
    }
    // Pages come in the order of their last change; a declared date takes precedence.
    hits.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| b.1.cmp(&a.1)));
    Ok(hits.into_iter().map(|(.., hit)| hit).collect())
}

/// Returns the page's declared update date, else the date of its file.
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

/// Returns the content words of the query, or all its words if there are none.
fn words(text: &str, query: &Prepared) -> Vec<String> {
    let words: Vec<String> = query.terms.iter().map(|word| fold(word)).collect();
    if words.is_empty() { fold(text).split_whitespace().map(str::to_owned).collect() } else { words }
}

fn weigh(page: &PageRow, body: &str, words: &[String]) -> (u32, Vec<&'static str>) {
    let has = |text: &str| {
        let text = fold(text);
        let whole = |word: &str| text.split(|letter: char| !letter.is_alphanumeric()).any(|one| one == word);
        // Scripts without spaces, and words with punctuation inside, match as substrings.
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

fn body(context: &VaultContext, page: &PageRow) -> Result<String> {
    let Some(file) = context.vault().read(&page.path, u64::MAX)? else { return Ok(String::new()) };
    let text = decode(&file.bytes).text.into_owned();
    let start = parse(&page.path, &text).page.truth.start;
    Ok(text[start..].to_owned())
}
