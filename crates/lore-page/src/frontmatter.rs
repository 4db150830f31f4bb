//! The block of properties at the start of a file: its fences, and what stands between them.
//!
//! Reading never fails. YAML that cannot be read gives a diagnostic with its line, and the keys that can
//! still be understood are kept, so that one stray colon does not cost a page its title.

mod salvage;
pub(crate) mod yaml;

use crate::page::{ByteRange, Diagnostic, LineRange, Properties};

/// What the start of a file says.
#[derive(Debug, Default)]
pub(crate) struct Frontmatter {
    /// The properties in the order of the file.
    pub properties: Properties,
    /// The lines of the block, fences included.
    pub lines: Option<LineRange>,
    /// The byte where the body starts: 0 without a block, 3 after a byte order mark.
    pub body_start: usize,
    /// What is odd, by line of the file.
    pub diagnostics: Vec<Diagnostic>,
}

/// Where the two fences stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fences {
    /// The first byte of the opening fence.
    pub start: usize,
    /// What stands between the fences, with the line ends.
    pub yaml: ByteRange,
    /// The byte after the closing fence and its line end.
    pub body_start: usize,
    /// The line of the closing fence.
    pub last_line: u32,
}

/// An opening fence without a closing one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NeverClosed;

const BYTE_ORDER_MARK: char = '\u{feff}';

/// Reads the properties at the start of a page.
pub(crate) fn read(text: &str) -> Frontmatter {
    let fences = match fences(text) {
        Ok(Some(fences)) => fences,
        Ok(None) => return Frontmatter { body_start: content_start(text), ..Frontmatter::default() },
        Err(NeverClosed) => {
            let message = "the frontmatter is never closed; add a line `---` after it".to_owned();
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
            diagnostics.extend(mapping.oddities.into_iter().map(|oddity| in_file(oddity, &fences)));
            mapping.properties
        }
        Err(bad) => {
            diagnostics.push(in_file(bad, &fences));
            salvage::read(source)
        }
    };
    Frontmatter {
        properties,
        lines: Some(LineRange { first: 1, last: fences.last_line }),
        body_start: fences.body_start,
        diagnostics,
    }
}

/// Finds the fences: a first line `---`, and the next line `---` or `...`.
pub(crate) fn fences(text: &str) -> Result<Option<Fences>, NeverClosed> {
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
    Err(NeverClosed)
}

/// The byte after a byte order mark, where there is one.
pub(crate) fn content_start(text: &str) -> usize {
    if text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len_utf8() } else { 0 }
}

/// A diagnostic of the YAML with its line in the file. YAML also ends lines at a lone carriage return, which
/// Lore does not: such a line is at most the last one.
pub(crate) fn in_file(diagnostic: Diagnostic, fences: &Fences) -> Diagnostic {
    Diagnostic { line: (diagnostic.line + 1).min(fences.last_line), ..diagnostic }
}

#[cfg(test)]
mod tests;
