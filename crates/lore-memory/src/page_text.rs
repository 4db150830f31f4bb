//! The title and the first sentence of a text, as features quote them.

use lore_page::Format;
use lore_text::sentence_end;

/// Returns the given title, else the first heading, else the first sentence.
pub(crate) fn title_of(given: Option<&str>, text: &str) -> String {
    let page = Format::guess(text).parse(text).page;
    let own = page.properties.text("title").map(str::to_owned).or(page.heading_title);
    given.map(str::to_owned).or(own).unwrap_or_else(|| first_sentence(text, 80))
}

/// Returns the first sentence of the body without the marks of links, truncated at a word boundary if it is too long.
pub(crate) fn first_sentence(text: &str, limit: usize) -> String {
    let format = Format::guess(text);
    let page = format.parse(text).page;
    let body =
        page.truth.of(text).lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let line = body.map(|line| line.trim_start_matches(['-', '*', '>', ' '])).next().unwrap_or_default();
    let line = format.link_labels(line);
    let sentence = line[..sentence_end(&line)].trim_end_matches('.');
    match sentence.char_indices().nth(limit) {
        None => sentence.to_owned(),
        Some((at, _)) => {
            let cut = sentence[..at].rfind(' ').unwrap_or(at);
            format!("{}…", sentence[..cut].trim_end())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_sentence_ends_where_a_sentence_ends() {
        for (text, expected) in [
            ("Met Dr. Who in v1.2 today. Then left.", "Met Dr. Who in v1.2 today"),
            ("# Title\n\n- Is it so? Yes.", "Is it so?"),
            ("No end\nSecond line.", "No end"),
            ("Founded in 2017. It grew.", "Founded in 2017"),
            ("Read [[start here|it]] and [this](a.md). Then rest.", "Read it and this"),
            ("* Read [[id:1][it]] first.", "Read it first"),
            ("One two three four five six.", "One two three four five six"),
            ("A word and another word that goes on and on and on.", "A word and another word that goes on…"),
        ] {
            assert_eq!(first_sentence(text, 40), expected, "{text}");
        }
    }
}
