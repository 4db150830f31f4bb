//! The rule file of a client: when an agent reads the vault, and what it keeps where. Works from text to text.
//!
//! Other rules may be in the same file, so Lore's are a block between two marker lines.

use std::ops::Range;
use std::path::PathBuf;

use super::SettingsError;
use crate::app::shell::quote;

/// Start of the first line of the block; the rest of the line is for readers.
const BEGIN: &str = "<!-- lore: begin";

/// Its first line as written.
const BEGIN_LINE: &str = "<!-- lore: begin (written by `lore setup`, which replaces this block) -->";

/// Its last line.
const END: &str = "<!-- lore: end -->";

/// The vault that the rules are about.
#[derive(Debug, Clone, Default)]
pub struct RuleVault {
    /// Its project name, if it is registered.
    pub project: Option<String>,
    /// Its directory; `None` in files that are shared with other machines.
    pub root: Option<PathBuf>,
    /// The page with its rules for agents, if there is one.
    pub contract: Option<&'static str>,
    /// The generated list of its pages, if there is one.
    pub index: Option<&'static str>,
}

/// Lore's part of a rule file.
#[derive(Debug, Clone)]
pub struct Rules {
    /// Front matter that the client needs in a file of its own.
    pub header: &'static str,
    /// The text of the block.
    pub text: String,
}

impl Rules {
    /// Returns the rules for a vault.
    pub fn new(vault: &RuleVault, header: &'static str) -> Rules {
        let place = |name: &str| match &vault.root {
            Some(root) => format!("`{}`", root.join(name).display()),
            None => format!("`{name}` in the vault"),
        };
        let lore = match &vault.project {
            Some(name) => format!("lore --project {}", quote(name)),
            None => "lore".into(),
        };
        let about = match (&vault.root, vault.contract) {
            (_, Some(contract)) => {
                format!("Its rules are in {}: read them before you write.", place(contract))
            }
            (Some(root), None) => format!("Its directory is `{}`.", root.display()),
            (None, None) => format!("`{lore} status` shows its directory."),
        };
        let first = match vault.index {
            Some(index) => format!("Read {}, then `{lore} show REF`,", place(index)),
            None => format!("Run `{lore} query \"WORDS\"`, then `{lore} show REF`,"),
        };
        let text = include_str!("rules.md")
            .replace("{about}", &about)
            .replace("{first}", &first)
            .replace("{lore}", &lore);
        Rules { header, text }
    }

    /// Adds the block, or replaces it.
    pub fn add(&self, text: &str) -> Result<String, SettingsError> {
        let block = format!("{BEGIN_LINE}\n{}{END}\n", self.text);
        Ok(match find(text)? {
            Some(range) => format!("{}{block}{}", &text[..range.start], &text[range.end..]),
            None if text.trim().is_empty() => format!("{}{block}", self.header),
            None => format!("{}\n\n{block}", text.trim_end_matches('\n')),
        })
    }

    /// Removes the block and the blank line before it.
    pub fn remove(&self, text: &str) -> Result<String, SettingsError> {
        let Some(range) = find(text)? else { return Ok(text.to_owned()) };
        let before = &text[..range.start];
        let before = before.strip_suffix("\n\n").map_or(before, |shorter| &before[..=shorter.len()]);
        Ok(format!("{before}{}", &text[range.end..]))
    }

    /// Whether the file has nothing else.
    pub fn is_blank(&self, text: &str) -> bool {
        text.trim().is_empty() || text.trim() == self.header.trim()
    }
}

/// Returns the bytes of the block.
fn find(text: &str) -> Result<Option<Range<usize>>, SettingsError> {
    let (mut at, mut start) = (0, None);
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let next = at + line.len();
        match start {
            None if line.starts_with(BEGIN) => start = Some((at, number + 1)),
            Some((start, _)) if line.trim_end() == END => return Ok(Some(start..next)),
            _ => {}
        }
        at = next;
    }
    match start {
        None => Ok(None),
        Some((_, line)) => {
            Err(SettingsError { line: Some(line), message: format!("the block has no line `{END}`") })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules() -> Rules {
        Rules { header: "---\nalwaysApply: true\n---\n", text: "Read it.\n".into() }
    }

    #[test]
    fn block_is_added_replaced_and_removed() {
        let block = format!("{BEGIN_LINE}\nRead it.\n{END}\n");
        for (before, after) in [
            ("", format!("{}{block}", rules().header)),
            ("# Mine\n", format!("# Mine\n\n{block}")),
            ("# Mine", format!("# Mine\n\n{block}")),
        ] {
            let added = rules().add(before).expect("no block");
            assert_eq!(added, after);
            assert_eq!(rules().add(&added).expect("a block"), after, "again");
            let removed = rules().remove(&added).expect("a block");
            assert_eq!(
                removed.trim_end(),
                if before.is_empty() { rules().header.trim_end() } else { "# Mine" }
            );
            assert_eq!(rules().is_blank(&removed), before.is_empty());
        }
        let edited = format!("# Mine\n\n{}Later.\n", block.replace("Read it.", "Something old."));
        assert_eq!(rules().add(&edited).expect("a block"), format!("# Mine\n\n{block}Later.\n"));
        assert_eq!(rules().remove(&edited).expect("a block"), "# Mine\nLater.\n");
    }

    #[test]
    fn block_without_an_end_is_an_error() {
        let error = rules().add(&format!("# Mine\n{BEGIN_LINE}\nRead it.\n")).expect_err("no end");
        assert_eq!(error.line, Some(2));
    }

    #[test]
    fn rules_name_the_files_of_the_vault() {
        let vault = RuleVault {
            project: Some("kb".into()),
            root: Some("/home/ada/kb".into()),
            contract: Some("AGENT_CONTRACT.org"),
            index: Some("index.org"),
        };
        let text = Rules::new(&vault, "").text;
        assert!(text.contains("`/home/ada/kb/AGENT_CONTRACT.org`: read them"), "{text}");
        assert!(text.contains("Read `/home/ada/kb/index.org`, then `lore --project kb show REF`,"), "{text}");
        let shared = Rules::new(&RuleVault { root: None, ..vault }, "").text;
        assert!(!shared.contains("/home"), "{shared}");
        assert!(Rules::new(&RuleVault::default(), "").text.contains("Run `lore query"));
        assert!(!text.contains('{'), "{text}");
    }
}
