//! Matches in headings: what is below a heading with the words of a question belongs to the answer, whatever it says
//! itself.

use std::cmp::Reverse;

use super::units::Units;
use crate::search::expression::{Term, count_terms};

/// Returns the units below the heading that has the most terms, if it has more of them than a unit with the headings
/// above it.
pub(in crate::search) fn below_heading(units: &Units, text: &str, terms: &[Term], unit: usize) -> Vec<usize> {
    let Some(chosen) = units.list.get(unit) else { return Vec::new() };
    let above = chosen.heading.map_or("", |at| units.headings[at].as_str());
    let known = count_terms(&format!("{above}\n{}", &text[chosen.bytes.clone()]), terms);
    let counts = units.headings.iter().map(|path| count_terms(path, terms));
    let best = counts.enumerate().max_by_key(|(at, count)| (*count, Reverse(*at)));
    let Some((heading, _)) = best.filter(|(_, count)| *count > known) else { return Vec::new() };
    let path = &units.headings[heading];
    let is_below = |other: &String| {
        other.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with(" > "))
    };
    let below = units.list.iter().map(|unit| unit.heading.is_some_and(|at| is_below(&units.headings[at])));
    below.enumerate().filter(|(_, is_below)| *is_below).map(|(at, _)| at).collect()
}

#[cfg(test)]
mod tests {
    use lore_page::Format;

    use super::*;
    use crate::search::expression::prepare;
    use crate::search::passages::units;

    #[track_caller]
    fn check(question: &str, unit: usize, expected: &[usize]) {
        let text = "# Log\n\nOpened.\n\n## The dredger sank\n\nAll were saved.\n\n### Salvage\n\nIt took a year.\n\n## Tides\n\nHigh.\n";
        let terms = Term::all(&prepare(question));
        assert_eq!(below_heading(&units(Format::Markdown, text), text, &terms, unit), expected, "{question}");
    }

    #[test]
    fn units_below_the_best_heading_are_found() {
        check("dredger sank ", 0, &[1, 2]);
        check("salvage dredger ", 1, &[2]);
        check("tides high ", 3, &[]);
        check("opened ", 0, &[]);
        check("unknown ", 0, &[]);
    }
}
