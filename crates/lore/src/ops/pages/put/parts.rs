//! The parts of a page that `put` accepts instead of the whole text, and the facts written with it.

use lore_engine::{Error, VaultContext};
use lore_memory::Evidence;
use lore_page::{edit, parse};
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
    /// Lines to append to the timeline
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
    pub fn text(self, context: &VaultContext, path: &str, given: Option<String>) -> Result<String> {
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
        let mut text = old;
        if let Some(truth) = &self.compiled_truth {
            text = edit::replace_truth(&text, truth).map_err(failed)?;
        }
        if let Some(lines) = &self.timeline_append {
            text = with_timeline(&text, lines);
        }
        for (key, value) in self.frontmatter.iter().flatten() {
            text = match value {
                Value::Null => edit::remove_property(&text, key).unwrap_or(text),
                value => edit::set_typed_property(&text, key, &typed(value)).map_err(failed)?,
            };
        }
        let facts = facts_of(context, path, &text, self.assertions)?;
        let evidence = Evidence { facts, ..Evidence::default() };
        Ok(evidence.add_to(&text).map_err(failed)?)
    }
}

/// Appends lines to the timeline, creating the timeline if there is none.
fn with_timeline(text: &str, lines: &str) -> String {
    let has_timeline = parse("x.md", text).page.timeline.is_some();
    let rule = if has_timeline { "" } else { "\n---\n\n" };
    format!("{}\n{rule}{}\n", text.trim_end_matches('\n'), lines.trim_matches('\n'))
}

#[cfg(test)]
mod tests {
    use super::with_timeline;

    const PAGE: &str = "---\ntitle: A\n---\n# A\n\nOld.\n\n---\n\n- **2024-01-01** | x — Met.\n";

    #[test]
    fn timeline_append_adds_at_the_end() {
        let line = "- **2024-02-01** | y — Left.";
        assert_eq!(with_timeline(PAGE, line), format!("{PAGE}{line}\n"));
        assert_eq!(with_timeline("# B\n", line), format!("# B\n\n---\n\n{line}\n"));
    }
}
