//! `edit-note`: edits a note by text or a JSON object.

use clap::Args;
use lore_page::edit::{self, Dropped};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::app::error::{AppError, Result};
use crate::app::session::Session;
use crate::ops::change::rewrite;
use crate::ops::pages::edit::Edit;
use crate::ops::views::WriteResult;
use crate::ops::{Operation, read_json};

/// Edit part of a note, leaving the rest unchanged
///
/// Text that starts with an existing heading replaces the text under it; subsections that it does not have stay. Other
/// text is appended. A JSON object names the change: append, prepend, find and replace, section and with,
/// before_section, after_section, set, unset, drop.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  lore edit-note habits/tea-times '- [time] Five on Sundays'\n  lore edit-note habits/tea-times '{\"find\": \"Four\", \"replace\": \"Five\"}'"
)]
pub struct EditNote {
    /// Permalink or file path
    path: String,
    /// New text, or the change as a JSON object
    #[arg(allow_hyphen_values = true)]
    content_updates: String,
    /// Fail unless the note is at this version
    #[arg(long, value_name = "N")]
    #[serde(default)]
    expected_version: Option<u64>,
}

impl Operation for EditNote {
    const NAME: &'static str = "edit-note";
    const WRITES: bool = true;
    const HIDDEN: bool = true;
    type Output = WriteResult;

    fn run(self, session: &Session) -> Result<WriteResult> {
        if let Ok(Value::Object(mut named)) = serde_json::from_str(&self.content_updates) {
            named.insert("reference".into(), json!(self.path));
            if let Some(version) = self.expected_version {
                named.insert("expected_version".into(), json!(version));
            }
            let edit: Edit = read_json(Value::Object(named))?;
            return edit.run(session).map_err(name_fields);
        }
        let edit = |text: &str| updated(text, &self.content_updates);
        rewrite(session, &self.path, self.expected_version, edit, Dropped::default())
    }
}

/// Names the fields of the JSON object where the error of `edit` names flags.
fn name_fields(failure: AppError) -> AppError {
    if !failure.hint.contains("--") {
        return failure;
    }
    let hint = "name one change: append, prepend, find with replace, section, before_section or after_section with \
                with, or set and unset";
    AppError { message: failure.message.replace("--", ""), hint: hint.into(), ..failure }
}

fn updated(text: &str, new: &str) -> std::result::Result<String, edit::EditError> {
    let (first, rest) = new.trim_start().split_once('\n').unwrap_or((new.trim(), ""));
    let heading = first.trim_start_matches('#');
    let is_heading = heading.len() < first.len() && heading.starts_with(' ');
    match is_heading.then(|| edit::replace_own_text(text, heading.trim(), rest.trim_matches('\n'))) {
        Some(Ok(replaced)) => Ok(replaced),
        // No such section yet: append it.
        _ => edit::append(text, &format!("\n{}", new.trim_end())),
    }
}

#[cfg(test)]
mod tests {
    use super::updated;

    #[test]
    fn heading_selects_the_section_to_replace() {
        let text = "---\ntitle: A\n---\n# A\n\n## State\nOld.\n\n## Plan\nWait.\n";
        let replaced = updated(text, "## State\nNew.").expect("can be edited");
        assert_eq!(replaced, "---\ntitle: A\n---\n# A\n\n## State\nNew.\n\n## Plan\nWait.\n");
        let added = updated(text, "## Risks\nNone.").expect("can be edited");
        assert_eq!(added, format!("{text}\n## Risks\nNone.\n"));
        let appended = updated(text, "One more line").expect("can be edited");
        assert_eq!(appended, format!("{text}\nOne more line\n"));
    }

    #[test]
    fn text_never_stands_for_the_whole_note() {
        let text = "---\ntitle: A\n---\n# A\n\nIntro.\n\n## State\nOld.\n\n### Why\nSo.\n\n## Plan\nWait.\n";
        let other = "---\ntitle: B\n---\nB.";
        assert_eq!(updated(text, other).expect("can be edited"), format!("{text}\n{other}\n"));
        let titled = updated(text, "# A\n\nNew intro.\n\n## Plan\nGo.").expect("can be edited");
        assert_eq!(
            titled,
            "---\ntitle: A\n---\n# A\n\nNew intro.\n\n## Plan\nGo.\n\n## State\nOld.\n\n### Why\nSo.\n"
        );
        let section = updated(text, "## State\nNew.").expect("can be edited");
        assert_eq!(section, text.replace("Old.", "New."));
    }
}
