//! Parses the block of properties at the start of a file.
//!
//! Parsing never fails. Invalid YAML gives a diagnostic with its line, and the keys that can still be understood are
//! kept, so that one stray colon does not cost a page its title.

mod salvage;
pub(crate) mod yaml;

use crate::page::{ByteRange, Diagnostic, LineRange, Properties};

/// The parsed frontmatter of a file.
#[derive(Debug, Default)]
pub(crate) struct Frontmatter {
    /// Properties in file order.
    pub properties: Properties,
    /// Lines of the block, including the fences.
    pub lines: Option<LineRange>,
    /// The byte where the body starts: 0 without a block, 3 after a byte order mark.
    pub body_start: usize,
    /// Parse warnings, with line numbers of the file.
    pub diagnostics: Vec<Diagnostic>,
}

/// Positions of the two fences.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fences {
    /// The first byte of the opening fence.
    pub start: usize,
    /// The text between the fences, including its line endings.
    pub yaml: ByteRange,
    /// The byte after the closing fence and its line ending.
    pub body_start: usize,
    /// The line of the closing fence.
    pub last_line: u32,
}

/// The error for an opening fence without a closing one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct UnclosedFrontmatter;

const BYTE_ORDER_MARK: char = '\u{feff}';

/// Parses the properties at the start of a page.
pub(crate) fn read(text: &str) -> Frontmatter {
    let fences = match fences(text) {
        Ok(Some(fences)) => fences,
        Ok(None) => return Frontmatter { body_start: content_start(text), ..Frontmatter::default() },
        Err(UnclosedFrontmatter) => {
            let message = "the frontmatter is not closed; add a `---` line after it".to_owned();
            return Frontmatter {
                body_start: content_start(text),
                diagnostics: vec![Diagnostic { line: 1, message }],
                ..Frontmatter::default()
            };
        }
    };
    let source = fences.yaml.of(text);
    let mut diagnostics = Vec::new();
    let properties = match yaml::read(source) {
        Ok(mapping) => {
            diagnostics.extend(mapping.warnings.into_iter().map(|warning| in_file(warning, &fences)));
            mapping.properties
        }
        Err(bad) => {
            diagnostics.push(in_file(bad, &fences));
            salvage::read(source)
        }
    };
    diagnostics.retain(|warning| !is_template_line(text, warning.line));
    Frontmatter {
        properties,
        lines: Some(LineRange { first: 1, last: fences.last_line }),
        body_start: fences.body_start,
        diagnostics,
    }
}

/// Whether a line has a placeholder of a template, which is filled in before anybody reads it as YAML.
fn is_template_line(text: &str, line: u32) -> bool {
    let line = text.lines().nth(line.saturating_sub(1) as usize).unwrap_or_default();
    line.contains("{{") && line.contains("}}") || line.contains("<%") && line.contains("%>")
}

/// Finds the fences: a first line `---`, and the next line `---` or `...`.
pub(crate) fn fences(text: &str) -> Result<Option<Fences>, UnclosedFrontmatter> {
    let start = content_start(text);
    if !text[start..].starts_with("---") {
        return Ok(None);
    }
    let mut lines = text[start..].split_inclusive('\n');
    let mut position = start;
    match lines.next() {
        Some(line) if line.trim_end() == "---" => position += line.len(),
        _ => return Ok(None),
    }
    let yaml_start = position;
    for (number, line) in (2..).zip(lines) {
        if (line.starts_with("---") || line.starts_with("...")) && line.trim_end().len() == 3 {
            return Ok(Some(Fences {
                start,
                yaml: ByteRange { start: yaml_start, end: position },
                body_start: position + line.len(),
                last_line: number,
            }));
        }
        position += line.len();
    }
    Err(UnclosedFrontmatter)
}

/// Returns the byte after a byte order mark, or 0 if there is none.
pub(crate) fn content_start(text: &str) -> usize {
    if text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len_utf8() } else { 0 }
}

/// Converts the line of a diagnostic from the YAML to the file. YAML also ends lines at a lone carriage return, which
/// Lore does not, so the line is limited to that of the closing fence.
pub(crate) fn in_file(diagnostic: Diagnostic, fences: &Fences) -> Diagnostic {
    Diagnostic { line: (diagnostic.line + 1).min(fences.last_line), ..diagnostic }
}

#[cfg(test)]
mod tests;
