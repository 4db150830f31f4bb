//! Cuts a text around the words of a query. Pure.

use crate::search::expression::{Term, matches};

/// Windows begin at every fourth of their length.
const STEPS: usize = 4;

/// Maximum bytes that are given up at each end to cut at a space.
const WORD: usize = 24;

/// Returns about `most` bytes of a text: the part with the most terms, and before it the first `head` bytes, which
/// tell the day or the speaker. An ellipsis takes the place of what is left out.
pub(super) fn cut(text: &str, head: usize, most: usize, terms: &[Term]) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let start = best_window(text, most, terms);
    let head = text.floor_char_boundary(if head * 2 < most { head } else { 0 });
    if start <= head {
        return format!("{}…", text[..end_of_word(text, most)].trim_end());
    }
    let shown = &text[start_of_word(text, start)..end_of_word(text, (start + most - head).min(text.len()))];
    let head = text[..head].trim_end();
    let (gap, rest) =
        (if head.is_empty() { "…" } else { " …" }, if text.ends_with(shown) { "" } else { "…" });
    format!("{head}{gap}{}{rest}", shown.trim())
}

/// Returns the start of the window with the most terms; of several in a row, the one in the middle, so that there is
/// text on both sides.
fn best_window(text: &str, most: usize, terms: &[Term]) -> usize {
    let last = text.len() - most;
    let starts = (0..last).step_by((most / STEPS).max(1)).chain([last]);
    let windows: Vec<(usize, (u32, u32))> = starts
        .map(|start| {
            let (from, to) = (text.floor_char_boundary(start), text.floor_char_boundary(start + most));
            let (found, hits) = matches(&text[from..to], terms);
            (from, (found.count_ones(), hits))
        })
        .collect();
    let best = windows.iter().map(|(_, score)| *score).max().unwrap_or_default();
    let Some(first) = windows.iter().position(|(_, score)| *score == best).filter(|_| best.0 > 0) else {
        return 0;
    };
    let run = windows[first..].iter().take_while(|(_, score)| *score == best).count();
    windows[first + run / 2].0
}

/// Returns the next beginning of a word, if there is one nearby.
fn start_of_word(text: &str, at: usize) -> usize {
    let near = &text[at..text.floor_char_boundary((at + WORD).min(text.len()))];
    near.find(char::is_whitespace).map_or(at, |space| at + space)
}

/// Returns the end of the last whole word, if there is one nearby.
fn end_of_word(text: &str, at: usize) -> usize {
    let end = text.floor_char_boundary(at);
    if end == text.len() {
        return end;
    }
    let from = text.floor_char_boundary(end.saturating_sub(WORD));
    text[from..end].rfind(char::is_whitespace).map_or(end, |space| from + space)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::expression::prepare;

    #[track_caller]
    fn check(text: &str, head: usize, query: &str, expected: &str) {
        assert_eq!(cut(text, head, 40, &Term::all(&prepare(query))), expected, "{query}");
    }

    #[test]
    fn text_is_cut_around_the_words() {
        let text =
            "The wind blew all day long, then the old anemometer froze, and nobody went up the mast to look.";
        check(text, 0, "anemometer ", "…the old anemometer froze, and nobody…");
        check(text, 0, "unknown ", "The wind blew all day long, then the…");
        check(text, 0, "mast ", "…and nobody went up the mast to look.");
        check("short", 0, "short ", "short");
    }

    #[test]
    fn day_is_kept() {
        let text = "- 2023-11-02 | We saw three flats. The one at the river had a balcony that faced south, and a bath.";
        check(text, 12, "balcony south ", "- 2023-11-02 …a balcony that faced…");
    }

    #[test]
    fn scripts_without_spaces_are_cut_between_characters() {
        let text = "今天天气很好我们去公园散步看见很多花洗衣机的水管破裂厨房被淹了以后大家都很忙";
        let found = cut(text, 0, 40, &Term::all(&prepare("水管破裂 ")));
        assert!(found.contains("水管破裂") && found.len() < 50, "{found}");
    }
}
