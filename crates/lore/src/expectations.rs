//! A vault's tests in `expectations.toml`: what it must be able to answer, and a JUnit report for CI.

mod junit;
mod read;

use serde::Deserialize;
use toml_edit::{ArrayOfTables, DocumentMut, Item, Table, value};

pub use junit::{Case, junit};
pub use lore_vault::EXPECTATIONS_FILE as FILE;
pub use read::read;

/// Default number of top results among which a page must be found.
pub const TOP: usize = 5;

/// An expectation and its line in the file.
#[derive(Debug, PartialEq, Eq)]
pub struct Expectation {
    /// The line on which it starts.
    pub line: usize,
    /// The question or fact.
    pub kind: ExpectationKind,
}

/// The kind of expectation.
#[derive(Debug, PartialEq, Eq)]
pub enum ExpectationKind {
    /// A question and the pages that must or must not answer it.
    Question(Question),
    /// A fact and the values that it must or must not have.
    Fact(Fact),
}

/// A question and the pages that must or must not answer it.
#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// The question.
    pub ask: String,
    /// Pages that must be among the top results.
    #[serde(default, deserialize_with = "read::one_or_many")]
    pub page: Vec<String>,
    /// Pages that must not be among them.
    #[serde(default, deserialize_with = "read::one_or_many")]
    pub not: Vec<String>,
    /// Number of top results to look at.
    #[serde(default)]
    pub top: Option<usize>,
    /// Search mode: hybrid, lexical, semantic or fields.
    #[serde(default)]
    pub mode: Option<String>,
    /// The day, month or year the question is about.
    #[serde(default)]
    pub as_of: Option<String>,
}

/// A fact and the values that it must or must not have.
#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fact {
    /// The page the fact is about.
    pub subject: String,
    /// The predicate.
    pub predicate: String,
    /// Values that it must have.
    #[serde(default, deserialize_with = "read::one_or_many")]
    pub value: Vec<String>,
    /// Values that it must not have.
    #[serde(default, deserialize_with = "read::one_or_many")]
    pub not: Vec<String>,
    /// The day, month or year to check; default: today.
    #[serde(default)]
    pub as_of: Option<String>,
}

impl Expectation {
    /// Returns its name in reports.
    pub fn name(&self) -> String {
        match &self.kind {
            ExpectationKind::Question(question) => {
                let when = question.as_of.as_ref().map(|day| format!(" (as of {day})")).unwrap_or_default();
                format!("{}{when}", question.ask)
            }
            ExpectationKind::Fact(fact) => {
                let when = fact.as_of.as_ref().map(|day| format!(" as of {day}")).unwrap_or_default();
                format!("{} {}{when}", fact.subject, fact.predicate)
            }
        }
    }
}

/// A question to add to the file.
#[derive(Debug)]
pub struct NewQuestion<'a> {
    /// The question.
    pub ask: &'a str,
    /// The page.
    pub page: &'a str,
    /// Whether the page must not be found.
    pub not: bool,
    /// Number of top results to look at; default: the file's.
    pub top: Option<usize>,
}

/// Returns the file's text with a question added, unless it is there already.
pub fn add(text: &str, new: &NewQuestion) -> Result<String, toml_edit::TomlError> {
    let mut document = text.parse::<DocumentMut>()?;
    let key = if new.not { "not" } else { "page" };
    let same = |table: &Table| {
        let is = |key: &str, expected: &str| table.get(key).and_then(Item::as_str) == Some(expected);
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
    fn adding_a_question_is_idempotent_and_preserves_comments() {
        let new = NewQuestion { ask: "who?", page: "people/ada", not: false, top: Some(3) };
        let first = add("", &new).expect("valid");
        assert_eq!(first, "[[question]]\nask = \"who?\"\npage = \"people/ada\"\ntop = 3\n");
        assert_eq!(add(&first, &new).expect("valid"), first);
        let text = "# mine\n[[question]]\nask = \"a\" # why\npage = \"b\"\n\n[[fact]]\nsubject = \"x\"\npredicate = \"y\"\nvalue = \"z\"\n";
        let added = add(text, &NewQuestion { not: true, top: None, ..new }).expect("valid");
        assert!(added.starts_with("# mine\n[[question]]\nask = \"a\" # why\npage = \"b\"\n"), "{added}");
        assert!(added.contains("\n\n[[question]]\nask = \"who?\"\nnot = \"people/ada\"\n"), "{added}");
        assert_eq!(read(&added).expect("valid").expected.len(), 3);
    }
}
