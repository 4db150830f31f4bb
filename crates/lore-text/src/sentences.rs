//! Splits prose into sentences.

/// Abbreviations: a full stop after them does not end a sentence.
const ABBREVIATIONS: [&str; 19] = [
    "e.g", "i.e", "etc", "vs", "cf", "mr", "mrs", "ms", "dr", "prof", "st", "approx", "ca", "resp", "incl",
    "z.b", "d.h", "bzw", "ggf",
];

/// Abbreviations only before a number.
const BEFORE_NUMBERS: [&str; 4] = ["no", "nr", "fig", "p"];

/// Splits a paragraph into sentences.
pub fn sentences(paragraph: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let (mut start, mut depth, mut code) = (0, 0_usize, false);
    for (at, c) in paragraph.char_indices() {
        match c {
            '`' => code = !code,
            '[' | '(' => depth += 1,
            ']' | ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        let end = at + c.len_utf8();
        if depth == 0 && !code && ends_here(&paragraph[start..end], &paragraph[end..], c) {
            let closing = paragraph[end..].chars().take_while(|c| matches!(c, '"' | '”' | '’' | '»' | '*'));
            let end = end + closing.map(char::len_utf8).sum::<usize>();
            found.push(paragraph[start..end].trim());
            start = end;
        }
    }
    found.push(paragraph.get(start..).unwrap_or_default().trim());
    found.retain(|sentence| sentence.chars().any(char::is_alphanumeric));
    found
}

fn ends_here(before: &str, after: &str, c: char) -> bool {
    if matches!(c, '。' | '！' | '？') {
        return true;
    }
    if !matches!(c, '.' | '!' | '?' | '…') {
        return false;
    }
    let rest = after.trim_start_matches(['"', '”', '’', '»', '*']);
    let next = rest.trim_start();
    if next.is_empty() {
        return true;
    }
    let word = before.trim_end_matches('.').rsplit([' ', '(', '[', '"']).next().unwrap_or_default();
    let lower = word.to_lowercase();
    let counts = next.starts_with(|c: char| c.is_ascii_digit()) && BEFORE_NUMBERS.contains(&lower.as_str());
    let short = word.chars().count() < 2 || counts || ABBREVIATIONS.contains(&lower.as_str());
    let numbered = word.chars().all(|c| c.is_ascii_digit());
    let continues = next.chars().next().is_some_and(|c| c.is_lowercase() || matches!(c, ',' | ';' | ')'));
    rest.starts_with(' ') && !continues && !(c == '.' && (short || numbered))
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
}
