//! Tables as data: reading the rows of the first table under a heading, and writing one of them.

use super::EditError;
use super::doc::{Doc, SectionBounds};
use super::lines::{line_end, splice};
use super::section::find;
use crate::format::Format;
use crate::page::ByteRange;

/// A table of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableText {
    /// The names of its columns, in lower case.
    pub columns: Vec<String>,
    /// Its rows.
    pub rows: Vec<TableRow>,
    /// End of its last line.
    end: usize,
}

/// A row of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableRow {
    /// Line number, from 1.
    pub line: u32,
    /// Its cells, without escapes.
    pub cells: Vec<String>,
    /// Its line, with its line ending.
    range: ByteRange,
}

impl TableText {
    /// Returns the cell of a row in a named column.
    pub fn cell<'a>(&self, row: &'a TableRow, column: &str) -> &'a str {
        let at = self.columns.iter().position(|name| name.eq_ignore_ascii_case(column));
        at.and_then(|at| row.cells.get(at)).map(String::as_str).unwrap_or_default()
    }
}

/// Returns the first table under a heading, or of the whole page; none if there is no table.
pub fn table(format: Format, text: &str, heading: Option<&str>) -> Result<Option<TableText>, EditError> {
    let doc = Doc::new(format, text);
    let (start, end) = match heading {
        Some(heading) => {
            let found = &doc.page.headings[find(&doc.page.headings, heading)?];
            let SectionBounds { body_start, own_end, .. } = doc.section(found);
            (body_start, own_end)
        }
        None => (doc.page.truth.start, text.len()),
    };
    Ok(first_table(text, start, end))
}

/// Returns the text with a row that has these cells, by the table's columns. It replaces the row with the same first
/// cell, or is added at the end; without a table, one with these columns is added to the section.
pub fn put_row(
    format: Format,
    text: &str,
    heading: Option<&str>,
    cells: &[(String, String)],
) -> Result<String, EditError> {
    let line_end = line_end(text);
    let line = |values: &[String]| format!("| {} |{line_end}", values.join(" | "));
    let Some(table) = table(format, text, heading)? else {
        let names: Vec<String> = cells.iter().map(|(name, _)| name.clone()).collect();
        let rule = match format {
            Format::Markdown => format!("|{}{line_end}", "---|".repeat(names.len())),
            Format::Org => format!("|{}|{line_end}", vec!["---"; names.len()].join("+")),
        };
        let values: Vec<String> = cells.iter().map(|(_, value)| escaped(format, value)).collect();
        let block = format!("{}{rule}{}", line(&names), line(&values));
        return match heading {
            Some(heading) => super::append_to_section(format, text, heading, &block),
            None => super::append(format, text, &format!("{line_end}{block}")),
        };
    };
    let given = |name: &String| cells.iter().find(|(column, _)| column.eq_ignore_ascii_case(name));
    let key = cells.first().map(|(_, key)| key.as_str()).unwrap_or_default();
    let old = table.rows.iter().find(|row| row.cells.first().is_some_and(|cell| cell == key));
    let value = |(at, name): (usize, &String)| match given(name) {
        Some((_, value)) => escaped(format, value),
        None => old.and_then(|row| row.cells.get(at)).map(|cell| escaped(format, cell)).unwrap_or_default(),
    };
    let values: Vec<String> = table.columns.iter().enumerate().map(value).collect();
    let (range, head) = match old {
        Some(row) => (row.range.start..row.range.end, ""),
        None => (table.end..table.end, if text[..table.end].ends_with('\n') { "" } else { line_end }),
    };
    Ok(splice(text, range, &format!("{head}{}", line(&values))))
}

/// Returns the text without the row with this first cell; none if there is no such row.
pub fn remove_row(
    format: Format,
    text: &str,
    heading: Option<&str>,
    key: &str,
) -> Result<Option<String>, EditError> {
    let Some(table) = table(format, text, heading)? else { return Ok(None) };
    let row = table.rows.iter().find(|row| row.cells.first().is_some_and(|cell| cell == key));
    Ok(row.map(|row| splice(text, row.range.start..row.range.end, "")))
}

