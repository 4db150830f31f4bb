//! Timeline entries: `**YYYY-MM-DD** | source — summary`.

use lore_text::PartialDate;

use super::LineWarnings;

/// The parsed first line of an entry.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Dated<'t> {
    pub(crate) date: &'t str,
    pub(crate) source: Option<&'t str>,
    pub(crate) summary: &'t str,
}

/// Parses the first line of an entry.
pub(crate) fn entry<'t>(text: &'t str, warnings: &mut LineWarnings) -> Option<Dated<'t>> {
    let (date, rest) = text.strip_prefix("**")?.split_once("**")?;
    let (date, rest) = (date.trim(), rest.trim_start());
    if !looks_like_a_date(date) {
        return None;
    }
    let (source, summary) = match rest.strip_prefix('|') {
        Some(rest) => source_and_summary(rest.trim()),
        None => (None, after_dash(rest)?.trim()),
    };
    if date.len() != "YYYY-MM-DD".len() || date.parse::<PartialDate>().is_err() {
        warnings.push(format!("invalid date `{date}`; an entry starts with **YYYY-MM-DD**"));
        return None;
    }
    if summary.is_empty() {
        warnings.push(format!("the entry of {date} has no summary, so it is not an entry"));
        return None;
    }
    Some(Dated { date, source, summary })
}

/// Returns whether the text is a year followed by digits and hyphens. Other bold text at the start of an item is left
/// alone.
fn looks_like_a_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() > 4
        && bytes[..4].iter().all(u8::is_ascii_digit)
        && bytes[4] == b'-'
        && bytes.iter().all(|byte| byte.is_ascii_digit() || *byte == b'-')
}

/// Splits at the first dash; without one, or with nothing after it, the whole text is the summary.
fn source_and_summary(text: &str) -> (Option<&str>, &str) {
    let Some((at, length)) = dash(text) else { return (None, text) };
    let (source, summary) = (text[..at].trim(), text[at + length..].trim());
    match (source.is_empty(), summary.is_empty()) {
        (false, true) => (None, source),
        (true, _) => (None, summary),
        (false, false) => (Some(source), summary),
    }
}

/// Returns what follows a colon or dash right after the date.
fn after_dash(rest: &str) -> Option<&str> {
    let dashes = [":", "—", "– ", "-- ", "- "];
    dashes.iter().find_map(|dash| rest.strip_prefix(dash))
}

/// Returns the position and length of the first separating dash: an em dash, or another dash with spaces around it.
/// Dashes in brackets belong to a link's name.
fn dash(text: &str) -> Option<(usize, usize)> {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            '—' if depth == 0 => return Some((at, c.len_utf8())),
            '–' | '-' if depth == 0 && (at == 0 || text[..at].ends_with(char::is_whitespace)) => {
                let run = if text[at..].starts_with("--") { 2 } else { c.len_utf8() };
                if text[at + run..].chars().next().is_none_or(char::is_whitespace) {
                    return Some((at, run));
                }
            }
            _ => {}
        }
    }
    None
}
