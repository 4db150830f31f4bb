//! The parts of a page that `put` accepts instead of the whole text, and the facts written with it.

use lore_engine::{Error, VaultContext};
use lore_memory::Evidence;
use lore_page::{Format, edit};
use lore_vault::decode;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::app::error::{AppError, Result};
use crate::ops::knowledge::ingest::{AssertionInput, facts_of};
use crate::ops::views::typed;

/// Parts of a page.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub struct PutParts {
    /// Text above the first `---`; replaces the current one
    #[serde(default)]
    pub compiled_truth: Option<String>,
    /// Lines to add to the timeline; entries are sorted by date
    #[serde(default)]
    pub timeline_append: Option<String>,
    /// Properties to set; null removes one
    #[serde(default)]
    pub frontmatter: Option<Map<String, Value>>,
    /// Facts to add to the page
    #[serde(default)]
    pub assertions: Vec<AssertionInput>,
}

impl PutParts {
    /// Whether the parts replace the whole text.
    pub fn has_text_parts(&self) -> bool {
        self.compiled_truth.is_some() || self.timeline_append.is_some() || self.frontmatter.is_some()
    }

    /// Applies the parts to the given text, or else to the current text of the page.
    pub fn text(&self, context: &VaultContext, path: &str, given: Option<String>) -> Result<String> {
        if given.is_some() && self.has_text_parts() {
            return Err(AppError::usage(
                "content and parts of a page cannot be combined",
                "pass content, or compiled_truth, timeline_append and frontmatter",
            ));
        }
        let old = match given {
            Some(text) => text,
            None => match context.vault().read(path, context.policy().limits.page_bytes)? {
                Some(file) => decode(&file.bytes).text.into_owned(),
                None => String::new(),
            },
        };
        let failed = |source| Error::Edit { slug: path.to_owned(), source };
        let format = Format::of(path);
        let mut text = old;
        if let Some(truth) = &self.compiled_truth {
            text = edit::replace_truth(format, &text, truth).map_err(failed)?;
        }
        if let Some(lines) = &self.timeline_append {
            text = with_timeline(format, &text, lines).map_err(failed)?;
        }
        for (key, value) in self.frontmatter.iter().flatten() {
            text = match value {
                Value::Null => edit::remove_property(format, &text, key).unwrap_or(text),
                value => edit::set_typed_property(format, &text, key, &typed(value)).map_err(failed)?,
            };
        }
        Ok(text)
    }
}

/// Returns the facts to add to the written page.
pub fn evidence(context: &VaultContext, assertions: Vec<AssertionInput>) -> Result<Evidence> {
    Ok(Evidence { facts: facts_of(context, assertions)?, ..Evidence::default() })
}

/// Adds lines to the timeline: entries by their dates, newest first; other lines at the end.
fn with_timeline(format: Format, text: &str, lines: &str) -> std::result::Result<String, edit::EditError> {
    // Entries are given as Markdown, or as the page has them.
    let given = Format::guess(lines);
    let entries = given.parse(lines).page.entries;
    let is_entry = |number: usize| {
        entries.iter().any(|entry| (entry.lines.first..=entry.lines.last).contains(&(number as u32 + 1)))
    };
    let rest = lines.lines().enumerate().filter(|(number, line)| {
        let heading = line.trim_start_matches('#').trim();
        let is_timeline = line.starts_with('#') && heading == "Timeline";
        !is_entry(*number) && !is_timeline && line.trim() != "---"
    });
    let rest: Vec<&str> = rest.map(|(_, line)| line).collect();
    let rest = rest.join("\n");
    let mut text = text.to_owned();
    for entry in entries {
        let new = edit::NewEntry {
            date: entry.date,
            source: entry.source,
            summary: entry.summary,
            detail: entry.detail,
        };
        text = edit::add_entry(format, &text, &new)?;
    }
    if rest.trim().is_empty() {
        return Ok(text);
    }
    let rule = match (format.parse(&text).page.timeline.is_some(), format) {
        (true, _) => "",
        (false, Format::Markdown) => "\n---\n\n",
        (false, Format::Org) => "\n-----\n\n",
    };
    let rest = rest.trim_matches('\n');
    // Without a blank line, words would continue the last entry.
    let gap = if rule.is_empty() && !rest.starts_with(['-', '*', '+', '#']) { "\n" } else { "" };
    Ok(format!("{}\n{rule}{gap}{rest}\n", text.trim_end_matches('\n')))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_timeline(text: &str, lines: &str) -> std::result::Result<String, edit::EditError> {
        super::with_timeline(Format::Markdown, text, lines)
    }

    const PAGE: &str = "---\ntitle: A\n---\n# A\n\nOld.\n\n---\n\n- **2024-01-01** | x — Met.\n";

    #[test]
    fn appended_entries_are_sorted_newest_first() {
        let line = "- **2024-02-01** | y — Left.";
        let before = PAGE.replace("- **2024", &format!("{line}\n- **2024"));
        assert_eq!(with_timeline(PAGE, line).as_deref(), Ok(before.as_str()));
        let older = "- **2023-02-01** | y — Left.\n  More.";
        assert_eq!(with_timeline(PAGE, older), Ok(format!("{PAGE}{older}\n")));
        let first = format!("# B\n\n---\n\n## Timeline\n{line}\n");
        assert_eq!(with_timeline("# B\n", line), Ok(first));
        let twice = with_timeline(&before, line);
        assert_eq!(twice.as_deref(), Ok(before.as_str()), "an entry is not repeated");
    }

    #[test]
    fn other_lines_are_appended() {
        assert_eq!(with_timeline(PAGE, "Later that year.\n"), Ok(format!("{PAGE}\nLater that year.\n")));
        let entries = |text: &str| Format::Markdown.parse(text).page.entries;
        let appended = with_timeline(PAGE, "2025-05-05 | call — Call held").unwrap_or_default();
        assert_eq!(entries(&appended), entries(PAGE), "the last entry stays as it is");
        assert_eq!(with_timeline(PAGE, "- A line."), Ok(format!("{PAGE}- A line.\n")));
        assert_eq!(with_timeline("# B\n", "Prose."), Ok("# B\n\n---\n\nProse.\n".to_owned()));
    }
}
