//! Splits prose into sentences.

/// Abbreviations: a full stop after them does not end a sentence.
const ABBREVIATIONS: [&str; 28] = [
    "e.g", "i.e", "etc", "vs", "cf", "mr", "mrs", "ms", "dr", "prof", "st", "approx", "ca", "resp", "incl",
    "z.b", "d.h", "bzw", "ggf", "inc", "ltd", "corp", "co", "jr", "sr", "dept", "est", "u.s",
];

/// Abbreviations only before a number.
const BEFORE_NUMBERS: [&str; 16] = [
    "no", "nr", "fig", "p", "jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov",
    "dec",
];

/// Marks that may follow the end of a sentence and belong to it.
const CLOSING: [char; 7] = ['"', '\'', '”', '’', '»', '*', '_'];

/// Splits a paragraph into sentences.
pub fn sentences(paragraph: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let (mut rest, mut nests) = (paragraph, true);
    while !rest.is_empty() {
        let end = first_end(rest, &mut nests);
        found.push(rest[..end].trim());
        rest = &rest[end..];
    }
    found.retain(|sentence| sentence.chars().any(char::is_alphanumeric));
    found
}

/// Returns the byte offset after the first sentence; the text's length if no other sentence follows.
pub fn sentence_end(text: &str) -> usize {
    first_end(text, &mut true)
}

/// Returns whether a sentence ends with a text, of which the last character is a mark, before another text.
pub fn ends_sentence(before: &str, after: &str) -> bool {
    let Some(mark) = before.chars().next_back() else { return false };
    if matches!(mark, '。' | '！' | '？') {
        return true;
    }
    if !matches!(mark, '.' | '!' | '?' | '…') {
        return false;
    }
    let rest = after.trim_start_matches(CLOSING);
    let next = rest.trim_start();
    if next.is_empty() {
        return true;
    }
    let goes_on = next.starts_with(|c: char| c.is_lowercase() || matches!(c, ',' | ';' | ')'));
    rest.starts_with(char::is_whitespace) && !goes_on && !(mark == '.' && is_abbreviated(before, next))
}

/// Returns whether a full stop belongs to the word before it: an abbreviation, an initial or the number of an item.
fn is_abbreviated(before: &str, next: &str) -> bool {
    let words = before.trim_end_matches('.');
    let separates = |c: char| c.is_whitespace() || matches!(c, '(' | '[' | '"');
    let word = words.rsplit(separates).next().unwrap_or_default();
    let lower = word.to_lowercase();
    let counts = next.starts_with(|c: char| c.is_ascii_digit()) && BEFORE_NUMBERS.contains(&lower.as_str());
    // A longer number, such as a year, may end a sentence.
    let digits = word.bytes().all(|byte| byte.is_ascii_digit());
    let numbered = digits && (word.len() < 3 || words.trim_start() == word);
    word.chars().count() < 2 || numbered || counts || ABBREVIATIONS.contains(&lower.as_str())
}

/// Returns the end of the first sentence. None ends inside brackets or code, unless those are never closed: then
/// `nests` is cleared and they do not count.
fn first_end(text: &str, nests: &mut bool) -> usize {
    let (mut depth, mut code) = (0_usize, false);
    for (at, c) in text.char_indices() {
        match c {
            '`' => code = !code,
            '[' | '(' => depth += 1,
            ']' | ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        let (mark, end) = (if c == ')' { at } else { at + c.len_utf8() }, at + c.len_utf8());
        if !(*nests && (depth > 0 || code)) && ends_sentence(&text[..mark], &text[end..]) {
            let closing = text[end..].chars().take_while(|c| CLOSING.contains(c));
            return end + closing.map(char::len_utf8).sum::<usize>();
        }
    }
    if *nests && (depth > 0 || code) {
        *nests = false;
        return first_end(text, nests);
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_is_split_into_sentences() {
        let text =
            "One is here. Two is on two lines! Is it three? Yes. No. 4 of e.g. Dr. Who, in v1.2 of it. End";
        let expected = [
            "One is here.",
            "Two is on two lines!",
            "Is it three?",
            "Yes.",
            "No. 4 of e.g. Dr. Who, in v1.2 of it.",
            "End",
        ];
        assert_eq!(sentences(text), expected);
        let quoted = "It said \"no.\" Then [a. B](c.md) came.";
        assert_eq!(sentences(quoted), ["It said \"no.\"", "Then [a. B](c.md) came."]);
        assert_eq!(sentences("東京は晴れです。大阪は雨です。"), ["東京は晴れです。", "大阪は雨です。"]);
    }

    #[track_caller]
    fn check(text: &str) {
        let expected: Vec<&str> = text.split('|').map(str::trim).collect();
        assert_eq!(sentences(&text.replace('|', "")), expected);
    }

    #[test]
    fn a_full_stop_after_an_abbreviation_or_a_number_of_an_item_does_not_end_a_sentence() {
        check("1. Founded in 2017. |It moved on Jan. 5 of 2018. |Ada B. Lovelace of Acme Inc. Berlin left.");
        check("100. Item. |Am 3. Mai kam er. |He left in Dec. |She stayed.");
    }

    #[test]
    fn brackets_and_code_hold_a_sentence_together_if_they_are_closed() {
        check("Use `a. B` here. |(See it. All of it.) |Then go (e.g. There. Now). |End.");
        check("A smile :( is sad. |And `this is. |Open.");
    }

    #[test]
    fn white_space_after_a_sentence_is_not_part_of_it() {
        assert_eq!(sentence_end("One.\t Two."), 4);
        assert_eq!(sentence_end("One."), 4);
        assert_eq!(sentence_end("*One.* Two."), 6);
        assert_eq!(sentence_end(""), 0);
    }

    #[test]
    fn brackets_that_are_never_closed_cost_no_time() {
        let text = format!("({}", "A sentence. ".repeat(20_000));
        assert_eq!(sentences(&text).len(), 20_000);
        assert_eq!(sentences(&"(".repeat(100_000)).len(), 0);
    }
}
