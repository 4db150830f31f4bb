//! Dates in prose. Pure.

use lore_text::{PartialDate, month_number};

use super::tokens::{Token, TokenKind};

/// Returns the date that starts at the first token, and its number of tokens: `2025`, `2025-03-01`, `March 2025`,
/// `March 3, 2025`, `3 March 2025`.
pub(super) fn date_at(tokens: &[Token]) -> Option<(PartialDate, usize)> {
    let word = |at: usize| {
        tokens.get(at).filter(|token| token.kind == TokenKind::Word).map(|token| token.lower.as_str())
    };
    let year = |at: usize| word(at).filter(|text| is_year(text));
    let day = |at: usize| {
        word(at).and_then(|text| text.trim_end_matches(['s', 't', 'n', 'd', 'r', 'h']).parse::<u8>().ok())
    };
    let first = word(0)?;
    if let Ok(date) = first.parse::<PartialDate>()
        && is_year(&first[..4])
    {
        return Some((date, 1));
    }
    let parsed = |text: String, length: usize| text.parse().ok().map(|date: PartialDate| (date, length));
    if let Some(month) = month(first, tokens[0].is_capitalized()) {
        let comma = usize::from(tokens.get(2).is_some_and(|token| token.is_punctuation(',')));
        return match (year(1), day(1), year(2 + comma)) {
            (Some(year), ..) => parsed(format!("{year}-{month:02}"), 2),
            (_, Some(day), Some(year)) => parsed(format!("{year}-{month:02}-{day:02}"), 3 + comma),
            _ => None,
        };
    }
    let month = month(word(1)?, tokens[1].is_capitalized())?;
    parsed(format!("{}-{month:02}-{:02}", year(2)?, day(0)?), 3)
}

fn month(word: &str, capital: bool) -> Option<i8> {
    month_number(word).filter(|_| capital)
}

/// Returns whether a word names a season, a quarter or a month.
pub(super) fn is_season(token: &Token) -> bool {
    let seasons =
        ["spring", "summer", "autumn", "fall", "winter", "early", "late", "mid", "q1", "q2", "q3", "q4"];
    token.is_any(&seasons)
        || token.lower.starts_with("mid-")
        || month(&token.lower, token.is_capitalized()).is_some()
}

fn is_year(text: &str) -> bool {
    text.len() == 4
        && (text.starts_with("19") || text.starts_with("20"))
        && text.bytes().all(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_date_formats_are_parsed() {
        let tokens = |text: &str| -> Vec<Token> {
            let word = |raw: &str| match raw {
                "," => Token { kind: TokenKind::Punctuation(','), ..token(raw) },
                _ => token(raw),
            };
            text.split(' ').map(word).collect()
        };
        fn token(raw: &str) -> Token {
            let (raw, lower) = (raw.to_owned(), raw.to_lowercase());
            Token { kind: TokenKind::Word, raw, lower, at: 0, possessive: false, quoted: false }
        }
        for (text, expected) in [
            ("2025", Some(("2025", 1))),
            ("2025-03-01", Some(("2025-03-01", 1))),
            ("March 2025", Some(("2025-03", 2))),
            ("Mar 3 , 2025", Some(("2025-03-03", 4))),
            ("3rd March 2025", Some(("2025-03-03", 3))),
            ("may 2025", None),
            ("1500", None),
            ("March", None),
            ("5 people", None),
        ] {
            let found = date_at(&tokens(text));
            let found = found.map(|(date, length)| (date.to_string(), length));
            assert_eq!(found, expected.map(|(date, length)| (date.to_owned(), length)), "{text}");
        }
    }
}
