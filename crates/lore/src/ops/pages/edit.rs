//! `edit`: a lossless edit of part of a page.

use clap::Args;
use lore_page::edit::Dropped;
use lore_page::{Format, Node, Value, edit};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::app::error::{AppError, Result};
use crate::app::session::Session;
use crate::ops::Operation;
use crate::ops::change::{EditTarget, Edited, rewrite};
use crate::ops::views::WriteResult;

/// Edit part of a page, leaving every other byte unchanged
///
/// Pass one kind of change: append, prepend, find and replace, a section, or properties. A section with append, prepend or
/// find limits these to that section. Facts, relations,
/// observations and timeline entries of a replaced section that the new text does not mention are kept; --drop removes
/// them.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  lore edit notes/today --append '- [idea] Try it'\n  lore edit people/ada --find London --replace Paris --expect-count 2\n  lore edit people/ada --section State --with 'Moved to Paris.'\n  lore edit state/today --section 'Agent Log' --append '- 09:00 began'\n  lore edit people/ada --set status=active --set 'tags=[founder, friend]' --unset draft"
)]
pub struct Edit {
    /// Page to edit
    #[arg(value_name = "REF")]
    reference: String,
    /// Append this text
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    #[serde(default)]
    append: Option<String>,
    /// Insert this text at the start, after the frontmatter
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    #[serde(default)]
    prepend: Option<String>,
    /// Text to replace
    #[arg(long, value_name = "TEXT", requires = "replace", allow_hyphen_values = true)]
    #[serde(default)]
    find: Option<String>,
    /// Replacement text
    #[arg(long, value_name = "TEXT", requires = "find", allow_hyphen_values = true)]
    #[serde(default)]
    replace: Option<String>,
    /// Number of times the text must occur [default: 1]
    #[arg(long, value_name = "N", requires = "find")]
    #[serde(default)]
    expect_count: Option<usize>,
    /// Section to replace, or to append or replace text in
    #[arg(long, value_name = "HEADING")]
    #[serde(default)]
    section: Option<String>,
    /// Insert before this section
    #[arg(long, value_name = "HEADING", requires = "with")]
    #[serde(default)]
    before_section: Option<String>,
    /// Insert after this section
    #[arg(long, value_name = "HEADING", requires = "with")]
    #[serde(default)]
    after_section: Option<String>,
    /// Text for the section
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    #[serde(default)]
    with: Option<String>,
    /// Set a property; `key=[a, b]` is a list; repeatable
    #[arg(long, value_name = "KEY=VALUE")]
    #[serde(default)]
    set: Vec<String>,
    /// Remove a property; repeatable
    #[arg(long, value_name = "KEY")]
    #[serde(default)]
    unset: Vec<String>,
    /// Line to remove, or facts, relations, observations, timeline, all
    #[arg(long, value_name = "LINE", allow_hyphen_values = true)]
    #[serde(default)]
    drop: Vec<String>,
    /// Fail unless the page is at this version
    #[arg(long, value_name = "N")]
    #[serde(default)]
    expected_version: Option<u64>,
}

impl Operation for Edit {
    const NAME: &'static str = "edit";
    const WRITES: bool = true;
    type Output = WriteResult;

    fn run(self, session: &Session) -> Result<WriteResult> {
        let (dropped, section) = (self.prepare()?, self.named_section());
        let change = |target: EditTarget<'_>, text: &str| self.apply_to(target, text);
        rewrite(session, &self.reference, self.expected_version, change, dropped, section)
    }
}

impl Edit {
    /// Checks the parameters; returns the lines that the change may remove.
    pub(super) fn prepare(&self) -> Result<Dropped> {
        self.check()?;
        let dropped = Dropped::parse(self.drop.iter().map(String::as_str));
        Ok(match &self.find {
            Some(find) => dropped.with_found(find),
            None => dropped,
        })
    }

    /// Whether a section only limits another kind of change.
    fn is_within(&self) -> bool {
        self.append.is_some() || self.prepend.is_some() || self.find.is_some()
    }

    /// Returns the section that the change names.
    pub(super) fn named_section(&self) -> Option<&str> {
        let section = self.section.as_ref().or(self.before_section.as_ref()).or(self.after_section.as_ref());
        section.map(String::as_str)
    }

    /// Makes the change, but replaces only the text of a section up to its first subsection.
    pub(super) fn apply_to_own_text(&self, target: EditTarget<'_>, text: &str) -> Edited {
        match (&self.section, &self.with, target.node) {
            (Some(heading), Some(with), None) => edit::replace_own_text(target.format, text, heading, with),
            (Some(heading), Some(with), Some(node)) => edit::edit_node(text, node.lines.first, |text| {
                edit::replace_own_text(target.format, text, heading, with)
            }),
            _ => self.apply_to(target, text),
        }
    }

