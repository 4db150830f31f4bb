//! Selects the passage of a page that best matches a query, rather than always its beginning.

use lore_page::{Format, LineRange};

use super::cut::cut;
use crate::search::expression::{Term, count_terms, matches};
use crate::search::passages::units;

/// Maximum length of a passage in bytes.
const LIMIT: usize = 400;

/// Lines of a page's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Passage {
    /// The lines.
    pub lines: LineRange,
    /// Their text.
    pub text: String,
    /// Number of terms found in them.
    pub terms: usize,
}

/// Returns the passage with the most terms: a run of non-blank lines, cut to size around its best line. If the body has
/// none of the terms (the title matched), the first lines of prose after `start`.
pub(super) fn passage(text: &str, start: u32, terms: &[Term]) -> Option<Passage> {
    let lines: Vec<&str> = text.lines().collect();
    let first = (start.max(1) - 1) as usize;
    let mut best: Option<(Score, usize)> = None;
    let mut block = first;
    let mut block_terms = 0u64;
    for at in first..=lines.len() {
        let line = lines.get(at).copied().unwrap_or_default();
        if line.trim().is_empty() {
            (block, block_terms) = (at + 1, 0);
            continue;
        }
        let (found, hits) = matches(line, terms);
        block_terms |= found;
        // The whole run so far counts first, then the line itself; prose beats a heading.
        let score = Score {
            terms: block_terms.count_ones(),
            own: found.count_ones(),
            prose: !line.starts_with('#'),
            hits,
        };
        if found != 0 && best.as_ref().is_none_or(|(known, _)| score > *known) {
            best = Some((score, at.max(block)));
        }
    }
    let (found, at) = match best {
        Some((score, at)) => (score.terms as usize, at),
        None => (0, first_prose(&lines, first)?),
    };
    Some(around(&lines, first, at, found, terms))
}

/// Returns the property with the most terms.
pub(super) fn property(format: Format, text: &str, start: u32, terms: &[Term]) -> Option<Passage> {
    let above: usize = text.split_inclusive('\n').take(start.saturating_sub(1) as usize).map(str::len).sum();
    let found = units(format, &text[..above]).list.into_iter().map(|unit| {
        let text = &text[unit.bytes];
        (count_terms(text, terms), unit.lines, text)
    });
    // Of equal ones, the first: `max_by_key` returns the last.
    let all: Vec<_> = found.filter(|(count, ..)| *count > 0).collect();
    let (count, lines, text) = all.into_iter().rev().max_by_key(|(count, ..)| *count)?;
    Some(Passage { lines, text: cut(text, 0, LIMIT, terms), terms: count })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Score {
    terms: u32,
    own: u32,
    prose: bool,
    hits: u32,
}

/// Returns the first line that is not blank, a heading, a rule or a bare quote mark.
fn first_prose(lines: &[&str], from: usize) -> Option<usize> {
    let says = |line: &&str| line.chars().any(char::is_alphanumeric);
    let prose = (from..lines.len()).find(|at| says(&lines[*at]) && !lines[*at].starts_with('#'));
    prose.or_else(|| (from..lines.len()).find(|at| says(&lines[*at])))
}

/// Extends a line to its run of lines, up to the limit.
fn around(lines: &[&str], first: usize, at: usize, found: usize, terms: &[Term]) -> Passage {
    let (mut start, mut end) = (at, at + 1);
    let mut size = lines[at].len();
    // A heading alone is not informative, so the first lines below it are included.
    if lines[at].starts_with('#')
        && let Some(prose) = (end..lines.len()).find(|next| !lines[*next].trim().is_empty())
        && !lines[prose].starts_with('#')
    {
        size += lines[prose].len() + prose - at;
        end = prose + 1;
    }
    loop {
        let above =
            (start > first && !lines[start - 1].trim().is_empty()).then(|| lines[start - 1].len() + 1);
        let below = (end < lines.len() && !lines[end].trim().is_empty()).then(|| lines[end].len() + 1);
        match (below, above) {
            (Some(more), _) if size + more <= LIMIT => (end, size) = (end + 1, size + more),
            (_, Some(more)) if size + more <= LIMIT => (start, size) = (start - 1, size + more),
            _ => break,
        }
    }
    let text = cut(&lines[start..end].join("\n"), 0, LIMIT, terms);
    Passage { lines: LineRange { first: start as u32 + 1, last: end as u32 }, text, terms: found }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::expression::prepare;

    #[track_caller]
    fn check(text: &str, terms: &str, expected: &str) {
        let found = passage(text, 1, &Term::all(&prepare(terms))).map(|found| {
            format!("{}-{} {}", found.lines.first, found.lines.last, found.text.replace('\n', "|"))
        });
        assert_eq!(found.unwrap_or_default(), expected);
    }

    const PAGE: &str = "# Pedro\n\n> Founder.\n\n## State\nRuns Brex in Lisbon.\nLikes chess.\n\n- visited the Öresund bridge\n";

    #[test]
    fn matching_lines_are_shown() {
        check(PAGE, "lisbon", "5-7 ## State|Runs Brex in Lisbon.|Likes chess.");
        check(PAGE, "oresund bridges", "9-9 - visited the Öresund bridge");
        check(PAGE, "founder", "3-3 > Founder.");
    }

    #[test]
    fn first_prose_is_shown_without_a_match() {
        check(PAGE, "unknown", "3-3 > Founder.");
        check("", "x", "");
        check("# Only\n", "x", "1-1 # Only");
        check(PAGE, "pedro", "1-3 # Pedro||> Founder.");
    }

    #[test]
    fn more_terms_beat_earlier_lines() {
        check("cats are here\n\nthe dogs\n\ncats and dogs\n", "cats dogs", "5-5 cats and dogs");
    }

    #[test]
    fn unspaced_scripts_and_long_lines_are_supported() {
        check("第一行\n\n今天天气很好\n", "天气", "3-3 今天天气很好");
        let long = format!("{} needle", "word ".repeat(200).trim());
        let found = passage(&long, 1, &Term::all(&prepare("needle"))).expect("a passage");
        assert!(found.text.len() <= LIMIT + 3 && found.terms == 1 && found.text.ends_with("needle"));
    }
}