fn first_table(text: &str, start: usize, end: usize) -> Option<TableText> {
    let mut lines = Vec::new();
    let (mut at, mut fenced) = (start, false);
    for line in text.get(start..end)?.split_inclusive('\n') {
        fenced ^= line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~");
        lines.push((at, line, fenced));
        at += line.len();
    }
    let is_row = |line: &str, fenced: bool| !fenced && line.trim_start().starts_with('|');
    let head = lines.windows(2).position(|pair| {
        is_row(pair[0].1, pair[0].2) && is_row(pair[1].1, pair[1].2) && is_rule(pair[1].1)
    })?;
    let columns = cells(lines[head].1).into_iter().map(|name| name.to_lowercase()).collect();
    let first_line = text[..start].matches('\n').count();
    let rows: Vec<TableRow> = lines[head + 2..]
        .iter()
        .enumerate()
        .take_while(|(_, (_, line, fenced))| is_row(line, *fenced))
        .map(|(offset, (at, line, _))| TableRow {
            line: u32::try_from(first_line + head + 3 + offset).unwrap_or(u32::MAX),
            cells: cells(line),
            range: ByteRange { start: *at, end: at + line.len() },
        })
        .collect();
    let (rule_start, rule, _) = lines[head + 1];
    let end = rows.last().map_or(rule_start + rule.len(), |row| row.range.end);
    Some(TableText { columns, rows, end })
}

fn is_rule(line: &str) -> bool {
    let line = line.trim();
    line.contains('-') && line.chars().all(|letter| matches!(letter, '|' | '-' | ':' | '+' | ' '))
}

/// Splits a row at its bars; an escaped bar belongs to a cell.
fn cells(line: &str) -> Vec<String> {
    let line = line.trim();
    let inner = line.strip_prefix('|').unwrap_or(line);
    let (mut cells, mut cell) = (Vec::new(), String::new());
    let mut letters = inner.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' if letters.peek() == Some(&'|') => cell.extend(letters.next()),
            '|' => cells.push(std::mem::take(&mut cell)),
            letter => cell.push(letter),
        }
    }
    cells.push(cell);
    // The bar at the end closes the last cell.
    if cells.len() > 1 && cells.last().is_some_and(|last| last.trim().is_empty()) {
        cells.pop();
    }
    cells.iter().map(|cell| cell.trim().replace("\\vert{}", "|")).collect()
}

/// Returns a cell's text on one line, with its bars escaped.
fn escaped(format: Format, value: &str) -> String {
    let bar = if format == Format::Org { "\\vert{}" } else { "\\|" };
    value.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', bar)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Format::Markdown;

    const PAGE: &str = "# M\n\n## A\n\nText.\n\n| Name | When |\n|---|---|\n| zoom | 10:00 |\n| a \\| b | |\n\nEnd.\n\n## B\n";

    #[test]
    fn rows_are_read_with_their_lines() {
        let found = table(Markdown, PAGE, Some("A")).expect("a section").expect("a table");
        assert_eq!(found.columns, ["name", "when"]);
        let rows: Vec<(u32, &str, &str)> = found
            .rows
            .iter()
            .map(|row| (row.line, found.cell(row, "Name"), found.cell(row, "when")))
            .collect();
        assert_eq!(rows, [(9, "zoom", "10:00"), (10, "a | b", "")]);
        assert_eq!(table(Markdown, PAGE, Some("B")).expect("a section"), None);
        assert!(table(Markdown, PAGE, Some("C")).is_err());
        assert_eq!(table(Markdown, "```\n| a |\n|---|\n```\n", None).expect("a page"), None);
    }

    #[test]
    fn rows_are_put_and_removed() {
        let cells = |name: &str, when: &str| {
            vec![("name".to_owned(), name.to_owned()), ("when".to_owned(), when.to_owned())]
        };
        let changed = put_row(Markdown, PAGE, Some("A"), &cells("zoom", "11:00")).expect("a table");
        assert_eq!(changed, PAGE.replace("| zoom | 10:00 |", "| zoom | 11:00 |"));
        let added = put_row(Markdown, PAGE, Some("A"), &cells("x|y", "a\nb")).expect("a table");
        assert_eq!(added, PAGE.replace("| a \\| b | |\n", "| a \\| b | |\n| x\\|y | a b |\n"));
        let removed = remove_row(Markdown, &added, Some("A"), "x|y").expect("a table");
        assert_eq!(removed.as_deref(), Some(PAGE));
        assert_eq!(remove_row(Markdown, PAGE, Some("A"), "none").expect("a table"), None);
        let new = put_row(Markdown, "# M\n\n## B\n", Some("B"), &cells("zoom", "10:00")).expect("a section");
        assert_eq!(new, "# M\n\n## B\n\n| name | when |\n|---|---|\n| zoom | 10:00 |\n");
    }
}
