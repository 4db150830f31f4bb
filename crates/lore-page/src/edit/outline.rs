//! Lists the sections of a text, and removes whole sections from it.

use super::doc::Doc;
use super::lines::line_end;
use crate::format::Format;
use crate::page::{ByteRange, Heading};

/// A section and its position. A section of the truth ends at the rule, whatever its level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SectionPlace {
    /// Its heading.
    pub heading: Heading,
    /// The heading and everything under it, including subsections.
    pub whole: ByteRange,
    /// Everything under the heading, including subsections.
    pub body: ByteRange,
}

/// Returns the sections of a text in order. A heading that follows a lone carriage return, and so has no line of its
/// own, is left out.
pub fn sections(format: Format, text: &str) -> Vec<SectionPlace> {
    let doc = Doc::new(format, text);
    let places = doc.page.headings.iter().map(|heading| {
        let (start, body_start, end) = doc.bounds(heading);
        SectionPlace {
            heading: heading.clone(),
            whole: ByteRange { start, end },
            body: ByteRange { start: body_start, end },
        }
    });
    places.filter(|place| !shares_its_line(&text[place.whole.start..place.body.start])).collect()
}

/// Removes whole sections from the text they were found in.
///
/// All other lines are kept. Where the line before a section would run into the line after it, the blank lines at the
/// section's end are kept between them.
pub fn remove_sections<'p>(
    format: Format,
    text: &str,
    removed: impl IntoIterator<Item = &'p SectionPlace>,
) -> String {
    let mut removed: Vec<ByteRange> = removed.into_iter().map(|place| place.whole).collect();
    removed.sort_unstable_by_key(|range| range.start);
    let mut out = String::with_capacity(text.len());
    let mut copied = 0;
    for range in removed {
        // A section inside one that was removed is already gone.
        if range.start < copied {
            continue;
        }
        out.push_str(&text[copied..range.start]);
        out.push_str(gap(format, &out, text, range));
        copied = range.end;
    }
    out.push_str(&text[copied..]);
    out
}

/// Returns the separator needed between the text before a section and the text after it.
fn gap<'t>(format: Format, before: &str, text: &'t str, section: ByteRange) -> &'t str {
    let after = &text[section.end..];
    let Some(last_line) = before.trim_start_matches('\u{feff}').split_inclusive('\n').next_back() else {
        // A rule at the start of the text would be parsed as a frontmatter fence.
        return if format == Format::Markdown && after.starts_with("---") { line_end(text) } else { "" };
    };
    if after.is_empty() || last_line.trim().is_empty() {
        return "";
    }
    let old = section.of(text);
    let blank: usize =
        old.split_inclusive('\n').rev().take_while(|line| line.trim().is_empty()).map(str::len).sum();
    match blank {
        // A `#` heading starts a new block; a rule or an underlined heading would absorb the line before it.
        0 if format == Format::Org || after.trim_start().starts_with('#') => "",
        0 => line_end(text),
        blank => &old[old.len() - blank..],
    }
}

fn shares_its_line(heading: &str) -> bool {
    heading.replace("\r\n", "\n").contains('\r')
}
