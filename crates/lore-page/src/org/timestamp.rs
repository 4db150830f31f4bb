//! Timestamps: `<2024-03-01 Fri 10:00>` and `[2024-03-01 Fri]`, and ranges of them.

/// Returns the date or range of dates of the timestamp that a text starts with, and the text after it.
///
/// ```text
/// [2024-03-01 Fri]--[2024-03-03 Sun] text  ->  2024-03-01..2024-03-03, text
/// ```
pub(crate) fn leading_date(text: &str) -> Option<(String, &str)> {
    let (date, _, rest) = timestamp(text)?;
    if let Some((until, _, after)) = rest.strip_prefix("--").and_then(timestamp) {
        let range = if until == date { date.to_owned() } else { format!("{date}..{until}") };
        return Some((range, after));
    }
    Some((date.to_owned(), rest))
}

/// Returns the date, with its time if it has one, of a text that is a timestamp and nothing else.
pub(super) fn whole(text: &str) -> Option<String> {
    let (date, time, rest) = timestamp(text)?;
    let time = time.map(|time| format!("T{time}")).unwrap_or_default();
    rest.trim().is_empty().then(|| format!("{date}{time}"))
}

/// Returns the date and the time of the timestamp that a text starts with, and the text after it.
fn timestamp(text: &str) -> Option<(&str, Option<&str>, &str)> {
    let close = match text.as_bytes().first()? {
        b'[' => ']',
        b'<' => '>',
        _ => return None,
    };
    let end = text.find([close, '\n'])?;
    let rest = text[end..].strip_prefix(close)?;
    let inner = &text[1..end];
    let date = inner.get(..10)?;
    let is_date = date.bytes().enumerate().all(|(at, byte)| match at {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    });
    let after = &inner[10..];
    if !is_date || !(after.is_empty() || after.starts_with(' ')) {
        return None;
    }
    let is_time = |word: &&str| {
        let time = word.as_bytes();
        time.len() >= 5 && time[2] == b':' && [0, 1, 3, 4].iter().all(|at| time[*at].is_ascii_digit())
    };
    let time = after.split_whitespace().find(is_time).and_then(|word| word.get(..5));
    Some((date, time, rest))
}
