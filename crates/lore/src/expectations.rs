//! What a vault must be able to answer, as it stands in its `expectations.toml`, and the report of a run for build servers.

mod junit;
mod read;

use serde::Deserialize;
use toml_edit::{ArrayOfTables, DocumentMut, Item, Table, value};

pub use junit::{Case, junit};
pub use lore_engine::vault::EXPECTATIONS_FILE as FILE;
pub use read::read;

/// Among how many hits a page must be, unless the file says otherwise.
pub const TOP: usize = 5;

/// An expectation with its line in the file.
#[derive(Debug, PartialEq, Eq)]
pub struct Expectation {
    /// The line at which it begins.
    pub line: usize,
    /// What is expected.
    pub what: What,
}

/// What is expected.
#[derive(Debug, PartialEq, Eq)]
pub enum What {
    /// A question and the pages that answer it, or must not.
    Question(Question),
    /// A fact and the value it has, or must not have.
    Fact(Fact),
}

/// A question and the pages that answer it, or must not.
#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// What is asked.
    pub ask: String,
    /// The pages that must be among the first hits.
    #[serde(default, deserialize_with = "read::one_or_many")]
    pub page: Vec<String>,
    /// The pages that must not.
    #[serde(default, deserialize_with = "read::one_or_many")]
    pub not: Vec<String>,
    /// How many hits are the first.
    #[serde(default)]
    pub top: Option<usize>,
    /// How to find: hybrid, lexical, semantic or fields.
    #[serde(default)]
    pub mode: Option<String>,
    /// The day, month or year that is asked about.
    #[serde(default)]
    pub as_of: Option<String>,
}

/// A fact and the value it has, or must not have.
#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fact {
    /// Whom it is about.
    pub subject: String,
    /// What is said.
    pub predicate: String,
    /// The values that it must have.
    #[serde(default, deserialize_with = "read::one_or_many")]
    pub value: Vec<String>,
    /// The values that it must not have.
    #[serde(default, deserialize_with = "read::one_or_many")]
    pub not: Vec<String>,
    /// On which day, in which month or year; today without it.
    #[serde(default)]
    pub as_of: Option<String>,
}

impl Expectation {
    /// What it is called in a report.
    pub fn name(&self) -> String {
        match &self.what {
            What::Question(question) => {
                let when = question.as_of.as_ref().map(|day| format!(" (as of {day})")).unwrap_or_default();
                format!("{}{when}", question.ask)
            }
            What::Fact(fact) => {
                let when = fact.as_of.as_ref().map(|day| format!(" as of {day}")).unwrap_or_default();
                format!("{} {}{when}", fact.subject, fact.predicate)
            }
        }
    }
}

/// A question that is to be added.
#[derive(Debug)]
pub struct NewQuestion<'a> {
    /// What is asked.
    pub ask: &'a str,
    /// The page.
    pub page: &'a str,
    /// Whether it must not be found.
    pub not: bool,
    /// Among how many hits; as the file says without it.
    pub top: Option<usize>,
}

/// The file's text with one more question; one that is there already is left as it is.
pub fn add(text: &str, new: &NewQuestion) -> Result<String, toml_edit::TomlError> {
    let mut document = text.parse::<DocumentMut>()?;
    let key = if new.not { "not" } else { "page" };
    let same = |table: &Table| {
        let is = |key: &str, wanted: &str| table.get(key).and_then(Item::as_str) == Some(wanted);
        is("ask", new.ask) && is(key, new.page)
    };
    let list = document.entry("question").or_insert(Item::ArrayOfTables(ArrayOfTables::new()));
    if let Some(list) = list.as_array_of_tables_mut()
        && !list.iter().any(same)
    {
        let mut table = Table::new();
        table["ask"] = value(new.ask);
        table[key] = value(new.page);
        if let Some(top) = new.top {
            table["top"] = value(i64::try_from(top).unwrap_or(i64::MAX));
        }
        if !text.trim().is_empty() {
            table.decor_mut().set_prefix("\n");
        }
        list.push(table);
        return Ok(document.to_string());
    }
    Ok(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_added_once_and_comments_stay() {
        let new = NewQuestion { ask: "who?", page: "people/ada", not: false, top: Some(3) };
        let first = add("", &new).expect("sound");
        assert_eq!(first, "[[question]]\nask = \"who?\"\npage = \"people/ada\"\ntop = 3\n");
        assert_eq!(add(&first, &new).expect("sound"), first);
        let text = "# mine\n[[question]]\nask = \"a\" # why\npage = \"b\"\n\n[[fact]]\nsubject = \"x\"\npredicate = \"y\"\nvalue = \"z\"\n";
        let added = add(text, &NewQuestion { not: true, top: None, ..new }).expect("sound");
        assert!(added.starts_with("# mine\n[[question]]\nask = \"a\" # why\npage = \"b\"\n"), "{added}");
        assert!(added.contains("\n\n[[question]]\nask = \"who?\"\nnot = \"people/ada\"\n"), "{added}");
        assert_eq!(read(&added).expect("sound").expected.len(), 3);
    }
}
