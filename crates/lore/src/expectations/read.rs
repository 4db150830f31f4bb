//! Parses expectations; every error has its line.

use lore_engine::line_of;
use serde::Deserialize;
use serde::de::{self, Deserializer, SeqAccess, Visitor};
use toml::Spanned;

use super::{Expectation, ExpectationKind, Fact, Question, TOP};

/// A parsed file of expectations.
#[derive(Debug, PartialEq, Eq)]
pub struct Expectations {
    /// Number of top results among which a page must be found.
    pub top: usize,
    /// The expectations in file order.
    pub expected: Vec<Expectation>,
}

/// An error: its line and message.
pub type ReadError = (usize, String);

/// The file as deserialized.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExpectationsFile {
    top: Option<Spanned<usize>>,
    #[serde(default)]
    question: Vec<Spanned<Question>>,
    #[serde(default)]
    fact: Vec<Spanned<Fact>>,
}

/// Parses the text of a file.
pub fn read(text: &str) -> Result<Expectations, ReadError> {
    let file: ExpectationsFile = toml::from_str(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        (line_of(text, at), error.message().lines().collect::<Vec<_>>().join(" "))
    })?;
    let top = match file.top {
        Some(top) if *top.get_ref() == 0 => {
            return Err((line_of(text, top.span().start), "top must be 1 or more".into()));
        }
        top => top.map_or(TOP, Spanned::into_inner),
    };
    let mut expected = Vec::new();
    for question in file.question {
        let line = line_of(text, question.span().start);
        let question = question.into_inner();
        check(&question).map_err(|message| (line, message))?;
        expected.push(Expectation { line, kind: ExpectationKind::Question(question) });
    }
    for fact in file.fact {
        let line = line_of(text, fact.span().start);
        let fact = fact.into_inner();
        if fact.value.is_empty() && fact.not.is_empty() {
            return Err((line, "a fact needs a `value` or a `not`".into()));
        }
        expected.push(Expectation { line, kind: ExpectationKind::Fact(fact) });
    }
    expected.sort_by_key(|expectation| expectation.line);
    Ok(Expectations { top, expected })
}

fn check(question: &Question) -> Result<(), String> {
    if question.page.is_empty() && question.not.is_empty() {
        return Err("a question needs a `page` or a `not`".into());
    }
    if question.ask.trim().is_empty() || question.top == Some(0) {
        return Err("a question needs a non-empty `ask`, and its `top` must be 1 or more".into());
    }
    match question.mode.as_ref().filter(|mode| !MODES.contains(&mode.as_str())) {
        Some(mode) => Err(format!("unknown mode {mode:?}; use one of {}", MODES.join(", "))),
        None => Ok(()),
    }
}

const MODES: [&str; 4] = ["hybrid", "lexical", "semantic", "fields"];

/// Deserializes a string or a list of strings.
pub(super) fn one_or_many<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    struct OneOrMany;

    impl<'de> Visitor<'de> for OneOrMany {
        type Value = Vec<String>;

        fn expecting(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            to.write_str("a string or a list of strings")
        }

        fn visit_str<E: de::Error>(self, text: &str) -> Result<Vec<String>, E> {
            Ok(vec![text.to_owned()])
        }

        fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Vec<String>, A::Error> {
            Vec::deserialize(de::value::SeqAccessDeserializer::new(list))
        }
    }

    deserializer.deserialize_any(OneOrMany)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_and_facts_keep_file_order() {
        let text = "top = 3\n\n[[fact]]\nsubject = \"people/ada\"\npredicate = \"lives_in\"\nvalue = \"London\"\nas_of = \"1840\"\n\n[[question]]\nask = \"who?\"\npage = [\"a\", \"b\"]\nnot = \"c\"\n";
        let read = read(text).expect("valid");
        assert_eq!(read.top, 3);
        assert_eq!(read.expected.iter().map(|one| one.line).collect::<Vec<_>>(), [3, 9]);
        let ExpectationKind::Question(question) = &read.expected[1].kind else { panic!("a question") };
        assert_eq!((question.page.len(), question.not.len(), question.top), (2, 1, None));
        assert_eq!(read.expected[0].name(), "people/ada lives_in as of 1840");
    }

    #[test]
    fn errors_have_their_line() {
        for (text, line, part) in [
            ("a = \n", 1, ""),
            ("top = 0\n", 1, "top"),
            ("\nquestions = 1\n", 2, "questions"),
            ("[question]\nask = \"a\"\n", 1, "sequence"),
            ("\n[[question]]\nask = \"a\"\n", 2, "`page`"),
            ("[[question]]\nask = \"a\"\npage = \"b\"\nmode = \"magic\"\n", 1, "magic"),
            ("[[question]]\nask = \"a\"\npages = \"b\"\n", 3, "pages"),
            ("[[question]]\npage = \"b\"\n", 1, "ask"),
            ("[[fact]]\nsubject = \"a\"\npredicate = \"b\"\n", 1, "value"),
            ("[[fact]]\nsubject = \"a\"\npredicate = \"b\"\nvalue = 3\n", 4, "string"),
        ] {
            let (at, message) = read(text).expect_err(text);
            assert_eq!(at, line, "{text}: {message}");
            assert!(message.contains(part), "{text}: {message}");
        }
    }
}
