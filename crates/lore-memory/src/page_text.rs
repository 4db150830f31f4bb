//! The title and the first sentence of a text, as features quote them.

use lore_page::parse;

/// Returns the given title, else the first heading, else the first sentence.
pub(crate) fn title_of(given: Option<&str>, text: &str) -> String {
    let page = parse("", text).page;
    let own = page.properties.text("title").map(str::to_owned).or(page.heading_title);
    given.map(str::to_owned).or(own).unwrap_or_else(|| first_sentence(text, 80))
}

/// Returns the first sentence of the body, truncated at a word boundary if it is too long.
pub(crate) fn first_sentence(text: &str, limit: usize) -> String {
    let page = parse("", text).page;
    let body =
        page.truth.of(text).lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let line = body.map(|line| line.trim_start_matches(['-', '*', '>', ' '])).next().unwrap_or_default();
    let end = line.find(". ").map_or(line.len(), |at| at + 1);
    let sentence = line[..end].trim_end_matches('.');
    match sentence.char_indices().nth(limit) {
        None => sentence.to_owned(),
        Some((at, _)) => {
            let cut = sentence[..at].rfind(' ').unwrap_or(at);
            format!("{}…", sentence[..cut].trim_end())
        }
    }
}
