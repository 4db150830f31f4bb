//! What a fact says of its subject, in a form in which two of them can be compared. Pure.
//!
//! Two objects are the same where a reader would take them for the same: the same page by any of its names, the same
//! words in other case, the same amount in another unit, a date and a day of it, a place and the same place with its
//! country. In doubt they are the same.

use lore_page::{PartialDate, fold, slugify};

use super::quantity::{Quantity, readings, same_amount};
use crate::index::PageNo;

/// Endings of companies' names that one writer sets and another leaves out.
const LEGAL: [&str; 12] = [
    "inc",
    "ltd",
    "llc",
    "gmbh",
    "corp",
    "corporation",
    "co",
    "plc",
    "ag",
    "company",
    "limited",
    "incorporated",
];

/// An object ready to be compared.
#[derive(Debug, Clone)]
pub struct Object {
    /// The pages it can mean.
    pages: Vec<PageNo>,
    /// The words, folded.
    words: String,
    /// The slug of the words, where they are nothing but letters, digits and spaces.
    slug: Option<String>,
    amounts: Vec<Quantity>,
    date: Option<PartialDate>,
}

impl Object {
    /// Reads an object; `pages` are those that it can mean.
    pub fn new(text: &str, pages: Vec<PageNo>) -> Object {
        let plain = plain_object(text);
        let words = fold(&without_legal_form(plain));
        let simple =
            words.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_'));
        let words = match words.as_str() {
            "yes" => "true".to_owned(),
            "no" => "false".to_owned(),
            _ => words,
        };
        Object {
            slug: Some(slugify(&words)).filter(|slug| simple && !slug.is_empty()),
            amounts: readings(plain),
            date: plain.parse().ok(),
            pages,
            words,
        }
    }

    /// Whether two objects say the same.
    pub fn same(&self, other: &Object) -> bool {
        if self.words == other.words || self.slug.is_some() && self.slug == other.slug {
            return true;
        }
        if !self.pages.is_empty() && !other.pages.is_empty() {
            return self.pages.iter().any(|page| other.pages.contains(page));
        }
        if let (Some(one), Some(two)) = (self.date, other.date) {
            return within(one, two) || within(two, one);
        }
        if !self.amounts.is_empty() && !other.amounts.is_empty() {
            return same_amount(&self.amounts, &other.amounts);
        }
        narrower(&self.words, &other.words) || narrower(&other.words, &self.words)
    }
}

/// The text without quotes, emphasis and punctuation around it.
pub fn plain_object(text: &str) -> &str {
    let around = |letter: char| letter.is_whitespace() || matches!(letter, '"' | '“' | '”' | '*' | '_' | '`');
    text.trim_matches(around).trim_end_matches(['.', ',', ';', ':', '!']).trim_matches(around)
}

/// `Brex Inc.` without `Inc.`.
pub fn without_legal_form(text: &str) -> String {
    let last = text.rsplit([' ', ',']).next().unwrap_or(text);
    let legal = LEGAL.contains(&last.trim_end_matches('.').to_lowercase().as_str());
    let rest = text[..text.len() - last.len()].trim_end_matches([' ', ',']);
    if legal && !rest.is_empty() { rest.to_owned() } else { text.to_owned() }
}

/// Whether a date lies within another that says less.
fn within(one: PartialDate, two: PartialDate) -> bool {
    two.first_day() <= one.first_day() && one.last_day() <= two.last_day()
}

/// `Berlin, Germany` says more than `Berlin`, and nothing else.
fn narrower(one: &str, two: &str) -> bool {
    one.strip_prefix(two).is_some_and(|rest| rest.starts_with(','))
        && !one.contains(|letter: char| letter.is_numeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(one: &str, two: &str, expected: bool) {
        let object = |text: &str| Object::new(text, Vec::new());
        assert_eq!(object(one).same(&object(two)), expected, "{one:?} and {two:?}");
        assert_eq!(object(two).same(&object(one)), expected, "{two:?} and {one:?}");
    }

    #[test]
    fn what_a_reader_takes_for_the_same_is_the_same() {
        for (one, two) in [
            ("CEO", "ceo."),
            ("**CEO**", "\"CEO\""),
            ("San Francisco", "san-francisco"),
            ("Brex", "Brex, Inc."),
            ("2017", "2017-01-03"),
            ("1.5 km", "1500 m"),
            ("Berlin", "Berlin, Germany"),
            ("yes", "True"),
        ] {
            check(one, two, true);
        }
    }

    #[test]
    fn what_differs_differs() {
        for (one, two) in [
            ("CEO", "CTO"),
            ("2017", "2018-01-03"),
            ("C", "C++"),
            ("active", "not active"),
            ("10, 20", "10, 30"),
            ("yes", "no"),
            ("Inc", "Ltd"),
        ] {
            check(one, two, false);
        }
    }

    #[test]
    fn names_of_one_page_are_the_same_and_of_two_are_not() {
        let object = |text: &str, pages: &[PageNo]| Object::new(text, pages.to_vec());
        assert!(object("Brex", &[1]).same(&object("companies/brex", &[1])));
        assert!(object("Alex", &[1, 2]).same(&object("Alex Kim", &[2])));
        assert!(!object("Acme", &[1]).same(&object("Brex", &[2])));
    }
}
