//! The lines of a note that contain a text, with the lines around them.

use lore_text::fold;
use schemars::JsonSchema;
use serde::Serialize;

/// The matches in one note.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Matches {
    pub(super) total_lines: usize,
    pub(super) match_count: usize,
    pub(super) windows: Vec<Window>,
    /// The first match that is not shown.
    pub(super) next_match_line: Option<usize>,
}

/// Consecutive lines with matches.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Window {
    start_line: usize,
    end_line: usize,
    match_lines: Vec<usize>,
    content: String,
}

/// Returns the lines that contain the wanted text or, if none does, one of its words.
pub(super) fn matches(text: &str, wanted: &str, around: usize, most: usize) -> Matches {
    let lines: Vec<&str> = text.lines().collect();
    let folded: Vec<String> = lines.iter().map(|line| fold(line)).collect();
    let with = |part: &str| -> Vec<usize> {
        (1..=lines.len()).filter(|line| folded[line - 1].contains(part)).collect()
    };
    let mut found = with(&fold(wanted));
    if found.is_empty() {
        found = fold(wanted).split_whitespace().flat_map(with).collect();
        found.sort_unstable();
        found.dedup();
    }
    let mut windows: Vec<Window> = Vec::new();
    for line in found.iter().copied().take(most) {
        let (first, last) = (line.saturating_sub(around).max(1), (line + around).min(lines.len()));
        match windows.last_mut() {
            Some(window) if first <= window.end_line + 1 => {
                window.end_line = window.end_line.max(last);
                window.match_lines.push(line);
            }
            _ => windows.push(Window {
                start_line: first,
                end_line: last,
                match_lines: vec![line],
                content: String::new(),
            }),
        }
    }
    for window in &mut windows {
        window.content = lines[window.start_line - 1..window.end_line].join("\n");
    }
    let next_match_line = found.get(most).copied();
    Matches { total_lines: lines.len(), match_count: found.len(), windows, next_match_line }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_that_touch_are_joined() {
        let text = "a\nEngine\nb\nc\nengine\nd\ne\nf\ng\nengine\n";
        let found = matches(text, "ENGINE", 1, 2);
        assert_eq!((found.match_count, found.next_match_line), (3, Some(10)));
        let windows: Vec<_> = found.windows.iter().map(|one| (one.start_line, one.end_line)).collect();
        assert_eq!(windows, [(1, 6)]);
        assert_eq!(found.windows[0].match_lines, [2, 5]);
        assert_eq!(matches(text, "f words", 0, 10).windows[0].content, "f");
        assert!(matches("", "x", 3, 3).windows.is_empty());
    }
}