    /// Makes the change to a page or a node.
    pub(super) fn apply_to(&self, target: EditTarget<'_>, text: &str) -> Edited {
        match target.node {
            Some(node) => self.apply_to_node(node, text),
            None => self.apply(target.format, text),
        }
    }

    fn apply_to_node(&self, node: &Node, text: &str) -> Edited {
        let line = node.lines.first;
        match (&self.append, &self.prepend) {
            (Some(addition), _) if self.section.is_none() => edit::append_to_node(text, line, addition),
            (_, Some(addition)) if self.section.is_none() => edit::prepend_to_node(text, line, addition),
            _ if self.named_section().is_some() || self.find.is_some() => {
                edit::edit_node(text, line, |text| self.apply(Format::Org, text))
            }
            _ => {
                let mut text = text.to_owned();
                for (key, value) in self.set.iter().filter_map(|pair| property(pair).ok()) {
                    let set = |drawer: &str| edit::set_property(Format::Org, drawer, &key, &value);
                    text = edit::edit_node_property(&text, line, &key, set)?;
                }
                for key in &self.unset {
                    let unset = |drawer: &str| edit::remove_property(Format::Org, drawer, key);
                    text = edit::edit_node_property(&text, line, key, unset)?;
                }
                Ok(text)
            }
        }
    }

    fn check(&self) -> Result<()> {
        let kinds = [
            self.append.is_some(),
            self.prepend.is_some(),
            self.find.is_some(),
            self.section.is_some() && !self.is_within(),
            self.before_section.is_some(),
            self.after_section.is_some(),
            !self.set.is_empty() || !self.unset.is_empty(),
        ];
        let hint = "pass one of --append, --prepend, --find with --replace, --section, --before-section or \
                    --after-section with --with, or --set and --unset";
        match kinds.into_iter().filter(|given| *given).count() {
            0 => return Err(AppError::usage("no change given", hint)),
            1 => {}
            _ => return Err(AppError::usage("more than one kind of change given", hint)),
        }
        let within = self.section.is_some() && self.is_within();
        let section = self.section.is_some() || self.before_section.is_some() || self.after_section.is_some();
        if (section && !within) != self.with.is_some() {
            return Err(AppError::usage("a section option and --with must be used together", hint));
        }
        if self.find.is_some() != self.replace.is_some() {
            return Err(AppError::usage("--find and --replace must be used together", hint));
        }
        self.set.iter().try_for_each(|pair| property(pair).map(drop))
    }

    fn apply(&self, format: Format, text: &str) -> Edited {
        let with = self.with.as_deref().unwrap_or_default();
        if let (Some(heading), Some(addition)) = (&self.section, &self.append) {
            edit::append_to_section(format, text, heading, addition)
        } else if let (Some(heading), Some(addition)) = (&self.section, &self.prepend) {
            edit::insert_below_heading(format, text, heading, addition)
        } else if let (Some(heading), Some(find)) = (&self.section, &self.find) {
            let replace = self.replace.as_deref().unwrap_or_default();
            edit::replace_in_section(format, text, heading, find, replace, self.expect_count)
        } else if let Some(addition) = &self.append {
            edit::append(format, text, addition)
        } else if let Some(addition) = &self.prepend {
            edit::prepend(format, text, addition)
        } else if let Some(find) = &self.find {
            edit::replace_text(text, find, self.replace.as_deref().unwrap_or_default(), self.expect_count)
        } else if let Some(heading) = &self.section {
            edit::replace_section(format, text, heading, with)
        } else if let Some(heading) = &self.before_section {
            edit::insert_before_section(format, text, heading, with)
        } else if let Some(heading) = &self.after_section {
            edit::insert_after_section(format, text, heading, with)
        } else {
            let mut text = text.to_owned();
            for (key, value) in self.set.iter().filter_map(|pair| property(pair).ok()) {
                text = edit::set_property(format, &text, &key, &value)?;
            }
            for key in &self.unset {
                text = edit::remove_property(format, &text, key)?;
            }
            Ok(text)
        }
    }
}

/// Parses `key=value` or `key=[a, b]`.
fn property(pair: &str) -> Result<(String, Value)> {
    let Some((key, value)) = pair.split_once('=').filter(|(key, _)| !key.trim().is_empty()) else {
        return Err(AppError::usage(
            format!("{pair:?} is not of the form key=value"),
            "pass a property and its value, such as stage=seed",
        ));
    };
    let value = value.trim();
    let list = value.strip_prefix('[').and_then(|value| value.strip_suffix(']'));
    let value = match list {
        Some(items) => Value::List(
            items
                .split(',')
                .map(str::trim)
                .filter(|item| !item.is_empty())
                .map(|item| Value::Text(item.into()))
                .collect(),
        ),
        None => Value::Text(value.to_owned()),
    };
    Ok((key.trim().to_owned(), value))
}
